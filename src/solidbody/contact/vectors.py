"""Vectors and quaternions, in the order of operations of the native step (sb_law.h)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Vector = list[float]
Floats = NDArray[np.float64]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Return a.b of the first three numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> Vector:
    """Return a x b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def subtract(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Return a - b."""
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def rotate(q: Floats, v: Any) -> Floats:
    """Return v rotated by the quaternion q."""
    out = np.zeros(3)
    mujoco.mju_rotVecQuat(out, np.asarray(v, dtype=float), q)
    return out


def rotate_back(q: Floats, v: Any) -> Floats:
    """Return v rotated by the inverse of the quaternion q."""
    return rotate(q * (1.0, -1.0, -1.0, -1.0), v)


def velocity_at(m: mujoco.MjModel, d: mujoco.MjData, body: int, point: Floats) -> Floats:
    """Return the velocity of a point of a body, world; needs mj_comVel."""
    v = d.cvel[body]
    return np.array(cross(v[:3], point - d.subtree_com[m.body_rootid[body]])) + v[3:]
