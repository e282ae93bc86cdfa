"""Sleeping trees from outside: waking them, and bringing back who slept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from solidbody.contact.sleep import AWAKE, update_sleep

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


def wake_tree(sim: Sim, tree: int) -> None:
    """Wake one tree and let its idle time begin anew."""
    row = sim.compiled.tables.trees[tree]
    row["idle"], row["ready"] = 0.0, 0
    if sim.data.tree_asleep[tree] >= 0:
        sim.data.tree_asleep[tree] = AWAKE
        update_sleep(sim.model, sim.data)


def hold_links(sim: Sim, links: Sequence[int]) -> None:
    """Let the trees that consist of these links sleep from the next step on, where sleeping is allowed."""
    trees = sim.model.body_treeid[sim.compiled.binding.body]
    others = np.delete(trees, links)
    for tree in set(trees[links].tolist()) - set(others.tolist()):
        if tree >= 0:
            sim.compiled.tables.trees[tree]["ready"] = 1


def check_sleep(sim: Sim, asleep: bytes) -> bool:
    """Whether bytes tell who sleeps: trees that sleep together name each other in a circle.

    MuJoCo follows these circles without looking whether they are some.
    """
    kind = sim.data.tree_asleep.dtype
    if len(asleep) != sim.data.tree_asleep.nbytes:
        return False
    saved = np.frombuffer(asleep, dtype=kind)
    sleepers = np.flatnonzero(saved >= 0)
    return bool(np.array_equal(np.sort(saved[sleepers]), sleepers))


def restore_sleep(sim: Sim, asleep: bytes) -> None:
    """Put those to sleep who slept, with all that MuJoCo computes of them from the present positions."""
    model, data = sim.model, sim.data
    saved = np.frombuffer(asleep, dtype=data.tree_asleep.dtype)
    if not ((saved >= 0).any() or (data.tree_asleep >= 0).any()):
        return
    data.tree_asleep[:] = AWAKE
    update_sleep(model, data)
    mujoco.mj_fwdKinematics(model, data)
    data.cvel[:] = 0.0
    data.tree_asleep[:] = saved
    update_sleep(model, data)
