"""What callers of a batch say: which copies, seeds, values for them."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solidbody.sim.batch.channels import Bound

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST: Final = 2**63 - 1
"""Of whole numbers in native code."""


def whole(name: str, value: Any, least: int) -> int:
    """Return a whole number. Raises ValueError if it is none, or less than `least`."""
    try:
        found = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be a whole number, got {value!r}") from None
    if not least <= found <= MOST:
        raise ValueError(f"{name} must be {least} or more, and below 2**63; got {value!r}")
    return found


def copies_of(ids: ArrayLike | None, everyone: Ids, word: str = "copy") -> Ids:
    """Return numbers of copies, each once, in the order that is given: values come in it."""
    n = len(everyone)
    if ids is None:
        return everyone
    found = np.asarray(ids)
    if found.dtype == np.bool_:
        if found.shape != (n,):
            raise ValueError(f"a mask over copies has shape ({n},), got {found.shape}")
        return np.flatnonzero(found).astype(np.int64)
    found = np.atleast_1d(found)
    if found.size == 0:
        return np.zeros(0, dtype=np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ValueError(f"ids are whole numbers or a mask, got {ids!r}")
    bad = found[(found < 0) | (found >= n)]
    if bad.size:
        raise IndexError(f"there is no {word} {int(bad[0])}: they are 0 to {n - 1}")
    _, first = np.unique(found, return_index=True)
    return found[np.sort(first)].astype(np.int64)


def seeds_of(seeds: ArrayLike, count: int) -> Ids:
    """Return one seed for each of so many copies."""
    found = np.asarray(seeds)
    if found.shape != (count,) or found.dtype.kind not in "iu" or (found < 0).any():
        raise ValueError(f"seeds must be {count} whole numbers, not negative, got {seeds!r}")
    return found.astype(np.int64)


def spread(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return values as an array of a shape, one for many where that is meant."""
    given = np.asarray(values, dtype=np.float64)
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(f"{name} takes values of shape {shape}, got {given.shape}") from None


def without(copies: Ids, others: Ids) -> Ids:
    """Return some copies without others, as they are numbered."""
    return copies if not len(others) else np.setdiff1d(copies, others, assume_unique=True)


def check_commands(bounds: Iterable[Bound]) -> None:
    """Refuse commands that are no finite numbers."""
    for bound in bounds:
        if bound.channel.writable and not np.isfinite(bound.array).all():
            copy, item = np.argwhere(~np.isfinite(bound.array))[0].tolist()
            raise ValueError(
                f'{bound.channel.name} of "{bound.channel.items[bound.places[item]]}" in copy '
                f"{copy} must be a finite number, got {bound.array[copy, item]}"
            )
