"""Applies poses with scale to geometries; what cannot stay a primitive becomes triangles."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np

from solidbody.base.transforms import Pose, Vec3
from solidbody.formats.geometry.affine import ONE, Affine, Matrix3
from solidbody.formats.geometry.face_sets import shared_triples
from solidbody.formats.geometry.forms import DIVISIONS, mesh_of
from solidbody.formats.geometry.polygons import unit_rows
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

_T = TypeVar("_T")

ROUND_TOLERANCE: Final = 1e-9
"""Relative difference of two factors that leaves a circle a circle; below what a file writes down."""


class Placer:
    """Places geometries and remembers scaled ones: a mesh that is used often is stored once."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[Geometry, Geometry | None]] = {}

    def placed(
        self, geometry: Geometry, place: Affine, divisions: int = DIVISIONS
    ) -> tuple[Geometry, Pose] | None:
        """Return what the function `placed` does, the same object for the same scale."""
        parts = place.split()
        if parts is not None and parts[1] == ONE:
            return geometry, parts[0]
        # scales that differ by rounding only give the same object
        factors = place.linear if parts is None else tuple(float(f"{x:.12g}") for x in parts[1])
        key = (id(geometry), factors, divisions)
        if key not in self._made:
            found = placed(geometry, place, divisions)
            # the geometry itself is kept too, so that nothing else gets its id
            self._made[key] = (geometry, None if found is None else found[0])
        made = self._made[key][1]
        if made is None:
            return None
        return made, parts[0] if parts is not None else Pose(place.translation)


def placed(
    geometry: Geometry, place: Affine, divisions: int = DIVISIONS
) -> tuple[Geometry, Pose] | None:
    """Return a geometry and a rigid pose that together fill the same space.

    Args:
        geometry: In its own coordinates.
        place: Their map to the link.
        divisions: Meridians, if a round form has to become triangles.

    Returns:
        None if nothing of it is left: the map squeezes a form without triangles flat.
    """
    parts = place.split()
    if parts is None:
        mesh = baked(geometry, place.linear, divisions)
        return None if mesh is None else (mesh, Pose(place.translation))
    pose, scale = parts
    if scale == ONE:
        return geometry, pose
    kept = _scaled(geometry, scale)
    if kept is None:
        sx, sy, sz = scale
        kept = baked(geometry, ((sx, 0.0, 0.0), (0.0, sy, 0.0), (0.0, 0.0, sz)), divisions)
    return None if kept is None else (kept, pose)


def _scaled(geometry: Geometry, scale: Vec3) -> Geometry | None:
    """Return the same kind of form with other measures, or None if it needs to become another kind."""
    x, y, z = map(abs, scale)
    is_round = math.isclose(x, y, rel_tol=ROUND_TOLERANCE)
    is_uniform = is_round and math.isclose(x, z, rel_tol=ROUND_TOLERANCE)
    match geometry:
        case GeometryBox((a, b, c)):
            return GeometryBox((a * x, b * y, c * z))
        case GeometrySphere(radius) if is_uniform:
            return GeometrySphere(radius * x)
        case GeometryCapsule(radius, height) if is_uniform:
            return replace(geometry, radius=radius * x, height=height * z)
        case GeometryCylinder(radius, height) if is_round and scale[2] > 0.0:
            return replace(geometry, radius=radius * x, height=height * z)
        case GeometryCone(radius, height) if is_round and scale[2] > 0.0:
            return replace(geometry, radius=radius * x, height=height * z)
        case GeometryPlane((a, b)) if scale[2] > 0.0:
            return GeometryPlane((a * x, b * y))
        case GeometryHeightField() if min(scale) > 0.0:
            return replace(
                geometry,
                x_spacing=geometry.x_spacing * x,
                y_spacing=geometry.y_spacing * y,
                heights=tuple(height * z for height in geometry.heights),
                thickness=geometry.thickness * z,
            )
        case _:
            return None


def baked(geometry: Geometry, linear: Matrix3, divisions: int = DIVISIONS) -> Geometry | None:
    """Return the form with a linear map applied to its points; None for planes."""
    matrix = np.asarray(linear, dtype=np.float64)
    if isinstance(geometry, GeometryLines):
        return GeometryLines(shared_triples(_rows(geometry.points) @ matrix.T), geometry.segments)
    if isinstance(geometry, GeometryPoints):
        return GeometryPoints(shared_triples(_rows(geometry.points) @ matrix.T), geometry.colors)
    mesh = mesh_of(geometry, divisions)
    if mesh is None:
        return None
    points = _rows(mesh.vertices) @ matrix.T
    largest = float(np.abs(matrix).max())
    unit = matrix / largest if largest > 0.0 else matrix
    # cofactors: the inverse transpose, by which normals turn, without a division by the determinant
    cofactors = np.stack([np.cross(unit[i - 2], unit[i - 1]) for i in range(3)])
    determinant = float(unit[0] @ cofactors[0])
    normals: tuple[Vec3, ...] = ()
    if mesh.normals and determinant != 0.0:
        # a mirror turns triangles, not normals
        old = _rows(mesh.normals)
        turned = old @ (math.copysign(1.0, determinant) * cofactors).T
        normals = shared_triples(unit_rows(turned, old))
    made = GeometryMesh(
        shared_triples(points),
        mesh.triangles,
        normals,
        mesh.texture_coordinates,
        two_sided=mesh.two_sided,
    )
    return rewound(made) if determinant < 0.0 else made


def rewound(mesh: GeometryMesh) -> GeometryMesh:
    """Return a mesh whose corners are listed the other way round; normals stay at their corners."""

    def corners(items: tuple[_T, ...]) -> tuple[_T, ...]:
        return tuple(items[i + k] for i in range(0, len(items), 3) for k in (0, 2, 1))

    return GeometryMesh(
        mesh.vertices,
        tuple((a, c, b) for a, b, c in mesh.triangles),
        corners(mesh.normals),
        corners(mesh.texture_coordinates),
        mesh.two_sided,
    )


def _rows(items: tuple[Vec3, ...]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.asarray(items, dtype=np.float64).reshape(-1, 3)
