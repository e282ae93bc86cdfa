"""Lowers joint nodes (docs/behaviour, W7.1 to W7.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    Pose,
    Vec3,
    cross,
    norm,
    normalized,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
)
from solidbody.formats.webots.lower.motors import AxisDevices
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointHinge,
    JointHinge2,
    JointSlider,
    Suspension,
)

_X: Final[Vec3] = (1.0, 0.0, 0.0)
_Z: Final[Vec3] = (0.0, 0.0, 1.0)
_RESET_AXIS: Final = _Z
PARALLEL: Final = 1e-6
"""Sine of the angle below which two axes count as parallel."""

LoweredJoint = JointHinge | JointSlider | JointHinge2 | JointBall

_SUFFIXES = ("", "2", "3")
AXIS_COUNTS: Final = {"HingeJoint": 1, "SliderJoint": 1, "Hinge2Joint": 2, "BallJoint": 3}


@dataclass(frozen=True, slots=True)
class JointFrame:
    """The frame in which a joint's anchor and axes are given.

    Attributes:
        pose: The nearest upper Pose in the frame of the parent link (the world, without one).
        factor: Scale of the solids above, in files before R2023b.
    """

    pose: Pose
    factor: float = 1.0

    def anchor(self, parameters: TypedNode | None) -> Vec3:
        """Return the anchor of joint parameters in the frame of the parent link."""
        if parameters is None or not parameters.has("anchor"):
            return self.pose.position
        return self.pose.point(scale(parameters.vec3("anchor"), self.factor))


def joint_devices(node: TypedNode) -> list[list[TypedNode]]:
    """Return the device nodes of each axis of a joint."""
    count = AXIS_COUNTS[node.type]
    return [node.children(f"device{suffix}") for suffix in _SUFFIXES[:count]]


def joint_positions(node: TypedNode) -> list[float]:
    """Return the positions at the stored pose: of the parameters, else the hidden fields."""
    positions: list[float] = []
    for suffix in _SUFFIXES[: AXIS_COUNTS[node.type]]:
        parameters = node.node(f"jointParameters{suffix}")
        holder, name = (
            (node, f"position{suffix}") if parameters is None else (parameters, "position")
        )
        positions.append(holder.number(name))
    return positions


def lower_joint(
    node: TypedNode, frame: JointFrame, name: str, devices: list[AxisDevices], log: DiagnosticLog
) -> LoweredJoint:
    """Return the joint of a HingeJoint, SliderJoint, Hinge2Joint or BallJoint node.

    Args:
        node: The joint.
        frame: Where its anchor and axes are given.
        name: Unique name of the joint.
        devices: What its devices were lowered to, axis by axis.
        log: Takes the messages.
    """
    match node.type:
        case "SliderJoint":
            parameters = node.node("jointParameters")
            direction = _direction(parameters, "axis", log) if parameters else _Z
            axis = _axis(node, 0, frame.pose.direction(direction), devices[0], log)
            return JointSlider(name, axis, span=node.span)
        case "Hinge2Joint":
            return _hinge2(node, frame, name, devices, log)
        case "BallJoint":
            return _ball(node, frame, name, devices, log)
        case _:
            parameters = node.node("jointParameters")
            direction = _direction(parameters, "axis", log) if parameters else _X
            return JointHinge(
                name,
                _axis(node, 0, frame.pose.direction(direction), devices[0], log),
                frame.anchor(parameters),
                suspension=_suspension(parameters, frame, log),
                span=node.span,
            )


def _hinge2(
    node: TypedNode, frame: JointFrame, name: str, devices: list[AxisDevices], log: DiagnosticLog
) -> JointHinge2:
    first, second = node.node("jointParameters"), node.node("jointParameters2")
    axis1 = _direction(first, "axis", log) if first else _X
    axis2 = _direction(second, "axis", log) if second else _Z
    axis1, axis2 = _not_parallel(node, axis1, axis2, log)
    # the file gives the second axis at position 0 of the first, the model at the stored pose
    turned = quat_rotate(quat_from_axis_angle(axis1, joint_positions(node)[0]), axis2)
    return JointHinge2(
        name,
        _axis(node, 0, frame.pose.direction(axis1), devices[0], log),
        _axis(node, 1, frame.pose.direction(turned), devices[1], log),
        frame.anchor(first),
        suspension=_suspension(first, frame, log),
        span=node.span,
    )


def _ball(
    node: TypedNode, frame: JointFrame, name: str, devices: list[AxisDevices], log: DiagnosticLog
) -> JointBall:
    axis1, axis3 = _ball_axes(node, log)
    axis2 = normalized(cross(axis3, axis1))
    p1, p2, _ = joint_positions(node)
    turn1 = quat_from_axis_angle(axis1, p1)
    turn12 = quat_multiply(turn1, quat_from_axis_angle(axis2, p2))
    directions = (axis1, quat_rotate(turn1, axis2), quat_rotate(turn12, axis3))
    devices = [devices[0], _with_middle_range(devices[1]), devices[2]]
    axes = [
        _axis(node, number, frame.pose.direction(directions[number]), devices[number], log)
        for number in range(3)
    ]
    if node.node("jointParameters2") is None and node.node("jointParameters3") is None:
        spring, damping = axes[0].spring, axes[0].damping
        axes = [replace(axis, spring=spring, damping=damping) for axis in axes]
    parameters = node.node("jointParameters")
    return JointBall(name, axes[0], axes[1], axes[2], frame.anchor(parameters), span=node.span)


def _ball_axes(node: TypedNode, log: DiagnosticLog) -> tuple[Vec3, Vec3]:
    """Return the first and third axis; one that is not given is a cross product with X or Z."""
    second, third = node.node("jointParameters2"), node.node("jointParameters3")
    if second is None and third is None:
        return _X, _Z
    if third is None:
        assert second is not None
        axis1 = _direction(second, "axis", log)
        return axis1, _perpendicular(axis1, _X, _Z)
    if second is None:
        axis3 = _direction(third, "axis", log)
        return _perpendicular(axis3, _Z, _X), axis3
    return _not_parallel(node, _direction(second, "axis", log), _direction(third, "axis", log), log)


def _perpendicular(axis: Vec3, first: Vec3, second: Vec3) -> Vec3:
    found = cross(axis, first)
    return normalized(found if norm(found) > PARALLEL else cross(axis, second))


def _not_parallel(
    node: TypedNode, axis1: Vec3, axis2: Vec3, log: DiagnosticLog
) -> tuple[Vec3, Vec3]:
    if norm(cross(axis1, axis2)) > PARALLEL:
        return axis1, axis2
    node.warn(
        log,
        "parallel-axes",
        "the axes of the joint are parallel; 1 0 0 and 0 0 1 are used instead.",
    )
    return _X, _Z


def _with_middle_range(devices: AxisDevices) -> AxisDevices:
    """Keep the second motor of a ball joint within a quarter turn, where Euler angles are unique."""
    motor = devices.motor
    if motor is None:
        return devices
    quarter = math.pi / 2.0
    low, high = motor.range or (-quarter, quarter)
    low, high = (min(max(x, -quarter), quarter) for x in (low, high))
    return replace(devices, motor=replace(motor, range=(low, high)))


def _axis(
    node: TypedNode, number: int, direction: Vec3, devices: AxisDevices, log: DiagnosticLog
) -> JointAxis:
    """Return axis `number` of a joint; `direction` is in the frame of the parent link."""
    parameters = node.node(f"jointParameters{_SUFFIXES[number]}")
    if parameters is None:
        return with_devices(JointAxis(direction, joint_positions(node)[number]), devices)
    axis = with_devices(lower_plain(JointAxis, parameters, log, direction=direction), devices)
    if axis.stops and axis.motor and axis.motor.range:
        low, high = axis.motor.range
        if low < axis.stops.low or high > axis.stops.high:
            parameters.warn(
                log,
                "motor-limits-outside-stops",
                f"the motor's limits [{low:g}, {high:g}] should lie inside the stops "
                f"[{axis.stops.low:g}, {axis.stops.high:g}].",
            )
    return axis


def _suspension(
    parameters: TypedNode | None, frame: JointFrame, log: DiagnosticLog
) -> Suspension | None:
    if parameters is None or not parameters.has("suspensionAxis"):
        return None
    suspension = lower_plain(Suspension, parameters, direction=_X)
    if suspension.spring == suspension.damping == 0.0:
        return None
    direction = frame.pose.direction(_direction(parameters, "suspensionAxis", log))
    return replace(suspension, direction=direction)


def _direction(parameters: TypedNode, field: str, log: DiagnosticLog) -> Vec3:
    axis = parameters.vec3(field)
    if norm(axis) == 0.0:
        parameters.warn(log, "null-axis", "the axis is null; reset to 0 0 1.", field=field)
    return normalized(axis, fallback=_RESET_AXIS)


def with_devices(axis: JointAxis, devices: AxisDevices) -> JointAxis:
    """Return the axis with its devices; the ratings are those of its motor."""
    motor = devices.motor
    return replace(
        axis,
        velocity_limit=motor.max_velocity if motor else math.inf,
        effort_limit=motor.max_effort if motor else math.inf,
        motor=motor,
        sensor=devices.sensor,
        brake=devices.brake,
    )
