"""Angles and rotation matrices, with the names and conventions of Choreonoid's EigenUtil."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solidbody.base.transforms import quat_from_matrix

Floats = NDArray[np.float64]

_NEARLY: Final = 1e-6
"""How near a pitch of a quarter turn, or the cosine of a turn to 1 or -1, counts as that."""


def radian(deg: ArrayLike) -> Any:
    """Return an angle (or several) in radians."""
    return np.radians(deg) if np.ndim(deg) else math.radians(float(deg))  # type: ignore[arg-type]


def degree(rad: ArrayLike) -> Any:
    """Return an angle (or several) in degrees."""
    return np.degrees(rad) if np.ndim(rad) else math.degrees(float(rad))  # type: ignore[arg-type]


def rotFromRpy(r: ArrayLike, p: float | None = None, y: float | None = None) -> Floats:
    """Return Rz(yaw) Ry(pitch) Rx(roll), of three angles or one vector of them [rad]."""
    angles: Any = r if p is None or y is None else (r, p, y)
    roll, pitch, yaw = np.asarray(angles, dtype=float).tolist()
    cr, sr, cp = math.cos(roll), math.sin(roll), math.cos(pitch)
    sp, cy, sy = math.sin(pitch), math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cp * cy, sr * sp * cy - cr * sy, cr * sp * cy + sr * sy],
            [cp * sy, sr * sp * sy + cr * cy, cr * sp * sy - sr * cy],
            [-sp, sr * cp, cr * cp],
        ]
    )


def rpyFromRot(R: ArrayLike) -> Floats:
    """Return roll, pitch and yaw of a rotation; the yaw is 0 where only its sum with the roll is known."""
    m = np.asarray(R, dtype=float)
    pitch = math.atan2(-m[2, 0], math.hypot(m[2, 1], m[2, 2]))
    if abs(pitch) > math.pi / 2 - _NEARLY:
        return np.array([math.atan2(-m[1, 2], m[1, 1]), pitch, 0.0])
    return np.array([math.atan2(m[2, 1], m[2, 2]), pitch, math.atan2(m[1, 0], m[0, 0])])


def rotFromAxisAngle(axis: ArrayLike, angle: float) -> Floats:
    """Return the turn by an angle [rad] about a unit axis."""
    x, y, z = np.asarray(axis, dtype=float).tolist()
    c, s = math.cos(angle), math.sin(angle)
    k = 1.0 - c
    return np.array(
        [
            [c + x * x * k, x * y * k - z * s, x * z * k + y * s],
            [x * y * k + z * s, c + y * y * k, y * z * k - x * s],
            [x * z * k - y * s, y * z * k + x * s, c + z * z * k],
        ]
    )


def rotFromQuaternion(w: float, x: float, y: float, z: float) -> Floats:
    """Return the rotation of a quaternion of any length but 0."""
    n = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternionFromRot(R: ArrayLike) -> tuple[float, float, float, float]:
    """Return the unit quaternion of a rotation, w first."""
    first, second, third = (tuple(row) for row in np.asarray(R, dtype=float).tolist())
    return quat_from_matrix((first, second, third))


def omegaFromRot(R: ArrayLike) -> Floats:
    """Return axis times angle [rad] of a rotation; turns below 1.4 mrad count as none, as in Choreonoid."""
    m = np.asarray(R, dtype=float)
    cosine = (np.trace(m) - 1.0) / 2.0
    if cosine > 1.0 - _NEARLY:
        return np.zeros(3)
    if (
        cosine < -1.0 + _NEARLY
    ):  # half a turn: the skew part says nothing, the symmetric one nearly all
        axis = (0.5 * (m + m.T) + np.eye(3))[:, int(np.argmax(np.diag(m)))]
        axis = axis / np.linalg.norm(axis)
        skew = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
        sine = float(skew @ axis) / 2.0
        return axis * math.atan2(sine, cosine) if sine > 0 else -axis * math.atan2(-sine, cosine)
    angle = math.acos(cosine)
    k = -0.5 * angle / math.sin(angle)
    return k * np.array([m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0]])
