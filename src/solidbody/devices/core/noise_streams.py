"""Noise of the sensors of one copy of a batch: it depends on (key, device, step, index) and on nothing else.

The same seed gives the same bytes whoever samples, in whatever order. The twin of this in C,
`contact/native/batch/sb_noise.h`, says where the numbers come from.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_MASK: Final = (1 << 32) - 1
_LONG: Final = (1 << 64) - 1

MOST_ONE_BY_ONE: Final = 64
"""Numbers of a sample that are made one by one; pictures take theirs from numpy's generator, in one go."""


def mixed(*numbers: int) -> int:
    """Return 64 bits made of whole numbers: splitmix64, one round for each."""
    state = 0
    for number in numbers:
        state = (state ^ (number & _LONG)) + 0x9E3779B97F4A7C15 & _LONG
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _LONG
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _LONG
        state ^= state >> 31
    return state


def mixed_rows(*columns: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the same for rows of numbers."""
    state = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        state = (state ^ column.astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ state >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ state >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return state


def _philox(counter: tuple[int, int, int, int], key: int) -> tuple[int, int, int, int]:
    c0, c1, c2, c3 = counter
    k0, k1 = key & _MASK, key >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = b >> 32 ^ c1 ^ k0, b & _MASK, a >> 32 ^ c3 ^ k1, a & _MASK
        k0, k1 = k0 + 0x9E3779B9 & _MASK, k1 + 0xBB67AE85 & _MASK
    return c0, c1, c2, c3


def normal(key: int, device: int, step: int, index: int) -> float:
    """Return normal number `index` of a sample (Box and Muller's rule)."""
    bits = _philox((step & _MASK, step >> 32 & _MASK, device, index // 2), key)
    first, second = (((high << 32 | low) >> 11) for low, high in (bits[:2], bits[2:]))
    length = math.sqrt(-2.0 * math.log((first + 0.5) * 2.0**-53))
    angle = 6.283185307179586 * ((second + 0.5) * 2.0**-53)
    return length * (math.sin(angle) if index % 2 else math.cos(angle))


class NoiseStreams(np.random.Generator):
    """A generator whose normal numbers are those of the sample that `begin` names."""

    def __init__(self, key: int = 0) -> None:
        super().__init__(np.random.PCG64(0))
        self.key = key
        self.begin(0, 0)

    def begin(self, device: int, step: int) -> None:
        """Go on with the numbers of a device for a step."""
        self._device, self._step, self._index = device, step, 0
        self._rest: np.random.Generator | None = None

    def _many(self) -> np.random.Generator:
        if self._rest is None:
            seed = mixed(self.key, self._device, self._step)
            self._rest = np.random.Generator(np.random.Philox(key=seed))
        return self._rest

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """See numpy; `out` is not for us."""
        count = 1 if size is None else int(np.prod(size))
        if count > MOST_ONE_BY_ONE:
            return self._many().standard_normal(size, dtype)
        found = [normal(self.key, self._device, self._step, self._index + k) for k in range(count)]
        self._index += count
        return found[0] if size is None else np.array(found, dtype=dtype).reshape(size)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """See numpy."""
        return self._many().random(size, dtype)

    def integers(self, *args: Any, **options: Any) -> Any:
        """See numpy."""
        return self._many().integers(*args, **options)
