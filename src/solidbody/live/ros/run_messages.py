"""What a simulation says in ROS: clock, frames, joints, odometry, sensors, batteries, each when it is due.

The same goes to live peers and to bags. Messages whose texts stay are written once and then filled in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from solidbody.base.transforms import WORLD, Pose
from solidbody.control.device_tags import RobotPlace, devices_of, robots_of
from solidbody.control.urdf import robot_urdf
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.live.ros.cdr import MessageTemplate, encode
from solidbody.live.ros.names import joined, token, unique
from solidbody.live.ros.robot_frames import FixedFrame, Floats, RobotFrames
from solidbody.live.ros.sensors import (
    IMU_PARTS,
    SensorTopic,
    imu_message,
    topics_of,
)
from solidbody.live.ros.settings import (
    QUALITIES,
    DeviceSettings,
    Quality,
    RobotSettings,
    Ros2Settings,
    SettingsError,
)
from solidbody.live.ros.wheels import WheelDrive, WheelOdometry, find_drive
from solidbody.model.joints import JointFixed, JointFree
from solidbody.record.base import SensorReading, nanoseconds
from solidbody.record.measurements import optical_turn

if TYPE_CHECKING:
    from solidbody.sim import Sim

CLOCK: Final = "/clock"
FRAMES: Final = "/tf"
FIXED_FRAMES: Final = "/tf_static"
LOG: Final = "/rosout"

LEVELS: Final = {"info": 20, "output": 20, "warning": 30, "error": 40}
"""Of the log of ROS."""

BATTERY_RATE: Final = 1.0
"""[Hz] Of batteries."""

MOST_DESCRIPTION: Final = 16 * 2**20
"""[bytes] Of a URDF file that is told."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that we publish: its name, the type of its messages, how they are delivered."""

    name: str
    message: str
    quality: Quality


@dataclass(slots=True)
class _Sensor:
    """Something that is told when one of these sensors has been sampled.

    `device` is the row of the one whose sampling counts; `last` when that was told.
    """

    topic: str
    message: str
    frame: str
    device: int
    parts: tuple[BoundDevice, ...]
    build: Callable[[list[SensorReading], dict[str, Any]], dict[str, Any] | None]
    last: int = -1


class RosRobot:
    """A robot: its frames, joints, wheels, and what they are called.

    Attributes:
        place: Where it is in the scene.
        settings: What is said about it.
        namespace: Before its topics.
        prefix: Before its frames.
        frames: Its URDF's.
        drive: Its wheels at two sides; None = it has none.
    """

    def __init__(
        self, sim: Sim, place: RobotPlace, settings: RobotSettings, namespace: str, prefix: str
    ) -> None:
        self.place, self.settings = place, settings
        self.namespace, self.prefix = namespace, prefix
        self.frames = RobotFrames(sim, place, prefix)
        self.drive: WheelDrive | None = None
        if settings.drive is not None:
            self.drive = find_drive(place, self.frames, settings.drive, prefix)
        self.odometry = None if self.drive is None else WheelOdometry(self.drive)
        self.start: Pose | None = None
        """Where it stood when it was first looked at."""

    def joint_rows(self) -> dict[str, int]:
        """Return the rows of its joints by the names that ROS knows, with and without prefix."""
        named = {
            joint.name: row
            for joint, row in zip(self.frames.moving, self.frames.rows.tolist(), strict=True)
        }
        return {name.removeprefix(self.prefix): row for name, row in named.items()} | named


def log_bytes(sim: Sim, level: str, source: str, text: str) -> bytes:
    """Return a line of the log of ROS, at the simulated time."""
    seconds, rest = divmod(nanoseconds(sim), 10**9)
    message = {
        "stamp": {"sec": seconds, "nanosec": rest},
        "level": LEVELS.get(level, LEVELS["info"]),
        "name": source,
        "msg": text,
    }
    return encode("rcl_interfaces/msg/Log", message)


def _pose_of(row: Floats) -> Pose:
    x, y, z, w, i, j, k = row.tolist()
    return Pose((x, y, z), (w, i, j, k))


def _seven(pose: Pose) -> list[float]:
    w, x, y, z = pose.rotation
    return [*pose.position, x, y, z, w]


def _transform(parent: str, child: str, pose: Pose = WORLD) -> dict[str, Any]:
    (x, y, z), (w, i, j, k) = pose.position, pose.rotation
    return {
        "header": {"frame_id": parent},
        "child_frame_id": child,
        "transform": {
            "translation": {"x": x, "y": y, "z": z},
            "rotation": {"x": i, "y": j, "z": k, "w": w},
        },
    }


def robots_in(sim: Sim, settings: Ros2Settings) -> list[RosRobot]:
    """Return the robots that have something to say, with their names.

    Raises:
        SettingsError: The settings name what is not there.
    """
    places = [place for place in robots_of(sim) if settings.of_robot(place.name).enabled]
    shown = [place for place in places if _says_something(sim, place)]
    names = {place.name for place in robots_of(sim)}
    for name in settings.robots:
        if name not in names:
            raise SettingsError(
                f'there is no robot "{name}"; there are: {", ".join(sorted(names)) or "none"}'
            )
    taken: set[str] = set()
    found: list[RosRobot] = []
    for place in shown:
        said = settings.of_robot(place.name)
        own = "" if len(shown) == 1 else unique(token(place.name), taken)
        taken.add(own)
        namespace = own if said.namespace is None else said.namespace
        full = joined(settings.namespace, namespace)
        prefix = said.frame_prefix
        if prefix is None:
            prefix = f"{joined(namespace)[1:]}/" if joined(namespace) else ""
        found.append(RosRobot(sim, place, said, full, prefix))
    return found


def _says_something(sim: Sim, place: RobotPlace) -> bool:
    """Whether a robot has parts or sensors: supervisors often have neither."""
    own = place.body.links[place.robot.link]
    has_parts = any(link.parent == place.robot.link for link in place.body.links)
    return bool(own.shapes or has_parts or devices_of(sim, place))


class RosMessages:
    """Tells what is due. Everything that was described anew begins again by `describe`.

    Attributes:
        robots: Those that have something to say.
        topics: All that is published, by name.
    """

    def __init__(self, sim: Sim, settings: Ros2Settings) -> None:
        self._sim, self.settings = sim, settings
        self.frames_every = self._steps(settings.rate)
        self.clock_every = self._steps(settings.clock_rate)
        self.battery_every = self._steps(BATTERY_RATE)
        self.describe()

    def _steps(self, rate: float) -> int:
        return max(1, math.ceil(1.0 / (rate * self._sim.time_step) - 1e-9))

    # ------------------------------------------------------------------ what there is

    def describe(self) -> None:
        """Find robots, joints and sensors: of the scene that the simulation has now."""
        sim, settings = self._sim, self.settings
        self.robots = robots_in(sim, settings)
        self.topics: dict[str, Topic] = {}
        latched, usual = QUALITIES["latched"], QUALITIES["default"]
        self._offer(CLOCK, "rosgraph_msgs/msg/Clock", QUALITIES["sensor"])
        self._offer(FRAMES, "tf2_msgs/msg/TFMessage", Quality(depth=100))
        self._offer(FIXED_FRAMES, "tf2_msgs/msg/TFMessage", latched)
        self._offer(LOG, "rcl_interfaces/msg/Log", Quality(keeps=True, depth=100))
        for robot in self.robots:
            self._offer(
                joined(robot.namespace, "robot_description"), "std_msgs/msg/String", latched
            )
            if robot.frames.moving:
                states = joined(robot.namespace, "joint_states")
                self._offer(states, "sensor_msgs/msg/JointState", usual)
            if robot.drive is not None:
                self._offer(joined(robot.namespace, "odom"), "nav_msgs/msg/Odometry", usual)
            if robot.place.robot.battery is not None:
                battery = joined(robot.namespace, "battery")
                self._offer(battery, "sensor_msgs/msg/BatteryState", usual)
        self._others = self._moving_others() if settings.ground_truth else []
        self._frames = MessageTemplate("tf2_msgs/msg/TFMessage", {"transforms": self._named()})
        self._clock = MessageTemplate("rosgraph_msgs/msg/Clock", {})
        self._joints = [_joints_template(robot) for robot in self.robots]
        self._sensors = [sensor for robot in self.robots for sensor in self._sensors_of(robot)]
        self._devices = np.array([sensor.device for sensor in self._sensors], dtype=np.intp)
        self._told = np.full(len(self._sensors), -1, dtype=np.int64)

    def _offer(self, name: str, message: str, quality: Quality) -> str:
        """Add a topic; a name that is taken gets a number."""
        own = unique(name, self.topics)
        self.topics[own] = Topic(own, message, quality)
        return own

    def _moving_others(self) -> list[int]:
        """Return the rows of links that move and are part of no robot."""
        sim = self._sim
        found: list[int] = []
        row = 0
        for body in sim.scene.bodies:
            robots = body.robot_of_links()
            for index, link in enumerate(body.links):
                if robots[index] is None and not isinstance(link.joint, JointFixed):
                    found.append(row + index)
            row += len(body.links)
        return found

    def _named(self) -> list[dict[str, Any]]:
        """Return the frames that move, in the order of `_frame_values`."""
        world = self.settings.world_frame
        out: list[dict[str, Any]] = []
        for robot in self.robots:
            if robot.drive is not None:
                if self.settings.ground_truth:
                    out.append(_transform(world, f"{robot.prefix}odom"))
                if robot.drive.settings.publishes_frame:
                    out.append(_transform(f"{robot.prefix}odom", robot.frames.root))
            elif not self._is_fixed(robot):
                out.append(_transform(world, robot.frames.root))
            out += [_transform(joint.parent, joint.child) for joint in robot.frames.moving]
        out += [_transform(world, self._sim.link_names[row]) for row in self._others]
        return out

    def _is_fixed(self, robot: RosRobot) -> bool:
        link = robot.place.body.links[robot.place.robot.link]
        return link.parent is None and not isinstance(link.joint, JointFree)

    def fixed(self) -> Iterator[tuple[str, bytes]]:
        """Yield what is told once: frames that do not move, descriptions."""
        frames = [
            _transform(frame.parent, frame.child, frame.pose) for frame in self._fixed_frames()
        ]
        stamp = {"sec": 0, "nanosec": 0}
        for frame in frames:
            frame["header"]["stamp"] = stamp
        yield FIXED_FRAMES, encode("tf2_msgs/msg/TFMessage", {"transforms": frames})
        for robot in self.robots:
            text = self._description(robot)
            topic = joined(robot.namespace, "robot_description")
            yield topic, encode("std_msgs/msg/String", {"data": text})

    def _fixed_frames(self) -> Iterator[FixedFrame]:
        for robot in self.robots:
            if robot.drive is None and self._is_fixed(robot):
                pose = _pose_of(self._sim.pose(robot.place.link))
                yield FixedFrame(self.settings.world_frame, robot.frames.root, pose)
            yield from robot.frames.fixed
            known = {robot.frames.root, *(frame.child for frame in robot.frames.fixed)}
            for bound in devices_of(self._sim, robot.place):
                said = robot.settings.devices.get(bound.name, DeviceSettings())
                frame = robot.prefix + bound.name
                parent = frame if frame in known else robot.frames.root
                if said.frame:
                    yield FixedFrame(parent, said.frame, Pose())
                elif any(topic.is_optical for topic in self._topics_of(bound)):
                    yield FixedFrame(parent, optical_frame(frame), optical_turn(bound))

    def _description(self, robot: RosRobot) -> str:
        if not robot.settings.description:
            return robot_urdf(robot.place, robot.prefix)
        path = Path(robot.settings.description)
        try:
            if path.stat().st_size > MOST_DESCRIPTION:
                raise SettingsError(f"{path} is larger than {MOST_DESCRIPTION} bytes")
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path} cannot be read: {error}") from error

    # ------------------------------------------------------------------ sensors

    def _topics_of(self, bound: BoundDevice) -> list[SensorTopic]:
        is_geographic = self._sim.scene.geodesy.gps_system != "local"
        return topics_of(bound, is_geographic=is_geographic)

    def _sensors_of(self, robot: RosRobot) -> Iterator[_Sensor]:
        devices = [bound for bound in devices_of(self._sim, robot.place) if self._measures(bound)]
        by_name = {bound.name for bound in devices_of(self._sim, robot.place)}
        for name in robot.settings.devices:
            if name not in by_name:
                raise SettingsError(
                    f'"{robot.place.name}" has no device "{name}"; it has: '
                    + (", ".join(sorted(by_name)) or "none")
                )
        yield from self._imus_of(robot, devices)
        for bound in devices:
            said = robot.settings.devices.get(bound.name, DeviceSettings())
            if not said.enabled:
                continue
            base = joined(robot.namespace, said.topic or bound.name)
            for topic in self._topics_of(bound):
                frame = said.frame or robot.prefix + bound.name
                if topic.is_optical and not said.frame:
                    frame = optical_frame(frame)
                quality = said.quality or QUALITIES["default"]
                name = self._offer(joined(base, topic.ending), topic.message, quality)
                yield _Sensor(name, topic.message, frame, bound.index, (bound,), _alone(topic))

    def _measures(self, bound: BoundDevice) -> bool:
        return self._sim.devices.has_group(bound)

    def _imus_of(self, robot: RosRobot, devices: list[BoundDevice]) -> Iterator[_Sensor]:
        """Yield one for each link with sensors of motion."""
        parts = [bound for kind in IMU_PARTS for bound in devices if isinstance(bound.device, kind)]
        places: dict[int, dict[type, BoundDevice]] = {}
        for bound in parts:
            places.setdefault(bound.link, {}).setdefault(type(bound.device), bound)
        for link in sorted(places):
            found = tuple(places[link].values())
            first = found[0]
            said = robot.settings.devices.get(first.name, DeviceSettings())
            if not said.enabled:
                continue
            topic = joined(
                robot.namespace, said.topic or ("imu" if len(places) == 1 else first.name)
            )
            quality = said.quality or QUALITIES["default"]
            name = self._offer(topic, "sensor_msgs/msg/Imu", quality)
            frame = said.frame or robot.prefix + first.name
            yield _Sensor(name, "sensor_msgs/msg/Imu", frame, first.index, found, imu_message)

    def turn_on_sensors(self) -> None:
        """Let sensors measure that nobody has turned on, or those whose rate is said."""
        engine = self._sim.devices
        usual = 1.0 / self.settings.sensor_rate
        for robot in self.robots:
            for bound in devices_of(self._sim, robot.place):
                said = robot.settings.devices.get(bound.name, DeviceSettings())
                is_off = not engine.clock.periods[bound.index]
                is_told = any(bound in sensor.parts for sensor in self._sensors)
                if not is_told or not said.enabled or not engine.has_group(bound):
                    continue
                if said.rate is not None:
                    engine.enable(bound, 1.0 / said.rate)
                elif is_off and self.settings.all_sensors:
                    engine.enable(bound, max(usual, self._sim.time_step))

    # ------------------------------------------------------------------ when and what

    def steps_until_due(self) -> int:
        """Return how many steps may pass before something is due."""
        now = self._sim.step_count
        due = min(every - now % every for every in (self.frames_every, self.clock_every))
        sampled = self._sim.devices.clock.steps_until_due(now) if self._sensors else None
        return due if sampled is None else min(due, sampled)

    def begin_again(self) -> None:
        """Times begin again."""
        self._told[:] = -1
        for robot in self.robots:
            robot.odometry = None if robot.drive is None else WheelOdometry(robot.drive)
            robot.start = None

    def now(self, wants: Callable[[str], bool] = lambda _: True) -> Iterator[tuple[str, bytes]]:
        """Yield what is due now, on the topics that somebody wants."""
        step, time = self._sim.step_count, nanoseconds(self._sim)
        if step % self.clock_every == 0 and wants(CLOCK):
            yield CLOCK, self._clock.bytes_at(time, np.empty(0))
        if step % self.frames_every == 0:
            yield from self._motion(time, wants)
        if step % self.battery_every == 0:
            yield from self._batteries(time, wants)
        if self._sensors:
            yield from self._sampled(time, wants)

    def _motion(self, time: int, wants: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
        if not self.robots and not self._others:
            return
        states = self._sim.joint_states()
        for robot in self.robots:
            if robot.odometry is not None:
                robot.odometry.update(1e-9 * time, states)
        if wants(FRAMES):
            values = self._frame_values(states)
            if values.size:
                yield FRAMES, self._frames.bytes_at(time, values)
        for robot, template in zip(self.robots, self._joints, strict=True):
            topic = joined(robot.namespace, "joint_states")
            if template is not None and wants(topic):
                rows = robot.frames.rows
                efforts = self._sim.motor_states["effort"][rows]
                values = np.concatenate((states[rows, 0], states[rows, 1], efforts))
                yield topic, template.bytes_at(time, values)
            topic = joined(robot.namespace, "odom")
            if robot.drive is not None and wants(topic):
                yield topic, self._odometry(robot, time)

    def _frame_values(self, states: Floats) -> Floats:
        parts: list[Floats] = []
        for robot in self.robots:
            if robot.drive is not None:
                believed = self._believed(robot)
                if self.settings.ground_truth:
                    true = _pose_of(self._sim.pose(robot.place.link))
                    parts.append(np.array(_seven(true * believed.inverse())))
                if robot.drive.settings.publishes_frame:
                    parts.append(np.array(_seven(believed)))
            elif not self._is_fixed(robot):
                pose = self._sim.pose(robot.place.link)
                parts.append(pose[[0, 1, 2, 4, 5, 6, 3]])
            parts.append(robot.frames.transforms(states[robot.frames.rows, 0]).ravel())
        if self._others:
            poses = self._sim.poses()[self._others]
            parts.append(poses[:, [0, 1, 2, 4, 5, 6, 3]].ravel())
        return np.concatenate(parts) if parts else np.empty(0)

    def _believed(self, robot: RosRobot) -> Pose:
        """Return where a robot on wheels is in its frame `odom`."""
        assert robot.drive is not None and robot.odometry is not None
        is_true = robot.drive.settings.odometry == "truth"
        if robot.start is None or is_true:
            true = _pose_of(self._sim.pose(robot.place.link))
            robot.start = robot.start or true
            if is_true:
                return robot.start.inverse() * true
        half = 0.5 * robot.odometry.yaw
        turn = (math.cos(half), 0.0, 0.0, math.sin(half))
        return Pose((*robot.odometry.place, 0.0), turn)

    def _odometry(self, robot: RosRobot, time: int) -> bytes:
        assert robot.drive is not None and robot.odometry is not None
        pose = self._believed(robot)
        (x, y, z), (w, i, j, k) = pose.position, pose.rotation
        odometry = robot.odometry
        linear, angular = {"x": odometry.speed, "y": odometry.drift}, {"z": odometry.turn}
        if robot.drive.settings.odometry == "truth":
            back = _pose_of(self._sim.pose(robot.place.link)).inverse()
            velocity = self._sim.velocity(robot.place.link).tolist()
            linear = dict(zip("xyz", back.direction((*velocity[:3],)), strict=True))
            angular = dict(zip("xyz", back.direction((*velocity[3:],)), strict=True))
        message = {
            "header": {"stamp": _stamp(time), "frame_id": f"{robot.prefix}odom"},
            "child_frame_id": robot.frames.root,
            "pose": {
                "pose": {
                    "position": {"x": x, "y": y, "z": z},
                    "orientation": {"x": i, "y": j, "z": k, "w": w},
                }
            },
            "twist": {"twist": {"linear": linear, "angular": angular}},
        }
        return encode("nav_msgs/msg/Odometry", message)

    def _batteries(self, time: int, wants: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
        for robot in self.robots:
            battery = robot.place.robot.battery
            topic = joined(robot.namespace, "battery")
            if battery is None or not wants(topic):
                continue
            charge = self._sim.devices.power.charge(robot.place.body.name, robot.place.name)
            capacity = battery[1]
            message = {
                "header": {"stamp": _stamp(time), "frame_id": robot.frames.root},
                "voltage": math.nan,
                "temperature": math.nan,
                "current": math.nan,
                "charge": math.nan,
                "capacity": math.nan,
                "design_capacity": math.nan,
                "percentage": charge / capacity if capacity > 0.0 else math.nan,
                "present": True,
            }
            yield topic, encode("sensor_msgs/msg/BatteryState", message)

    def _sampled(self, time: int, wants: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
        last = self._sim.devices.clock.last[self._devices]
        fresh = np.flatnonzero(last > self._told)
        self._told[fresh] = last[fresh]
        for number in fresh.tolist():
            sensor = self._sensors[number]
            if not wants(sensor.topic):
                continue
            readings = [one for one in map(self._reading, sensor.parts) if one is not None]
            header = {"stamp": _stamp(time), "frame_id": sensor.frame}
            message = sensor.build(readings, header) if readings else None
            if message is not None:
                yield sensor.topic, encode(sensor.message, message)

    def _reading(self, bound: BoundDevice) -> SensorReading | None:
        """Return what a sensor has measured; None = nothing yet."""
        engine = self._sim.devices
        if not engine.clock.periods[bound.index]:
            return None
        group, row = engine.group_of(bound)
        if isinstance(group, ImageGroup):
            if group.shots[row] is None:
                return None
        elif bool(np.isnan(group.values[row]).all()):
            return None
        return SensorReading("", bound, group, row)


def optical_frame(frame: str) -> str:
    """Return the name of the frame of a camera's pictures."""
    return f"{frame}_optical_frame"


def _stamp(time: int) -> dict[str, int]:
    seconds, rest = divmod(time, 10**9)
    return {"sec": seconds, "nanosec": rest}


def _alone(
    topic: SensorTopic,
) -> Callable[[list[SensorReading], dict[str, Any]], dict[str, Any] | None]:
    return lambda readings, header: topic.build(readings[0], header)


def _joints_template(robot: RosRobot) -> MessageTemplate | None:
    joints = robot.frames.moving
    if not joints:
        return None
    zeros = [0.0] * len(joints)
    message = {
        "name": [joint.name for joint in joints],
        "position": zeros,
        "velocity": zeros,
        "effort": zeros,
    }
    return MessageTemplate("sensor_msgs/msg/JointState", message)
