"""Turns shapes into MuJoCo geoms, or into tables for our own colliders (terrain, hollow meshes).

Primitives are MuJoCo's. What stands still and is made of triangles becomes terrain: our collider sees
every triangle, MuJoCo none. What moves must be convex for MuJoCo: a cone or mesh becomes its hull. A
hollow mesh does so too until it meets another one (`lazy_convex_decomposition`), but primitives and still
triangles meet its triangles, and planes its vertices.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3
from solidbody.compiler.aabb_trees import morton_order
from solidbody.compiler.mesh_components import (
    Faces,
    Points,
    faces_outward,
    has_area,
    real_faces,
    welded,
)
from solidbody.compiler.mesh_vertices import MeshVertices, vertex_fields
from solidbody.compiler.terrain import (
    TerrainTables,
    grid_faces,
    grid_points,
    pose_matrix,
    terrain_tables,
)
from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryMesh,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.scene import RidgeRule
from solidbody.model.shapes import Shape

Spec = Any
"""MjSpec and its elements have no static types."""

CONE_SIDES = 48
"""Corners of a cone's base: the polygon is within 0.2 % of the circle (1 - cos(pi/48))."""
SLIGHT = 1e-3
"""Share of the size by which a convex mesh may be dented."""
NORMAL_PLACES = 4
"""Decimals up to which normals are the same; the reader of meshes in Webots takes 1e-5."""
CLUSTER = 64
"""Vertices that are tested together against the faces of a mesh."""
LEAST_SIZE = 1e-5
"""[m] Anything smaller is a point to MuJoCo's meshes, which are single precision."""
THIN = 1e-4
"""Least thickness of a hull as a share of its size: MuJoCo's hulls need a volume."""


def primitive_form(geometry: Geometry) -> tuple[Any, tuple[float, float, float]] | None:
    """Return (MuJoCo geom type, half sizes), or None for forms that have no MuJoCo primitive."""
    kinds = mujoco.mjtGeom
    match geometry:
        case GeometryBox(size=(x, y, z)):
            return kinds.mjGEOM_BOX, (x / 2, y / 2, z / 2)
        case GeometrySphere(radius=r):
            return kinds.mjGEOM_SPHERE, (r, 0.0, 0.0)
        case GeometryCylinder(radius=r, height=h):
            return kinds.mjGEOM_CYLINDER, (r, h / 2, 0.0)
        case GeometryCapsule(radius=r, height=h):
            return kinds.mjGEOM_CAPSULE, (r, h / 2, 0.0)
        case GeometryPlane(size=(x, y)):
            return kinds.mjGEOM_PLANE, (x / 2, y / 2, 1.0)
        case _:
            return None


def surface_of(geometry: Geometry, inmates: Sequence[Vec3] = ()) -> tuple[Points, Faces] | None:
    """Return (vertices in use, triangles with an area) of a form made of triangles, or None.

    Closed meshes face outwards, but for rooms around `inmates` (places in the form's frame).
    """
    match geometry:
        case GeometryMesh():
            points, faces = _used(*_arrays(geometry))
            return points, faces_outward(points, faces, inmates)
        case GeometryHeightField(x_count=nx, y_count=ny):
            if nx < 2 or ny < 2:
                return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
            spacing = geometry.x_spacing, geometry.y_spacing
            points = grid_points(nx, ny, *spacing, geometry.heights)
            return _used(points, grid_faces(nx, ny))
        case GeometryCone(radius=r, height=h):
            return _used(*cone_surface(r, h))
        case _:
            return None


def vertices_of(mesh: GeometryMesh) -> Points:
    """Return the vertices of a mesh as Webots hands them to ODE: repeated ones once for each normal."""
    points, faces = _arrays(mesh)
    real = has_area(points, faces)
    normals = np.array(mesh.normals, dtype=float).reshape(-1, 3, 3)
    normals = normals[real] if len(normals) == len(faces) else np.zeros((int(real.sum()), 3, 3))
    used, first = np.unique(faces[real], return_index=True)
    keys = np.c_[welded(points[used])[1], np.round(normals.reshape(-1, 3)[first], NORMAL_PLACES)]
    return points[used[np.unique(keys, axis=0, return_index=True)[1]]]


def _arrays(mesh: GeometryMesh) -> tuple[Points, Faces]:
    points = np.array(mesh.vertices, dtype=float).reshape(-1, 3)
    return points, np.array(mesh.triangles, dtype=np.int64).reshape(-1, 3)


def _used(points: Points, faces: Faces) -> tuple[Points, Faces]:
    """Return the faces with an area, and their vertices only; none if all is as good as a point."""
    faces = real_faces(points, faces)
    used, local = np.unique(faces, return_inverse=True)
    points, faces = points[used], local.reshape(-1, 3).astype(np.int64)
    if len(points) and np.ptp(points, axis=0).max() < LEAST_SIZE:
        return points[:0], faces[:0]
    return points, faces


def cone_surface(radius: float, height: float) -> tuple[Points, Faces]:
    """Return a cone along z as a fan of triangles."""
    angle = 2 * np.pi * np.arange(CONE_SIDES) / CONE_SIDES
    base = np.full((CONE_SIDES, 3), -height / 2)
    base[:, 0], base[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
    points = np.concatenate([base, [[0.0, 0.0, -height / 2], [0.0, 0.0, height / 2]]])
    one = np.arange(CONE_SIDES)
    two = (one + 1) % CONE_SIDES
    below, apex = np.full_like(one, CONE_SIDES), np.full_like(one, CONE_SIDES + 1)
    sides, bottom = np.stack([one, two, apex], 1), np.stack([two, one, below], 1)
    return points, np.concatenate([sides, bottom]).astype(np.int64)


def is_convex(points: Points, faces: Faces) -> bool:
    """Whether no vertex is in front of a face by more than 1e-3 of the size."""
    used = points[np.unique(faces)]
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    offsets = (normals * corners[:, 0]).sum(axis=1)
    limits = offsets + SLIGHT * float(np.ptp(used, axis=0).max())
    # vertices near each other together: most faces are far from having them in front
    count = -(-len(used) // CLUSTER)
    for cluster in np.array_split(used[morton_order(used)], count):
        centre = cluster.mean(axis=0)
        radius = float(np.linalg.norm(cluster - centre, axis=1).max())
        near = np.flatnonzero(normals @ centre + radius > limits)
        if ((normals[near] @ cluster.T) > limits[near, None]).any():
            return False
    return True


def thickened(points: Points) -> Points:
    """Return the points of a hull, doubled to both sides where all lie in one plane or line."""
    centre = points.mean(axis=0)
    axes = np.linalg.eigh((points - centre).T @ (points - centre))[1].T
    reach = np.abs((points - centre) @ axes.T).max(axis=0)
    least = THIN * max(float(reach.max()), 1e-6)
    for axis, extent in zip(axes, reach, strict=True):
        if extent < least:
            points = np.concatenate([points + least * axis, points - least * axis])
    return points


_HEIGHTS = {
    RidgeRule.HELD: layout.TerrainKind.HEIGHTS,
    RidgeRule.ODE: layout.TerrainKind.ODE_HEIGHTS,
}


@dataclass(frozen=True, slots=True)
class _Terrain:
    geom: Spec
    pose: Pose
    kind: layout.TerrainKind
    bits: tuple[int, int]
    tables: TerrainTables
    depth: float


@dataclass(frozen=True, slots=True)
class ConvexGeom:
    """The hull of `points` as a geom at `pose` of its body; `shape`: a hollow mesh that is cut when met."""

    geom: Spec
    pose: Pose
    points: Points
    shape: Shape | None = None
    node: str = ""


Surface = tuple[Points, Faces] | None
"""What `surface_of` returns."""

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


@dataclass(slots=True)
class FormCache:
    """What was worked out of forms made of triangles; a scene that is compiled again finds what it still has.

    Attributes:
        surfaces: By form, without inmates.
        vertices: What planes meet, by the points of a surface; these are kept, so that no others can have
            their id.
        tables: Of terrains, by points, faces (both kept, too) and kind.
    """

    surfaces: dict[Geometry, Surface] = field(default_factory=dict[Geometry, Surface])
    vertices: dict[int, tuple[Points, Points]] = field(
        default_factory=dict[int, tuple[Points, Points]]
    )
    tables: dict[tuple[int, int, layout.TerrainKind], tuple[Points, Faces, TerrainTables]] = field(
        default_factory=dict[
            tuple[int, int, layout.TerrainKind], tuple[Points, Faces, TerrainTables]
        ]
    )
    _before: FormCache | None = None

    def begin(self, surfaces: Mapping[Geometry, Surface]) -> None:
        """Another scene is compiled, in which these surfaces are known."""
        self._before = FormCache(self.surfaces, self.vertices, self.tables)
        self.surfaces, self.vertices, self.tables = dict(surfaces), {}, {}

    def end(self) -> None:
        """It is: forget what it does not have."""
        self._before = None

    def surface(self, geometry: Geometry) -> Surface:
        """Return `surface_of` a form."""
        before = self._before.surfaces if self._before else {}
        return _found(self.surfaces, before, geometry, lambda: surface_of(geometry))

    def vertices_of(self, geometry: Geometry, points: Points) -> Points:
        """Return what planes meet of a form whose surface has these points."""
        before = self._before.vertices if self._before else {}

        def make() -> tuple[Points, Points]:
            return points, vertices_of(geometry) if isinstance(geometry, GeometryMesh) else points

        return _found(self.vertices, before, id(points), make)[1]

    def terrain(self, points: Points, faces: Faces, kind: layout.TerrainKind) -> TerrainTables:
        """Return the tables of a terrain."""
        before = self._before.tables if self._before else {}
        return _found(
            self.tables,
            before,
            (id(points), id(faces), kind),
            lambda: (points, faces, terrain_tables(points, faces, kind)),
        )[2]


def _found(now: dict[_K, _V], before: Mapping[_K, _V], key: _K, make: Callable[[], _V]) -> _V:
    """Return what is known of a key now, or was before; else what is made."""
    if key not in now:
        now[key] = before[key] if key in before else make()
    return now[key]


@dataclass(slots=True)
class FormBuilder:
    """Adds geoms that are not primitives to a spec, and collects what their tables need."""

    spec: Spec
    ridges: RidgeRule = RidgeRule.HELD
    terrains: list[_Terrain] = field(default_factory=list[_Terrain])
    solids: list[ConvexGeom] = field(default_factory=list[ConvexGeom])
    groups: list[list[Spec]] = field(default_factory=list[list[Spec]])
    mesh_vertices: list[MeshVertices] = field(default_factory=list[MeshVertices])
    cache: FormCache = field(default_factory=FormCache)
    _meshes: int = 0

    def surface(self, geometry: Geometry, inmates: Sequence[Vec3]) -> tuple[Points, Faces] | None:
        """Return `surface_of`, worked out once for all shapes of one form."""
        known = self.cache.surface(geometry)
        if known is None or not isinstance(geometry, GeometryMesh) or not inmates:
            return known
        # only a mesh that is inside out can be a room
        given = _used(*_arrays(geometry))[1]
        return known if (given == known[1]).all() else surface_of(geometry, inmates)

    def vertices(self, geometry: Geometry, points: Points) -> Points:
        """Return what planes meet of a form whose `surface` has these points, once for all its shapes."""
        return self.cache.vertices_of(geometry, points)

    def add_terrain(
        self,
        owner: Spec,
        pose: Pose,
        surface: tuple[Points, Faces],
        bits: tuple[int, int],
        *,
        heights_above: float | None = None,
    ) -> Spec:
        """Add triangles at `pose` of the body `owner`; returns the geom that stands for them.

        Args:
            owner: Element of the body.
            pose: Place of the triangles in it.
            surface: Vertices and faces.
            bits: (contype, conaffinity) of the terrain.
            heights_above: For height fields, how far they are solid below their lowest point [m].
        """
        points, faces = surface
        kind = layout.TerrainKind.MESH if heights_above is None else _HEIGHTS[self.ridges]
        mesh = self._add_mesh(points, faces)
        # MuJoCo moves meshes to their own centre, and their geoms the other way
        geom = owner.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh.name,
            mass=0.0,
            pos=pose.position,
            quat=pose.rotation,
            contype=0,
            conaffinity=0,
        )
        self._add_tables(geom, pose, surface, kind, bits, heights_above or 0.0)
        return geom

    def add_skin(
        self, geom: Spec, pose: Pose, surface: tuple[Points, Faces], bits: tuple[int, int]
    ) -> None:
        """Let the triangles of a mesh collide that moves, at `pose` of the body of its hull `geom`."""
        self._add_tables(geom, pose, surface, layout.TerrainKind.MESH, bits, 0.0)

    def _add_tables(
        self,
        geom: Spec,
        pose: Pose,
        surface: tuple[Points, Faces],
        kind: layout.TerrainKind,
        bits: tuple[int, int],
        depth: float,
    ) -> None:
        self.terrains.append(
            _Terrain(geom, pose, kind, bits, self.cache.terrain(*surface, kind), depth)
        )

    def add_hulls(
        self,
        owner: Spec,
        pose: Pose,
        hulls: Sequence[Points],
        bits: tuple[int, int],
        vertices: Points,
    ) -> list[Spec]:
        """Add the parts of one shape, whose contacts with another shape count together.

        Planes meet the `vertices` of the shape instead.
        """
        geoms = [self.add_hull(owner, pose, hull, bits) for hull in hulls]
        self.solids += [
            ConvexGeom(geom, pose, hull) for geom, hull in zip(geoms, hulls, strict=True)
        ]
        if len(geoms) > 1:
            self.groups.append(geoms)
        if bits[0] or bits[1]:
            self.mesh_vertices.append(MeshVertices(geoms[0], pose, vertices))
        return geoms

    def add_hollow(
        self,
        owner: Spec,
        pose: Pose,
        shape: Shape,
        hull: Points,
        bits: tuple[int, int],
        vertices: Points,
        node: str,
    ) -> Spec:
        """Add the hull of a hollow mesh, which is cut into parts when it meets another one."""
        geom = self.add_hull(owner, pose, hull, bits)
        self.solids.append(ConvexGeom(geom, pose, hull, shape, node))
        self.groups.append([geom])
        if bits[0] or bits[1]:
            self.mesh_vertices.append(MeshVertices(geom, pose, vertices))
        return geom

    def add_hull(self, owner: Spec, pose: Pose, points: Points, bits: tuple[int, int]) -> Spec:
        """Add the convex hull of `points` at `pose` of the body `owner`."""
        mesh = self._add_mesh(thickened(points), None)
        return owner.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh.name,
            mass=0.0,
            pos=pose.position,
            quat=pose.rotation,
            contype=bits[0],
            conaffinity=bits[1],
        )

    def add_height_field(
        self, owner: Spec, pose: Pose, ground: GeometryHeightField, bits: tuple[int, int]
    ) -> Spec:
        """Add heights as MuJoCo's own, for a model that is written."""
        heights = np.array(ground.heights, dtype=float).reshape(ground.y_count, ground.x_count)
        low, high = float(heights.min()), float(heights.max())
        rise = max(high - low, LEAST_SIZE)
        size = (
            (ground.x_count - 1) * ground.x_spacing / 2,
            (ground.y_count - 1) * ground.y_spacing / 2,
        )
        field = self.spec.add_hfield(
            name=f"heights {len(self.spec.hfields)}",
            nrow=ground.y_count,
            ncol=ground.x_count,
            size=(*size, rise, max(ground.thickness, LEAST_SIZE)),
            userdata=((heights - low) / rise).ravel(),
        )
        return owner.add_geom(
            type=mujoco.mjtGeom.mjGEOM_HFIELD,
            hfieldname=field.name,
            pos=pose.point((*size, low)),
            quat=pose.rotation,
            contype=bits[0],
            conaffinity=bits[1],
        )

    def add_drawn(
        self, owner: Spec, pose: Pose, surface: tuple[Points, Faces], bits: tuple[int, int]
    ) -> Spec:
        """Add a mesh as MuJoCo draws it; where `bits` let it collide, it does so as its hull."""
        points, faces = surface
        if bits[0] or bits[1]:
            flat = len(thickened(points[np.unique(faces)])) > len(np.unique(faces))
            bits = (0, 0) if flat else bits
        mesh = self._add_mesh(points, faces)
        return owner.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh.name,
            mass=0.0,
            pos=pose.position,
            quat=pose.rotation,
            contype=bits[0],
            conaffinity=bits[1],
        )

    def _add_mesh(self, points: Points, faces: Faces | None) -> Spec:
        if len(points) < 4:
            points = np.concatenate([points, points[:1], points[:1], points[:1]])
        mesh = self.spec.add_mesh(
            name=f"surface {self._meshes}",
            uservert=points.astype(np.float32).reshape(-1),
            # masses come from the scene; a shell's inertia is the one that thin meshes have too
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
        if faces is not None:
            mesh.userface = faces.astype(np.int32).reshape(-1)
        self._meshes += 1
        return mesh

    def tables(self, model: mujoco.MjModel) -> t.CollisionTables:
        """Return the collision tables of the compiled model."""
        parts: list[TerrainTables] = []
        rows = np.zeros(len(self.terrains), dtype=layout.TERRAIN)
        starts = _Starts()
        for row, terrain in zip(rows, self.terrains, strict=True):
            if starts.place(row, terrain.tables):
                parts.append(terrain.tables)
            row["geom"], row["kind"] = terrain.geom.id, terrain.kind
            row["contype"], row["conaffinity"] = terrain.bits
            row["pos"] = terrain.pose.position
            row["mat"] = pose_matrix(terrain.pose)
            triangles = terrain.tables.triangles
            row["lo"], row["hi"] = triangles["lo"].min(axis=0), triangles["hi"].max(axis=0)
            row["lo"][2] -= terrain.depth
        empty = t.CollisionTables()
        if parts:
            empty = t.CollisionTables(
                terrains=rows,
                triangles=np.concatenate([part.triangles for part in parts]),
                edges=np.concatenate([part.edges for part in parts]),
                peaks=np.concatenate([part.peaks for part in parts]),
                spokes=np.concatenate([part.spokes for part in parts]),
                nodes=np.concatenate([part.nodes for part in parts]),
            )
        tables = _with_hulls(empty, model, [solid.geom.id for solid in self.solids])
        groups = np.zeros(0, dtype=np.int32)
        if self.groups:
            groups = np.full(model.ngeom, -1, dtype=np.int32)
            for number, geoms in enumerate(self.groups):
                groups[[geom.id for geom in geoms]] = number
        hollow = np.zeros(0, dtype=np.int32)
        if any(solid.shape is not None for solid in self.solids):
            hollow = np.zeros(model.ngeom, dtype=np.int32)
            hollow[[solid.geom.id for solid in self.solids if solid.shape is not None]] = 1
        return replace(
            tables,
            hollow=hollow,
            body_sizes=_body_sizes(model, tables),
            groups=groups,
            **vertex_fields(self.mesh_vertices),
        )


@dataclass(slots=True)
class _Starts:
    """Where the rows of the next terrain begin in the joint tables."""

    triangle: int = 0
    edge: int = 0
    peak: int = 0
    spoke: int = 0
    node: int = 0
    placed: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def place(self, row: Any, part: TerrainTables) -> bool:
        """Say where the rows of `part` stand; True if they come there now, counted from there."""
        row["node_count"], row["triangle_count"] = len(part.nodes), len(part.triangles)
        is_new = id(part) not in self.placed
        if is_new:
            self._shift(part)
        row["node_start"], row["triangle_start"] = self.placed[id(part)]
        return is_new

    def _shift(self, part: TerrainTables) -> None:
        self.placed[id(part)] = self.node, self.triangle
        part.triangles["edge_start"] += self.edge
        part.triangles["peak_start"] += self.peak
        part.triangles["ridge"][part.triangles["ridge"] >= 0] += self.edge
        part.peaks["spoke_start"] += self.spoke
        leaves = part.nodes["count"] > 0
        part.nodes["first"][leaves] += self.triangle
        self.triangle += len(part.triangles)
        self.edge += len(part.edges)
        self.peak += len(part.peaks)
        self.spoke += len(part.spokes)
        self.node += len(part.nodes)


def _with_hulls(
    tables: t.CollisionTables, model: mujoco.MjModel, geoms: list[int]
) -> t.CollisionTables:
    """Add the hulls that MuJoCo has computed: merged faces, and the corners that they use."""
    if not geoms:
        return tables
    rows = np.zeros(len(geoms), dtype=layout.HULL)
    points: list[Points] = []
    planes: list[Points] = []
    for row, geom in zip(rows, geoms, strict=True):
        mesh = int(model.geom_dataid[geom])
        corners, sides = hull_of_mesh(model, mesh)
        row["geom"] = geom
        row["point_start"], row["point_count"] = sum(map(len, points)), len(corners)
        row["plane_start"], row["plane_count"] = sum(map(len, planes)), len(sides)
        points.append(corners)
        planes.append(sides)
    return replace(
        tables,
        hulls=rows,
        hull_points=np.concatenate(points),
        hull_planes=np.concatenate(planes),
    )


def _body_sizes(model: mujoco.MjModel, tables: t.CollisionTables) -> NDArray[np.float64]:
    """Return per body the radius inside its thickest shape; 0 for what stands or touches nothing."""
    kinds = mujoco.mjtGeom
    # how many of MuJoCo's sizes bound a form from inside
    counts = {
        kinds.mjGEOM_SPHERE: 1,
        kinds.mjGEOM_CAPSULE: 1,
        kinds.mjGEOM_CYLINDER: 2,
        kinds.mjGEOM_BOX: 3,
    }
    hulls = {int(row["geom"]): row for row in tables.hulls}
    out = np.zeros(model.nbody)
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        collides = model.geom_contype[geom] or model.geom_conaffinity[geom]
        if not collides or model.body_treeid[body] < 0:
            continue
        count = counts.get(kinds(model.geom_type[geom]))
        inner = float(model.geom_size[geom, :count].min()) if count else 0.0
        if geom in hulls:
            start = int(hulls[geom]["plane_start"])
            planes = tables.hull_planes[start : start + int(hulls[geom]["plane_count"])]
            inner = max(float(planes[:, 3].min()), 0.0)
        out[body] = max(out[body], inner)
    return out


def hull_of_mesh(model: mujoco.MjModel, mesh: int) -> tuple[Points, Points]:
    """Return the corners and the planes (outward normal, offset) of the hull of a compiled mesh."""
    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[start : start + count].astype(float)
    used: set[int] = set()
    planes: list[list[float]] = []
    for normal, polygon in _polygons(model, mesh):
        used.update(polygon)
        offset = float((vertices[polygon] @ normal).max())
        planes.append([*normal.tolist(), offset])
    return vertices[sorted(used)], np.array(planes).reshape(-1, 4)


def _polygons(model: mujoco.MjModel, mesh: int) -> Iterator[tuple[Any, list[int]]]:
    first, count = int(model.mesh_polyadr[mesh]), int(model.mesh_polynum[mesh])
    for k in range(first, first + count):
        begin, size = int(model.mesh_polyvertadr[k]), int(model.mesh_polyvertnum[k])
        yield model.mesh_polynormal[k], model.mesh_polyvert[begin : begin + size].tolist()
