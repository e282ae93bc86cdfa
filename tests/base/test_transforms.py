"""Rigid transforms: round trips, associativity, and numpy as referee."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from solidbody.base.transforms import (
    IDENTITY,
    WORLD,
    Pose,
    Quat,
    Vec3,
    cross,
    dot,
    norm,
    normalized,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_normalized,
    quat_rotate,
    quat_to_axis_angle,
    quat_to_matrix,
)

EXACT = 1e-9  # coordinates below 100, a few dozen rounding errors of 1e-14

coordinate = st.floats(-100.0, 100.0)
vectors = st.tuples(coordinate, coordinate, coordinate)
unit = st.floats(-1.0, 1.0)
quats = (
    st.tuples(unit, unit, unit, unit).filter(lambda q: math.hypot(*q) > 0.1).map(quat_normalized)
)
axes = st.tuples(unit, unit, unit).filter(lambda a: norm(a) > 0.1)
poses = st.builds(Pose, vectors, quats)


def matrix(pose: Pose) -> np.ndarray:
    """Return the homogeneous 4x4 matrix of a pose."""
    out = np.eye(4)
    out[:3, :3] = quat_to_matrix(pose.rotation)
    out[:3, 3] = pose.position
    return out


@given(vectors, vectors)
def test_vector_products_match_numpy(a: Vec3, b: Vec3) -> None:
    """Dot and cross product."""
    assert dot(a, b) == pytest.approx(float(np.dot(a, b)), abs=1e-9)
    np.testing.assert_allclose(cross(a, b), np.cross(a, b), atol=1e-9)


@given(quats)
def test_matrix_of_a_quaternion_is_a_rotation(q: Quat) -> None:
    """Orthonormal with determinant one."""
    r = np.array(quat_to_matrix(q))
    np.testing.assert_allclose(r @ r.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(r) == pytest.approx(1.0)


@given(quats, vectors)
def test_rotation_by_quaternion_and_by_matrix_agree(q: Quat, v: Vec3) -> None:
    """Two ways to turn a vector."""
    np.testing.assert_allclose(quat_rotate(q, v), np.array(quat_to_matrix(q)) @ v, atol=EXACT)


@given(quats, quats)
def test_quaternion_product_is_the_matrix_product(a: Quat, b: Quat) -> None:
    """First b, then a."""
    product = np.array(quat_to_matrix(a)) @ np.array(quat_to_matrix(b))
    np.testing.assert_allclose(quat_to_matrix(quat_multiply(a, b)), product, atol=1e-12)


@given(axes, st.floats(0.0, math.pi))
def test_axis_angle_round_trip(axis: Vec3, angle: float) -> None:
    """Angles in [0, pi] come back; the axis too, where it has a meaning."""
    got_axis, got_angle = quat_to_axis_angle(quat_from_axis_angle(axis, angle))
    assert got_angle == pytest.approx(angle, abs=1e-7)
    if 1e-3 < angle < math.pi - 1e-3:
        assert got_axis == pytest.approx(normalized(axis), abs=1e-9)


@example((1.0, 5e-324, 0.0, 0.0))
@given(quats)
def test_quaternion_round_trip_through_axis_angle(q: Quat) -> None:
    """The same rotation, perhaps with the opposite sign of the quaternion."""
    again = quat_from_axis_angle(*quat_to_axis_angle(q))
    np.testing.assert_allclose(quat_to_matrix(again), quat_to_matrix(q), atol=1e-9)


@given(poses, poses)
def test_composition_is_the_matrix_product(a: Pose, b: Pose) -> None:
    """Poses compose like homogeneous matrices."""
    np.testing.assert_allclose(matrix(a * b), matrix(a) @ matrix(b), atol=EXACT)


@given(poses, poses, poses)
def test_composition_is_associative(a: Pose, b: Pose, c: Pose) -> None:
    """Brackets do not matter."""
    np.testing.assert_allclose(matrix((a * b) * c), matrix(a * (b * c)), atol=EXACT)


@given(poses)
def test_inverse_undoes_on_both_sides(pose: Pose) -> None:
    """Pose and inverse give the world frame."""
    np.testing.assert_allclose(matrix(pose * pose.inverse()), np.eye(4), atol=EXACT)
    np.testing.assert_allclose(matrix(pose.inverse() * pose), np.eye(4), atol=EXACT)


@given(poses, vectors)
def test_point_round_trip(pose: Pose, p: Vec3) -> None:
    """There and back again."""
    np.testing.assert_allclose(pose.inverse().point(pose.point(p)), p, atol=EXACT)


@given(poses, vectors)
def test_directions_ignore_the_position(pose: Pose, v: Vec3) -> None:
    """A direction turns but does not shift."""
    difference = np.subtract(pose.point(v), pose.point((0.0, 0.0, 0.0)))
    np.testing.assert_allclose(pose.direction(v), difference, atol=EXACT)


def test_world_is_the_neutral_pose() -> None:
    """Composing with it changes nothing."""
    pose = Pose((1.0, 2.0, 3.0), quat_from_axis_angle((0.0, 1.0, 0.0), 0.5))
    assert WORLD * pose == pose
    assert pose * WORLD == pose


def test_quarter_turn_about_z_takes_x_to_y() -> None:
    """The sign convention: counter-clockwise seen from the tip of the axis."""
    q = quat_from_axis_angle((0.0, 0.0, 2.0), math.pi / 2)
    assert quat_rotate(q, (1.0, 0.0, 0.0)) == pytest.approx((0.0, 1.0, 0.0))
    assert quat_rotate(quat_conjugate(q), (1.0, 0.0, 0.0)) == pytest.approx((0.0, -1.0, 0.0))


def test_null_axis_is_no_rotation() -> None:
    """As the file formats read it."""
    assert quat_from_axis_angle((0.0, 0.0, 0.0), 1.0) == IDENTITY
    assert quat_to_axis_angle(IDENTITY) == ((0.0, 0.0, 1.0), 0.0)


@pytest.mark.parametrize("bad", [(0.0, 0.0, 0.0), (math.inf, 0.0, 0.0), (math.nan, 0.0, 1.0)])
def test_vectors_without_direction_need_a_fallback(bad: Vec3) -> None:
    """A null or non-finite vector cannot be normalised."""
    with pytest.raises(ValueError, match="no direction"):
        normalized(bad)
    assert normalized(bad, fallback=(0.0, 0.0, 1.0)) == (0.0, 0.0, 1.0)


def test_null_quaternion_is_refused() -> None:
    """It is no rotation."""
    with pytest.raises(ValueError, match="no direction"):
        quat_normalized((0.0, 0.0, 0.0, 0.0))
