"""The same link or joint of all copies of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class BatchHandle:
    """The same link or joint in all simulations: reading gives an array, writing takes one or a number."""

    __slots__ = ("_handles",)

    def __init__(self, handles: Sequence[Any]) -> None:
        object.__setattr__(self, "_handles", tuple(handles))

    def __getattr__(self, name: str) -> Floats:
        return np.array([getattr(handle, name) for handle in self._handles])

    def __setattr__(self, name: str, value: Any) -> None:
        values = np.asarray(value, dtype=float)
        count = len(self._handles)
        # one value for all, or one for each
        each = values if values.ndim and len(values) == count else [value] * count
        for handle, item in zip(self._handles, each, strict=True):
            setattr(handle, name, float(item) if np.ndim(item) == 0 else item)
