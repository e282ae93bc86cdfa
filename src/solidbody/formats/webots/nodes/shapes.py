"""Rows of shapes, geometries and appearances.

Source: Webots reference manual R2025a (Shape, Box, Sphere, Cylinder, Capsule, Plane, PBRAppearance,
Appearance, Material, ImageTexture, TextureTransform).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    COLOR,
    NOT_NEGATIVE,
    POSITIVE,
    UNIT_RANGE,
    Field,
    FieldType,
    Node,
)

SFBool, SFInt32, SFFloat = FieldType.SFBool, FieldType.SFInt32, FieldType.SFFloat
SFString, SFVec2f, SFVec3f = FieldType.SFString, FieldType.SFVec2f, FieldType.SFVec3f
SFColor, SFNode, MFString = FieldType.SFColor, FieldType.SFNode, FieldType.MFString

_TESSELLATION = "curved surfaces are drawn smooth"
_TEXTURE = ("ImageTexture",)

SHAPE_ROWS = (
    Node("AnyAppearance", is_abstract=True),
    Node("Geometry", is_abstract=True),
    Node(
        "Shape",
        fields=(
            Field("appearance", SFNode, None, nodes=("AnyAppearance",), to="Shape.appearance"),
            Field("geometry", SFNode, None, nodes=("Geometry",), to="Shape.geometry"),
            Field("castShadows", SFBool, True, to="Shape.casts_shadows"),
            Field("isPickable", SFBool, True, to="Shape.is_pickable"),
        ),
    ),
    Node(
        "Box",
        base="Geometry",
        fields=(Field("size", SFVec3f, (2.0, 2.0, 2.0), POSITIVE, "m", to="GeometryBox.size"),),
    ),
    Node(
        "Sphere",
        base="Geometry",
        fields=(
            Field("radius", SFFloat, 1.0, POSITIVE, "m", to="GeometrySphere.radius"),
            Field("subdivision", SFInt32, 1, ignored=_TESSELLATION),
            Field("ico", SFBool, True, ignored=_TESSELLATION),
        ),
    ),
    Node(
        "Cylinder",
        base="Geometry",
        fields=(
            Field("bottom", SFBool, True, to="GeometryCylinder.bottom"),
            Field("height", SFFloat, 2.0, POSITIVE, "m", to="GeometryCylinder.height"),
            Field("radius", SFFloat, 1.0, POSITIVE, "m", to="GeometryCylinder.radius"),
            Field("side", SFBool, True, to="GeometryCylinder.side"),
            Field("top", SFBool, True, to="GeometryCylinder.top"),
            Field("subdivision", SFInt32, 36, ignored=_TESSELLATION),
        ),
    ),
    Node(
        "Capsule",
        base="Geometry",
        fields=(
            Field("bottom", SFBool, True, to="GeometryCapsule.bottom"),
            Field("height", SFFloat, 2.0, POSITIVE, "m", to="GeometryCapsule.height"),
            Field("radius", SFFloat, 1.0, POSITIVE, "m", to="GeometryCapsule.radius"),
            Field("side", SFBool, True, to="GeometryCapsule.side"),
            Field("top", SFBool, True, to="GeometryCapsule.top"),
            Field("subdivision", SFInt32, 12, ignored=_TESSELLATION),
        ),
    ),
    Node(
        "Plane",
        base="Geometry",
        fields=(Field("size", SFVec2f, (1.0, 1.0), POSITIVE, "m", to="GeometryPlane.size"),),
    ),
    Node(
        "PBRAppearance",
        base="AnyAppearance",
        fields=(
            Field("baseColor", SFColor, (1.0, 1.0, 1.0), COLOR, to="Appearance.base_color"),
            Field("baseColorMap", SFNode, None, nodes=_TEXTURE, to="Appearance.texture"),
            Field("transparency", SFFloat, 0.0, UNIT_RANGE, to="Appearance.transparency"),
            Field("roughness", SFFloat, 0.0, UNIT_RANGE, to="Appearance.roughness"),
            Field("roughnessMap", SFNode, None, nodes=_TEXTURE, to="Appearance.roughness_map"),
            Field("metalness", SFFloat, 1.0, UNIT_RANGE, to="Appearance.metalness"),
            Field("metalnessMap", SFNode, None, nodes=_TEXTURE, to="Appearance.metalness_map"),
            Field("IBLStrength", SFFloat, 1.0, NOT_NEGATIVE, to="Appearance.sky_share"),
            Field("normalMap", SFNode, None, nodes=_TEXTURE, to="Appearance.normal_map"),
            Field("normalMapFactor", SFFloat, 1.0, NOT_NEGATIVE, to="Appearance.normal_factor"),
            Field("occlusionMap", SFNode, None, nodes=_TEXTURE, to="Appearance.occlusion_map"),
            Field(
                "occlusionMapStrength",
                SFFloat,
                1.0,
                NOT_NEGATIVE,
                to="Appearance.occlusion_strength",
            ),
            Field("emissiveColor", SFColor, (0.0, 0.0, 0.0), COLOR, to="Appearance.emissive"),
            Field("emissiveColorMap", SFNode, None, nodes=_TEXTURE, to="Appearance.emissive_map"),
            Field("emissiveIntensity", SFFloat, 1.0, NOT_NEGATIVE, to="Appearance.emissive"),
            Field(
                "textureTransform",
                SFNode,
                None,
                nodes=("TextureTransform",),
                to="Appearance.texture_transform",
            ),
            Field("name", SFString, "PBRAppearance", ignored="only Webots' importers use it"),
        ),
    ),
    Node(
        "Appearance",
        base="AnyAppearance",
        fields=(
            Field("material", SFNode, None, nodes=("Material",), to="Appearance.base_color"),
            Field("texture", SFNode, None, nodes=_TEXTURE, to="Appearance.texture"),
            Field(
                "textureTransform",
                SFNode,
                None,
                nodes=("TextureTransform",),
                to="Appearance.texture_transform",
            ),
            Field("name", SFString, "appearance", ignored="only Webots' importers use it"),
        ),
    ),
    Node(
        "Material",
        fields=(
            Field("ambientIntensity", SFFloat, 0.2, UNIT_RANGE, to="Appearance.ambient"),
            Field("diffuseColor", SFColor, (0.8, 0.8, 0.8), COLOR, to="Appearance.base_color"),
            Field("emissiveColor", SFColor, (0.0, 0.0, 0.0), COLOR, to="Appearance.emissive"),
            Field("shininess", SFFloat, 0.2, UNIT_RANGE, to="Appearance.shininess"),
            Field("specularColor", SFColor, (0.0, 0.0, 0.0), COLOR, to="Appearance.specular"),
            Field("transparency", SFFloat, 0.0, UNIT_RANGE, to="Appearance.transparency"),
        ),
    ),
    Node(
        "ImageTexture",
        fields=(
            Field("url", MFString, (), to="Texture.uri"),
            Field("repeatS", SFBool, True, to="Texture.repeat"),
            Field("repeatT", SFBool, True, to="Texture.repeat"),
            Field("filtering", SFInt32, 4, NOT_NEGATIVE, to="Texture.filtering"),
        ),
    ),
    Node(
        "TextureTransform",
        fields=(
            Field("center", SFVec2f, (0.0, 0.0), to="TextureTransform.center"),
            Field("rotation", SFFloat, 0.0, unit="rad", to="TextureTransform.rotation"),
            Field("scale", SFVec2f, (1.0, 1.0), to="TextureTransform.scale"),
            Field("translation", SFVec2f, (0.0, 0.0), to="TextureTransform.translation"),
        ),
    ),
)
