"""Whether anything in a model can touch anything: if not, MuJoCo need not look."""

from __future__ import annotations

import mujoco
import numpy as np

MOST_GEOMS = 200
"""With more geoms something nearly always can, and looking at all pairs takes longer than it saves."""


def can_touch(model: mujoco.MjModel) -> bool:
    """Return False if MuJoCo's filters leave no pair of geoms to test."""
    n = model.ngeom
    if n > MOST_GEOMS:
        return True
    kind, wants = model.geom_contype, model.geom_conaffinity
    body = model.geom_bodyid
    weld = model.body_weldid[body]
    one, two = np.triu_indices(n, 1)
    pairs = ((kind[one] & wants[two]) | (kind[two] & wants[one])) != 0
    pairs &= weld[one] != weld[two]
    low, high = np.minimum(body[one], body[two]), np.maximum(body[one], body[two])
    pairs &= ~np.isin((low.astype(np.int64) << 16) + high, model.exclude_signature)
    return bool(pairs.any()) or model.npair > 0


def stop_looking(model: mujoco.MjModel) -> None:
    """Let MuJoCo skip its search for contacts: a tenth of the step of a robot arm in empty space."""
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
