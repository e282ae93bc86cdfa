"""Lowers geometry nodes; each node is read once, however often USE refers to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar, cast

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Vec3
from solidbody.formats.assets import AssetError, AssetFinder
from solidbody.formats.form_tables import read_forms, split_address
from solidbody.formats.geometry.face_meshes import CornerValues, FaceSet, Report
from solidbody.formats.geometry.face_sets import has_faces
from solidbody.formats.meshes import MeshError, MeshPart, joined, read_mesh, turned_over
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.geometry import (
    Geometry,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometryPoints,
)

T = TypeVar("T")

MAX_KEPT: Final = 4_000_000
"""Points and indices of face sets whose meshes are kept: beyond it the oldest are forgotten."""


@dataclass(slots=True)
class MeshFiles:
    """Mesh files that were read, by path (a text says what is wrong with one), and what was made of them.

    So are meshes of face sets, by all their numbers: a PROTO that is made anew has the same ones again.
    """

    files: dict[Path, tuple[MeshPart, ...] | str] = field(
        default_factory=dict[Path, "tuple[MeshPart, ...] | str"]
    )
    made: dict[tuple[int, str], tuple[object, object]] = field(
        default_factory=dict[tuple[int, str], tuple[object, object]]
    )
    _sources: set[int] = field(default_factory=set[int])
    _face_sets: dict[FaceSet, GeometryMesh] = field(default_factory=dict[FaceSet, GeometryMesh])
    _size: int = 0

    def mesh_of(self, faces: FaceSet, report: Report) -> GeometryMesh | None:
        """Return the mesh of a face set; it is kept if there is nothing to say about it."""
        found = self._face_sets.get(faces)
        if found is not None:
            return found
        said: list[str] = []

        def told(code: str, values: str, text: str) -> None:
            said.append(code)
            report(code, values, text)

        mesh = faces.mesh(told)
        if mesh is not None and not said:
            self._face_sets[faces] = mesh
            self._sources.add(id(mesh))
            self._size += _size(faces)
            while self._size > MAX_KEPT:
                self._forget_oldest()
        return mesh

    def _forget_oldest(self) -> None:
        faces = next(iter(self._face_sets))
        gone = id(self._face_sets.pop(faces))
        self._sources.discard(gone)
        for key in [key for key in self.made if key[0] == gone]:
            del self.made[key]
        self._size -= _size(faces)

    def keep(self, path: Path, found: tuple[MeshPart, ...] | str) -> None:
        """Keep what a file holds."""
        self.files[path] = found
        if not isinstance(found, str):
            self._sources.update(id(item) for part in found for item in (part, part.geometry))

    def holds(self, source: object) -> bool:
        """Whether something comes from a file, or is kept for other reasons, and outlives a reading."""
        return id(source) in self._sources


def _size(faces: FaceSet) -> int:
    return len(faces.points) + len(faces.faces)


@dataclass(slots=True)
class GeometryReader:
    """Reads geometries and mesh files, and remembers what it read.

    Attributes:
        log: Takes the messages.
        finder: Finds mesh files.
        is_z_up: Whether COLLADA files are turned to z up, as Webots does since R2022a.
        meshes: Mesh files, which several readers may share.
        images: What mesh files want to be painted with: (node, address, mesh file).
    """

    log: DiagnosticLog
    finder: AssetFinder
    is_z_up: bool = True
    meshes: MeshFiles = field(default_factory=MeshFiles)
    images: list[tuple[TypedNode, str, str]] = field(
        default_factory=list[tuple[TypedNode, str, str]]
    )
    _done: dict[TypedNode, Geometry | None] = field(
        default_factory=dict[TypedNode, "Geometry | None"]
    )
    _made: dict[tuple[int, str], tuple[object, object]] = field(
        default_factory=dict[tuple[int, str], tuple[object, object]]
    )
    _places: dict[TypedNode, str] = field(default_factory=dict[TypedNode, str])

    def once(self, source: object, what: str, make: Callable[[], T]) -> T:
        """Return what `make` gave for a source the first time: USE brings the same one again and again."""
        made = self.meshes.made if self.meshes.holds(source) else self._made
        key = (id(source), what)
        if key not in made:
            made[key] = (source, make())
        return cast("T", made[key][1])

    def lower(self, node: TypedNode) -> Geometry | None:
        """Return the form of a geometry node; None (after a report) if there is nothing of it."""
        if node not in self._done:
            self._done[node] = self._read(node)
        return self._done[node]

    def mesh_parts(self, node: TypedNode) -> tuple[MeshPart, ...]:
        """Return the objects of the file that a Mesh or CadShape names; empty after a report."""
        return self.once(node, "parts", lambda: self._mesh_parts(node))

    def _mesh_parts(self, node: TypedNode) -> tuple[MeshPart, ...]:
        urls = node.strings("url")
        if not urls:
            node.inform(self.log, "missing-mesh", f"a {node.type} without url is not drawn.")
            return ()
        address, section = split_address(urls[0])
        try:
            path = self.finder.find(address, node.place("url").file)
        except AssetError as error:
            node.warn(self.log, "missing-mesh", f"the mesh {error}; it is left out.", field="url")
            return ()
        self._places[node] = str(path)
        key = path if section is None else path / f"#{section}"
        if key not in self.meshes.files:
            try:
                parts = (
                    read_mesh(path, is_z_up=self.is_z_up, access=self.finder.access)
                    if section is None
                    else read_forms(path, section)
                )
                self.meshes.keep(key, parts)
            except MeshError as error:
                self.meshes.keep(key, str(error))
        found = self.meshes.files[key]
        if isinstance(found, str):
            node.warn(
                self.log,
                "broken-mesh",
                f'the mesh "{urls[0]}" cannot be used: {found}; it is left out.',
                field="url",
            )
            return ()
        return found

    def image_address(self, node: TypedNode, url: str) -> str:
        """Return the address of an image that the mesh file of `node` names, as the world would write it."""
        self.images.append((node, url, self._places[node]))
        return self.finder.address(url, self._places[node])

    def _read(self, node: TypedNode) -> Geometry | None:
        match node.type:
            case "Box" | "Sphere" | "Cylinder" | "Capsule" | "Cone" | "Plane":
                return cast(Geometry, lower_plain(object, node))
            case "IndexedFaceSet":
                return self._faces(node)
            case "ElevationGrid":
                return self._grid(node)
            case "Mesh":
                return self._mesh(node)
            case "IndexedLineSet":
                return self._lines(node)
            case "PointSet":
                return self._points(node)
            case _:
                return None

    # triangles

    def _mesh(self, node: TypedNode) -> GeometryMesh | None:
        parts = self.mesh_parts(node)
        if not parts:
            return None
        name, number = node.string("name"), node.integer("materialIndex")
        if name:
            parts = tuple(part for part in parts if part.name == name)
        if number >= 0:
            parts = parts[number : number + 1]
        if not parts:
            node.warn(
                self.log,
                "missing-mesh",
                f'the file has no part with the name "{name}" and the material index {number}; '
                "it is left out.",
                field="name" if name else "materialIndex",
            )
            return None
        mesh = joined(parts)
        return mesh if node.boolean("ccw") else turned_over(mesh)

    def _faces(self, node: TypedNode) -> GeometryMesh | None:
        points = _coordinates(node)
        faces = node.integers("coordIndex")
        if not points or not has_faces(faces):
            node.inform(self.log, "empty-geometry", "the IndexedFaceSet has no faces.")
            return None
        face_set = FaceSet(
            points,
            faces,
            ccw=node.boolean("ccw"),
            crease_angle=node.number("creaseAngle"),
            normals=_normals(node),
            texture=_texture(node),
            two_sided=not node.boolean("solid"),
        )
        return self.meshes.mesh_of(
            face_set,
            lambda code, values, text: node.warn(self.log, code, text, field=_FIELDS[values]),
        )

    # grids, lines, points

    def _grid(self, node: TypedNode) -> GeometryHeightField | None:
        grid = lower_plain(GeometryHeightField, node)
        x_count, y_count = grid.x_count, grid.y_count
        if x_count < 2 or y_count < 2:
            node.inform(
                self.log,
                "empty-geometry",
                "an ElevationGrid needs 2 points at least along both axes, "
                f"got {x_count} and {y_count}.",
            )
            return None
        count = x_count * y_count
        heights = grid.heights
        if count > 4_000_000:
            node.warn(self.log, "inconsistent-values", f"a grid of {count} points is not drawn.")
            return None
        if len(heights) > count:
            node.warn(
                self.log,
                "inconsistent-values",
                f"the grid has {x_count} x {y_count} = {count} points, got {len(heights)} heights; "
                "the rest is ignored.",
                field="height",
            )
        elif len(heights) < count:
            node.inform(
                self.log,
                "inconsistent-values",
                f"the grid has {x_count} x {y_count} = {count} points, got {len(heights)} heights; "
                "missing ones are 0.",
                field="height",
            )
        if len(heights) != count:
            heights = (*heights[:count], *([0.0] * (count - len(heights))))
        color_count = count if grid.color_per_point else (x_count - 1) * (y_count - 1)
        return replace(grid, heights=heights, colors=grid.colors[:color_count])

    def _lines(self, node: TypedNode) -> GeometryLines | None:
        lines = lower_plain(GeometryLines, node)
        known = range(len(lines.points))
        segments = tuple(pair for pair in lines.segments if all(k in known for k in pair))
        bad = len(lines.segments) - len(segments)
        if bad:
            node.warn(
                self.log,
                "bad-index",
                f"{bad} lines use points that do not exist; they are left out.",
                field="coordIndex",
            )
        if not segments:
            node.inform(self.log, "empty-geometry", "the IndexedLineSet has no lines.")
            return None
        return replace(lines, segments=segments)

    def _points(self, node: TypedNode) -> GeometryPoints | None:
        cloud = lower_plain(GeometryPoints, node)
        if not cloud.points:
            node.inform(self.log, "empty-geometry", "the PointSet has no points.")
            return None
        count, colors = len(cloud.points), len(cloud.colors)
        if colors not in (0, count):
            node.warn(
                self.log,
                "inconsistent-values",
                f"{count} points need as many colours, got {colors}; none is used.",
                field="color",
            )
            return replace(cloud, colors=())
        return cloud


_FIELDS: Final = {"faces": "coordIndex", "normals": "normalIndex", "texture": "texCoordIndex"}
"""Field that a problem with one of the lists of a face set is reported at."""


def _normals(node: TypedNode) -> CornerValues | None:
    normal = node.node("normal")
    if normal is None:
        return None
    return CornerValues(
        normal.vec3s("vector"), node.integers("normalIndex"), node.boolean("normalPerVertex")
    )


def _texture(node: TypedNode) -> CornerValues | None:
    texture = node.node("texCoord")
    if texture is None:
        return None
    return CornerValues(texture.vec2s("point"), node.integers("texCoordIndex"))


def _coordinates(node: TypedNode) -> tuple[Vec3, ...]:
    coordinate = node.node("coord")
    return coordinate.vec3s("point") if coordinate is not None else ()
