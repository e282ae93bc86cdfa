"""Keys of nodes below a link that are drawn, collide or have mass: groups, shapes, geometries, looks."""

from __future__ import annotations

from typing import ClassVar, Final

from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import MassKeys, NodeKeys, PlaceKeys
from solidbody.formats.choreonoid.keys.kinds import (
    ANGLE,
    ANY,
    COLOR,
    FLAG,
    INDICES,
    INTEGER,
    MAPPING,
    NUMBER,
    OPPOSITE,
    PAIR,
    PAIRS,
    SEGMENTS,
    TEXT,
    TEXTS,
    TRIPLES,
    TURNS,
    VEC3,
    angle_of,
    as_written,
    choice,
    groups_of,
    integer_of,
    number_of,
)
from solidbody.formats.choreonoid.keys.settings import MeshUnits
from solidbody.formats.choreonoid.keys.table import Key, Table, ValueKind, ignored
from solidbody.formats.choreonoid.keys.yaml_text import degrees
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlNode
from solidbody.formats.geometry.extrusion import Extrusion
from solidbody.formats.geometry.face_meshes import CornerValues, FaceSet
from solidbody.formats.geometry.forms import DIVISIONS, MAX_DIVISIONS, MIN_DIVISIONS
from solidbody.formats.geometry.grids import Grid
from solidbody.formats.geometry.trees import TreePart
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryLines,
    GeometrySphere,
)


def _divisions_of(keys: Keys, name: str, value: YamlNode) -> int | None:
    count = integer_of(keys, name, value)
    if count is None or count <= 0:  # Choreonoid takes its default then
        return None
    return min(max(count, MIN_DIVISIONS), MAX_DIVISIONS)


_DIVISIONS: Final = ValueKind[int]("integer", _divisions_of, lambda count: count)


def _heights_of(keys: Keys, name: str, value: YamlNode) -> tuple[float, ...] | None:
    found = groups_of(keys, name, value, 1)
    return None if found is None else tuple(height for (height,) in found)


_HEIGHTS: Final = ValueKind[tuple[float, ...]]("numbers", _heights_of, list)

LENGTH_UNITS: Final = {"meter": 1.0, "millimeter": 0.001, "inch": 0.0254}
UPPER_AXES: Final = ("Z", "Y")

# fmt: off
# one row, one line


class GroupKeys(NodeKeys):
    """Nodes that hold others."""

    types = ("Group",)


class TransformKeys(PlaceKeys):
    """A place for what is below."""

    types = ("Transform",)

    scale_orientation = Key(
        ANY, None, old="scaleOrientation", ignored="without effect below a link, as in Choreonoid"
    )


class RigidBodyKeys(PlaceKeys, MassKeys):
    """A mass at a place."""

    types = ("RigidBody",)


class PurposeKeys(PlaceKeys):
    """Shapes that are only drawn, or that only collide."""

    types = ("Visual", "Collision")

    shape = Key(MAPPING, None, "Link.shapes", "a Shape", by="tree")
    resource = Key(MAPPING, None, "Link.shapes", "a Resource", by="tree")


class ShapeKeys(PlaceKeys):
    """A form and its look."""

    types = ("Shape",)

    geometry = Key(MAPPING, None, "Shape.geometry", "its form", by="tree")
    appearance = Key(MAPPING, None, "Shape.appearance", "its look", by="tree")


class ResourceFileKeys(Table):
    """A file of meshes, or nodes of another YAML file."""

    title = "Files of meshes"

    uri = Key(TEXT, "", "GeometryMesh.vertices", "address of the file", by="file")
    fragment = Key(TEXTS, (), "Link.shapes", "names of parts of it; all without", old="node", by="file")
    metadata = Key(ANY, None, "Shape.pose", "mapping, or words: unit and upper axis", by="tree")


class ResourceKeys(PlaceKeys, ResourceFileKeys):
    """What a file holds, at a place."""

    types = ("Resource",)


class MetadataKeys(Table):
    """`metadata` of a Resource."""

    title = "Metadata"
    makes = MeshUnits

    length_unit = Key(choice({name: name for name in LENGTH_UNITS}), "meter", "length_unit", "of the file")
    upper_axis = Key(choice({name: name for name in UPPER_AXES}), "Z", "upper_axis", "of the file")


class LineSetKeys(PlaceKeys):
    """Lines that are drawn and collide with nothing."""

    types = ("LineSet",)
    makes = GeometryLines

    vertices = Key(TRIPLES, (), "points", "of all lines", unit="m")
    lines = Key(SEGMENTS, (), "segments", "pairs of points")
    line_width = Key(NUMBER, 1.0, old="lineWidth", ignored="lines are one pixel wide")
    material = Key(MAPPING, None, "Shape.appearance", "its diffuse colour counts", by="tree")


# ---------------------------------------------------------------------------------------- geometries

_FINER: Final = "finer triangles of the same form: nothing that a form without triangles could have"


class GeometryKeys(Table):
    """What all geometries have."""

    title = "Geometry"

    type = Key(TEXT, "", "Shape.geometry", "of the geometry", by="type")
    name = Key(ANY, None, ignored="shapes are named, not their forms")


class PrimitiveKeys(GeometryKeys):
    """What primitives have."""

    title = "Primitive"
    makes = TreePart
    is_apart = True

    division_number = Key(
        _DIVISIONS, DIVISIONS, "divisions", "round a circle, where it must become triangles",
        old="divisionNumber"
    )
    passed_over = ignored(
        _FINER, "extra_division_number extraDivisionNumber", "extra_division_mode extraDivisionMode"
    )


class BoxKeys(PrimitiveKeys):
    """A box about its centre."""

    types = ("Box",)
    makes = GeometryBox

    size = Key(VEC3, (1.0, 1.0, 1.0), "size", "of its sides", unit="m", always=True)


class SphereKeys(PrimitiveKeys):
    """A ball."""

    types = ("Sphere",)
    makes = GeometrySphere

    radius = Key(NUMBER, 1.0, "radius", "> 0", unit="m", always=True)


class CapsuleKeys(SphereKeys):
    """Stands along y; those of the model stand along z."""

    types = ("Capsule",)
    makes = GeometryCapsule

    height = Key(NUMBER, 1.0, "height", "along y, without the ends", unit="m", always=True)


class CylinderKeys(CapsuleKeys):
    """Stands along y."""

    types = ("Cylinder",)
    makes = GeometryCylinder

    top = Key(FLAG, True, "top", "drawn")
    bottom = Key(FLAG, True, "bottom", "drawn")


class ConeKeys(CapsuleKeys):
    """Stands along y."""

    types = ("Cone",)
    makes = GeometryCone

    bottom = CylinderKeys.bottom


PRIMITIVES: Final[dict[str, type[PrimitiveKeys]]] = {
    name: table
    for table in (BoxKeys, CapsuleKeys, ConeKeys, CylinderKeys, SphereKeys)
    for name in table.types
}
"""Forms without triangles: the generic pass reads and writes them."""


class SurfaceKeys(GeometryKeys):
    """What geometries of triangles have."""

    title = "Geometry of triangles"
    makes = FaceSet

    crease_angle = Key(ANGLE, 0.0, "crease_angle", "smooth below it", old="creaseAngle")
    solid = Key(OPPOSITE, True, "two_sided", "seen from outside only")


_BOX: Final = Extrusion()


class ExtrusionKeys(SurfaceKeys):
    """A section swept along a line; by itself the box of VRML97."""

    types = ("Extrusion",)
    makes = Extrusion

    cross_section = Key(
        PAIRS, _BOX.cross_section, "cross_section", "x, z", old="crossSection", unit="m"
    )
    spine = Key(TRIPLES, _BOX.spine, "spine", "points", unit="m")
    orientation = Key(TURNS, _BOX.orientations, "orientations", "one for all or for each point")
    scale = Key(PAIRS, _BOX.scales, "scales", "x, z; one for all or for each point")
    begin_cap = Key(FLAG, True, "begin_cap", "closed", name="beginCap")
    unread_begin_cap = Key(ANY, None, name="begin_cap", ignored="Choreonoid reads beginCap only")
    end_cap = Key(FLAG, True, "end_cap", "closed at the end", old="endCap")


class GridKeys(SurfaceKeys):
    """Heights on a grid."""

    types = ("ElevationGrid",)
    makes = Grid

    x_dimension = Key(INTEGER, 0, "x_count", "points along x", old="xDimension")
    z_dimension = Key(INTEGER, 0, "z_count", "points along z", old="zDimension")
    x_spacing = Key(NUMBER, 1.0, "x_spacing", "> 0", old="xSpacing", unit="m")
    z_spacing = Key(NUMBER, 1.0, "z_spacing", "> 0", old="zSpacing", unit="m")
    height = Key(_HEIGHTS, (), "heights", "along y", unit="m")
    ccw = Key(FLAG, True, "ccw", "false: seen from below")
    tex_coord = Key(PAIRS, (), "texture", "of points", old="texCoord")


class MeshKeys(SurfaceKeys):
    """Faces by numbers of points; those of an IndexedFaceSet end with -1, a TriangleMesh has threes."""

    types = ("IndexedFaceSet", "TriangleMesh")
    parts: ClassVar = {"normals": CornerValues, "texture": CornerValues}

    vertices = Key(TRIPLES, (), "points", "of all faces", old="coordinate", unit="m")
    normal_indices = Key(INDICES, (), "normals.indices", "by corner", old="normalIndices normalIndex")
    tex_coord_indices = Key(
        INDICES, (), "texture.indices", "by corner", old="texCoordIndices texCoordIndex"
    )
    normals = Key(TRIPLES, (), "normals.values", "directions", old="normal")
    tex_coords = Key(PAIRS, (), "texture.values", "in the image", old="texCoords tex_coord texCoord")


class FaceSetKeys(MeshKeys):
    """Faces with any number of corners."""

    types = ("IndexedFaceSet",)

    faces = Key(INDICES, (), "faces", "each ends with -1", old="coordIndex")


class TriangleMeshKeys(MeshKeys):
    """Triangles: numbers of points and of values are threes."""

    types = ("TriangleMesh",)

    faces = Key(INDICES, (), "faces", "threes", old="triangles")


class ResourceGeometryKeys(GeometryKeys, ResourceFileKeys):
    """The only mesh of a file."""

    title = "Geometry of type Resource"

    crease_angle = Key(
        ANGLE, None, "GeometryMesh.normals", "smooth below it", old="creaseAngle", by="file"
    )
    remove_redundant_vertices = Key(FLAG, False, ignored="meshes have none to start with")


# -------------------------------------------------------------------------------------------- looks


class AppearanceKeys(Table):
    """The look of a shape."""

    title = "Appearance"

    material = Key(MAPPING, None, "Shape.appearance", "its colours", by="tree")
    texture = Key(MAPPING, None, "Appearance.texture", "its image", by="tree")
    texture_transform = Key(
        MAPPING, None, "Appearance.texture_transform", "of the image", old="textureTransform",
        by="tree"
    )


def _cut_share_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    number = number_of(keys, name, value)
    if number is None:
        return None
    if not 0.0 <= number <= 1.0:
        text = f"expected a number from 0 (opaque) to 1 (invisible), got {number:g}."
        keys.warning("wrong-value", name, text)
    return min(max(number, 0.0), 1.0)


LARGEST_EXPONENT: Final = 128.0
"""The model's shininess is the exponent of highlights over this."""


def shininess_of(exponent: float) -> float:
    """Return the shininess of an exponent of highlights."""
    return min(max(exponent / LARGEST_EXPONENT, 0.0), 1.0)


def _exponent_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    exponent = number_of(keys, name, value)
    return None if exponent is None else shininess_of(exponent)


_EXPONENT: Final = ValueKind[float]("number", _exponent_of, lambda share: LARGEST_EXPONENT * share)
_TRANSPARENCY: Final = ValueKind[float](
    "number", _cut_share_of, lambda value: value, allowed="between 0 and 1"
)


class MaterialKeys(Table):
    """Colours of a shape."""

    title = "Material"
    makes = Appearance

    diffuse = Key(COLOR, (1.0, 1.0, 1.0), "base_color", "of its own", old="diffuseColor", always=True)
    emissive = Key(COLOR, (0.0, 0.0, 0.0), "emissive", "of its own light", old="emissiveColor")
    ambient = Key(NUMBER, 1.0, "ambient", "share of light from everywhere", old="ambientIntensity")
    specular = Key(COLOR, (0.0, 0.0, 0.0), "specular", "of highlights", old="specularColor")
    specular_exponent = Key(_EXPONENT, None, "shininess", "of highlights; 25", old="specularExponent")
    shininess = Key(NUMBER, None, "Appearance.shininess", "the same in 0 to 1", by="sum")
    transparency = Key(_TRANSPARENCY, 0.0, "transparency", "1 is invisible")


class TextureKeys(Table):
    """The image of a shape."""

    title = "Texture"
    makes = Texture

    uri = Key(TEXT, "", "Texture.uri", "address of the image", old="url", by="file")
    repeat_s = Key(FLAG, True, "repeat.0", "along s", old="repeatS")
    repeat_t = Key(FLAG, True, "repeat.1", "along t", old="repeatT")
    repeat = Key(as_written("flag or 2 flags"), None, "Texture.repeat", "both; counts first", by="sum")


def _turn_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    if not isinstance(value, YamlList):
        return angle_of(keys, name, value)
    text = "expected one angle, got a list; it is not read, as in Choreonoid."
    return keys.warning("wrong-value", name, text)


class TextureTransformKeys(Table):
    """How the image lies on the shape."""

    title = "Texture transform"
    makes = TextureTransform

    center = Key(PAIR, (0.0, 0.0), "center", "of turn and scale", always=True)
    scale = Key(PAIR, (1.0, 1.0), "scale", "of coordinates", always=True)
    translation = Key(PAIR, (0.0, 0.0), "translation", "of coordinates", always=True)
    rotation = Key(ValueKind[float]("number", _turn_of, degrees, unit="degree"), 0.0, "rotation", "turn")
