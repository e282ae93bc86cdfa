"""Reads `geometry` of a Shape: primitives, extrusions, face sets.

Primitives stay primitives: cylinders, cones and capsules stand along y in these files and along z in the
model, so their place is turned. Extrusions and face sets become triangles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from solidbody.base.transforms import Pose, Quat, Vec3, quat_from_axis_angle
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.shapes import (
    PRIMITIVES,
    ExtrusionKeys,
    FaceSetKeys,
    GeometryKeys,
    GridKeys,
    MeshKeys,
    PrimitiveKeys,
    SurfaceKeys,
    TriangleMeshKeys,
)
from solidbody.formats.choreonoid.keys.table import Key, Table, plain_values
from solidbody.formats.geometry.affine import MAX_COORDINATE, Affine
from solidbody.formats.geometry.extrusion import Extrusion, ExtrusionError
from solidbody.formats.geometry.face_meshes import (
    CornerValues,
    FaceSet,
    default_texture_coordinates,
)
from solidbody.formats.geometry.face_sets import has_faces
from solidbody.formats.geometry.forms import DIVISIONS, MAX_DIVISIONS, MIN_DIVISIONS
from solidbody.formats.geometry.grids import MAX_POINTS, grid_mesh
from solidbody.formats.geometry.trees import TreePart
from solidbody.formats.link_trees.sizes import checked_form
from solidbody.model.geometry import (
    GeometryBox,
    GeometryHeightField,
    GeometryMesh,
    GeometrySphere,
)

Y_TO_Z: Final = Affine.of_pose(Pose(rotation=quat_from_axis_angle((1.0, 0.0, 0.0), -math.pi / 2)))
"""Place of a form that stands along z so that it stands along y."""


def form_of(keys: Keys) -> TreePart | None:
    """Return the form of a `geometry` mapping (any type but Resource), or None after a message."""
    type_name = keys.read(GeometryKeys.type)
    found = GEOMETRIES.get(type_name)
    if found is None:
        known = (*GEOMETRIES, RESOURCE)
        if type_name:
            text = f'no geometry is called "{type_name}"; known: {", ".join(known)}.'
            keys.error(
                "unknown-geometry", GeometryKeys.type, text + keys.reading.guess(type_name, known)
            )
        else:
            text = f"a geometry needs it: one of {', '.join(known)}."
            keys.error("missing-key", GeometryKeys.type, text)
        return None
    reader, table = found
    keys.pass_over(GeometryKeys)
    form = reader(keys)
    keys.warn_of_slips(table)
    return form


def textured(form: TreePart) -> TreePart:
    """Return a form with texture coordinates, those of VRML97 where the file gives none."""
    mesh = form.geometry
    if not isinstance(mesh, GeometryMesh) or mesh.texture_coordinates:
        return form
    return replace(
        form, geometry=replace(mesh, texture_coordinates=default_texture_coordinates(mesh))
    )


# -------------------------------------------------------------------------------------- primitives


def _divisions(keys: Keys) -> int:
    count = keys.read(PrimitiveKeys.division_number)
    keys.pass_over(PrimitiveKeys)
    if count <= 0:  # Choreonoid takes its default then
        return DIVISIONS
    return min(max(count, MIN_DIVISIONS), MAX_DIVISIONS)


def _primitive(keys: Keys) -> TreePart | None:
    table = PRIMITIVES[keys.read(GeometryKeys.type)]
    divisions = _divisions(keys)
    assert table.makes is not None
    form = checked_form(table.makes(**plain_values(keys, table)), keys.spot)
    if form is None:
        return None
    stands = not isinstance(form, GeometryBox | GeometrySphere)
    return TreePart(form, Y_TO_Z if stands else Affine(), divisions=divisions)


# ------------------------------------------------------------------------------------ swept, grids


def _extrusion(keys: Keys) -> TreePart | None:
    section = groups_of(keys, 2, ExtrusionKeys.cross_section)
    spine = groups_of(keys, 3, ExtrusionKeys.spine)
    turns = groups_of(keys, 4, ExtrusionKeys.orientation)
    scales = groups_of(keys, 2, ExtrusionKeys.scale)
    begin_cap = keys.read(ExtrusionKeys.begin_cap)
    if keys.find(ExtrusionKeys.unread_begin_cap) is not None:
        keys.warning(
            "unread-key",
            ExtrusionKeys.unread_begin_cap,
            'Choreonoid reads "beginCap" only, whatever its manual says; this has no effect.',
        )
    default = Extrusion()
    extrusion = Extrusion(
        tuple((x, z) for x, z in section) or default.cross_section,
        tuple((x, y, z) for x, y, z in spine) or default.spine,
        tuple((x, z) for x, z in scales) or default.scales,
        tuple(_turn(keys, turn) for turn in turns) or default.orientations,
        begin_cap,
        keys.read(ExtrusionKeys.end_cap),
        crease_angle=keys.read(SurfaceKeys.crease_angle),
        two_sided=not keys.read(SurfaceKeys.solid),
    )
    try:
        return TreePart(extrusion.mesh())
    except ExtrusionError as error:
        key = keys.written(ExtrusionKeys.rows[error.key])
        keys.error("bad-geometry", key, f"{error}; the shape is left out.")
        return None


def _turn(keys: Keys, numbers: tuple[float, ...]) -> Quat:
    x, y, z, angle = numbers
    return quat_from_axis_angle((x, y, z), angle * keys.reading.angle_factor)


def groups_of(keys: Keys, width: int, row: Key[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Return a flat list of numbers in groups, empty without the key; what is left over is ignored."""
    numbers = keys.read(row)
    count = len(numbers) // width
    large = next((x for x in numbers if abs(x) >= MAX_COORDINATE), None)
    if large is not None:
        keys.error(
            "wrong-value",
            keys.written(row),
            f"expected numbers below {MAX_COORDINATE:g}, got {large:g}; the list is not read.",
        )
        return []
    if len(numbers) % width:
        keys.warning(
            "wrong-value",
            keys.written(row),
            f"expected numbers in groups of {width}, got {len(numbers)}; "
            "those behind the last group are ignored.",
        )
    return [tuple(numbers[i * width : (i + 1) * width]) for i in range(count)]


def _grid(keys: Keys) -> TreePart | None:
    counts = (
        keys.read(GridKeys.x_dimension),
        keys.read(GridKeys.z_dimension),
    )
    spacings = (
        keys.read(GridKeys.x_spacing),
        keys.read(GridKeys.z_spacing),
    )
    heights = tuple(height for (height,) in groups_of(keys, 1, GridKeys.height))
    ccw = keys.read(GridKeys.ccw)
    crease = keys.read(SurfaceKeys.crease_angle)
    texture = groups_of(keys, 2, GridKeys.tex_coord)
    solid = keys.read(SurfaceKeys.solid)
    problem = _grid_problem(counts, spacings, len(heights), len(texture))
    if problem:
        keys.error("bad-geometry", problem[0], f"{problem[1]}; the shape is left out.")
        return None
    if ccw and not texture:
        return _height_field(counts, spacings, heights)
    mesh = grid_mesh(
        counts,
        spacings,
        heights,
        ccw=ccw,
        crease_angle=crease,
        texture=[(s, t) for s, t in texture],
        two_sided=not solid,
    )
    return TreePart(mesh)


def _grid_problem(
    counts: tuple[int, int], spacings: tuple[float, float], heights: int, texture: int
) -> tuple[str, str] | None:
    """Return (key, what is wrong), or None."""
    points = counts[0] * counts[1]
    if min(counts) < 2:
        return (
            "x_dimension",
            f"a grid needs 2 points at least both ways, got {counts[0]} x {counts[1]}",
        )
    if points > MAX_POINTS:
        return "x_dimension", f"a grid has at most {MAX_POINTS} points, got {points}"
    if not (min(spacings) > 0.0 and max(spacings) < MAX_COORDINATE):
        return "x_spacing", "the distance between points must be above 0"
    if heights != points:
        return "height", f"{counts[0]} x {counts[1]} points need {points} heights, got {heights}"
    if texture and texture != points:
        return "tex_coord", f"{points} points need as many pairs, got {texture}"
    return None


def _height_field(
    counts: tuple[int, int], spacings: tuple[float, float], heights: tuple[float, ...]
) -> TreePart:
    """Return a grid along +y as a height field along +z.

    The model's y is the file's -z, so rows are listed the other way round, from the last one.
    """
    nx, nz = counts
    rows = [heights[k * nx : (k + 1) * nx] for k in reversed(range(nz))]
    field = GeometryHeightField(
        nx, nz, spacings[0], spacings[1], tuple(height for row in rows for height in row)
    )
    return TreePart(field, Affine.of((0.0, 0.0, (nz - 1) * spacings[1])) * Y_TO_Z)


# ------------------------------------------------------------------------------------------- faces


def _face_set(keys: Keys) -> TreePart | None:
    return _faces(keys, _indices(keys, FaceSetKeys.faces), is_polygons=True)


def _triangle_mesh(keys: Keys) -> TreePart | None:
    return _faces(keys, _triples(_indices(keys, TriangleMeshKeys.faces)), is_polygons=False)


def _faces(keys: Keys, faces: tuple[int, ...], *, is_polygons: bool) -> TreePart | None:
    points = tuple((x, y, z) for x, y, z in groups_of(keys, 3, MeshKeys.vertices))
    normal_indices = _indices(keys, MeshKeys.normal_indices)
    texture_indices = _indices(keys, MeshKeys.tex_coord_indices)
    if not is_polygons:
        normal_indices, texture_indices = _triples(normal_indices), _triples(texture_indices)
    normals: list[Vec3] = [(x, y, z) for x, y, z in groups_of(keys, 3, MeshKeys.normals)]
    texture = groups_of(keys, 2, MeshKeys.tex_coords)
    face_set = FaceSet(
        points,
        faces,
        crease_angle=keys.read(SurfaceKeys.crease_angle),
        normals=CornerValues(normals, normal_indices) if normals else None,
        texture=CornerValues(texture, texture_indices) if texture else None,
        two_sided=not keys.read(SurfaceKeys.solid),
    )
    if not points or not has_faces(faces):
        keys.warning("empty-geometry", "", "the mesh has no vertices or no faces; left out.")
        return None
    mesh = face_set.mesh(lambda code, name, text: keys.warning(code, _FACE_KEYS[name], text))
    return None if mesh is None else TreePart(mesh)


_FACE_KEYS: Final = {"faces": "faces", "normals": "normals", "texture": "tex_coords"}
"""Key that a problem with one of the lists of a face set is reported at."""


def _indices(keys: Keys, row: Key[tuple[float, ...]]) -> tuple[int, ...]:
    return tuple(map(int, keys.read(row)))


def _triples(indices: tuple[int, ...]) -> tuple[int, ...]:
    """Return plain triples as runs that are ended by -1."""
    if not indices:
        return ()
    return tuple(
        number
        for first in range(0, len(indices), 3)
        for number in (*indices[first : first + 3], -1)
    )


RESOURCE: Final = "Resource"
"""The geometry that comes from a file; see `shapes`."""

GEOMETRIES: Final[dict[str, tuple[Callable[[Keys], TreePart | None], type[Table]]]] = {
    **{name: (_primitive, table) for name, table in PRIMITIVES.items()},
    "ElevationGrid": (_grid, GridKeys),
    "Extrusion": (_extrusion, ExtrusionKeys),
    "IndexedFaceSet": (_face_set, FaceSetKeys),
    "TriangleMesh": (_triangle_mesh, TriangleMeshKeys),
}
"""Readers and rows by the value of `type`."""
