"""Robots on wheels at two sides: which wheels they are, what turns them, and how far they have come.

Wheels are found in the model: joints with a motor without end, whose axes are parallel and level and whose
links are round about them. Those on the left turn together, and those on the right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.base.transforms import Pose, Vec3, dot, quat_rotate
from solidbody.control.device_tags import RobotPlace
from solidbody.live.ros.robot_frames import RobotFrames
from solidbody.live.ros.settings import DriveSettings, SettingsError
from solidbody.model.geometry import (
    Geometry,
    GeometryCapsule,
    GeometryCylinder,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.joints import JointFixed, JointHinge
from solidbody.model.links import Link

LEVEL: Final = 0.1
"""How far the axes of wheels may be from the robot's y axis (cosine: 1 - LEVEL)."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel.

    Attributes:
        joint: Name of its joint in the URDF.
        row: Of its axis in `Sim.joint_states()`.
        ahead: Where it stands along the robot's x axis [m].
        side: Where it stands along the robot's y axis [m].
        radius: [m].
        sign: -1 if it rolls forwards at a negative speed.
        limit: Greatest speed [rad/s].
    """

    joint: str
    row: int
    ahead: float
    side: float
    radius: float
    sign: float
    limit: float


class WheelDrive:
    """The wheels of a robot.

    Attributes:
        left: Wheels on the left.
        right: Wheels on the right.
        radius: [m].
        separation: Between left and right [m].
        ahead: Where the middle of all wheels is on the robot's x axis [m].
    """

    def __init__(self, left: list[Wheel], right: list[Wheel], settings: DriveSettings) -> None:
        self.left, self.right, self.settings = left, right, settings
        wheels = [*left, *right]
        self.radius = settings.wheel_radius or _mean([wheel.radius for wheel in wheels])
        self.separation = settings.wheel_separation or (
            _mean([wheel.side for wheel in left]) - _mean([wheel.side for wheel in right])
        )
        self.ahead = _mean([wheel.ahead for wheel in wheels])
        self._rows = np.array([wheel.row for wheel in wheels], dtype=np.intp)
        self._signs = np.array([wheel.sign for wheel in wheels])

    def speeds(self, forward: float, turn: float) -> list[tuple[Wheel, float]]:
        """Return the speed of each wheel for a speed forwards [m/s] and a rate of turn [rad/s].

        What a wheel cannot do slows all of them, so that the way stays as curved.
        """
        out: list[tuple[Wheel, float]] = []
        for side, wheels in ((-0.5, self.left), (0.5, self.right)):
            speed = (forward + side * self.separation * turn) / self.radius
            out += [(wheel, wheel.sign * speed) for wheel in wheels]
        most = max((abs(speed) / wheel.limit for wheel, speed in out), default=0.0)
        share = 1.0 / most if most > 1.0 else 1.0
        return [(wheel, share * speed) for wheel, speed in out]

    def rolled(self, states: np.ndarray) -> tuple[float, float]:
        """Return how far left and right wheels have rolled [m]."""
        way = self._signs * states[self._rows, 0] * self.radius
        count = len(self.left)
        return float(way[:count].mean()), float(way[count:].mean())


class WheelOdometry:
    """Where a robot believes to be from the turns of its wheels."""

    def __init__(self, drive: WheelDrive) -> None:
        self._drive = drive
        self._x = self._y = self.yaw = 0.0
        self.speed = self.turn = 0.0
        self._last: tuple[float, float, float] | None = None

    def update(self, time: float, states: np.ndarray) -> None:
        """Count on to a time."""
        left, right = self._drive.rolled(states)
        last, self._last = self._last, (time, left, right)
        if last is None or time <= last[0]:
            return
        span = time - last[0]
        a, b = left - last[1], right - last[2]
        way, turned = 0.5 * (a + b), (b - a) / self._drive.separation
        middle = self.yaw + 0.5 * turned
        self._x += way * math.cos(middle)
        self._y += way * math.sin(middle)
        self.yaw += turned
        self.speed, self.turn = way / span, turned / span

    @property
    def place(self) -> tuple[float, float]:
        """Where the robot's own origin is: it swings about the middle of the wheels [m]."""
        ahead = self._drive.ahead
        x = self._x + ahead * (1.0 - math.cos(self.yaw))
        return x, self._y - ahead * math.sin(self.yaw)

    @property
    def drift(self) -> float:
        """Speed of the robot's own origin to its left [m/s]."""
        return -self._drive.ahead * self.turn


def find_drive(
    place: RobotPlace, frames: RobotFrames, settings: DriveSettings, prefix: str = ""
) -> WheelDrive | None:
    """Return the wheels of a robot; None = it has none at two sides.

    Raises:
        SettingsError: The settings name joints that are no wheels of the robot.
    """
    wheels = _wheels(place, frames, prefix)
    if settings.left:
        known = {wheel.joint: wheel for wheel in wheels}
        for name in (*settings.left, *settings.right):
            if name not in known:
                raise SettingsError(
                    f'"{name}" is no wheel of "{place.name}"; joints with motors: '
                    + (", ".join(known) or "none")
                )
        left = [known[name] for name in settings.left]
        right = [known[name] for name in settings.right]
        drive = WheelDrive(left, right, settings)
    else:
        round_ones = [wheel for wheel in wheels if wheel.radius > 0.0]
        left = [wheel for wheel in round_ones if wheel.side > 0.0]
        right = [wheel for wheel in round_ones if wheel.side < 0.0]
        if not left or not right:
            return None
        drive = WheelDrive(left, right, settings)
    if not (drive.radius > 0.0 and drive.separation > 0.0):
        raise SettingsError(
            f'"wheel_radius" and "wheel_separation" of "{place.name}" must be given:'
            " they cannot be found in the model"
        )
    return drive


def _wheels(place: RobotPlace, frames: RobotFrames, prefix: str) -> list[Wheel]:
    """Return what may be wheels: joints of the robot's own link without end, about its y axis."""
    found: list[Wheel] = []
    for joint, row in zip(frames.moving, frames.rows.tolist(), strict=True):
        link = place.body.links[joint.link]
        if not isinstance(link.joint, JointHinge) or link.joint.axis.motor is None:
            continue
        pose = _in_robot(place, link.parent)
        motor = link.joint.axis.motor
        if pose is None or motor.range is not None or link.joint.axis.stops is not None:
            continue
        axis = quat_rotate(pose.rotation, link.joint.axis.direction)
        if abs(axis[1]) < 1.0 - LEVEL:
            continue
        ahead, side, _ = (pose * Pose(link.joint.anchor)).position
        radius = _radius(link, link.joint.axis.direction, link.joint.anchor)
        sign = 1.0 if axis[1] > 0.0 else -1.0
        limit = motor.max_velocity or math.inf
        found.append(Wheel(joint.name.removeprefix(prefix), row, ahead, side, radius, sign, limit))
    return found


def _in_robot(place: RobotPlace, index: int | None) -> Pose | None:
    """Return the pose of a link in the frame of the robot; None = it is not fixed to it."""
    pose = Pose()
    while index is not None:
        if index == place.robot.link:
            return pose
        link = place.body.links[index]
        if not isinstance(link.joint, JointFixed):
            return None
        pose = link.pose * pose
        index = link.parent
    return None


def _radius(link: Link, axis: Vec3, anchor: Vec3) -> float:
    """Return the largest radius of what is round about the axis; 0 = nothing is."""
    turned = link.pose.inverse()
    own_axis = quat_rotate(turned.rotation, axis)
    found = [_radius_about(shape.geometry, shape.pose, own_axis) for shape in link.shapes]
    return max(found, default=0.0)


def _radius_about(geometry: Geometry, pose: Pose, axis: Vec3) -> float:
    along = abs(dot(quat_rotate(pose.rotation, (0.0, 0.0, 1.0)), axis))
    match geometry:
        case GeometryCylinder(radius=radius) | GeometryCapsule(radius=radius) if (
            along > 1.0 - LEVEL
        ):
            return radius
        case GeometrySphere(radius=radius):
            return radius
        case GeometryMesh():
            points = np.asarray(geometry.vertices, dtype=np.float64)
            if not len(points):
                return 0.0
            own = np.array(quat_rotate(pose.inverse().rotation, axis))
            level = points - points.mean(axis=0)
            level = level - np.outer(level @ own, own)
            return float(np.sqrt((level**2).sum(axis=1)).max())
        case _:
            return 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
