"""Nodes put into the file on show, copied and taken out: what fits where, undo, names that stay different."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.standin_protos import find_own, own_names
from solidbody.viewer.catalog import is_thing, thing_scene
from solidbody.viewer.insertion import READY, STANDING, proto_base
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.protocol_work import (
    CommandChoices,
    CommandClip,
    CommandCopy,
    CommandFields,
    CommandInsert,
    CommandPaste,
    CommandPose,
    CommandRedo,
    CommandRemove,
    CommandSave,
    CommandUndo,
    EventChoices,
    EventClipped,
    EventEdited,
    EventFields,
    EventSaved,
    WireSlot,
)
from solidbody.viewer.world_editor import WorldEditor
from tests.viewer.editing import path_of

AT = (1.0, -2.0, 0.0)


def do(
    editor: WorldEditor,
    command: CommandInsert | CommandRemove | CommandCopy | CommandPaste | CommandUndo,
) -> EventEdited:
    (event,) = editor.obey(command)
    assert isinstance(event, EventEdited)
    return event


def slots(editor: WorldEditor, path: str) -> dict[str, WireSlot]:
    (event,) = editor.obey(CommandChoices(path))
    assert isinstance(event, EventChoices)
    return {slot.field: slot for slot in event.slots}


HALF_HEIGHT = {"capsule that falls": 0.2}
"""[m] Of the things that fall; 0.15 m for all others."""


@pytest.mark.parametrize("what", [what for what in READY if what not in STANDING])
def test_things_ready_to_use_are_put_where_one_looks_and_fall(
    editor: WorldEditor, what: str
) -> None:
    """Twice: the second gets another name. Undo takes one away, redo brings it back."""
    name = what.partition(" ")[0]
    sim = editor._sim
    event = do(editor, CommandInsert("", what, AT))
    assert (event.is_error, event.text) == (False, f"{what} was added.")
    assert event.path == path_of(editor, name)
    np.testing.assert_allclose(sim[name].position, (1, -2, 0.4))
    do(editor, CommandInsert("", what, (2.0, -2.0, 0.0)))
    assert f"{name}(1)" in sim.link_names
    sim.run(1.0)
    # landing with v = sqrt(2*9.81*0.25) = 2.2 m/s it sinks by up to
    # v*h = 18 mm, which the following steps mend
    half = HALF_HEIGHT.get(what, 0.15)
    np.testing.assert_allclose(sim[name].position, (1, -2, half), atol=0.018)
    do(editor, CommandUndo())
    assert f"{name}(1)" not in sim.link_names and name in sim.link_names
    editor.obey(CommandRedo())
    assert f"{name}(1)" in sim.link_names


@pytest.mark.parametrize("what", STANDING)
def test_things_that_stand_stay_where_they_are_put(editor: WorldEditor, what: str) -> None:
    """On the ground, or with an edge in it."""
    assert not do(editor, CommandInsert("", what, AT)).is_error
    place = editor._sim[what].position.copy()
    assert place[2] == STANDING[what][0]
    editor._sim.run(0.5)
    np.testing.assert_array_equal(editor._sim[what].position, place)


def test_everything_that_is_offered_has_a_group_and_a_line(editor: WorldEditor) -> None:
    """Each once, whatever field it fits into."""
    for path in ("", path_of(editor, "CRATE")):
        (event,) = editor.obey(CommandChoices(path))
        assert isinstance(event, EventChoices)
        names = {name for slot in event.slots for name in (*slot.ready, *slot.nodes, *slot.protos)}
        things = {thing.name: thing for thing in event.things}
        assert things.keys() == names and all(thing.group for thing in event.things)
    assert things["E-puck"].group == "Robots" and "two-wheeled" in things["E-puck"].what


@pytest.mark.parametrize("what", ["box that falls", "E-puck", "Sphere", "ramp"])
def test_things_can_be_looked_at_before_they_are_added(editor: WorldEditor, what: str) -> None:
    """A scene with nothing else; the file stays as it is."""
    before = editor.world.tree
    scene = thing_scene(what, before, editor.world.path, editor.world.options)
    assert scene is not None and scene.shapes
    assert editor.world.tree is before


def test_what_is_no_thing_of_the_list_is_not_read(editor: WorldEditor) -> None:
    """A page may ask for names only."""
    tree, path = editor.world.tree, editor.world.path
    assert is_thing("E-puck", tree, path) and is_thing("ball that rolls", tree, path)
    for what in ("Solid { }", "../Secret", "", "Nothing"):
        assert not is_thing(what, tree, path)


def test_only_what_fits_is_offered(editor: WorldEditor) -> None:
    """Physics takes the place of none; a full field says so; bounding objects take forms."""
    crate = slots(editor, path_of(editor, "CRATE"))
    assert crate["physics"].is_full and crate["physics"].nodes == ["Physics"]
    assert {"Solid", "HingeJoint", "Shape"} <= set(crate["children"].nodes)
    assert not {"Box", "WorldInfo", "Physics", "Servo"} & set(crate["children"].nodes)
    assert {"Box", "Shape", "Pose"} <= set(crate["boundingObject"].nodes)
    assert not {"Cone", "Solid", "Transform"} & set(crate["boundingObject"].nodes)
    top = slots(editor, "")[""]
    assert "Background" not in top.nodes and {"Fog", "Robot"} <= set(top.nodes)
    assert {"E-puck", "WoodenBox", "RectangleArena"} <= set(top.protos)
    assert "BrushedAluminium" not in top.protos


def test_all_that_is_offered_at_the_top_can_be_added(editor: WorldEditor) -> None:
    """Every node type; the world stays free of errors."""
    for what in slots(editor, "")[""].nodes:
        event = do(editor, CommandInsert("", what, AT))
        assert not event.is_error, (what, event.text)
        assert editor.nodes()[-1].kind == what or NODES.derives(what, "Light") or event.path


def test_a_proto_is_added_with_a_name_of_its_own(editor: WorldEditor) -> None:
    """Its parameters are shown with their defaults; the saved file loads again."""
    for _ in range(2):
        assert not do(editor, CommandInsert("", "WoodenBox", AT)).is_error
    assert {"wooden box", "wooden box(1)"} <= set(editor._sim.link_names)
    boxes = [node for node in editor.nodes() if node.kind == "WoodenBox"]
    names = editor._sim.link_names
    # each is that body in the picture
    assert [names[box.link or 0] for box in boxes] == ["wooden box", "wooden box(1)"]
    path = boxes[0].path
    (event,) = editor.obey(CommandFields(path))
    assert isinstance(event, EventFields)
    fields = {field.name: field for field in event.fields}
    assert fields["translation"].value == "1 -2 0" and fields["translation"].default != ""
    assert fields["size"].value == fields["size"].default != ""
    (saved,) = editor.obey(CommandSave("t"))
    assert isinstance(saved, EventSaved)
    copy = Path(editor.world.path).with_name("copy.wbt")
    copy.write_text(saved.text, encoding="utf-8")
    assert "wooden box(1)" in sb.Sim(sb.load(str(copy))).link_names


def test_a_copy_has_free_names_and_stands_beside(editor: WorldEditor) -> None:
    """USE in the copy refers to the copy's own part."""
    event = do(editor, CommandCopy(path_of(editor, "CRATE")))
    assert not event.is_error and event.path == path_of(editor, "CRATE_1")
    np.testing.assert_allclose(editor._sim["crate(1)"].position, (0.3, 1.4, 0.25), atol=1e-9)
    text = editor.world.text()
    assert "DEF GREEN_1 Shape" in text and "boundingObject USE GREEN_1" in text


def test_a_removed_node_comes_back_with_undo(editor: WorldEditor) -> None:
    """With its state; the rest goes on meanwhile."""
    sim = editor._sim
    sim.run(0.1)
    do(editor, CommandRemove(path_of(editor, "CRATE")))
    assert "crate" not in sim.link_names and sim.time > 0.09
    do(editor, CommandUndo())
    assert "crate" in sim.link_names


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (CommandRemove("0"), "A world needs its WorldInfo: it cannot be removed."),
        (CommandCopy("1"), "A world has one Viewpoint only."),
        (CommandInsert("", "Banana", AT), "Banana"),
        (CommandInsert("", "Solid { name 7 }", AT), "name"),
        (CommandInsert("", "Solid { ", AT), "the file ends before"),
        (CommandInsert("CRATE.physics", "Physics", AT), "holds one node at most"),
        (CommandInsert("CRATE.children", "WorldInfo", AT), "WorldInfo"),
        (CommandCopy("CRATE.physics"), "no room for a copy"),
    ],
)
def test_what_does_not_fit_explains_itself(
    editor: WorldEditor, command: CommandInsert | CommandRemove | CommandCopy, text: str
) -> None:
    """File and simulation are as before."""
    tree, scene = editor.world.tree, editor._sim.scene
    event = do(editor, command)
    assert event.is_error and text in event.text
    assert editor.world.tree is tree and editor._sim.scene is scene


def test_a_drag_is_one_step_that_can_be_undone(editor: WorldEditor) -> None:
    """The body goes back to where it was before the first of its moves."""
    sim = editor._sim
    bench = PanelCommands(sim, editor=editor)
    crate = sim.link_names.index("crate")
    for y, is_last in ((1.3, False), (1.5, False), (1.5, True)):
        command = CommandPose(crate, (0.0, y, 0.25), (1.0, 0.0, 0.0, 0.0), is_last)
        bench.obey(command, is_running=False)
    np.testing.assert_allclose(sim["crate"].position, (0, 1.5, 0.25), atol=1e-9)
    assert do(editor, CommandUndo()).text == "The change of crate was undone."
    np.testing.assert_allclose(sim["crate"].position, (0, 1.1, 0.25), atol=1e-9)
    editor.obey(CommandRedo())
    np.testing.assert_allclose(sim["crate"].position, (0, 1.5, 0.25), atol=1e-9)


def test_a_node_is_pasted_where_one_looks_as_high_as_it_was(editor: WorldEditor) -> None:
    """What was copied last, or a text from elsewhere; names are free ones."""
    sim = editor._sim
    assert "Nothing was copied" in do(editor, CommandPaste("", (1, 2, 0))).text
    (clipped,) = editor.obey(CommandClip(path_of(editor, "CRATE")))
    assert isinstance(clipped, EventClipped) and clipped.text.startswith("DEF CRATE Solid {")
    do(editor, CommandPaste("", (1, 2, 0)))
    np.testing.assert_allclose(sim["crate(1)"].position, (1, 2, 0.25), atol=1e-9)
    event = do(editor, CommandPaste(clipped.text, (-1, 2, 0)))
    assert event.text == "CRATE_2 was pasted."
    np.testing.assert_allclose(sim["crate(2)"].position, (-1, 2, 0.25), atol=1e-9)
    for text in ("WorldInfo { }", "no node {", "Solid { } Solid { }", "Pose { wrong 3 }"):
        tree = editor.world.tree
        event = do(editor, CommandPaste(text, (0, 0, 0)))
        assert event.is_error and event.text
        assert editor.world.tree is tree


def test_the_type_of_every_own_proto_is_known() -> None:
    """Of its body's first node, whatever statements stand before it."""
    names = set(own_names())
    for name in names - {"OwnChain"}:  # whose root is made by its script
        own = find_own(name)
        assert own is not None
        base = proto_base(own.text)
        assert base in names or NODES.find(base) is not None, (name, base)
