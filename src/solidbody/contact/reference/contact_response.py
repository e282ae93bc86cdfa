"""Compliance of jointed bodies at a contact point (native: sb_contact_response.c)."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.state import StepState

DRIVING = (layout.MotorMode.VELOCITY, layout.MotorMode.POSITION)


def held_dofs(tables: t.StepTables, state: StepState) -> list[int]:
    """Return the dofs of joints that go where they are told whatever pushes them."""
    return [
        int(axis["dof"])
        for axis, told in zip(tables.axes, state.commands, strict=False)
        if axis["kind"] == layout.AxisKind.JOINT
        and axis["rigid"]
        and told["mode"] in DRIVING
        and told["available_effort"] > 0
    ]


def response(
    m: mujoco.MjModel,
    d: mujoco.MjData,
    contact: Any,
    direction: NDArray[np.float64],
    held: list[int],
) -> float:
    """Return the velocity that a unit impulse makes along itself at a contact, with joints held [1/kg]."""
    rows = np.zeros((1 + len(held), m.nv))
    sides = np.zeros((2, 3, m.nv))
    for side, geom in zip(sides, contact.geom, strict=True):
        mujoco.mj_jac(m, d, side, None, contact.pos, int(m.geom_bodyid[geom]))
    rows[0] = direction @ (sides[1] - sides[0])
    rows[range(1, len(rows)), held] = 1.0
    answers = np.zeros_like(rows)
    mujoco.mj_solveM(m, d, answers, rows)
    a = rows @ answers.T
    return float(a[0, 0] - a[0, 1:] @ np.linalg.solve(a[1:, 1:], a[1:, 0]))
