"""A document that is read again expands only the instances that have changed, or all if a declaration has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from solidbody.formats.vrml.expansion import Expander
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.edit.document import World, load_world
from solidbody.formats.webots.protos import instance_cache
from tests.formats.protos.projects import BALL, JAVASCRIPT, write_project

WORLD = """
DEF BOX Solid { name "box" translation 0 0 1 }
DEF ONE Blob { name "one" radius 0.5 hidden rotation_7 0 0 1 1 }
DEF GROUP Group { children [ DEF TWO Blob { name "two" } ] }
DEF LOST Blub { }
"""


@pytest.fixture
def expanded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Get the label of each top node that is expanded."""
    found: list[str] = []

    class Counted(Expander):
        def top(self, node: NodeSyntax) -> NodeSyntax | None:
            found.append(node.label)
            return super().top(node)

    monkeypatch.setattr(instance_cache, "Expander", Counted)
    return found


def seen(world: World) -> tuple[list[object], list[str]]:
    """Return the links of a world and what there is to say of it."""
    return list(world.scene.links()), [str(item) for item in world.diagnostics]


def test_other_nodes_may_change(tmp_path: Path, expanded: list[str]) -> None:
    """Each time the scene and the messages are those of the same world read for the first time."""
    path = write_project(tmp_path, WORLD, {"Blob": BALL})
    world = load_world(path)
    assert len(seen(world)[1]) == 2  # the hidden value without a link, the unknown node
    for change, labels in (
        (lambda some: some.set("BOX.translation", (1.0, 2.0, 3.0)), ["DEF BOX Solid"]),
        (lambda some: some.insert("", 'DEF NEW Solid { name "new" }', 1), ["DEF NEW Solid"]),
        (lambda some: some.remove("BOX"), []),
    ):
        expanded.clear()
        change(world)
        now = seen(world)
        assert expanded == labels
        assert now == seen(World(world.tree, world.path))


@pytest.mark.parametrize(
    ("path", "value", "label"),
    [
        ("ONE.radius", 0.25, "DEF ONE Blob"),
        ("TWO.name", "other", "DEF GROUP Group"),
        ("GROUP.children", None, "DEF GROUP Group"),
    ],
)
def test_instances_that_change_are_expanded_anew(
    tmp_path: Path, expanded: list[str], path: str, value: float | str | None, label: str
) -> None:
    world = load_world(write_project(tmp_path, WORLD, {"Blob": BALL}))
    before = seen(world)
    expanded.clear()
    if value is None:
        world.insert(path, 'Blob { name "three" }')
    else:
        world.set(path, value)
    assert len(seen(world)[0]) == len(before[0]) + (value is None)
    assert expanded == [label]
    assert seen(world) == seen(World(world.tree, world.path))


TALKING = """PROTO Talker [
  field SFVec3f translation 0 0 0
  field SFString name "talker"
  field SFString word "hello"
]
{
  %< wbjavascript.console(fields.word.value) >%
  Solid { translation IS translation name IS name }
}
"""
BROKEN = """PROTO Broken [
  field SFVec3f translation 0 0 0
  field SFString name "broken"
  field SFFloat radius "wide"
]
{ Solid { translation IS translation name IS name } }
"""
ONCE = """
DEF HILL Solid { name "hill" }
DEF LOST Blub { }
DEF AWAY Blub { }
DEF TALK Talker { name "first" }
DEF SAY Talker { name "second" }
DEF BAD Broken { name "third" }
DEF POOR Broken { name "fourth" }
"""


@pytest.mark.parametrize(
    ("change", "labels"),
    [
        (lambda w: w.set("HILL.translation", (1.0, 0.0, 0.0)), ["DEF HILL Solid"]),
        (lambda w: w.remove("LOST"), None),
        (lambda w: w.remove("AWAY"), []),
        (lambda w: w.set("BAD.translation", (1.0, 0.0, 0.0)), ["DEF BAD Broken"]),
        (lambda w: w.set("POOR.translation", (1.0, 0.0, 0.0)), ["DEF POOR Broken"]),
        (lambda w: w.remove("BAD"), None),
        (lambda w: w.remove("POOR"), []),
        (lambda w: w.insert("", 'Broken { name "new" }', 2), None),
        (lambda w: w.insert("", "Blub { }"), ["Blub"]),
        (lambda w: w.set("TALK.translation", (1.0, 0.0, 0.0)), ["DEF TALK Talker"]),
        (lambda w: w.set("SAY.word", "good day"), ["DEF SAY Talker"]),
        (lambda w: w.remove("TALK"), []),
    ],
)
def test_what_is_said_once_is_said_to_the_first(
    tmp_path: Path,
    expanded: list[str],
    change: Callable[[World], object],
    labels: list[str] | None,
) -> None:
    """Missing PROTOs, bad files, templates that speak: as in a world that is read for the first time.

    All are expanded (None) where somebody else has to be told.
    """
    protos = {"Talker": JAVASCRIPT + TALKING, "Broken": BROKEN}
    path = write_project(tmp_path, ONCE, protos)
    lost = 'EXTERNPROTO "../protos/Blub.proto"'
    path.write_text(path.read_text().replace("WorldInfo", f"{lost}\nWorldInfo", 1))
    world = load_world(path)
    assert len(seen(world)[1]) == 5
    expanded.clear()
    change(world)
    now = seen(world)
    tops = [node.label for node in world.tree.nodes]
    if labels is None:
        assert expanded[-len(tops) :] == tops
    else:
        assert expanded == labels
    assert now == seen(World(world.tree, world.path))


def test_new_declarations_count(tmp_path: Path) -> None:
    """A PROTO that is declared with an inserted node is that of nodes which had none, too."""
    path = write_project(tmp_path, WORLD, {"Blob": BALL})
    more = tmp_path / "more" / "Blub.proto"  # nothing finds it there without a declaration
    more.parent.mkdir()
    more.write_text(
        '#VRML_SIM R2025a utf8\nPROTO Blub [ ] { Solid { name "found" } }\n', encoding="utf-8"
    )
    world = load_world(path)
    assert "found" not in [link.name for link in world.scene.links()]
    world.insert("", "Group { }", protos=("../more/Blub.proto",))
    assert "found" in [link.name for link in world.scene.links()]


@pytest.mark.parametrize("place", ["", "GROUP.children"])
def test_more_declarations_leave_the_others_alone(
    tmp_path: Path, expanded: list[str], place: str
) -> None:
    """What an import brings into a world that has not asked for it; the way back reads all anew."""
    path = write_project(tmp_path, WORLD, {"Blob": BALL, "Car": BALL.replace("Blob", "Car")})
    world = load_world(path)
    seen(world)
    before = world.tree
    urls = ("../protos/Car.proto",)
    for name in ("first", "second"):
        expanded.clear()
        world.insert(place, f'Car {{ name "{name}" }}', protos=urls)
        now = seen(world)
        assert expanded == (["DEF GROUP Group"] if place else ["Car"])
        assert name in [link.name for link in world.scene.links()]
        assert now == seen(World(world.tree, world.path))
    world.return_to(before)
    assert seen(world) == seen(World(before, world.path))
    world.insert(place, "Car { }")
    assert seen(world) == seen(World(world.tree, world.path))
