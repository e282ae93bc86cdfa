"""Rows of the axes of joints in the reference step (native: sb_joint_axes.c)."""

from __future__ import annotations

import mujoco
import numpy as np

from solidbody.contact import law, layout
from solidbody.contact import tables as t
from solidbody.contact.readings import AxisReading


def read_joint(m: mujoco.MjModel, d: mujoco.MjData, axis: t.Record) -> AxisReading:
    """Return the reading of an axis with a dof of its own."""
    jacobian = np.zeros(m.nv)
    jacobian[axis["dof"]] = 1.0
    return AxisReading(float(d.qpos[axis["qpos"]]), jacobian, jacobian)


def servo_cfm(axis: t.Record, told: t.Record, h: float) -> float:
    """Return the softness of a servo's row, 0 where the motor is none or does not pull."""
    if told["mode"] not in (layout.MotorMode.POSITION, layout.MotorMode.VELOCITY):
        return 0.0
    stiffness = axis["servo_stiffness"] if told["mode"] == layout.MotorMode.POSITION else 0.0
    pull = float(h * stiffness + axis["servo_damping"])
    return 1.0 / pull if pull > 0.0 else 0.0


def axis_rows(
    axis: t.Record,
    told: t.Record,
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
        soft = servo_cfm(axis, told, h) or (0.0 if axis["rigid"] else cfm)
        out.append((0, law.row_motor(velocity, effort, soft)))
    damping = axis["damping"] + told["brake"]
    if axis["spring"] > 0 or damping > 0:
        out.append((1, law.row_spring(h, q - axis["spring_rest"], axis["spring"], damping)))
    for part, side, stop in ((2, 1, axis["stop_low"]), (3, -1, axis["stop_high"])):
        if (q - stop) * side <= 0:
            stops = (axis["stop_erp"], axis["stop_cfm"], axis["stop_bounce"])
            out.append((part, law.row_stop(h, side, q - stop, speed, *stops)))
    return out
