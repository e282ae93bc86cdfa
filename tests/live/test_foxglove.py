"""Foxglove sees the run live and commands it; the run's bytes do not depend on who looks."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from solidbody.cli.options import with_default_ports
from solidbody.live.foxglove_bridge import BridgeError, FoxgloveBridge
from solidbody.live.viewer_commands import MOST_BYTES, MOST_WAITING
from solidbody.record.base import turn_on_sensors
from solidbody.record.motion_log import header, row
from tests.live.foxglove_client import FoxgloveClient
from tests.record.mcap_contents import decoded
from tests.waiting import wait_until

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot { name "arm" children [
  GPS { }
  Camera { width 8 height 6 }
  HingeJoint {
    jointParameters HingeJointParameters { axis 0 0 1 }
    device RotationalMotor { name "motor" maxVelocity 20 }
    endPoint Solid { translation 0.2 0 0 name "hand" physics Physics { }
      boundingObject Box { size 0.4 0.1 0.1 } } } ] }
"""


@pytest.fixture
def sim(tmp_path: Path) -> sb.Sim:
    """Return an arm with a motor and sensors."""
    world = tmp_path / "arm.wbt"
    world.write_text(WORLD, encoding="utf-8")
    return sb.Sim(sb.load(world))


@pytest.fixture
def bridge(sim: sb.Sim) -> Iterator[FoxgloveBridge]:
    """Serve it, with all sensors on."""
    with sb.live.foxglove(sim, port=0, period=0.01, all_sensors=True) as running:
        yield running


@pytest.fixture
def client(bridge: FoxgloveBridge) -> Iterator[FoxgloveClient]:
    """Connect to it."""
    with FoxgloveClient(bridge.url) as one:
        yield one


def watched(bridge: FoxgloveBridge) -> Callable[[], bool]:
    return bridge._is_watched


def step_until(sim: sb.Sim, condition: Callable[[], object]) -> None:
    """Step until a request of another thread has come through."""

    def is_true() -> object:
        sim.step()
        return condition()

    wait_until(is_true)


def fields_of(client: FoxgloveClient, topic: str) -> tuple[int, dict[str, Any]]:
    """Return time and fields of the next message, decoded from the schema that was sent."""
    time, data = client.next(topic)
    channel = client.channels[topic]
    return time, decoded(channel["encoding"], channel["schemaName"], channel["schema"], data)


def test_frames_joints_shapes_and_sensors_are_seen_live(
    sim: sb.Sim, bridge: FoxgloveBridge, client: FoxgloveClient
) -> None:
    """On the topics of recordings, in Foxglove's schemas, at simulated time."""
    client.subscribe("/tf", "/joint_states", "/scene")
    wait_until(watched(bridge))
    assert {"time", "services", "parameters", "clientPublish"} <= set(client.info["capabilities"])
    sim.joint("motor").target_velocity = 1.0
    step_until(sim, lambda: sim.step_count >= 3)
    time, scene = fields_of(client, "/scene")
    assert [entity["id"] for entity in scene["entities"]] == ["hand"]
    time, frames = fields_of(client, "/tf")
    hand = next(item for item in frames["transforms"] if item["child_frame_id"] == "hand")
    while time < 30_000_000:
        time, frames = fields_of(client, "/tf")
        hand = next(item for item in frames["transforms"] if item["child_frame_id"] == "hand")
    assert hand["translation"]["y"] != 0.0 and hand["parent_frame_id"] == "world"
    time, joints = fields_of(client, "/joint_states")
    assert joints["joints"][0]["name"] == "motor"
    client.subscribe("/arm/gps", "/arm/camera")
    step_until(sim, lambda: client.channels["/arm/gps"] and sim.step_count >= 10)
    _, reading = fields_of(client, "/arm/gps")
    assert len(reading["values"]) == 7
    assert client.channels["/arm/gps"]["schemaName"] == "solidbody.Reading"


def test_nothing_is_made_that_nobody_wants(sim: sb.Sim, bridge: FoxgloveBridge) -> None:
    """Without a viewer no message is built."""
    made: list[object] = []
    bridge._messages.frames = lambda stamp: made.append(stamp)
    sim.step(10)
    assert made == []


def test_the_run_is_the_same_with_and_without_viewers(tmp_path: Path) -> None:
    """Bit for bit."""
    world = tmp_path / "arm.wbt"
    world.write_text(WORLD, encoding="utf-8")
    shown, alone = sb.Sim(sb.load(world)), sb.Sim(sb.load(world))
    for sim in (shown, alone):
        sim.joint("motor").target_velocity = 2.0
    with (
        sb.live.foxglove(shown, port=0, all_sensors=True) as bridge,
        FoxgloveClient(bridge.url) as client,
    ):
        client.subscribe("/tf")
        wait_until(watched(bridge))
        shown.step(50)
    alone.step(50)
    assert shown.data.qpos.tobytes() == alone.data.qpos.tobytes()
    assert not shown.step_hooks


@pytest.mark.slow
def test_the_log_is_the_same_whoever_looks(tmp_path: Path) -> None:
    """Byte by byte: alone, with a bridge, with ten viewers of whom one sleeps and one goes without a word."""
    world = tmp_path / "arm.wbt"
    world.write_text(WORLD, encoding="utf-8")

    def started() -> sb.Sim:
        sim = sb.Sim(sb.load(world))
        sim.joint("motor").target_velocity = 2.0
        turn_on_sensors(sim)
        return sim

    def log_of(sim: sb.Sim, halfway: Callable[[], object]) -> str:
        lines = [header(sim.link_names, sim.joint_names), row(sim)]
        for step in range(200):
            if step == 100:
                halfway()
            sim.step()
            lines.append(row(sim))
        return "".join(lines)

    alone = log_of(started(), lambda: None)
    unseen = started()
    with sb.live.foxglove(unseen, port=0):
        assert log_of(unseen, lambda: None) == alone
    seen = started()
    with sb.live.foxglove(seen, port=0) as bridge, ExitStack() as stack:
        clients = [stack.enter_context(FoxgloveClient(bridge.url)) for _ in range(10)]
        for client in clients:
            client.subscribe("/tf", "/joint_states", "/scene")
        wait_until(watched(bridge))
        others = clients[2:]
        ends = [threading.Event() for _ in others]

        def read(client: FoxgloveClient, end: threading.Event) -> None:
            while client.next("/tf")[0] < 100 * 10**9:
                pass
            end.set()

        threads = [
            threading.Thread(target=read, args=item, daemon=True)
            for item in zip(others, ends, strict=True)
        ]
        for thread in threads:
            thread.start()
        assert log_of(seen, clients[1].vanish) == alone
        # what comes last comes to all who read: time goes to a moment that no step reaches
        channel = bridge._channels["/tf"]
        channel.log(bridge._messages.frames(bridge._messages.stamp()).encode(), log_time=10**12)
        for end in ends:
            assert end.wait(60.0)


def test_viewers_pause_step_play_and_reset(
    sim: sb.Sim, bridge: FoxgloveBridge, client: FoxgloveClient
) -> None:
    """A pause holds whoever steps; a step lets so many pass."""
    client.subscribe("/tf")
    wait_until(watched(bridge))
    assert client.call("/pause") == b'{"ok": true}'
    worker = threading.Thread(target=lambda: sim.step(20))
    worker.start()
    assert client.call("/step", b'{"count": 3}') == b'{"ok": true}'
    wait_until(lambda: sim.step_count == 3)
    worker.join(0.2)
    assert worker.is_alive() and sim.step_count == 3
    client.call("/play")
    worker.join()
    assert sim.step_count == 20
    client.call("/reset")
    step_until(sim, lambda: sim.step_count < 20)


def test_a_pause_ends_with_the_last_viewer(sim: sb.Sim, bridge: FoxgloveBridge) -> None:
    """Nobody could end it any more."""
    with FoxgloveClient(bridge.url) as client:
        client.subscribe("/tf")
        wait_until(watched(bridge))
        client.call("/pause")
    wait_until(lambda: not bridge._is_watched())
    sim.step(5)
    assert sim.step_count == 5


def test_viewers_command_motors(
    sim: sb.Sim, bridge: FoxgloveBridge, client: FoxgloveClient
) -> None:
    """By a published message and by a parameter."""
    client.advertise(1, "/joint_commands")
    client.publish(1, b'{"name": ["motor"], "velocity": [3.0]}')
    step_until(sim, lambda: sim.joint("motor").target_velocity == 3.0)
    client.say({"op": "getParameters", "parameterNames": [], "id": "a"})
    while "motor.velocity" not in client.parameters:
        client.take()
    assert client.parameters["motor.velocity"] == 3.0
    change = {"name": "motor.velocity", "value": -1.5}
    client.say({"op": "setParameters", "parameters": [change], "id": "b"})
    step_until(sim, lambda: sim.joint("motor").target_velocity == -1.5)


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (b"[]", "an object in JSON, got list"),
        (b"{", "an object in JSON"),
        (b"[" * 100_000, "too long"),
        (b"[" * 30_000, "an object in JSON"),
        (b'{"name": ["moto"], "velocity": [1]}', 'did you mean "motor"?'),
        (b'{"name": ["motor"], "velocity": [NaN]}', "finite number, got nan"),
        (b'{"name": ["motor"], "velocity": [1e999]}', "finite number, got inf"),
        (b'{"name": ["motor"], "velocity": [true]}', "finite number, got True"),
        (b'{"name": ["motor"], "velocity": [1, 2]}', "a list of 1 numbers"),
        (b'{"name": ["motor"], "speed": [1]}', 'unknown field "speed"'),
        (b'{"name": "motor"}', "a list of names"),
    ],
)
def test_wrong_commands_are_told_in_the_log(
    sim: sb.Sim, bridge: FoxgloveBridge, client: FoxgloveClient, payload: bytes, says: str
) -> None:
    """And change nothing."""
    assert MOST_BYTES < 100_000
    client.subscribe("/log")
    wait_until(watched(bridge))
    client.advertise(1, "/joint_commands")
    client.publish(1, payload)
    _, line = fields_of(client, "/log")
    assert says in line["message"] and line["level"] in (4, "ERROR")
    sim.step()
    assert sim.joint("motor").target_velocity != 1.0


def test_wrong_calls_are_answered(bridge: FoxgloveBridge, client: FoxgloveClient) -> None:
    """By the text of the error."""
    assert "whole number from 1" in str(client.call("/step", b'{"count": 0}'))
    assert "whole number from 1" in str(client.call("/step", b'{"count": "x"}'))
    assert "object in JSON" in str(client.call("/play", b"\xff"))


def test_requests_that_wait_are_bounded(bridge: FoxgloveBridge) -> None:
    """A viewer cannot fill the memory of a simulation that stands."""
    for _ in range(MOST_WAITING):
        bridge.commands.set_target("motor", "velocity", 1.0)
    with pytest.raises(sb.SolidbodyError, match="wait for the next step already"):
        bridge.commands.set_target("motor", "velocity", 1.0)


def test_a_viewer_who_may_only_look(sim: sb.Sim) -> None:
    """Offers no services, and takes no commands."""
    with (
        sb.live.foxglove(sim, port=0, takes_commands=False) as bridge,
        FoxgloveClient(bridge.url) as client,
    ):
        client.subscribe("/tf")
        wait_until(watched(bridge))
        sim.step(3)
        assert client.info["capabilities"] == ["time"]
        assert not client.services


@pytest.mark.slow
def test_a_slow_reader_slows_nobody(sim: sb.Sim, bridge: FoxgloveBridge) -> None:
    """What it does not read is dropped for it; others get everything."""
    with FoxgloveClient(bridge.url) as slow, FoxgloveClient(bridge.url) as quick:
        slow.subscribe("/tf", "/scene")
        quick.subscribe("/joint_states")
        wait_until(watched(bridge))
        sim.step(3000)  # some megabytes that the slow one leaves
        time, _ = quick.next("/joint_states")
        assert sim.step_count == 3000 and time >= 0


def test_a_taken_port_is_told(sim: sb.Sim) -> None:
    """With host and port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BridgeError, match=f"127.0.0.1:{port}"):
            sb.live.foxglove(sim, port=port)
    assert not sim.step_hooks


def test_commands_are_json(bridge: FoxgloveBridge, client: FoxgloveClient) -> None:
    """A topic or an encoding that nobody listens to is told."""
    client.subscribe("/log")
    wait_until(watched(bridge))
    client.advertise(1, "/cmd")
    _, line = fields_of(client, "/log")
    assert 'nobody listens to "/cmd"' in line["message"]
    assert json.dumps(line)


def test_the_command_line_serves_a_run(tmp_path: Path) -> None:
    """It says where; a port that cannot be had ends it with status 2."""
    world = tmp_path / "arm.wbt"
    world.write_text(WORLD, encoding="utf-8")
    ask = ["run", str(world), "--headless", "--duration", "0.1", "--foxglove"]
    result = CliRunner().invoke(app, [*ask, "0"])
    assert result.exit_code == 0 and "Foxglove: ws://127.0.0.1:" in result.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = CliRunner().invoke(app, [*ask, str(taken.getsockname()[1])])
    assert result.exit_code == 2 and "cannot be served" in result.stderr


def test_the_usual_port_stands_for_none() -> None:
    """`--foxglove` alone, at the end or before another option."""
    assert with_default_ports(["run", "--foxglove"]) == ["run", "--foxglove", "8765"]
    assert with_default_ports(["--foxglove", "--hold"]) == ["--foxglove", "8765", "--hold"]
    assert with_default_ports(["--foxglove", "9000"]) == ["--foxglove", "9000"]
