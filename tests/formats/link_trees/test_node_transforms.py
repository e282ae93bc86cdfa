"""Places: enclosing transforms in order, and their split into pose and scale."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.formats.link_trees.node_transforms import ORIGIN, NodeTransform, place_from_pose

ROUNDING = 1e-12
"""A handful of products of numbers of size 1 to 10."""

QUARTER = quat_from_axis_angle((0.0, 0.0, 1.0), math.pi / 2)


def test_scale_is_innermost_then_rotation_then_translation() -> None:
    place = place_from_pose(Pose((1.0, 0.0, 0.0), QUARTER), (2.0, 3.0, 4.0))
    assert place.point((1.0, 1.0, 1.0)) == pytest.approx((1.0 - 3.0, 2.0, 4.0), abs=ROUNDING)


def test_pose_and_scale_come_back() -> None:
    pose = Pose((1.0, 2.0, 3.0), quat_from_axis_angle((1.0, 2.0, -0.5), 2.5))
    placement = place_from_pose(pose, (2.0, 3.0, 0.5)).placement()
    assert placement.pose.position == pose.position
    assert placement.pose.rotation == pytest.approx(pose.rotation, abs=ROUNDING)
    assert placement.scale == pytest.approx((2.0, 3.0, 0.5), abs=ROUNDING)
    assert placement.is_scaled and not placement.is_sheared


def test_half_turns_come_back() -> None:
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        pose = Pose(rotation=quat_from_axis_angle(axis, math.pi))
        found = place_from_pose(pose).placement().pose
        for point in ((1.0, 2.0, 3.0), (-1.0, 0.5, 0.0)):
            assert found.point(point) == pytest.approx(pose.point(point), abs=ROUNDING)


def test_a_mirror_has_a_negative_factor() -> None:
    placement = NodeTransform(((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))).placement()
    assert sorted(placement.scale) == [-1.0, 1.0, 1.0]
    scaled = tuple(s * x for s, x in zip(placement.scale, (1.0, 2.0, 3.0), strict=True))
    mapped = placement.pose.point((scaled[0], scaled[1], scaled[2]))
    assert mapped == pytest.approx((1.0, -2.0, 3.0), abs=ROUNDING)


def test_a_turn_inside_an_uneven_scale_is_a_shear() -> None:
    outer = place_from_pose(Pose(), (2.0, 1.0, 1.0))
    inner = place_from_pose(Pose(rotation=quat_from_axis_angle((0.0, 0.0, 1.0), 0.5)))
    assert (outer * inner).placement().is_sheared
    assert not (inner * outer).placement().is_sheared


def test_inertia_takes_the_scale_as_choreonoid_does() -> None:
    """By experiment there: scale 2 turns Ixx 1 into 4."""
    place = place_from_pose(Pose(), (2.0, 1.0, 1.0))
    assert place.tensor((1.0, 1.0, 1.0, 0.5, 0.0, 0.0)) == (4.0, 1.0, 1.0, 1.0, 0.0, 0.0)


def test_the_origin_is_rigid() -> None:
    placement = ORIGIN.placement()
    assert placement.pose == Pose() and not placement.is_scaled and not placement.is_sheared
