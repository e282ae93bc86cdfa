"""Mass properties against the same sums done with numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solidbody.base.transforms import Pose, Quat, quat_normalized, quat_to_matrix
from solidbody.model.mass import MassProperties, Tensor, combined, rotate_tensor, steiner

RELATIVE = 1e-9  # a dozen additions and products of doubles


def full(t: Tensor) -> np.ndarray:
    """Return the 3x3 matrix of a packed tensor."""
    return np.array([[t[0], t[3], t[4]], [t[3], t[1], t[5]], [t[4], t[5], t[2]]])


def cloud(masses: np.ndarray, points: np.ndarray) -> MassProperties:
    """Return the mass properties of point masses by definition."""
    mass = float(masses.sum())
    center = (masses[:, None] * points).sum(axis=0) / mass
    d = points - center
    inertia = np.einsum("i,ijk->jk", masses, np.einsum("ij,ij->i", d, d)[:, None, None] * np.eye(3))
    inertia = inertia - np.einsum("i,ij,ik->jk", masses, d, d)
    xx, yy, zz, xy, xz, yz = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()
    x, y, z = center.tolist()
    return MassProperties(mass, (x, y, z), (xx, yy, zz, xy, xz, yz))


coordinate = st.floats(-3.0, 3.0)
vector = st.tuples(coordinate, coordinate, coordinate)
point_masses = st.lists(st.tuples(st.floats(0.01, 10.0), vector), min_size=1, max_size=6)
rotation = (
    st.tuples(coordinate, coordinate, coordinate, coordinate)
    .filter(lambda q: math.hypot(*q) > 0.1)
    .map(quat_normalized)
)


def as_cloud(items: list[tuple[float, tuple[float, float, float]]]) -> MassProperties:
    """Return the mass properties of drawn point masses."""
    return cloud(np.array([m for m, _ in items]), np.array([p for _, p in items]))


def assert_same(a: MassProperties, b: MassProperties) -> None:
    """Compare two results relative to their own size."""
    assert a.mass == pytest.approx(b.mass, rel=RELATIVE)
    np.testing.assert_allclose(a.center, b.center, rtol=RELATIVE, atol=1e-9)
    np.testing.assert_allclose(a.inertia, b.inertia, rtol=RELATIVE, atol=1e-7)


@given(point_masses, point_masses)
def test_union_of_two_clouds_is_the_cloud_of_all_points(
    a: list[tuple[float, tuple[float, float, float]]],
    b: list[tuple[float, tuple[float, float, float]]],
) -> None:
    """Combining parts equals doing the sum at once."""
    assert_same(combined([as_cloud(a), as_cloud(b)]), as_cloud(a + b))


@pytest.mark.slow
@given(point_masses, vector, rotation)
def test_placed_body_is_the_cloud_of_moved_points(
    items: list[tuple[float, tuple[float, float, float]]],
    position: tuple[float, float, float],
    turn: Quat,
) -> None:
    """Moving a body equals moving its points."""
    pose = Pose(position, turn)
    moved = [(m, pose.point(p)) for m, p in items]
    assert_same(as_cloud(items).placed(pose), as_cloud(moved))


@given(rotation)
def test_rotated_tensor_is_r_t_rt(turn: Quat) -> None:
    """The packed formula equals the matrix product."""
    tensor: Tensor = (1.0, 2.0, 2.5, 0.1, -0.2, 0.3)
    r = np.array(quat_to_matrix(turn))
    got = full(rotate_tensor(tensor, Pose(rotation=turn)))
    np.testing.assert_allclose(got, r @ full(tensor) @ r.T, atol=1e-12)


def test_steiner_of_a_point_on_an_axis() -> None:
    """m d^2 about the two other axes, nothing about its own."""
    assert steiner(2.0, (0.0, 0.0, 3.0)) == (18.0, 18.0, 0.0, 0.0, 0.0, 0.0)


def test_scaling_scales_mass_and_inertia_but_not_the_center() -> None:
    """A denser body of the same form."""
    body = MassProperties(2.0, (1.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)).scaled(3.0)
    assert body == MassProperties(6.0, (1.0, 0.0, 0.0), (3.0, 3.0, 3.0, 0.0, 0.0, 0.0))


def test_nothing_combined_weighs_nothing() -> None:
    """No parts and parts without mass are both an empty body."""
    assert combined([]) == MassProperties(0.0)
    assert combined([MassProperties(0.0, (5.0, 0.0, 0.0))]) == MassProperties(0.0)


@pytest.mark.parametrize("mass", [-1.0, math.inf, math.nan])
def test_impossible_masses_are_refused(mass: float) -> None:
    """A mass is finite and not negative."""
    with pytest.raises(ValueError, match="mass must be finite"):
        MassProperties(mass)


def test_non_finite_inertia_is_refused() -> None:
    """Nor is an inertia ever NaN."""
    with pytest.raises(ValueError, match="must be finite"):
        MassProperties(1.0, inertia=(math.nan, 1.0, 1.0, 0.0, 0.0, 0.0))
