"""Face sets: colours, default texture coordinates; elevation grids along +y."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from solidbody.formats.geometry.face_meshes import (
    CornerValues,
    FaceSet,
    default_texture_coordinates,
)
from solidbody.formats.geometry.grids import Grid
from solidbody.formats.geometry.many_polygons import all_triangulated
from solidbody.formats.geometry.polygons import triangulated
from tests.formats.geometry.measures import area, normals_agree

SQUARES = ((0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (0, 1, 0))
TWO = (0, 1, 4, 5, -1, 1, 2, 3, 4, -1)
RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


class Reports(list[tuple[str, str, str]]):
    def __call__(self, code: str, values: str, text: str) -> None:
        self.append((code, values, text))


def test_faces_of_one_colour_make_one_part() -> None:
    """Per face: a red square and a blue one."""
    reports = Reports()
    colors = CornerValues((RED, BLUE), per_vertex=False)
    parts = FaceSet(SQUARES, TWO, colors=colors).parts(reports)
    assert sorted((color or (), area(mesh)) for mesh, color in parts) == [(BLUE, 1.0), (RED, 1.0)]
    assert all(len(mesh.vertices) == 4 for mesh, _ in parts)
    assert not reports


def test_colours_per_vertex_are_averaged_over_each_triangle() -> None:
    """A face whose corners are all red stays red."""
    colors = CornerValues((RED, RED, RED, RED, RED, RED))
    ((mesh, color),) = FaceSet(SQUARES, TWO, colors=colors).parts(Reports())
    assert color == RED
    assert len(mesh.triangles) == 4


def test_many_colours_are_made_few() -> None:
    """A strip of 200 faces, each of another grey, keeps at most 32 parts and all its faces."""
    points = tuple((float(i), float(y), 0.0) for i in range(201) for y in (0, 1))
    faces = [n for i in range(200) for n in (2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1, -1)]
    colors = CornerValues([(i / 200,) * 3 for i in range(200)], per_vertex=False)
    parts = FaceSet(points, faces, colors=colors).parts(Reports())
    assert 1 < len(parts) <= 32
    assert sum(area(mesh) for mesh, _ in parts) == pytest.approx(200.0)


def test_lists_that_do_not_fit_are_reported() -> None:
    """Each with what is done instead."""
    reports = Reports()
    face_set = FaceSet(
        SQUARES,
        (0, 1, 4, 5, -1, 1, 2, 9, -1),
        normals=CornerValues(((0.0, 0.0, 1.0),)),
        texture=CornerValues(((0.0, 0.0),)),
        colors=CornerValues((RED,)),
    )
    ((mesh, color),) = face_set.parts(reports)
    assert color is None
    assert mesh.texture_coordinates == ()
    assert set(mesh.normals) == {(0.0, 0.0, 1.0)}
    assert [(code, values) for code, values, _ in reports] == [
        ("bad-index", "faces"),
        ("bad-index", "normals"),
        ("bad-index", "texture"),
        ("bad-index", "colors"),
    ]
    assert reports[0][2].startswith("1 faces have fewer than 3 corners or use points")


def test_default_texture_coordinates_follow_the_two_longest_sides() -> None:
    """2 x 1: s runs 0..1 along x, t 0..1/2 along y."""
    mesh = FaceSet(SQUARES, TWO).mesh(Reports())
    assert mesh is not None
    uv = default_texture_coordinates(mesh)
    assert len(uv) == 3 * len(mesh.triangles)
    assert (max(u for u, _ in uv), max(v for _, v in uv)) == (1.0, 0.5)


def test_a_grid_rises_along_y_and_is_seen_from_above() -> None:
    """A point (x, z) lies at (x dx, height, z dz); a slope of 1 over 1 x 4."""
    mesh = Grid(2, 3, 1.0, 2.0, (0, 1, 0, 1, 0, 1)).mesh()
    assert mesh.vertices[3] == (1.0, 1.0, 2.0)
    assert area(mesh) == pytest.approx(4.0 * math.sqrt(2.0))
    assert all(normal[1] > 0.0 for normal in mesh.normals)
    assert normals_agree(mesh)
    assert set(mesh.texture_coordinates) == {(s, t) for s in (0.0, 1.0) for t in (0.0, 0.5, 1.0)}


def test_a_clockwise_grid_is_seen_from_below() -> None:
    """`ccw` false turns it over."""
    mesh = Grid(2, 2, 1.0, 1.0, (0, 0, 0, 0), ccw=False).mesh()
    assert all(normal == (0.0, -1.0, 0.0) for normal in mesh.normals)


def rough(polygons: int, corners: int, seed: int) -> list[list[tuple[float, float, float]]]:
    """Return polygons of four kinds: around a point in some plane, anyhow, on a grid, without area."""
    chance = random.Random(seed)
    made: list[list[tuple[float, float, float]]] = []
    for k in range(polygons):
        if k % 4 == 0:
            angles = sorted(chance.uniform(0.0, math.tau) for _ in range(corners))
            radii = [chance.uniform(0.3, 1.0) for _ in angles]
            flat = [(r * math.cos(a), r * math.sin(a)) for r, a in zip(radii, angles, strict=True)]
            made.append([(x, y, 0.3 * x - 0.7 * y + k) for x, y in flat])
        elif k % 4 == 1:
            made.append(
                [
                    (chance.gauss(0, 1), chance.gauss(0, 1), chance.gauss(0, 1))
                    for _ in range(corners)
                ]
            )
        elif k % 4 == 2:
            made.append(
                [
                    (float(chance.randrange(3)), 0.0, float(chance.randrange(3)))
                    for _ in range(corners)
                ]
            )
        else:
            made.append([(1.0, 2.0, float(i * (k % 8 == 3))) for i in range(corners)])
    return made


@pytest.mark.parametrize("corners", [4, 5, 7, 12])
def test_many_polygons_are_cut_as_each_of_them(corners: int) -> None:
    """Referee: the cutting of one polygon."""
    polygons = rough(60, corners, corners)
    cut = all_triangulated(np.array(polygons))
    assert [[tuple(row) for row in rows] for rows in cut.tolist()] == list(
        map(triangulated, polygons)
    )


@pytest.mark.parametrize("crease_angle", [0.0, 0.9])
@pytest.mark.parametrize("ccw", [True, False])
def test_a_few_faces_give_the_mesh_that_arrays_give(
    crease_angle: float, ccw: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Referee: the way of large face sets; to the last bit, so that the size of a set changes nothing."""
    points = tuple(point for corners in (3, 4, 6) for row in rough(4, corners, 7) for point in row)
    texture = CornerValues(
        tuple((i / 7, -i / 3) for i in range(9)), [i % 9 if i % 5 < 4 else -1 for i in range(40)]
    )
    for k, part in enumerate((None, texture, CornerValues([(x, y) for x, y, _ in points]))):
        faces = [i if i % 5 < 4 else -1 for i in range(5 * k, 40)]
        face_set = FaceSet(points, faces, ccw, crease_angle, texture=part)
        reports = Reports()
        few = face_set.mesh(reports)
        assert few is not None
        with monkeypatch.context() as context:
            context.setattr("solidbody.formats.geometry.face_meshes.MAX_NUMBERS", 0)
            assert repr(face_set.mesh(reports)) == repr(few)
        assert not reports
