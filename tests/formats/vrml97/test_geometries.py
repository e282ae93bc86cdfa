"""Geometry and appearance nodes of VRML97."""

from __future__ import annotations

import math

import pytest

from solidbody.formats.geometry.placing import placed
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCone,
    GeometryCylinder,
    GeometryLines,
    GeometryMesh,
    GeometryPoints,
    GeometrySphere,
)
from tests.formats.geometry.measures import area, normals_agree, volume
from tests.formats.vrml97.files import only_part, parts_of, read, read_clean

SQUARE = "coord Coordinate { point [0 0 0, 1 0 0, 1 1 0, 0 1 0] }"
ROUNDING = 1e-12


def mesh_of(text: str) -> GeometryMesh:
    mesh = only_part(text).geometry
    assert isinstance(mesh, GeometryMesh)
    return mesh


@pytest.mark.parametrize(
    ("text", "geometry"),
    [
        ("Box { }", GeometryBox((2.0, 2.0, 2.0))),
        ("Box { size 1 2 3 }", GeometryBox((1.0, 2.0, 3.0))),
        ("Sphere { }", GeometrySphere(1.0)),
        ("Sphere { radius 0.5 }", GeometrySphere(0.5)),
        ("Cylinder { }", GeometryCylinder(1.0, 2.0)),
        ("Cylinder { top FALSE side FALSE }", GeometryCylinder(1.0, 2.0, top=False, side=False)),
        ("Cone { bottomRadius 2 height 3 bottom FALSE }", GeometryCone(2.0, 3.0, bottom=False)),
    ],
)
def test_primitives_stay_primitives(text: str, geometry: object) -> None:
    """With the defaults of VRML97."""
    assert only_part(f"Shape {{ geometry {text} }}").geometry == geometry


@pytest.mark.parametrize(
    ("text", "geometry"),
    [
        ("Box { size 1 0 0 }", GeometryBox((1.0, 1e-6, 1e-6))),
        ("Cylinder { height 0 }", GeometryCylinder(1.0, 1e-6)),
        ("Cone { height 0 }", GeometryCone(1.0, 1e-6)),
    ],
)
def test_forms_without_thickness_are_thin(text: str, geometry: object) -> None:
    """Marks on floors are drawn so; a simulator needs some thickness."""
    tree, log = read(f"Shape {{ geometry {text} }}")
    (part,) = parts_of(tree)
    assert part.geometry == geometry
    assert [item.text for item in log] == ["a form without thickness is taken to be 1e-06 m thin."]


@pytest.mark.parametrize("text", ["Cylinder { }", "Cone { }"])
def test_cylinders_and_cones_stand_along_y(text: str) -> None:
    """The model's z axis is turned to +y; a cone's apex is up."""
    part = only_part(f"Shape {{ geometry {text} }}")
    found = placed(part.geometry, part.place)
    assert found is not None
    assert found[1].direction((0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0), abs=ROUNDING)


def test_face_sets_are_one_sided_unless_they_say_otherwise() -> None:
    """`solid` is TRUE by default."""
    faces = f"IndexedFaceSet {{ {SQUARE} coordIndex [0 1 2 3 -1] }}"
    assert not mesh_of(f"Shape {{ geometry {faces} }}").two_sided
    faces = faces.replace("coordIndex", "solid FALSE coordIndex")
    assert mesh_of(f"Shape {{ geometry {faces} }}").two_sided


def test_clockwise_faces_are_turned_over() -> None:
    """`ccw` FALSE: the square is seen from -z."""
    mesh = mesh_of(
        f"Shape {{ geometry IndexedFaceSet {{ {SQUARE} ccw FALSE coordIndex [0 1 2 3] }} }}"
    )
    assert set(mesh.normals) == {(0.0, 0.0, -1.0)}
    assert area(mesh) == pytest.approx(1.0)


def test_colours_per_face_make_parts() -> None:
    """Each keeps the rest of the appearance."""
    tree = read_clean(
        "Shape { appearance Appearance { material Material { transparency 0.5 } } geometry "
        f"IndexedFaceSet {{ {SQUARE} coordIndex [0 1 2 -1 0 2 3 -1] colorPerVertex FALSE "
        "color Color { color [1 0 0, 0 1 0] } } }"
    )
    looks = [part.appearance for part in parts_of(tree)]
    assert [look and look.base_color for look in looks] == [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]
    assert all(look is not None and look.transparency == 0.5 for look in looks)


def test_extrusions_are_swept() -> None:
    """The default cross section along 3 m."""
    mesh = mesh_of("Shape { geometry Extrusion { spine [0 0 0, 0 3 0] } }")
    assert volume(mesh) == pytest.approx(12.0)
    assert normals_agree(mesh)


def test_a_bad_extrusion_is_named_and_left_out() -> None:
    """Two scales for three points."""
    tree, log = read(
        "Shape { geometry Extrusion { spine [0 0 0, 0 1 0, 0 2 0] scale [1 1, 2 2] } }"
    )
    assert parts_of(tree) == []
    (item,) = log
    assert (item.code, item.field) == ("bad-geometry", "scale")
    assert item.text == (
        "expected 1 entry or one for each of the 3 spine points, got 2; it is left out."
    )


def test_elevation_grids_rise_along_y() -> None:
    """A slope of 1 in x."""
    mesh = mesh_of(
        "Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [0 1 0 1] } }"
    )
    assert mesh.vertices[1] == (1.0, 1.0, 0.0)
    assert area(mesh) == pytest.approx(math.sqrt(2.0))


def test_a_grid_without_enough_heights_is_left_out() -> None:
    """With the numbers in the message."""
    tree, log = read("Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [0] } }")
    assert parts_of(tree) == []
    assert [item.text for item in log] == ["a grid of 2 x 2 points with 1 heights is left out."]


def test_lines_and_points_are_taken_over() -> None:
    """Lines in runs, points with colours."""
    lines = only_part(
        f"Shape {{ geometry IndexedLineSet {{ {SQUARE} coordIndex [0 1 2 -1 3 0] }} }}"
    )
    assert isinstance(lines.geometry, GeometryLines)
    assert lines.geometry.segments == ((0, 1), (1, 2), (3, 0))
    points = only_part(f"Shape {{ geometry PointSet {{ {SQUARE} }} }}")
    assert isinstance(points.geometry, GeometryPoints)
    assert len(points.geometry.points) == 4


def test_materials_have_the_defaults_of_vrml97() -> None:
    """Grey, with a little ambient light."""
    part = only_part("Shape { appearance Appearance { material Material { } } geometry Box { } }")
    assert part.appearance == Appearance(
        base_color=(0.8, 0.8, 0.8), specular=(0.0, 0.0, 0.0), shininess=0.2, ambient=0.2
    )


def test_textures_have_an_address_and_their_transform() -> None:
    """The address is what the file finder makes of it."""
    part = only_part(
        'Shape { appearance Appearance { texture ImageTexture { url "a.png" repeatS FALSE } '
        "textureTransform TextureTransform { scale 2 3 } } geometry Box { } }"
    )
    assert part.appearance == Appearance(
        texture=Texture("part.wrl/a.png", (False, True)),
        texture_transform=TextureTransform(scale=(2.0, 3.0)),
    )


def test_textured_face_sets_get_coordinates() -> None:
    """Along the longest sides of their box, if they have none."""
    mesh = mesh_of(
        'Shape { appearance Appearance { texture ImageTexture { url "a.png" } } '
        f"geometry IndexedFaceSet {{ {SQUARE} coordIndex [0 1 2 3] }} }}"
    )
    assert len(mesh.texture_coordinates) == 6
    assert set(mesh.texture_coordinates) == {(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)}


def test_text_is_left_out_with_a_note() -> None:
    """Once, however often it occurs."""
    tree, log = read('Shape { geometry Text { string "a" } } Shape { geometry Text { } }')
    assert parts_of(tree) == []
    assert [item.text for item in log] == ['geometries of the type "Text" are not drawn.']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Box { size 1 2 }", "expected 3 number(s), got 2; the default is used."),
        ("Sphere { radius -1 }", "expected a number above 0, got -1."),
        ('Sphere { radius "a" }', "expected numbers; the default is used."),
        ("Cone { bottom 1 }", "expected TRUE or FALSE; the default is used."),
        ("Box { size 1 1 1e40 }", "a number is too large to be used; the default is used."),
        (
            "Sphere { raduis 1 }",
            'Sphere has no field "raduis"; it is ignored. Did you mean "radius"?',
        ),
    ],
)
def test_wrong_values_are_reported_and_replaced(text: str, message: str) -> None:
    """The form is there all the same."""
    tree, log = read(f"Shape {{ geometry {text} }}")
    assert [item.text for item in log] == [message]
    assert len(parts_of(tree)) == 1
    assert log.items[0].span.line == 2
