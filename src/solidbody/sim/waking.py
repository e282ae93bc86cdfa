"""Wakes sleeping bodies from outside, and restores who slept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from solidbody.contact.sleep import AWAKE, update_sleep

if TYPE_CHECKING:
    from solidbody.sim.core import Core
    from solidbody.sim.simulation import Sim


def wake_tree(core: Core, tree: int) -> None:
    """Wake one tree and let its idle time begin anew."""
    trees = core.state.trees
    trees["idle"][tree], trees["ready"][tree] = 0.0, 0
    if core.data.tree_asleep[tree] >= 0:
        core.data.tree_asleep[tree] = AWAKE
        update_sleep(core.model, core.data)


def hold_links(sim: Sim, links: Sequence[int]) -> None:
    """Let the trees that consist of these links sleep from the next step on, where sleeping is allowed."""
    trees = sim.model.body_treeid[sim.compiled.binding.body]
    others = np.delete(trees, links)
    for tree in set(trees[links].tolist()) - set(others.tolist()):
        if tree >= 0:
            sim.state.trees[tree]["ready"] = 1


def check_sleep(data: mujoco.MjData, asleep: bytes) -> bool:
    """Whether bytes tell who sleeps: trees that sleep together name each other in a circle.

    MuJoCo follows these circles without looking whether they are some.
    """
    kind = data.tree_asleep.dtype
    if len(asleep) != data.tree_asleep.nbytes:
        return False
    saved = np.frombuffer(asleep, dtype=kind)
    sleepers = np.flatnonzero(saved >= 0)
    return bool(np.array_equal(np.sort(saved[sleepers]), sleepers))


def restore_sleep(model: mujoco.MjModel, data: mujoco.MjData, asleep: bytes) -> None:
    """Put those to sleep who slept, with all that MuJoCo computes of them from the present positions."""
    saved = np.frombuffer(asleep, dtype=data.tree_asleep.dtype)
    if not ((saved >= 0).any() or (data.tree_asleep >= 0).any()):
        return
    data.tree_asleep[:] = AWAKE
    update_sleep(model, data)
    mujoco.mj_fwdKinematics(model, data)
    data.cvel[:] = 0.0
    data.tree_asleep[:] = saved
    update_sleep(model, data)
