"""Random numbers for many episodes at once, each from a stream of its own.

A stream is named by a seed and the number of the episode under it. Number c of a stream is a hash of the
three: nothing is shared between copies, so a copy draws the same whatever the others do, and however many
they are.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


def mixed(words: Words) -> Words:
    """Return the finaliser of SplitMix64 (Steele, Lea, Flood 2014): all bits of a word from all others."""
    words = words + _STEP
    words = (words ^ (words >> _SHIFTS[0])) * _MIX[0]
    words = (words ^ (words >> _SHIFTS[1])) * _MIX[1]
    return words ^ (words >> _SHIFTS[2])


def stream_keys(seeds: Words, episodes: Words) -> Words:
    """Return the names of the streams of these episodes."""
    return mixed(mixed(seeds) + episodes)


class Draws:
    """Draws for the copies that start an episode: one row for each."""

    def __init__(self, keys: Words) -> None:
        self._keys = keys
        self._drawn = 0

    def __len__(self) -> int:
        return len(self._keys)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, shape: int | tuple[int, ...] = ()) -> Floats:
        """Return (copies, *shape): numbers in [low, high)."""
        # 53 bits make a float64 in [0, 1)
        return low + (high - low) * (self._words(shape) >> np.uint64(11)) * 2.0**-53

    def normal(self, scale: Any = 1.0, shape: int | tuple[int, ...] = ()) -> Floats:
        """Return (copies, *shape): normally distributed numbers about 0 (Box and Muller)."""
        radius = np.sqrt(-2.0 * np.log1p(-self.uniform(shape=shape)))
        return scale * radius * np.cos(self.uniform(0.0, 2.0 * np.pi, shape))

    def integers(self, low: int, high: int, shape: int | tuple[int, ...] = ()) -> NDArray[np.int64]:
        """Return (copies, *shape): whole numbers from low to high - 1."""
        return np.floor(self.uniform(low, high, shape)).astype(np.int64)

    def _words(self, shape: int | tuple[int, ...]) -> Words:
        shape = (shape,) if isinstance(shape, int) else shape
        count = int(np.prod(shape, dtype=np.int64))
        counters = np.arange(self._drawn, self._drawn + count, dtype=np.uint64)
        self._drawn += count
        words = mixed(self._keys[:, None] + counters * _STEP)
        return words.reshape(len(self._keys), *shape)
