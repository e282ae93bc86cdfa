"""Distances through every lens against a floor and a ball, whose distances are closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.devices.imaging.optics import image_directions
from solidbody.devices.imaging.recognition import View
from solidbody.model.devices import DeviceCamera, Projection
from solidbody.render.ray_engine import RayEngine
from tests.devices.worlds import sim_of

FLOOR = "Solid { translation 0 0 -1.5 children [ Shape { geometry Plane { size 4000 4000 } } ] }"
BALL = 'Solid { name "b" translation 4 1 0.5 children [ Shape { geometry Sphere { radius 1 } } ] }'
FAR = 100.0
ROUNDING = 2e-5
"""Relative: 32-bit rays that graze the floor at 1 degree lose two of seven digits."""


def _expected(d: np.ndarray) -> np.ndarray:
    """The nearer of |p| = 1.5/-z on the floor and the first root of |t d - c| = 1 on the ball."""
    center = np.array([4.0, 1.0, 0.5])
    with np.errstate(divide="ignore", invalid="ignore"):
        floor = np.where(d[..., 2] < 0.0, -1.5 / d[..., 2], np.inf)
    along = d @ center
    rest = along**2 - (center @ center - 1.0)
    ball = np.where((rest >= 0.0) & (along > 0.0), along - np.sqrt(np.maximum(rest, 0.0)), np.inf)
    nearest = np.minimum(floor, ball)
    return np.where(nearest < FAR, nearest, np.inf)


@pytest.mark.parametrize(
    ("projection", "angle"),
    [
        (Projection.PLANAR, 1.5),
        (Projection.CYLINDRICAL, 4.0),
        (Projection.SPHERICAL, 6.28),
        (Projection.FISHEYE, math.pi),
        (Projection.DUAL_FISHEYE, math.pi),
    ],
)
def test_distances_of_a_floor_and_a_ball(projection: Projection, angle: float) -> None:
    """Every pixel but those on the outline of the ball or at the end of the reach."""
    sim = sim_of(FLOOR + BALL)
    rays = RayEngine(sim.scene)
    rays.update(sim.poses())
    directions, inside = image_directions(projection, 96, 64, angle)
    found, _ = rays.scan(rays.bundle(directions), np.zeros(3), np.eye(3), near=0.01, far=FAR)
    found = found.reshape(directions.shape[:2])
    expected = _expected(directions)
    seen = np.ones(found.shape, dtype=bool) if inside is None else inside
    with np.errstate(invalid="ignore"):
        is_same = (found == expected) | (np.abs(found - expected) <= ROUNDING * expected)
    assert is_same[seen].mean() > 0.998
    assert np.isfinite(expected[seen]).mean() > 0.3


@pytest.mark.parametrize(
    ("projection", "angle"),
    [(Projection.PLANAR, 1.5), (Projection.CYLINDRICAL, 4.0), (Projection.SPHERICAL, 3.0)],
)
def test_what_a_pixel_sees_is_recognised_there(projection: Projection, angle: float) -> None:
    """The way from directions to pixels undoes the way from pixels to directions.

    Webots counts from 0 to the size less 1: the middle of pixel k of n is at (n - 1)(k + 0.5)/n, cut off.
    """
    directions, _ = image_directions(projection, 12, 8, angle)
    camera = DeviceCamera(name="eye", width=12, height=8, projection=projection)
    view = View(camera, angle, np.zeros(3), np.eye(3), -1)
    for row in range(8):
        for column in range(12):
            found = view.project(7.0 * directions[row, column])
            assert found == (int(11 * (column + 0.5) / 12), int(7 * (row + 0.5) / 8))
