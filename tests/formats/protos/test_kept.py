"""A document that is read again expands its PROTOs only if an instance or a declaration has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solidbody.formats.vrml.expansion import ExpandedFile
from solidbody.formats.webots.document import World, load_world
from solidbody.formats.webots.protos import kept
from solidbody.formats.webots.protos.library import expand_world
from tests.formats.protos.projects import BALL, write_project

WORLD = """
DEF BOX Solid { name "box" translation 0 0 1 }
DEF ONE Blob { name "one" radius 0.5 hidden rotation_7 0 0 1 1 }
DEF GROUP Group { children [ DEF TWO Blob { name "two" } ] }
DEF LOST Blub { }
"""


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Get an item for each time that the PROTOs of a world are expanded."""
    found: list[int] = []

    def counted(*arguments: Any, **options: Any) -> ExpandedFile:
        found.append(1)
        return expand_world(*arguments, **options)

    monkeypatch.setattr(kept, "expand_world", counted)
    return found


def seen(world: World) -> tuple[list[object], list[str]]:
    """Return the links of a world and what there is to say of it."""
    return list(world.scene.links()), [str(item) for item in world.diagnostics]


def test_other_nodes_may_change(tmp_path: Path, counts: list[int]) -> None:
    """Each time the scene and the messages are those of the same world read for the first time."""
    path = write_project(tmp_path, WORLD, {"Blob": BALL})
    world = load_world(path)
    assert len(seen(world)[1]) == 2  # the hidden value without a link, the unknown node
    for change in (
        lambda some: some.set("BOX.translation", (1.0, 2.0, 3.0)),
        lambda some: some.insert("", 'DEF NEW Solid { name "new" }', 1),
        lambda some: some.remove("BOX"),
    ):
        change(world)
        fresh = World(world.tree, world.path)
        assert seen(world) == seen(fresh)
    assert len(counts) == 1 + 3  # once for the document, and for each fresh one


@pytest.mark.parametrize(
    ("path", "value"), [("ONE.radius", 0.25), ("TWO.name", "other"), ("GROUP.children", None)]
)
def test_instances_that_change_are_expanded_anew(
    tmp_path: Path, counts: list[int], path: str, value: float | str | None
) -> None:
    world = load_world(write_project(tmp_path, WORLD, {"Blob": BALL}))
    before = seen(world)
    if value is None:
        world.insert(path, 'Blob { name "three" }')
    else:
        world.set(path, value)
    assert len(seen(world)[0]) == len(before[0]) + (value is None)
    assert len(counts) == 2
    assert seen(world) == seen(World(world.tree, world.path))


def test_new_declarations_count(tmp_path: Path, counts: list[int]) -> None:
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
    assert len(counts) == 2
