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
    groups,
    number_of,
)
from solidbody.formats.choreonoid.keys.table import Key, Table, ValueKind, ignored
from solidbody.formats.choreonoid.keys.yaml_text import degrees
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlNode
from solidbody.formats.geometry.extrusion import Extrusion
from solidbody.formats.geometry.face_meshes import CornerValues, FaceSet
from solidbody.formats.geometry.forms import DIVISIONS
from solidbody.model.appearance import Appearance, TextureTransform
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryLines,
    GeometrySphere,
)

LENGTH_UNITS: Final = {"meter": 1.0, "millimeter": 0.001, "inch": 0.0254}
UPPER_AXES: Final = ("Z", "Y")

# fmt: off
# one row, one line


class GroupKeys(NodeKeys):
    """Nodes that hold others."""

    types = ("Group",)
    by_hand = "it only holds others"


class TransformKeys(PlaceKeys):
    """A place for what is below."""

    types = ("Transform",)
    by_hand = "places are multiplied down the tree"

    scale_orientation = Key(
        ANY, None, old="scaleOrientation", ignored="without effect below a link, as in Choreonoid"
    )


class RigidBodyKeys(PlaceKeys, MassKeys):
    """A mass at a place."""

    types = ("RigidBody",)
    by_hand = "masses of a link are added up"


class PurposeKeys(PlaceKeys):
    """Shapes that are only drawn, or that only collide."""

    types = ("Visual", "Collision")
    by_hand = "it says what is below is for"

    shape = Key(MAPPING, None, "Link.shapes", "a Shape")
    resource = Key(MAPPING, None, "Link.shapes", "a Resource")


class ShapeKeys(PlaceKeys):
    """A form and its look."""

    types = ("Shape",)
    by_hand = "the form decides what its place becomes"

    geometry = Key(MAPPING, None, "Shape.geometry", "its form")
    appearance = Key(MAPPING, None, "Shape.appearance", "its look")


class ResourceFileKeys(Table):
    """A file of meshes, or nodes of another YAML file."""

    title = "Files of meshes"
    by_hand = "files are found, read once and adjusted to metres with z up"

    uri = Key(TEXT, "", "GeometryMesh.vertices", "address of the file")
    fragment = Key(TEXTS, (), "Link.shapes", "names of parts of it; all without", old="node")
    metadata = Key(ANY, None, "Shape.pose", "mapping, or words: unit and upper axis")


class ResourceKeys(PlaceKeys, ResourceFileKeys):
    """What a file holds, at a place."""

    types = ("Resource",)
    by_hand = "it takes in another file"


class MetadataKeys(Table):
    """`metadata` of a Resource."""

    title = "Metadata"
    by_hand = "the old form is a text of words"

    length_unit = Key(choice({name: name for name in LENGTH_UNITS}), "meter", "Shape.scale", "of the file")
    upper_axis = Key(choice({name: name for name in UPPER_AXES}), "Z", "Shape.pose", "of the file")


class LineSetKeys(PlaceKeys):
    """Lines that are drawn and collide with nothing."""

    types = ("LineSet",)
    makes = GeometryLines
    by_hand = "its look is a material alone"

    vertices = Key(TRIPLES, (), "points", "of all lines", unit="m")
    lines = Key(SEGMENTS, (), "segments", "pairs of points")
    line_width = Key(NUMBER, 1.0, old="lineWidth", ignored="lines are one pixel wide")
    material = Key(MAPPING, None, "Shape.appearance", "its diffuse colour counts")


# ---------------------------------------------------------------------------------------- geometries

_FINER: Final = "finer triangles of the same form: nothing that a form without triangles could have"


class GeometryKeys(Table):
    """What all geometries have."""

    title = "Geometry"
    by_hand = "a wrong size leaves the shape out"

    type = Key(TEXT, "", "Shape.geometry", "of the geometry")
    name = Key(ANY, None, ignored="shapes are named, not their forms")


class PrimitiveKeys(GeometryKeys):
    """What primitives have."""

    title = "Primitive"
    by_hand = "used only where the form must become triangles"

    division_number = Key(
        INTEGER, DIVISIONS, "GeometryMesh.triangles", "round a circle", old="divisionNumber"
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
    by_hand = "a grid that stands upright is a height field, others are triangles"

    x_dimension = Key(INTEGER, 0, "GeometryHeightField.x_count", "points along x", old="xDimension")
    z_dimension = Key(INTEGER, 0, "GeometryHeightField.y_count", "points along z", old="zDimension")
    x_spacing = Key(NUMBER, 1.0, "GeometryHeightField.x_spacing", "> 0", old="xSpacing", unit="m")
    z_spacing = Key(NUMBER, 1.0, "GeometryHeightField.y_spacing", "> 0", old="zSpacing", unit="m")
    height = Key(groups("numbers", 1), (), "GeometryHeightField.heights", "along y", unit="m")
    ccw = Key(FLAG, True, "GeometryMesh.triangles", "false: seen from below")
    tex_coord = Key(PAIRS, (), "GeometryMesh.texture_coordinates", "of points", old="texCoord")


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
    by_hand = "it takes in another file"

    crease_angle = Key(ANGLE, None, "GeometryMesh.normals", "smooth below it", old="creaseAngle")
    remove_redundant_vertices = Key(FLAG, False, ignored="meshes have none to start with")


# -------------------------------------------------------------------------------------------- looks


class AppearanceKeys(Table):
    """The look of a shape."""

    title = "Appearance"
    by_hand = "a texture without material has a look of its own"

    material = Key(MAPPING, None, "Shape.appearance", "its colours")
    texture = Key(MAPPING, None, "Appearance.texture", "its image")
    texture_transform = Key(
        MAPPING, None, "Appearance.texture_transform", "of the image", old="textureTransform"
    )


def _cut_share_of(keys: Keys, name: str, value: YamlNode) -> float | None:
    number = number_of(keys, name, value)
    if number is None:
        return None
    if not 0.0 <= number <= 1.0:
        text = f"expected a number from 0 (opaque) to 1 (invisible), got {number:g}."
        keys.warning("wrong-value", name, text)
    return min(max(number, 0.0), 1.0)


_TRANSPARENCY: Final = ValueKind[float](
    "number", _cut_share_of, lambda value: value, allowed="between 0 and 1"
)


class MaterialKeys(Table):
    """Colours of a shape."""

    title = "Material"
    makes = Appearance
    by_hand = (
        "highlights are said in two ways, and the model's materials without them are of another law"
    )

    diffuse = Key(COLOR, (1.0, 1.0, 1.0), "base_color", "of its own", old="diffuseColor", always=True)
    emissive = Key(COLOR, (0.0, 0.0, 0.0), "emissive", "of its own light", old="emissiveColor")
    ambient = Key(NUMBER, 1.0, "ambient", "share of light from everywhere", old="ambientIntensity")
    specular = Key(COLOR, (0.0, 0.0, 0.0), "specular", "of highlights", old="specularColor")
    specular_exponent = Key(NUMBER, None, "Appearance.shininess", "of highlights; 25", old="specularExponent")
    shininess = Key(NUMBER, None, "Appearance.shininess", "the same in 0 to 1")
    transparency = Key(_TRANSPARENCY, 0.0, "transparency", "1 is invisible")


class TextureKeys(Table):
    """The image of a shape."""

    title = "Texture"
    by_hand = "images are found, and may be refused"

    uri = Key(TEXT, "", "Texture.uri", "address of the image", old="url")
    repeat_s = Key(FLAG, True, "Texture.repeat", "along s", old="repeatS")
    repeat_t = Key(FLAG, True, "Texture.repeat", "along t", old="repeatT")
    repeat = Key(as_written("flag or 2 flags"), None, "Texture.repeat", "both; counts first")


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
