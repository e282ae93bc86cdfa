"""Round forms as triangles: counts of Choreonoid, volumes in closed form."""

from __future__ import annotations

import math

import pytest

from solidbody.formats.geometry.forms import mesh_of
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
from tests.formats.geometry.measures import area, normals_agree, open_edges, volume

ROUNDING = 1e-12
"""A few hundred sums of numbers around 1."""


def made(geometry: Geometry, divisions: int = 20) -> GeometryMesh:
    mesh = mesh_of(geometry, divisions)
    assert mesh is not None
    return mesh


def polygon_area(n: int, radius: float) -> float:
    return 0.5 * n * radius**2 * math.sin(2.0 * math.pi / n)


def test_a_sphere_of_20_divisions_has_182_points_and_360_triangles() -> None:
    """20 meridians, 10 bands: 20 * 9 points and 2 poles."""
    mesh = made(GeometrySphere(2.0))
    assert (len(mesh.vertices), len(mesh.triangles)) == (182, 360)
    assert all(math.isclose(math.hypot(*p), 2.0, rel_tol=ROUNDING) for p in mesh.vertices)


@pytest.mark.parametrize(
    ("geometry", "triangles"),
    [
        (GeometryCylinder(1.0, 2.0), 80),
        (GeometryCylinder(1.0, 2.0, top=False), 60),
        (GeometryCylinder(1.0, 2.0, top=False, bottom=False), 40),
        (GeometryCone(1.0, 2.0), 40),
        (GeometryCone(1.0, 2.0, bottom=False), 20),
        (GeometryBox((1.0, 2.0, 3.0)), 12),
    ],
)
def test_each_part_has_its_triangles(geometry: Geometry, triangles: int) -> None:
    """Caps that are not drawn have none."""
    assert len(made(geometry).triangles) == triangles


@pytest.mark.parametrize("n", [4, 7, 20])
def test_volumes_are_those_of_the_inscribed_solids(n: int) -> None:
    """Prism and pyramid over a regular polygon."""
    base = polygon_area(n, 0.5)
    assert volume(made(GeometryCylinder(0.5, 3.0), n)) == pytest.approx(3.0 * base, rel=ROUNDING)
    assert volume(made(GeometryCone(0.5, 3.0), n)) == pytest.approx(base, rel=ROUNDING)
    assert volume(made(GeometryBox((1.0, 2.0, 3.0)), n)) == pytest.approx(6.0, rel=ROUNDING)


def test_a_fine_sphere_and_capsule_approach_the_true_volume() -> None:
    """The error of an inscribed polyhedron falls with 1/n^2: about 10/n^2, 0.1 % at 100."""
    ball = 4.0 / 3.0 * math.pi * 0.5**3
    tube = math.pi * 0.5**2 * 2.0
    assert volume(made(GeometrySphere(0.5), 100)) == pytest.approx(ball, rel=2e-3)
    assert volume(made(GeometryCapsule(0.5, 2.0), 100)) == pytest.approx(ball + tube, rel=2e-3)


@pytest.mark.parametrize(
    "geometry",
    [
        GeometryBox((1.0, 2.0, 3.0)),
        GeometrySphere(1.0),
        GeometryCylinder(0.5, 2.0),
        GeometryCone(0.5, 2.0),
        GeometryCapsule(0.5, 2.0),
    ],
)
def test_solid_forms_are_closed_and_face_outwards(geometry: Geometry) -> None:
    """Every edge has its neighbour, and normals point away from the inside."""
    mesh = made(geometry)
    assert open_edges(mesh) == 0
    assert volume(mesh) > 0.0
    assert normals_agree(mesh)


def test_a_cone_has_its_apex_up() -> None:
    """Base at -height/2, apex at +height/2."""
    assert [p for p in made(GeometryCone(1.0, 4.0)).vertices if p[2] > 0.0] == [(0.0, 0.0, 2.0)]


def test_a_height_field_is_its_surface() -> None:
    """A plane that rises by 1 over a square of 2 x 1."""
    mesh = made(GeometryHeightField(2, 2, 2.0, 1.0, (0.0, 0.0, 1.0, 1.0)))
    assert area(mesh) == pytest.approx(2.0 * math.sqrt(2.0), rel=ROUNDING)
    assert all(normal[2] > 0.0 for normal in mesh.normals)


def test_lines_have_no_triangles() -> None:
    """Only solids and surfaces can become meshes."""
    assert mesh_of(GeometryLines(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), ((0, 1),))) is None
