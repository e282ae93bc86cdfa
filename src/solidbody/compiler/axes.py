"""Axis table: one row per joint axis that moves or is driven, with its motor, spring and stops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco

from solidbody.compiler.binding import AxisBinding
from solidbody.compiler.bodies import LinkPart
from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.model.devices import DevicePropeller
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointTrack,
    LoopGeneral,
    joint_axes,
)
from solidbody.model.links import Motion
from solidbody.model.motors import ControlMode
from solidbody.model.scene import Physics, Scene, SpringRule

_MODES = {
    ControlMode.POSITION: layout.MotorMode.POSITION,
    ControlMode.VELOCITY: layout.MotorMode.VELOCITY,
    ControlMode.EFFORT: layout.MotorMode.EFFORT,
    ControlMode.FREE: layout.MotorMode.NONE,
}


_TARGETS = {
    ControlMode.POSITION: "target_position",
    ControlMode.VELOCITY: "target_velocity",
    ControlMode.EFFORT: "target_effort",
}
"""Where a command row has what a motor is told, by its mode."""


@dataclass(frozen=True, slots=True)
class AxisList:
    """Axes in the order of the table, and where those of each owner begin.

    Attributes:
        rows: Named axes, then the nameless ones of suspensions.
        named: How many of them have a name.
        of_link: First row of the joint of a link, by its index.
        of_propeller: Row of a propeller, by link and number of the device.
        of_loop: First row of a loop, by its index among all loops.
    """

    rows: list[tuple[JointAxis, AxisBinding]]
    named: int
    of_link: dict[int, int]
    of_propeller: dict[tuple[int, int], int]
    of_loop: dict[int, int]


def acts(axis: JointAxis) -> bool:
    """Whether an axis has anything that pushes or measures."""
    return bool(
        axis.motor
        or axis.sensor
        or axis.brake
        or axis.stops
        or axis.spring
        or axis.damping
        or axis.static_friction
    )


def list_axes(scene: Scene, model: mujoco.MjModel, parts: Sequence[LinkPart]) -> AxisList:
    """Return the axes of all joints, tracks, propellers and loops."""
    out = AxisList([], 0, {}, {}, {})
    hidden: list[tuple[JointAxis, AxisBinding]] = []
    joints = (part.link.joint for part in parts)
    taken = {joint.name for joint in joints if not isinstance(joint, JointFree | JointFixed)}
    for index, part in enumerate(parts):
        out.of_link[index] = len(out.rows)
        joint = part.link.joint
        if not isinstance(joint, JointFree | JointFixed):
            for number, (axis, kind, dof, qpos) in enumerate(_link_axes(model, part)):
                out.rows.append((axis, AxisBinding(joint.name, number, dof, qpos, kind)))
        if part.suspension is not None:
            axis, element = part.suspension
            hidden.append((axis, AxisBinding("", 0, *_address(model, element.id))))
        for number, device in enumerate(part.link.devices):
            if isinstance(device, DevicePropeller) and device.motor is not None:
                out.of_propeller[index, number] = len(out.rows)
                name = _unused(device.motor.name, taken)
                binding = AxisBinding(name, 0, -1, -1, layout.AxisKind.PROPELLER)
                out.rows.append((JointAxis(device.shaft_axis, motor=device.motor), binding))
    loops = [loop for body in scene.bodies for loop in body.loops]
    for index, loop in enumerate(loops):
        if not isinstance(loop, LoopGeneral):
            continue
        axes = joint_axes(loop.joint)
        if any(acts(axis) for axis in axes):
            out.of_loop[index] = len(out.rows)
            name = _unused(loop.name, taken)
            for number, axis in enumerate(axes):
                binding = AxisBinding(name, number, -1, -1, layout.AxisKind.LOOP)
                out.rows.append((axis, binding))
    named = len(out.rows)
    return AxisList([*out.rows, *hidden], named, out.of_link, out.of_propeller, out.of_loop)


def _unused(name: str, taken: set[str]) -> str:
    """Return a name that nobody else has: joints keep theirs, others get a number if need be."""
    number, found = 0, name
    while found in taken:
        number += 1
        found = f"{name}({number})"
    taken.add(found)
    return found


def _address(model: mujoco.MjModel, joint: int) -> tuple[int, int]:
    return int(model.jnt_dofadr[joint]), int(model.jnt_qposadr[joint])


def _link_axes(
    model: mujoco.MjModel, part: LinkPart
) -> Iterator[tuple[JointAxis, layout.AxisKind, int, int]]:
    """Yield (axis, kind, dof, qpos) of the joint of one link."""
    joint = part.link.joint
    if isinstance(joint, JointTrack):
        yield joint.axis, layout.AxisKind.TRACK, -1, -1
    elif part.link.motion is Motion.KINEMATIC:
        for axis in joint_axes(joint):
            yield axis, layout.AxisKind.KINEMATIC, -1, -1
    elif isinstance(joint, JointBall):
        if any(acts(axis) for axis in joint_axes(joint)):
            body = part.body.id
            address = _address(model, int(model.body_jntadr[body]))
            for axis in joint_axes(joint):
                yield axis, layout.AxisKind.BALL, *address
    else:
        for axis, element in part.joints:
            yield axis, layout.AxisKind.JOINT, *_address(model, element.id)


def fill_axis(row: t.Record, axis: JointAxis, binding: AxisBinding, physics: Physics) -> None:
    """Write one AXIS row."""
    row["kind"] = binding.kind
    row["dof"] = binding.dof
    row["qpos"] = binding.qpos
    row["static_friction"] = axis.static_friction
    row["spring"] = axis.spring
    if physics.springs is SpringRule.EXPLICIT and binding.kind is layout.AxisKind.JOINT:
        row["spring"] = 0.0  # MuJoCo's own spring pulls
    row["spring_rest"] = axis.spring_rest
    row["damping"] = axis.damping
    row["stop_low"], row["stop_high"] = -math.inf, math.inf
    row["range_low"], row["range_high"] = -math.inf, math.inf
    if axis.stops is not None:
        stops = axis.stops
        row["stop_low"], row["stop_high"] = stops.low, stops.high
        row["stop_erp"] = physics.erp if stops.erp is None else stops.erp
        row["stop_cfm"] = physics.cfm if stops.cfm is None else stops.cfm
        row["stop_bounce"] = stops.bounce
    motor = axis.motor
    if motor is None:
        return
    row["rigid"] = motor.rigid
    if motor.servo is not None:
        row["servo_stiffness"] = motor.servo.stiffness
        row["servo_damping"] = motor.servo.damping
    if motor.range is not None:
        row["range_low"], row["range_high"] = motor.range


def fill_command(row: t.Record, axis: JointAxis) -> None:
    """Write one COMMAND row: what a motor does before it is told anything."""
    row["acceleration"] = math.inf
    motor = axis.motor
    if motor is None:
        row["mode"] = layout.MotorMode.NONE
        return
    row["mode"] = _MODES[motor.mode]
    row["target_position"] = axis.position
    row["target_velocity"] = motor.max_velocity if motor.mode is ControlMode.POSITION else 0.0
    row["available_effort"] = motor.max_effort
    if motor.target is not None and motor.mode in _TARGETS:
        row[_TARGETS[motor.mode]] = motor.target
    row["p"], row["i"], row["d"] = motor.pid.p, motor.pid.i, motor.pid.d
    if motor.acceleration is not None:
        row["acceleration"] = motor.acceleration


def axis_table(axes: AxisList, physics: Physics) -> t.Table:
    """Return AXIS rows."""
    out = t.table(layout.AXIS, len(axes.rows))
    for row, (axis, binding) in zip(out, axes.rows, strict=False):
        fill_axis(row, axis, binding, physics)
    return out
