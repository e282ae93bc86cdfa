"""Reads `geometry` of a Shape: primitives, extrusions, face sets.

Primitives stay primitives: cylinders, cones and capsules stand along y in these files and along z in the
model, so their place is turned. Extrusions and face sets become triangles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.shapes import (
    PRIMITIVES,
    ExtrusionKeys,
    FaceSetKeys,
    GeometryKeys,
    GridKeys,
    PrimitiveKeys,
    TriangleMeshKeys,
)
from solidbody.formats.choreonoid.keys.table import Table, plain_values
from solidbody.formats.geometry.affine import MAX_COORDINATE, Affine
from solidbody.formats.geometry.extrusion import Extrusion, ExtrusionError
from solidbody.formats.geometry.face_meshes import (
    FaceSet,
    default_texture_coordinates,
)
from solidbody.formats.geometry.face_sets import has_faces
from solidbody.formats.geometry.grids import MAX_POINTS, Grid
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


def _primitive(keys: Keys) -> TreePart | None:
    table = PRIMITIVES[keys.read(GeometryKeys.type)]
    divisions = plain_values(keys, PrimitiveKeys)
    keys.pass_over(PrimitiveKeys)
    assert table.makes is not None
    form = checked_form(table.makes(**plain_values(keys, table)), keys.spot)
    if form is None:
        return None
    stands = not isinstance(form, GeometryBox | GeometrySphere)
    return TreePart(form, Y_TO_Z if stands else Affine(), **divisions)


# ------------------------------------------------------------------------------------ swept, grids


def _extrusion(keys: Keys) -> TreePart | None:
    if keys.find(ExtrusionKeys.unread_begin_cap) is not None:
        keys.warning(
            "unread-key",
            ExtrusionKeys.unread_begin_cap,
            'Choreonoid reads "beginCap" only, whatever its manual says; this has no effect.',
        )
    try:
        return TreePart(Extrusion(**plain_values(keys, ExtrusionKeys)).mesh())
    except ExtrusionError as error:
        key = keys.written(ExtrusionKeys.rows[error.key])
        keys.error("bad-geometry", key, f"{error}; the shape is left out.")
        return None


def _grid(keys: Keys) -> TreePart | None:
    grid = Grid(**plain_values(keys, GridKeys))
    problem = _grid_problem(grid)
    if problem:
        keys.error("bad-geometry", problem[0], f"{problem[1]}; the shape is left out.")
        return None
    return _height_field(grid) if grid.ccw and not grid.texture else TreePart(grid.mesh())


def _grid_problem(grid: Grid) -> tuple[str, str] | None:
    """Return (key, what is wrong), or None."""
    counts, spacings = (grid.x_count, grid.z_count), (grid.x_spacing, grid.z_spacing)
    points, heights, texture = counts[0] * counts[1], len(grid.heights), len(grid.texture)
    size = f"{counts[0]} x {counts[1]}"
    if min(counts) < 2:
        return "x_dimension", f"a grid needs 2 points at least both ways, got {size}"
    if points > MAX_POINTS:
        return "x_dimension", f"a grid has at most {MAX_POINTS} points, got {points}"
    if not (min(spacings) > 0.0 and max(spacings) < MAX_COORDINATE):
        return "x_spacing", "the distance between points must be above 0"
    if heights != points:
        return "height", f"{size} points need {points} heights, got {heights}"
    if texture and texture != points:
        return "tex_coord", f"{points} points need as many pairs, got {texture}"
    return None


def _height_field(grid: Grid) -> TreePart:
    """Return a grid along +y as a height field along +z.

    The model's y is the file's -z, so rows are listed the other way round, from the last one.
    """
    nx, nz = grid.x_count, grid.z_count
    heights = [x for k in reversed(range(nz)) for x in grid.heights[k * nx : (k + 1) * nx]]
    field = GeometryHeightField(nx, nz, grid.x_spacing, grid.z_spacing, tuple(heights))
    return TreePart(field, Affine.of((0.0, 0.0, (nz - 1) * grid.z_spacing)) * Y_TO_Z)


# ------------------------------------------------------------------------------------------- faces


def _face_set(keys: Keys) -> TreePart | None:
    return _faces(keys, plain_values(keys, FaceSetKeys))


def _triangle_mesh(keys: Keys) -> TreePart | None:
    values = plain_values(keys, TriangleMeshKeys)
    values["faces"] = _triples(values["faces"])
    for name in ("normals", "texture"):
        values[name] = replace(values[name], indices=_triples(values[name].indices))
    return _faces(keys, values)


def _faces(keys: Keys, values: dict[str, Any]) -> TreePart | None:
    for name in ("normals", "texture"):
        if not values[name].values:
            values[name] = None
    face_set = FaceSet(**values)
    if not face_set.points or not has_faces(face_set.faces):
        keys.warning("empty-geometry", "", "the mesh has no vertices or no faces; left out.")
        return None
    mesh = face_set.mesh(lambda code, name, text: keys.warning(code, _FACE_KEYS[name], text))
    return None if mesh is None else TreePart(mesh)


_FACE_KEYS: Final = {"faces": "faces", "normals": "normals", "texture": "tex_coords"}
"""Key that a problem with one of the lists of a face set is reported at."""


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
