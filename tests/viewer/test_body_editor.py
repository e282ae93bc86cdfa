"""Bodies and projects of Choreonoid edited on the page: values, links, devices, with undo and saving."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.viewer.body_editor import BodyEditor, open_body_editor
from solidbody.viewer.folder_files import FileFolder
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.protocol_files import CommandStore, EventStored
from solidbody.viewer.protocol_work import (
    CommandChoices,
    CommandClip,
    CommandCopy,
    CommandEdit,
    CommandFields,
    CommandImport,
    CommandInsert,
    CommandPaste,
    CommandRedo,
    CommandRemove,
    CommandUndo,
    EventChoices,
    EventEdited,
    EventFields,
    WireField,
)
from solidbody.viewer.world_store import WorldStore
from solidbody.viewer.yaml_editing import (
    YamlEditError,
    item_text,
    with_item,
    with_value,
    without_item,
)

BODY = """format: ChoreonoidBody # of today
format_version: 2.0
angle_unit: degree
name: Arm
links:
  - # where it stands
    name: BASE
    joint_type: fixed
    elements:
      - type: RigidBody
        mass: 5.0   # kg
        inertia: [ 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1 ]
      - type: Shape
        geometry: { type: Box, size: [ 0.2, 0.2, 0.1 ] }
  -
    name: UPPER
    parent: BASE # below
    joint_type: revolute
    joint_axis: Y
    joint_range: [ -90, 90 ]
    translation: [ 0, 0, 0.1 ]
    elements:
      - type: RigidBody
        mass: 1.0
        inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]
      - type: Shape
        translation: [ 0, 0, 0.2 ]
        geometry: { type: Cylinder, radius: 0.03, height: 0.4 }
# the end
"""

PROJECT = """items:
  id: 0
  name: Root
  class: RootItem
  children:
    - id: 1
      name: World
      plugin: Body
      class: WorldItem
      children:
        - id: 2
          name: Arm
          plugin: Body
          class: BodyItem
          data:
            file: arm.body # beside it
            format: CHOREONOID-BODY
            initial_root_translation: [ 1, 0, 0 ]
        - id: 3
          name: AISTSimulator
          plugin: Body
          class: AISTSimulatorItem
          data:
            timeStep: 0.002
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "arm.body"
    path.write_text(BODY, encoding="utf-8")
    return path


@pytest.fixture
def editor(file: Path) -> BodyEditor:
    found = open_body_editor(sb.Sim(sb.load(str(file))))
    assert found is not None
    return found


def do(editor: BodyEditor, command: object) -> EventEdited:
    (event,) = editor.obey(command)  # type: ignore[arg-type]
    assert isinstance(event, EventEdited)
    return event


def fields(editor: BodyEditor, path: str) -> dict[str, WireField]:
    (event,) = editor.obey(CommandFields(path))
    assert isinstance(event, EventFields)
    return {field.name: field for field in event.fields}


def test_a_value_is_changed_in_place(editor: BodyEditor) -> None:
    """Comments and layout stay, the simulation follows, undo and redo go back and forth."""
    sim = editor._sim
    assert not do(editor, CommandEdit("links.1.elements.0.mass", "2.5")).is_error
    assert editor.world.tree == BODY.replace("mass: 1.0", "mass: 2.5")
    mass = sim.link_model(sim.link_names.index("UPPER")).mass
    assert mass is not None and mass.mass == 2.5
    do(editor, CommandEdit("links.1.translation", "0 0 0.5"))
    np.testing.assert_allclose(sim["UPPER"].position, (0, 0, 0.5))
    for _ in range(2):
        do(editor, CommandUndo())
    assert editor.world.tree == BODY
    np.testing.assert_allclose(sim["UPPER"].position, (0, 0, 0.1))
    do(editor, CommandRedo())
    assert "mass: 2.5" in editor.world.tree


def test_fields_tell_what_can_be_written(editor: BodyEditor) -> None:
    """Values that are there, and those of the key table that could be, with words, units and choices."""
    link = fields(editor, "links.1")
    assert link["joint_range"].value == "-90 90"
    assert link["translation"].type == "SFVec3f" and link["translation"].unit == "m"
    assert "revolute" in link["joint_type"].choices
    assert link["max_joint_velocity"].value == ""
    assert fields(editor, "links.1.elements.1.geometry")["radius"].value == "0.03"
    assert fields(editor, ".")["name"].value == "Arm"
    do(editor, CommandEdit("links.1.max_joint_velocity", "30"))
    assert fields(editor, "links.1")["max_joint_velocity"].value == "30"
    do(editor, CommandEdit("links.1.max_joint_velocity", ""))
    assert editor.world.tree == BODY


def test_what_is_wrong_is_refused_and_changes_nothing(editor: BodyEditor) -> None:
    """With what the reader says of it; also what would be more than a value."""
    for path, value in (
        ("links.1.elements.0.mass", "heavy"),
        ("links.1.parent", "NOBODY"),
        ("links.1.joint_type", "wobbly"),
        ("links.7.name", "X"),
        ("links.1.elements.0.mass", "1\n  evil: 2"),
    ):
        event = do(editor, CommandEdit(path, value))
        assert event.is_error, (path, value)
        assert event.text
    do(editor, CommandEdit("links.1.name", "A: B # C"))
    assert 'name: "A: B # C"' in editor.world.tree
    do(editor, CommandUndo())
    assert editor.world.tree == BODY
    assert editor._sim.link_names == ("BASE", "UPPER")


def test_links_shapes_and_devices_are_added_copied_and_removed(editor: BodyEditor) -> None:
    (event,) = editor.obey(CommandChoices("."))
    assert isinstance(event, EventChoices)
    assert [slot.field for slot in event.slots] == ["links"]
    for what in event.slots[0].ready:
        added = do(editor, CommandInsert("..links", what, (0.0, 0.0, 0.0)))
        assert not added.is_error, added.text
    names = editor._sim.link_names
    assert len(names) == 5
    (event,) = editor.obey(CommandChoices("links.1"))
    assert isinstance(event, EventChoices)
    for what in event.slots[0].ready:
        added = do(editor, CommandInsert("links.1.elements", what, (0.0, 0.0, 0.0)))
        assert not added.is_error, (what, added.text)
        assert any(node.path == added.path for node in editor.nodes())
    assert editor._sim.device("CAMERA") is not None
    copied = do(editor, CommandCopy("links.2"))
    assert not copied.is_error and copied.path == "links.5"
    assert len(set(editor._sim.link_names)) == 6
    editor.obey(CommandClip("links.1.elements.1"))
    assert not do(editor, CommandPaste("", (0.0, 0.0, 0.0))).is_error
    assert not do(editor, CommandRemove("links.5")).is_error
    assert do(editor, CommandRemove("links.0")).is_error  # others hang on it
    while editor.next_steps[0]:
        do(editor, CommandUndo())
    assert editor.world.tree == BODY


def test_the_tree_knows_the_links(editor: BodyEditor) -> None:
    nodes = editor.nodes()
    by_path = {node.path: node for node in nodes}
    assert by_path["."].title == "Arm"
    upper = by_path["links.1"]
    assert (upper.title, upper.kind) == ("UPPER", "Link on revolute")
    assert upper.link == editor._sim.link_names.index("UPPER")
    assert nodes[by_path["links.1.elements.1.geometry"].parent or 0].path == "links.1.elements.1"


def test_a_body_is_saved_with_its_comments(editor: BodyEditor, file: Path) -> None:
    """In its own file, or another of its kind."""
    store = WorldStore(editor._sim, editor)
    do(editor, CommandEdit("links.1.elements.0.mass", "2.5"))
    assert store.is_changed
    event, _ = store.store(CommandStore("", False, False))
    assert isinstance(event, EventStored) and not event.is_error, event.text
    assert file.read_text(encoding="utf-8") == BODY.replace("mass: 1.0", "mass: 2.5")
    assert not store.is_changed
    assert store.store(CommandStore("other.wbt", False, False))[0].is_error
    assert not store.store(CommandStore("other.body", False, False))[0].is_error
    assert sb.Sim(sb.load(str(file.with_name("other.body")))).link_names == ("BASE", "UPPER")


def test_a_body_is_saved_as_it_stands(editor: BodyEditor, file: Path) -> None:
    """Joints in the unit of the file, comments as they were; what has not moved is not written."""
    sim = editor._sim
    row = sim.joint_names.index("UPPER")
    sim.joint("UPPER").position = 0.7
    store = WorldStore(sim, editor)
    event, _ = store.store(CommandStore("", True, False))
    assert not event.is_error, event.text
    text = file.read_text(encoding="utf-8")
    assert "joint_displacement: 40.1070457" in text and "# where it stands" in text
    assert text.count("translation") == BODY.count("translation")
    again = sb.Sim(sb.load(str(file)))
    assert again.joint_states()[row, 0] == pytest.approx(0.7, abs=1e-7)


def test_a_project_is_saved_as_it_stands(project: BodyEditor) -> None:
    """Roots and joints of its bodies: read again, everything is where it was."""
    sim = project._sim
    sim.joint("UPPER").position = -0.4
    sim["BASE"].set_pose((0.5, 0.25, 1.5), (np.cos(0.3), 0.0, np.sin(0.3), 0.0))
    event, _ = WorldStore(sim, project).store(CommandStore("", True, False))
    assert not event.is_error, event.text
    text = Path(project.world.path).read_text(encoding="utf-8")
    assert "initial_root_translation: [ 0.5, 0.25, 1.5 ]" in text
    again = sb.Sim(sb.load(project.world.path))
    np.testing.assert_allclose(again.poses(), sim.poses(), atol=1e-6)


def test_a_project_is_edited_too(file: Path) -> None:
    """Places of its bodies and settings of its simulator."""
    project = file.with_name("arm.cnoid")
    project.write_text(PROJECT, encoding="utf-8")
    sim = sb.Sim(sb.load(str(project)))
    editor = open_body_editor(sim)
    assert editor is not None
    path = next(node.path for node in editor.nodes() if node.kind == "data")
    before = sim["BASE"].position.copy()
    event = do(editor, CommandEdit(f"{path}.initial_root_translation", "1 0.5 0"))
    assert not event.is_error, event.text
    np.testing.assert_allclose(sim["BASE"].position - before, (0, 0.5, 0), atol=1e-12)
    assert "file: arm.body # beside it" in editor.world.tree


@pytest.fixture
def project(file: Path) -> BodyEditor:
    """Return an editor of a project, in a folder that can be written."""
    path = file.with_name("arm.cnoid")
    path.write_text(PROJECT, encoding="utf-8")
    found = open_body_editor(sb.Sim(sb.load(str(path))))
    assert found is not None
    found.folder = FileFolder(path.parent)
    return found


def choices(editor: BodyEditor, path: str) -> EventChoices:
    (event,) = editor.obey(CommandChoices(path))
    assert isinstance(event, EventChoices)
    return event


def test_items_are_put_into_projects(project: BodyEditor) -> None:
    """What fits depends on the item; the text keeps its comments; undo takes them out again."""
    before, lamps = project.world.tree, len(project.world.scene.lights)
    paths = {node.title: node.path for node in project.nodes() if node.path.startswith("items")}
    assert choices(project, paths["Arm"]).slots[0].ready == ["simple controller"]
    assert choices(project, paths["AISTSimulator"]).slots[0].ready == ["vision simulator"]
    world = choices(project, "")
    assert "point light" in world.slots[0].ready
    assert world.models == ["arm.body"]
    event = do(project, CommandInsert("", "point light", (0.0, 0.0, 0.0)))
    assert not event.is_error, event.text
    assert event.path == f"{paths['World']}.children.2"
    assert len(project.world.scene.lights) == lamps + 1
    event = do(
        project,
        CommandInsert(f"{paths['AISTSimulator']}.children", "vision simulator", (0.0, 0.0, 0.0)),
    )
    assert not event.is_error, event.text
    assert "name: VisionSimulator" in project.world.tree
    assert "file: arm.body # beside it" in project.world.tree
    for _ in range(2):
        assert not do(project, CommandUndo()).is_error
    assert project.world.tree == before
    event = do(
        project, CommandInsert(f"{paths['Arm']}.children", "AIST simulator", (0.0, 0.0, 0.0))
    )
    assert event.is_error and project.world.tree == before


def test_bodies_of_the_folder_are_put_into_projects(project: BodyEditor) -> None:
    """Where one looks, with a name of their own; the simulation has them at once, and so has the file."""
    event = do(project, CommandImport("arm.body", (2.0, 1.0, 0.5)))
    assert not event.is_error, event.text
    roots = [link for link in project.world.scene.links() if link.parent is None]
    assert len(roots) == 2
    np.testing.assert_allclose(roots[1].pose.position, (2.0, 1.0, 0.5))
    assert "name: arm\n" in project.world.tree and "file: arm.body\n" in project.world.tree
    path = Path(project.world.path)
    path.write_text(project.world.tree, encoding="utf-8")
    assert len(sb.load(str(path)).bodies) == 2
    for wrong in ("../arm.body", "none.body", "arm.cnoid"):
        assert do(project, CommandImport(wrong, (0.0, 0.0, 0.0))).is_error


def test_a_program_is_put_below_a_body(project: BodyEditor) -> None:
    """The page says that its source is missing; the file can be saved and read again."""
    arm = next(node.path for node in project.nodes() if node.title == "Arm")
    event = do(project, CommandInsert(f"{arm}.children", "simple controller", (0.0, 0.0, 0.0)))
    assert not event.is_error, event.text
    assert "controller: SimpleController" in project.world.tree


def test_commands_of_the_page_reach_it(file: Path) -> None:
    sim = sb.Sim(sb.load(str(file)))
    panels = PanelCommands(sim, editor=open_body_editor(sim))
    panels.obey(CommandEdit("links.1.elements.0.mass", "3"), is_running=False)
    assert panels.encode()[1].editable
    mass = sim.link_model(1).mass
    assert mass is not None and mass.mass == 3.0


FLOW = "a: [ 1, 2 ]\nb: { c: 1, d: 2 }\ne:\n  - { f: 1 }\n"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("b.c", "5", FLOW.replace("c: 1", "c: 5")),
        ("b.c", "", FLOW.replace("c: 1, ", "")),
        ("b.d", "", FLOW.replace(", d: 2", "")),
        ("b.x", "7", FLOW.replace("d: 2", "d: 2, x: 7")),
        ("a", "3 4 5", FLOW.replace("[ 1, 2 ]", "[ 3, 4, 5 ]")),
        ("a", "", FLOW.replace("a: [ 1, 2 ]\n", "")),
        ("x", "1", FLOW.replace("[ 1, 2 ]\n", "[ 1, 2 ]\nx: 1\n")),
    ],
)
def test_values_in_one_line_are_changed_in_place(path: str, value: str, expected: str) -> None:
    assert with_value(FLOW, path, value, "flow.yaml") == expected


def test_items_keep_the_indentation_of_their_list() -> None:
    text = "a:\n- x: 1\n  y: 2 # two\n-   x: 3\nb: 1\n"
    assert item_text(text, "a.0", "t") == "x: 1\ny: 2 # two"
    assert with_item(text, "a", "x: 9\nz:\n  - 1", "t") == text.replace(
        "b:", "- x: 9\n  z:\n    - 1\nb:"
    )
    assert without_item(text, "a.0", "t") == "a:\n-   x: 3\nb: 1\n"
    assert without_item("a:\n  - x: 1\nb: 2\n", "a.0", "t") == "b: 2\n"
    with pytest.raises(YamlEditError):
        without_item("a: [ { x: 1 }, { x: 2 } ]\n", "a.0", "t")


def test_what_comes_by_an_alias_is_not_changed() -> None:
    """It stands elsewhere, and for others too."""
    text = "a: &one { x: 1 }\nb:\n  <<: *one\n  y: 2\n"
    with pytest.raises(YamlEditError, match="alias"):
        with_value(text, "b.x", "5", "t")
