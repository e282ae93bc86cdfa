"""Sleep settings: decides which bodies MuJoCo may put to sleep when they are at rest."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from solidbody.compiler.bodies import LinkPart
from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.model.scene import Scene


def let_sleep(model: mujoco.MjModel) -> None:
    """Let MuJoCo leave sleeping trees out of its work; our step decides who sleeps."""
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    model.tree_sleep_policy[:] = int(mujoco.mjtSleepPolicy.mjSLEEP_ALLOWED)


def tree_table(scene: Scene, model: mujoco.MjModel, parts: Sequence[LinkPart]) -> t.Table:
    """Return TREE rows. Robots stay awake, so that their sensors go on measuring."""
    out = t.table(layout.TREE, model.ntree)
    first = 0
    for body in scene.bodies:
        count = len(body.links)
        if body.robots:
            trees = model.body_treeid[[part.body.id for part in parts[first : first + count]]]
            out["stays_awake"][np.unique(trees[trees >= 0])] = 1
        first += count
    return out
