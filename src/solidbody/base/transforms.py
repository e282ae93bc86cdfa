"""Rigid transforms, vectors and quaternions as plain tuples.

Quaternions are (w, x, y, z), unit length. A pose maps child coordinates to parent coordinates:
p_parent = position + rotate(rotation, p_child).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

ZERO: Vec3 = (0.0, 0.0, 0.0)
IDENTITY: Quat = (1.0, 0.0, 0.0, 0.0)


def add(a: Vec3, b: Vec3) -> Vec3:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vec3, b: Vec3) -> Vec3:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a: Vec3, s: float) -> Vec3:
    """Return s*a."""
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a: Vec3, b: Vec3) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec3, b: Vec3) -> Vec3:
    """Return the vector product a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def norm(a: Vec3) -> float:
    """Return the Euclidean length."""
    return math.hypot(*a)


def normalized(a: Vec3, *, fallback: Vec3 | None = None) -> Vec3:
    """Return a/|a|; a null vector gives `fallback`, or ValueError without one."""
    length = norm(a)
    if length == 0.0 or not math.isfinite(length):
        if fallback is None:
            raise ValueError(f"vector {a} has no direction")
        return fallback
    return (a[0] / length, a[1] / length, a[2] / length)


def quat_multiply(a: Quat, b: Quat) -> Quat:
    """Return the Hamilton product: first b, then a."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def quat_conjugate(q: Quat) -> Quat:
    """Return the inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def quat_normalized(q: Quat) -> Quat:
    """Return q/|q|."""
    length = math.hypot(*q)
    if length == 0.0 or not math.isfinite(length):
        raise ValueError(f"quaternion {q} has no direction")
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def quat_rotate(q: Quat, v: Vec3) -> Vec3:
    """Return v rotated by q."""
    # v + w t + u x t with t = 2 u x v; written out, as this runs for every node of a file
    w, x, y, z = q
    tx = (y * v[2] - z * v[1]) * 2.0
    ty = (z * v[0] - x * v[2]) * 2.0
    tz = (x * v[1] - y * v[0]) * 2.0
    return (
        v[0] + tx * w + (y * tz - z * ty),
        v[1] + ty * w + (z * tx - x * tz),
        v[2] + tz * w + (x * ty - y * tx),
    )


def quat_from_axis_angle(axis: Vec3, angle: float) -> Quat:
    """Return the rotation by `angle` [rad] about `axis` (need not be unit; null gives identity)."""
    length = norm(axis)
    if length == 0.0:
        return IDENTITY
    s = math.sin(0.5 * angle)
    return (
        math.cos(0.5 * angle),
        axis[0] / length * s,
        axis[1] / length * s,
        axis[2] / length * s,
    )


def quat_to_axis_angle(q: Quat) -> tuple[Vec3, float]:
    """Return (unit axis, angle in [0, pi]); the identity gives the z axis and 0."""
    w, v = q[0], (q[1], q[2], q[3])
    if w < 0.0:
        w, v = -w, scale(v, -1.0)
    length = norm(v)
    if length == 0.0:
        return (0.0, 0.0, 1.0), 0.0
    # not scale(v, 1/length): the inverse of a denormal length is infinite
    return (v[0] / length, v[1] / length, v[2] / length), 2.0 * math.atan2(length, w)


def quat_to_signed_angle(q: Quat) -> tuple[Vec3, float]:
    """Return (unit axis along the vector part, angle in (-pi, pi]); -q has the opposite axis and angle."""
    w, v = q[0], (q[1], q[2], q[3])
    length = norm(v)
    if length == 0.0:
        return (0.0, 0.0, 1.0), 0.0
    angle = 2.0 * math.atan2(length, w)
    axis = (v[0] / length, v[1] / length, v[2] / length)
    return axis, angle - 2.0 * math.pi if angle > math.pi else angle


def quat_of_matrix(q: Quat) -> Quat:
    """Return q or -q, the one that ODE makes of the rotation's matrix.

    Up to 120 degrees it has w > 0, beyond them its largest component is positive.
    """
    main = q[0] if abs(q[0]) >= 0.5 else max(q[1:], key=abs)
    return q if main >= 0.0 else (-q[0], -q[1], -q[2], -q[3])


def quat_to_matrix(q: Quat) -> tuple[Vec3, Vec3, Vec3]:
    """Return the rows of the rotation matrix."""
    w, x, y, z = q
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def quat_from_matrix(m: tuple[Vec3, Vec3, Vec3]) -> Quat:
    """Return the quaternion of a rotation matrix (its rows), from its largest component (Shepperd)."""
    (a, b, c), (d, e, f), (g, h, i) = m
    candidates = (1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i)
    largest = max(range(4), key=lambda k: candidates[k])
    quats: tuple[Quat, ...] = (
        (candidates[0], h - f, c - g, d - b),
        (h - f, candidates[1], b + d, c + g),
        (c - g, b + d, candidates[2], f + h),
        (d - b, c + g, f + h, candidates[3]),
    )
    return quat_normalized(quats[largest])


@dataclass(frozen=True, slots=True)
class Pose:
    """A rigid transform from a child frame to its parent frame [m]."""

    position: Vec3 = ZERO
    rotation: Quat = IDENTITY

    def __mul__(self, other: Pose) -> Pose:
        """Return the composition: `other` is expressed in the frame of `self`."""
        return Pose(
            add(self.position, quat_rotate(self.rotation, other.position)),
            quat_multiply(self.rotation, other.rotation),
        )

    def inverse(self) -> Pose:
        """Return the transform from parent to child."""
        q = quat_conjugate(self.rotation)
        return Pose(scale(quat_rotate(q, self.position), -1.0), q)

    def point(self, p: Vec3) -> Vec3:
        """Return point `p` of the child frame in parent coordinates."""
        return add(self.position, quat_rotate(self.rotation, p))

    def direction(self, v: Vec3) -> Vec3:
        """Return direction `v` of the child frame in parent coordinates."""
        return quat_rotate(self.rotation, v)


WORLD = Pose()
"""The pose of the world frame in itself."""
