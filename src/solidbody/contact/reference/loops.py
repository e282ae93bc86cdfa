"""Constraint rows of joints that close a loop, in the reference step (native: sb_loops.c)."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law, layout
from solidbody.contact import tables as t
from solidbody.contact.readings import Ends, find_ends
from solidbody.contact.state import StepState, loops_of
from solidbody.contact.vectors import rotate

Vector = NDArray[np.float64]

LEAST_RESPONSE = 1e-9
"""[1/kg] See SB_LEAST_RESPONSE."""


def loop_rows(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState
) -> list[tuple[Vector, law.Row, tuple[int, int]]]:
    """Return (Jacobian, row, (loop, part)) of all loops, without rows that nothing answers to."""
    world = tables.world[0]
    h, erp, cfm = m.opt.timestep, float(world["erp"]), float(world["cfm"])
    out: list[tuple[Vector, law.Row, tuple[int, int]]] = []
    for number, loop in enumerate(loops_of(tables, state)):
        trees = m.body_treeid[loop["body"]]
        if loop["kind"] == layout.LoopKind.NONE or any(
            d.tree_asleep[k] >= 0 for k in trees if k >= 0
        ):
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
    slides = kind in (layout.LoopKind.PISTON, layout.LoopKind.SLIDER)
    held = range(2 if kind == layout.LoopKind.PLANE else 0, 2 if slides else 3)
    out = [(i, axes[i] @ at.linear, float(gap @ axes[i])) for i in held]
    if kind in (layout.LoopKind.HINGE, layout.LoopKind.PLANE):
        turn = law.cross(axes[2], at.axes[1][2])
        out += [(3 + i, axes[i] @ at.angular, float(turn @ axes[i])) for i in range(2)]
    elif kind in (layout.LoopKind.FIXED, layout.LoopKind.SLIDER, layout.LoopKind.GRIP):
        q = np.zeros(4)
        mujoco.mju_mulQuat(q, at.quats[0] * (1, -1, -1, -1), at.quats[1])
        sign = -2.0 if q[0] < 0 else 2.0
        out += [(3 + i, axes[i] @ at.angular, float(sign * q[1 + i])) for i in range(3)]
    elif kind == layout.LoopKind.HINGE2:
        u = rotate(at.quats[1], loop["second"])
        n = law.cross(axes[2], u)
        n = n / math.sqrt(float(n @ n))
        cosine = min(max(float(axes[2] @ u), -1.0), 1.0)
        out.append((3, n @ at.angular, math.acos(cosine) - math.acos(float(loop["second"][2]))))
    return out
