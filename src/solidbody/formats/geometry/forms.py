"""Tessellates spheres, cylinders, cones and capsules, with the model's axes (z along the axis).

The counts are Choreonoid's: n meridians, n/2 bands from pole to pole, caps around a centre point; the
first meridian is at +x and the next ones follow towards -y.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from solidbody.formats.geometry.face_sets import shared_triples, triples_of_indices
from solidbody.formats.geometry.polygons import Floats, Indices, creased_normals
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometrySphere,
)

DIVISIONS: Final = 20
"""Meridians of a round form when the file does not say."""
MIN_DIVISIONS: Final = 4
MAX_DIVISIONS: Final = 1000
"""A sphere of so many has a million triangles."""

THINNEST: Final = 1e-6
"""Side of a form that is written as 0 [m]: the simulator needs one, and nobody can see it."""

SMOOTH: Final = 1.0
"""Crease angle [rad] of round forms: facets of 8 meridians or more are smoothed, rims are not."""


def mesh_of(geometry: Geometry, divisions: int = DIVISIONS) -> GeometryMesh | None:
    """Return a solid form as triangles; None for forms that have none (lines, points, planes)."""
    n = min(max(divisions, MIN_DIVISIONS), MAX_DIVISIONS)
    match geometry:
        case GeometryMesh():
            return geometry
        case GeometryBox(size):
            return _box(size)
        case GeometrySphere(radius):
            return _turned(_arc(radius, 0.0, n // 2, 0, n // 2), n)
        case GeometryCylinder(radius, height, top, side, bottom):
            profile = [(0.0, -height / 2), (radius, -height / 2), (radius, height / 2)]
            return _turned([*profile, (0.0, height / 2)], n, (bottom, side, top))
        case GeometryCone(radius, height, side, bottom):
            profile = [(0.0, -height / 2), (radius, -height / 2), (0.0, height / 2)]
            return _turned(profile, n, (bottom, side))
        case GeometryCapsule(radius, height):
            quarter = max(n // 4, 1)
            lower = _arc(radius, -height / 2, 2 * quarter, 0, quarter)
            upper = _arc(radius, height / 2, 2 * quarter, quarter, 2 * quarter)
            return _turned([*lower, *upper], n)
        case GeometryHeightField():
            return height_field_mesh(geometry)
        case _:
            return None


def mesh_from(
    points: Floats, triangles: Indices, crease_angle: float, *, two_sided: bool = False
) -> GeometryMesh:
    """Return triangles as a mesh with the normals of a crease angle [rad]."""
    return GeometryMesh(
        shared_triples(points),
        triples_of_indices(triangles, len(points)),
        shared_triples(creased_normals(points, triangles, crease_angle)),
        two_sided=two_sided,
    )


def creased(mesh: GeometryMesh, crease_angle: float) -> GeometryMesh:
    """Return a mesh with the normals of a crease angle [rad]."""
    points = np.asarray(mesh.vertices, dtype=np.float64)
    triangles = np.asarray(mesh.triangles, dtype=np.int64)
    return replace(mesh, normals=shared_triples(creased_normals(points, triangles, crease_angle)))


def height_field_mesh(grid: GeometryHeightField) -> GeometryMesh:
    """Return the surface of a height field."""
    nx, ny = grid.x_count, grid.y_count
    y, x = np.divmod(np.arange(nx * ny), nx)
    points = np.column_stack((x * grid.x_spacing, y * grid.y_spacing, np.asarray(grid.heights)))
    return mesh_from(points, grid_triangles(nx, ny), 0.0, two_sided=True)


def grid_triangles(columns: int, rows: int) -> Indices:
    """Return two triangles per cell of a grid of points, counter-clockwise for columns x rows."""
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    across, up = first + 1, first + columns
    lower = np.column_stack((first, across, up + 1))
    return np.stack((lower, np.column_stack((first, up + 1, up))), axis=1).reshape(-1, 3)


def _box(size: tuple[float, float, float]) -> GeometryMesh:
    signs = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [(a, *pair) for a, b, c, d in quads for pair in ((b, c), (c, d))]
    return mesh_from(0.5 * signs * np.asarray(size), np.asarray(triangles), 0.0)


def _arc(
    radius: float, middle: float, bands: int, first: int, last: int
) -> list[tuple[float, float]]:
    """Return points (r, z) of a half circle from its lower pole, `bands` from pole to pole."""
    result: list[tuple[float, float]] = []
    for i in range(first, last + 1):
        angle = math.pi * (i / bands - 0.5)
        r = 0.0 if i in (0, bands) else radius * math.cos(angle)
        result.append((r, middle + radius * math.sin(angle)))
    return result


def _turned(
    profile: list[tuple[float, float]], n: int, drawn: tuple[bool, ...] | None = None
) -> GeometryMesh:
    """Return the surface that a profile (r, z), from low to high, sweeps about z.

    Args:
        profile: Points; those with r = 0 lie on the axis.
        n: Meridians.
        drawn: For each piece of the profile, whether there are triangles; None = all.
    """
    angle = np.arange(n) * (-2.0 * math.pi / n)
    circle = np.column_stack((np.cos(angle), np.sin(angle)))
    points: list[Floats] = []
    starts: list[int] = []
    count = 0
    for r, z in profile:
        ring = circle * r if r > 0.0 else np.zeros((1, 2))
        points.append(np.column_stack((ring, np.full(len(ring), z))))
        starts.append(count)
        count += len(ring)
    here, after = np.arange(n), (np.arange(n) + 1) % n
    triangles: list[Indices] = []
    for i, is_drawn in enumerate(drawn or (True,) * (len(profile) - 1)):
        if not is_drawn:
            continue
        low, high = starts[i], starts[i + 1]
        at_low = len(points[i]) == 1
        at_high = len(points[i + 1]) == 1
        # meridians run clockwise seen from +z
        if not at_low:
            top = np.full(n, high) if at_high else high + here
            triangles.append(np.column_stack((low + after, low + here, top)))
        if not at_high:
            bottom = np.full(n, low) if at_low else low + after
            triangles.append(np.column_stack((bottom, high + here, high + after)))
    every = np.concatenate(triangles) if triangles else np.zeros((0, 3), dtype=np.int64)
    return mesh_from(np.concatenate(points), every, SMOOTH)
