"""Makes meshes of elevation grids of VRML97 and Choreonoid: heights along +y over the xz plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.formats.geometry.face_sets import shared_triples, triples_of_indices
from solidbody.formats.geometry.forms import grid_triangles
from solidbody.formats.geometry.polygons import creased_normals
from solidbody.model.geometry import GeometryMesh

MAX_POINTS: Final = 500_000
"""Points of one grid; their triangles are twice as many."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Points at equal distances in the xz plane, each at its height.

    Attributes:
        x_count: Points along x, 2 at least.
        z_count: Points along z.
        x_spacing: Their distance along x [m].
        z_spacing: Their distance along z [m].
        heights: y of each point [m], x fastest; as many as there are points.
        ccw: Whether the upper side (+y) is the outer one.
        crease_angle: Edges below it are smooth [rad].
        texture: (s, t) of each point; empty = s along x and t along z, 0..1.
        two_sided: Whether both sides are drawn.
    """

    x_count: int
    z_count: int
    x_spacing: float
    z_spacing: float
    heights: Sequence[float]
    ccw: bool = True
    crease_angle: float = 0.0
    texture: Sequence[tuple[float, float]] = ()
    two_sided: bool = False

    def mesh(self) -> GeometryMesh:
        """Return the surface over the points."""
        nx, nz = self.x_count, self.z_count
        z, x = np.divmod(np.arange(nx * nz), nx)
        heights = np.asarray(self.heights, dtype=np.float64)
        points = np.column_stack((x * self.x_spacing, heights, z * self.z_spacing))
        triangles = grid_triangles(nx, nz)
        if self.ccw:
            triangles = triangles[
                :, ::-1
            ]  # x to z turns from +y to below: up is the other way round
        uv = (
            np.asarray(self.texture, dtype=np.float64)
            if len(self.texture)
            else np.column_stack((x / (nx - 1), z / (nz - 1)))
        )
        return GeometryMesh(
            shared_triples(points),
            triples_of_indices(triangles, len(points)),
            shared_triples(creased_normals(points, triangles, self.crease_angle)),
            tuple((u, v) for u, v in uv[triangles.reshape(-1)].tolist()),
            two_sided=self.two_sided,
        )
