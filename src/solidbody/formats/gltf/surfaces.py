"""Geometries as arrays of vertices, with the normals and texture coordinates by which we draw them.

Pictures lie on boxes, balls, cylinders and cones as in VRML97: around from +y by -x, upright on sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Vec3
from solidbody.formats.geometry.forms import grid_triangles
from solidbody.formats.geometry.polygons import Floats, Indices, creased_normals
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometryPlane,
    GeometryPoints,
    GeometrySphere,
)

AROUND: Final = 48
"""Faces around round forms."""
ALONG: Final = 24
"""Faces of a ball from pole to pole."""
CREASE: Final = 0.6
"""Edges of meshes without normals that are sharper than this stay sharp [rad]."""

_POINTS, _LINES, _TRIANGLES = 0, 1, 4


@dataclass(frozen=True, slots=True)
class VertexArrays:
    """What is drawn.

    Attributes:
        mode: glTF's number of what the indices make: points, lines, triangles.
        positions: (n, 3) [m].
        normals: (n, 3) or None.
        texture_coordinates: (n, 2), v from below; or None.
        colors: (n, 3), linear; or None.
        indices: Of vertices; None = all in order.
        is_open: Whether backs can be seen.
    """

    mode: int
    positions: Floats
    normals: Floats | None = None
    texture_coordinates: Floats | None = None
    colors: Floats | None = None
    indices: Indices | None = None
    is_open: bool = False


def vertex_arrays(geometry: Geometry) -> VertexArrays | None:
    """Return a geometry as arrays; None if there is nothing to draw."""
    match geometry:
        case GeometryBox(size):
            return _box(size)
        case GeometryPlane(size):
            return _plane(size)
        case GeometrySphere(radius):
            return _joined(_band(_arc(radius, 0.0, -0.5, 0.5, ALONG), radius), is_open=False)
        case GeometryCapsule(radius, height, top, side, bottom):
            half = height / 2.0
            parts: list[VertexArrays] = []
            if bottom:
                parts += _band(_arc(radius, -half, -0.5, 0.0, ALONG // 2), half)
            if side:
                parts += _band([(radius, -half, 1.0, 0.0), (radius, half, 1.0, 0.0)], half)
            if top:
                parts += _band(_arc(radius, half, 0.0, 0.5, ALONG // 2), half)
            return _joined(parts, is_open=not (top and side and bottom))
        case GeometryCylinder(radius, height, top, side, bottom):
            half = height / 2.0
            parts = []
            if side:
                parts += _band([(radius, -half, 1.0, 0.0), (radius, half, 1.0, 0.0)], half)
            parts += [_disc(radius, half, 1.0)] if top else []
            parts += [_disc(radius, -half, -1.0)] if bottom else []
            return _joined(parts, is_open=not (top and side and bottom))
        case GeometryCone(radius, height, side, bottom):
            half, length = height / 2.0, math.hypot(radius, height)
            r, z = height / length, radius / length
            parts = []
            if side:
                parts += _band([(radius, -half, r, z), (0.0, half, r, z)], half)
            parts += [_disc(radius, -half, -1.0)] if bottom else []
            return _joined(parts, is_open=not (side and bottom))
        case GeometryMesh():
            return _mesh(geometry)
        case GeometryHeightField():
            return _height_field(geometry)
        case GeometryLines(points, segments):
            if not segments:
                return None
            return VertexArrays(_LINES, np.array(points), indices=np.array(segments).reshape(-1))
        case GeometryPoints(points, colors):
            if not points:
                return None
            shades = np.array(colors) if len(colors) == len(points) else None
            return VertexArrays(_POINTS, np.array(points), colors=shades)


def _box(size: Vec3) -> VertexArrays:
    half = 0.5 * np.asarray(size, dtype=float)
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    positions: list[Floats] = []
    normals: list[Floats] = []
    pictures: list[Floats] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            # seen from outside, u grows to the right and v upwards
            right, up = np.zeros(3), np.zeros(3)
            right[(1, 0, 0)[axis]] = (sign, -sign, 1.0)[axis]
            up[(2, 2, 1)[axis]] = (1.0, 1.0, sign)[axis]
            out = np.zeros(3)
            out[axis] = sign
            positions.append((corners[:, :1] * right + corners[:, 1:] * up + out) * half)
            normals.append(np.tile(out, (4, 1)))
            pictures.append(0.5 + 0.5 * corners)
    quads = np.arange(6)[:, None] * 4 + np.array((0, 1, 2, 0, 2, 3))
    return VertexArrays(
        _TRIANGLES,
        np.concatenate(positions),
        np.concatenate(normals),
        np.concatenate(pictures),
        indices=quads.reshape(-1),
    )


def _plane(size: tuple[float, float]) -> VertexArrays:
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    positions = np.column_stack((corners * np.asarray(size), np.zeros(4)))
    normals = np.tile((0.0, 0.0, 1.0), (4, 1))
    return VertexArrays(
        _TRIANGLES, positions, normals, corners + 0.5, indices=np.array((0, 1, 2, 0, 2, 3))
    )


Ring = tuple[float, float, float, float]
"""Radius and height [m] of a circle about z, and both components of the normal there."""


def _arc(radius: float, middle: float, low: float, high: float, count: int) -> list[Ring]:
    """Return circles of a ball between two latitudes, given as shares of pi."""
    found: list[Ring] = []
    for k in range(count + 1):
        angle = math.pi * (low + (high - low) * k / count)
        c = 0.0 if abs(abs(angle) - math.pi / 2.0) < 1e-12 else math.cos(angle)
        found.append((radius * c, middle + radius * math.sin(angle), c, math.sin(angle)))
    return found


def _band(rings: Sequence[Ring], half: float) -> list[VertexArrays]:
    """Return the surface between circles, from low to high; v runs from -half to half, or by latitude."""
    around = np.linspace(0.0, 1.0, AROUND + 1)
    ways = np.column_stack((-np.sin(2.0 * math.pi * around), np.cos(2.0 * math.pi * around)))
    ways[-1] = ways[0]
    table = np.array(rings)
    is_ball = math.isclose(rings[0][1], -rings[-1][1]) and len(rings) > 2
    heights = table[:, 3].clip(-1.0, 1.0)
    v = (
        0.5 + np.arcsin(heights) / math.pi
        if is_ball
        else 0.5 + 0.5 * table[:, 1] / max(half, 1e-12)
    )
    columns, rows = len(around), len(table)
    level = np.repeat(table, columns, axis=0)
    way = np.tile(ways, (rows, 1))
    positions = np.column_stack((way * level[:, :1], level[:, 1]))
    normals = np.column_stack((way * level[:, 2:3], level[:, 3]))
    pictures = np.column_stack((np.tile(around, rows), np.repeat(v, columns)))
    triangles = grid_triangles(columns, rows)
    # at poles one of the two triangles of a face has no area
    at_pole = np.repeat(table[:, 0] == 0.0, columns)[triangles].sum(axis=1) > 1
    return [
        VertexArrays(
            _TRIANGLES, positions, normals, pictures, indices=triangles[~at_pole].reshape(-1)
        )
    ]


def _disc(radius: float, height: float, up: float) -> VertexArrays:
    angle = np.arange(AROUND) * (2.0 * math.pi / AROUND)
    circle = np.column_stack((-np.sin(angle), np.cos(angle)))
    flat = np.concatenate((np.zeros((1, 2)), circle))
    pictures = 0.5 + 0.5 * flat * (1.0, up)
    here = 1 + np.arange(AROUND)
    after = 1 + (np.arange(AROUND) + 1) % AROUND
    ends = (here, after) if up > 0.0 else (after, here)
    triangles = np.column_stack((np.zeros(AROUND, dtype=np.int64), *ends))
    return VertexArrays(
        _TRIANGLES,
        np.column_stack((flat * radius, np.full(len(flat), height))),
        np.tile((0.0, 0.0, up), (len(flat), 1)),
        pictures,
        indices=triangles.reshape(-1),
    )


def _joined(parts: Sequence[VertexArrays], *, is_open: bool) -> VertexArrays | None:
    if not parts:
        return None
    starts = np.cumsum([0, *(len(part.positions) for part in parts)])

    def stacked(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return VertexArrays(
        _TRIANGLES,
        stacked("positions"),
        stacked("normals"),
        stacked("texture_coordinates"),
        indices=np.concatenate(
            [start + part.indices for start, part in zip(starts, parts, strict=False)]
        ),
        is_open=is_open,
    )


def _mesh(mesh: GeometryMesh) -> VertexArrays | None:
    if not mesh.triangles:
        return None
    points = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3)
    triangles = np.asarray(mesh.triangles, dtype=np.int64).reshape(-1, 3)
    normals = (
        _unit(np.asarray(mesh.normals, dtype=np.float64))
        if mesh.normals
        else creased_normals(points, triangles, CREASE)
    )
    pictures = np.asarray(mesh.texture_coordinates) if mesh.texture_coordinates else None
    return _of_corners(points, triangles, normals, pictures, None, is_open=mesh.two_sided)


def _height_field(grid: GeometryHeightField) -> VertexArrays | None:
    nx, ny = grid.x_count, grid.y_count
    if nx < 2 or ny < 2:
        return None
    y, x = np.divmod(np.arange(nx * ny), nx)
    points = np.column_stack((x * grid.x_spacing, y * grid.y_spacing, np.asarray(grid.heights)))
    triangles = grid_triangles(nx, ny)
    shares = np.column_stack((x / (nx - 1), y / (ny - 1)))
    colors = None
    if grid.colors and grid.color_per_point:
        colors = _spread(grid.colors, nx, ny)[triangles.reshape(-1)]
    elif grid.colors:
        colors = np.repeat(_spread(grid.colors, nx - 1, ny - 1), 6, axis=0)
    normals = creased_normals(points, triangles, CREASE)
    pictures = shares[triangles.reshape(-1)]
    return _of_corners(points, triangles, normals, pictures, colors, is_open=True)


def _spread(given: Sequence[Vec3], nx: int, ny: int) -> Floats:
    """Return a colour for each of nx * ny places; too few are taken in turn along both axes."""
    colors = np.array(given, dtype=np.float64)
    if len(colors) >= nx * ny:
        return colors[: nx * ny]
    return colors[(np.arange(ny)[:, None] + np.arange(nx)).ravel() % len(colors)]


def _of_corners(
    points: Floats,
    triangles: Indices,
    normals: Floats,
    pictures: Floats | None,
    colors: Floats | None,
    *,
    is_open: bool,
) -> VertexArrays:
    """Return triangles whose corners have what is their own; equal corners become one vertex."""
    given = [points[triangles.reshape(-1)], normals, pictures, colors]
    columns = [np.asarray(part, dtype=np.float32) for part in given if part is not None]
    table: NDArray[np.float32] = np.concatenate(columns, axis=1) + np.float32(0.0)  # no -0
    rows, places = np.unique(table.view(f"V{4 * table.shape[1]}"), return_inverse=True)
    kept = np.frombuffer(rows.tobytes(), dtype=np.float32).reshape(len(rows), -1)
    sizes = [column.shape[1] for column in columns]
    parts = iter(np.split(kept, np.cumsum(sizes)[:-1], axis=1))
    found = [None if part is None else next(parts) for part in given]
    positions = found[0]
    assert positions is not None
    return VertexArrays(
        _TRIANGLES,
        positions.astype(np.float64),
        *(None if part is None else part.astype(np.float64) for part in found[1:]),
        indices=places.reshape(-1),
        is_open=is_open,
    )


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(lengths > 1e-12, rows / np.maximum(lengths, 1e-12), (0.0, 0.0, 1.0))
