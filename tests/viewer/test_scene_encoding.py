"""The page gets everything it draws, each form and surface once, in plain JSON."""

from __future__ import annotations

import base64
import json
import math

import numpy as np

from solidbody.base.transforms import Pose
from solidbody.model.appearance import Appearance
from solidbody.model.environment import (
    Background,
    Fog,
    LightDirectional,
    LightPoint,
    LightSpot,
    Viewpoint,
)
from solidbody.model.geometry import (
    Geometry,
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
from solidbody.model.joints import JointFixed
from solidbody.model.links import Body, Link
from solidbody.model.mass import MassProperties
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole
from solidbody.viewer.protocol_scene import WireMesh, WireScene
from solidbody.viewer.scene_encoding import encode_scene, to_json

TRIANGLE = GeometryMesh(((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 1, 2),))
GEOMETRIES: list[Geometry] = [
    GeometryBox((1, 2, 3)), GeometrySphere(0.5), GeometryCylinder(0.1, 1.0, top=False),
    GeometryCapsule(0.1, 0.5), GeometryCone(0.2, 0.4), GeometryPlane((4, 5)), TRIANGLE,
    GeometryHeightField(2, 3, 0.5, 0.5, (0, 1, 2, 3, 4, 5)),
    GeometryLines(((0, 0, 0), (1, 1, 1)), ((0, 1),)), GeometryPoints(((0, 0, 0),), ((1, 0, 0),)),
]  # fmt: skip


def encode(*shapes: Shape, **scene: object) -> WireScene:
    """Return the wire form of one link with these shapes."""
    link = Link("a", "a", mass=MassProperties(1.0), joint=JointFixed(), shapes=shapes)
    full = Scene("s", "s.wbt", bodies=(Body("a", (link,)),), **scene)  # pyright: ignore[reportArgumentType]
    poses = np.array([[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]])
    return encode_scene(full, poses, [0], time_step=0.008)


def test_every_geometry_has_a_form_on_the_wire() -> None:
    """One of each kind, in order."""
    scene = encode(*(Shape(geometry) for geometry in GEOMETRIES))
    kinds = [geometry.kind for geometry in scene.geometries]
    expected = ["box", "sphere", "cylinder", "capsule", "cone", "plane", "mesh", "mesh", "lines"]
    assert kinds == [*expected, "points"]


def test_equal_forms_and_surfaces_are_listed_once() -> None:
    """Many equal shapes cost one geometry and one material."""
    red = Appearance(base_color=(1, 0, 0))
    scene = encode(*(Shape(GeometryBox((1, 1, 1)), appearance=red) for _ in range(50)))
    assert (len(scene.shapes), len(scene.geometries), len(scene.materials)) == (50, 1, 1)


def test_numbers_of_meshes_travel_as_bytes() -> None:
    """Vertices and indices are the little-endian arrays that the page lays over the bytes."""
    (mesh,) = encode(Shape(TRIANGLE)).geometries
    assert isinstance(mesh, WireMesh)
    vertices = np.frombuffer(base64.b64decode(mesh.vertices), "<f4").reshape(-1, 3)
    np.testing.assert_array_equal(vertices, TRIANGLE.vertices)
    assert np.frombuffer(base64.b64decode(mesh.triangles), "<u4").tolist() == [0, 1, 2]


def test_a_height_field_is_a_surface_that_faces_up() -> None:
    """All triangles of a flat field turn counter-clockwise seen from above."""
    (mesh,) = encode(Shape(GeometryHeightField(3, 4, 1.0, 1.0, (0.0,) * 12))).geometries
    assert isinstance(mesh, WireMesh)
    vertices = np.frombuffer(base64.b64decode(mesh.vertices), "<f4").reshape(-1, 3)
    corners = vertices[np.frombuffer(base64.b64decode(mesh.triangles), "<u4").reshape(-1, 3)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert len(corners) == 2 * 2 * 3
    assert (normals[:, 2] > 0).all()


def test_shapes_that_only_collide_are_marked() -> None:
    """The page leaves them out until the user asks for them."""
    box = GeometryBox((1, 1, 1))
    scene = encode(Shape(box, role=ShapeRole.COLLISION), Shape(box, role=ShapeRole.BOTH))
    assert [shape.collision_only for shape in scene.shapes] == [True, False]


def test_links_stand_where_the_simulation_has_them() -> None:
    """Poses come from the simulation, not from the file."""
    (link,) = encode().links
    assert (link.position, link.rotation, link.moving) == ((1, 2, 3), (1, 0, 0, 0), True)


def test_classic_materials_get_a_roughness_from_their_shininess() -> None:
    """The shinier, the smoother."""
    dull, shiny = (
        encode(
            Shape(GeometryBox((1, 1, 1)), appearance=Appearance(specular=(1, 1, 1), shininess=s))
        )
        for s in (0.0, 1.0)
    )
    assert dull.materials[0].roughness == 1.0
    assert shiny.materials[0].roughness < 0.4


def test_surfaces_without_light_glow_in_their_colour() -> None:
    """As cameras see them: in any light, also in none."""
    look = Appearance(base_color=(0.2, 0.4, 0.6), is_lit=False)
    (material,) = encode(Shape(GeometryBox((1, 1, 1)), appearance=look)).materials
    assert (material.color, material.emissive) == ((0, 0, 0), (0.2, 0.4, 0.6))


def test_surroundings_are_passed_on() -> None:
    """Lights (those that are off too: programs switch them), sky, fog, viewpoint; links become indices."""
    scene = encode(
        lights=(
            LightDirectional((0, 0, -1)),
            LightPoint((0, 0, 1), link="a"),
            LightSpot((0, 0, 1), (0, 0, -1), link="gone"),
            LightDirectional((1, 0, 0), is_on=False),
        ),
        background=Background((0.1, 0.2, 0.3)),
        fog=Fog(kind="EXPONENTIAL", visibility_range=20.0),
        viewpoint=Viewpoint(Pose((1, 1, 1)), follow="a"),
    )
    kinds = ["directional", "point", "spot", "directional"]
    assert [light.kind for light in scene.lights] == kinds
    assert [light.is_on for light in scene.lights] == [True, True, True, False]
    assert [light.link for light in scene.lights] == [None, 0, None, None]
    assert scene.background is not None and scene.background.color == (0.1, 0.2, 0.3)
    assert scene.fog is not None and scene.fog.kind == "exponential"
    assert (scene.viewpoint.position, scene.viewpoint.follow) == ((1, 1, 1), 0)


def test_json_has_no_infinities() -> None:
    """Browsers refuse them; an endless light becomes a very far one."""
    text = to_json(encode(lights=(LightPoint((0, 0, 0), radius=math.inf),)))
    json.loads(text, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))


def test_the_revision_tells_scenes_apart() -> None:
    """Equal scenes have equal revisions, others do not."""
    box, ball = Shape(GeometryBox((1, 1, 1))), Shape(GeometrySphere(1.0))
    assert encode(box).revision == encode(box).revision
    assert encode(box).revision != encode(ball).revision
