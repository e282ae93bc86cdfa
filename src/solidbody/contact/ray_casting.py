"""Rays through shapes, followed by the native library (sb_ray_casting.c): what sensors see without Warp."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.native import load_library

Singles = NDArray[np.float32]
Ints = NDArray[np.int32]

_COLUMNS: Final = {
    "kind": np.int32,
    "inverse": np.float32,
    "origin": np.float32,
    "size": np.float32,
    "flags": np.int32,
    "group": np.int32,
    "low": np.float32,
    "high": np.float32,
    "clear": np.uint8,
    "mesh": np.uint64,
    "corner": np.int32,
    "has_normals": np.int32,
    "corner_normal": np.float32,
}
"""Arrays of `SbRayScene`, in its order; one row per shape, of the last one per corner."""


class _Scene(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int64), *((name, ctypes.c_void_p) for name in _COLUMNS)]


@dataclass(frozen=True, slots=True)
class RayHits:
    """Where rays ended, one row per ray.

    Attributes:
        distance: [m]; how far the ray was to go, if it met nothing.
        shape: Row of the shape; -1 = nothing.
        normal: (n, 3) of the surface in the world; 0 where there is none.
        face: Of a mesh.
        place: (n, 2) on that face: the shares of its first two corners.
    """

    distance: Singles
    shape: Ints
    normal: Singles
    face: Ints
    place: Singles


class RayMesh:
    """Triangles with their tree, in the memory of the library."""

    def __init__(self, points: Singles, triangles: Ints) -> None:
        """`points`: (n, 3), finite. `triangles`: (m, 3) rows of them."""
        self._points = np.ascontiguousarray(points, dtype=np.float32)
        self._triangles = np.ascontiguousarray(triangles, dtype=np.int32)
        self._library = _declared()
        self.id: int = (
            self._library.sb_new_ray_mesh(
                self._points.ctypes.data, self._triangles.ctypes.data, len(self._triangles)
            )
            or 0
        )
        if not self.id:
            raise MemoryError("no memory for the tree of a mesh")

    def __del__(self) -> None:
        """Give the tree back."""
        if getattr(self, "id", 0):
            self._library.sb_free_ray_mesh(self.id)


class RayCaster:
    """A scene of shapes that rays meet; its arrays are read where they are, whenever rays are followed."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        """`columns`: The arrays of `_COLUMNS`, which their owner may write to."""
        self._library = _declared()
        self._columns = columns
        for name, kind in _COLUMNS.items():
            array = columns[name]
            if array.dtype != kind or not array.flags.c_contiguous:
                raise TypeError(f"{name} must be one piece of {np.dtype(kind).name}")
        addresses = [columns[name].ctypes.data for name in _COLUMNS]
        self._scene = _Scene(len(columns["kind"]), *addresses)

    def cast(
        self,
        origins: Singles,
        directions: Singles,
        near: Singles,
        far: Singles,
        skip: Ints,
        *,
        mask: int,
        all_sides: bool,
        opaque_only: bool,
    ) -> RayHits:
        """Follow rays of the world (n, 3) between two distances each.

        Args:
            origins: Where they start [m].
            directions: Where they go, unit vectors.
            near: From where on they see [m].
            far: To where [m].
            skip: Group that each does not see; -1 = it sees all.
            mask: Shapes with one of these flags are seen.
            all_sides: Whether surfaces are seen from behind, too.
            opaque_only: Whether they go through transparent things.
        """
        n = len(origins)
        given = [
            np.ascontiguousarray(array, dtype=kind)
            for array, kind in (
                (origins, np.float32),
                (directions, np.float32),
                (near, np.float32),
                (far, np.float32),
                (skip, np.int32),
            )
        ]
        hits = RayHits(
            np.empty(n, np.float32),
            np.empty(n, np.int32),
            np.empty((n, 3), np.float32),
            np.empty(n, np.int32),
            np.empty((n, 2), np.float32),
        )
        results = (hits.distance, hits.shape, hits.normal, hits.face, hits.place)
        self._library.sb_cast_rays(
            ctypes.byref(self._scene),
            n,
            *(array.ctypes.data for array in given),
            mask,
            int(all_sides),
            int(opaque_only),
            *(array.ctypes.data for array in results),
        )
        return hits


def _declared() -> ctypes.CDLL:
    library = load_library()
    if library.sb_new_ray_mesh.restype is not ctypes.c_void_p:
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        library.sb_new_ray_mesh.argtypes = [pointer, pointer, ctypes.c_int32]
        library.sb_new_ray_mesh.restype = pointer
        library.sb_free_ray_mesh.argtypes = [pointer]
        library.sb_free_ray_mesh.restype = None
        library.sb_cast_rays.argtypes = (
            [pointer, ctypes.c_int64, *[pointer] * 5] + [integer] * 3 + [pointer] * 5
        )
        library.sb_cast_rays.restype = None
    return library
