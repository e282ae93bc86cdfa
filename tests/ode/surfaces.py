"""Height fields and triangle meshes as ODE geoms."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.model.geometry import GeometryHeightField, GeometryMesh

NO_BORDER = 0
PLACEABLE = 1


@dataclass(slots=True)
class OdeSurfaces:
    """Makes geoms and keeps alive what ODE only points at."""

    library: ctypes.CDLL
    _heights: list[int] = field(default_factory=list[int])
    _meshes: list[int] = field(default_factory=list[int])
    _arrays: list[Any] = field(default_factory=list[Any])

    def add_mesh(self, space: int, mesh: GeometryMesh) -> int:
        """Return a dTriMesh."""
        lib = self.library
        points = np.ascontiguousarray(mesh.vertices, dtype=np.float64)
        faces = np.ascontiguousarray(mesh.triangles, dtype=np.uint32)
        self._arrays += [points, faces]
        data = lib.dGeomTriMeshDataCreate()
        self._meshes.append(data)
        lib.dGeomTriMeshDataBuildDouble(
            data, points.ctypes.data, 24, len(points), faces.ctypes.data, faces.size, 12
        )
        return lib.dCreateTriMesh(space, data, None, None, None)

    def add_heights(self, space: int, ground: GeometryHeightField) -> int:
        """Return a dHeightfield, whose own frame is that of `heights_pose`."""
        lib = self.library
        # ODE has y up and counts rows along its z, which is our -y
        rows = np.array(ground.heights).reshape(ground.y_count, ground.x_count)[::-1]
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        data = lib.dGeomHeightfieldDataCreate()
        self._heights.append(data)
        lib.dGeomHeightfieldDataBuildDouble(
            data,
            rows.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
            1,
            (ground.x_count - 1) * ground.x_spacing,
            (ground.y_count - 1) * ground.y_spacing,
            ground.x_count,
            ground.y_count,
            1.0,
            0.0,
            ground.thickness,
            NO_BORDER,
        )
        return lib.dCreateHeightfield(space, data, PLACEABLE)

    def close(self) -> None:
        """Free the data; the geoms must be gone."""
        for data in self._heights:
            self.library.dGeomHeightfieldDataDestroy(data)
        for data in self._meshes:
            self.library.dGeomTriMeshDataDestroy(data)
        self._heights.clear()
        self._meshes.clear()


def heights_pose(ground: GeometryHeightField) -> Pose:
    """Return ODE's frame of a height field (centre, y up) in ours (corner, z up)."""
    width = (ground.x_count - 1) * ground.x_spacing
    depth = (ground.y_count - 1) * ground.y_spacing
    return Pose((width / 2, depth / 2, 0.0), quat_from_axis_angle((1.0, 0.0, 0.0), math.pi / 2))
