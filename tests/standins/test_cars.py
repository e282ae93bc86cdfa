"""Cars of our own PROTOs drive under Webots' vehicle library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from tests.standins.driving import FLOOR, Drive, heading

# PROTO -> distance of its axles [m]
CARS = {
    "BmwX5": 2.933,
    "CitroenCZero": 2.55,
    "LincolnMKZ": 2.85,
    "RangeRoverSportSVR": 2.923,
    "TeslaModel3": 2.875,
    "ToyotaPrius": 2.7,
}

DRIVER = """
from vehicle import Driver
driver = Driver()
driver.setCruisingSpeed(18)
driver.setSteeringAngle({angle})
while driver.step() != -1:
    pass
"""


@pytest.mark.parametrize("proto", CARS)
def test_car_cruises_straight_ahead(tmp_path: Path, proto: str) -> None:
    """At 18 km/h it moves at 5 m/s within 3 % after six seconds, and has not left its line."""
    drive = Drive(tmp_path, FLOOR + f'{proto} {{ controller "driver" }}', step_ms=10)
    sim = drive.run(DRIVER.format(angle=0), 6, prelude="")
    assert sim["vehicle"].linear_velocity[0] == pytest.approx(5, rel=0.03)
    assert abs(sim["vehicle"].position[1]) < 0.1


def test_car_turns_about_the_point_of_its_steering(tmp_path: Path) -> None:
    """Positive angles steer to the right; it turns by v·tan(angle)/L per second within 10 %.

    The wheels slip sideways while it speeds up and its body rolls, which takes a few percent.
    """
    drive = Drive(tmp_path, FLOOR + 'BmwX5 { controller "driver" }', step_ms=10)
    headings: list[float] = []

    def watch(sim: sb.Sim) -> None:
        headings.append(heading(sim["vehicle"].orientation))

    sim = drive.run(DRIVER.format(angle=0.2), 6, watch, prelude="")
    turn = np.unwrap(headings)
    rate = (turn[-1] - turn[-101]) / 1.0
    speed = float(np.linalg.norm(sim["vehicle"].linear_velocity[:2]))
    assert rate == pytest.approx(-speed * np.tan(0.2) / CARS["BmwX5"], rel=0.1)


def test_car_brakes(tmp_path: Path) -> None:
    """Ten seconds after 18 km/h with full brakes it stands."""
    drive = Drive(tmp_path, FLOOR + 'ToyotaPrius { controller "driver" }', step_ms=10)
    sim = drive.run(
        """
        from vehicle import Driver
        driver = Driver()
        driver.setCruisingSpeed(18)
        while driver.step() != -1:
            if driver.getTime() > 4:
                driver.setCruisingSpeed(0)
                driver.setBrakeIntensity(1)
        """,
        12,
        prelude="",
    )
    assert np.linalg.norm(sim["vehicle"].linear_velocity) < 0.1
    assert sim["vehicle"].position[0] > 5
