"""The panels: commands of the panels change the simulation, readings tell of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solidbody as sb
from solidbody.sim.pulling import FREQUENCY
from solidbody.viewer.outline import encode_outline
from solidbody.viewer.panel_commands import PanelCommands
from solidbody.viewer.player import SimulationPause
from solidbody.viewer.protocol import parse_command
from solidbody.viewer.protocol_work import (
    PICTURE_HEADER_BYTES,
    CommandJoint,
    CommandPose,
    CommandPull,
    CommandUndo,
    CommandWatch,
)
from solidbody.viewer.scene_encoding import to_json
from tests.browser.robots import arm_world

ALL = CommandWatch(joints=True, contacts=True, scalars=["link/0/z", "nonsense"], pictures=[])


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    world = tmp_path / "arm.wbt"
    world.write_text(arm_world(), encoding="utf-8")
    return sb.Sim(sb.load(str(world)))


def messages(bench: PanelCommands) -> list[dict[str, Any]]:
    return [json.loads(item.data) for item in bench.messages_after(0)]


def link_of(sim: sb.Sim, name: str) -> int:
    return sim.link_names.index(name)


def test_the_outline_lists_what_the_world_has(sim: sb.Sim) -> None:
    """Joints with their limits, masses, devices with the names of their numbers."""
    outline = encode_outline(sim, revision="r")
    (joint,) = outline.joints
    assert (joint.name, joint.body, joint.low, joint.high) == ("shoulder", "arm", -1.5, 1.5)
    assert joint.motor and joint.turns and not joint.endless
    crate = next(item for item in outline.masses if item.link == link_of(sim, "crate"))
    assert crate.mass == 2.0
    found = {item.name: (item.picture, item.parts) for item in outline.devices}
    assert found == {
        "camera": (True, []),
        "distance sensor": (False, ["value"]),
        "shoulder sensor": (False, ["value"]),
    }


def test_readings_hold_what_is_watched(sim: sb.Sim) -> None:
    """Joints, contacts and scalars; a key that nobody knows has no value."""
    bench = PanelCommands(sim)
    bench.watch(1, ALL)
    sim.run(0.2)
    assert bench.observe(100.0)
    assert bench.readings is not None
    event = json.loads(bench.readings.data)
    assert event["time"] == pytest.approx(0.2)
    assert event["joints"] == pytest.approx([0.0], abs=1e-3)
    assert event["keys"] == ["link/0/z", "nonsense"] and event["values"] == [0.0, None]
    forces = np.array(event["contacts"]).reshape(-1, 6)[:, 5]
    # the crate of 2 kg rests on the floor, the arm has no physics
    assert abs(forces).sum() == pytest.approx(2 * 9.81, rel=0.01)


def test_nothing_is_read_for_nobody(sim: sb.Sim) -> None:
    """Without a tab that watches, and again after it has gone, no reading is taken."""
    bench = PanelCommands(sim)
    assert not bench.observe(100.0)
    bench.watch(1, ALL)
    bench.watch(1, None)
    assert not bench.is_watched and not bench.observe(101.0)


def test_pictures_of_the_page_do_not_change_what_controllers_read(tmp_path: Path) -> None:
    """A noisy sensor gives the same values whether the page looks at everything or not."""
    world = tmp_path / "arm.wbt"
    noisy = arm_world().replace("lookupTable [ 0 0 0, 2 2 0 ]", "lookupTable [ 0 0 0.1, 2 2 0.1 ]")
    world.write_text(noisy.replace("width 64", "noise 0.2 width 64"), encoding="utf-8")
    values: list[list[float]] = []
    for is_watched in (False, True):
        sim = sb.Sim(sb.load(str(world)))
        bench = PanelCommands(sim)
        outline = encode_outline(sim, revision="r")
        sensor = sim.device("distance sensor")
        sensor.enable(0.032)
        if is_watched:
            pictures = [item.index for item in outline.devices if item.picture]
            scalars = [f"device/{item.index}/0" for item in outline.devices if not item.picture]
            bench.watch(1, CommandWatch(True, False, scalars, pictures))
        seen: list[float] = []
        for k in range(10):
            sim.step(4)
            bench.observe(100.0 + k)
            seen.append(sensor.value)
        values.append(seen)
        if is_watched:
            (picture,) = bench.pictures.values()
            assert picture.data[PICTURE_HEADER_BYTES : PICTURE_HEADER_BYTES + 2] == b"\xff\xd8"
            assert sim.device("camera").period == 0
    assert values[0] == values[1]


def test_a_device_without_pictures_is_named_once(sim: sb.Sim) -> None:
    """A card that stays black is explained, not again with every look."""
    bench = PanelCommands(sim)
    outline = encode_outline(sim, revision="r")
    index = next(item.index for item in outline.devices if not item.picture)
    bench.watch(1, CommandWatch(False, False, [], [index]))
    for k in range(3):
        sim.step()
        bench.observe(100.0 + k)
    (message,) = messages(bench)
    assert message["text"] == f"Device {index} takes no pictures: it is switched off in its file."


def test_a_joint_without_motor_is_not_driven(sim: sb.Sim, tmp_path: Path) -> None:
    """While time runs the user is told why nothing happens; in a pause it moves."""
    world = tmp_path / "passive.wbt"
    text = arm_world()
    start = text.index("      device [")
    world.write_text(text[:start] + text[text.index("      endPoint") :], encoding="utf-8")
    sim = sb.Sim(sb.load(str(world)))
    bench = PanelCommands(sim)
    bench.obey(CommandJoint(0, "position", 0.5), is_running=True)
    assert "has no motor: pause the simulation" in messages(bench)[0]["text"]
    bench.obey(CommandJoint(0, "position", 0.5), is_running=False)
    assert sim.joint_states()[0, 0] == pytest.approx(0.5)
    bench.obey(CommandJoint(9, "position", 0.5), is_running=False)
    assert messages(bench)[1]["text"] == "There is no joint number 9."


def test_locked_bodies_are_not_moved(sim: sb.Sim) -> None:
    """The message says why; a body that is not locked goes where it is put and stops there."""
    bench = PanelCommands(sim)
    bench.obey(CommandPose(link_of(sim, "floor"), (0, 0, 1), (1, 0, 0, 0), True), is_running=False)
    assert messages(bench)[0]["text"] == '"floor" is locked: its field "locked" is TRUE.'
    assert sim["floor"].position.tolist() == [0.0, 0.0, 0.0]
    crate = sim["crate"]
    crate.linear_velocity = (1.0, 0.0, 0.0)
    bench.obey(CommandPose(link_of(sim, "crate"), (1, 1, 2), (1, 0, 0, 0), True), is_running=True)
    np.testing.assert_allclose(crate.position, (1.0, 1.0, 2.0), atol=1e-12)
    np.testing.assert_allclose(crate.linear_velocity, 0.0, atol=1e-12)


def pull(sim: sb.Sim, target: tuple[float, float, float], *, is_held: bool = True) -> CommandPull:
    """Hold the crate by its middle."""
    return CommandPull(link_of(sim, "crate"), (0, 0, 0), target, False, is_held)


def test_a_pull_lasts_until_it_is_let_go(sim: sb.Sim) -> None:
    """The crate comes to the target, less the way by which its weight stretches the spring; then it falls."""
    bench = PanelCommands(sim)
    bench.obey(pull(sim, (0.0, 0.0, 2.0)), is_running=True)
    sim.run(2.0)
    sag = 9.81 / FREQUENCY**2
    np.testing.assert_allclose(sim["crate"].position[2], 2.0 - sag, atol=1e-3)
    bench.obey(pull(sim, (0.0, 0.0, 2.0), is_held=False), is_running=True)
    before = sim["crate"].linear_velocity[2]
    sim.run(0.1)
    assert sim["crate"].linear_velocity[2] == pytest.approx(before - 0.981, rel=0.05)


def test_a_pulled_body_that_leaves_the_scene_stops_time_and_comes_back(sim: sb.Sim) -> None:
    """Once: with a message, and Ctrl+Z puts it where it was."""
    bench = PanelCommands(sim)
    before = sim["crate"].position.copy()
    bench.obey(pull(sim, (0.0, 0.0, 2.0)), is_running=True)
    sim.run(0.1)
    sim["crate"].linear_velocity = (0.0, 0.0, 2000.0)
    bench.obey(pull(sim, (0.0, 0.0, 2.0), is_held=False), is_running=True)
    with pytest.raises(SimulationPause):
        sim.run(10.0)
    told = messages(bench)[-1]
    assert told["level"] == "error"
    assert told["text"].startswith("crate has left the scene")
    sim.step(3)  # who plays on may: it is told once
    bench.obey(CommandUndo(), is_running=False)
    np.testing.assert_array_equal(sim["crate"].position, before)
    sim.run(0.5)
    np.testing.assert_allclose(sim["crate"].position, before, atol=0.02)


def test_what_is_no_body_is_not_pulled(sim: sb.Sim) -> None:
    """A number that no body has, and the floor."""
    bench = PanelCommands(sim)
    bench.obey(CommandPull(99, (0, 0, 0), (0, 0, 1), False, True), is_running=True)
    bench.obey(
        CommandPull(link_of(sim, "floor"), (0, 0, 0), (0, 0, 1), False, True), is_running=True
    )
    first, second = messages(bench)
    assert first["text"] == "There is no body number 99."
    assert "forces do not move it" in second["text"]


def test_messages_are_kept_for_tabs_that_come_later(sim: sb.Sim) -> None:
    """Each has a number; a tab asks for those after the last it has."""
    bench = PanelCommands(sim)
    bench.show_output("arm", "<b>hello</b>", False)
    bench.say("warning", "careful", path="0")
    first, second = bench.messages_after(0)
    assert json.loads(first.data)["text"] == "<b>hello</b>"
    assert [item.number for item in bench.messages_after(first.number)] == [second.number]
    assert bench.messages_after(second.number) == []


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ({"command": "joint", "joint": 0, "mode": "wish", "value": 1}, "joint: mode must be one of"),
        ({"command": "joint", "joint": -1, "mode": "position", "value": 1}, "joint: joint must be"),
        ({"command": "joint", "joint": 0, "mode": "position", "value": "1"}, "value must be a float"),
        ({"command": "watch", "joints": 1}, "watch: joints must be a bool"),
        ({"command": "pose", "link": 0, "position": [1, 2]}, "must be a list of 3 numbers"),
        ({"command": "keys", "keys": list(range(100))}, "must be a list of at most 64"),
    ],
)  # fmt: skip
def test_nonsense_of_panels_is_refused(command: dict[str, Any], complaint: str) -> None:
    """The text names the command and the field."""
    with pytest.raises(ValueError, match=complaint):
        parse_command(json.dumps(command))


def test_commands_of_panels_round_trip() -> None:
    """The JSON that the page sends means the same here."""
    for command in (
        ALL,
        CommandPose(1, (0, 1, 2), (1, 0, 0, 0), False),
        CommandJoint(0, "velocity", 2.5),
    ):
        assert parse_command(to_json(command).decode()) == command
