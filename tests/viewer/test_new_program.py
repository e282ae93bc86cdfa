"""First programs of robots that were added to a world: their text, their place, and that they run."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

import solidbody as sb
from solidbody.base.errors import SimulationWaits
from solidbody.control.building import build, cpp_compiler, sources_of
from solidbody.control.hub import ControllerHub
from solidbody.projects.new_world import world_text
from solidbody.viewer.folder_files import FileFolder
from solidbody.viewer.new_program import create_program, program_text
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.protocol_files import CommandProgram
from solidbody.viewer.protocol_work import CommandInsert
from solidbody.viewer.world_editor import open_editor
from solidbody.viewer.world_store import WorldStore
from tests.control.c.programs import need_c
from tests.waiting import wait_until

MOTORS = ["left wheel motor", "right wheel motor", "3rd", "robot", 'a"b', "double", "class", "for"]


def test_a_program_finds_its_motors() -> None:
    """Each under a name of its own; what would break the text is left out."""
    text = program_text("python", MOTORS)
    compile(text, "program", "exec")
    assert 'left_wheel_motor = robot.getDevice("left wheel motor")' in text
    assert 'm_3rd = robot.getDevice("3rd")' in text
    assert 'robot_2 = robot.getDevice("robot")' in text
    assert 'a"b' not in text
    assert 'wb_robot_get_device("3rd")' in program_text("c", MOTORS)
    assert 'robot.getMotor("3rd")' in program_text("cpp", MOTORS)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_first_programs_are_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Literal["c", "cpp"]
) -> None:
    """As the page builds them, with motors that are called as words of the language."""
    need_c()
    if language == "cpp" and cpp_compiler() is None:
        pytest.skip("no C++ compiler on this machine")
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    text = program_text(language, MOTORS)
    name = create_program(FileFolder(tmp_path), "", "rover", text, language)
    sources = sources_of(name, tmp_path / "controllers" / name)
    assert sources is not None
    assert build(sources).is_file()


def test_programs_have_folders_of_their_own(tmp_path: Path) -> None:
    """A second robot of that name gets another one; names lead nowhere else."""
    folder = FileFolder(tmp_path)
    names = [create_program(folder, "", "../My Robot", "text", "cpp") for _ in range(2)]
    assert names == ["my_robot", "my_robot_2"]
    for name in names:
        assert (tmp_path / "controllers" / name / f"{name}.cpp").read_text() == "text"


def test_a_robot_that_was_added_gets_a_program_that_runs(tmp_path: Path) -> None:
    """Into a world that had no robot; the file names it, and it is listed to be edited."""
    world = tmp_path / "worlds" / "room.wbt"
    world.parent.mkdir()
    world.write_text(world_text("room", "room"), encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    hub = ControllerHub(sim)
    hub.start()
    try:
        editor = open_editor(sim)
        panels = PanelCommands(
            sim, editor=editor, file=WorldStore(sim, editor, folder=FileFolder(tmp_path))
        )
        panels.obey(CommandInsert("", "E-puck", (0.0, 0.0, 0.0)), is_running=False)
        panels.obey(CommandProgram("e-puck", "python"), is_running=False)
        program = tmp_path / "controllers" / "e_puck" / "e_puck.py"
        assert "left_wheel_motor" in program.read_text(encoding="utf-8")
        (robot,) = [robot for body in sim.scene.bodies for robot in body.robots]
        assert robot.controller == "e_puck"
        event = panels.texts.look(1e9, sim.scene)
        assert event is not None
        assert [item.name for item in event.texts if item.robots == ["e-puck"]] == [
            "controllers/e_puck/e_puck.py"
        ]

        def steps() -> bool:
            try:
                sim.step()
            except SimulationWaits:  # the program is not ready
                return False
            return sim.step_count > 4

        wait_until(steps, "the program to run")
        (slot,) = hub.slots
        assert slot.failure is None and slot.connection is not None
        messages = [item.data.decode() for item in panels.messages_after(0)]
        assert not [text for text in messages if '"error"' in text]
    finally:
        hub.close()


def test_robots_of_other_files_get_none(tmp_path: Path) -> None:
    world = tmp_path / "room.wbt"  # in no folder of a project
    world.write_text(world_text("room", "room"), encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    editor = open_editor(sim)
    panels = PanelCommands(
        sim, editor=editor, file=WorldStore(sim, editor, folder=FileFolder(tmp_path))
    )
    panels.obey(CommandProgram("nobody", "python"), is_running=False)
    (message,) = [item.data.decode() for item in panels.messages_after(0)]
    assert "There is no robot" in message
    panels.obey(CommandInsert("", "E-puck", (0.0, 0.0, 0.0)), is_running=False)
    panels.obey(CommandProgram("e-puck", "python"), is_running=False)
    assert "save the world there" in panels.messages_after(0)[-1].data.decode()
    assert not list(tmp_path.rglob("*.py"))
