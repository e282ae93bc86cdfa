"""Triangulates polygons in space, and computes normals for a crease angle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Vec3, add, cross, dot, normalized, subtract

Triangle = tuple[int, int, int]
Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_NEXT, _BEFORE = np.array((1, 2, 3, 0)), np.array((3, 0, 1, 2))
_YZX, _ZXY = np.array((1, 2, 0)), np.array((2, 0, 1))
_UP: Final = np.array((0.0, 0.0, 1.0))

MAX_CONCAVE: Final = 1000
"""Corners of a concave polygon; cutting ears costs their square at least."""

MAX_PAIRS: Final = 100_000
"""Pairs of corners compared at once; bounds the memory of smooth normals."""
MAX_AROUND: Final = 1000
"""Triangles around one point; beyond it they stay flat, since every two are compared."""


def face_normal(points: Sequence[Vec3]) -> Vec3:
    """Return twice the area vector of a closed polygon (Newell): sum of p_i x p_(i+1)."""
    total = (0.0, 0.0, 0.0)
    origin = points[0]
    for a, b in pairwise(points[1:]):
        total = add(total, cross(subtract(a, origin), subtract(b, origin)))
    return total


def triangulated(points: Sequence[Vec3]) -> list[Triangle]:
    """Return triangles (as places in `points`) that fill a simple polygon, same sense of rotation.

    Convex polygons are cut into a fan, others by cutting off one ear after the other.
    """
    count = len(points)
    fan = [(0, i, i + 1) for i in range(1, count - 1)]
    if count <= 3:
        return fan
    normal = normalized(face_normal(points), fallback=(0.0, 0.0, 0.0))
    if normal == (0.0, 0.0, 0.0):
        return fan  # no area: nothing can be seen or hit
    flat = _projected(points, normal)
    turns = [_area(flat[i - 1], flat[i], flat[(i + 1) % count]) for i in range(count)]
    if min(turns) >= 0.0 or count > MAX_CONCAVE:
        return fan
    return _ears(flat)


def _projected(points: Sequence[Vec3], normal: Vec3) -> list[tuple[float, float]]:
    """Return coordinates in the plane of the polygon, in which it turns counter-clockwise."""
    helper = (1.0, 0.0, 0.0) if abs(normal[0]) < 0.9 else (0.0, 1.0, 0.0)
    u = normalized(cross(helper, normal))
    v = cross(normal, u)
    return [(dot(p, u), dot(p, v)) for p in points]


def _area(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _ears(flat: Sequence[tuple[float, float]]) -> list[Triangle]:
    """Cut ears: convex corners whose triangle holds no other corner of the polygon."""
    rest = list(range(len(flat)))
    triangles: list[Triangle] = []
    while len(rest) > 3:
        corners = [flat[index] for index in rest]
        for place in range(len(rest)):
            if _is_ear(corners, place):
                triangles.append((rest[place - 1], rest[place], rest[place + 1 - len(rest)]))
                del rest[place]
                break
        else:  # the polygon crosses itself: any cut is as good as another
            triangles.extend((rest[0], rest[i], rest[i + 1]) for i in range(1, len(rest) - 1))
            return triangles
    triangles.append((rest[0], rest[1], rest[2]))
    return triangles


def _is_ear(corners: Sequence[tuple[float, float]], place: int) -> bool:
    # `_area` of all others with each side, spelled out: this is where the time goes
    a, b, c = corners[place - 1], corners[place], corners[place + 1 - len(corners)]
    (ax, ay), (bx, by), (cx, cy) = a, b, c
    abx, aby, bcx, bcy, cax, cay = bx - ax, by - ay, cx - bx, cy - by, ax - cx, ay - cy
    if abx * (cy - ay) - aby * (cx - ax) <= 0.0:
        return False
    for p in corners:
        x, y = p
        if (
            abx * (y - ay) - aby * (x - ax) >= 0.0
            and bcx * (y - by) - bcy * (x - bx) >= 0.0
            and cax * (y - cy) - cay * (x - cx) >= 0.0
            and p not in (a, b, c)
        ):
            return False
    return True


def are_convex(quads: Floats) -> NDArray[np.bool_]:
    """Whether each of the polygons (n x 4 x 3) turns the same way at all its corners."""
    edges = quads[:, _NEXT] - quads
    sides = quads[:, 1:] - quads[:, :1]
    first, second = products(sides[:, :2], sides[:, 1:]).transpose(1, 0, 2)
    turns = products(edges[:, _BEFORE], edges)
    return (np.einsum("ijk,ik->ij", turns, first + second) >= 0.0).all(axis=1)


def products(a: Floats, b: Floats) -> Floats:
    """Return the products of rows; `np.cross` takes thrice as long for a few, as most face sets have."""
    return a[..., _YZX] * b[..., _ZXY] - a[..., _ZXY] * b[..., _YZX]


def creased_normals(points: Floats, triangles: Indices, crease_angle: float) -> Floats:
    """Return a normal per corner: the mean over the triangles at it that bend less than the angle.

    A crease angle of 0 [rad] gives flat triangles.
    """
    origin = points[triangles[:, 0]]
    normals = products(points[triangles[:, 1]] - origin, points[triangles[:, 2]] - origin)
    normals = unit_rows(normals, _UP)
    result = np.repeat(normals, 3, axis=0)
    if crease_angle <= 0.0:
        return result
    least = math.cos(min(crease_angle, math.pi))
    # corners in the order of their points: those at one point stand together
    corners = np.argsort(triangles.reshape(-1), kind="stable")
    at = triangles.reshape(-1)[corners]
    starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
    counts = np.diff(np.concatenate((starts, [len(at)])))
    for count in np.unique(counts).tolist():
        if not 1 < count <= MAX_AROUND:
            continue
        groups = starts[counts == count]
        parts = 1 + len(groups) * count**2 // MAX_PAIRS
        for part in [groups] if parts == 1 else np.array_split(groups, parts):
            members = corners[part[:, None] + np.arange(count)]  # group x corner
            around = normals[members // 3]
            near = np.einsum("gik,gjk->gij", around, around) >= least
            mean = np.einsum("gij,gjk->gik", near.astype(np.float64), around)
            own = around.reshape(-1, 3)
            result[members.reshape(-1)] = unit_rows(mean.reshape(-1, 3), own)
    return result


def unit_rows(rows: Floats, fallback: Floats) -> Floats:
    """Return rows with length 1 (in place); those without a direction become `fallback`, or its row."""
    lengths = np.linalg.norm(rows, axis=1)
    good = (lengths > 0.0) & (lengths < np.inf)
    if good.all():
        rows /= lengths[:, None]
        return rows
    lengths[~good] = 1.0
    rows /= lengths[:, None]
    rows[~good] = np.broadcast_to(fallback, rows.shape)[~good]
    return rows
