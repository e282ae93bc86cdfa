"""Puts bodies at rest to sleep and wakes them, in the reference step (native: sb_sleep.c)."""

from __future__ import annotations

import mujoco
import numpy as np

from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.sleep import AWAKE, update_sleep
from solidbody.contact.state import StepState, loops_of
from solidbody.contact.vectors import velocity_at


def fall_asleep(m: mujoco.MjModel, d: mujoco.MjData, trees: t.Table) -> None:
    """Put trees that are ready to sleep where they are."""
    chosen = np.flatnonzero((trees["ready"][: m.ntree] != 0) & (d.tree_asleep < 0))
    for tree in chosen.tolist():
        d.tree_asleep[tree] = tree
        dofs = slice(m.tree_dofadr[tree], m.tree_dofadr[tree] + m.tree_dofnum[tree])
        bodies = slice(m.tree_bodyadr[tree], m.tree_bodyadr[tree] + m.tree_bodynum[tree])
        d.qvel[dofs], d.qacc[dofs], d.cvel[bodies] = 0.0, 0.0, 0.0
        trees["ready"][tree] = 0
    if len(chosen):
        update_sleep(m, d)


def wake_touched(
    m: mujoco.MjModel, d: mujoco.MjData, tables: t.StepTables, state: StepState
) -> bool:
    """Wake what awake or moved bodies touch; leave out contacts of sleepers with what stands still."""
    woke = False
    for contact in d.contact:
        if contact.exclude or min(contact.geom) < 0:
            continue
        bodies = [int(m.geom_bodyid[g]) for g in contact.geom]
        states = [_is_asleep(m, d, body) for body in bodies]
        if not any(states):
            continue
        sleeper = 0 if states[0] else 1
        other = bodies[1 - sleeper]
        pushes = not states[1 - sleeper] and (
            m.body_treeid[other] >= 0 or _is_moved(m, tables, state, other)
        )
        if pushes:
            _wake(d, state.trees, int(m.body_treeid[bodies[sleeper]]))
            woke = True
        else:
            contact.exclude = 1
    for loop in loops_of(tables, state):
        one, two = (int(m.body_treeid[body]) for body in loop["body"])
        if loop["kind"] == layout.LoopKind.NONE or min(one, two) < 0:
            continue
        if (d.tree_asleep[one] >= 0) != (d.tree_asleep[two] >= 0):
            _wake(d, state.trees, one if d.tree_asleep[one] >= 0 else two)
            woke = True
    if woke:
        update_sleep(m, d)
    return woke


def _wake(d: mujoco.MjData, trees: t.Table, tree: int) -> None:
    d.tree_asleep[tree] = AWAKE
    trees["idle"][tree], trees["ready"][tree] = 0.0, 0


def _is_asleep(m: mujoco.MjModel, d: mujoco.MjData, body: int) -> bool:
    tree = m.body_treeid[body]
    return bool(tree >= 0 and d.tree_asleep[tree] >= 0)


def _is_moved(m: mujoco.MjModel, tables: t.StepTables, state: StepState, body: int) -> bool:
    while body > 0:
        for row in state.moving:
            if row["body"] == body and (row["linear"].any() or row["angular"].any()):
                return True
        for row in tables.kinematics[: len(state.kinematics)]:
            axes = slice(int(row["axis"]), int(row["axis"] + row["axes"]))
            if row["body"] == body and state.motors["velocity"][axes].any():
                return True
        body = int(m.body_parentid[body])
    return False


def count_idle(
    m: mujoco.MjModel,
    d: mujoco.MjData,
    tables: t.StepTables,
    state: StepState,
    groups: list[list[int]],
) -> None:
    """Count idle time; trees of one group (that rows tie together) become ready together."""
    world, h = tables.world[0], m.opt.timestep
    for tree in range(m.ntree):
        at = state.trees[tree]
        if d.tree_asleep[tree] >= 0:
            continue
        is_idle = not tables.trees[tree]["stays_awake"] and all(
            np.linalg.norm(d.cvel[body, :3]) <= world["sleep_angular"]
            and np.linalg.norm(velocity_at(m, d, body, d.xipos[body])) <= world["sleep_linear"]
            for body in range(m.tree_bodyadr[tree], m.tree_bodyadr[tree] + m.tree_bodynum[tree])
        )
        at["idle"] = at["idle"] + h if is_idle else 0.0
        at["ready"] = at["idle"] > world["sleep_time"] - 0.5 * h
    for group in groups:
        if not all(state.trees["ready"][group]):
            state.trees["ready"][group] = 0


def rest(m: mujoco.MjModel, d: mujoco.MjData) -> None:
    """Take away accelerations that MuJoCo has left in sleeping trees."""
    for tree in np.flatnonzero(d.tree_asleep >= 0).tolist():
        d.qacc[m.tree_dofadr[tree] : m.tree_dofadr[tree] + m.tree_dofnum[tree]] = 0.0
