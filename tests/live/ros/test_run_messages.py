"""What a run says in ROS: frames of the URDF, wheels found in the model, odometry, every kind of sensor."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.transforms import Pose
from solidbody.live.ros.names import joined
from solidbody.live.ros.run_messages import RosMessages
from solidbody.live.ros.settings import (
    DeviceSettings,
    DriveSettings,
    RobotSettings,
    Ros2Settings,
    SettingsError,
)
from tests.live.ros.conftest import ROVER
from tests.live.ros.fast_dds import store

pytest.importorskip("rosbags")


def told(messages: RosMessages) -> dict[str, Any]:
    """Return what is due now, read by `rosbags`."""
    out: dict[str, Any] = {}
    for topic, data in (*messages.fixed(), *messages.now()):
        out[topic] = store().deserialize_cdr(data, messages.topics[topic].message)
    return out


def frames_of(out: dict[str, Any]) -> dict[str, tuple[str, Pose]]:
    found: dict[str, tuple[str, Pose]] = {}
    for item in (*out["/tf_static"].transforms, *out["/tf"].transforms):
        p, q = item.transform.translation, item.transform.rotation
        pose = Pose((p.x, p.y, p.z), (q.w, q.x, q.y, q.z))
        assert item.child_frame_id not in found
        found[item.child_frame_id] = (item.header.frame_id, pose)
    return found


def in_frame(frames: dict[str, tuple[str, Pose]], name: str, root: str) -> Pose:
    pose = Pose()
    while name != root:
        name, step = frames[name]
        pose = step * pose
    return pose


def test_frames_are_those_of_the_simulation(sim: sb.Sim) -> None:
    """Along the tree of the URDF from the world to each link and camera, while everything moves."""
    truth = RobotSettings(drive=DriveSettings(odometry="truth"))
    messages = RosMessages(sim, Ros2Settings(ground_truth=True, robots={"rover": truth}))
    messages.turn_on_sensors()
    sim.joint("left wheel").target_velocity = 6.0
    sim.joint("right wheel").target_velocity = 3.0
    sim.joint("head").target_position = -0.7
    sim.step(60)
    out = told(messages)
    frames = frames_of(out)
    for link, frame in (("rover", "base_link"), ("left tyre", "left tyre"), ("mast", "mast")):
        pose = in_frame(frames, frame, "world")
        true = sim.link(link)
        assert np.allclose(pose.position, true.position, atol=1e-9), link
        assert abs(np.dot(pose.rotation, true.orientation)) == pytest.approx(1.0), link
    eye = in_frame(frames, "camera_optical_frame", "world")
    mast = sim.link("mast")
    ahead = Pose((*mast.position,), (*mast.orientation,)).direction((1.0, 0.0, 0.0))
    assert np.allclose(eye.direction((0.0, 0.0, 1.0)), ahead, atol=1e-9)
    urdf = Xml.fromstring(out["/robot_description"].data)
    assert {link.attrib["name"] for link in urdf.iter("link")} <= {*frames, "base_link"}
    names = out["/joint_states"].name
    assert set(names) == {"left wheel", "right wheel", "head"}
    assert {joint.attrib["name"] for joint in urdf.iter("joint")} >= set(names)
    at = out["/joint_states"].position[names.index("head")]
    assert at == pytest.approx(sim.joint("head").position)


def test_every_kind_of_sensor(sim: sb.Sim) -> None:
    """In the types of ROS, with its frames and units."""
    messages = RosMessages(sim, Ros2Settings())
    messages.turn_on_sensors()
    sim.step(4)
    messages.battery_every = messages.frames_every = 1
    out = told(messages)
    gps = sim.device("gps").value
    assert [out["/gps"].point.x, out["/gps"].point.y] == pytest.approx(gps[:2].tolist())
    assert out["/imu"].linear_acceleration.z == pytest.approx(9.81, abs=1.0)
    assert out["/imu"].orientation.z == pytest.approx(math.sin(0.25), abs=0.02)
    assert out["/imu"].header.frame_id == "inertial unit"
    assert out["/distance_sensor"].range == pytest.approx(2.0)  # nothing is there
    assert out["/distance_sensor"].max_range == 2.0
    assert out["/bumper"].data is False
    picture, info = out["/camera/image_raw"], out["/camera/camera_info"]
    assert (picture.width, picture.height, picture.encoding) == (8, 6, "rgb8")
    assert picture.data.reshape(6, 8, 3).tolist() == sim.device("camera").value[..., :3].tolist()
    assert info.k[0] == pytest.approx(4.0 / math.tan(0.5 * 0.785398)) and info.k[2] == 4.0
    assert picture.header.frame_id == info.header.frame_id == "camera_optical_frame"
    scan = out["/lidar/scan"]
    assert len(scan.ranges) == 16 and scan.angle_min == pytest.approx(-scan.angle_max)
    assert out["/battery"].percentage == pytest.approx(0.5, abs=0.01)
    seconds = out["/clock"].clock.sec + 1e-9 * out["/clock"].clock.nanosec
    assert seconds == pytest.approx(sim.time)


SURVEYOR = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 gpsCoordinateSystem "WGS84" gpsReference 46.5 6.6 400 }
PointLight { location 0 0 3 attenuation 0 0 1 }
Solid { name "floor" boundingObject Plane { size 20 20 } }
Solid { name "wall" translation 2 0 1 children [ Shape { geometry Box { size 0.2 10 2 } } ] }
Robot { name "surveyor" translation 0 0 0.1 children [
  GPS { accuracy 2 } Compass { } Altimeter { translation 0 0 1 } LightSensor { rotation 0 1 0 -1.5708 }
  RangeFinder { width 4 height 3 maxRange 5 translation 0 0 1 }
  Lidar { name "layers" translation 0 0 1 horizontalResolution 8 numberOfLayers 3 fieldOfView 0.5
    verticalFieldOfView 0.2 maxRange 5 }
  DistanceSensor { name "odd" lookupTable [ 0 5 0, 1 9 0, 2 5 0 ] }
  TouchSensor { name "weight" type "force-3d" translation 0 0 -0.1 boundingObject Box { size 1 1 0.02 }
    physics Physics { density -1 mass 1 } }
] boundingObject Box { size 0.3 0.3 0.2 } physics Physics { density -1 mass 3 } }
"""


def test_sensors_of_the_other_kinds(tmp_path: Path) -> None:
    """Satellites in degrees, depths, clouds of points, directions, heights, light, forces."""
    path = tmp_path / "surveyor.wbt"
    path.write_text(SURVEYOR, encoding="utf-8")
    sim = sb.Sim(sb.load(path))
    messages = RosMessages(sim, Ros2Settings())
    messages.turn_on_sensors()
    sim.step(100)
    out = told(messages)
    kinds = {name: topic.message.split("/")[-1] for name, topic in messages.topics.items()}
    fix = out["/gps"]
    assert kinds["/gps"] == "NavSatFix"
    assert [fix.latitude, fix.longitude] == pytest.approx([46.5, 6.6], abs=1e-4)  # 11 m
    assert fix.altitude == pytest.approx(400.1, abs=11.0) and fix.position_covariance[0] == 4.0
    depths = out["/range_finder/image_raw"]
    assert (depths.encoding, depths.step) == ("32FC1", 16)
    middle = np.frombuffer(depths.data.tobytes(), "<f4").reshape(3, 4)[1]
    assert middle == pytest.approx([1.9] * 4, abs=0.01)  # the wall's near face
    assert out["/range_finder/camera_info"].width == 4
    cloud = out["/layers/points"]
    assert kinds["/layers/points"] == "PointCloud2" and "/layers/scan" not in kinds
    points = np.frombuffer(cloud.data.tobytes(), "<f4").reshape(-1, 3)
    assert len(points) == cloud.width == 24
    assert points[:, 0] == pytest.approx(np.full(24, 1.9), abs=0.01)
    assert kinds["/compass"] == "Vector3Stamped"
    north = out["/compass"].vector
    assert [north.x, north.y, north.z] == pytest.approx(sim.device("compass").value.tolist())
    assert kinds["/odd"] == kinds["/altimeter"] == "Float64"
    assert out["/altimeter"].data == pytest.approx(sim.device("altimeter").value)
    assert out["/light_sensor"].illuminance > 0.0
    push = out["/weight"].wrench.force
    assert abs(push.z) == pytest.approx(3.0 * 9.81, rel=0.05)  # what stands on its plate


def test_wheels_are_found_and_counted(sim: sb.Sim) -> None:
    """A robot that drives by its wheels knows where it is, as far as they do not slip."""
    messages = RosMessages(sim, Ros2Settings())
    (robot,) = messages.robots
    assert robot.drive is not None
    assert robot.drive.radius == pytest.approx(0.05)
    assert robot.drive.separation == pytest.approx(0.3)
    told(messages)
    start = sim.link("rover").position
    for wheel, speed in robot.drive.speeds(0.2, 0.6):
        sim.joint(wheel.joint).target_velocity = speed
    for _ in range(200):
        sim.step()
        list(messages.now(lambda topic: False))
    out = told(messages)["/odom"]
    assert out.twist.twist.linear.x == pytest.approx(0.2, rel=0.05)
    assert out.twist.twist.angular.z == pytest.approx(0.6, rel=0.05)
    moved = sim.link("rover").position - start
    back = Pose(rotation=(math.cos(0.25), 0.0, 0.0, -math.sin(0.25)))  # it stood at 0.5 rad
    x, y, _ = back.direction((*moved,))
    believed = out.pose.pose.position
    assert [believed.x, believed.y] == pytest.approx([x, y], abs=0.03)
    assert x > 0.25 and y > 0.1  # a curve to the left


def test_too_fast_a_curve_stays_a_curve(sim: sb.Sim) -> None:
    """What one wheel cannot do slows both."""
    drive = RosMessages(sim, Ros2Settings()).robots[0].drive
    assert drive is not None
    (_, slow), (_, fast) = drive.speeds(10.0, 20.0)
    assert fast == pytest.approx(20.0) and slow / fast == pytest.approx((10 - 3) / (10 + 3))


def test_several_robots_have_names_of_their_own(tmp_path: Path) -> None:
    """Topics and frames; a single one has neither."""
    robot = ROVER[ROVER.index("Robot") :]
    two = ROVER + robot.replace("translation 1 2", "translation -1 2").replace(
        '"rover"', '"rover 2"'
    )
    path = tmp_path / "two.wbt"
    path.write_text(two, encoding="utf-8")
    sim = sb.Sim(sb.load(path))
    named = Ros2Settings(namespace="lab", robots={"rover": RobotSettings(namespace="/a/b")})
    messages = RosMessages(sim, named)
    assert {"/a/b/odom", "/lab/rover_2/odom", "/tf", "/clock"} <= set(messages.topics)
    messages.turn_on_sensors()
    sim.step(4)
    frames = {item.child_frame_id for item in told(messages)["/tf"].transforms}
    assert {"a/b/base_link", "rover_2/base_link"} <= frames
    assert len(frames) == len(messages.robots) * 4 == 8


def test_settings_rename_and_silence(sim: sb.Sim) -> None:
    """Devices, frames and rates."""
    devices = {
        "camera": DeviceSettings(topic="/eye", rate=10.0, frame="lens"),
        "gps": DeviceSettings(enabled=False),
        "lidar": DeviceSettings(topic="laser"),
    }
    settings = Ros2Settings(robots={"rover": RobotSettings(devices=devices, drive=None)})
    messages = RosMessages(sim, settings)
    assert {"/eye/image_raw", "/laser/scan"} <= set(messages.topics)
    assert "/gps" not in messages.topics and "/odom" not in messages.topics
    messages.turn_on_sensors()
    count = 0
    for _ in range(100):
        sim.step()
        count += sum(topic == "/eye/image_raw" for topic, _ in messages.now())
    assert count == 10
    with pytest.raises(SettingsError, match='no device "gsp"'):
        RosMessages(
            sim,
            replace(settings, robots={"rover": RobotSettings(devices={"gsp": DeviceSettings()})}),
        )
    with pytest.raises(SettingsError, match='no robot "rovr"'):
        RosMessages(sim, Ros2Settings(robots={"rovr": RobotSettings()}))
    wrong = RobotSettings(drive=DriveSettings(left=("head",), right=("left wheel",)))
    with pytest.raises(SettingsError, match='"head" is no wheel'):
        RosMessages(sim, Ros2Settings(robots={"rover": wrong}))


def test_names_are_what_ros_allows() -> None:
    """Letters, digits, single underscores."""
    assert joined("my robot", "ds-0 (left)") == "/my_robot/ds_0_left"
    assert joined("a", "/b/c") == "/b/c" and joined("", "") == ""
    assert joined("3d") == "/n3d" and joined("ü") == "/n"
