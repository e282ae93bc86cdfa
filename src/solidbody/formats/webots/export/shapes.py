"""Exports shapes, geometries and looks as Webots nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import NOWHERE
from solidbody.base.transforms import Pose
from solidbody.formats.addresses import address_from
from solidbody.formats.geometry.numbering import numbered
from solidbody.formats.vrml.syntax import NodeSyntax, UseSyntax
from solidbody.formats.webots.export.nodes import (
    Content,
    Fields,
    labelled,
    node,
    place_fields,
    placed,
)
from solidbody.formats.webots.export.plain import plain_fields, plain_node
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from solidbody.model.geometry import (
    Geometry,
    GeometryCone,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometryPoints,
)
from solidbody.model.shapes import Shape, ShapeRole

LOST: Final = "lost-in-webots"
"""Code of what a Webots file cannot say."""

CONE_SIDES: Final = 32
"""Sides of the mesh that stands for a cone that collides: as many as Webots draws."""

_ONE: Final = (1.0, 1.0, 1.0)


@dataclass(slots=True)
class ShapeExport:
    """Makes the nodes of shapes.

    Attributes:
        log: Told what is lost.
        target: Folder of the file to be written; addresses of images are relative to it.
        source: Folder of the file that the scene was read from.
    """

    log: DiagnosticLog
    target: str = ""
    source: str = ""
    _labels: dict[int, str] = field(default_factory=dict[int, str])
    _count: int = 0

    def start_solid(self) -> None:
        """Forget the forms of other solids: one is referred to only inside the solid that has it."""
        self._labels.clear()

    def drawn(self, shape: Shape, frame: Pose) -> NodeSyntax | UseSyntax | None:
        """Return the Shape node at its place; `frame` is the link frame in the written solid."""
        if shape.role is ShapeRole.COLLISION:
            return None
        look = shape.appearance
        given: Fields = {
            "appearance": None if look is None else self.appearance(look),
            "geometry": self._geometry(shape.geometry, as_mesh=False),
        }
        content = node("Shape", **plain_fields("Shape", shape, given))
        pose = frame * shape.pose
        if shape.scale == _ONE:
            return placed(pose, content)
        return node("Transform", **place_fields(pose), scale=shape.scale, children=[content])

    def bounding(self, shapes: list[Shape], frame: Pose) -> NodeSyntax | UseSyntax | None:
        """Return the bounding object of a solid with these shapes."""
        parts = [
            placed(frame * shape.pose, self._geometry(shape.geometry, as_mesh=True))
            for shape in shapes
            if shape.role is not ShapeRole.VISUAL and self._collides(shape)
        ]
        if len(parts) > 1:
            return node("Group", children=parts)
        return parts[0] if parts else None

    def _collides(self, shape: Shape) -> bool:
        if isinstance(shape.geometry, GeometryLines | GeometryPoints):
            return False
        if shape.scale != _ONE:
            self.log.warning(
                LOST,
                shape.span,
                "a bounding object has no scale: the shape collides with its own size",
            )
        return True

    def _geometry(self, geometry: Geometry, *, as_mesh: bool) -> NodeSyntax | UseSyntax:
        """Return the node of a form; large ones are written once and referred to afterwards."""
        if isinstance(geometry, GeometryCone) and as_mesh:
            return geometry_node(cone_mesh(geometry))
        if not isinstance(geometry, GeometryMesh | GeometryHeightField):
            return geometry_node(geometry)
        known = self._labels.get(id(geometry))
        if known is not None:
            return UseSyntax(known, NOWHERE)
        self._count += 1
        self._labels[id(geometry)] = label = f"GEOMETRY_{self._count}"
        return labelled(geometry_node(geometry), label)

    # looks

    def appearance(self, look: Appearance) -> NodeSyntax:
        """Return the node of a look: classic where it has highlights of its own colour."""
        if look.specular is not None:
            material = plain_node(look, "Material") if look.is_lit else None
            fields = plain_fields("Appearance", look, {"material": material}, child=self._part)
            return node("Appearance", **fields)
        brightest = max(*look.emissive, 1.0)
        r, g, b = look.emissive
        dimmed = replace(look, emissive=(r / brightest, g / brightest, b / brightest))
        given = {"emissiveIntensity": brightest}
        fields = plain_fields("PBRAppearance", dimmed, given, child=self._part)
        return node("PBRAppearance", **fields)

    def _part(self, part: Texture | TextureTransform) -> NodeSyntax:
        """Return an image or the transform of images."""
        if not isinstance(part, Texture):
            return plain_node(part)
        fields = plain_fields("ImageTexture", part, {"url": [self.address(part.uri)]})
        return node("ImageTexture", **fields)

    def address(self, uri: str) -> str:
        """Return the address of a file as it is written in the new file."""
        return address_from(uri, self.source, self.target)


def geometry_node(geometry: Geometry) -> NodeSyntax:
    """Return the node of a form."""
    return _face_set(geometry) if isinstance(geometry, GeometryMesh) else plain_node(geometry)


def _face_set(mesh: GeometryMesh) -> NodeSyntax:
    fields: dict[str, Content] = {"coord": node("Coordinate", point=mesh.vertices)}
    if mesh.normals:
        unique, numbers = numbered(mesh.normals)
        fields["normal"] = node("Normal", vector=unique)
        fields["normalIndex"] = _in_faces(numbers)
    if mesh.texture_coordinates:
        unique, numbers = numbered(mesh.texture_coordinates)
        fields["texCoord"] = node("TextureCoordinate", point=unique)
        fields["texCoordIndex"] = _in_faces(numbers)
    corners = [index for triangle in mesh.triangles for index in triangle]
    return node("IndexedFaceSet", **fields, solid=not mesh.two_sided, coordIndex=_in_faces(corners))


def _in_faces(corners: list[int]) -> list[int]:
    """Return indices of triangles with the -1 that ends each."""
    return [
        index for start in range(0, len(corners), 3) for index in (*corners[start : start + 3], -1)
    ]


def cone_mesh(cone: GeometryCone) -> GeometryMesh:
    """Return a cone as closed triangles: a fan to the apex and one around the centre of its base."""
    low, high = -0.5 * cone.height, 0.5 * cone.height
    angles = [2.0 * math.pi * k / CONE_SIDES for k in range(CONE_SIDES)]
    ring = [(cone.radius * math.cos(a), cone.radius * math.sin(a), low) for a in angles]
    apex, center = CONE_SIDES, CONE_SIDES + 1
    triangles: list[tuple[int, int, int]] = []
    for k in range(CONE_SIDES):
        after = (k + 1) % CONE_SIDES
        triangles += [(k, after, apex), (after, k, center)]
    return GeometryMesh((*ring, (0.0, 0.0, high), (0.0, 0.0, low)), tuple(triangles))
