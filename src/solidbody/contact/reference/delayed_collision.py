"""Collision with earlier poses of bodies that a program has just moved, as in sb_delayed_collision.c."""

from __future__ import annotations

import json

import mujoco
import numpy as np
from numpy.typing import NDArray

Frames = list[NDArray[np.float64]]
_SHAPES = ((3,), (9,), (3,), (9,), (-1, 3), (-1, 9))
"""Of a body: origin, axes, centre of mass, its axes, places and axes of geoms."""


class DelayedFrames:
    """Frames of bodies and their geoms that collision sees in the next step."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._held: dict[int, Frames] = {}

    def adopt(self, model: mujoco.MjModel) -> None:
        """Go on with another model of the same layout."""
        self._model = model

    def clear(self) -> None:
        """Hold nothing any more."""
        self._held.clear()

    def to_bytes(self) -> bytes:
        """Return all of it as text; numbers come back exactly."""
        frames = {body: [frame.tolist() for frame in held] for body, held in self._held.items()}
        return json.dumps(frames).encode() if frames else b""

    def restore(self, memory: bytes) -> None:
        """Take over what `to_bytes` returned, or raise ValueError."""
        frames: dict[str, list[list[float]]] = json.loads(memory) if memory else {}
        self._held = {
            int(body): [np.array(f).reshape(s) for f, s in zip(held, _SHAPES, strict=True)]
            for body, held in frames.items()
        }

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
