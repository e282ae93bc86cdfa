"""Mass properties of rigid bodies, and the sums that combine them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from solidbody.base.transforms import ZERO, Pose, Vec3, dot, quat_to_matrix

Tensor = tuple[float, float, float, float, float, float]
"""Symmetric tensor as (xx, yy, zz, xy, xz, yz)."""


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass, centre and inertia of a rigid body.

    Attributes:
        mass: [kg], finite and > 0 for anything that moves.
        center: Centre of mass in the body frame [m].
        inertia: About the centre of mass, in the body's axes [kg*m^2].
    """

    mass: float
    center: Vec3 = ZERO
    inertia: Tensor = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mass) and self.mass >= 0.0):
            raise ValueError(f"mass must be finite and not negative, got {self.mass}")
        if not all(map(math.isfinite, (*self.center, *self.inertia))):
            raise ValueError("centre of mass and inertia must be finite")

    def placed(self, pose: Pose) -> MassProperties:
        """Return the same body expressed in the parent frame of `pose`."""
        return MassProperties(self.mass, pose.point(self.center), rotate_tensor(self.inertia, pose))

    def scaled(self, factor: float) -> MassProperties:
        """Return the body with mass and inertia multiplied by `factor`."""
        return MassProperties(self.mass * factor, self.center, tensor_scaled(self.inertia, factor))


def tensor_scaled(t: Tensor, s: float) -> Tensor:
    """Return s*t."""
    return (t[0] * s, t[1] * s, t[2] * s, t[3] * s, t[4] * s, t[5] * s)


def tensor_sum(a: Tensor, b: Tensor) -> Tensor:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


def rotate_tensor(t: Tensor, pose: Pose) -> Tensor:
    """Return R t R^T for the rotation R of `pose`."""
    a, b, c = quat_to_matrix(pose.rotation)
    xx, yy, zz, xy, xz, yz = t
    columns = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    ta = (dot(a, columns[0]), dot(a, columns[1]), dot(a, columns[2]))
    tb = (dot(b, columns[0]), dot(b, columns[1]), dot(b, columns[2]))
    tc = (dot(c, columns[0]), dot(c, columns[1]), dot(c, columns[2]))
    return (dot(ta, a), dot(tb, b), dot(tc, c), dot(ta, b), dot(ta, c), dot(tb, c))


def steiner(mass: float, d: Vec3) -> Tensor:
    """Return the inertia of a point mass at offset d: m*(|d|^2 E - d d^T)."""
    x, y, z = d
    return (
        mass * (y * y + z * z),
        mass * (x * x + z * z),
        mass * (x * x + y * y),
        -mass * x * y,
        -mass * x * z,
        -mass * y * z,
    )


def combined(parts: Iterable[MassProperties]) -> MassProperties:
    """Return the rigid union of bodies given in one frame; overlaps are not removed."""
    items = list(parts)
    mass = math.fsum(item.mass for item in items)
    if mass == 0.0:
        return MassProperties(0.0)
    center = (
        math.fsum(item.mass * item.center[0] for item in items) / mass,
        math.fsum(item.mass * item.center[1] for item in items) / mass,
        math.fsum(item.mass * item.center[2] for item in items) / mass,
    )
    inertia: Tensor = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for item in items:
        d = (
            item.center[0] - center[0],
            item.center[1] - center[1],
            item.center[2] - center[2],
        )
        inertia = tensor_sum(inertia, tensor_sum(item.inertia, steiner(item.mass, d)))
    return MassProperties(mass, center, inertia)
