"""Geometries under scale and shear."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import IDENTITY, Pose, Vec3, quat_from_axis_angle
from solidbody.formats.geometry.affine import Affine
from solidbody.formats.geometry.placing import placed
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
    GeometrySphere,
)
from tests.formats.geometry.measures import normals_agree, volume

TURN = quat_from_axis_angle((1.0, 2.0, 3.0), 0.7)
ROUNDING = 1e-12
"""A few products of numbers around 1."""


def at(geometry: Geometry, scale: Vec3) -> Geometry:
    found = placed(geometry, Affine.of(scale=scale))
    assert found is not None
    return found[0]


def test_a_rigid_place_keeps_the_very_object() -> None:
    """Nothing is copied, so that a mesh used a hundred times is stored once."""
    box = GeometryBox((1.0, 2.0, 3.0))
    found = placed(box, Affine.of((4.0, 5.0, 6.0), TURN))
    assert found is not None
    assert found[0] is box
    assert found[1].position == (4.0, 5.0, 6.0)
    assert found[1].rotation == pytest.approx(TURN, abs=ROUNDING)


@pytest.mark.parametrize(
    ("geometry", "scale", "expected"),
    [
        (GeometryBox((1.0, 1.0, 1.0)), (2.0, 3.0, 4.0), GeometryBox((2.0, 3.0, 4.0))),
        (GeometryBox((1.0, 1.0, 1.0)), (-2.0, 3.0, 4.0), GeometryBox((2.0, 3.0, 4.0))),
        (GeometrySphere(1.5), (2.0, 2.0, 2.0), GeometrySphere(3.0)),
        (GeometryCylinder(1.0, 1.0), (2.0, 2.0, 5.0), GeometryCylinder(2.0, 5.0)),
        (GeometryCone(1.0, 1.0), (2.0, 2.0, 5.0), GeometryCone(2.0, 5.0)),
        (GeometryCapsule(1.0, 1.0), (2.0, 2.0, 2.0), GeometryCapsule(2.0, 2.0)),
        (GeometryPlane((1.0, 1.0)), (2.0, 3.0, 1.0), GeometryPlane((2.0, 3.0))),
        (
            GeometryHeightField(2, 2, 1.0, 1.0, (0.0, 1.0, 2.0, 3.0)),
            (2.0, 3.0, 4.0),
            GeometryHeightField(2, 2, 2.0, 3.0, (0.0, 4.0, 8.0, 12.0), 4.0),
        ),
        (
            GeometryLines(((1.0, 1.0, 1.0), (0.0, 0.0, 0.0)), ((0, 1),)),
            (2.0, 3.0, 4.0),
            GeometryLines(((2.0, 3.0, 4.0), (0.0, 0.0, 0.0)), ((0, 1),)),
        ),
    ],
)
def test_forms_that_stay_what_they_are(geometry: Geometry, scale: Vec3, expected: Geometry) -> None:
    """Scale along their own axes only changes measures."""
    assert at(geometry, scale) == expected


@pytest.mark.parametrize(
    "geometry",
    [
        GeometrySphere(1.0),
        GeometryCylinder(1.0, 1.0),
        GeometryCone(1.0, 1.0),
        GeometryCapsule(1, 1),
    ],
)
def test_uneven_scale_makes_triangles(geometry: Geometry) -> None:
    """Volume and normals follow: the determinant is the factor of volumes."""
    plain = placed(geometry, Affine(((1.0, 1e-6, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))))
    mesh = at(geometry, (1.0, 2.0, 3.0))
    assert plain is not None and isinstance(plain[0], GeometryMesh)
    assert isinstance(mesh, GeometryMesh)
    assert volume(mesh) == pytest.approx(6.0 * volume(plain[0]), rel=ROUNDING)
    assert normals_agree(mesh)


def test_a_mirrored_mesh_still_faces_outwards() -> None:
    """Triangles are turned over, so that the volume stays positive."""
    mesh = at(GeometrySphere(1.0), (-1.0, 2.0, 1.0))
    assert isinstance(mesh, GeometryMesh)
    assert volume(mesh) > 0.0
    assert normals_agree(mesh)


def test_a_turn_inside_an_uneven_scale_shears_a_box() -> None:
    """The result is no box; its volume is exact."""
    place = Affine.of(scale=(1.0, 2.0, 1.0)) * Affine.of(
        rotation=quat_from_axis_angle((0.0, 0.0, 1.0), math.pi / 4)
    )
    assert place.split() is None
    found = placed(GeometryBox((1.0, 1.0, 1.0)), place)
    assert found is not None and isinstance(found[0], GeometryMesh)
    assert volume(found[0]) == pytest.approx(2.0, rel=ROUNDING)


def test_affine_maps_compose_like_poses() -> None:
    """Rigid ones agree with Pose."""
    a, b = Pose((1.0, 2.0, 3.0), TURN), Pose((0.5, 0.0, -1.0), quat_from_axis_angle((1, 0, 0), 2.0))
    product, expected = Affine.of_pose(a) * Affine.of_pose(b), a * b
    parts = product.split()
    assert parts is not None
    assert parts[1] == (1.0, 1.0, 1.0)
    assert parts[0].position == pytest.approx(expected.position, abs=ROUNDING)
    assert parts[0].rotation == pytest.approx(expected.rotation, abs=ROUNDING)
    assert Affine().split() == (Pose((0.0, 0.0, 0.0), IDENTITY), (1.0, 1.0, 1.0))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (-1, 2, 3)])
@pytest.mark.parametrize("angle", [0.1, 1.5, 3.0, math.pi])
def test_rotations_survive_a_matrix(axis: Vec3, angle: float) -> None:
    """Also half turns, whose quaternion has no real part."""
    q = quat_from_axis_angle(axis, angle)
    parts = Affine.of(rotation=q).split()
    assert parts is not None
    same = sum(x * y for x, y in zip(parts[0].rotation, q, strict=True))
    assert abs(same) == pytest.approx(1.0, abs=ROUNDING)


def test_a_flat_place_leaves_a_flat_mesh() -> None:
    """A scale of 0 cannot be a pose; the points are what is left."""
    found = placed(GeometryBox((2.0, 2.0, 2.0)), Affine.of(scale=(1.0, 1.0, 0.0)))
    assert found is not None and isinstance(found[0], GeometryMesh)
    assert {p[2] for p in found[0].vertices} == {0.0}
