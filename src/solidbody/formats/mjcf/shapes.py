"""Geoms of MuJoCo as shapes: primitives, meshes with their hulls, height fields.

MuJoCo collides meshes as their convex hulls: so does a mesh that comes from it. One that is drawn and
collides becomes two shapes, the mesh and its hull.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3
from solidbody.formats.geometry.ellipsoids import ellipsoid
from solidbody.formats.link_trees.messages import Messages
from solidbody.formats.mjcf.compiling import Compilation
from solidbody.formats.mjcf.frames import quaternion, vector
from solidbody.formats.mjcf.looks import Looks
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.shapes import Shape, ShapeRole

ENDLESS: Final = 100.0
"""[m] How far a plane without size is drawn."""


@dataclass(slots=True)
class ShapeReader:
    """Makes shapes of geoms; meshes are made once."""

    compilation: Compilation
    messages: Messages
    looks: Looks
    _geoms: list[Any] = field(default_factory=list[Any])
    _meshes: dict[int, GeometryMesh | None] = field(
        default_factory=dict[int, "GeometryMesh | None"]
    )
    _hulls: dict[int, GeometryMesh | None] = field(default_factory=dict[int, "GeometryMesh | None"])
    _missing: set[int] = field(default_factory=set[int])

    def __post_init__(self) -> None:
        self._geoms = list(self.compilation.spec.geoms)
        source = self.compilation.source
        for number, mesh in enumerate(self.compilation.spec.meshes):
            if self.compilation.element(mesh) in source.stand_ins:
                self._missing.add(number)

    def shapes(self, geom: int, *, collides: bool, material: str) -> Iterator[Shape]:
        """Yield the shapes of a geom; none after a message."""
        import mujoco

        model = self.compilation.model
        element = self._geoms[geom]
        pose = Pose(vector(model.geom_pos[geom]), quaternion(model.geom_quat[geom]))
        kind = mujoco.mjtGeom(int(model.geom_type[geom]))
        look, is_hidden = self.looks.of_geom(geom)
        both = ShapeRole.COLLISION if is_hidden else ShapeRole.BOTH
        role = both if collides else ShapeRole.VISUAL
        if is_hidden and not collides:
            return
        common: dict[str, Any] = {
            "appearance": look,
            "contact_material": material,
            "name": element.name,
            "span": self.compilation.span(element),
        }
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            mesh = int(model.geom_dataid[geom])
            if mesh in self._missing:
                return
            drawn, hull = self._mesh(mesh), self._hull(mesh) if collides else None
            if drawn is not None and not is_hidden:
                yield Shape(drawn, pose, ShapeRole.VISUAL, **common)
            if hull is not None:
                yield Shape(hull, pose, ShapeRole.COLLISION, **common)
            return
        if kind == mujoco.mjtGeom.mjGEOM_HFIELD:
            field_ = self._heights(int(model.geom_dataid[geom]))
            if field_ is not None:
                heights, corner = field_
                yield Shape(heights, pose * Pose(corner), role, **common)
            return
        geometry = self._primitive(kind, vector(model.geom_size[geom]))
        if geometry is None:
            spot = self.compilation.spot(self.messages, element)
            spot.warning("geometry", f"geoms of type {kind.name} are not read; it is left out.")
            return
        yield Shape(geometry, pose, role, **common)

    @staticmethod
    def _primitive(kind: Any, size: Vec3) -> Geometry | None:
        import mujoco

        x, y, z = size
        match kind:
            case mujoco.mjtGeom.mjGEOM_SPHERE:
                return GeometrySphere(x)
            case mujoco.mjtGeom.mjGEOM_CAPSULE:
                return GeometryCapsule(x, 2.0 * y)
            case mujoco.mjtGeom.mjGEOM_CYLINDER:
                return GeometryCylinder(x, 2.0 * y)
            case mujoco.mjtGeom.mjGEOM_BOX:
                return GeometryBox((2.0 * x, 2.0 * y, 2.0 * z))
            case mujoco.mjtGeom.mjGEOM_ELLIPSOID:
                return ellipsoid(size)
            case mujoco.mjtGeom.mjGEOM_PLANE:
                return GeometryPlane((2.0 * x or ENDLESS, 2.0 * y or ENDLESS))
            case _:
                return None

    # ---------------------------------------------------------------------------------------- meshes

    def _mesh(self, mesh: int) -> GeometryMesh | None:
        if mesh not in self._meshes:
            self._meshes[mesh] = self._fresh_mesh(mesh)
        return self._meshes[mesh]

    def _fresh_mesh(self, mesh: int) -> GeometryMesh | None:
        model = self.compilation.model
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        first, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        if not count or not faces:
            return None
        rows = slice(first, first + faces)
        normal = int(model.mesh_normaladr[mesh])
        normals = model.mesh_normal[normal + model.mesh_facenormal[rows].reshape(-1)]
        coordinates: tuple[tuple[float, float], ...] = ()
        if model.mesh_texcoordnum[mesh] > 0:
            address = int(model.mesh_texcoordadr[mesh])
            found = model.mesh_texcoord[address + model.mesh_facetexcoord[rows].reshape(-1)]
            coordinates = tuple((float(u), 1.0 - float(v)) for u, v in found.tolist())
        return GeometryMesh(
            _rows(model.mesh_vert[start : start + count]),
            _triangles(model.mesh_face[rows]),
            _rows(normals),
            coordinates,
        )

    def _hull(self, mesh: int) -> GeometryMesh | None:
        if mesh not in self._hulls:
            self._hulls[mesh] = self._fresh_hull(mesh)
        return self._hulls[mesh]

    def _fresh_hull(self, mesh: int) -> GeometryMesh | None:
        """Return the hull that MuJoCo has made; the mesh itself where it has made none."""
        model = self.compilation.model
        at = int(model.mesh_graphadr[mesh])
        if at < 0:
            return self._mesh(mesh)
        graph = model.mesh_graph
        points, faces = int(graph[at]), int(graph[at + 1])
        start = at + 2 + points
        used = graph[start : start + points]
        start += points + points + 3 * faces
        corners = graph[start : start + 3 * faces].reshape(-1, 3)
        place = {int(k): n for n, k in enumerate(used)}
        first = int(model.mesh_vertadr[mesh])
        return GeometryMesh(
            _rows(model.mesh_vert[first + used]),
            tuple((place[a], place[b], place[c]) for a, b, c in corners.tolist()),
        )

    # ----------------------------------------------------------------------------------------- fields

    def _heights(self, number: int) -> tuple[GeometryHeightField, Vec3] | None:
        """Return a height field and where its corner is in its geom."""
        model = self.compilation.model
        rows, columns = int(model.hfield_nrow[number]), int(model.hfield_ncol[number])
        x, y, top, base = (float(size) for size in model.hfield_size[number])
        if rows < 2 or columns < 2:
            return None
        start = int(model.hfield_adr[number])
        heights = model.hfield_data[start : start + rows * columns].astype(float) * top
        made = GeometryHeightField(
            columns,
            rows,
            2.0 * x / (columns - 1),
            2.0 * y / (rows - 1),
            tuple(heights.tolist()),
            thickness=base,
        )
        return made, (-x, -y, 0.0)


def _rows(array: NDArray[Any]) -> tuple[Vec3, ...]:
    return tuple((x, y, z) for x, y, z in array.astype(np.float64).tolist())


def _triangles(array: NDArray[Any]) -> tuple[tuple[int, int, int], ...]:
    return tuple((a, b, c) for a, b, c in array.tolist())
