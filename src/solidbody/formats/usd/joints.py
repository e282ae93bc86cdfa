"""Joints as those of UsdPhysics: frames in both links, limits, drives.

The axis of a hinge or slider is the x axis of its frames; positions are 0 where the frames coincide. Angles
are degrees there, and drives are per degree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from solidbody.base.transforms import (
    Pose,
    Quat,
    Vec3,
    cross,
    dot,
    norm,
    normalized,
    quat_from_axis_angle,
    quat_from_matrix,
    scale,
    subtract,
)
from solidbody.formats.usd.text import Prim
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
    Loop,
    LoopBall,
    LoopFixed,
    LoopGeneral,
    LoopHinge,
    LoopPiston,
    LoopPlane,
)
from solidbody.model.links import Link
from solidbody.model.motors import ControlMode, Motor

TIGHT: Final = 0.01
"""Share of its greatest velocity by which a motor is off when it pulls with its greatest effort."""

STIFF: Final = 1e5
"""[N*m*s/rad] or [N*s/m] Damping of motors without a greatest effort or velocity."""

_X: Final[Vec3] = (1.0, 0.0, 0.0)

_LOCKED: Final[Mapping[str, float]] = {"low": 1.0, "high": -1.0}
"""A range that is upside down holds an axis."""


@dataclass(frozen=True, slots=True)
class JointEnds:
    """What a joint joins.

    Attributes:
        parent: Path of the prim; empty = the world.
        child: Path of the prim.
        above: Frame of the joint at position 0, in the parent.
        below: The same in the child.
    """

    parent: str
    child: str
    above: Pose
    below: Pose


def add_joint(scope: Prim, link: Link, parent: str, child: str) -> list[str]:
    """Add the joint of a link to a scope; return what USD cannot say of it.

    Args:
        scope: Where joints stand.
        link: The link; its pose and joint are given in the parent's frame.
        parent: Path of the parent's prim; empty = the world.
        child: Path of the link's prim.
    """
    return _add(scope, link.joint, link.pose, parent, child, name=link.name)


def _add(scope: Prim, joint: Joint, pose: Pose, parent: str, child: str, *, name: str) -> list[str]:
    match joint:
        case JointFree():
            return []
        case JointFixed():
            _prim(scope, "PhysicsFixedJoint", f"{name} fixed", _ends(pose, pose, parent, child))
            return []
        case JointTrack():
            _prim(scope, "PhysicsFixedJoint", joint.name, _ends(pose, pose, parent, child))
            return ["surfaces of tracks that move"]
        case JointHinge():
            axis = joint.axis
            frame = Pose(joint.anchor, _along(axis.direction))
            back = quat_from_axis_angle(axis.direction, -axis.position)
            above = Pose(joint.anchor, back) * Pose(rotation=frame.rotation)
            ends = JointEnds(parent, child, above, pose.inverse() * frame)
            prim = _prim(scope, "PhysicsRevoluteJoint", joint.name, ends)
            _add_limits(prim, axis, is_angle=True)
            return [*_add_drive(prim, axis, "angular"), *_left(axis)]
        case JointSlider():
            axis = joint.axis
            frame = Pose(pose.position, _along(axis.direction))
            start = subtract(pose.position, scale(axis.direction, axis.position))
            ends = JointEnds(parent, child, Pose(start, frame.rotation), pose.inverse() * frame)
            prim = _prim(scope, "PhysicsPrismaticJoint", joint.name, ends)
            _add_limits(prim, axis, is_angle=False)
            return [*_add_drive(prim, axis, "linear"), *_left(axis)]
        case JointHinge2():
            frame = Pose(joint.anchor, _framed(joint.axis1.direction, joint.axis2.direction))
            prim = _prim(scope, "PhysicsJoint", joint.name, _around(pose, frame, parent, child))
            for locked in ("transX", "transY", "transZ", "rotZ"):
                _limit(prim, locked, **_LOCKED)
            lost: list[str] = []
            for axis, free in ((joint.axis1, "rotX"), (joint.axis2, "rotY")):
                if axis.stops is not None:
                    low, high = (math.degrees(x - axis.position) for x in _range(axis) or (0, 0))
                    _limit(prim, free, low=low, high=high)
                lost += [*_add_drive(prim, axis, free), *_left(axis)]
            return lost
        case JointBall():
            frame = Pose(joint.anchor)
            ends = _around(pose, frame, parent, child)
            _prim(scope, "PhysicsSphericalJoint", joint.name, ends)
            axes = (joint.axis1, joint.axis2, joint.axis3)
            has_more = any(axis.motor or axis.stops or axis.spring for axis in axes)
            return ["motors, stops and springs of ball joints"] if has_more else []


def add_loop(scope: Prim, loop: Loop, paths: Mapping[str, str]) -> list[str]:
    """Add a joint that closes a loop; return what USD cannot say of it.

    Args:
        scope: Where joints stand.
        loop: The loop.
        paths: Of the prims of links, by the paths of links.
    """
    first, second = loop.ends
    parent, child = (paths.get(end.link or "", "") for end in loop.ends)
    kinds: dict[type[Loop], str] = {
        LoopBall: "PhysicsSphericalJoint",
        LoopFixed: "PhysicsFixedJoint",
        LoopHinge: "PhysicsRevoluteJoint",
    }
    kind = kinds.get(type(loop))
    match loop:
        case LoopPiston() | LoopPlane() | LoopGeneral():
            return ["loops that are no ball, hinge or fixed joint"]
        case _:
            pass
    turn = Pose(rotation=_along((0.0, 0.0, 1.0)))  # hinges turn about z in the model
    ends = JointEnds(parent, child, first.pose * turn, second.pose * turn)
    prim = _prim(scope, kind or "PhysicsFixedJoint", loop.name or "loop", ends)
    prim.set("bool", "physics:excludeFromArticulation", True)
    return []


def _ends(pose: Pose, frame: Pose, parent: str, child: str) -> JointEnds:
    return JointEnds(parent, child, frame, pose.inverse() * frame)


def _around(pose: Pose, frame: Pose, parent: str, child: str) -> JointEnds:
    """Return the ends of a joint whose frames coincide at the stored pose."""
    return JointEnds(parent, child, frame, pose.inverse() * frame)


def _prim(scope: Prim, kind: str, name: str, ends: JointEnds) -> Prim:
    prim = scope.child(kind, name)
    for number, (path, frame) in enumerate(((ends.parent, ends.above), (ends.child, ends.below))):
        if path:
            prim.relate(f"physics:body{number}", path)
        prim.set("point3f", f"physics:localPos{number}", frame.position)
        prim.set("quatf", f"physics:localRot{number}", frame.rotation)
    if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
        prim.set("uniform token", "physics:axis", "X")
    return prim


def _range(axis: JointAxis) -> tuple[float, float] | None:
    """Return the range of an axis: its stops, else that of its motor."""
    if axis.stops is not None:
        return axis.stops.low, axis.stops.high
    ends = axis.motor.range if axis.motor is not None else None
    return ends if ends is not None and ends[0] < ends[1] else None


def _add_limits(prim: Prim, axis: JointAxis, *, is_angle: bool) -> None:
    for end, value in zip(("lower", "upper"), _range(axis) or (), strict=False):
        if math.isfinite(value):
            prim.set("float", f"physics:{end}Limit", math.degrees(value) if is_angle else value)


def _limit(prim: Prim, name: str, *, low: float, high: float) -> None:
    prim.schemas = (*prim.schemas, f"PhysicsLimitAPI:{name}")
    prim.set("float", f"limit:{name}:physics:low", low)
    prim.set("float", f"limit:{name}:physics:high", high)


def _add_drive(prim: Prim, axis: JointAxis, name: str) -> Iterator[str]:
    """Add what drives an axis, or its spring and damper; yield what is lost."""
    motor = axis.motor
    is_angle = name != "linear"
    unit = math.radians(1.0) if is_angle else 1.0  # gains are per degree
    if motor is None and not (axis.spring or axis.damping):
        return
    prim.schemas = (*prim.schemas, f"PhysicsDriveAPI:{name}")
    prim.set("uniform token", f"drive:{name}:physics:type", "force")
    position, velocity, stiffness, damping = axis.spring_rest, 0.0, axis.spring, axis.damping
    if motor is not None:
        stiffness, damping = gains(motor)
        position = axis.position
        if motor.target is not None and motor.mode is ControlMode.POSITION:
            position = motor.target
        if motor.target is not None and motor.mode is ControlMode.VELOCITY:
            velocity = motor.target
        if math.isfinite(motor.max_effort):
            prim.set("float", f"drive:{name}:physics:maxForce", motor.max_effort)
        if axis.spring or axis.damping:
            yield "springs and dampers of joints with motors"
    prim.set("float", f"drive:{name}:physics:stiffness", stiffness * unit)
    prim.set("float", f"drive:{name}:physics:damping", damping * unit)
    prim.set("float", f"drive:{name}:physics:targetPosition", position / unit)
    prim.set("float", f"drive:{name}:physics:targetVelocity", velocity / unit)


def gains(motor: Motor) -> tuple[float, float]:
    """Return stiffness and damping of a motor: its own, or those of a nearly rigid source of velocity.

    In position mode a source of velocity follows p times the error; one in effort mode has neither.
    """
    if motor.mode is ControlMode.EFFORT:
        return 0.0, 0.0
    if motor.servo is not None:
        is_position = motor.mode is ControlMode.POSITION
        return (motor.servo.stiffness if is_position else 0.0), motor.servo.damping
    damping = motor.max_effort / (TIGHT * motor.max_velocity) if motor.max_velocity else STIFF
    damping = damping if 0.0 < damping < math.inf else STIFF
    return (motor.pid.p * damping if motor.mode is ControlMode.POSITION else 0.0), damping


def _left(axis: JointAxis) -> Iterator[str]:
    """Yield what UsdPhysics has no word for."""
    for value, what in (
        (axis.static_friction, "dry friction of joints"),
        (axis.armature, "inertia of rotors"),
        (axis.velocity, "velocities of joints at the start"),
        (axis.motor is not None and axis.motor.acceleration, "limits of acceleration"),
        (axis.motor is not None and math.isfinite(axis.motor.max_velocity), "speed limits"),
    ):
        if value:
            yield what


def _along(x: Vec3) -> Quat:
    """Return the rotation of a frame whose x axis has a direction."""
    other: Vec3 = (0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (0.0, 1.0, 0.0)
    return _framed(x, cross(other, x))


def _framed(x: Vec3, y: Vec3) -> Quat:
    """Return the rotation of a frame with x along one vector and y as near another one as can be."""
    first = normalized(x, fallback=_X)
    second = subtract(y, scale(first, dot(first, y)))
    if norm(second) < 1e-9:
        return _along(first)
    second = normalized(second)
    third = cross(first, second)
    columns = (first, second, third)
    rows = tuple((columns[0][k], columns[1][k], columns[2][k]) for k in range(3))
    return quat_from_matrix((rows[0], rows[1], rows[2]))
