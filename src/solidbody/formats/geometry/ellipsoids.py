"""Ellipsoids as meshes: their corners are on them, their faces within 2 % of their half axes."""

from __future__ import annotations

import math
from typing import Final

from solidbody.base.transforms import Vec3
from solidbody.model.geometry import GeometryMesh

RINGS: Final = 16
SECTORS: Final = 24


def ellipsoid(half: Vec3) -> GeometryMesh:
    """Return an ellipsoid with the given half axes as a mesh."""
    a, b, c = half
    points: list[Vec3] = [(0.0, 0.0, -c)]
    for ring in range(1, RINGS):
        up = -math.pi / 2 + math.pi * ring / RINGS
        for sector in range(SECTORS):
            turn = 2 * math.pi * sector / SECTORS
            flat = math.cos(up)
            points.append((a * flat * math.cos(turn), b * flat * math.sin(turn), c * math.sin(up)))
    points.append((0.0, 0.0, c))
    top = len(points) - 1
    triangles: list[tuple[int, int, int]] = []
    for sector in range(SECTORS):
        after = (sector + 1) % SECTORS
        triangles.append((0, 1 + after, 1 + sector))
        last = 1 + (RINGS - 2) * SECTORS
        triangles.append((top, last + sector, last + after))
        for ring in range(RINGS - 2):
            low, high = 1 + ring * SECTORS, 1 + (ring + 1) * SECTORS
            triangles.append((low + sector, low + after, high + sector))
            triangles.append((low + after, high + after, high + sector))
    normals = tuple(_normal(points[k], half) for triangle in triangles for k in triangle)
    return GeometryMesh(tuple(points), tuple(triangles), normals)


def _normal(point: Vec3, half: Vec3) -> Vec3:
    x, y, z = (p / (h * h) for p, h in zip(point, half, strict=True))
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length
