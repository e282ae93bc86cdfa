"""Affine transforms (poses with scale) from node coordinates to those of a link or file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from solidbody.base.transforms import (
    IDENTITY,
    ZERO,
    Pose,
    Quat,
    Vec3,
    add,
    cross,
    dot,
    norm,
    quat_normalized,
    quat_to_matrix,
)

Matrix3 = tuple[Vec3, Vec3, Vec3]

ONE: Final[Vec3] = (1.0, 1.0, 1.0)
UNIT_MATRIX: Final[Matrix3] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

MAX_COORDINATE: Final = 1e30
"""Numbers beyond this are mistakes, and products of a few of them would overflow."""

SKEW_TOLERANCE: Final = 1e-9
"""Cosine between two axes below which they count as orthogonal: a chain of a hundred rotations leaves
1e-14, and a skew of 1e-9 moves the edge of a part of one metre by a nanometre."""


@dataclass(frozen=True, slots=True)
class Affine:
    """The map p -> linear p + translation; `linear` is given by its rows."""

    linear: Matrix3 = UNIT_MATRIX
    translation: Vec3 = ZERO

    @classmethod
    def of(cls, translation: Vec3 = ZERO, rotation: Quat = IDENTITY, scale: Vec3 = ONE) -> Affine:
        """Return the map that scales first, then rotates, then translates."""
        sx, sy, sz = scale
        rows = quat_to_matrix(rotation)
        return cls(
            (
                (rows[0][0] * sx, rows[0][1] * sy, rows[0][2] * sz),
                (rows[1][0] * sx, rows[1][1] * sy, rows[1][2] * sz),
                (rows[2][0] * sx, rows[2][1] * sy, rows[2][2] * sz),
            ),
            translation,
        )

    @classmethod
    def of_pose(cls, pose: Pose) -> Affine:
        """Return a rigid transform as a map."""
        return cls(quat_to_matrix(pose.rotation), pose.position)

    def __mul__(self, inner: Affine) -> Affine:
        """Return the map that applies `inner` first."""
        a, b, c = self.columns(inner.linear)
        return Affine(
            ((a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2])),
            self.point(inner.translation),
        )

    def columns(self, of: Matrix3) -> tuple[Vec3, Vec3, Vec3]:
        """Return the images of the columns of a matrix, as directions."""
        x, y, z = ((of[0][i], of[1][i], of[2][i]) for i in range(3))
        return self.direction(x), self.direction(y), self.direction(z)

    def direction(self, v: Vec3) -> Vec3:
        """Return the image of a difference of points."""
        rows = self.linear
        return (dot(rows[0], v), dot(rows[1], v), dot(rows[2], v))

    def point(self, p: Vec3) -> Vec3:
        """Return the image of a point."""
        return add(self.direction(p), self.translation)

    @property
    def determinant(self) -> float:
        """Factor of volumes; negative if the map mirrors."""
        return dot(self.linear[0], cross(self.linear[1], self.linear[2]))

    @property
    def is_finite(self) -> bool:
        """Whether all numbers are small enough to be multiplied a few times."""
        numbers = (*self.translation, *(x for row in self.linear for x in row))
        return all(abs(x) < MAX_COORDINATE for x in numbers)

    def split(self) -> tuple[Pose, Vec3] | None:
        """Return (pose, scale) with map = pose after scale along the inner axes, or None.

        None where there is no such pair: the axes are skewed, or one has no length. A map that
        mirrors has a negative first factor.
        """
        x, y, z = self.columns(UNIT_MATRIX)
        sx, sy, sz = norm(x), norm(y), norm(z)
        if not (0.0 < sx < math.inf and 0.0 < sy < math.inf and 0.0 < sz < math.inf):
            return None
        # not 1/s: the inverse of a denormal length is infinite
        x, y, z = ((v[0] / s, v[1] / s, v[2] / s) for v, s in ((x, sx), (y, sy), (z, sz)))
        if max(abs(dot(x, y)), abs(dot(y, z)), abs(dot(z, x))) > SKEW_TOLERANCE:
            return None
        if dot(cross(x, y), z) < 0.0:
            sx, x = -sx, (-x[0], -x[1], -x[2])
        rotation = quat_of_axes(x, y, z)
        return Pose(self.translation, rotation), (_tidy(sx), _tidy(sy), _tidy(sz))


def _tidy(factor: float) -> float:
    """Return exactly 1 for a factor that differs from it by rounding only."""
    return math.copysign(1.0, factor) if abs(abs(factor) - 1.0) < 1e-13 else factor


def quat_of_axes(x: Vec3, y: Vec3, z: Vec3) -> Quat:
    """Return the rotation whose matrix has these orthonormal, right-handed columns."""
    if x == (1.0, 0.0, 0.0) and y == (0.0, 1.0, 0.0):
        return IDENTITY
    trace = x[0] + y[1] + z[2]
    # the largest of the four numbers is found first: dividing by it loses nothing
    if trace > max(x[0], y[1], z[2]):
        q = (1.0 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0])
    elif x[0] >= y[1] and x[0] >= z[2]:
        q = (y[2] - z[1], 1.0 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2])
    elif y[1] >= z[2]:
        q = (z[0] - x[2], y[0] + x[1], 1.0 - x[0] + y[1] - z[2], z[1] + y[2])
    else:
        q = (x[1] - y[0], z[0] + x[2], z[1] + y[2], 1.0 - x[0] - y[1] + z[2])
    return quat_normalized(q)
