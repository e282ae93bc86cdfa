"""Meshes on the device, each with its tree of triangles; the next ray engine finds there those that stay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.render.device import NATIVE, GrowingArray
from solidbody.render.shapes import MeshData

_CORNERS: Final = {"normals": 3, "uv": 2, "colors": 3}
"""What corners have, and how many numbers."""


@dataclass(frozen=True, slots=True)
class PooledMesh:
    """A mesh on the device.

    Attributes:
        data: Its triangles.
        mesh: Warp's mesh, or that of the native library.
        corner: Row of its first corner.
    """

    data: MeshData
    mesh: Any
    corner: int


class MeshPool:
    """All meshes of a scene, and some of those before it."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._meshes: dict[int, PooledMesh] = {}
        self._corners = self._empty()

    def _empty(self) -> dict[str, GrowingArray]:
        return {
            name: GrowingArray(np.zeros((1, width), dtype=np.float32), self._device)
            for name, width in _CORNERS.items()
        }

    def hold(self, meshes: Iterable[MeshData]) -> dict[int, PooledMesh]:
        """Return meshes by the identity of their data; others are forgotten."""
        wanted = {id(data): data for data in meshes}
        held = {key: self._meshes[key] for key in wanted if key in self._meshes}
        fresh = {key: data for key, data in wanted.items() if key not in held}
        count = self._corners["uv"].count + _corners_of(fresh.values())
        if count > 2 * _corners_of(wanted.values()) + 1:
            self._corners, fresh = self._empty(), wanted  # more than half of them are nobody's
        corner = self._corners["uv"].count
        self._add_corners(fresh.values())
        for key, data in fresh.items():
            mesh = held[key].mesh if key in held else self._mesh(data)
            held[key] = PooledMesh(data, mesh, corner)
            corner += data.triangles.size
        self._meshes = held
        return held

    def _add_corners(self, meshes: Iterable[MeshData]) -> None:
        for name, width in _CORNERS.items():
            values: list[NDArray[np.float32]] = []
            for data in meshes:
                given = getattr(data, name)
                empty = np.broadcast_to(np.float32(0.0), (data.triangles.size, width))
                values.append(empty if given is None else given)
            self._corners[name].add(values)

    def _mesh(self, data: MeshData) -> Any:
        if self._device == NATIVE:
            from solidbody.render.native_rays import native_mesh

            return native_mesh(data)
        import warp as wp

        return wp.Mesh(
            points=wp.array(data.vertices, dtype=wp.vec3, device=self._device),
            indices=wp.array(data.triangles.ravel(), dtype=wp.int32, device=self._device),
        )

    def corners(self, name: str) -> Any:
        """Return the "normals", "uv" or "colors" of all corners on the device."""
        return self._corners[name].array


def _corners_of(meshes: Iterable[MeshData]) -> int:
    return sum(data.triangles.size for data in meshes)
