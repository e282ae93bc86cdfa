"""AABB trees over arrays of triangles or vertices, for the broad phase of our own colliders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.compiler.mesh_components import Points

MORTON_BITS = 20


@dataclass(frozen=True, slots=True)
class AabbTree:
    """Nodes, parents before children: the left child of a node is the next one.

    Attributes:
        first: Where the things of each node begin.
        count: How many there are.
        right: The right child; 0 = a leaf.
        lo: Least coordinates (n, 3).
        hi: Greatest ones.
    """

    first: NDArray[np.int64]
    count: NDArray[np.int64]
    right: NDArray[np.int64]
    lo: Points
    hi: Points


def aabb_tree(lo: Points, hi: Points, leaf: int) -> AabbTree:
    """Return a tree over things with these bounds, in their order, at most `leaf` of them per leaf."""
    ranges: list[tuple[int, int, int]] = []  # first, count, right

    def split(begin: int, end: int) -> None:
        at = len(ranges)
        ranges.append((begin, end - begin, 0))
        if end - begin > leaf:
            middle = (begin + end) // 2
            split(begin, middle)
            ranges[at] = (begin, end - begin, len(ranges))
            split(middle, end)

    split(0, len(lo))
    first, count, right = np.array(ranges, dtype=np.int64).T
    is_leaf = right == 0
    low, high = np.zeros((len(ranges), 3)), np.zeros((len(ranges), 3))
    # leaves lie one behind the other
    low[is_leaf] = np.minimum.reduceat(lo, first[is_leaf])
    high[is_leaf] = np.maximum.reduceat(hi, first[is_leaf])
    # children come after their parents
    for at in np.flatnonzero(~is_leaf)[::-1].tolist():
        np.minimum(low[at + 1], low[ranges[at][2]], out=low[at])
        np.maximum(high[at + 1], high[ranges[at][2]], out=high[at])
    return AabbTree(first, count, right, low, high)


def morton_order(points: Points) -> NDArray[np.int64]:
    """Return the order along a curve that keeps neighbours together."""
    low = points.min(axis=0)
    span = max(float((points.max(axis=0) - low).max()), 1e-300)
    cells = ((points - low) / span * ((1 << MORTON_BITS) - 1)).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(MORTON_BITS):
        for axis in range(3):
            code |= (cells[:, axis] >> bit & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")
