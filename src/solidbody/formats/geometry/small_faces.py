"""Triangulates face sets of a few polygons in plain Python, which is faster than arrays there.

The same meshes to the last bit as `face_meshes` makes with arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from solidbody.base.transforms import Vec3, add, cross, subtract
from solidbody.formats.geometry.polygons import Triangle, triangulated
from solidbody.model.geometry import GeometryMesh

MAX_NUMBERS: Final = 150
"""Numbers of a list of faces; beyond it arrays are faster."""

_UP: Final = (0.0, 0.0, 1.0)
_FAN: Final = ((0, 1, 2), (0, 2, 3))
_Runs = list[list[int]]


def small_mesh(
    points: tuple[Vec3, ...],
    faces: Sequence[int],
    texture: Sequence[tuple[float, ...]] | None,
    texture_indices: Sequence[int],
    *,
    crease_angle: float,
    is_turned: bool,
    two_sided: bool,
) -> GeometryMesh | None:
    """Return the mesh of a few polygons; None where something is wrong with them.

    Args:
        points: The corners.
        faces: Runs of indices of points, each ended by -1.
        texture: Texture coordinates.
        texture_indices: Runs of indices of these, along with the faces; empty = those of the faces.
        crease_angle: [rad].
        is_turned: Whether the polygons are turned over.
        two_sided: Whether back faces are drawn.
    """
    runs = _runs(faces)
    if not _are_good(runs, len(points), 3):
        return None
    images = runs if texture is None or not texture_indices else _runs(texture_indices)
    if texture is not None and not (
        _are_good(images, len(texture), 0)
        and len(images) >= len(runs)
        and all(len(image) >= len(run) for image, run in zip(images, runs, strict=False))
    ):
        return None
    triangles: list[Triangle] = []
    uv: list[tuple[float, ...]] = []
    for run, image in zip(runs, images, strict=False):
        for a, b, c in _places([points[index] for index in run]):
            if is_turned:
                a, c = c, a
            triangles.append((run[a], run[b], run[c]))
            if texture is not None:
                uv += texture[image[a]], texture[image[b]], texture[image[c]]
    if not triangles:
        return None
    return GeometryMesh(
        points,
        tuple(triangles),
        _normals(points, triangles, crease_angle),
        tuple((u, v) for u, v in uv),
        two_sided=two_sided,
    )


def _runs(numbers: Sequence[int]) -> _Runs:
    """Return the runs between the -1 that end polygons."""
    runs: _Runs = [[]]
    for number in numbers:
        if number != -1:
            runs[-1].append(number)
        elif runs[-1]:
            runs.append([])
    return runs if runs[-1] else runs[:-1]


def _are_good(runs: _Runs, count: int, least: int) -> bool:
    return all(len(run) >= least and min(run) >= 0 and max(run) < count for run in runs)


def _places(corners: list[Vec3]) -> Sequence[Triangle]:
    """Return triangles that fill a polygon, as places in it."""
    if len(corners) == 3:
        return _FAN[:1]
    return _FAN if len(corners) == 4 and _is_convex(corners) else triangulated(corners)


def _is_convex(quad: list[Vec3]) -> bool:
    """Whether a polygon of four turns the same way at all its corners."""
    p, q, r, s = quad
    diagonal = subtract(r, p)
    normal = add(cross(subtract(q, p), diagonal), cross(diagonal, subtract(s, p)))
    edges = subtract(q, p), subtract(r, q), subtract(s, r), subtract(p, s)
    return all(_dot(cross(edges[i - 1], edges[i]), normal) >= 0.0 for i in range(4))


def _normals(points: Sequence[Vec3], triangles: list[Triangle], angle: float) -> tuple[Vec3, ...]:
    """Return a normal per corner; equal ones are one object."""
    flat: list[Vec3] = []
    for a, b, c in triangles:
        origin = points[a]
        flat.append(_unit(cross(subtract(points[b], origin), subtract(points[c], origin)), _UP))
    result = [normal for normal in flat for _ in range(3)]
    if angle > 0.0:
        _smooth(result, flat, triangles, math.cos(min(angle, math.pi)))
    known: dict[Vec3, Vec3] = {}
    return tuple([known.setdefault(normal, normal) for normal in result])


def _smooth(result: list[Vec3], flat: list[Vec3], triangles: list[Triangle], least: float) -> None:
    """Replace normals by the mean over the triangles at the corner that bend less than an angle."""
    around: dict[int, list[int]] = {}
    for number, triangle in enumerate(triangles):
        for place, index in enumerate(triangle):
            around.setdefault(index, []).append(3 * number + place)
    for corners in around.values():
        if len(corners) == 1:
            continue
        normals = [flat[corner // 3] for corner in corners]
        for corner, own in zip(corners, normals, strict=True):
            mean = (0.0, 0.0, 0.0)
            for other in normals:
                if _dot(own, other) >= least:
                    mean = add(mean, other)
            result[corner] = _unit(mean, own)


def _dot(a: Vec3, b: Vec3) -> float:
    """Return the scalar product, added in the order in which numpy adds."""
    return (a[0] * b[0] + a[2] * b[2]) + a[1] * b[1]


def _unit(a: Vec3, fallback: Vec3) -> Vec3:
    x, y, z = a
    length = math.sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length) if 0.0 < length < math.inf else fallback
