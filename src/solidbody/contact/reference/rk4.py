"""Fourth-order Runge-Kutta (RK4) integration in the reference step (native: sb_rk4.c)."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import layout
from solidbody.contact import tables as t

Numbers = NDArray[np.float64]

STAGES = ((1 / 2, 2 / 6, 1 / 6), (1 / 2, 2 / 6, 2 / 6), (1.0, 1 / 6, 3 / 6))
"""Of the second to fourth stage: share of the step at which it looks, weights of acceleration and rate."""


def integrate_rk4(m: mujoco.MjModel, d: mujoco.MjData, axes: t.Table, commands: t.Table) -> None:
    """Go on by a step; forces of constraints and motors stay those of its start."""
    h = m.opt.timestep
    given = np.zeros(m.nv, dtype=bool)
    for axis, told in zip(axes, commands, strict=True):
        if axis["dof"] >= 0 and told["mode"] in (
            layout.MotorMode.VELOCITY,
            layout.MotorMode.POSITION,
        ):
            given[axis["dof"]] = True
    position, velocity = d.qpos.copy(), d.qvel.copy()
    force = np.zeros(m.nv)
    mujoco.mj_mulM(m, d, force, d.qacc)
    force += _bias(m, d)

    def set_out(rate: Numbers, acceleration: Numbers, time: float) -> None:
        d.qvel[:] = velocity + time * acceleration
        moving = np.where(given, d.qvel, rate)
        for joint in np.flatnonzero(m.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
            root = slice(m.jnt_dofadr[joint], m.jnt_dofadr[joint] + 6)
            moving[root] = velocity[root]
        reached = position.copy()
        mujoco.mj_integratePos(m, reached, moving, time)
        d.qpos[:] = reached

    rate, acceleration = velocity.copy(), d.qacc.copy()
    rates, accelerations = np.zeros(m.nv), acceleration / 6
    for share, weight, rate_weight in STAGES:
        set_out(rate, acceleration, share * h)
        found = np.zeros((1, m.nv))
        mujoco.mj_solveM(m, d, found, (force - _look(m, d)).reshape(1, -1))
        rate = d.qvel.copy()
        acceleration = np.where(given, d.qacc, found[0])
        rates += rate_weight * rate
        accelerations += weight * acceleration
    # what is read after a step belongs to its start, as with the other rule
    d.qpos[:], d.qvel[:] = position, velocity
    _look(m, d)
    set_out(rates, accelerations, h)
    d.time += h


def _bias(m: mujoco.MjModel, d: mujoco.MjData) -> Numbers:
    """Return gravity and the forces quadratic in the velocity."""
    out = np.zeros(m.nv)
    mujoco.mj_rne(m, d, 0, out)
    return out


def _look(m: mujoco.MjModel, d: mujoco.MjData) -> Numbers:
    """Find inertia and forces at the pose and velocity of the data; return the latter."""
    mujoco.mj_fwdKinematics(m, d)
    mujoco.mj_makeM(m, d)
    mujoco.mj_factorM(m, d)
    mujoco.mj_comVel(m, d)
    return _bias(m, d)
