"""A document that is read again after a change gives what the same text gives when it is read first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from solidbody.formats.webots.edit.document import World, load_world
from solidbody.formats.webots.lower import geometries as lower_geometries
from solidbody.formats.webots.lower import top_nodes as lower_tops
from solidbody.formats.webots.lower.solids import SolidLowering
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.geometry import Geometry, GeometryMesh

TEXT = """#VRML_SIM R2025a utf8
WorldInfo { contactProperties [ DEF GRIP ContactProperties { coulombFriction 0.5 } ] }
DEF VIEW Viewpoint { follow "first" }
DEF LAMP PointLight { location 0 0 1 }
DEF A Solid { name "first" children [ DEF LOOK Shape { geometry DEF FORM Box { } } ] }
DEF B Solid { name "first" boundingObject USE FORM physics Physics { density -1 mass 1 } }
DEF C Robot { name "machine" children [
  DEF LED LED { name "light" children [ DEF GLOW PointLight { } Shape { geometry Sphere { } } ] }
  HingeJoint { device RotationalMotor { name "motor" } endPoint DEF ARM Solid { name "arm" } } ] }
DEF D Robot { name "machine" children [
  HingeJoint { device RotationalMotor { name "motor" } endPoint Solid { name "arm" } } ] }
DEF E Solid { name "old" physics DEF OLD Physics { density -1 mass 1e7 } }
DEF F Group { children [ DEF G Solid { name "inner" } Shape { geometry Sphere { } } ] }
"""

Edit = Callable[[World], object]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world in which names, lights and USE lead from one top node to another."""
    path = tmp_path / "world.wbt"
    path.write_text(TEXT)
    return load_world(path)


def seen(world: World) -> tuple[object, list[str], Sequence[object]]:
    """Return the scene of a world, what there is to say of it, and the places of its solids."""
    scene = replace(world.scene, diagnostics=(), files=World(world.tree, world.path).scene.files)
    nodes = [None if node is None else node.span for node in world.lowered.nodes]
    return scene, [str(item) for item in world.diagnostics], nodes


@pytest.mark.parametrize(
    "edits",
    [
        [lambda w: w.set("FORM.size", (1.0, 2.0, 3.0))],
        [lambda w: w.set("ARM.name", "hand")],
        [lambda w: w.set("A.name", "second"), lambda w: w.set("A.name", "first")],
        [lambda w: w.remove("LAMP")],
        [lambda w: w.remove("GLOW"), lambda w: w.insert("LED.children", "PointLight { }")],
        [lambda w: w.remove("C"), lambda w: w.insert("", 'Robot { name "machine" }')],
        [lambda w: w.set("OLD.mass", 2.0), lambda w: w.set("OLD.mass", 3e7)],
        [lambda w: w.set("VIEW.follow", "inner"), lambda w: w.set("G.name", "renamed")],
        [lambda w: w.insert("F.children", "USE LOOK"), lambda w: w.set("FORM.size", (2, 2, 2))],
        [lambda w: w.set("GRIP.coulombFriction", [0.1])],
        [lambda w: w.move("F", "", 2), lambda w: w.move("D", "", 3)],
    ],
)
def test_the_same_as_read_first(world: World, edits: list[Edit]) -> None:
    assert seen(world) == seen(World(world.tree, world.path))
    for edit in edits:
        edit(world)
        assert seen(world) == seen(World(world.tree, world.path))


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Get the label of each top node that is lowered."""
    found: list[str] = []

    class Counted(SolidLowering):
        def walk(self, top: TypedNode) -> None:
            found.append(top.label)
            super().walk(top)

    monkeypatch.setattr(lower_tops, "SolidLowering", Counted)
    return found


def test_only_what_changed_is_lowered(world: World, walked: list[str]) -> None:
    before = world.scene
    walked.clear()
    world.set("ARM.description", "a hand")
    after = world.scene
    assert walked == ["C"]
    same = [a is b for a, b in zip(before.bodies, after.bodies, strict=True)]
    assert same.count(False) == 1
    walked.clear()
    world.set("FORM.size", (1.0, 1.0, 1.0))  # B uses it
    _ = world.scene
    assert walked == ["A", "B"]


def test_new_names_concern_those_that_have_them(tmp_path: Path, walked: list[str]) -> None:
    """A USE in what is inserted has a say in how nodes of that name are brought into the form of today."""
    cases = (("House", "DOOR", ""), ("Car", "WHEEL", "USE WHEEL"), ("Gate", "DOOR", "USE DOOR"))
    for name, word, again in cases:
        (tmp_path / f"{name}.proto").write_text(
            f'#VRML_SIM R2019a utf8\nPROTO {name} [ field SFString name "it" ]\n'
            f"{{ Solid {{ name IS name children [ DEF {word} Transform {{ rotation 0 1 0 1 "
            f"children [ Shape {{ geometry Cylinder {{ }} }} ] }} {again} ] }} }}\n"
        )
    path = tmp_path / "world.wbt"
    path.write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "House.proto"\nEXTERNPROTO "Car.proto"\n'
        'EXTERNPROTO "Gate.proto"\nHouse { name "first" }\nHouse { name "second" }\n'
    )
    world = load_world(path)
    _ = world.scene
    for kind, expected in (("Car", 1), ("Gate", 3)):
        walked.clear()
        world.insert("", f'{kind} {{ name "new {kind}" }}')
        _ = world.scene
        assert len(walked) == expected
        assert seen(world) == seen(World(world.tree, world.path))


@pytest.mark.parametrize("room", [lower_geometries.MAX_KEPT, 12, 0])
def test_meshes_of_instances_made_anew_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """With texture coordinates by their box; the oldest are forgotten where there is no room for all."""
    monkeypatch.setattr(lower_geometries, "MAX_KEPT", room)
    (tmp_path / "Sail.proto").write_text(
        '#VRML_SIM R2025a utf8\nPROTO Sail [ field SFString name "it" field SFFloat size 1 ] {\n'
        "%< const size = fields.size.value; >%\n"
        "Solid { name IS name children [ Shape {\n"
        'appearance PBRAppearance { baseColorMap ImageTexture { url "none.png" } }\n'
        "geometry IndexedFaceSet { coord Coordinate { point [ 0 0 0 1 0 0 0 %<= size >% 0 ] }\n"
        "coordIndex [ 0 1 2 -1 2 1 0 ] } } ] }\n}\n"
    )
    path = tmp_path / "world.wbt"
    path.write_text('#VRML_SIM R2025a utf8\nEXTERNPROTO "Sail.proto"\nDEF SAIL Sail { }\n')
    world = load_world(path)

    def geometry() -> Geometry:
        return next(iter(world.scene.links())).shapes[0].geometry

    first, others = geometry(), list[Geometry]()
    for name, value in (("name", "other"), ("size", 2.0), ("size", 1.0)):
        world.set(f"SAIL.{name}", value)
        others.append(geometry())
    assert isinstance(first, GeometryMesh)
    assert len(first.texture_coordinates) == 6
    assert others[1] != first
    assert [geometry is first for geometry in others] == [room > 0, False, room > 12]
    assert others[0] == others[2] == first
    assert seen(world) == seen(World(world.tree, world.path))
