"""Writes shapes and looks as Shape, Visual and Collision nodes of a body file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Quat
from solidbody.formats.addresses import address_from
from solidbody.formats.choreonoid.keys.shapes import (
    PRIMITIVES,
    AppearanceKeys,
    GridKeys,
    LineSetKeys,
    MaterialKeys,
    PurposeKeys,
    ShapeKeys,
    TextureKeys,
    TextureTransformKeys,
    TriangleMeshKeys,
)
from solidbody.formats.choreonoid.keys.table import plain_pairs
from solidbody.formats.choreonoid.keys.yaml_text import YamlPairs, place_pairs
from solidbody.formats.choreonoid.write.devices import LOST
from solidbody.formats.geometry.numbering import numbered
from solidbody.formats.link_trees.sizes import Primitive
from solidbody.model.appearance import Appearance, Texture
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometryPlane,
    GeometryPoints,
    GeometrySphere,
)
from solidbody.model.shapes import Shape, ShapeRole

PLANE_THICKNESS: Final = 1.0
"""[m] Of the box that stands for a half-space: more than anything sinks in a step."""

_ONE: Final = (1.0, 1.0, 1.0)
_Y_TO_Z: Final[Quat] = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""Quarter turn about x: the axis of round forms is y in a body file and z in the model."""

_Round = GeometryCylinder | GeometryCapsule | GeometryCone

_PRIMITIVES: Final = {table.makes: (name, table) for name, table in PRIMITIVES.items()}


@dataclass(slots=True)
class ShapeWriter:
    """Makes the nodes of shapes.

    Attributes:
        log: Told what is lost.
        target: Folder of the file to be written; addresses of images are relative to it.
        source: Folder of the file that the scene was read from.
    """

    log: DiagnosticLog
    target: str = ""
    source: str = ""
    _has_said: bool = False

    def node(self, shape: Shape, frame: Pose) -> YamlPairs | None:
        """Return the node of a shape; `frame` is the link frame in the link that is written."""
        if isinstance(shape.geometry, GeometryLines):
            return _lines(shape, shape.geometry, frame)
        made = self._geometry(shape)
        if made is None:
            return None
        geometry, turn = made
        look = shape.appearance
        content = ShapeKeys.pairs(
            name=shape.name or None,
            geometry=geometry,
            appearance=None if look is None else self._appearance(look, shape),
        )
        scale = None if shape.scale == _ONE else _scale_of(shape)
        place = place_pairs(frame * shape.pose * turn) | ShapeKeys.pairs(scale=scale)
        match shape.role:
            case ShapeRole.BOTH:
                return {**ShapeKeys.pairs(type="Shape"), **place, **content}
            case ShapeRole.VISUAL | ShapeRole.COLLISION:
                kind = "Visual" if shape.role is ShapeRole.VISUAL else "Collision"
                return {**PurposeKeys.pairs(type=kind), **place, **PurposeKeys.pairs(shape=content)}

    def _geometry(self, shape: Shape) -> tuple[YamlPairs, Pose] | None:
        """Return a geometry and the turn of its own axes."""
        geometry = shape.geometry
        match geometry:
            case GeometryBox() | GeometrySphere():
                return self._primitive(geometry, shape), Pose()
            case GeometryCylinder() | GeometryCapsule() | GeometryCone():
                return self._primitive(geometry, shape), Pose(rotation=_Y_TO_Z)
            case GeometryMesh():
                return _mesh(geometry), Pose()
            case GeometryHeightField():
                return _grid(geometry)
            case GeometryPlane():
                self.log.warning(
                    LOST,
                    shape.span,
                    "Choreonoid has no unbounded plane; "
                    f"a box of {geometry.size[0]:g} x {geometry.size[1]:g} m takes its place",
                )
                box = GeometryBox((*geometry.size, PLANE_THICKNESS))
                return self._primitive(box, shape), Pose((0.0, 0.0, -0.5 * PLANE_THICKNESS))
            case GeometryLines() | GeometryPoints():
                self.log.warning(LOST, shape.span, "points that are drawn are left out")
                return None

    def _primitive(self, geometry: Primitive, shape: Shape) -> YamlPairs:
        is_round = isinstance(geometry, _Round)
        is_open = isinstance(geometry, GeometryCapsule) and not (geometry.top and geometry.bottom)
        if is_open or (is_round and not geometry.side):
            self.log.warning(LOST, shape.span, "a form without its side is drawn closed")
        name, table = _PRIMITIVES[type(geometry)]
        return plain_pairs(table, geometry) | table.pairs(type=name)

    # looks

    def _appearance(self, look: Appearance, shape: Shape) -> YamlPairs:
        is_metallic = look.metalness or look.normal_map or look.roughness_map
        if look.specular is None and is_metallic and not self._has_said:
            self._has_said = True
            self.log.info(
                LOST, shape.span, "roughness, metalness and their images have no key in Choreonoid"
            )
        texture = look.texture
        is_plain = look == Appearance(texture=texture, texture_transform=look.texture_transform)
        transform = None if texture is None else look.texture_transform
        return AppearanceKeys.pairs(
            material=None if is_plain and texture is not None else _material(look),
            texture=None if texture is None else self._texture(texture),
            texture_transform=None
            if transform is None
            else plain_pairs(TextureTransformKeys, transform),
        )

    def _texture(self, texture: Texture) -> YamlPairs:
        repeat = texture.repeat
        return TextureKeys.pairs(
            uri=address_from(texture.uri, self.source, self.target),
            repeat=None if repeat == (True, True) else list(repeat),
        )


def _scale_of(shape: Shape) -> tuple[float, float, float]:
    """Return the scale along the axes of the file's form."""
    x, y, z = shape.scale
    return (x, z, y) if isinstance(shape.geometry, _Round) else (x, y, z)


def _material(look: Appearance) -> YamlPairs:
    pairs = plain_pairs(MaterialKeys, look)
    if look.specular is None:
        pairs |= MaterialKeys.pairs(ambient=None, specular_exponent=None)
    return pairs


def _lines(shape: Shape, lines: GeometryLines, frame: Pose) -> YamlPairs:
    look = shape.appearance
    material = None if look is None else MaterialKeys.pairs(diffuse=look.base_color)
    node = LineSetKeys.pairs(type="LineSet", name=shape.name or None, material=material)
    return plain_pairs(LineSetKeys, lines) | place_pairs(frame * shape.pose) | node


def _grid(field: GeometryHeightField) -> tuple[YamlPairs, Pose]:
    """Return a grid along y and its turn: the file's z is the model's -y, so rows go the other way."""
    count, rows = field.x_count, field.y_count
    heights = [
        height
        for row in reversed(range(rows))
        for height in field.heights[row * count : (row + 1) * count]
    ]
    pairs = GridKeys.pairs(
        type="ElevationGrid",
        x_dimension=count,
        z_dimension=rows,
        x_spacing=field.x_spacing,
        z_spacing=field.y_spacing,
        height=heights,
    )
    return pairs, Pose((0.0, (rows - 1) * field.y_spacing, 0.0), _Y_TO_Z)


def _mesh(mesh: GeometryMesh) -> YamlPairs:
    pairs = TriangleMeshKeys.pairs(
        type="TriangleMesh",
        vertices=[x for point in mesh.vertices for x in point],
        faces=[index for triangle in mesh.triangles for index in triangle],
        solid=None if mesh.two_sided else True,
    )
    if mesh.normals:
        unique, numbers = numbered(mesh.normals)
        values = [x for normal in unique for x in normal]
        pairs |= TriangleMeshKeys.pairs(normals=values, normal_indices=numbers)
    if mesh.texture_coordinates:
        unique, numbers = numbered(mesh.texture_coordinates)
        values = [x for point in unique for x in point]
        pairs |= TriangleMeshKeys.pairs(tex_coords=values, tex_coord_indices=numbers)
    return pairs
