"""Polygons in space to triangles, and the normals that a crease angle asks for."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from solidbody.base.transforms import Vec3, add, cross, dot, normalized, subtract

Triangle = tuple[int, int, int]

MAX_CONCAVE: Final = 2000
"""Corners of a concave polygon; cutting ears costs their square at least."""


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
        for place in range(len(rest)):
            before, here = rest[place - 1], rest[place]
            after = rest[(place + 1) % len(rest)]
            if _is_ear(flat, rest, before, here, after):
                triangles.append((before, here, after))
                del rest[place]
                break
        else:  # the polygon crosses itself: any cut is as good as another
            triangles.extend((rest[0], rest[i], rest[i + 1]) for i in range(1, len(rest) - 1))
            return triangles
    triangles.append((rest[0], rest[1], rest[2]))
    return triangles


def _is_ear(
    flat: Sequence[tuple[float, float]], rest: Sequence[int], before: int, here: int, after: int
) -> bool:
    a, b, c = flat[before], flat[here], flat[after]
    if _area(a, b, c) <= 0.0:
        return False
    for other in rest:
        p = flat[other]
        if p in (a, b, c):
            continue
        if _area(a, b, p) >= 0.0 and _area(b, c, p) >= 0.0 and _area(c, a, p) >= 0.0:
            return False
    return True


def creased_normals(
    vertices: Sequence[Vec3], triangles: Sequence[Triangle], crease_angle: float
) -> tuple[Vec3, ...]:
    """Return a normal per corner: the mean over the triangles at it that bend less than the angle.

    A crease angle of 0 [rad] gives flat triangles.
    """
    normals = [
        normalized(face_normal([vertices[i] for i in triangle]), fallback=(0.0, 0.0, 1.0))
        for triangle in triangles
    ]
    if crease_angle <= 0.0:
        return tuple(normal for normal in normals for _ in range(3))
    around: defaultdict[int, list[int]] = defaultdict(list)
    for index, triangle in enumerate(triangles):
        for corner in triangle:
            around[corner].append(index)
    least = math.cos(min(crease_angle, math.pi))
    result: list[Vec3] = []
    for index, triangle in enumerate(triangles):
        own = normals[index]
        for corner in triangle:
            total = (0.0, 0.0, 0.0)
            for other in around[corner]:
                if dot(own, normals[other]) >= least:
                    total = add(total, normals[other])
            result.append(normalized(total, fallback=own))
    return tuple(result)
