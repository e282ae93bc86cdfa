"""Forces known before the rows are solved, in the reference step (native: sb_thrust.c)."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law
from solidbody.contact import tables as t

Vector = NDArray[np.float64]


def velocity_at(m: mujoco.MjModel, d: mujoco.MjData, body: int, point: Vector) -> Vector:
    """Return the velocity of a point of a body, world."""
    v = d.cvel[body]
    return law.cross(v[:3], point - d.subtree_com[m.body_rootid[body]]) + v[3:]


def apply(
    m: mujoco.MjModel, d: mujoco.MjData, force: Vector, torque: Vector, point: Vector, body: int
) -> None:
    """Add a force at a point and a torque to the passive forces."""
    out = d.qfrc_passive.copy()
    mujoco.mj_applyFT(m, d, force, torque, point, body, out)
    d.qfrc_passive[:] = out


def apply_thrust(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, motors: t.Table
) -> None:
    """Propellers and rotors."""
    for p in tables.propellers[: int(tables.world["propellers"][0])]:
        body = int(p["body"])
        if d.tree_asleep[m.body_treeid[body]] >= 0:
            continue
        mat = d.xmat[body].reshape(3, 3)
        point, axis = mat @ p["point"] + d.xpos[body], mat @ p["direction"]
        thrust, torque = float(p["force"]), float(p["moment"])
        if p["axis"] >= 0:
            motor = motors[p["axis"]]
            rate = float(motor["velocity"])
            advance = float(velocity_at(m, d, body, point) @ p["local"])
            thrust, torque = (
                float(c[0] * abs(rate) * rate - c[1] * abs(rate) * advance)
                for c in (p["thrust"], p["torque"])
            )
            torque = min(max(torque, -float(p["max_torque"])), float(p["max_torque"]))
            motor["effort"] = motor["reaction"] = abs(thrust) + abs(torque)
        apply(m, d, thrust * axis, -torque * axis, point, body)


def apply_gyro(m: mujoco.MjModel, d: mujoco.MjData) -> None:
    """Add the difference of implicit and explicit gyroscopic torque."""
    h = m.opt.timestep
    for body in range(1, m.nbody):
        inertia = m.body_inertia[body]
        if m.body_treeid[body] < 0 or m.body_mass[body] <= 0:
            continue
        mat = d.ximat[body].reshape(3, 3)
        w = mat.T @ d.cvel[body, :3]
        momentum = inertia * w
        explicit = law.cross(w, momentum)
        a = np.diag(inertia) + h * (_skew(w) @ np.diag(inertia) - _skew(momentum))
        change = np.linalg.solve(a, -h * explicit)
        torque = mat @ (inertia * change / h + explicit)
        apply(m, d, np.zeros(3), torque, d.xipos[body].copy(), body)


SMOOTH_CHANGE = 2.0
"""See SB_SMOOTH_CHANGE."""


def center_coriolis(m: mujoco.MjModel, d: mujoco.MjData) -> None:
    """Take the velocity-dependent forces of jointed trees of the middle of the step.

    (native: sb_coriolis.c)
    """
    touched = {
        int(m.body_treeid[m.geom_bodyid[geom]])
        for contact in d.contact
        if not contact.exclude
        for geom in contact.geom
        if geom >= 0
    }
    h, before = m.opt.timestep, d.qvel.copy()
    for tree in range(m.ntree):
        dofs = slice(m.tree_dofadr[tree], m.tree_dofadr[tree] + m.tree_dofnum[tree])
        is_free = m.tree_bodynum[tree] == 1 and m.tree_dofnum[tree] == 6
        if tree in touched or d.tree_asleep[tree] >= 0 or is_free:
            continue
        change = 0.5 * h * d.qacc[dofs]
        if 2 * np.abs(change).max() <= SMOOTH_CHANGE * np.abs(before[dofs]).max():
            d.qvel[dofs] += change
    if (d.qvel == before).all():
        return
    mujoco.mj_comVel(m, d)
    bias = np.zeros(m.nv)
    mujoco.mj_rne(m, d, 0, bias)
    d.qfrc_bias[:] = bias
    d.qvel[:] = before
    mujoco.mj_comVel(m, d)


def _skew(v: Vector) -> Vector:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
