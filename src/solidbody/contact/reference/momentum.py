"""Keeps the momentum of jointed trees when their poses change (native: sb_momentum.c)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.contact.vectors import rotate_back

Vector = NDArray[np.float64]
FREE = mujoco.mjtJoint.mjJNT_FREE

FAR_TURN = 0.3
"""[rad] See SB_FAR_TURN."""
FAR_WHEEL_TURN = 1.0
"""[rad] See SB_FAR_WHEEL_TURN."""
ROUND = 1e-6
"""[m], and as a share. See SB_ROUND."""


@dataclass(slots=True)
class Carried:
    """What trees carry from the poses before a step to those after it.

    Attributes:
        before: Velocities before the step.
        momenta: Of floating trees: angular (about the world's origin), linear, centre of mass.
        links: Of links of trees that turn far: angular (about its own centre), linear momentum.
        rotations: Twice the energy of rotation of those links [J].
        energies: Kinetic energy of those trees [J].
    """

    before: Vector
    momenta: dict[int, Vector] = field(default_factory=dict[int, Vector])
    links: dict[int, Vector] = field(default_factory=dict[int, Vector])
    rotations: dict[int, float] = field(default_factory=dict[int, float])
    energies: dict[int, float] = field(default_factory=dict[int, float])


def turns_far(m: mujoco.MjModel, d: mujoco.MjData, tree: int) -> bool:
    """Whether a joint or the root of a tree turns far in a step; round wheels may turn farther."""
    for dof in tree_dofs(m, tree):
        joint = m.dof_jntid[dof]
        kind = m.jnt_type[joint]
        turns = (
            dof - m.jnt_dofadr[joint] > 2 if kind == FREE else kind != mujoco.mjtJoint.mjJNT_SLIDE
        )
        turn = m.opt.timestep * abs(d.qvel[dof]) if turns else 0.0
        if turn > FAR_WHEEL_TURN or (turn > FAR_TURN and not is_wheel(m, joint)):
            return True
    return False


def is_wheel(m: mujoco.MjModel, joint: int) -> bool:
    """Whether a joint turns a single link that is round about its axis."""
    body = m.jnt_bodyid[joint]
    if (
        m.jnt_type[joint] != mujoco.mjtJoint.mjJNT_HINGE
        or m.body_jntnum[body] != 1
        or m.body_subtreemass[body] != m.body_mass[body]
    ):
        return False
    axis = m.jnt_axis[joint]
    if np.linalg.norm(np.cross(m.body_ipos[body] - m.jnt_pos[joint], axis)) > ROUND:
        return False
    turned = rotate_back(m.body_iquat[body], axis)
    moments = np.diag(m.body_inertia[body])
    along = turned @ moments @ turned
    across = 0.5 * (np.trace(moments) - along)
    wanted = (along - across) * np.outer(turned, turned) + across * np.eye(3)
    return bool(np.abs(moments - wanted).max() <= ROUND * np.trace(moments))


def tree_dofs(m: mujoco.MjModel, tree: int) -> range:
    """Return the degrees of freedom of a tree."""
    first = int(m.tree_dofadr[tree])
    return range(first, first + int(m.tree_dofnum[tree]))


def tree_bodies(m: mujoco.MjModel, tree: int) -> range:
    """Return the links of a tree, its root first."""
    first = int(m.tree_bodyadr[tree])
    return range(first, first + int(m.tree_bodynum[tree]))


def floating_trees(m: mujoco.MjModel, d: mujoco.MjData) -> set[int]:
    """Return the mechanisms with a free root that do not touch the static world."""
    out = {
        tree
        for tree in range(m.ntree)
        if m.tree_bodynum[tree] > 1
        and d.tree_asleep[tree] < 0
        and m.jnt_type[m.dof_jntid[m.tree_dofadr[tree]]] == FREE
    }
    for contact in d.contact:
        if contact.exclude or min(contact.geom) < 0:
            continue
        trees = [int(m.body_treeid[m.geom_bodyid[geom]]) for geom in contact.geom]
        if min(trees) < 0:
            out -= set(trees)
    return out


def carry(
    m: mujoco.MjModel, d: mujoco.MjData, before: Vector, floating: set[int], far: set[int]
) -> None:
    """Let floating trees keep their momenta, and the links of those that turn far carry theirs.

    Poses in `d` are those before the step, positions and velocities those after it.
    """
    if not floating and not far:
        return
    carried = Carried(before)
    _note_trees(m, d, floating, carried)
    _note_links(m, d, far, carried)
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    if far:
        _join_links(m, d, far, carried)
    for tree in sorted(floating):
        _restore(m, d, tree, carried)


def _note_trees(m: mujoco.MjModel, d: mujoco.MjData, floating: set[int], carried: Carried) -> None:
    h = m.opt.timestep
    pushed = np.zeros(m.nv)
    mujoco.mj_mulM(m, d, pushed, d.qvel - carried.before)
    pushed += h * d.qfrc_bias
    for tree in floating:
        root, dof = int(m.tree_bodyadr[tree]), int(m.tree_dofadr[tree])
        momentum, _, mass = _sum_tree(m, d, tree)
        com, push = d.subtree_com[root].copy(), pushed[dof : dof + 3]
        weight = h * mass * m.opt.gravity
        linear = momentum[3:] + push + weight
        torque = d.xmat[root].reshape(3, 3) @ pushed[dof + 3 : dof + 6]
        angular = momentum[:3] + np.cross(com, momentum[3:]) + torque
        angular += np.cross(d.xpos[root], push) + np.cross(com, weight)
        carried.momenta[tree] = np.concatenate([angular, linear, com + h * linear / mass])


def _note_links(m: mujoco.MjModel, d: mujoco.MjData, far: set[int], carried: Carried) -> None:
    mujoco.mj_comVel(m, d)
    for tree in far:
        carried.energies[tree] = _energy(m, d, tree)
        for body in tree_bodies(m, tree):
            spin, velocity = d.cvel[body, :3], d.cvel[body, 3:]
            arm = d.xipos[body] - d.subtree_com[m.body_rootid[body]]
            axes = d.ximat[body].reshape(3, 3)
            own = axes @ (m.body_inertia[body] * (axes.T @ spin))
            linear = m.body_mass[body] * (velocity + np.cross(spin, arm))
            carried.links[body] = np.concatenate([own, linear])
            carried.rotations[body] = float(own @ spin)


def _join_links(m: mujoco.MjModel, d: mujoco.MjData, far: set[int], carried: Carried) -> None:
    mujoco.mj_makeM(m, d)
    mujoco.mj_factorM(m, d)
    wanted, found = np.zeros(m.nv), np.zeros((1, m.nv))
    dofs = [dof for tree in far for dof in tree_dofs(m, tree)]
    wanted[dofs] = m.dof_armature[dofs] * d.qvel[dofs]
    for body, momentum in carried.links.items():
        axes = d.ximat[body].reshape(3, 3)
        own, allowed = momentum[:3], carried.rotations[body]
        energy = float(np.sum((axes.T @ own) ** 2 / np.maximum(1e-15, m.body_inertia[body])))
        if energy > allowed:
            own = own * math.sqrt(allowed / energy)
        jp, jr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_jacBodyCom(m, d, jp, jr, body)
        wanted += jp.T @ momentum[3:] + jr.T @ own
    mujoco.mj_solveM(m, d, found, wanted.reshape(1, -1))
    d.qvel[dofs] = found[0, dofs]


def _restore(m: mujoco.MjModel, d: mujoco.MjData, tree: int, carried: Carried) -> None:
    mujoco.mj_comVel(m, d)
    root, dof = int(m.tree_bodyadr[tree]), int(m.tree_dofadr[tree])
    wanted = carried.momenta[tree]
    linear, com = wanted[3:6], wanted[6:]
    angular = wanted[:3] - np.cross(com, linear)
    now, inertia, mass = _sum_tree(m, d, tree)
    arm = d.xpos[root] - d.subtree_com[root]
    axes = d.xmat[root].reshape(3, 3)
    place = m.jnt_qposadr[m.body_jntadr[root]]
    d.qpos[place : place + 3] += com - d.subtree_com[root]
    turn = np.linalg.solve(inertia, angular - now[:3])
    d.qvel[dof : dof + 3] += (linear - now[3:]) / mass + np.cross(turn, arm)
    d.qvel[dof + 3 : dof + 6] += axes.T @ turn
    if tree not in carried.energies:
        return
    mujoco.mj_comVel(m, d)
    turn = np.linalg.solve(inertia, angular)
    rigid = 0.5 * float(linear @ linear / mass + angular @ turn)
    inner, allowed = _energy(m, d, tree) - rigid, carried.energies[tree] - rigid
    if inner <= allowed or inner <= 0.0:
        return
    still = np.zeros(int(m.tree_dofnum[tree]))
    still[:3], still[3:6] = linear / mass + np.cross(turn, arm), axes.T @ turn
    own = slice(dof, dof + len(still))
    share = math.sqrt(allowed / inner) if allowed > 0.0 else 0.0
    d.qvel[own] = still + share * (d.qvel[own] - still)


def _sum_tree(m: mujoco.MjModel, d: mujoco.MjData, tree: int) -> tuple[Vector, Vector, float]:
    """Return momenta (angular about the centre of mass, linear), inertia about it, and mass."""
    momentum, inertia, mass = np.zeros(6), np.zeros((3, 3)), 0.0
    for body in tree_bodies(m, tree):
        momentum += _momentum(d, body)
        inertia += _tensor(d.cinert[body])
        mass += float(d.cinert[body, 9])
    return momentum, inertia, mass


def _momentum(d: mujoco.MjData, body: int) -> Vector:
    c, spin, velocity = d.cinert[body], d.cvel[body, :3], d.cvel[body, 3:]
    angular = _tensor(c) @ spin + np.cross(c[6:9], velocity)
    return np.concatenate([angular, c[9] * velocity + np.cross(spin, c[6:9])])


def _tensor(c: Vector) -> Vector:
    return c[[0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(3, 3)


def _energy(m: mujoco.MjModel, d: mujoco.MjData, tree: int) -> float:
    dofs = list(tree_dofs(m, tree))
    total = 0.5 * float(np.sum(m.dof_armature[dofs] * d.qvel[dofs] ** 2))
    return total + sum(
        0.5 * float(_momentum(d, body) @ d.cvel[body]) for body in tree_bodies(m, tree)
    )
