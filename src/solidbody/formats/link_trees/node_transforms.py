"""Poses of nodes on a link: the product of all enclosing Transforms, scale included."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from solidbody.base.transforms import (
    ZERO,
    Pose,
    Vec3,
    cross,
    dot,
    norm,
    quat_from_matrix,
    quat_to_matrix,
    scale,
)
from solidbody.formats.link_trees.messages import Spot
from solidbody.model.mass import Tensor

Matrix = tuple[Vec3, Vec3, Vec3]
"""Rows of a 3x3 matrix."""

UNIT: Final[Matrix] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

_SHEAR_TOLERANCE: Final = 1e-9
"""Cosine between axes above which they count as no longer orthogonal; rounding gives 1e-15."""


@dataclass(frozen=True, slots=True)
class PoseAndScale:
    """A place split into a rigid pose and what remains: factors along the node's own axes.

    `is_sheared`: a turn inside an uneven scale bends right angles; pose and scale are then the
    nearest ones and say only part of it.
    """

    pose: Pose
    scale: Vec3
    is_sheared: bool

    @property
    def is_scaled(self) -> bool:
        """Whether sizes change."""
        return any(abs(factor - 1.0) > _SHEAR_TOLERANCE for factor in self.scale)


@dataclass(frozen=True, slots=True)
class NodeTransform:
    """Maps node coordinates to link coordinates: p_link = linear * p_node + position."""

    linear: Matrix = UNIT
    position: Vec3 = ZERO

    def __mul__(self, other: NodeTransform) -> NodeTransform:
        """Return the composition: `other` is expressed in the frame of `self`."""
        return NodeTransform(_product(self.linear, other.linear), self.point(other.position))

    def point(self, p: Vec3) -> Vec3:
        """Return a point of the node in link coordinates."""
        a, b, c = self.linear
        x, y, z = self.position
        return (dot(a, p) + x, dot(b, p) + y, dot(c, p) + z)

    def direction(self, v: Vec3) -> Vec3:
        """Return a vector of the node in link coordinates (scaled, not normalised)."""
        a, b, c = self.linear
        return (dot(a, v), dot(b, v), dot(c, v))

    def tensor(self, t: Tensor) -> Tensor:
        """Return L t L^T, which is what Choreonoid makes of an inertia, scale included."""
        full = ((t[0], t[3], t[4]), (t[3], t[1], t[5]), (t[4], t[5], t[2]))
        turned = _product(_product(self.linear, full), _transposed(self.linear))
        return (
            turned[0][0],
            turned[1][1],
            turned[2][2],
            turned[0][1],
            turned[0][2],
            turned[1][2],
        )

    def placement(self) -> PoseAndScale:
        """Return the rigid pose and the remaining scale.

        A mirroring place has a negative factor on x.
        """
        columns = _transposed(self.linear)
        lengths = tuple(norm(column) for column in columns)
        if min(lengths) <= 0.0 or not all(map(math.isfinite, lengths)):
            return PoseAndScale(Pose(self.position), (lengths[0], lengths[1], lengths[2]), True)
        ex, ey, ez = (
            scale(column, 1.0 / length) for column, length in zip(columns, lengths, strict=True)
        )
        sign = 1.0
        if dot(cross(ex, ey), ez) < 0.0:
            sign, ex = -1.0, scale(ex, -1.0)
        cosines = (dot(ex, ey), dot(ey, ez), dot(ez, ex))
        is_sheared = any(abs(value) > _SHEAR_TOLERANCE for value in cosines)
        if is_sheared:  # keep z and the plane of z and x
            sideways = cross(ez, ex)
            if norm(sideways) == 0.0:
                return PoseAndScale(Pose(self.position), (lengths[0], lengths[1], lengths[2]), True)
            ey = scale(sideways, 1.0 / norm(sideways))
            ex = cross(ey, ez)
        turn = quat_from_matrix(_transposed((ex, ey, ez)))
        return PoseAndScale(
            Pose(self.position, turn), (sign * lengths[0], lengths[1], lengths[2]), is_sheared
        )


ORIGIN: Final = NodeTransform()
"""The place of the link itself."""


def place_from_pose(pose: Pose, factors: Vec3 = (1.0, 1.0, 1.0)) -> NodeTransform:
    """Return translate, rotate, then scale innermost."""
    a, b, c = quat_to_matrix(pose.rotation)
    sx, sy, sz = factors
    return NodeTransform(
        (
            (a[0] * sx, a[1] * sy, a[2] * sz),
            (b[0] * sx, b[1] * sy, b[2] * sz),
            (c[0] * sx, c[1] * sy, c[2] * sz),
        ),
        pose.position,
    )


def scaled_place(pose: Pose, factors: Vec3, spot: Spot) -> NodeTransform:
    """Return a pose with a scale; factors of 0 are refused."""
    if 0.0 in factors:
        spot.error("null-scale", "a scale of 0 leaves nothing; 1 is used instead.")
        factors = (factors[0] or 1.0, factors[1] or 1.0, factors[2] or 1.0)
    return place_from_pose(pose, factors)


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = _transposed(b)
    first, second, third = (
        (dot(row, columns[0]), dot(row, columns[1]), dot(row, columns[2])) for row in a
    )
    return (first, second, third)


def _transposed(m: Matrix) -> Matrix:
    a, b, c = m
    return ((a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2]))
