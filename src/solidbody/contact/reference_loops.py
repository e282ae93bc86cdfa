"""Joints that close a loop, in the reference step (native: sb_loops.c)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law
from solidbody.contact import tables as t
from solidbody.contact.reference_axes import AxisReading, euler_angles, rotate

Vector = NDArray[np.float64]

LEAST_RESPONSE = 1e-9
"""[1/kg] See SB_LEAST_RESPONSE."""

_Z = np.array([0.0, 0.0, 1.0])


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
    for number, loop in enumerate(tables.loops[: int(tables.world["loops"][0])]):
        first = int(loop["axis"])
        if first < 0 or loop["kind"] == t.LoopKind.NONE:
            continue
        at = find_ends(m, d, loop)
        if loop["kind"] == t.LoopKind.BALL:
            (ball,) = tables.balls[tables.balls["loop"] == number]
            out |= _read_ball(ball, at, motors)
            continue
        z = at.axes[0][2]
        values: list[float]
        rows: list[Vector]
        pushes: list[Vector]
        match loop["kind"]:
            case t.LoopKind.HINGE:
                values = [_angle_about(at.axes[0][0], at.axes[1][0], z) - float(loop["turned"])]
                rows = pushes = [z @ at.angular]
            case t.LoopKind.HINGE2:
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
            if loop["kind"] != t.LoopKind.SLIDER:
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


def loop_rows(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables
) -> list[tuple[Vector, law.Row, tuple[int, int]]]:
    """Return (Jacobian, row, (loop, part)) of all loops, without rows that nothing answers to."""
    world = tables.world[0]
    h, erp, cfm = m.opt.timestep, float(world["erp"]), float(world["cfm"])
    out: list[tuple[Vector, law.Row, tuple[int, int]]] = []
    for number, loop in enumerate(tables.loops[: int(world["loops"])]):
        trees = m.body_treeid[loop["body"]]
        if loop["kind"] == t.LoopKind.NONE or any(d.tree_asleep[k] >= 0 for k in trees if k >= 0):
            continue
        at = find_ends(m, d, loop)
        for part, jacobian, error in _holds(loop, at):
            response = np.zeros((1, m.nv))
            mujoco.mj_solveM(m, d, response, jacobian.reshape(1, -1))
            if float(jacobian @ response[0]) >= LEAST_RESPONSE:
                row = law.row_bilateral(h, error, erp, cfm)
                out.append((jacobian, row, (number, part)))
    return out


def _holds(loop: t.Record, at: Ends) -> list[tuple[int, Vector, float]]:
    """Return (part, Jacobian, error) of the rows of one loop: along axes 0 to 2, about axes 3 to 5."""
    kind, axes = loop["kind"], at.axes[0]
    gap = at.points[1] - at.points[0]
    slides = kind in (t.LoopKind.PISTON, t.LoopKind.SLIDER)
    held = range(2 if kind == t.LoopKind.PLANE else 0, 2 if slides else 3)
    out = [(i, axes[i] @ at.linear, float(gap @ axes[i])) for i in held]
    if kind in (t.LoopKind.HINGE, t.LoopKind.PLANE):
        turn = law.cross(axes[2], at.axes[1][2])
        out += [(3 + i, axes[i] @ at.angular, float(turn @ axes[i])) for i in range(2)]
    elif kind in (t.LoopKind.FIXED, t.LoopKind.SLIDER, t.LoopKind.GRIP):
        q = np.zeros(4)
        mujoco.mju_mulQuat(q, at.quats[0] * (1, -1, -1, -1), at.quats[1])
        sign = -2.0 if q[0] < 0 else 2.0
        out += [(3 + i, axes[i] @ at.angular, float(sign * q[1 + i])) for i in range(3)]
    elif kind == t.LoopKind.HINGE2:
        u = rotate(at.quats[1], loop["second"])
        n = law.cross(axes[2], u)
        n = n / math.sqrt(float(n @ n))
        cosine = min(max(float(axes[2] @ u), -1.0), 1.0)
        out.append((3, n @ at.angular, math.acos(cosine) - math.acos(float(loop["second"][2]))))
    return out
