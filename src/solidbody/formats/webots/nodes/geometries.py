"""Rows of geometries made of points, lines and triangles, and of those that come from files.

Source: Webots reference manual R2025a (IndexedFaceSet, ElevationGrid, Cone, Mesh, CadShape,
IndexedLineSet, PointSet, Coordinate, Normal, TextureCoordinate, Color).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    COLOR,
    NOT_NEGATIVE,
    POSITIVE,
    Field,
    FieldType,
    Node,
)

SFBool, SFInt32, SFFloat = FieldType.SFBool, FieldType.SFInt32, FieldType.SFFloat
SFString, SFNode, MFString = FieldType.SFString, FieldType.SFNode, FieldType.MFString
MFInt32, MFFloat, MFColor = FieldType.MFInt32, FieldType.MFFloat, FieldType.MFColor
MFVec2f, MFVec3f = FieldType.MFVec2f, FieldType.MFVec3f

_TESSELLATION = "curved surfaces are drawn smooth"
_CONVEX = "every polygon is triangulated as if it were concave, which is right for convex ones too"

GEOMETRY_ROWS = (
    Node(
        "Cone",
        base="Geometry",
        fields=(
            Field("bottomRadius", SFFloat, 1.0, POSITIVE, "m", to="GeometryCone.radius"),
            Field("height", SFFloat, 2.0, POSITIVE, "m", to="GeometryCone.height"),
            Field("side", SFBool, True, to="GeometryCone.side"),
            Field("bottom", SFBool, True, to="GeometryCone.bottom"),
            Field("subdivision", SFInt32, 32, ignored=_TESSELLATION),
        ),
    ),
    Node(
        "IndexedFaceSet",
        base="Geometry",
        fields=(
            Field("coord", SFNode, None, nodes=("Coordinate",), to="GeometryMesh.vertices"),
            Field("normal", SFNode, None, nodes=("Normal",), to="GeometryMesh.normals"),
            Field(
                "texCoord",
                SFNode,
                None,
                nodes=("TextureCoordinate",),
                to="GeometryMesh.texture_coordinates",
            ),
            Field("solid", SFBool, True, to="GeometryMesh.two_sided"),
            Field("ccw", SFBool, True, to="GeometryMesh.triangles"),
            Field("convex", SFBool, True, ignored=_CONVEX),
            Field("normalPerVertex", SFBool, True, to="GeometryMesh.normals"),
            Field("coordIndex", MFInt32, (), to="GeometryMesh.triangles"),
            Field("normalIndex", MFInt32, (), to="GeometryMesh.normals"),
            Field("texCoordIndex", MFInt32, (), to="GeometryMesh.texture_coordinates"),
            Field("creaseAngle", SFFloat, 0.0, NOT_NEGATIVE, "rad", to="GeometryMesh.normals"),
        ),
    ),
    Node(
        "ElevationGrid",
        base="Geometry",
        fields=(
            Field(
                "color",
                SFNode,
                None,
                nodes=("Color",),
                to="GeometryHeightField.colors",
            ),
            Field("colorPerVertex", SFBool, True, to="GeometryHeightField.color_per_point"),
            Field("height", MFFloat, (), unit="m", to="GeometryHeightField.heights"),
            Field("xDimension", SFInt32, 0, NOT_NEGATIVE, to="GeometryHeightField.x_count"),
            Field("xSpacing", SFFloat, 1.0, POSITIVE, "m", to="GeometryHeightField.x_spacing"),
            Field("yDimension", SFInt32, 0, NOT_NEGATIVE, to="GeometryHeightField.y_count"),
            Field("ySpacing", SFFloat, 1.0, POSITIVE, "m", to="GeometryHeightField.y_spacing"),
            Field("thickness", SFFloat, 1.0, NOT_NEGATIVE, "m", to="GeometryHeightField.thickness"),
            Field(
                "zDimension",
                SFInt32,
                0,
                NOT_NEGATIVE,
                until="R2021b",
                to="GeometryHeightField.y_count",
            ),
            Field(
                "zSpacing",
                SFFloat,
                1.0,
                POSITIVE,
                "m",
                until="R2021b",
                to="GeometryHeightField.y_spacing",
            ),
        ),
    ),
    Node(
        "Mesh",
        base="Geometry",
        fields=(
            Field("url", MFString, (), to="GeometryMesh.vertices, GeometryMesh.triangles"),
            Field("ccw", SFBool, True, to="GeometryMesh.triangles"),
            Field("name", SFString, "", to="GeometryMesh.triangles"),
            Field("materialIndex", SFInt32, -1, to="GeometryMesh.triangles"),
        ),
    ),
    Node(
        "CadShape",
        fields=(
            Field("url", MFString, (), to="Shape.geometry, Shape.appearance"),
            Field("ccw", SFBool, True, to="GeometryMesh.triangles"),
            Field("castShadows", SFBool, True, to="Shape.casts_shadows"),
            Field("isPickable", SFBool, True, to="Shape.is_pickable"),
        ),
    ),
    Node(
        "IndexedLineSet",
        base="Geometry",
        fields=(
            Field("coord", SFNode, None, nodes=("Coordinate",), to="GeometryLines.points"),
            Field("coordIndex", MFInt32, (), to="GeometryLines.segments"),
        ),
    ),
    Node(
        "PointSet",
        base="Geometry",
        fields=(
            Field("coord", SFNode, None, nodes=("Coordinate",), to="GeometryPoints.points"),
            Field("color", SFNode, None, nodes=("Color",), to="GeometryPoints.colors"),
        ),
    ),
    Node(
        "Coordinate",
        fields=(
            Field(
                "point",
                MFVec3f,
                (),
                unit="m",
                to="GeometryMesh.vertices, GeometryLines.points, GeometryPoints.points",
            ),
        ),
    ),
    Node("Normal", fields=(Field("vector", MFVec3f, (), to="GeometryMesh.normals"),)),
    Node(
        "TextureCoordinate",
        fields=(Field("point", MFVec2f, (), to="GeometryMesh.texture_coordinates"),),
    ),
    Node(
        "Color",
        fields=(
            Field(
                "color",
                MFColor,
                (),
                COLOR,
                to="GeometryPoints.colors, GeometryHeightField.colors",
            ),
        ),
    ),
)
