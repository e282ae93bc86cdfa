"""Worlds saved over their own text: comments and layout stay where nothing was touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.formats.webots.edit.document import World, load_world

TEXT = """#VRML_SIM R2025a utf8
# who made it, and why

EXTERNPROTO "Chair.proto"   # from the project

WorldInfo { basicTimeStep 16 } # short
Viewpoint {
    orientation 0 0 1 0        # wide blanks
}

# the crate
DEF CRATE Solid {
  translation 0 1 0.25  # beside the wall
  name "crate"
  children [
    # what one sees
    DEF FORM Shape { geometry Box { size 0.5 0.5 0.5 } }
    Pose { }  # a mark
  ]
  # solid as it looks
  boundingObject USE FORM
  physics Physics { }
}

DEF BALL Solid { name "ball" } # rolls
# the end
"""


def world(folder: Path, text: str = TEXT) -> World:
    path = folder / "arena.wbt"
    path.write_bytes(text.encode())
    return load_world(path)


def changed_lines(world: World) -> tuple[list[str], list[str]]:
    """Return the lines of the file that are gone, and those that are new."""
    old, new = TEXT.splitlines(), world.text(keeps_layout=True).splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_an_untouched_file_is_the_same_text(tmp_path: Path) -> None:
    """Every character, also with the line ends of Windows and a byte order mark."""
    for text in (TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT):
        assert world(tmp_path, text).text(keeps_layout=True) == text


def test_only_what_was_set_is_written_anew(tmp_path: Path) -> None:
    """The remark beside the field stays."""
    document = world(tmp_path)
    document.set("CRATE.translation", (1, 2, 3.5))
    document.set("WorldInfo.basicTimeStep", 8)
    assert changed_lines(document) == (
        ["WorldInfo { basicTimeStep 16 } # short", "  translation 0 1 0.25  # beside the wall"],
        ["WorldInfo { basicTimeStep 8 } # short", "  translation 1 2 3.5  # beside the wall"],
    )


def test_new_fields_stand_behind_the_others(tmp_path: Path) -> None:
    """In a line of their own where the others have one, else in the same line."""
    document = world(tmp_path)
    document.set("CRATE.locked", True)
    document.set("BALL.translation", (0, 0, 1))
    gone, new = changed_lines(document)
    assert gone == ['DEF BALL Solid { name "ball" } # rolls']
    assert new == ["  locked TRUE", 'DEF BALL Solid { name "ball" translation 0 0 1 } # rolls']


def test_nodes_come_and_go_with_their_lines(tmp_path: Path) -> None:
    """At the end, in the middle, and at the top of the file."""
    document = world(tmp_path)
    document.remove("CRATE.children.1")
    document.insert("CRATE.children", 'Solid { name "lid" }', 0)
    document.insert("", 'Solid { name "last" }')
    document.remove("BALL")
    document.insert("", 'DEF FIRST Solid { name "first" }', 2)
    gone, _ = changed_lines(document)
    assert gone == ["    Pose { }  # a mark", 'DEF BALL Solid { name "ball" } # rolls']
    text = document.text(keeps_layout=True)
    assert text.index("DEF FIRST") < text.index("DEF CRATE") < text.index('"last"')
    assert text.index('"lid"') < text.index("DEF FORM")
    assert load_again(tmp_path, text).tree == document.tree
    assert "# the end" in text and "# what one sees" in text


def test_a_moved_node_takes_its_words_along(tmp_path: Path) -> None:
    """The remarks within it too."""
    document = world(tmp_path)
    document.move("CRATE", "BALL.children")
    text = document.text(keeps_layout=True)
    assert text.index("DEF BALL") < text.index("DEF CRATE") < text.index("# what one sees")
    assert load_again(tmp_path, text).tree == document.tree


def test_undone_changes_leave_no_trace(tmp_path: Path) -> None:
    document = world(tmp_path)
    changes = [
        document.set("CRATE.name", "box"),
        document.insert("BALL.children", "Pose { }"),
        document.remove("CRATE.physics"),
    ]
    assert document.text(keeps_layout=True) != TEXT
    for change in reversed(changes):
        change.undo()
    assert document.text(keeps_layout=True) == TEXT


@pytest.mark.parametrize("inside", ["[]", "[ ]", "[\n  ]", "[ # none\n  ]"])
def test_an_empty_list_takes_nodes(tmp_path: Path, inside: str) -> None:
    text = f'#VRML_SIM R2025a utf8\nSolid {{\n  children {inside}\n  name "a"\n}}\n'
    document = world(tmp_path, text)
    document.insert("0.children", "Pose { }")
    document.insert("0.children", "Group { }")
    saved = document.text(keeps_layout=True)
    assert "\n    Pose {\n    }\n    Group {\n    }\n  ]\n  name" in saved
    assert ("# none" in saved) == ("# none" in text)


def test_declarations_are_added_behind_the_others(tmp_path: Path) -> None:
    document = world(tmp_path)
    document.insert("", "Table { }", protos=("Table.proto",))
    lines = document.text(keeps_layout=True).splitlines()
    at = lines.index('EXTERNPROTO "Chair.proto"   # from the project')
    assert lines[at + 1] == 'EXTERNPROTO "Table.proto"'


def load_again(folder: Path, text: str) -> World:
    path = folder / "again.wbt"
    path.write_text(text, encoding="utf-8")
    return load_world(path)
