"""Collision with frames of a moment ago; the twin of `native/sb_held.c`."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

Frames = list[NDArray[np.float64]]


class HeldFrames:
    """Frames of bodies and their geoms that collision sees in the next step."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._held: dict[int, Frames] = {}

    def clear(self) -> None:
        """Hold nothing any more."""
        self._held.clear()

    def take(self, d: mujoco.MjData, top: int) -> None:
        """Hold a body and those below it, as they are now; who sleeps has no contacts to keep."""
        m, below = self._model, {top}
        for body in range(top, int(m.nbody)):
            if int(m.body_parentid[body]) in below:
                below.add(body)
            tree = int(m.body_treeid[body])
            is_awake = tree < 0 or d.tree_asleep[tree] < 0
            if body in below and is_awake and body not in self._held:
                self._held[body] = [frame.copy() for frame in self._frames(d, body)]

    def exchange(self, d: mujoco.MjData) -> None:
        """Exchange what collision sees with what is held."""
        for body, held in self._held.items():
            for frame, kept in zip(self._frames(d, body), held, strict=True):
                present = frame.copy()
                frame[:], kept[:] = kept, present

    def _frames(self, d: mujoco.MjData, body: int) -> Frames:
        """Return views of everything that tells where a body and its geoms are."""
        first = int(self._model.body_geomadr[body])
        geoms = slice(first, first + int(self._model.body_geomnum[body]))
        own = [d.xpos[body], d.xmat[body], d.xipos[body], d.ximat[body]]
        return [*own, d.geom_xpos[geoms], d.geom_xmat[geoms]]
