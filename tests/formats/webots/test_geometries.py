"""Geometries made of points and triangles, and what polygons become."""

from __future__ import annotations

import math

import pytest

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.transforms import Vec3, cross, dot, norm, subtract
from solidbody.formats.geometry.polygons import triangulated
from solidbody.model.geometry import (
    Geometry,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometryPoints,
)
from tests.formats.reading import assert_warning, codes, read, read_clean

SQUARE = "coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0 ] }"


def drawn(geometry: str) -> Geometry:
    """Return the geometry of a Shape without faults."""
    scene = read_clean(f"Shape {{ geometry {geometry} }}")
    return scene.bodies[0].links[0].shapes[0].geometry


def mesh(fields: str) -> GeometryMesh:
    """Return the mesh of an IndexedFaceSet without faults."""
    found = drawn(f"IndexedFaceSet {{ {fields} }}")
    assert isinstance(found, GeometryMesh)
    return found


def left_out(geometry: str) -> DiagnosticLog:
    """Return what was said about a geometry that gives nothing to draw."""
    scene, log = read(f"Shape {{ geometry {geometry} }}")
    assert scene.bodies == ()
    return log


def area(points: list[Vec3], triangles: list[tuple[int, int, int]]) -> float:
    """Return the signed area of triangles in the xy plane."""
    total = 0.0
    for a, b, c in triangles:
        total += cross(subtract(points[b], points[a]), subtract(points[c], points[a]))[2] / 2
    return total


# IndexedFaceSet


def test_square_becomes_two_triangles_of_the_same_sense() -> None:
    found = mesh(f"{SQUARE} coordIndex [ 0 1 2 3 -1 ]")
    assert found.triangles == ((0, 1, 2), (0, 2, 3))
    assert found.normals == ((0.0, 0.0, 1.0),) * 6


def test_last_polygon_needs_no_minus_1() -> None:
    assert len(mesh(f"{SQUARE} coordIndex [ 0 1 2 -1 0 2 3 ]").triangles) == 2


def test_clockwise_faces_are_turned_over() -> None:
    found = mesh(f"{SQUARE} ccw FALSE coordIndex [ 0 1 2 3 -1 ]")
    assert found.triangles == ((2, 1, 0), (3, 2, 0))
    assert found.normals[0] == (0.0, 0.0, -1.0)


def test_face_set_that_is_not_solid_is_drawn_on_both_sides() -> None:
    assert mesh(f"{SQUARE} solid FALSE coordIndex [ 0 1 2 3 ]").two_sided
    assert not mesh(f"{SQUARE} coordIndex [ 0 1 2 3 ]").two_sided


@pytest.mark.parametrize(
    ("points", "size"),
    [
        ([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], 10.0),  # an arrow head
        ([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)], 7.0),  # a U
        ([(0, 0), (1, 0), (2, 0), (2, 2), (0, 2)], 4.0),  # with a corner on an edge
    ],
)
def test_concave_polygon_is_filled_exactly(points: list[tuple[float, float]], size: float) -> None:
    corners: list[Vec3] = [(float(x), float(y), 0.0) for x, y in points]
    triangles = triangulated(corners)
    assert len(triangles) == len(points) - 2
    assert area(corners, triangles) == pytest.approx(size)
    assert all(area(corners, [triangle]) >= 0.0 for triangle in triangles)
    backwards = corners[::-1]
    assert area(backwards, triangulated(backwards)) == pytest.approx(-size)


def test_concave_polygon_in_a_slanted_plane() -> None:
    corners: list[Vec3] = [(x, y, x + y) for x, y in ((0, 0), (4, 0), (4, 4), (2, 1), (0, 4))]
    total = 0.0
    for a, b, c in triangulated(corners):
        sides = subtract(corners[b], corners[a]), subtract(corners[c], corners[a])
        total += norm(cross(*sides)) / 2
    assert total == pytest.approx(10.0 * math.sqrt(3.0))  # the plane z = x + y stretches areas


def test_polygon_that_crosses_itself_does_not_hang() -> None:
    star: list[Vec3] = [
        (math.cos(4 * math.pi * i / 5), math.sin(4 * math.pi * i / 5), 0.0) for i in range(5)
    ]
    assert len(triangulated(star)) == 3


def test_crease_angle_smooths_edges_below_it() -> None:
    roof = "coord Coordinate { point [ -1 0 0, 0 0 0.1, 0 1 0.1, -1 1 0, 1 0 0, 1 1 0 ] }"
    faces = "coordIndex [ 0 1 2 3 -1 1 4 5 2 -1 ]"
    flat, smooth = mesh(f"{roof} {faces}"), mesh(f"{roof} {faces} creaseAngle 1")
    ridge = [i for i, corner in enumerate(c for t in flat.triangles for c in t) if corner == 1]
    assert len({flat.normals[i] for i in ridge}) == 2
    assert len({tuple(round(x, 12) for x in smooth.normals[i]) for i in ridge}) == 1
    assert smooth.normals[ridge[0]][0] == pytest.approx(0.0, abs=0.05)


def test_normals_and_texture_coordinates_per_corner() -> None:
    found = mesh(
        f"{SQUARE} coordIndex [ 0 1 2 3 ] normal Normal {{ vector [ 0 0 2, 1 0 0 ] }} "
        "normalIndex [ 0 1 0 1 ] texCoord TextureCoordinate { point [ 0 0, 1 0, 1 1, 0 1 ] }"
    )
    assert found.normals == (
        (0.0, 0.0, 1.0),
        (1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
        (0.0, 0.0, 1.0),
        (0.0, 0.0, 1.0),
        (1.0, 0.0, 0.0),
    )
    assert found.texture_coordinates == ((0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1))


def test_one_normal_per_face() -> None:
    found = mesh(
        f"{SQUARE} coordIndex [ 0 1 2 -1 0 2 3 -1 ] normalPerVertex FALSE "
        "normal Normal { vector [ 0 1 0, 1 0 0 ] }"
    )
    assert found.normals == ((0.0, 1.0, 0.0),) * 3 + ((1.0, 0.0, 0.0),) * 3


@pytest.mark.parametrize("field", ["normalIndex", "texCoordIndex"])
def test_indices_that_do_not_fit_are_ignored_with_a_warning(field: str) -> None:
    _, log = read(
        f"Shape {{ geometry IndexedFaceSet {{ {SQUARE} coordIndex [ 0 1 2 3 ] "
        "normal Normal { vector [ 0 0 1 ] } texCoord TextureCoordinate { point [ 0 0 ] } "
        f"{'normalIndex [ 0 0 0 0 ] texCoordIndex [ 0 0 0 0 ]'.replace(field + ' [ 0', field + ' [ 9')}"
        " } }"
    )
    assert_warning(log, "bad-index", "do not fit the faces")


def test_faces_with_points_that_do_not_exist_are_left_out() -> None:
    scene, log = read(
        f"Shape {{ geometry IndexedFaceSet {{ {SQUARE} coordIndex [ 0 1 9 -1 0 1 -1 0 1 2 ] }} }}"
    )
    assert_warning(log, "bad-index", "2 faces have fewer than 3 corners or use points")
    found = scene.bodies[0].links[0].shapes[0].geometry
    assert isinstance(found, GeometryMesh) and found.triangles == ((0, 1, 2),)


def test_empty_face_set_is_not_drawn() -> None:
    assert codes(left_out("IndexedFaceSet { }")) == ["empty-geometry"]


# the others


def test_cone() -> None:
    assert drawn("Cone { bottomRadius 0.3 height 0.8 bottom FALSE }") == GeometryCone(
        0.3, 0.8, side=True, bottom=False
    )


@pytest.mark.parametrize("hidden", ["top", "side", "bottom"])
@pytest.mark.parametrize(
    ("kind", "form"), [("Capsule", GeometryCapsule), ("Cylinder", GeometryCylinder)]
)
def test_hidden_part_of_a_round_form_is_kept(
    kind: str, form: type[GeometryCapsule | GeometryCylinder], hidden: str
) -> None:
    parts = {name: name != hidden for name in ("top", "side", "bottom")}
    assert drawn(f"{kind} {{ radius 0.3 height 0.8 {hidden} FALSE }}") == form(0.3, 0.8, **parts)


@pytest.mark.parametrize(
    ("fields", "per_point", "count"), [("", True, 6), ("colorPerVertex FALSE", False, 2)]
)
def test_colours_of_an_elevation_grid_are_kept(fields: str, per_point: bool, count: int) -> None:
    """One per point of 3 x 2, or one per cell of 2 x 1; more than that are not needed."""
    rows = ", ".join(f"0 {k / 10} 1" for k in range(7))
    found = drawn(
        "ElevationGrid { xDimension 3 yDimension 2 height [ 0 0 0 0 0 0 ] "
        f"color Color {{ color [ {rows} ] }} {fields} }}"
    )
    assert isinstance(found, GeometryHeightField)
    assert found.color_per_point is per_point
    assert found.colors == tuple((0.0, k / 10, 1.0) for k in range(count))


def test_fewer_colours_than_cells_of_an_elevation_grid_are_kept() -> None:
    """Old floors have two, which their cells take in turn."""
    found = drawn(
        "ElevationGrid { xDimension 3 yDimension 3 height [ 0 0 0 0 0 0 0 0 0 ] "
        "colorPerVertex FALSE color Color { color [ 1 0 0, 0 1 0 ] } }"
    )
    assert isinstance(found, GeometryHeightField)
    assert found.colors == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def test_few_colours_of_an_old_elevation_grid_need_no_conversion() -> None:
    scene, log = read(
        "Shape { geometry ElevationGrid { xDimension 2 zDimension 2 height [ 0 1 2 3 ] "
        "color Color { color [ 1 0 0 ] } } }",
        release="R2021b",
    )
    assert codes(log) == []
    found = scene.bodies[0].links[0].shapes[0].geometry
    assert isinstance(found, GeometryHeightField) and found.colors == ((1.0, 0.0, 0.0),)


def test_elevation_grid() -> None:
    text = (
        "ElevationGrid { xDimension 3 yDimension 2 xSpacing 0.5 ySpacing 2 thickness 0.1 "
        "height [ 0 1 2 3 4 5 ] }"
    )
    assert drawn(text) == GeometryHeightField(3, 2, 0.5, 2.0, (0, 1, 2, 3, 4, 5), 0.1)


@pytest.mark.parametrize(
    ("heights", "severity", "message", "kept"),
    [
        ("1", Severity.INFO, "2 x 2 = 4 points, got 1 heights; missing ones are 0.", (1, 0, 0, 0)),
        ("1 2 3 4 5", Severity.WARNING, "got 5 heights; the rest is ignored.", (1, 2, 3, 4)),
    ],
)
def test_elevation_grid_with_a_wrong_number_of_heights(
    heights: str, severity: Severity, message: str, kept: tuple[float, ...]
) -> None:
    scene, log = read(
        f"Shape {{ geometry ElevationGrid {{ xDimension 2 yDimension 2 height [ {heights} ] }} }}"
    )
    assert codes(log) == ["inconsistent-values"]
    assert log.items[0].severity is severity and log.items[0].text.endswith(message)
    found = scene.bodies[0].links[0].shapes[0].geometry
    assert isinstance(found, GeometryHeightField) and found.heights == kept


def test_elevation_grid_needs_two_points_each_way() -> None:
    assert codes(left_out("ElevationGrid { xDimension 1 yDimension 5 }")) == ["empty-geometry"]


def test_lines() -> None:
    text = f"IndexedLineSet {{ {SQUARE} coordIndex [ 0 1 2 -1 2 3 ] }}"
    found = drawn(text)
    assert isinstance(found, GeometryLines)
    assert found.segments == ((0, 1), (1, 2), (2, 3))
    assert codes(left_out("IndexedLineSet { }")) == ["empty-geometry"]


def test_lines_to_points_that_do_not_exist_are_left_out() -> None:
    _, log = read(f"Shape {{ geometry IndexedLineSet {{ {SQUARE} coordIndex [ 0 1 7 ] }} }}")
    assert_warning(log, "bad-index", "1 lines use points that do not exist")


def test_points_with_colours() -> None:
    colors = "color Color { color [ 1 0 0, 0 1 0, 0 0 1, 1 1 1 ] }"
    found = drawn(f"PointSet {{ {SQUARE} {colors} }}")
    assert isinstance(found, GeometryPoints)
    assert (len(found.points), found.colors[1]) == (4, (0.0, 1.0, 0.0))
    assert codes(left_out("PointSet { }")) == ["empty-geometry"]


def test_points_with_too_few_colours_have_none() -> None:
    scene, log = read(
        f"Shape {{ geometry PointSet {{ {SQUARE} color Color {{ color [ 1 0 0 ] }} }} }}"
    )
    assert_warning(log, "inconsistent-values", "4 points need as many colours, got 1")
    found = scene.bodies[0].links[0].shapes[0].geometry
    assert isinstance(found, GeometryPoints) and found.colors == ()


def test_geometry_used_again_is_read_once() -> None:
    scene, log = read(
        "Shape { geometry DEF G IndexedFaceSet { } } Shape { geometry USE G } Shape { geometry USE G }"
    )
    assert codes(log) == ["empty-geometry"]
    assert scene.bodies == ()


def test_triangles_of_a_box_enclose_it() -> None:
    """A check of the helpers of this file: outward faces have a positive volume."""
    points: list[Vec3] = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    volume = 0.0
    for face in faces:
        corners = [points[i] for i in face]
        for a, b, c in triangulated(corners):
            volume += dot(corners[a], cross(corners[b], corners[c])) / 6
    assert volume == pytest.approx(1.0)


def test_point_with_a_thousand_triangles_around_it_does_not_take_for_ever() -> None:
    count = 3000
    points = ", ".join(
        f"{math.cos(i * 2 * math.pi / count):.6f} {math.sin(i * 2 * math.pi / count):.6f} 0"
        for i in range(count)
    )
    faces = " ".join(f"{count} {i} {(i + 1) % count} -1" for i in range(count))
    found = mesh(
        f"coord Coordinate {{ point [ {points}, 0 0 1 ] }} coordIndex [ {faces} ] creaseAngle 3"
    )
    assert len(found.triangles) == count


def test_quadrilaterals_are_cut_as_larger_polygons_are() -> None:
    """A concave quadrilateral takes the slow way, a convex one the fast."""
    kite = "coord Coordinate { point [ 0 0 0, 2 1 0, 0 2 0, 0.5 1 0 ] }"
    found = mesh(f"{kite} coordIndex [ 0 1 2 3 ]")
    points = list(found.vertices)
    assert area(points, list(found.triangles)) == pytest.approx(1.5)
    assert all(area(points, [triangle]) > 0.0 for triangle in found.triangles)


def test_faces_keep_the_order_of_the_file() -> None:
    found = mesh(f"{SQUARE} coordIndex [ 0 1 2 3 -1 0 1 2 -1 3 2 1 -1 ]")
    assert found.triangles == ((0, 1, 2), (0, 2, 3), (0, 1, 2), (3, 2, 1))
