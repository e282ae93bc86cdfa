"""Orientations of many copies as quaternions w x y z, row by row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def up_in_frame(quats: Floats) -> Floats:
    """Return the world's upward direction in the axes of frames: (n, 4) -> (n, 3)."""
    w, x, y, z = quats.T
    return np.stack(
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], axis=1
    )


def yaw_of(quats: Floats) -> Floats:
    """Return the angles about the vertical by which frames are turned: (n, 4) -> (n,)."""
    w, x, y, z = quats.T
    return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def turned(yaw: Floats) -> Floats:
    """Return quaternions of turns about the vertical: (n,) -> (n, 4)."""
    nothing = np.zeros_like(yaw)
    return np.stack([np.cos(0.5 * yaw), nothing, nothing, np.sin(0.5 * yaw)], axis=1)


def tilted(roll: Floats, pitch: Floats, yaw: Floats) -> Floats:
    """Return quaternions of a turn about x, then y, then z of the world: (n,) each -> (n, 4)."""
    cr, sr = np.cos(0.5 * roll), np.sin(0.5 * roll)
    cp, sp = np.cos(0.5 * pitch), np.sin(0.5 * pitch)
    cy, sy = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
    return np.stack(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ],
        axis=1,
    )
