"""Axes of joints in the reference step: positions and Jacobians (native: sb_axes.c)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law
from solidbody.contact import tables as t

Vector = NDArray[np.float64]

LEAST_COSINE = 0.05
"""See SB_LEAST_COSINE."""


@dataclass(frozen=True, slots=True)
class AxisReading:
    """Where an axis stands.

    Attributes:
        position: [rad] or [m].
        jacobian: Row (nv) of its rate; None for axes without rows.
        push: Row (nv) of generalised forces that a unit effort makes.
    """

    position: float
    jacobian: Vector | None = None
    push: Vector | float = 0.0


def rotate(q: Vector, v: Vector) -> Vector:
    """Rotate v by the quaternion q."""
    out = np.zeros(3)
    mujoco.mju_rotVecQuat(out, np.asarray(v, dtype=float), np.asarray(q, dtype=float))
    return out


def signed_angle(start: Vector, end: Vector, about: Vector) -> float:
    """Angle from one vector to another about a unit axis perpendicular to both."""
    return math.atan2(float(law.cross(start, end) @ about), float(start @ end))


def read_balls(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, motors: t.Table
) -> dict[int, AxisReading]:
    """Return Euler angles of ball joints by row of the axis table; keeps the outer ones in `motors`."""
    out: dict[int, AxisReading] = {}
    for ball in tables.balls[: int(tables.world["balls"][0])]:
        if ball["loop"] >= 0:
            continue
        first_row = int(ball["axis"])
        axis = tables.axes[first_row]
        q = d.qpos[axis["qpos"] : axis["qpos"] + 4].copy()
        angles, rows = euler_angles(ball, q, motors[first_row : first_row + 3])
        dof = int(axis["dof"])
        for k in range(3):
            jacobian = np.zeros(m.nv)
            jacobian[dof : dof + 3] = rows[k]
            out[first_row + k] = AxisReading(angles[k], jacobian, jacobian)
    return out


def euler_angles(
    ball: t.Record, q: Vector, memory: t.Table
) -> tuple[list[float], tuple[Vector, Vector, Vector]]:
    """Return the angles after a turn `q`, and the rows of their rates in the child's frame.

    `memory`: Of the three axes; the outer angles go on from there, and where only their sum is known
    the third stays.
    """
    first, last = memory[0], memory[2]
    u1, u3, start = rotate(q * (1, -1, -1, -1), ball["first"]), ball["third"], ball["start"]
    sine, at_start = float(u1 @ u3), float(ball["first"] @ u3)
    u2 = law.cross(u3, u1)
    length = math.sqrt(float(u2 @ u2))
    is_singular = length < LEAST_COSINE
    if is_singular:
        turn = np.zeros(4)
        mujoco.mju_axisAngle2Quat(turn, u3, float(start[2] - last["position"]))
        u2 = rotate(turn, ball["second"])
    else:
        u2 = u2 / length
        third = float(start[2]) - signed_angle(ball["second"], u2, u3)
        last["position"] = _unwrapped(third, float(last["position"]))
    turned = float(start[0]) + signed_angle(ball["second"], rotate(q, u2), ball["first"])
    first["position"] = _unwrapped(turned, float(first["position"]))
    angles = [
        float(first["position"]),
        float(start[1]) + math.asin(_unit(sine)) - math.asin(_unit(at_start)),
        float(last["position"]),
    ]
    if is_singular:
        return angles, (u1, u2, np.zeros(3))
    square = 1 - sine * sine
    return angles, ((u1 - sine * u3) / square, u2, (u3 - sine * u1) / square)


def _unwrapped(angle: float, last: float) -> float:
    """Return the angle that turns as far and is nearest to `last`."""
    return angle + 2 * math.pi * round((last - angle) / (2 * math.pi))


def _unit(x: float) -> float:
    return min(max(x, -1.0), 1.0)


def read_joint(m: mujoco.MjModel, d: mujoco.MjData, axis: t.Record) -> AxisReading:
    """Return the reading of an axis with a dof of its own."""
    jacobian = np.zeros(m.nv)
    jacobian[axis["dof"]] = 1.0
    return AxisReading(float(d.qpos[axis["qpos"]]), jacobian, jacobian)


def axis_rows(
    axis: t.Record,
    reading: AxisReading,
    speed: float,
    target: tuple[float, float],
    h: float,
    cfm: float,
) -> list[tuple[int, law.Row]]:
    """Return (0 motor, 1 spring, 2 low stop, 3 high stop; row) of one axis."""
    out: list[tuple[int, law.Row]] = []
    velocity, effort = target
    q = reading.position
    if effort > 0:
        out.append((0, law.row_motor(velocity, effort, 0.0 if axis["rigid"] else cfm)))
    damping = axis["damping"] + axis["brake"]
    if axis["spring"] > 0 or damping > 0:
        out.append((1, law.row_spring(h, q, axis["spring"], damping)))
    for part, side, stop in ((2, 1, axis["stop_low"]), (3, -1, axis["stop_high"])):
        if (q - stop) * side <= 0:
            stops = (axis["stop_erp"], axis["stop_cfm"], axis["stop_bounce"])
            out.append((part, law.row_stop(h, side, q - stop, speed, *stops)))
    return out
