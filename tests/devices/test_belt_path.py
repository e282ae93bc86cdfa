"""Elements of belts: at equal distances along the path around the wheels, outside out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.base.transforms import Pose
from solidbody.base.vectors import matrix
from solidbody.devices.surfaces.belt_path import belt_elements, belt_path
from solidbody.model.devices import BeltWheel, DeviceTrackBelt
from solidbody.model.geometry import GeometryBox
from solidbody.model.shapes import Shape, ShapeRole

PAD = Shape(GeometryBox((0.02, 0.1, 0.01)), role=ShapeRole.VISUAL)
ROUNDING = 1e-12
"""Sums of a few lengths of about a metre in 64 bits."""


def belt(
    *wheels: BeltWheel, count: int, at: Pose | None = None, pad: Shape = PAD
) -> DeviceTrackBelt:
    """A belt with pads."""
    return DeviceTrackBelt(
        name="belt", wheels=wheels, element=pad, element_count=count, pose=at or Pose()
    )


def stadium(along: float, half: float, r: float) -> tuple[float, float, float]:
    """x, z and pitch on the path around two equal wheels at (-half, 0) and (half, 0), from the upper left."""
    straight, arc = 2 * half, math.pi * r
    along %= 2 * (straight + arc)
    if along < straight:
        return along - half, r, 0.0
    along -= straight
    if along < arc:
        turn = along / r
        return half + r * math.sin(turn), r * math.cos(turn), turn
    along -= arc
    if along < straight:
        return half - along, -r, math.pi
    turn = math.pi + (along - straight) / r
    return -half + r * math.sin(turn), r * math.cos(turn), turn


TWO = (BeltWheel((-0.3, 0.0), 0.1), BeltWheel((0.3, 0.0), 0.1))


@pytest.mark.parametrize("travel", [0.0, 0.05, 0.65, -0.2, 123.4])
def test_elements_around_two_equal_wheels_are_where_the_closed_form_says(travel: float) -> None:
    """Straight over the top, half a circle, back below, half a circle; a pitch about y goes with it."""
    found = belt_elements(belt(*TWO, count=7), travel)
    length = 2 * 0.6 + 2 * math.pi * 0.1
    for k, row in enumerate(found):
        x, z, pitch = stadium(travel + k * length / 7, 0.3, 0.1)
        # 123.4 m are some eighty rounds: their rounding adds up
        assert row[:3] == pytest.approx((x, 0.0, z), abs=1e-11)
        ahead, _, out = matrix(row[3:]).T
        assert ahead == pytest.approx((math.cos(pitch), 0.0, -math.sin(pitch)), abs=1e-10)
        assert out == pytest.approx((math.sin(pitch), 0.0, math.cos(pitch)), abs=1e-10)


def test_belt_that_runs_forward_carries_its_upper_side_forward() -> None:
    """As the surface of the track does: x grows above, and shrinks below."""
    before, after = (belt_elements(belt(*TWO, count=20), travel) for travel in (0.0, 0.001))
    moved = after[:, 0] - before[:, 0]
    above, below = before[:, 2] > 0.0999, before[:, 2] < -0.0999
    assert above.any() and below.any()
    assert moved[above] == pytest.approx(0.001, abs=1e-6)
    assert moved[below] == pytest.approx(-0.001, abs=1e-6)


def test_path_around_wheels_of_two_sizes_is_the_length_of_an_open_belt() -> None:
    """2 sqrt(d^2 - (R-r)^2) + R (pi + 2a) + r (pi - 2a), a = asin((R-r)/d)."""
    path = belt_path((BeltWheel((0.0, 0.0), 0.2), BeltWheel((0.0, 1.0), 0.1)))
    assert path is not None
    a = math.asin(0.1)
    expected = 2 * math.sqrt(1 - 0.01) + 0.2 * (math.pi + 2 * a) + 0.1 * (math.pi - 2 * a)
    assert path.length == pytest.approx(expected, abs=ROUNDING)


def test_wheel_outside_the_loop_presses_the_belt_in() -> None:
    """A small wheel below the lower run: the belt passes over it, and faces it with its outer side."""
    press = BeltWheel((0.0, -0.1), 0.05, inner=False)
    path = belt_path((*TWO, press))
    assert path is not None
    along = np.linspace(0.0, path.length, 4001)
    points, outward = path.at(along)
    # nowhere inside a wheel, and never far from the next point: the path is closed and touches all three
    for wheel in (*TWO, press):
        gaps = np.linalg.norm(points - np.array(wheel.position), axis=1)
        assert gaps.min() == pytest.approx(wheel.radius, abs=1e-6)
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).max() <= path.length / 4000 + ROUNDING
    assert points[0] == pytest.approx(points[-1], abs=ROUNDING)
    over = int(np.argmin(np.linalg.norm(points - np.array([0.0, -0.05]), axis=1)))
    assert math.sin(outward[over]) == pytest.approx(-1.0, abs=1e-4)


def test_single_wheel_starts_at_its_top() -> None:
    """Four elements stand at the top, ahead, below and behind."""
    found = belt_elements(belt(BeltWheel((1.0, 2.0), 0.5), count=4), 0.0)
    expected = [(1.0, 0, 2.5), (1.5, 0, 2.0), (1.0, 0, 1.5), (0.5, 0, 2.0)]
    assert found[:, :3] == pytest.approx(np.array(expected), abs=ROUNDING)


def test_wheels_at_one_place_count_once() -> None:
    """Also where the last is on the first."""
    twice = (TWO[0], TWO[0], TWO[1], TWO[0])
    ours, plain = belt_path(twice), belt_path(TWO)
    assert ours is not None and plain is not None
    assert ours.length == pytest.approx(plain.length, abs=ROUNDING)


def test_poses_of_belt_and_element_count() -> None:
    """The belt is 1 m aside and turned by a quarter about z; the pad is 0.02 m outside of it."""
    quarter = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    raised = Shape(PAD.geometry, pose=Pose((0.0, 0.0, 0.02)), role=ShapeRole.VISUAL)
    turned = belt(*TWO, count=1, at=Pose((0.0, 1.0, 0.0), quarter), pad=raised)
    (row,) = belt_elements(turned, 0.25)
    assert row[:3] == pytest.approx((0.0, 1.0 - 0.05, 0.12), abs=ROUNDING)
    assert matrix(row[3:])[:, 0] == pytest.approx((0.0, 1.0, 0.0), abs=ROUNDING)


@pytest.mark.parametrize("wheels", [(), TWO])
def test_nothing_to_draw_has_no_rows(wheels: tuple[BeltWheel, ...]) -> None:
    """No wheels, or a count of zero."""
    assert belt_elements(belt(*wheels, count=3 if not wheels else 0), 0.0).shape == (0, 7)
