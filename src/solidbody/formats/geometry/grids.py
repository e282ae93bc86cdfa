"""Makes meshes of elevation grids of VRML97 and Choreonoid: heights along +y over the xz plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from solidbody.formats.geometry.face_sets import shared_triples, triples_of_indices
from solidbody.formats.geometry.forms import grid_triangles
from solidbody.formats.geometry.polygons import creased_normals
from solidbody.model.geometry import GeometryMesh

MAX_POINTS: Final = 500_000
"""Points of one grid; their triangles are twice as many."""


def grid_mesh(
    counts: tuple[int, int],
    spacings: tuple[float, float],
    heights: Sequence[float],
    *,
    ccw: bool = True,
    crease_angle: float = 0.0,
    texture: Sequence[tuple[float, float]] = (),
    two_sided: bool = False,
) -> GeometryMesh:
    """Return the surface over a grid of points.

    Args:
        counts: Points along x and z, 2 at least.
        spacings: Their distances [m].
        heights: y of each point [m], x fastest; as many as there are points.
        ccw: Whether the upper side (+y) is the outer one.
        crease_angle: [rad].
        texture: (s, t) of each point; empty = s along x and t along z, 0..1.
        two_sided: Whether both sides are drawn.
    """
    nx, nz = counts
    z, x = np.divmod(np.arange(nx * nz), nx)
    points = np.column_stack(
        (x * spacings[0], np.asarray(heights, dtype=np.float64), z * spacings[1])
    )
    triangles = grid_triangles(nx, nz)
    if ccw:
        triangles = triangles[:, ::-1]  # x to z turns from +y to below: up is the other way round
    uv = (
        np.asarray(texture, dtype=np.float64)
        if len(texture)
        else np.column_stack((x / (nx - 1), z / (nz - 1)))
    )
    return GeometryMesh(
        shared_triples(points),
        triples_of_indices(triangles, len(points)),
        shared_triples(creased_normals(points, triangles, crease_angle)),
        tuple((u, v) for u, v in uv[triangles.reshape(-1)].tolist()),
        two_sided=two_sided,
    )
