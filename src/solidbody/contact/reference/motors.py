"""Motor controllers in the reference step: PID, limits of speed and acceleration (native: sb_motors.c)."""

from __future__ import annotations

import math

import mujoco

from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.readings import AxisReading
from solidbody.contact.reference.joint_axes import servo_cfm
from solidbody.contact.state import StepState

ARRIVED = 1e-6
"""[rad] or [m] See SB_ARRIVED."""

_WITH_ROWS = (layout.AxisKind.JOINT, layout.AxisKind.BALL, layout.AxisKind.LOOP)


def clamp(x: float, limit: float) -> float:
    """Return x within +-limit."""
    return min(max(x, -limit), limit)


def approach(start: float, goal: float, step: float) -> float:
    """Return the goal, or as far towards it as `step` allows."""
    return start + math.copysign(step, goal - start) if abs(goal - start) > step else goal


def _command(axis: t.Record, told: t.Record, motor: t.Record, position: float, h: float) -> float:
    """Velocity that a motor in position or velocity mode wants."""
    velocity = float(told["target_velocity"])
    if told["mode"] == layout.MotorMode.POSITION:
        error = float(told["target_position"]) - position
        if axis["rigid"]:
            return error / h
        motor["integral"] += error * h
        velocity = (
            told["p"] * error
            + told["i"] * motor["integral"]
            + told["d"] * (error - motor["error"]) / h
        )
        motor["error"] = error
        velocity = clamp(float(velocity), abs(float(told["target_velocity"])))
    return approach(float(motor["velocity"]), velocity, float(told["acceleration"]) * h)


def _command_servo(axis: t.Record, told: t.Record, position: float, h: float) -> float:
    """Velocity at which a servo gives no effort."""
    if told["mode"] == layout.MotorMode.VELOCITY:
        return float(told["target_velocity"])
    k = float(axis["servo_stiffness"])
    return k * (float(told["target_position"]) - position) / (h * k + float(axis["servo_damping"]))


def _command_kinematic(axis: t.Record, told: t.Record, motor: t.Record, h: float) -> None:
    """Move an axis that nothing resists."""
    limit = min(float(told["acceleration"]), float(told["available_effort"]))
    velocity, left = 0.0, math.inf
    position, wanted = float(motor["position"]), float(told["target_velocity"])
    if told["mode"] == layout.MotorMode.POSITION:
        error = float(told["target_position"]) - position
        left = abs(error)
        velocity = 0.0 if left < ARRIVED else math.copysign(wanted, error)
    elif told["mode"] == layout.MotorMode.VELOCITY:
        velocity = wanted
        left = position - axis["range_low"] if velocity < 0 else axis["range_high"] - position
        velocity = 0.0 if left < ARRIVED else velocity
    if velocity == 0:
        motor["velocity"] = 0
        return
    if axis["rigid"] and told["mode"] == layout.MotorMode.POSITION:
        velocity = (float(told["target_position"]) - position) / h
    elif not axis["rigid"]:
        velocity = approach(float(motor["velocity"]), velocity, limit * h)
    motor["velocity"] = velocity
    motor["position"] += math.copysign(min(abs(velocity * h), left), velocity)


def _command_track(
    track: t.Record, axis: t.Record, told: t.Record, motor: t.Record, h: float
) -> None:
    """Speed of a track's surface."""
    if told["mode"] == layout.MotorMode.EFFORT:
        effort = clamp(float(told["target_effort"]), float(told["available_effort"]))
        motor["velocity"] = (effort - told["brake"] * motor["velocity"]) * h / track["mass"]
    elif told["mode"] == layout.MotorMode.NONE or told["available_effort"] <= 0:
        motor["velocity"] = 0
    else:
        motor["velocity"] = _command(axis, told, motor, float(motor["position"]), h)
    if not track["around"]:
        motor["position"] += motor["velocity"] * h


def command_tracks(tables: t.StepTables, state: StepState, h: float, *, around: bool) -> None:
    """Command the tracks of one kind: those that fade follow the contacts, see sb_step.c."""
    for track in tables.tracks[: int(tables.world["tracks"][0])]:
        k = int(track["axis"])
        if bool(track["around"]) is around:
            _command_track(track, tables.axes[k], state.commands[k], state.motors[k], h)


def command_surfaces(tables: t.StepTables, state: StepState, h: float) -> None:
    """Command what has no dof: tracks that go around, kinematic joints, propellers."""
    world = tables.world[0]
    command_tracks(tables, state, h, around=True)
    for k in range(int(world["axes"])):
        if tables.axes[k]["kind"] in (layout.AxisKind.KINEMATIC, layout.AxisKind.PROPELLER):
            _command_kinematic(tables.axes[k], state.commands[k], state.motors[k], h)


def command_motors(
    d: mujoco.MjData, axes: t.Table, state: StepState, readings: list[AxisReading], h: float
) -> list[tuple[float, float]]:
    """Return (velocity, effort) of each axis' motor row; efforts go to qfrc_actuator."""
    out: list[tuple[float, float]] = []
    rows = zip(axes, state.commands, state.motors, readings, strict=True)
    for axis, told, motor, reading in rows:
        velocity, effort = 0.0, float(axis["static_friction"])
        available, mode = float(told["available_effort"]), told["mode"]
        if axis["kind"] not in _WITH_ROWS or reading.jacobian is None:
            out.append((0.0, 0.0))
            continue
        motor["effort"] = 0.0
        if mode in (layout.MotorMode.VELOCITY, layout.MotorMode.POSITION) and available > 0:
            if servo_cfm(axis, told, h) > 0:
                velocity = _command_servo(axis, told, reading.position, h)
                effort = available
            else:
                velocity = _command(axis, told, motor, reading.position, h)
                effort = math.inf if axis["rigid"] else max(effort, available)
        elif mode == layout.MotorMode.EFFORT:
            motor["effort"] = clamp(float(told["target_effort"]), available)
            d.qfrc_actuator += motor["effort"] * reading.push
        motor["velocity"] = velocity
        out.append((velocity, effort))
    return out
