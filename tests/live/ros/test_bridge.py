"""The bridge with ROS 2's default DDS as peer: what it sends is read, what it is asked for is done."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import solidbody as sb
from solidbody.cli.app import app
from solidbody.live.ros.bridge import RosBridge
from solidbody.live.ros.cdr import encode
from solidbody.live.ros.dds_node import DdsNode, Ros2Error
from solidbody.live.ros.run_messages import Topic
from solidbody.live.ros.settings import QUALITIES, LockStep, Ros2Settings
from tests.live.ros.conftest import ROVER
from tests.live.ros.fast_dds import Peer, store
from tests.waiting import wait_until

pytest.importorskip("cyclonedds", reason="there is no cyclonedds for this Python")
pytest.importorskip("rosbags")

pytestmark = pytest.mark.slow

TWIST = "geometry_msgs/msg/Twist"
STATES = "sensor_msgs/msg/JointState"
PATH = "trajectory_msgs/msg/JointTrajectory"
TRIGGER = "std_srvs/srv/Trigger"


@pytest.fixture
def bridge(sim: sb.Sim, settings: Ros2Settings) -> Iterator[RosBridge]:
    """Bridge the rover."""
    with sb.live.ros2(sim, settings) as running:
        yield running


@pytest.fixture
def peer(settings: Ros2Settings) -> Iterator[Peer]:
    """Return Fast DDS in the same domain."""
    assert settings.domain is not None
    one = Peer(settings.domain)
    yield one
    one.close()


def bytes_of(name: str, message: dict[str, Any]) -> bytes:
    """Return a message as `rosbags` writes it."""
    from tests.live.ros.test_messages import as_theirs

    return bytes(store().serialize_cdr(as_theirs(name, complete(name, message)), name))


def complete(name: str, message: dict[str, Any]) -> dict[str, Any]:
    from solidbody.live.ros.cdr import decode

    return decode(name, encode(name, message))


def read(peer: Peer, topic: str, message: str) -> list[Any]:
    return [store().deserialize_cdr(data, message) for data in peer.messages(topic)]


def step_until(sim: sb.Sim, condition: Callable[[], object]) -> None:
    def is_true() -> object:
        sim.step()
        return condition()

    wait_until(is_true)


def subscribed(bridge: RosBridge, peer: Peer, topics: dict[str, str], **more: bool) -> None:
    for topic, message in topics.items():
        peer.subscribe(topic, message, **more)
    for topic in topics:
        wait_until(lambda topic=topic: peer.is_matched(topic) and bridge._wants(topic), topic)


def commanding(bridge: RosBridge, peer: Peer, topics: dict[str, str]) -> None:
    """Let the peer write; both sides know of each other then."""
    for topic, message in topics.items():
        peer.publish(topic, message)
    for topic in topics:
        wait_until(lambda topic=topic: peer.is_matched(topic), topic)
        wait_until(lambda topic=topic: bridge._readers[topic][1].matched, topic)


def test_a_stock_peer_reads_everything(sim: sb.Sim, bridge: RosBridge, peer: Peer) -> None:
    """All topics, also those that were told before it came; to the last message."""
    late = {
        "/robot_description": "std_msgs/msg/String",
        "/tf_static": "tf2_msgs/msg/TFMessage",
    }
    live = {
        name: topic.message
        for name, topic in bridge.messages.topics.items()
        if name not in late and name not in ("/rosout", "/battery")
    }
    subscribed(bridge, peer, late, late=True)
    for topic in live:
        if topic == "/clock":  # best effort, as ROS has it
            peer.subscribe(topic, live[topic], reliable=False)
        else:
            peer.subscribe(topic, live[topic])
    for topic in live:
        wait_until(lambda topic=topic: bridge._wants(topic), topic)
    sim.step(40)
    wait_until(lambda: len(peer.messages("/joint_states")) >= 21)
    for topic, message in (late | live).items():
        wait_until(lambda topic=topic: peer.messages(topic), topic)
        assert read(peer, topic, message)
    (description,) = read(peer, "/robot_description", late["/robot_description"])
    assert 'name="rover"' in description.data
    states = read(peer, "/joint_states", STATES)
    times = [item.header.stamp.sec * 10**9 + item.header.stamp.nanosec for item in states]
    assert times == [k * 20_000_000 for k in range(21)]
    head = states[-1].name.index("head")
    assert states[-1].position[head] == sim.joint("head").position


def test_a_peer_drives_by_velocity(sim: sb.Sim, bridge: RosBridge, peer: Peer) -> None:
    """The robot is of the kind that waits for a program: it is driven from ROS alone."""
    commanding(bridge, peer, {"/cmd_vel": TWIST})
    start = sim.link("rover").position
    peer.send("/cmd_vel", bytes_of(TWIST, {"linear": {"x": 0.3}, "angular": {"z": 1.0}}))
    step_until(sim, lambda: sim.joint("right wheel").target_velocity == pytest.approx(9.0))
    assert sim.joint("left wheel").target_velocity == pytest.approx(3.0)
    sim.run(1.0)
    x, y, _ = sim.link("rover").position - start
    assert math.hypot(x, y) > 0.15


def test_a_peer_commands_joints_and_trajectories(
    sim: sb.Sim, bridge: RosBridge, peer: Peer
) -> None:
    """Targets at once; positions at their times."""
    commanding(bridge, peer, {"/joint_commands": STATES, "/joint_trajectory": PATH})
    peer.send("/joint_commands", bytes_of(STATES, {"name": ["head"], "position": [0.2]}))
    step_until(sim, lambda: sim.joint("head").target_position == 0.2)
    points = [
        {"positions": [0.5, 4.0], "time_from_start": {"sec": 0, "nanosec": 500_000_000}},
        {"positions": [-0.5, 8.0], "time_from_start": {"sec": 1, "nanosec": 0}},
    ]
    path = {"joint_names": ["head", "left wheel"], "points": points}
    peer.send("/joint_trajectory", bytes_of(PATH, path))
    step_until(sim, lambda: bridge._robots[0].is_busy)
    begin = sim.time - sim.time_step
    sim.run(begin + 0.75 - sim.time)
    assert sim.joint("head").target_position == pytest.approx(0.0, abs=0.03)
    assert sim.joint("left wheel").target_position == pytest.approx(6.0, abs=0.1)
    sim.run(0.5)
    assert sim.joint("head").target_position == pytest.approx(-0.5)
    assert not bridge._robots[0].is_busy


WRONG = [
    ("/cmd_vel", TWIST, {"linear": {"x": math.nan}}, "must be finite numbers"),
    ("/joint_commands", STATES, {"name": ["haed"], "position": [1.0]}, 'no joint "haed"'),
    ("/joint_commands", STATES, {"name": ["head"], "position": [1.0, 2.0]}, "must hold 1 numbers"),
    (
        "/joint_commands",
        STATES,
        {"name": ["head"], "velocity": [math.inf]},
        'velocity of "head" must',
    ),
    ("/joint_trajectory", PATH, {"joint_names": ["head"]}, "points are needed"),
    (
        "/joint_trajectory",
        PATH,
        {"joint_names": ["head"], "points": [{"positions": [1.0, 2.0]}]},
        "needs 1 positions",
    ),
]


def test_wrong_commands_are_told_and_do_nothing(sim: sb.Sim, bridge: RosBridge, peer: Peer) -> None:
    """On the log of ROS, once each."""
    subscribed(bridge, peer, {"/rosout": "rcl_interfaces/msg/Log"}, late=True)
    before = [sim.joint(name).target_velocity for name in sim.joint_names]
    commanding(bridge, peer, {topic: message for topic, message, _, _ in WRONG})
    for topic, message, wrong, _ in WRONG:
        peer.send(topic, bytes_of(message, wrong))
        peer.send(topic, bytes_of(message, wrong))
    peer.send("/cmd_vel", b"\x00\x01\x00\x00\x01")  # cut off: DDS itself lets it not through
    wait_until(lambda: len(peer.messages("/rosout")) >= len(WRONG))
    sim.step(3)
    told = [item.msg for item in read(peer, "/rosout", "rcl_interfaces/msg/Log")]
    for _, _, _, says in WRONG:
        assert sum(says in line for line in told) == 1, (says, told)
    assert [sim.joint(name).target_velocity for name in sim.joint_names] == before


def test_peers_with_other_types_and_qualities_are_told(
    sim: sb.Sim, settings: Ros2Settings, peer: Peer
) -> None:
    """They match nothing by the rules of DDS, and would wait in vain."""
    told: list[str] = []
    with RosBridge(sim, settings, announce=lambda _, text: told.append(text)):
        peer.publish("/cmd_vel", "geometry_msgs/msg/TwistStamped")
        peer.subscribe("/imu", "std_msgs/msg/String")
        peer.subscribe("/joint_states", STATES, late=True)
        peer.subscribe("/somebody_else", STATES)
        wait_until(lambda: len(told) >= 3, lambda: f"three complaints, got {told}")
    assert sorted(told) == [
        "/cmd_vel is geometry_msgs/msg/Twist here, and somebody writes it as"
        ' geometry_msgs/msg/TwistStamped: nothing is exchanged; in bridge.yaml "stamped: true" takes that',
        "/imu is sensor_msgs/msg/Imu here, and somebody reads it as std_msgs/msg/String:"
        " nothing is exchanged",
        "/joint_states: a reader asks for more durability than is offered, and gets nothing",
    ]


TWO = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10
  contactProperties ContactProperties { material2 "slip" coulombFriction 0 } }
Solid { name "floor" boundingObject Plane { size 20 20 } }
%s
%s"""


def test_each_robot_obeys_its_own_topics(
    tmp_path: Path, settings: Ros2Settings, peer: Peer
) -> None:
    """Two rovers, one of which is driven."""
    rover = ROVER[ROVER.index("Robot {") :]
    world = tmp_path / "two.wbt"
    other = rover.replace('name "rover"', 'name "other"').replace(
        "translation 1 2", "translation 4 2"
    )
    other = other.replace("DEF BOX", "DEF BOX2").replace("USE BOX", "USE BOX2")
    world.write_text(TWO % (rover, other), encoding="utf-8")
    sim = sb.Sim(sb.load(world))
    starts = {name: sim.link(name).position.copy() for name in ("rover", "other")}
    with sb.live.ros2(sim, settings) as bridge:
        commanding(bridge, peer, {"/other/cmd_vel": TWIST})
        subscribed(bridge, peer, {"/other/odom": "nav_msgs/msg/Odometry"})
        peer.send("/other/cmd_vel", bytes_of(TWIST, {"linear": {"x": 0.4}}))
        wait_until(lambda: "/other/cmd_vel" in bridge._heard)
        sim.run(0.4)
        wait_until(lambda: peer.messages("/other/odom"))
        assert "/cmd_vel" not in bridge._readers and "/rover/cmd_vel" in bridge._readers
    gone = {name: math.dist(sim.link(name).position, start) for name, start in starts.items()}
    assert gone["other"] == pytest.approx(0.16, abs=0.03) and gone["rover"] < 0.005


def test_services_hold_time_and_spawn(
    sim: sb.Sim, bridge: RosBridge, peer: Peer, world: Path
) -> None:
    """As the default ROS calls them: each answer goes to whom it is for."""
    shared = "simulation_interfaces/srv/"
    kinds = {
        "/pause": TRIGGER,
        "/play": TRIGGER,
        "/reset": TRIGGER,
        "/step_simulation": f"{shared}StepSimulation",
        "/get_simulation_state": f"{shared}GetSimulationState",
        "/spawn_entity": f"{shared}SpawnEntity",
    }
    for name, kind in kinds.items():
        peer.serve(name, kind)
    for name in kinds:
        wait_until(lambda name=name: peer.matched.get(name), name)

    def call(name: str, request: dict[str, Any]) -> dict[str, Any]:
        before = len(peer.replies)
        peer.call(name, encode(f"{kinds[name]}_Request", request))
        wait_until(lambda: len(peer.replies) > before, name)
        from solidbody.live.ros.cdr import decode

        return decode(f"{kinds[name]}_Response", peer.replies[-1])

    assert call("/step_simulation", {"steps": 3})["result"]["result"] == 3  # it is not paused
    assert call("/pause", {})["success"]
    assert call("/get_simulation_state", {})["state"]["state"] == 2
    walker = threading.Thread(target=lambda: sim.step(50))
    walker.start()
    assert call("/step_simulation", {"steps": 5})["result"]["result"] == 1
    assert sim.step_count == 5
    assert call("/step_simulation", {"steps": 0})["result"]["error_message"]
    urdf = '<robot name="r"><link name="l"><inertial><mass value="1"/></inertial></link></robot>'
    request = {
        "name": "box",
        "entity_resource": {"resource_string": urdf},
        "initial_pose": {"pose": {"position": {"x": 3.0, "z": 1.0}, "orientation": {"w": 1.0}}},
    }
    answer = call("/spawn_entity", request)
    assert answer["result"]["result"] == 1 and answer["entity_name"] == "box", answer
    assert call("/spawn_entity", request)["result"]["result"] == 101
    for uri, code in (("/etc/passwd", 104), ("../x.urdf", 104), ("none.wbt", 104), ("a.txt", 103)):
        answer = call("/spawn_entity", {"entity_resource": {"uri": uri}})
        assert answer["result"]["result"] == code, (uri, answer)
    assert call("/spawn_entity", {})["result"]["result"] == 104
    assert call("/play", {})["success"]
    walker.join()
    assert [body.name for body in sim.scene.bodies][-1] == "box"
    assert sim.link(sim.link_names[-1]).position[0] == pytest.approx(3.0)
    peer.call("/reset", encode(f"{TRIGGER}_Request", {}))
    step_until(sim, lambda: sim.step_count < 10)


def test_the_run_is_the_same_whoever_listens(
    world: Path, settings: Ros2Settings, peer: Peer, tmp_path: Path
) -> None:
    """Its log, byte by byte: alone, with a bridge, with ten readers of which one sleeps and one dies."""
    import io

    from solidbody.record.motion_log import header, row

    def run(during: Callable[[sb.Sim], None] = lambda sim: None) -> str:
        sim = sb.Sim(sb.load(world))
        out = io.StringIO(header(sim.link_names, sim.joint_names))
        during(sim)
        sim.joint("left wheel").target_velocity = 4.0
        for _ in range(100):
            sim.step()
            out.write(row(sim))
        return out.getvalue()

    alone = run()
    with_bridge: list[RosBridge] = []

    def listen(sim: sb.Sim) -> None:
        bridge = sb.live.ros2(sim, settings)
        with_bridge.append(bridge)
        assert settings.domain is not None
        topics = {name: topic.message for name, topic in bridge.messages.topics.items()}
        shown = {"/tf": topics["/tf"], "/camera/image_raw": topics["/camera/image_raw"]}
        subscribed(bridge, peer, shown)
        peer.say("slow", "rt/tf", "1000000")
        dying = Peer(settings.domain)
        subscribed(bridge, dying, {"/joint_states": topics["/joint_states"]})
        dying.kill()
        for _ in range(10):
            node = DdsNode(settings.domain, settings.interface)
            nodes.append(node)
            readers.append(node.reader(bridge.messages.topics["/odom"], odometry.append))
        wait_until(lambda: bridge._writers["/odom"][1].matched == 10)

    nodes: list[DdsNode] = []
    readers: list[Any] = []
    odometry: list[bytes] = []
    shown = run(listen)
    wait_until(lambda: len(odometry) >= 10 * 50, lambda: str(len(odometry)))
    for node in nodes:
        node.close()
    with_bridge[0].close()
    assert shown == alone
    assert len(odometry) == 10 * 51  # the start, and every second step: nothing is lost
    peer.kill()
    peer._process = Peer(settings.domain or 0)._process  # for the fixture to end


def test_lock_step_waits_for_ros(sim: sb.Sim, settings: Ros2Settings, peer: Peer) -> None:
    """Each period begins with a command; without one the run ends with the reason."""
    locked = replace(settings, lock_step=LockStep(("cmd_vel",), period=0.02, timeout=60.0))
    with sb.live.ros2(sim, locked) as bridge:
        commanding(bridge, peer, {"/cmd_vel": TWIST})
        walker = threading.Thread(target=lambda: sim.step(4))
        walker.start()
        for count in (1, 2):
            peer.send("/cmd_vel", bytes_of(TWIST, {"linear": {"x": 0.1 * count}}))
            wait_until(lambda count=count: sim.step_count == 2 * count)
        walker.join()
        bridge._lock_step = LockStep(("cmd_vel",), period=0.02, timeout=0.05)
        with pytest.raises(Ros2Error, match=r"nothing came on /cmd_vel for 0\.05 s"):
            sim.step()
    assert sim.step_count == 4


def test_what_cannot_be_served_is_told(sim: sb.Sim, settings: Ros2Settings) -> None:
    """An interface that is not there; another one for the same domain; after an error nothing is left."""
    with pytest.raises(Ros2Error, match="cannot use the interface"):
        sb.live.ros2(sim, replace(settings, interface="nothere0"))
    with (
        sb.live.ros2(sim, replace(settings, services="none")),
        pytest.raises(Ros2Error, match=r'on the interface "127\.0\.0\.1" already'),
    ):
        sb.live.ros2(sim, replace(settings, interface="auto"))
    assert not sim.step_hooks


def test_the_command_line_tells_where_it_listens(world: Path, settings: Ros2Settings) -> None:
    """And does not wait for a controller: the robot is driven from ROS."""
    result = CliRunner().invoke(
        app,
        ["run", str(world), "--headless", "--duration", "0.1", "--ros2", ""],
        env={"ROS_DOMAIN_ID": str(settings.domain)},
    )
    assert result.exit_code == 0, result.stderr
    assert f"ROS 2: domain {settings.domain} on 127.0.0.1" in result.stderr
    assert "waiting for extern" not in result.stderr


def test_services_for_cyclone(sim: sb.Sim, settings: Ros2Settings) -> None:
    """Where ROS speaks Cyclone, messages of services begin with who calls."""
    from solidbody.live.ros.cdr import decode
    from solidbody.live.ros.dds_node import DdsReader, DdsWriter
    from solidbody.live.ros.dds_services import CALLS
    from solidbody.live.ros.definitions import with_caller

    asked, told = (with_caller(f"{TRIGGER}_{end}") for end in ("Request", "Response"))
    answers: list[bytes] = []
    assert settings.domain is not None
    with sb.live.ros2(sim, replace(settings, services="cyclonedds")) as bridge:
        node = DdsNode(settings.domain, settings.interface)
        DdsReader(node, "rr/pauseReply", told, CALLS, answers.append)
        writer = DdsWriter(node, "rq/pauseRequest", asked, CALLS)
        wait_until(lambda: writer.matched)
        # the bridge may not have found who listens for the answer yet: ask again, as callers in ROS do
        wait_until(lambda: writer.write(encode(asked, {"guid": 77, "seq": 5})) or answers)
        assert bridge.commands.is_paused
        node.close()
    assert decode(told, answers[0]) == {"guid": 77, "seq": 5, "success": True, "message": ""}
    assert Topic("/x", TWIST, QUALITIES["default"]).message == TWIST
