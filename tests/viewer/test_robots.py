"""Users and robots: what the page passes on to controllers, what they show, and reading the file again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solidbody as sb
from solidbody.control.hub import ControllerHub, ControllerOptions
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.player import Player, SimulationPause
from solidbody.viewer.protocol import CommandPlay, CommandReset, PlayState
from solidbody.viewer.protocol_work import (
    CommandJoystick,
    CommandKeys,
    CommandMouse,
    CommandReload,
    CommandUndo,
    CommandWindowText,
)
from solidbody.viewer.robots import SupervisorMode
from solidbody.viewer.world_editor import open_editor
from tests.browser.robots import arm_world
from tests.waiting import wait_until


@pytest.fixture
def world(tmp_path: Path) -> Path:
    path = tmp_path / "arm.wbt"
    path.write_text(arm_world(), encoding="utf-8")
    return path


@pytest.fixture
def hub(world: Path) -> Iterator[ControllerHub]:
    found = ControllerHub(sb.Sim(sb.load(str(world))), options=ControllerOptions(start=False))
    found.sim.attach(found)
    yield found
    found.close()


@pytest.fixture
def bench(hub: ControllerHub) -> PanelCommands:
    return PanelCommands(hub.sim, editor=open_editor(hub.sim))


def states(bench: PanelCommands) -> dict[str, dict[str, Any]]:
    found = [json.loads(item.data) for item in bench.states_after(0)]
    return {item["event"]: item for item in found}


def test_keys_mouse_joystick_and_texts_reach_the_robot(
    bench: PanelCommands, hub: ControllerHub
) -> None:
    """In the units of controllers; a mouse over nothing has no place in the world."""
    mouse = CommandMouse(0.25, 2.0, False, (0.0, 0.0, 0.0), True, False, False)
    joystick = CommandJoystick("pad", [1.0, -0.5, 7.0], [0x101], [3])
    for command in (CommandKeys([65]), mouse, joystick, CommandWindowText("arm", "go")):
        bench.obey(command, is_running=True)
    user = hub.user_of("arm")
    assert user.held == (65,) and user.texts == ["go"]
    assert user.mouse is not None and (user.mouse.u, user.mouse.v, user.mouse.left) == (
        0.25,
        1.0,
        True,
    )
    assert np.isnan(user.mouse.point).all()
    assert user.joystick is not None
    assert (user.joystick.axes, user.joystick.povs, user.joystick.buttons) == (
        (32767, -16384, 32767),
        (0x101,),
        (3,),
    )


def test_a_text_for_an_unknown_robot_is_explained(bench: PanelCommands) -> None:
    """On the console, with the robots that there are."""
    bench.obey(CommandWindowText("arn", "go"), is_running=True)
    (message,) = bench.messages_after(0)
    assert b'no robot is named \\"arn\\". Did you mean \\"arm\\"?' in message.data


def test_labels_are_told_until_they_are_taken_away(
    bench: PanelCommands, hub: ControllerHub
) -> None:
    """Also to tabs that come later: only what holds now is kept."""
    hub.stage.labels[3] = ("hello", 0.1, 0.2, 0.05, 0x00FF00, 0.25, "Arial")
    bench.observe(0.0)
    (label,) = states(bench)["labels"]["labels"]
    assert (label["text"], label["x"], label["color"], label["opacity"]) == (
        "hello",
        0.1,
        0xFF00,
        0.75,
    )
    hub.stage.labels.clear()
    bench.observe(1.0)
    assert states(bench)["labels"]["labels"] == []


def test_a_pause_of_a_supervisor_holds_time_at_once(
    bench: PanelCommands, hub: ControllerHub
) -> None:
    """The next step is not taken; whoever lets time run is noticed, and supervisors see the mode."""
    sim = hub.sim
    bench.note_mode(SupervisorMode.FAST)
    sim.step(2)
    hub.mode = SupervisorMode.PAUSE
    with pytest.raises(SimulationPause):
        sim.step(5)
    assert sim.step_count == 2
    sim.step(1)  # told once: a single step of the user is taken
    hub.mode = SupervisorMode.REAL_TIME
    sim.step(1)
    assert bench.take_mode() is SupervisorMode.REAL_TIME


def test_the_player_follows_the_mode_and_tells_its_own(
    bench: PanelCommands, hub: ControllerHub
) -> None:
    """A supervisor's pause is the page's pause; play makes it run again."""
    player = Player(hub.sim, attendant=bench)
    player.start()
    try:
        wait_until(lambda: player.frame.step_count > 3 and hub.mode == SupervisorMode.REAL_TIME)
        hub.mode = SupervisorMode.PAUSE
        wait_until(lambda: player.frame.state is PlayState.PAUSED)
        player.send(CommandPlay())
        wait_until(
            lambda: player.frame.state is PlayState.RUNNING and hub.mode == SupervisorMode.REAL_TIME
        )
    finally:
        player.close()


def test_the_file_is_read_again(bench: PanelCommands, hub: ControllerHub, world: Path) -> None:
    """What was changed in an editor is simulated from its start; edits of the page are forgotten."""
    hub.sim.run(0.2)
    world.write_text(arm_world().replace("0 1.1 0.25", "0 2 0.25"), encoding="utf-8")
    bench.obey(CommandReload(), is_running=False)
    assert hub.sim.time == 0.0
    np.testing.assert_allclose(hub.sim["crate"].position, (0, 2, 0.25), atol=1e-9)
    assert bench.editor is not None and "0 2 0.25" in bench.editor.world.text()
    (event,) = bench.editor.obey(CommandUndo())
    assert "There is nothing to undo." in str(event)
    assert b"arm.wbt was read again." in bench.messages_after(0)[-1].data


def test_a_file_that_cannot_be_read_changes_nothing(
    bench: PanelCommands, hub: ControllerHub, world: Path
) -> None:
    """The console says why."""
    scene = hub.sim.scene
    world.write_bytes(b"\x00\x01")
    bench.obey(CommandReload(), is_running=False)
    assert hub.sim.scene is scene
    assert b"the old scene stays" in bench.messages_after(0)[-1].data
    world.unlink()
    bench.obey(CommandReload(), is_running=False)
    assert b"There is no file to read again." in bench.messages_after(0)[-1].data


def test_reset_of_the_user_starts_programs_anew(tmp_path: Path) -> None:
    """As Webots' button does; what a supervisor resets goes on."""
    folder = tmp_path / "controllers" / "teller"
    folder.mkdir(parents=True)
    (folder / "teller.py").write_text(
        "from controller import Robot\n"
        "robot = Robot()\n"
        "print('begins at', robot.getTime(), flush=True)\n"
        "while robot.step(16) != -1: pass\n",
        encoding="utf-8",
    )
    path = tmp_path / "worlds" / "arm.wbt"
    path.parent.mkdir()
    path.write_text(arm_world(controller="teller"), encoding="utf-8")
    lines: list[str] = []
    hub = ControllerHub(
        sb.Sim(sb.load(str(path))), output=lambda name, line, is_error: lines.append(line)
    )
    hub.start()
    player = Player(hub.sim, attendant=PanelCommands(hub.sim, editor=open_editor(hub.sim)))
    player.start()
    try:
        wait_until(lambda: player.frame.step_count > 3)
        player.send(CommandReset())
        wait_until(lambda: len(lines) == 2)
        wait_until(lambda: player.frame.epoch > 0 and player.frame.step_count > 0)
    finally:
        player.close()
        hub.close()
    assert lines == ["begins at 0.0", "begins at 0.0"]
