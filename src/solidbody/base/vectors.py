"""Vectors and quaternions (w x y z) as numpy arrays, one per row: products, rotations, matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def slice_of(rows: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Return how to get some rows of an array: quickly, if they follow each other."""
    first, count = int(rows[0]) if len(rows) else 0, len(rows)
    return slice(first, first + count) if (rows == first + np.arange(count)).all() else rows


def cross(a: Floats, b: Floats) -> Floats:
    """Return a x b, row by row."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out


def rotate(q: Floats, v: Floats) -> Floats:
    """Return the vectors v rotated by the quaternions q, row by row."""
    u = q[:, 1:]
    twice = 2.0 * cross(u, v)
    return v + q[:, :1] * twice + cross(u, twice)


def unrotate(q: Floats, v: Floats) -> Floats:
    """Return world vectors v in the frames q, row by row."""
    return rotate(q * np.array([1.0, -1.0, -1.0, -1.0]), v)


def multiply(a: Floats, b: Floats) -> Floats:
    """Return the quaternion products a b, row by row."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    aw, av, bw, bv = a[:, :1], a[:, 1:], b[:, :1], b[:, 1:]
    out[:, :1] = aw * bw - np.sum(av * bv, axis=1, keepdims=True)
    out[:, 1:] = aw * bv + bw * av + cross(av, bv)
    return out


def axes_along(x: Floats) -> Floats:
    """Return a right-handed frame (columns) whose first axis is a unit vector."""
    other: Floats = np.eye(3)[int(np.abs(x).argmin())]
    z = cross(x[None], other[None])
    z = z / np.linalg.norm(z)
    return np.concatenate([x[None], cross(z, x[None]), z]).T


def matrices(q: Floats) -> Floats:
    """Return rotation matrices of quaternions w x y z, row by row."""
    w, x, y, z = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    out = np.empty((len(q), 3, 3))
    out[:, 0, 0] = 1 - 2 * (y * y + z * z)
    out[:, 0, 1] = 2 * (x * y - w * z)
    out[:, 0, 2] = 2 * (x * z + w * y)
    out[:, 1, 0] = 2 * (x * y + w * z)
    out[:, 1, 1] = 1 - 2 * (x * x + z * z)
    out[:, 1, 2] = 2 * (y * z - w * x)
    out[:, 2, 0] = 2 * (x * z - w * y)
    out[:, 2, 1] = 2 * (y * z + w * x)
    out[:, 2, 2] = 1 - 2 * (x * x + y * y)
    return out


def matrix(q: Floats) -> Floats:
    """Return the rotation matrix of one quaternion w x y z."""
    return matrices(q[None])[0]
