"""Axis table: motors, springs, dry friction and stops of joint axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from solidbody.contact import tables as t
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
)
from solidbody.model.motors import ControlMode
from solidbody.model.scene import Physics

_MODES = {
    ControlMode.POSITION: t.MotorMode.POSITION,
    ControlMode.VELOCITY: t.MotorMode.VELOCITY,
    ControlMode.EFFORT: t.MotorMode.EFFORT,
    ControlMode.FREE: t.MotorMode.NONE,
}


def scalar_axes(joint: Joint) -> tuple[JointAxis, ...]:
    """Return the axes of a joint that have a dof of their own in the simulation."""
    match joint:
        case JointHinge() | JointSlider():
            return (joint.axis,)
        case JointHinge2():
            return (joint.axis1, joint.axis2)
        case JointFree() | JointFixed() | JointBall() | JointTrack():
            return ()


def fill_axis(row: t.Record, axis: JointAxis, physics: Physics, *, dof: int, qpos: int) -> None:
    """Write one AXIS row: the state of a motor at the start, and the constants of the axis."""
    row["dof"] = dof
    row["qpos"] = qpos
    row["static_friction"] = axis.static_friction
    row["spring"] = axis.spring
    row["damping"] = axis.damping
    row["acceleration"] = math.inf
    row["stop_low"], row["stop_high"] = -math.inf, math.inf
    if axis.stops is not None:
        stops = axis.stops
        row["stop_low"], row["stop_high"] = stops.low, stops.high
        row["stop_erp"] = physics.erp if stops.erp is None else stops.erp
        row["stop_cfm"] = physics.cfm if stops.cfm is None else stops.cfm
        row["stop_bounce"] = stops.bounce
    motor = axis.motor
    if motor is None:
        row["mode"] = t.MotorMode.NONE
        return
    row["mode"] = _MODES[motor.mode]
    row["target_position"] = axis.position
    row["target_velocity"] = motor.max_velocity if motor.mode is ControlMode.POSITION else 0.0
    row["available_effort"] = motor.max_effort
    row["p"], row["i"], row["d"] = motor.pid.p, motor.pid.i, motor.pid.d
    if motor.acceleration is not None:
        row["acceleration"] = motor.acceleration


def axis_table(axes: Sequence[tuple[JointAxis, int, int]], physics: Physics) -> t.Table:
    """Return AXIS rows for (axis, dof, qpos)."""
    out = t.table(t.AXIS, len(axes))
    for row, (axis, dof, qpos) in zip(out, axes, strict=False):
        fill_axis(row, axis, physics, dof=dof, qpos=qpos)
    return out
