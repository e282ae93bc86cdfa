"""What a bounding object may hold, row by row, and the friction directions of its parts."""

from __future__ import annotations

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.shapes import Axis, FrictionAxes, Shape, ShapeRole
from tests.formats.reading import assert_warning, codes, read, read_clean, the


def collision_shapes(bounding: str, release: str = "R2025a") -> tuple[list[Shape], list[str]]:
    """Return the collision shapes of a solid with that bounding object, and the codes of messages."""
    scene, log = read(f"Solid {{ boundingObject {bounding} }}", release=release)
    shapes = [
        shape
        for link in scene.links()
        for shape in link.shapes
        if shape.role is ShapeRole.COLLISION
    ]
    return shapes, codes(log)


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        ("Box { }", GeometryBox),
        ("Sphere { }", GeometrySphere),
        ("Cylinder { }", GeometryCylinder),
        ("Capsule { }", GeometryCapsule),
        ("Plane { }", GeometryPlane),
    ],
)
@pytest.mark.parametrize(
    "wrapping",
    [
        "{}",
        "Shape {{ geometry {} }}",
        "Pose {{ children [ {} ] }}",
        "Pose {{ children [ Shape {{ geometry {} }} ] }}",
        "Group {{ children [ {} ] }}",
        "Group {{ children [ Shape {{ geometry {} }} ] }}",
        "Group {{ children [ Pose {{ children [ {} ] }} ] }}",
    ],
)
def test_geometry_collides_wherever_it_is_legal(node: str, kind: type, wrapping: str) -> None:
    shapes, messages = collision_shapes(wrapping.format(node))
    assert messages == []
    assert [type(shape.geometry) for shape in shapes] == [kind]


def test_group_holds_any_mix() -> None:
    text = (
        "Group { children [ Box { } Shape { geometry Sphere { } } Pose { children [ Box { } ] } ] }"
    )
    shapes, messages = collision_shapes(text)
    assert (len(shapes), messages) == (3, [])


def test_pose_moves_its_geometry() -> None:
    shapes, _ = collision_shapes("Pose { translation 1 2 3 children [ Box { } ] }")
    assert shapes[0].pose.position == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("node", ["Cone { }", "IndexedLineSet { }", "PointSet { }"])
def test_forms_that_never_collide_are_refused(node: str) -> None:
    scene, log = read(f"Solid {{ boundingObject {node} }}")
    assert_warning(log, "illegal-bounding-object", "cannot be used in a bounding object")
    assert scene.bodies[0].links[0].shapes == ()


@pytest.mark.parametrize(
    ("node", "code"),
    [
        ("Mesh { }", "missing-mesh"),
        ("IndexedFaceSet { }", "empty-geometry"),
        ("ElevationGrid { }", "empty-geometry"),
    ],
)
def test_form_with_nothing_in_it_gives_no_geometry(node: str, code: str) -> None:
    assert collision_shapes(node) == ([], [code])


@pytest.mark.parametrize(
    "node", ["Solid { }", "Robot { }", "HingeJoint { }", "PointLight { }", "PBRAppearance { }"]
)
def test_other_nodes_are_refused(node: str) -> None:
    _, log = read(f"Solid {{ boundingObject {node} }}")
    assert "is not allowed in a bounding object" in the(log, "illegal-bounding-object").text


@pytest.mark.parametrize("release", ["R2022b", "R2023a", "R2023b", "R2025a"])
@pytest.mark.parametrize("wrapping", ["%s", "Group { children [ %s ] }"])
def test_transform_without_scale_is_a_pose_in_every_release(release: str, wrapping: str) -> None:
    text = wrapping % "Transform { translation 1 0 0 children [ Box { size 1 2 3 } ] }"
    shapes, messages = collision_shapes(text, release=release)
    assert [(shape.geometry, shape.pose.position) for shape in shapes] == [
        (GeometryBox((1.0, 2.0, 3.0)), (1.0, 0.0, 0.0))
    ]
    assert messages == []


def test_scaled_transform_is_reported_since_r2023b_and_collides_as_before() -> None:
    text = "Transform { scale 1 2 3 children [ Box { size 1 1 1 } ] }"
    shapes, messages = collision_shapes(text)
    assert [shape.geometry for shape in shapes] == [GeometryBox((1.0, 2.0, 3.0))]
    assert messages == ["illegal-bounding-object"]


def test_scale_of_an_old_transform_changes_the_sizes() -> None:
    shapes, _ = collision_shapes(
        "Transform { scale 1 2 3 children [ Box { size 1 1 1 } ] }", release="R2023a"
    )
    assert shapes[0].geometry == GeometryBox((1.0, 2.0, 3.0))


def test_pose_without_child_is_information() -> None:
    _, log = read("Solid { boundingObject Pose { } }")
    assert codes(log) == ["empty-bounding-object"]
    assert log.items[0].severity is Severity.INFO


def test_pose_with_two_children_uses_the_first() -> None:
    scene, log = read("Solid { boundingObject Pose { children [ Box { } Sphere { } ] } }")
    assert_warning(log, "illegal-bounding-object", "only the first counts")
    assert isinstance(scene.bodies[0].links[0].shapes[0].geometry, GeometryBox)


@pytest.mark.parametrize(
    "inner", ["Pose { children [ Box { } ] }", "Group { children [ Box { } ] }"]
)
def test_pose_in_pose_contributes_nothing(inner: str) -> None:
    text = f"Solid {{ boundingObject Pose {{ children [ {inner} ] }} physics Physics {{ }} }}"
    scene, log = read(text)
    assert codes(log) == ["illegal-bounding-object", "default-inertia"]
    link = scene.bodies[0].links[0]
    assert link.shapes == ()
    assert link.mass is not None and link.mass.mass == 1.0


def test_group_in_group_is_ignored() -> None:
    text = "Group { children [ Group { children [ Box { } ] } Sphere { } ] }"
    scene, log = read(f"Solid {{ boundingObject {text} }}")
    assert_warning(log, "illegal-bounding-object", "ignoring illegal node")
    assert [type(shape.geometry) for shape in scene.bodies[0].links[0].shapes] == [GeometrySphere]


@pytest.mark.parametrize("holder", ["Group", "Pose"])
def test_bare_geometry_in_a_node_that_is_also_drawn_is_refused(holder: str) -> None:
    text = (
        f"Solid {{ boundingObject DEF B {holder} {{ children [ Box {{ }} ] }} children [ USE B ] }}"
    )
    scene, log = read(text)
    assert codes(log) == ["illegal-bounding-object", "wrong-node"]
    refused = log.items[0]
    assert f"a Box directly in a {holder} that is also drawn" in refused.text
    assert "put it into a Shape" in refused.text
    assert refused.node == f"DEF B {holder} > Box"
    assert scene.bodies[0].links[0].shapes == ()


def test_shapes_in_a_node_that_is_also_drawn_collide() -> None:
    shape = "Shape { geometry Box { } }"
    text = f"Solid {{ children [ DEF B Group {{ children [ {shape} ] }} ] boundingObject USE B }}"
    shapes = read_clean(text).bodies[0].links[0].shapes
    assert [shape.role for shape in shapes] == [ShapeRole.COLLISION, ShapeRole.VISUAL]


def test_bare_geometry_in_a_node_shared_by_bounding_objects_collides() -> None:
    first = "Solid { boundingObject DEF B Group { children [ Box { } ] } }"
    scene = read_clean(f'{first} Solid {{ name "b" boundingObject USE B }}')
    assert [len(link.shapes) for link in scene.links()] == [1, 1]


def test_empty_group_and_empty_shape_are_information() -> None:
    assert collision_shapes("Group { }") == ([], ["empty-bounding-object"])
    assert collision_shapes("Shape { }") == ([], ["empty-bounding-object"])


def test_size_that_is_not_positive_is_reset() -> None:
    scene, log = read("Solid { boundingObject Box { size 1 -1 1 } }")
    assert_warning(log, "value-reset", "must be > 0, got 1 -1 1; reset to 2 2 2")
    assert scene.bodies[0].links[0].shapes[0].geometry == GeometryBox((2.0, 2.0, 2.0))


def test_geometry_outside_a_shape_is_not_drawn() -> None:
    _, log = read("Solid { children [ Box { } ] }")
    assert "is drawn only inside a Shape" in the(log, "wrong-node").text


@pytest.mark.parametrize(
    ("node", "new", "old"),
    [
        (
            "Box { }",
            FrictionAxes(Axis.Z, Axis.X, Axis.Z),
            FrictionAxes(Axis.Y, Axis.Z, Axis.Y),
        ),
        (
            "Cylinder { }",
            FrictionAxes(Axis.Z, Axis.X, Axis.Z),
            FrictionAxes(Axis.Z, Axis.Y, Axis.Z),
        ),
        (
            "Plane { }",
            FrictionAxes(Axis.Z, Axis.X, Axis.X),
            FrictionAxes(Axis.Z, Axis.Y, Axis.Y),
        ),
        ("Sphere { }", None, None),
        ("Capsule { }", None, None),
    ],
)
def test_friction_directions_by_form_and_release(
    node: str, new: FrictionAxes | None, old: FrictionAxes | None
) -> None:
    shapes, _ = collision_shapes(node)
    assert shapes[0].friction_axes == new
    shapes, messages = collision_shapes(node, release="R2021b")
    assert shapes[0].friction_axes == old
    assert messages == []


def test_contact_material_is_that_of_the_solid() -> None:
    scene = read_clean('Solid { contactMaterial "ice" boundingObject Box { } }')
    assert scene.bodies[0].links[0].shapes[0].contact_material == "ice"
