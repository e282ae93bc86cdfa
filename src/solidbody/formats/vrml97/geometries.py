"""Reads geometry nodes of VRML97 (cylinders and cones stand along y there)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from solidbody.base.transforms import Pose, Vec3, quat_from_axis_angle
from solidbody.formats.geometry.affine import Affine
from solidbody.formats.geometry.extrusion import Extrusion, ExtrusionError
from solidbody.formats.geometry.face_meshes import CornerValues, FaceSet
from solidbody.formats.geometry.face_sets import has_faces
from solidbody.formats.geometry.forms import THINNEST
from solidbody.formats.geometry.grids import MAX_POINTS, Grid
from solidbody.formats.vrml97.nodes import NodeView
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCone,
    GeometryCylinder,
    GeometryLines,
    GeometryPoints,
    GeometrySphere,
)

Y_TO_Z: Final = Affine.of_pose(Pose(rotation=quat_from_axis_angle((1.0, 0.0, 0.0), -math.pi / 2)))
"""Place of a form that stands along z so that it stands along y."""

PlacedGeometry = tuple[Geometry, Affine, Vec3 | None]
"""A geometry, its place, and its colour if the geometry itself has one."""

_FIELDS: Final = {
    "faces": "coordIndex",
    "normals": "normalIndex",
    "texture": "texCoordIndex",
    "colors": "colorIndex",
}
_KEYS: Final = {"cross_section": "crossSection"}


def forms_of(node: NodeView) -> list[PlacedGeometry]:
    """Return what a geometry node consists of; nothing (after a note) if it cannot be drawn."""
    read = GEOMETRIES.get(node.type)
    if read is None:
        node.reading.note(
            "unsupported-node",
            node.syntax.type_span,
            f'geometries of the type "{node.type}" are not drawn.',
        )
        return []
    return read(node)


def _box(node: NodeView) -> list[PlacedGeometry]:
    size = node.vec3("size", (2.0, 2.0, 2.0))
    if min(size) < 0.0:
        node.warn("wrong-value", "the sides of a box must not be negative.", name="size")
        return []
    if min(size) == 0.0:
        _warn_of_flatness(node, "size")
    x, y, z = size
    return [(GeometryBox((x or THINNEST, y or THINNEST, z or THINNEST)), Affine(), None)]


def _height(node: NodeView) -> float:
    height = node.number("height", 2.0)
    if height == 0.0:
        _warn_of_flatness(node, "height")
        return THINNEST
    return height if height > 0.0 else node.positive("height", 2.0)


def _warn_of_flatness(node: NodeView, name: str) -> None:
    text = f"a form without thickness is taken to be {THINNEST:g} m thin."
    node.warn("flat-shape", text, name=name)


def _sphere(node: NodeView) -> list[PlacedGeometry]:
    return [(GeometrySphere(node.positive("radius", 1.0)), Affine(), None)]


def _cylinder(node: NodeView) -> list[PlacedGeometry]:
    cylinder = GeometryCylinder(
        node.positive("radius", 1.0),
        _height(node),
        top=node.boolean("top", True),
        side=node.boolean("side", True),
        bottom=node.boolean("bottom", True),
    )
    return [(cylinder, Y_TO_Z, None)]


def _cone(node: NodeView) -> list[PlacedGeometry]:
    cone = GeometryCone(
        node.positive("bottomRadius", 1.0),
        _height(node),
        side=node.boolean("side", True),
        bottom=node.boolean("bottom", True),
    )
    return [(cone, Y_TO_Z, None)]


def _extrusion(node: NodeView) -> list[PlacedGeometry]:
    default = Extrusion()
    extrusion = Extrusion(
        node.vec2s("crossSection") or default.cross_section,
        node.vec3s("spine") or default.spine,
        node.vec2s("scale") or default.scales,
        node.rotations("orientation") or default.orientations,
        node.boolean("beginCap", True),
        node.boolean("endCap", True),
        node.boolean("ccw", True),
        node.number("creaseAngle", 0.0),
        two_sided=not node.boolean("solid", True),
    )
    try:
        return [(extrusion.mesh(), Affine(), None)]
    except ExtrusionError as error:
        node.warn("bad-geometry", f"{error}; it is left out.", name=_KEYS.get(error.key, error.key))
        return []


def _grid(node: NodeView) -> list[PlacedGeometry]:
    counts = (node.integer("xDimension", 0), node.integer("zDimension", 0))
    heights = node.numbers("height") or ()
    points = counts[0] * counts[1]
    if min(counts) < 2 or len(heights) < points or points > MAX_POINTS:
        node.warn(
            "bad-geometry",
            f"a grid of {counts[0]} x {counts[1]} points with {len(heights)} heights is left out.",
            name="height",
        )
        return []
    texture = node.node("texCoord")
    coordinates = texture.vec2s("point") if texture is not None else ()
    grid = Grid(
        *counts,
        node.positive("xSpacing", 1.0),
        node.positive("zSpacing", 1.0),
        heights[:points],
        ccw=node.boolean("ccw", True),
        crease_angle=node.number("creaseAngle", 0.0),
        texture=coordinates if len(coordinates) >= points else (),
        two_sided=not node.boolean("solid", True),
    )
    color = node.node("color")
    colors = color.vec3s("color") if color is not None else ()
    return [(grid.mesh(), Affine(), _mean(colors))]


def _faces(node: NodeView) -> list[PlacedGeometry]:
    coordinates = node.node("coord")
    points = coordinates.vec3s("point") if coordinates is not None else ()
    faces = node.integers("coordIndex")
    if not points or not has_faces(faces):
        return []
    face_set = FaceSet(
        points,
        faces,
        ccw=node.boolean("ccw", True),
        crease_angle=node.number("creaseAngle", 0.0),
        normals=_values(node, "normal", "vector", "normalIndex", "normalPerVertex"),
        texture=_texture(node),
        colors=_values(node, "color", "color", "colorIndex", "colorPerVertex"),
        two_sided=not node.boolean("solid", True),
    )
    parts = face_set.parts(lambda code, key, text: node.warn(code, text, name=_FIELDS[key]))
    return [(mesh, Affine(), color) for mesh, color in parts]


def _values(
    node: NodeView, holder: str, values: str, indices: str, per_vertex: str
) -> CornerValues | None:
    source = node.node(holder)
    if source is None:
        return None
    return CornerValues(
        source.vec3s(values), node.integers(indices), node.boolean(per_vertex, True)
    )


def _texture(node: NodeView) -> CornerValues | None:
    source = node.node("texCoord")
    if source is None:
        return None
    return CornerValues(source.vec2s("point"), node.integers("texCoordIndex"))


def _lines(node: NodeView) -> list[PlacedGeometry]:
    coordinates = node.node("coord")
    points = coordinates.vec3s("point") if coordinates is not None else ()
    segments: list[tuple[int, int]] = []
    bad = 0
    indices = node.integers("coordIndex")
    for a, b in pairwise(indices):
        if a == -1 or b == -1:
            continue
        if 0 <= a < len(points) and 0 <= b < len(points):
            segments.append((a, b))
        else:
            bad += 1
    if bad:
        node.warn(
            "bad-index",
            f"{bad} lines use points that do not exist; they are left out.",
            name="coordIndex",
        )
    color = node.node("color")
    colors = color.vec3s("color") if color is not None else ()
    return [(GeometryLines(points, tuple(segments)), Affine(), _mean(colors))] if segments else []


def _points(node: NodeView) -> list[PlacedGeometry]:
    coordinates = node.node("coord")
    points = coordinates.vec3s("point") if coordinates is not None else ()
    color = node.node("color")
    colors = color.vec3s("color") if color is not None else ()
    if not points:
        return []
    kept = colors if len(colors) == len(points) else ()
    return [(GeometryPoints(points, kept), Affine(), None)]


def _mean(colors: tuple[Vec3, ...]) -> Vec3 | None:
    """Return one colour for forms whose parts cannot have their own."""
    if not colors:
        return None
    r, g, b = (
        min(max(sum(color[k] for color in colors) / len(colors), 0.0), 1.0) for k in range(3)
    )
    return (r, g, b)


GEOMETRIES: Final[dict[str, Callable[[NodeView], list[PlacedGeometry]]]] = {
    "Box": _box,
    "Cone": _cone,
    "Cylinder": _cylinder,
    "ElevationGrid": _grid,
    "Extrusion": _extrusion,
    "IndexedFaceSet": _faces,
    "IndexedLineSet": _lines,
    "PointSet": _points,
    "Sphere": _sphere,
}
"""Readers by node type."""
