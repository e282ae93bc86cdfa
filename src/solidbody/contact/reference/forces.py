"""Applied forces of the reference step: thrust, gyroscopic and Coriolis terms (native: sb_thrust.c)."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import law, layout
from solidbody.contact import tables as t
from solidbody.contact.reference.momentum import turns_far
from solidbody.contact.state import StepState, loops_of
from solidbody.contact.vectors import velocity_at

Vector = NDArray[np.float64]


def apply(
    m: mujoco.MjModel, d: mujoco.MjData, force: Vector, torque: Vector, point: Vector, body: int
) -> None:
    """Add a force at a point and a torque to the passive forces."""
    out = d.qfrc_passive.copy()
    mujoco.mj_applyFT(m, d, force, torque, point, body, out)
    d.qfrc_passive[:] = out


def apply_thrust(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState
) -> None:
    """Propellers and rotors."""
    for p, given in zip(tables.propellers, state.propellers, strict=False):
        body = int(p["body"])
        tree = int(m.body_treeid[body])
        if tree >= 0 and d.tree_asleep[tree] >= 0:
            continue
        mat = d.xmat[body].reshape(3, 3)
        point, axis = mat @ p["point"] + d.xpos[body], mat @ p["direction"]
        thrust, torque = float(given["force"]), float(given["moment"])
        if p["axis"] >= 0:
            motor = state.motors[p["axis"]]
            rate = float(motor["velocity"])
            advance = float(velocity_at(m, d, body, point) @ p["local"])
            thrust, torque = (
                float(c[0] * abs(rate) * rate - c[1] * abs(rate) * advance)
                for c in (p["thrust"], p["torque"])
            )
            torque = min(max(torque, -float(p["max_torque"])), float(p["max_torque"]))
            motor["effort"] = motor["reaction"] = abs(thrust) + abs(torque)
        apply(m, d, thrust * axis, -torque * axis, point, body)


GYRO_ITERATIONS = 12
"""See SB_GYRO_ITERATIONS."""
GYRO_SAME = 1e-14
"""See SB_GYRO_SAME."""


GYRO_GAIN = 1.0
"""[1/s] See SB_GYRO_GAIN."""


def apply_gyro(m: mujoco.MjModel, d: mujoco.MjData, far: set[int], *, always: bool) -> None:
    """Add the difference of implicit and explicit gyroscopic torque; none to trees that turn far.

    To all bodies, or else to those by themselves that would gain too much energy.
    """
    h = m.opt.timestep
    for body in range(1, m.nbody):
        inertia = m.body_inertia[body]
        tree = int(m.body_treeid[body])
        if tree < 0 or m.body_mass[body] <= 0 or tree in far or d.tree_asleep[tree] >= 0:
            continue
        mat = d.ximat[body].reshape(3, 3)
        w = mat.T @ d.cvel[body, :3]
        explicit = law.cross(w, inertia * w)
        if not always:
            gain = h * h * float((explicit * explicit / inertia).sum())
            is_alone = m.tree_bodynum[tree] == 1 and m.tree_dofnum[tree] == 6
            if not is_alone or gain <= GYRO_GAIN * h * float((inertia * w * w).sum()):
                continue
        torque = mat @ (inertia * _spin_change(inertia, w, h) / h + explicit)
        apply(m, d, np.zeros(3), torque, d.xipos[body].copy(), body)


def _spin_change(inertia: Vector, w: Vector, h: float) -> Vector:
    """Return the change of spin under the torque of the middle of the step (native: spin_change)."""
    off = -h * law.cross(w, inertia * w)
    first = np.linalg.solve(_gyro_matrix(inertia, w, h), off).astype(np.float64)
    change, size, rest = first, float(np.linalg.norm(w)), 1.0
    for _ in range(GYRO_ITERATIONS):
        if rest <= GYRO_SAME * size:
            break
        middle = w + 0.5 * change
        off = inertia * change + h * law.cross(middle, inertia * middle)
        step = np.linalg.solve(_gyro_matrix(inertia, middle, 0.5 * h), off)
        change = change - step
        rest = float(np.linalg.norm(step))
    return change if rest <= 1e-9 * size else first


def _gyro_matrix(inertia: Vector, w: Vector, k: float) -> Vector:
    return np.diag(inertia) + k * (_skew(w) @ np.diag(inertia) - _skew(inertia * w))


SMOOTH_CHANGE = 2.0
"""See SB_SMOOTH_CHANGE."""


CORRECTION = 0.4
"""See SB_CORRECTION."""


def center_coriolis(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState
) -> set[int]:
    """Take the velocity-dependent forces of jointed trees of the middle of the step, if that is the rule.

    (native: sb_coriolis.c)

    Returns:
        Trees that turn far, which get none.
    """
    touched = {
        int(m.body_treeid[m.geom_bodyid[geom]])
        for contact in d.contact
        if not contact.exclude
        for geom in contact.geom
        if geom >= 0
    }
    driven, far = _driven_trees(m, tables, state), set[int]()
    h, before = m.opt.timestep, d.qvel.copy()
    share, still = np.full(m.nv, np.nan), np.zeros(m.nv, dtype=bool)
    for tree in range(m.ntree):
        dofs = slice(m.tree_dofadr[tree], m.tree_dofadr[tree] + m.tree_dofnum[tree])
        is_free = m.tree_bodynum[tree] == 1 and m.tree_dofnum[tree] == 6
        if d.tree_asleep[tree] >= 0 or is_free:
            continue
        if turns_far(m, d, tree):
            far.add(tree)
            still[dofs] = True
            continue
        if tree in touched or not tables.world["middle_coriolis"][0]:
            continue
        if h * np.abs(d.qacc[dofs]).max() <= SMOOTH_CHANGE * np.abs(before[dofs]).max():
            share[dofs] = 0.0 if tree in driven else CORRECTION
    smooth = ~np.isnan(share)
    if not smooth.any() and not far:
        return far
    acceleration = d.qacc.copy()
    for _ in range(2 if (share > 0.0).any() else 1):
        d.qvel[smooth] += 0.5 * h * acceleration[smooth]
        d.qvel[still] = 0.0
        mujoco.mj_comVel(m, d)
        bias, found = np.zeros(m.nv), np.zeros((1, m.nv))
        mujoco.mj_rne(m, d, 0, bias)
        d.qfrc_bias[:] = bias
        d.qvel[:] = before
        mujoco.mj_solveM(m, d, found, (d.qfrc_passive - bias).reshape(1, -1))
        acceleration = (1.0 - share) * d.qacc + share * found[0]
    mujoco.mj_comVel(m, d)
    return far


def _driven_trees(m: mujoco.MjModel, tables: t.StepTables, state: StepState) -> set[int]:
    """Return the trees whose acceleration depends on rows of motors, springs and loops."""
    out: set[int] = set()
    for axis, told in zip(tables.axes, state.commands, strict=False):
        drives = told["mode"] != layout.MotorMode.NONE or told["brake"] > 0
        pushes = any(axis[name] > 0 for name in ("static_friction", "spring", "damping"))
        if (drives or pushes) and axis["dof"] >= 0:
            out.add(int(m.body_treeid[m.dof_bodyid[axis["dof"]]]))
    for loop in loops_of(tables, state):
        if loop["kind"]:
            out.update(int(m.body_treeid[body]) for body in loop["body"])
    return out


def _skew(v: Vector) -> Vector:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
