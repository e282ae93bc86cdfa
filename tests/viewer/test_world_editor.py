"""The editor: nodes and fields of the file on show, edits that the simulation follows, undo and redo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.protocol_work import (
    CommandEdit,
    CommandFields,
    CommandRedo,
    CommandSave,
    CommandUndo,
    EventEdited,
    EventFields,
    EventSaved,
    WireField,
)
from solidbody.viewer.world_editor import WorldEditor, open_editor
from tests.browser.robots import arm_world
from tests.viewer.editing import path_of


def edit(editor: WorldEditor, path: str, value: str) -> EventEdited:
    (event,) = editor.obey(CommandEdit(path, value))
    assert isinstance(event, EventEdited)
    return event


def fields_of(editor: WorldEditor, path: str) -> dict[str, WireField]:
    (event,) = editor.obey(CommandFields(path))
    assert isinstance(event, EventFields)
    return {field.name: field for field in event.fields}


def test_the_tree_is_the_file_as_written(editor: WorldEditor) -> None:
    """Every node stands below the one that holds it; solids know their links."""
    nodes = editor.nodes()
    by_title = {node.title: node for node in nodes}
    hand = by_title["hand"]
    assert hand.parent is not None and nodes[hand.parent].kind == "HingeJoint"
    assert by_title["CRATE"].kind == "Solid" and by_title["CRATE"].parent is None
    names = editor._sim.link_names
    for title, link in (("hand", "hand"), ("CRATE", "crate"), ("ARM", "arm"), ("floor", "floor")):
        number = by_title[title].link
        assert number is not None and names[number] == link
    assert by_title["WorldInfo"].link is None


def test_fields_show_type_value_and_default(editor: WorldEditor) -> None:
    """Values that are not written are their defaults; fields with nodes are named, not written here."""
    fields = fields_of(editor, path_of(editor, "CRATE"))
    assert fields["translation"].value == "0 1.1 0.25"
    assert (fields["translation"].type, fields["translation"].default) == ("SFVec3f", "0 0 0")
    assert fields["name"].value == '"crate"' and fields["locked"].value == "FALSE"
    assert fields["translation"].unit == "m"
    assert fields["translation"].doc == "Position in the frame of the parent."
    density = fields_of(editor, f"{path_of(editor, 'CRATE')}.physics")["density"]
    assert (density.unit, density.default) == ("kg/m^3", "1000")
    step = fields_of(editor, path_of(editor, "WorldInfo"))["basicTimeStep"]
    assert (step.unit, step.allowed) == ("ms", "> 0")
    assert (fields["physics"].value, fields["physics"].editable) == ("Physics", False)


def test_an_edit_moves_the_body_and_undo_brings_it_back(editor: WorldEditor) -> None:
    """The simulation follows at once, keeps its time, and starts from there after a reset."""
    sim = editor._sim
    sim.run(0.1)
    time = sim.time
    event = edit(editor, f"{path_of(editor, 'CRATE')}.translation", "0 2 1")
    assert not event.is_error
    assert sim.time == pytest.approx(time)
    np.testing.assert_allclose(sim["crate"].position, (0, 2, 1), atol=1e-12)
    sim.reset()
    np.testing.assert_allclose(sim["crate"].position, (0, 2, 1), atol=1e-12)
    (back,) = editor.obey(CommandUndo())
    assert isinstance(back, EventEdited) and back.undo == "" and back.redo != ""
    np.testing.assert_allclose(sim["crate"].position, (0, 1.1, 0.25), atol=1e-12)
    editor.obey(CommandRedo())
    np.testing.assert_allclose(sim["crate"].position, (0, 2, 1), atol=1e-12)


def test_an_edit_of_the_mass_changes_the_body(editor: WorldEditor) -> None:
    """Fields of inner nodes take effect as well."""
    edit(editor, f"{path_of(editor, 'CRATE')}.physics.mass", "5")
    mass = editor._sim["crate"].model.mass
    assert mass is not None and mass.mass == 5.0


@pytest.mark.parametrize(
    ("field", "text", "complaint"),
    [
        ("translation", "0 1", "expected 3 numbers [m], got 0 1; nothing is changed."),
        ("translation", "up", "translation"),
        ("translation", "0 0 0 } Solid { name 1 2 3", "expected a value of type SFVec3f"),
        ("locked", "maybe", "locked"),
        ("nothing", "1", "nothing"),
        ("children", "Solid { }", "children holds nodes"),
    ],
)
def test_a_bad_value_explains_itself_and_changes_nothing(
    editor: WorldEditor, field: str, text: str, complaint: str
) -> None:
    """The file and the simulation are as before."""
    tree, scene = editor.world.tree, editor._sim.scene
    event = edit(editor, f"{path_of(editor, 'CRATE')}.{field}", text)
    assert event.is_error and complaint in event.text
    assert editor.world.tree is tree and editor._sim.scene is scene


def test_undo_and_redo_say_when_there_is_nothing(editor: WorldEditor) -> None:
    """Both are refused with a text."""
    for command, text in (
        (CommandUndo(), "There is nothing to undo."),
        (CommandRedo(), "There is nothing to do again."),
    ):
        (event,) = editor.obey(command)
        assert isinstance(event, EventEdited) and (event.is_error, event.text) == (True, text)


def test_the_saved_file_holds_edits_and_state(editor: WorldEditor, tmp_path: Path) -> None:
    """It loads again, with the crate where it is now."""
    edit(editor, f"{path_of(editor, 'CRATE')}.translation", "0 2 1")
    (event,) = editor.obey(CommandSave("t"))
    assert isinstance(event, EventSaved) and (event.ticket, event.name) == ("t", "arm.wbt")
    copy = tmp_path / "copy.wbt"
    copy.write_text(event.text, encoding="utf-8")
    np.testing.assert_allclose(sb.Sim(sb.load(str(copy)))["crate"].position, (0, 2, 1), atol=1e-9)


def test_messages_name_the_node_that_they_are_about(tmp_path: Path) -> None:
    """The path is that of the innermost node of the file around the place."""
    world = tmp_path / "arm.wbt"
    world.write_text(arm_world().replace("translationStep 0.25", "wrongField 1"), encoding="utf-8")
    scene = sb.load(str(world), strict=False)
    sim = sb.Sim(scene)
    bench = PanelCommands(sim, editor=open_editor(sim))
    assert bench.editor is not None
    (item,) = [item for item in scene.diagnostics if "wrongField" in item.text]
    assert bench.editor.path_at(item.span) == path_of(bench.editor, "CRATE")


def test_other_files_have_no_editor(tmp_path: Path) -> None:
    """A scene that no world file describes cannot be edited, and says so."""
    world = tmp_path / "arm.wbt"
    world.write_text(arm_world(), encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    world.unlink()
    assert open_editor(sim) is None
    bench = PanelCommands(sim)
    bench.obey(CommandUndo(), is_running=False)
    assert b"cannot be edited" in bench.messages_after(0)[0].data
