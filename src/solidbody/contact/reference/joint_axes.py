"""Rows of the axes of joints in the reference step (native: sb_joint_axes.c)."""

from __future__ import annotations

import mujoco
import numpy as np

from solidbody.contact import law
from solidbody.contact import tables as t
from solidbody.contact.readings import AxisReading


def read_joint(m: mujoco.MjModel, d: mujoco.MjData, axis: t.Record) -> AxisReading:
    """Return the reading of an axis with a dof of its own."""
    jacobian = np.zeros(m.nv)
    jacobian[axis["dof"]] = 1.0
    return AxisReading(float(d.qpos[axis["qpos"]]), jacobian, jacobian)


def axis_rows(
    axis: t.Record,
    brake: float,
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
    damping = axis["damping"] + brake
    if axis["spring"] > 0 or damping > 0:
        out.append((1, law.row_spring(h, q, axis["spring"], damping)))
    for part, side, stop in ((2, 1, axis["stop_low"]), (3, -1, axis["stop_high"])):
        if (q - stop) * side <= 0:
            stops = (axis["stop_erp"], axis["stop_cfm"], axis["stop_bounce"])
            out.append((part, law.row_stop(h, side, q - stop, speed, *stops)))
    return out
