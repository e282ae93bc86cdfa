"""Keys of the noise of sensors on a device: the same streams as those of a batch on the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from solidbody.devices.core.noise_streams import mixed_rows
from solidbody.sim.batch.chosen import seeds_of, whole

Ids = NDArray[np.int64]


class DeviceNoise:
    """What the noise of each world depends on: a key, and the steps since the start.

    Args:
        count: How many worlds.
        seed: Of the noise, which is another one in each world.
        device: Of Warp.
    """

    def __init__(self, count: int, seed: int, device: Any) -> None:
        self._seeds = np.full(count, whole("seed", seed, 0), dtype=np.int64)
        self._streams = np.arange(count, dtype=np.int64)
        self._episodes = np.zeros(count, dtype=np.int64)
        self.keys = mixed_rows(self._seeds, self._streams, self._episodes)
        """(n,): made of the seed, the number of the world and how often it was reset."""
        self.key = wp.array(self.keys, dtype=wp.uint64, device=device)
        """The same on the device."""
        self.clock = wp.zeros(count, dtype=wp.int64, device=device)
        """(n,) on the device: steps since the start, as sensors count them."""

    def begin_anew(self, worlds: Ids, seeds: ArrayLike | None) -> None:
        """Worlds are at their start: noise that they have not had before, or that of their seeds."""
        if seeds is not None:
            self._seeds[worlds] = seeds_of(seeds, len(worlds))
            self._streams[worlds], self._episodes[worlds] = 0, -1
        self._episodes[worlds] += 1
        columns = (self._seeds[worlds], self._streams[worlds], self._episodes[worlds])
        self.take(worlds, mixed_rows(*columns))

    def take(self, worlds: Ids, keys: NDArray[np.uint64]) -> None:
        """Go on with the noise of a snapshot."""
        self.keys[worlds] = keys
        self.key.assign(self.keys)

    def set_clock(self, steps: Ids) -> None:
        """Let so many steps have gone by."""
        self.clock.assign(steps)
