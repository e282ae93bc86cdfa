"""Makes meshes of indexed face sets: triangles, normals, texture coordinates and colours per corner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.base.transforms import Vec3
from solidbody.formats.geometry.face_sets import (
    Corners,
    Polygons,
    shared_triples,
    triples_of_indices,
)
from solidbody.formats.geometry.polygons import Floats, Indices, creased_normals, unit_rows
from solidbody.formats.geometry.small_faces import MAX_NUMBERS, small_mesh
from solidbody.model.geometry import GeometryMesh

MAX_COLORS: Final = 32
"""Colours into which a face set is divided; beyond it the parts would be smaller than what one sees."""

Report = Callable[[str, str, str], None]
"""Takes code, list concerned (`faces`, `normals`, `texture`, `colors`) and text of a warning."""


@dataclass(frozen=True, slots=True)
class CornerValues:
    """A list of values, and how they belong to the corners of polygons.

    Attributes:
        values: Normals (3 numbers), texture coordinates (2) or colours (3).
        indices: With -1 between polygons like the faces, or one per polygon; empty = as the faces
            themselves, or in the order of the polygons.
        per_vertex: Whether each corner has a value of its own, or each polygon.
    """

    values: Sequence[tuple[float, ...]]
    indices: Sequence[int] = ()
    per_vertex: bool = True


@dataclass(frozen=True, slots=True)
class FaceSet:
    """Polygons over a list of points.

    Attributes:
        points: [m].
        faces: Runs of indices of points, each ended by -1.
        ccw: Whether polygons turn counter-clockwise seen from outside.
        crease_angle: Of normals that are not given [rad].
        two_sided: Whether back faces are drawn.
    """

    points: tuple[Vec3, ...]
    faces: Sequence[int]
    ccw: bool = True
    crease_angle: float = 0.0
    normals: CornerValues | None = None
    texture: CornerValues | None = None
    colors: CornerValues | None = None
    two_sided: bool = False

    def parts(self, report: Report) -> list[tuple[GeometryMesh, Vec3 | None]]:
        """Return the meshes with the colour of each; without colours there is one, or none at all."""
        small = self._small()
        if small is not None:
            return [(small, None)]
        points = np.asarray(self.points, dtype=np.float64).reshape(-1, 3)
        faces = Polygons.read(self.faces)
        corners = faces.triangulated(points, is_turned=not self.ccw)
        if corners.bad:
            report(
                "bad-index",
                "faces",
                f"{corners.bad} faces have fewer than 3 corners or use points that do not exist; "
                "they are left out.",
            )
        if not len(corners.triangles):
            return []
        normals = self._normals(points, faces, corners, report)
        texture = _indices(self.texture, faces, corners, report, "texture")
        groups = self._groups(faces, corners, report)
        return [
            (self._mesh(points, corners, chosen, normals, texture), color)
            for chosen, color in groups
        ]

    def mesh(self, report: Report) -> GeometryMesh | None:
        """Return all faces as one mesh, colours left aside."""
        whole = FaceSet(
            self.points,
            self.faces,
            self.ccw,
            self.crease_angle,
            self.normals,
            self.texture,
            None,
            self.two_sided,
        )
        parts = whole.parts(report)
        return parts[0][0] if parts else None

    def _small(self) -> GeometryMesh | None:
        """Return the mesh of a few good polygons; None for all others."""
        texture = self.texture
        if len(self.faces) > MAX_NUMBERS or self.normals or self.colors:
            return None
        if texture is not None and not (texture.per_vertex and len(texture.values)):
            return None
        return small_mesh(
            self.points,
            self.faces,
            texture and texture.values,
            texture.indices if texture else (),
            crease_angle=self.crease_angle,
            is_turned=not self.ccw,
            two_sided=self.two_sided,
        )

    def _mesh(
        self,
        points: Floats,
        corners: Corners,
        chosen: Indices | None,
        normals: Floats,
        texture: Indices | None,
    ) -> GeometryMesh:
        triangles, kept = corners.triangles, self.points
        if chosen is not None:
            triangles = triangles[chosen]
            used, flat = np.unique(triangles.reshape(-1), return_inverse=True)
            triangles = flat.reshape(-1, 3)
            kept = shared_triples(points[used])
            rows = (chosen[:, None] * 3 + np.arange(3)).reshape(-1)
            normals = normals[rows]
            texture = None if texture is None else texture[rows]
        return GeometryMesh(
            kept,
            triples_of_indices(triangles, len(kept)),
            shared_triples(normals),
            () if texture is None else self._texture(texture),
            two_sided=self.two_sided,
        )

    def _texture(self, index: Indices) -> tuple[tuple[float, float], ...]:
        assert self.texture is not None
        known = [(float(u), float(v)) for u, v in self.texture.values]
        return tuple(map(known.__getitem__, index.tolist()))

    def _normals(self, points: Floats, faces: Polygons, corners: Corners, report: Report) -> Floats:
        flat = creased_normals(points, corners.triangles, self.crease_angle)
        given = _indexed(self.normals, faces, corners, report, "normals")
        return flat if given is None else unit_rows(given, flat)

    def _groups(
        self, faces: Polygons, corners: Corners, report: Report
    ) -> list[tuple[Indices | None, Vec3 | None]]:
        """Return the triangles of each colour (None = all); a triangle has the mean of its corners."""
        given = _indexed(self.colors, faces, corners, report, "colors")
        if given is None:
            return [(None, None)]
        triangles = given.reshape(-1, 3, 3)
        mean: Floats = np.add.reduce(triangles, axis=1) / 3.0
        mean = np.clip(np.round(mean, 6), 0.0, 1.0)
        colors, group = _distinct(mean)
        # coarser steps until few enough are left
        for steps in (5, 3, 2, 1):
            if len(colors) <= MAX_COLORS:
                break
            cells, group = _distinct(np.round(mean * steps))
            count = np.bincount(group, minlength=len(cells))
            colors = np.column_stack(
                [np.bincount(group, weights=mean[:, k]) / count for k in range(3)]
            )
        rows: list[list[float]] = colors.tolist()
        if len(rows) == 1:
            return [(None, (rows[0][0], rows[0][1], rows[0][2]))]
        return [(np.flatnonzero(group == i), (r, g, b)) for i, (r, g, b) in enumerate(rows)]


def _indexed(
    values: CornerValues | None, faces: Polygons, corners: Corners, report: Report, name: str
) -> Floats | None:
    """Return the value of each triangle corner; None if there is none, or after a report."""
    index = _indices(values, faces, corners, report, name)
    if values is None or index is None:
        return None
    return np.asarray(values.values, dtype=np.float64)[index]


def _indices(
    values: CornerValues | None, faces: Polygons, corners: Corners, report: Report, name: str
) -> Indices | None:
    """Return which value each triangle corner has; None if there is none, or after a report."""
    if values is None or not len(values.values):
        return None
    if values.per_vertex:
        runs = Polygons.read(values.indices) if len(values.indices) else faces
        index = corners.values_of(runs)
    else:
        index = corners.values_per_face(values.indices, len(faces.lengths))
    if index is None or index.min() < 0 or index.max() >= len(values.values):
        report("bad-index", name, _MISFITS[name])
        return None
    return index


def _distinct(rows: Floats) -> tuple[Floats, Indices]:
    """Return the different rows, and which of them each row is."""
    found: tuple[Floats, Indices] = np.unique(rows, axis=0, return_inverse=True)
    return found[0], found[1].reshape(-1)


_MISFITS: Final = {
    "normals": "the normals do not fit the faces; they are computed instead.",
    "texture": "the texture coordinates do not fit the faces; they are left out.",
    "colors": "the colours do not fit the faces; they are left out.",
}


def default_texture_coordinates(mesh: GeometryMesh) -> tuple[tuple[float, float], ...]:
    """Return texture coordinates as VRML97 makes them for face sets without any, per corner.

    The longest side of the bounding box is s = 0..1, the second longest is t with the same scale;
    of equally long sides x comes before y before z.
    """
    points = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3)
    if not len(points) or not mesh.triangles:
        return ()
    low = points.min(axis=0)
    sides = points.max(axis=0) - low
    first, second, _ = np.argsort(-sides, kind="stable").tolist()
    length = float(sides[first])
    if not length > 0.0:
        return ()
    uv = (points[:, (first, second)] - low[[first, second]]) / length
    corners = np.asarray(mesh.triangles, dtype=np.int64).reshape(-1)
    return tuple((u, v) for u, v in uv[corners].tolist())
