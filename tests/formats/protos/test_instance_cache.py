"""A document that is read again expands only the instances that have changed, or all if a declaration has."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.formats.vrml.expansion import Expander
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.edit.document import World, load_world
from solidbody.formats.webots.protos import instance_cache
from tests.formats.protos.projects import BALL, write_project

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
        ("ONE.radius", 0.25, ""),
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
    # the first one was told something that is said once: all are expanded, so that nobody misses it
    assert expanded == ([label] if label else [node.label for node in world.tree.nodes])
    assert seen(world) == seen(World(world.tree, world.path))


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
