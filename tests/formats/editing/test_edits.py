"""Changes to a world: by path, checked, undoable, and with what they touch."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.errors import SolidbodyError
from solidbody.formats.vrml.syntax import NodeSyntax, UseSyntax
from solidbody.formats.webots.edit.affected_parts import AffectedPart
from solidbody.formats.webots.edit.document import World, load_world
from solidbody.formats.webots.edit.paths import EditError

TEXT = """#VRML_SIM R2025a utf8
EXTERNPROTO "Table.proto"
WorldInfo { contactProperties [ ContactProperties { coulombFriction [ 0.5 ] } ] }
Viewpoint { }
DEF ROBOT Robot {
  translation 1 2 3
  children [
    DEF LOOK Shape { geometry DEF FORM Box { size 1 2 3 } }
    DEF JOINT HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 }
      device [ RotationalMotor { name "m" } ]
      endPoint DEF WHEEL Solid { name "wheel" children [ USE LOOK ] boundingObject USE FORM
        physics DEF MASS Physics { density -1 mass 2 } }
    }
  ]
  boundingObject Pose { children Sphere { } }
  physics Physics { }
}
DEF TABLE Table { size 1 2 height 0.5 }
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with a robot and an instance of a PROTO."""
    path = tmp_path / "world.wbt"
    path.write_text(TEXT, encoding="utf-8")
    return load_world(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("ROBOT.translation", (1.0, 2.0, 3.0)),
        ("ROBOT.rotation", (0.0, 0.0, 1.0, 0.0)),
        ("2.translation", (1.0, 2.0, 3.0)),
        ("ROBOT.WHEEL.name", "wheel"),
        ("ROBOT.children.0.geometry.size", (1.0, 2.0, 3.0)),
        ("ROBOT.children.1.endPoint.physics.mass", 2.0),
        ("JOINT.jointParameters.axis", (0.0, 0.0, 1.0)),
        ("JOINT.device.0.maxTorque", 10.0),
        ("JOINT.device.name", "m"),
        ("0.contactProperties.0.coulombFriction", (0.5,)),
        ("0.contactProperties.0.coulombFriction.0", 0.5),
        ("ROBOT.supervisor", False),
        ("0.basicTimeStep", 32.0),
        ("TABLE.size", (1.0, 2.0)),
        ("TABLE.height", 0.5),
        ("TABLE.color", None),
    ],
)
def test_fields_are_found_by_def_path_and_by_number(world: World, path: str, value: object) -> None:
    assert world.get(path) == value


def test_nodes_are_found(world: World) -> None:
    found = world.get("ROBOT.JOINT")
    assert isinstance(found, NodeSyntax) and found.type_name == "HingeJoint"
    used = world.get("WHEEL.boundingObject")
    assert isinstance(used, UseSyntax) and used.name == "FORM"
    assert isinstance(world.get("WHEEL.children"), tuple)


@pytest.mark.parametrize(
    ("path", "value", "parts"),
    [
        ("ROBOT.translation", (0, 0, 1), {AffectedPart.POSE, AffectedPart.SHAPE}),
        ("JOINT.jointParameters.position", 0.4, {AffectedPart.POSE}),
        ("FORM.size", [2, 2, 2], {AffectedPart.SHAPE}),
        ("ROBOT.boundingObject.children.radius", 2, {AffectedPart.SHAPE, AffectedPart.PHYSICS}),
        ("MASS.mass", 5, {AffectedPart.PHYSICS}),
        ("ROBOT.contactMaterial", "ice", {AffectedPart.CONTACT}),
        ("0.contactProperties.0.bounce", 0.1, {AffectedPart.CONTACT}),
        ("JOINT.device.0.maxTorque", 1.0, {AffectedPart.DEVICE}),
        ("ROBOT.controller", "mine", {AffectedPart.DEVICE}),
        ("0.title", "x", {AffectedPart.LOOK}),
        ("TABLE.size", (3, 4), {AffectedPart.STRUCTURE}),
    ],
)
def test_set_changes_one_field_and_says_what_it_touches(
    world: World, path: str, value: object, parts: set[AffectedPart]
) -> None:
    before = world.text()
    change = world.set(path, value)
    assert world.text() != before
    assert change.touches & parts or change.touches == parts, change.touches
    if path != "ROBOT.translation":
        assert change.touches == parts
    change.undo()
    assert world.text() == before and change.is_undone


def test_the_scene_follows_a_change_and_its_undo(world: World) -> None:
    link = world.scene.bodies[0].links[0]
    assert link.pose.position == (1.0, 2.0, 3.0)
    change = world.set("ROBOT.translation", (0, 0, 9))
    assert world.scene.bodies[0].links[0].pose.position == (0.0, 0.0, 9.0)
    change.undo()
    assert world.scene.bodies[0].links[0] == link


def test_one_item_of_a_list_can_be_set(world: World) -> None:
    world.set("0.contactProperties.0.coulombFriction", (1, 2))
    world.set("0.contactProperties.0.coulombFriction.1", 3)
    assert world.get("0.contactProperties.0.coulombFriction") == (1.0, 3.0)


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("ROBOT.translation", (1, 2), "DEF ROBOT Robot.translation: expected 3 numbers [m]"),
        ("ROBOT.translation", "up", "expected 3 numbers [m]"),
        ("ROBOT.translation", (1, 2, float("nan")), "expected a finite number"),
        ("ROBOT.name", 5, "expected a string in quotes, got 5"),
        ("ROBOT.supervisor", 1, "expected TRUE or FALSE"),
        ("FORM.size", (1, -1, 1), "must be > 0"),
        ("0.coordinateSystem", "XYZ", 'must be one of "ENU"'),
        ("ROBOT.nose", 1, 'DEF ROBOT Robot has no field "nose"'),
        ("NOBODY.name", "x", 'no node has the DEF name "NOBODY"'),
        ("9.name", "x", "the file has 4 top nodes"),
        ("ROBOT.children.7.name", "x", "children has no item 7"),
        ("ROBOT", "x", "is a node, not a field"),
        ("", "x", "the path is empty"),
        ("ROBOT.physics", "Box { }", "a Box node is not allowed here (allowed: Physics)"),
        ("ROBOT.physics", "Physics {", "the file ends before"),
        ("ROBOT.physics", 5, "expected a node as text"),
        ("ROBOT.physics", "Physics { } Physics { }", "holds one node at most"),
        ("TABLE.size", object(), "cannot be the value of a field"),
    ],
)
def test_what_a_field_cannot_take_is_explained_and_changes_nothing(
    world: World, path: str, value: object, text: str
) -> None:
    before = world.tree
    with pytest.raises(EditError) as caught:
        world.set(path, value)
    assert text in str(caught.value)
    assert world.tree is before and world.changes == ()
    assert isinstance(caught.value, SolidbodyError)


def test_nodes_are_inserted_and_removed(world: World) -> None:
    before = world.text()
    first = world.insert("ROBOT.children", "DEF LAMP PointLight { }", index=0)
    assert first.touches == {AffectedPart.LOOK}
    assert isinstance(world.get("ROBOT.children.0"), NodeSyntax)
    second = world.insert("", 'DEF BALL Solid { name "ball" boundingObject Sphere { } }')
    assert second.touches == {AffectedPart.STRUCTURE}
    assert "ball" in [link.name for link in world.scene.links()]
    third = world.remove("LAMP")
    fourth = world.remove("ROBOT.physics")
    assert fourth.touches == {AffectedPart.PHYSICS}
    assert world.get("ROBOT.physics") is None
    fifth = world.insert("ROBOT.physics", "Physics { mass 3 density -1 }")
    sixth = world.insert("WHEEL.children", "USE LOOK")
    for change in (sixth, fifth, fourth, third, second, first):
        change.undo()
    assert world.text() == before


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("ROBOT.children", "Physics { }", "a Physics node is not allowed here"),
        ("ROBOT.children", "Sold { }", 'unknown node type "Sold"'),
        ("ROBOT.children", "Solid { mass 3 }", 'Solid has no field "mass"'),
        ("ROBOT.children", "USE NOBODY", 'has the DEF name "NOBODY"'),
        ("ROBOT.children", "Shape { geometry [ }", "error"),
        ("ROBOT.children", "", "expected one or more nodes"),
        ("ROBOT.physics", "Physics { }", "holds one node at most"),
        ("ROBOT.name", "Solid { }", "holds no nodes"),
        ("ROBOT", "Solid { }", "name one of its fields"),
        ("", "USE LOOK", "USE is not allowed at the top"),
    ],
)
def test_nodes_that_do_not_fit_are_refused(
    world: World, path: str, text: str, complaint: str
) -> None:
    before = world.tree
    with pytest.raises(EditError) as caught:
        world.insert(path, text)
    assert complaint in str(caught.value)
    assert world.tree is before


def test_a_node_that_is_used_elsewhere_is_not_removed(world: World) -> None:
    with pytest.raises(EditError, match='has the DEF name "FORM"'):
        world.set("LOOK.geometry", None)
    with pytest.raises(EditError, match="index 9 is not among them"):
        world.insert("ROBOT.children", "Shape { }", index=9)


def test_changes_are_undone_in_reverse_order(world: World) -> None:
    first = world.set("ROBOT.name", "a")
    second = world.set("ROBOT.name", "b")
    with pytest.raises(EditError, match="undo them first"):
        first.undo()
    second.undo()
    with pytest.raises(EditError, match="undone before"):
        second.undo()
    assert world.get("ROBOT.name") == "a"
    assert str(first) == "ROBOT.name: set"


def test_object_files_are_inserted_as_they_are(world: World) -> None:
    world.insert("", '#VRML_OBJ R2025a utf8\nDEF BALL Solid { name "ball" }')
    assert world.get("BALL.name") == "ball"


def test_object_files_of_old_releases_are_converted(world: World) -> None:
    text = '#VRML_OBJ R2021a utf8\nDEF POST Solid { name "post" boundingObject Cylinder { } }'
    world.insert("", text)
    (link,) = [link for link in world.scene.links() if link.name == "post"]
    assert link.shapes[0].pose.direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0))
