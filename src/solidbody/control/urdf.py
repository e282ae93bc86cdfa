"""Exports a robot as URDF, the XML that other robot programs read (`Robot.getUrdf`).

A URDF link has its origin on the axis of the joint above it, ours need not: `offset` is our link frame in
the URDF link. Joint positions count from zero, as in the world, whatever position a joint starts at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Final
from xml.etree import ElementTree as Xml

from solidbody.base.transforms import (
    IDENTITY,
    WORLD,
    ZERO,
    Pose,
    Quat,
    Vec3,
    add,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    quat_to_matrix,
    scale,
)
from solidbody.control.device_tags import RobotPlace
from solidbody.model.devices import Device
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometrySphere,
)
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Link
from solidbody.model.shapes import Shape, ShapeRole

ROOT: Final = "base_link"
"""Name of the first link, as ROS expects it."""


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint of a robot's URDF, and what it is in the scene.

    Attributes:
        name: With the prefix, as are `parent` and `child`.
        kind: fixed, revolute, continuous or prismatic.
        pose: Frame of the child in the frame of the parent at position 0.
        direction: Axis in the frame of the child; zero of what is fixed.
        link: Index in `Body.links` of the link that it moves; -1 = the child is a device.
        axis: Which axis of the joint of that link.
        start: Position that the scene counts from where the URDF counts from 0.
    """

    name: str
    kind: str
    parent: str
    child: str
    pose: Pose
    direction: Vec3 = ZERO
    link: int = -1
    axis: int = 0
    start: float = 0.0


def robot_urdf(place: RobotPlace, prefix: str = "") -> str:
    """Return the URDF of a robot; `prefix` comes before every name of a link or joint."""
    return _Writer(place, prefix).text()


def urdf_joints(place: RobotPlace, prefix: str = "") -> tuple[UrdfJoint, ...]:
    """Return the joints of a robot's URDF, parents before children."""
    writer = _Writer(place, prefix)
    writer.text()
    return tuple(writer.joints)


class _Writer:
    def __init__(self, place: RobotPlace, prefix: str) -> None:
        self._prefix = prefix
        self._links = place.body.links
        self._first = place.robot.link
        self._xml = Xml.Element("robot", name=place.name)
        self._names: dict[int, str] = {}
        self._offsets: dict[int, Pose] = {}
        names = reversed(list(enumerate(place.robot.device_order)))
        self._order = {name: number for number, name in names}
        self.joints: list[UrdfJoint] = []

    def text(self) -> str:
        self._add_link(self._first, ROOT, WORLD)
        self._add_parts(self._first)
        Xml.indent(self._xml)
        return '<?xml version="1.0"?>\n' + Xml.tostring(self._xml, encoding="unicode") + "\n"

    def _add_link(self, index: int, name: str, offset: Pose) -> None:
        link = self._links[index]
        self._names[index], self._offsets[index] = name, offset
        node = Xml.SubElement(self._xml, "link", name=self._prefix + name)
        if link.mass is not None and link.mass.mass > 0.0:
            self._add_mass(node, link, offset)
        for shape in link.shapes:
            self._add_shape(node, shape, offset)

    def _add_parts(self, index: int) -> None:
        """Add devices and links below a link in the order of the scene tree: some follow the first joint."""
        link = self._links[index]
        below = [child for child, other in enumerate(self._links) if other.parent == index]
        # on a base without physics a device is a link of its own, which is there already
        on_it = [device for device in link.devices if device.name != link.name]
        parts = [
            *((self._place(one.name), partial(self._add_device, index, one)) for one in on_it),
            *((self._first_place(child), partial(self._add_branch, child)) for child in below),
        ]
        for _, add_part in sorted(parts, key=itemgetter(0)):
            add_part()

    def _place(self, name: str) -> int:
        return self._order.get(name, len(self._order))

    def _first_place(self, index: int) -> int:
        """Return the place of the first device on a link's joint, on the link or below it."""
        link = self._links[index]
        known = [
            device
            for axis in _axes(link)[0]
            for device in (axis.motor, axis.sensor, axis.brake)
            if device is not None
        ]
        below = (child for child, other in enumerate(self._links) if other.parent == index)
        places = [self._place(device.name) for device in (*known, *link.devices)]
        return min([*places, *map(self._first_place, below)], default=len(self._order))

    def _add_device(self, index: int, device: Device) -> None:
        Xml.SubElement(self._xml, "link", name=self._prefix + device.name)
        name, place = self._names[index], self._offsets[index] * device.pose
        joint = f"{name}_{device.name}_joint"
        self._add_joint(UrdfJoint(joint, "fixed", name, device.name, place))

    def _add_branch(self, index: int) -> None:
        link = self._links[index]
        assert link.parent is not None
        self._add_child(index, link, link.parent)
        self._add_parts(index)

    def _add_child(self, index: int, link: Link, parent: int) -> None:
        """Add a link and what joins it to its parent: one joint per axis, with empty links between them."""
        axes, anchor = _axes(link)
        base, above = self._names[parent], self._offsets[parent]
        start = link.pose if len(axes) != 1 else _at_zero(link, axes[0], anchor)
        frame = Pose(start.position if anchor is None else anchor, start.rotation)
        self_offset = Pose(WORLD.position, IDENTITY) if anchor is None else frame.inverse() * start
        if not axes:
            self._add_link(index, link.name, WORLD)
            joint = f"{base}_{link.name}_joint"
            self._add_joint(UrdfJoint(joint, "fixed", base, link.name, above * start, ZERO, index))
            return
        at = above * frame
        for number, axis in enumerate(axes, 1):
            is_last = number == len(axes)
            name = link.name if is_last else f"{link.name}_axis{number}"
            joint = _joint_name(axis) or f"{base}_{name}_joint"
            if is_last:
                self._add_link(index, name, self_offset)
            else:
                Xml.SubElement(self._xml, "link", name=self._prefix + name)
            kind = _kind(link, axis)
            direction = quat_rotate(quat_conjugate(frame.rotation), axis.direction)
            shift = 0.0 if len(axes) == 1 else axis.position
            place = UrdfJoint(joint, kind, base, name, at, direction, index, number - 1, shift)
            node = self._add_joint(place)
            Xml.SubElement(node, "axis", xyz=_numbers(direction))
            self._add_limits(node, kind, axis, shift)
            base, at = name, WORLD

    def _add_joint(self, joint: UrdfJoint) -> Xml.Element:
        names = (self._prefix + name for name in (joint.name, joint.parent, joint.child))
        name, parent, child = names
        self.joints.append(replace(joint, name=name, parent=parent, child=child))
        node = Xml.SubElement(self._xml, "joint", name=name, type=joint.kind)
        Xml.SubElement(node, "parent", link=parent)
        Xml.SubElement(node, "child", link=child)
        _add_origin(node, joint.pose)
        return node

    @staticmethod
    def _add_limits(node: Xml.Element, kind: str, axis: JointAxis, shift: float) -> None:
        motor = axis.motor
        span = motor.range if motor is not None and motor.range is not None else None
        low, high = span or ((axis.stops.low, axis.stops.high) if axis.stops else (0.0, 0.0))
        limits = {} if kind == "continuous" else {"lower": low - shift, "upper": high - shift}
        limits["effort"] = motor.max_effort if motor is not None else axis.effort_limit
        limits["velocity"] = motor.max_velocity if motor is not None else axis.velocity_limit
        finite = {
            key: _number(value if math.isfinite(value) else 1e9) for key, value in limits.items()
        }
        Xml.SubElement(node, "limit", finite)
        if axis.damping or axis.static_friction:
            dynamics = {"damping": _number(axis.damping), "friction": _number(axis.static_friction)}
            Xml.SubElement(node, "dynamics", dynamics)

    @staticmethod
    def _add_mass(node: Xml.Element, link: Link, offset: Pose) -> None:
        assert link.mass is not None
        inertial = Xml.SubElement(node, "inertial")
        _add_origin(inertial, offset * Pose(link.mass.center))
        Xml.SubElement(inertial, "mass", value=_number(link.mass.mass))
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        values = zip(names, link.mass.inertia, strict=True)
        Xml.SubElement(inertial, "inertia", {name: _number(value) for name, value in values})

    @staticmethod
    def _add_shape(node: Xml.Element, shape: Shape, offset: Pose) -> None:
        form = _form(shape.geometry)
        roles = {
            ShapeRole.VISUAL: ("visual",),
            ShapeRole.COLLISION: ("collision",),
            ShapeRole.BOTH: ("visual", "collision"),
        }[shape.role]
        if form is None:
            node.append(
                Xml.Comment(f" {roles[0]}: {type(shape.geometry).__name__} has no URDF form ")
            )
            return
        for role in roles:
            part = Xml.SubElement(node, role)
            _add_origin(part, offset * shape.pose)
            Xml.SubElement(Xml.SubElement(part, "geometry"), form[0], form[1])


def _axes(link: Link) -> tuple[tuple[JointAxis, ...], Vec3 | None]:
    """Return the axes of a link's joint and its anchor; no anchor = the link's own origin."""
    match link.joint:
        case JointHinge(axis=axis, anchor=anchor):
            return (axis,), anchor
        case JointSlider(axis=axis):
            return (axis,), None
        case JointHinge2(axis1=first, axis2=second, anchor=anchor):
            return (first, second), anchor
        case JointBall(axis1=first, axis2=second, axis3=third, anchor=anchor):
            return (first, second, third), anchor
        case _:
            return (), None


def _at_zero(link: Link, axis: JointAxis, anchor: Vec3 | None) -> Pose:
    """Return the pose that a link has when its joint is at position 0."""
    if anchor is None:
        back = scale(axis.direction, -axis.position)
        return Pose(add(link.pose.position, back), link.pose.rotation)
    turn = quat_from_axis_angle(axis.direction, -axis.position)
    arm = add(link.pose.position, scale(anchor, -1.0))
    return Pose(add(anchor, quat_rotate(turn, arm)), quat_multiply(turn, link.pose.rotation))


def _kind(link: Link, axis: JointAxis) -> str:
    if isinstance(link.joint, JointSlider | JointTrack):
        return "prismatic"
    has_limits = axis.stops is not None or (axis.motor is not None and axis.motor.range is not None)
    return "revolute" if has_limits else "continuous"


def _joint_name(axis: JointAxis) -> str:
    """The name of the motor or sensor, by which programs know a joint; empty = it has neither."""
    device = axis.motor or axis.sensor
    return device.name if device is not None else ""


def _form(geometry: Geometry) -> tuple[str, dict[str, str]] | None:
    match geometry:
        case GeometryBox(size=size):
            return "box", {"size": _numbers(size)}
        case GeometrySphere(radius=radius):
            return "sphere", {"radius": _number(radius)}
        case GeometryCylinder(radius=radius, height=height):
            return "cylinder", {"radius": _number(radius), "length": _number(height)}
        case GeometryCapsule(radius=radius, height=height):
            # URDF has no capsule; the cylinder of the same length covers it
            length = height + 2.0 * radius
            return "cylinder", {"radius": _number(radius), "length": _number(length)}
        case _:
            return None


def _add_origin(node: Xml.Element, pose: Pose) -> None:
    if pose != WORLD:
        Xml.SubElement(
            node,
            "origin",
            xyz=_numbers(pose.position),
            rpy=_numbers(_roll_pitch_yaw(pose.rotation)),
        )


def _roll_pitch_yaw(rotation: Quat) -> Vec3:
    """Return the angles of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    (a, b, _), (c, d, _), (e, f, g) = quat_to_matrix(rotation)
    if abs(e) > 1.0 - 1e-12:  # looking straight up or down: only one angle is left
        return (0.0, math.copysign(math.pi / 2, -e), math.atan2(-b, d))
    return (math.atan2(f, g), math.asin(-e), math.atan2(c, a))


def _number(value: float) -> str:
    return f"{value + 0.0:.9g}"


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(_number(value) for value in values)
