"""Muscles are seen: as long as the way between their ends, as thick as their volume asks for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.surfaces.muscles import Muscles, thickness
from tests.devices.worlds import sim_of


def _arm(fields: str = "", *, physics: str = "physics Physics { density -1 mass 1 }") -> sb.Sim:
    """A link 1 m to the right (y) of a joint that turns about x; a camera that looks along x."""
    muscle = f"Muscle {{ volume 0.02 startOffset 0 0 0.5 color [ 0 0 1, 1 0 0, 0 1 0 ] {fields} }}"
    return sim_of(
        "Background { skyColor [ 1 1 1 ] } Robot { children [ Camera { translation -4 0.5 0.25 "
        "width 100 height 100 fieldOfView 0.5 } HingeJoint { jointParameters HingeJointParameters "
        f"{{ axis 1 0 0 }} device [ RotationalMotor {{ maxTorque 20 muscles [ {muscle} ] }} ] endPoint "
        f"Solid {{ translation 0 1 0 boundingObject Sphere {{ radius 0.05 }} {physics} }} }} ] }}",
        step_ms=8,
    )


def _muscles(sim: sb.Sim) -> Muscles:
    return next(group for group in sim.devices.groups if isinstance(group, Muscles))


def test_a_muscle_is_a_spheroid_of_its_volume_between_its_ends() -> None:
    """From (0, 0, 0.5) to (0, 1, 0): the outline of an ellipse with half axes L/2 and b."""
    sim = _arm()
    sim.device("camera").enable()
    sim.step()
    first, second = _muscles(sim).ends(0)
    assert first == pytest.approx([0.0, 0.0, 0.5])
    assert second == pytest.approx([0.0, 1.0, 0.0], abs=1e-3)
    length = math.hypot(1.0, 0.5)
    b = thickness(0.02, length)
    assert 4.0 / 3.0 * math.pi * 0.5 * length * b * b == pytest.approx(0.02)
    seen = sim.device("camera").value.min(axis=2) < 200
    # 100 pixels across 2 * 4 m * tan(0.25)
    pixel = 8.0 * math.tan(0.25) / 100.0
    # the near side is b = 9 cm nearer than the middle, and edges are pixels: 3 %
    assert seen.sum() * pixel**2 == pytest.approx(math.pi * 0.5 * length * b, rel=0.03)
    rows, columns = np.nonzero(seen)
    assert rows.mean() == pytest.approx(49.5, abs=1.0)
    assert columns.mean() == pytest.approx(49.5, abs=1.0)


def test_its_colour_tells_how_hard_the_motor_works() -> None:
    """1 kg held out at 1 m: 9.81 of 20 N*m; idle blue, and red in that share at first."""
    sim = _arm()
    sim.run(1.0)
    muscles = _muscles(sim)
    share = 9.81 / 20.0
    assert muscles.share(0) == pytest.approx(share, rel=1e-3)
    assert sim.device("muscle of rotational motor").value == pytest.approx(share, rel=1e-3)
    assert muscles.color(0) == pytest.approx((share, 0.0, 1.0 - share), rel=1e-3)


def test_a_muscle_that_is_not_visible_is_not_drawn() -> None:
    """Nothing but sky."""
    sim = _arm("visible FALSE")
    sim.device("camera").enable()
    sim.step()
    assert (sim.device("camera").value == 255).all()


@pytest.mark.parametrize(
    ("joint", "fields", "length"),
    [
        # its end swings from z = 1 to y = -1; the muscle begins at y = 1
        ("Hinge", "minPosition 0 maxPosition 1.5707963", math.sqrt(2.0)),
        # 0.5 m along from its place 1 m up
        ("Slider", "minPosition -0.5 maxPosition 2", math.hypot(1.0, 1.5)),
    ],
)
def test_an_old_muscle_has_its_radius_where_it_is_shortest(
    joint: str, fields: str, length: float
) -> None:
    slides = joint == "Slider"
    parameters = "JointParameters { axis 0 0 1 }" if slides else "HingeJointParameters { }"
    motor = "LinearMotor" if slides else "RotationalMotor"
    sim = sim_of(
        f"Robot {{ children [ {joint}Joint {{ jointParameters {parameters} device [ {motor} {{ {fields} "
        "muscles [ Muscle { maxRadius 0.1 startOffset 0 1 0 } ] } ] "
        "endPoint Solid { translation 0 0 1 } } ] }"
    )
    (device,) = _muscles(sim).devices
    assert thickness(device.volume, length) == pytest.approx(0.1)


def test_an_old_muscle_of_a_motor_without_limits_is_not_drawn() -> None:
    sim = _arm("maxRadius 0.1")
    assert _muscles(sim).devices[0].is_visible  # the volume is written too
    text = (
        "Robot { children [ HingeJoint { device [ RotationalMotor { muscles [ Muscle { maxRadius 1 } ] } "
        "] endPoint Solid { translation 0 1 0 } } ] }"
    )
    assert not _muscles(sim_of(text)).devices[0].is_visible
