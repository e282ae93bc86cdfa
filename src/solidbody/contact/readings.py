"""Positions and velocities of axes that MuJoCo has no coordinate for: ball joints and closed loops.

The simulation asks between steps, the reference step within its own (native: sb_joint_axes.c, sb_loops.c).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law, layout
from solidbody.contact import tables as t
from solidbody.contact.vectors import rotate, rotate_back

Vector = NDArray[np.float64]

_Z = np.array([0.0, 0.0, 1.0])

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
    u1, u3, start = rotate_back(q, ball["first"]), ball["third"], ball["start"]
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


@dataclass(frozen=True, slots=True)
class Ends:
    """World frames of the two ends, and the Jacobian of body 1 against body 0 at the point of end 1."""

    points: tuple[Vector, Vector]
    axes: tuple[Vector, Vector]
    quats: tuple[Vector, Vector]
    linear: Vector
    angular: Vector


def find_ends(m: mujoco.MjModel, d: mujoco.MjData, loop: t.Record) -> Ends:
    """Return where the ends of a loop stand."""
    points: list[Vector] = []
    quats: list[Vector] = []
    axes: list[Vector] = []
    for e in range(2):
        body = int(loop["body"][e])
        points.append(d.xpos[body] + rotate(d.xquat[body], loop["pos"][e]))
        quat = np.zeros(4)
        mujoco.mju_mulQuat(quat, d.xquat[body], loop["quat"][e].copy())
        quats.append(quat)
        axes.append(np.array([rotate(quat, unit) for unit in np.eye(3)]))
    jacobians: list[tuple[Vector, Vector]] = []
    for e in range(2):
        jp, jr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_jac(m, d, jp, jr, points[1], int(loop["body"][e]))
        jacobians.append((jp, jr))
    return Ends(
        (points[0], points[1]),
        (axes[0], axes[1]),
        (quats[0], quats[1]),
        jacobians[1][0] - jacobians[0][0],
        jacobians[1][1] - jacobians[0][1],
    )


def _angle_about(start: Vector, end: Vector, about: Vector) -> float:
    across = float(law.cross(start, end) @ about)
    return math.atan2(across, float(start @ end) - float(start @ about) * float(end @ about))


def _wrap_near(angle: float, near: float) -> float:
    return angle - 2 * math.pi * round((angle - near) / (2 * math.pi))


def read_loops(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, motors: t.Table
) -> dict[int, AxisReading]:
    """Return positions and Jacobians of the axes of loops by row of the axis table."""
    out: dict[int, AxisReading] = {}
    for number, loop in enumerate(tables.scene_loops):
        first = int(loop["axis"])
        if first < 0 or loop["kind"] == layout.LoopKind.NONE:
            continue
        at = find_ends(m, d, loop)
        if loop["kind"] == layout.LoopKind.BALL:
            (ball,) = tables.balls[tables.balls["loop"] == number]
            out |= _read_ball(ball, at, motors)
            continue
        z = at.axes[0][2]
        values: list[float]
        rows: list[Vector]
        pushes: list[Vector]
        match loop["kind"]:
            case layout.LoopKind.HINGE:
                values = [_angle_about(at.axes[0][0], at.axes[1][0], z) - float(loop["turned"])]
                rows = pushes = [z @ at.angular]
            case layout.LoopKind.HINGE2:
                u = rotate(at.quats[1], loop["second"])
                start = rotate(at.quats[0], loop["second"])
                carried = rotate(at.quats[1], _Z)
                values = [_angle_about(start, u, z), _angle_about(z, carried, u)]
                k = float(z @ u)
                rows = [(one - k * two) @ at.angular / (1 - k * k) for one, two in ((z, u), (u, z))]
                pushes = [z @ at.angular, u @ at.angular]
            case _:
                values = [float((at.points[1] - at.points[0]) @ z)]
                rows = pushes = [z @ at.linear]
        for i, value in enumerate(values):
            motor = motors[first + i]
            position = float(loop["start"][i]) + value
            if loop["kind"] != layout.LoopKind.SLIDER:
                position = _wrap_near(position, float(motor["position"]))
            motor["position"] = position
            out[first + i] = AxisReading(position, rows[i], pushes[i])
    return out


def _read_ball(ball: t.Record, at: Ends, motors: t.Table) -> dict[int, AxisReading]:
    """Return the Euler angles of a ball joint that closes a loop."""
    first, turn = int(ball["axis"]), np.zeros(4)
    mujoco.mju_mulQuat(turn, at.quats[0] * (1, -1, -1, -1), at.quats[1])
    angles, rows = euler_angles(ball, turn, motors[first : first + 3])
    jacobians = [rotate(at.quats[1], row) @ at.angular for row in rows]
    return {first + k: AxisReading(angles[k], jacobians[k], jacobians[k]) for k in range(3)}
