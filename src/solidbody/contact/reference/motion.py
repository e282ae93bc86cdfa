"""Motion in the reference step: kinematic bodies, integrator, damping (native: sb_motion.c)."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact import tables as t
from solidbody.contact.vectors import rotate_back

MAX_ANGULAR_SPEED = 10000.0
"""[rad/s] See SB_MAX_ANGULAR_SPEED."""


def move_kinematic(
    m: mujoco.MjModel, d: mujoco.MjData, movers: t.Table, *, owns_model: bool
) -> None:
    """Advance kinematic bodies by their velocities."""
    h = m.opt.timestep
    moving = [
        row
        for row in movers
        if (row["linear"].any() or row["angular"].any()) and (row["mocap"] >= 0 or owns_model)
    ]
    if any(row["mocap"] < 0 for row in moving):
        mujoco.mj_kinematics(m, d)
    for row in moving:
        k, body = int(row["mocap"]), int(row["body"])
        linear, axis = row["linear"].copy(), row["angular"].copy()
        pos, quat = (
            (m.body_pos[body], m.body_quat[body]) if k < 0 else (d.mocap_pos[k], d.mocap_quat[k])
        )
        if k < 0:
            parent = d.xquat[m.body_parentid[body]]
            linear, axis = rotate_back(parent, linear), rotate_back(parent, axis)
        pos += h * linear
        speed = mujoco.mju_normalize3(axis)
        if speed > 0:
            turn, turned = np.zeros(4), np.zeros(4)
            mujoco.mju_axisAngle2Quat(turn, axis, speed * h)
            mujoco.mju_mulQuat(turned, turn, quat.copy())
            mujoco.mju_normalize4(turned)
            quat[:] = turned


def integrate(m: mujoco.MjModel, d: mujoco.MjData, *, ode_rotation: bool) -> None:
    """Velocities by acceleration, then positions by the new velocities."""
    h = m.opt.timestep
    d.qvel[:] += h * d.qacc
    for joint in range(m.njnt):
        if m.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            dof = m.jnt_dofadr[joint] + 3
            speed = math.sqrt(float(np.sum(d.qvel[dof : dof + 3] ** 2)))
            if speed > MAX_ANGULAR_SPEED:
                d.qvel[dof : dof + 3] *= MAX_ANGULAR_SPEED / speed
    if ode_rotation:
        _advance_as_ode(m, d, h)
    else:
        qpos = d.qpos.copy()
        mujoco.mj_integratePos(m, qpos, d.qvel, h)
        d.qpos[:] = qpos
    d.time += h


def _advance_as_ode(m: mujoco.MjModel, d: mujoco.MjData, h: float) -> None:
    for joint in range(m.njnt):
        q, v = int(m.jnt_qposadr[joint]), int(m.jnt_dofadr[joint])
        match m.jnt_type[joint]:
            case mujoco.mjtJoint.mjJNT_FREE:
                d.qpos[q : q + 3] += h * d.qvel[v : v + 3]
                _rotate_as_ode(d.qpos[q + 3 : q + 7], d.qvel[v + 3 : v + 6], h)
            case mujoco.mjtJoint.mjJNT_BALL:
                _rotate_as_ode(d.qpos[q : q + 4], d.qvel[v : v + 3], h)
            case mujoco.mjtJoint.mjJNT_HINGE:
                d.qpos[q] += 2 * math.atan(0.5 * h * d.qvel[v])
            case _:
                d.qpos[q] += h * d.qvel[v]


def _rotate_as_ode(q: np.ndarray, w: np.ndarray, h: float) -> None:
    """Q <- normalise(q + h/2 q (0, w)), w in body axes."""
    rate = np.zeros(4)
    mujoco.mju_mulQuat(rate, q.copy(), np.array([0.0, *w]))
    q += 0.5 * h * rate
    q /= math.sqrt(float(np.sum(q**2)))


def damp(m: mujoco.MjModel, d: mujoco.MjData, dampers: t.Table) -> None:
    """Take away the share of momentum that each damped body loses in a step."""
    lost = np.zeros(m.nv)
    for damper in dampers:
        dof, body = int(damper["free_dof"]), int(damper["body"])
        if dof >= 0:
            d.qvel[dof : dof + 3] *= 1 - damper["linear"]
            d.qvel[dof + 3 : dof + 6] *= 1 - damper["angular"]
            continue
        jp, jr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_jacBodyCom(m, d, jp, jr, body)
        axes = d.ximat[body].reshape(3, 3)
        moment = axes @ (damper["angular"] * m.body_inertia[body] * (axes.T @ (jr @ d.qvel)))
        lost += jp.T @ (damper["linear"] * m.body_mass[body] * (jp @ d.qvel)) + jr.T @ moment
    if lost.any():
        change = np.zeros((1, m.nv))
        mujoco.mj_solveM(m, d, change, lost.reshape(1, -1))
        d.qvel[:] -= change[0]


def is_too_fast(m: mujoco.MjModel, d: mujoco.MjData, sizes: NDArray[np.float64]) -> bool:
    """Whether a body moves by more than half its thickness in a step (native: sb_count_fast)."""
    for body in np.flatnonzero(sizes).tolist():
        arm = d.xipos[body] - d.subtree_com[m.body_rootid[body]]
        velocity = np.cross(d.cvel[body, :3], arm) + d.cvel[body, 3:]
        if m.opt.timestep * float(np.linalg.norm(velocity)) > sizes[body]:
            return True
    return False
