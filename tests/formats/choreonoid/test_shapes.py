"""Geometries of Shape nodes: every type, key and alias, and what scale does to them."""

from __future__ import annotations

import math

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Vec3
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometryLines,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.shapes import Shape, ShapeRole
from tests.formats.choreonoid.bodies import HEADER, RADIANS, clean_link, read_link
from tests.formats.geometry.measures import area, normals_agree, open_edges, volume

ROUNDING = 1e-12
"""A few products of numbers around 1."""

SQUARE = "vertices: [0,0,0, 1,0,0, 1,1,0, 0,1,0]"


def shape_of(geometry: str, *, more: str = "", header: str = HEADER) -> Shape:
    """Return the shape of a geometry about which there is nothing to say."""
    link = clean_link(
        f"elements: {{ Shape: {{ geometry: {{ {geometry} }}{more} }} }}", header=header
    )
    (shape,) = link.shapes
    return shape


def mesh_of(geometry: str, *, more: str = "", header: str = HEADER) -> GeometryMesh:
    mesh = shape_of(geometry, more=more, header=header).geometry
    assert isinstance(mesh, GeometryMesh)
    return mesh


def read_geometry(geometry: str) -> tuple[tuple[Shape, ...], DiagnosticLog]:
    link, log = read_link(f"elements: {{ Shape: {{ geometry: {{ {geometry} }} }} }}")
    return link.shapes, log


# -------------------------------------------------------------------------------------- primitives


@pytest.mark.parametrize(
    ("text", "geometry"),
    [
        ("type: Box", GeometryBox((1.0, 1.0, 1.0))),
        ("type: Box, size: [1, 2, 3]", GeometryBox((1.0, 2.0, 3.0))),
        ("type: Sphere", GeometrySphere(1.0)),
        ("type: Sphere, radius: 0.5", GeometrySphere(0.5)),
        ("type: Cylinder", GeometryCylinder(1.0, 1.0)),
        ("type: Cylinder, radius: 2, height: 3", GeometryCylinder(2.0, 3.0)),
        ("type: Cylinder, top: false", GeometryCylinder(1.0, 1.0, top=False)),
        ("type: Cylinder, bottom: no", GeometryCylinder(1.0, 1.0, bottom=False)),
        ("type: Cone, radius: 2, height: 3", GeometryCone(2.0, 3.0)),
        ("type: Cone, bottom: off", GeometryCone(1.0, 1.0, bottom=False)),
        ("type: Capsule, radius: 2, height: 3", GeometryCapsule(2.0, 3.0)),
        ("type: Capsule, height: 0", GeometrySphere(1.0)),
        ("type: Box, extra_division_number: 3, extra_division_mode: x", GeometryBox((1, 1, 1))),
        ("type: Sphere, divisionNumber: 8, extraDivisionNumber: 2", GeometrySphere(1.0)),
    ],
)
def test_primitives_stay_primitives(text: str, geometry: Geometry) -> None:
    """All sizes are 1 by default; how finely Choreonoid would divide them does not matter here."""
    assert shape_of(text).geometry == geometry


@pytest.mark.parametrize("kind", ["Cylinder", "Cone", "Capsule"])
def test_round_forms_stand_along_y(kind: str) -> None:
    """Their model axis z is turned to +y, the apex of a cone up."""
    shape = shape_of(f"type: {kind}")
    assert shape.pose.direction((0.0, 0.0, 1.0)) == pytest.approx((0, 1, 0), abs=ROUNDING)
    assert shape.pose.position == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("type: Box, size: [1, -1, 1]", "size"),
        ("type: Sphere, radius: -1", "radius"),
        ("type: Cylinder, height: -2", "height"),
        ("type: Cone, radius: -2", "radius"),
        ("type: Capsule, height: -1", "height"),
        ("type: Sphere, radius: 1e300", "radius"),
        ("type: Box, size: [1, 1e300, 1]", "size"),
    ],
)
def test_impossible_sizes_are_errors(text: str, key: str) -> None:
    """The shape is left out, the link stays."""
    shapes, log = read_geometry(text)
    assert shapes == ()
    (item,) = log
    assert (item.code, item.field, item.severity.value) == ("wrong-size", key, "error")
    assert item.text.endswith("the shape is left out.")


@pytest.mark.parametrize(
    ("text", "geometry"),
    [
        ("type: Box, size: [1, 0, 2]", GeometryBox((1.0, 1e-6, 2.0))),
        ("type: Cylinder, height: 0", GeometryCylinder(1.0, 1e-6)),
        ("type: Cone, height: 0", GeometryCone(1.0, 1e-6)),
    ],
)
def test_flat_forms_are_made_thin(text: str, geometry: Geometry) -> None:
    """Choreonoid loads them; a simulator needs some thickness."""
    shapes, log = read_geometry(text)
    assert [shape.geometry for shape in shapes] == [geometry]
    assert [item.text for item in log] == ["a form without thickness is taken to be 1e-06 m thin."]


def test_a_ball_of_size_0_is_left_out() -> None:
    """Nothing can touch it."""
    shapes, log = read_geometry("type: Sphere, radius: 0")
    assert shapes == ()
    assert [item.code for item in log] == ["flat-shape"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("type: Bax", 'no geometry is called "Bax"; known: Box,'),
        ("size: [1, 1, 1]", "a geometry needs it: one of Box,"),
        ("type: Box, size: [1, 1]", "expected a list of 3 numbers, got a list of 2 values."),
        ("type: Sphere, radius: big", 'expected a number, got "big".'),
    ],
)
def test_mistakes_name_what_is_allowed(text: str, message: str) -> None:
    """With file, line and path of the node."""
    _, log = read_geometry(text)
    (item,) = log
    assert message in item.text
    assert item.span.file == "x.body"
    assert item.span.line == 8
    assert item.node == 'Link "A" > elements Shape > geometry'


def test_a_misspelt_type_gets_a_guess() -> None:
    """Bax is close to Box."""
    _, log = read_geometry("type: Bax")
    assert log.items[0].text.endswith('Did you mean "Box"?')


def test_a_misspelt_key_is_reported() -> None:
    """A key that looks like one of the geometry's."""
    _, log = read_geometry("type: Sphere, radus: 2")
    assert [item.code for item in log] == ["unknown-key"]
    assert 'Did you mean "radius"?' in log.items[0].text


def test_numbers_that_cannot_be_computed_with_are_errors() -> None:
    """Products of them would overflow."""
    shapes, log = read_geometry(
        f"type: IndexedFaceSet, {SQUARE[:-1]}, 1e40, 0, 0], faces: [0, 1, 2]"
    )
    assert shapes == ()
    assert log.items[0].text == "expected numbers below 1e+30, got 1e+40; the list is not read."
    link, log = read_link(
        "elements: { Shape: { translation: [1e300, 0, 0], geometry: { type: Box } } }"
    )
    assert link.shapes == ()
    assert [item.code for item in log] == ["wrong-place"]


# ------------------------------------------------------------------------------------------- scale


def test_shapes_have_a_transform_of_their_own() -> None:
    """Undocumented: translation, rotation, scale."""
    shape = shape_of(
        "type: Box", more=", translation: [1, 2, 3], rotation: [0, 0, 1, 90], scale: [2, 3, 4]"
    )
    assert shape.geometry == GeometryBox((2.0, 3.0, 4.0))
    assert shape.pose.position == (1.0, 2.0, 3.0)
    assert shape.pose.direction((1, 0, 0)) == pytest.approx((0, 1, 0), abs=ROUNDING)
    assert shape.scale == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("geometry", "scale", "expected"),
    [
        ("type: Sphere", (2, 2, 2), GeometrySphere(2.0)),
        ("type: Cylinder", (2, 5, 2), GeometryCylinder(2.0, 5.0)),
        ("type: Cone", (2, 5, 2), GeometryCone(2.0, 5.0)),
        ("type: Capsule", (2, 2, 2), GeometryCapsule(2.0, 2.0)),
    ],
)
def test_even_scale_keeps_primitives(geometry: str, scale: Vec3, expected: Geometry) -> None:
    """Cylinders and cones may be stretched along their axis, which is y."""
    assert shape_of(geometry, more=f", scale: {list(scale)}").geometry == expected


def test_an_ellipsoid_is_a_scaled_sphere_of_182_points() -> None:
    """Choreonoid's own tessellation: 20 divisions, 360 triangles."""
    mesh = mesh_of("type: Sphere", more=", scale: [1, 2, 3]")
    assert (len(mesh.vertices), len(mesh.triangles)) == (182, 360)
    for axis, half in enumerate((1.0, 2.0, 3.0)):
        assert max(p[axis] for p in mesh.vertices) == pytest.approx(half, rel=ROUNDING)
    assert normals_agree(mesh)


def test_an_oval_cylinder_has_80_triangles() -> None:
    """With its caps; the volume is that of a regular polygon of 20 corners, squeezed."""
    mesh = mesh_of("type: Cylinder", more=", scale: [1, 1, 2]")
    assert len(mesh.triangles) == 80
    polygon = 10.0 * math.sin(math.pi / 10.0)
    assert volume(mesh) == pytest.approx(2.0 * polygon, rel=ROUNDING)


def test_division_number_counts_where_triangles_are_made() -> None:
    """8 meridians, 4 bands: 2 * 8 + 2 * 2 * 8 triangles; too few become 4."""
    assert (
        len(mesh_of("type: Sphere, division_number: 8", more=", scale: [1, 2, 3]").triangles) == 48
    )
    assert (
        len(mesh_of("type: Sphere, division_number: 1", more=", scale: [1, 2, 3]").triangles) == 8
    )


def test_a_mirrored_shape_faces_outwards() -> None:
    """A negative factor turns triangles over."""
    mesh = mesh_of("type: Sphere", more=", scale: [-1, 2, 1]")
    assert volume(mesh) > 0.0
    assert normals_agree(mesh)


def test_a_turned_box_in_an_uneven_transform_is_sheared() -> None:
    """It becomes triangles with the right volume."""
    link = clean_link(
        "elements: { Transform: { scale: [2, 1, 1], elements: { Shape: { rotation: [0, 0, 1, 45], "
        "geometry: { type: Box } } } } }"
    )
    (shape,) = link.shapes
    assert isinstance(shape.geometry, GeometryMesh)
    assert volume(shape.geometry) == pytest.approx(2.0, rel=ROUNDING)


def test_aliases_share_one_geometry() -> None:
    """However often it is used."""
    link = clean_link(
        "elements:;   - { type: Shape, geometry: &G { type: Extrusion } };"
        "   - { type: Shape, translation: [1, 0, 0], geometry: *G }".replace(";   -", "\n      -")
    )
    first, second = link.shapes
    assert first.geometry is second.geometry


# ------------------------------------------------------------------------------------------- faces


def test_extrusions_follow_their_keys() -> None:
    """Section and spine in either spelling: a square of 1 along 3 m."""
    section = "[0.5, 0.5, 0.5, -0.5, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5]"
    for key in ("cross_section", "crossSection"):
        mesh = mesh_of(f"type: Extrusion, {key}: {section}, spine: [0, 0, 0, 0, 0, 3]")
        assert volume(mesh) == pytest.approx(3.0, rel=ROUNDING)
        assert open_edges(mesh) == 0
        assert mesh.two_sided


def test_extrusion_orientation_is_in_the_files_angle_unit() -> None:
    """A quarter turn about the spine, in degrees and in radians."""
    for angle, header in ((90, HEADER), (math.pi / 2, RADIANS)):
        mesh = mesh_of(
            f"type: Extrusion, scale: [2, 1], orientation: [0, 1, 0, {angle}]", header=header
        )
        assert max(p[2] for p in mesh.vertices) == pytest.approx(2.0, rel=ROUNDING)


def test_only_the_camel_case_key_opens_the_first_cap() -> None:
    """`begin_cap` has a stray blank in the original: 12 triangles stay, `beginCap` leaves 10."""
    assert len(mesh_of("type: Extrusion, beginCap: false").triangles) == 10
    assert len(mesh_of("type: Extrusion, endCap: false").triangles) == 10
    assert len(mesh_of("type: Extrusion, end_cap: false").triangles) == 10
    shapes, log = read_geometry("type: Extrusion, begin_cap: false")
    mesh = shapes[0].geometry
    assert isinstance(mesh, GeometryMesh)
    assert len(mesh.triangles) == 12
    assert [(item.code, item.field) for item in log] == [("unread-key", "begin_cap")]


def test_extrusion_lists_that_do_not_fit_are_refused() -> None:
    """Choreonoid reads past the end of them."""
    shapes, log = read_geometry("type: Extrusion, spine: [0,0,0, 0,1,0, 0,2,0], scale: [1,1, 2,2]")
    assert shapes == ()
    (item,) = log
    assert (item.code, item.field) == ("bad-geometry", "scale")
    assert "expected 1 entry or one for each of the 3 spine points, got 2" in item.text


def test_numbers_behind_the_last_group_are_ignored() -> None:
    """A shipped file gives a scale of three numbers; the first two count."""
    shapes, log = read_geometry("type: Extrusion, scale: [2, 1, 1]")
    mesh = shapes[0].geometry
    assert isinstance(mesh, GeometryMesh)
    assert volume(mesh) == pytest.approx(8.0)
    assert [item.severity.value for item in log] == ["warning"]


@pytest.mark.parametrize(
    "text",
    [
        f"type: IndexedFaceSet, {SQUARE}, faces: [0, 1, 2, 3, -1]",
        f"type: IndexedFaceSet, {SQUARE}, faces: [0, 1, 2, 3]",
        f"type: IndexedFaceSet, {SQUARE}, coordIndex: [0, 1, 2, -1, 0, 2, 3, -1]",
        f"type: IndexedFaceSet, {SQUARE.replace('vertices', 'coordinate')}, faces: [0, 1, 2, 3]",
        f"type: TriangleMesh, {SQUARE}, faces: [0, 1, 2, 0, 2, 3]",
    ],
)
def test_face_sets_in_every_spelling(text: str) -> None:
    """A unit square that faces +z."""
    mesh = mesh_of(text)
    assert area(mesh) == pytest.approx(1.0, rel=ROUNDING)
    assert set(mesh.normals) == {(0.0, 0.0, 1.0)}
    assert mesh.two_sided


def test_solid_faces_are_drawn_from_one_side() -> None:
    """`solid` is false by default."""
    assert not mesh_of(
        f"type: IndexedFaceSet, {SQUARE}, faces: [0, 1, 2, 3], solid: true"
    ).two_sided


def test_normals_and_texture_coordinates_have_indices_of_their_own() -> None:
    """Per corner, by index lists like the faces."""
    mesh = mesh_of(
        f"type: IndexedFaceSet, {SQUARE}, faces: [0, 1, 2, -1], normals: [0,0,2, 1,0,0], "
        "normal_indices: [0, 0, 1, -1], tex_coords: [0,0, 1,0], tex_coord_indices: [1, 0, 1, -1]"
    )
    assert mesh.normals == ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    assert mesh.texture_coordinates == ((1.0, 0.0), (0.0, 0.0), (1.0, 0.0))


def test_normals_without_indices_go_with_the_points() -> None:
    """The camelCase spelling of texture coordinates likewise."""
    mesh = mesh_of(
        f"type: TriangleMesh, {SQUARE}, faces: [0, 1, 2], normals: [0,0,1, 0,1,0, 1,0,0, 0,0,1], "
        "texCoord: [0,0, 1,0, 1,1, 0,1]"
    )
    assert mesh.normals == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    assert mesh.texture_coordinates == ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))


def test_crease_angle_smooths_in_the_files_unit() -> None:
    """Two faces at right angles are smoothed by 91 degrees and not by 89."""
    roof = (
        "type: IndexedFaceSet, vertices: [0,0,0, 1,0,0, 1,1,1, 0,1,1, 1,2,0, 0,2,0], "
        "faces: [0, 1, 2, 3, -1, 3, 2, 4, 5, -1], "
    )
    for key, is_smooth in (("creaseAngle: 89", False), ("crease_angle: 91", True)):
        kinds = {tuple(round(x, 9) for x in normal) for normal in mesh_of(roof + key).normals}
        assert (len(kinds) > 2) == is_smooth, key


def test_bad_faces_are_left_out_with_a_warning() -> None:
    """The rest is kept."""
    shapes, log = read_geometry(f"type: IndexedFaceSet, {SQUARE}, faces: [0,1,2,-1, 0,1,-1, 0,2,9]")
    mesh = shapes[0].geometry
    assert isinstance(mesh, GeometryMesh)
    assert len(mesh.triangles) == 1
    assert [(item.code, item.field) for item in log] == [("bad-index", "faces")]
    assert log.items[0].text.startswith("2 faces have fewer than 3 corners")


def test_an_empty_mesh_is_left_out() -> None:
    """With a warning."""
    shapes, log = read_geometry("type: IndexedFaceSet")
    assert shapes == ()
    assert [item.code for item in log] == ["empty-geometry"]


GRID = "type: ElevationGrid, x_dimension: 2, z_dimension: 3, x_spacing: 2, z_spacing: 0.5"


def test_grids_rise_along_y() -> None:
    """Point (x, z) lies at (x dx, height, z dz), whatever the model's axes are."""
    heights = [0, 1, 2, 3, 4, 5]
    shape = shape_of(f"{GRID}, height: {heights}")
    field = shape.geometry
    assert isinstance(field, GeometryHeightField)
    found = {
        tuple(
            round(x, 9)
            for x in shape.pose.point(
                (
                    i % 2 * field.x_spacing,
                    i // 2 * field.y_spacing,
                    field.heights[i],
                )
            )
        )
        for i in range(6)
    }
    assert found == {
        (x * 2.0, float(heights[z * 2 + x]), z * 0.5) for x in (0, 1) for z in (0, 1, 2)
    }


@pytest.mark.parametrize("more", ["ccw: false", "tex_coord: [0,0, 1,0, 0,1, 1,1, 0,2, 1,2]"])
def test_grids_seen_from_below_or_with_an_image_are_meshes(more: str) -> None:
    """A height field has one side and its own texture coordinates."""
    mesh = mesh_of(f"{GRID}, height: [0, 0, 0, 0, 0, 0], {more}")
    assert area(mesh) == pytest.approx(2.0)
    assert len(mesh.texture_coordinates) == 12
    side = -1.0 if "ccw" in more else 1.0
    assert {normal[1] for normal in mesh.normals} == {side}


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        (f"{GRID}, height: [1]", "height", "2 x 3 points need 6 heights, got 1"),
        ("type: ElevationGrid", "x_dimension", "a grid needs 2 points at least both ways"),
        (
            "type: ElevationGrid, xDimension: 90000, zDimension: 90000",
            "x_dimension",
            "a grid has at most 500000 points",
        ),
        (f"{GRID}, height: [0,0,0,0,0,0], tex_coord: [0,0]", "tex_coord", "6 points need as many"),
    ],
)
def test_grids_that_do_not_fit_are_refused(text: str, key: str, message: str) -> None:
    """Choreonoid gives an empty mesh or crashes."""
    shapes, log = read_geometry(text)
    assert shapes == ()
    (item,) = log
    assert (item.code, item.field) == ("bad-geometry", key)
    assert message in item.text


# --------------------------------------------------------------------------------------------- rest


def test_a_shape_without_geometry_is_reported() -> None:
    """It has no form."""
    link, log = read_link("elements: { Shape: { name: X } }")
    assert link.shapes == ()
    assert [item.code for item in log] == ["missing-key"]


def test_roles_and_names_reach_the_model() -> None:
    """Outside Visual and Collision nodes a shape is both."""
    link = clean_link(
        "elements: [ { type: Shape, name: S, geometry: { type: Box } }, "
        "{ type: Visual, shape: { geometry: { type: Box } } }, "
        "{ type: Collision, shape: { geometry: { type: Box } } } ]"
    )
    assert [shape.role for shape in link.shapes] == [
        ShapeRole.BOTH,
        ShapeRole.VISUAL,
        ShapeRole.COLLISION,
    ]
    assert link.shapes[0].name == "S"


def test_lines_are_drawn_only() -> None:
    """In pairs of indices; those that point nowhere are reported."""
    link, log = read_link(
        "elements: { LineSet: { vertices: [0,0,0, 1,0,0, 1,1,0], lines: [0,1, 1,2, 2,7], "
        "line_width: 2, material: { diffuse: [1, 0, 0] } } }"
    )
    (shape,) = link.shapes
    assert shape.geometry == GeometryLines(((0, 0, 0), (1, 0, 0), (1, 1, 0)), ((0, 1), (1, 2)))
    assert shape.role is ShapeRole.VISUAL
    assert shape.appearance is not None
    assert shape.appearance.base_color == (1.0, 0.0, 0.0)
    assert [item.text for item in log] == [
        "1 lines use points that do not exist; they are left out."
    ]
