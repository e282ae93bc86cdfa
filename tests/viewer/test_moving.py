"""Moving nodes of a file: in their list, into others, out again; refused where it makes no sense."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.viewer.protocol_work import CommandMove, CommandRedo, CommandUndo, EventEdited
from solidbody.viewer.world_editor import WorldEditor, open_editor

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { }
Viewpoint { }
DEF A Solid { name "a" children [ DEF A1 Pose { } DEF A2 Pose { } DEF A3 Pose { } ] }
DEF B Solid { name "b" }
DEF C Robot { name "c" controller "<none>" children [
  DEF JOINT HingeJoint { jointParameters DEF PARAMETERS HingeJointParameters { } }
  DEF TOUCH TouchSensor { } ] }
"""


@pytest.fixture
def editor(tmp_path: Path) -> WorldEditor:
    world = tmp_path / "world.wbt"
    world.write_text(WORLD, encoding="utf-8")
    found = open_editor(sb.Sim(sb.load(str(world))))
    assert found is not None
    return found


def order(editor: WorldEditor) -> list[tuple[str, str]]:
    """Return the titles of all nodes with those of what holds them, in the order of the file."""
    nodes = editor.nodes()
    return [(node.title, "" if node.parent is None else nodes[node.parent].title) for node in nodes]


def titles_in(editor: WorldEditor, holder: str) -> list[str]:
    return [title for title, above in order(editor) if above == holder]


def path_of(editor: WorldEditor, title: str) -> str:
    return next(node.path for node in editor.nodes() if node.title == title)


def move(editor: WorldEditor, node: str, target: str, where: str) -> EventEdited:
    assert where in ("before", "after", "into")
    (event,) = editor.obey(CommandMove(path_of(editor, node), target, where))
    assert isinstance(event, EventEdited)
    return event


@pytest.mark.parametrize(
    ("node", "target", "where", "expected"),
    [
        ("A1", "A3", "after", ["A2", "A3", "A1"]),
        ("A1", "A2", "after", ["A2", "A1", "A3"]),
        ("A3", "A1", "before", ["A3", "A1", "A2"]),
        ("A2", "A2", "after", ["A1", "A2", "A3"]),
    ],
)
def test_a_node_moves_in_its_list(
    editor: WorldEditor, node: str, target: str, where: str, expected: list[str]
) -> None:
    """Up, down, to the ends; places count as they are before the move."""
    event = move(editor, node, path_of(editor, target), where)
    assert (event.text, event.is_error) == (f"{node} was moved.", False)
    assert titles_in(editor, "A") == expected
    assert event.path == path_of(editor, node)


def test_a_top_node_moves_and_the_simulation_follows(editor: WorldEditor) -> None:
    """Links stand in the order of the file."""
    move(editor, "C", path_of(editor, "A"), "before")
    assert titles_in(editor, "") == ["WorldInfo", "Viewpoint", "C", "A", "B"]
    assert [link.name for link in editor._sim.scene.links()] == ["c", "TOUCH", "a", "b"]


def test_a_node_moves_into_another_and_back(editor: WorldEditor) -> None:
    """The target stands later at the top: its number changes as the node goes."""
    event = move(editor, "A", path_of(editor, "B"), "into")
    assert titles_in(editor, "B") == ["A"]
    assert event.path == path_of(editor, "A") == "2.children.0"
    (undone,) = editor.obey(CommandUndo())
    assert isinstance(undone, EventEdited) and not undone.is_error
    assert titles_in(editor, "") == ["WorldInfo", "Viewpoint", "A", "B", "C"]
    editor.obey(CommandRedo())
    assert titles_in(editor, "B") == ["A"]
    move(editor, "A", path_of(editor, "B"), "after")
    assert titles_in(editor, "") == ["WorldInfo", "Viewpoint", "B", "A", "C"]


def test_a_node_goes_into_the_field_that_takes_it(editor: WorldEditor) -> None:
    """A Solid into the end of a joint, which has no children."""
    move(editor, "B", path_of(editor, "JOINT"), "into")
    assert titles_in(editor, "JOINT") == ["PARAMETERS", "B"]
    assert editor.nodes()[-2].path.endswith("endPoint")


@pytest.mark.parametrize(
    ("node", "target", "where", "text"),
    [
        ("A", "A1", "into", "cannot be moved into itself"),
        ("TOUCH", "PARAMETERS", "into", "has no room for a TouchSensor"),
        ("Viewpoint", "A", "into", "Viewpoint stands at the top of a world."),
        ("A1", "PARAMETERS", "after", "holds one node at most"),
    ],
)
def test_what_makes_no_sense_is_refused(
    editor: WorldEditor, node: str, target: str, where: str, text: str
) -> None:
    """With the reason, and nothing changes."""
    before = order(editor)
    event = move(editor, node, path_of(editor, target), where)
    assert event.is_error
    assert text in event.text
    assert order(editor) == before
