"""Quadcopters of our own PROTOs take off and hover."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from tests.standins.driving import AIR, FLOOR, Drive, complaints, load_world, write_world

PLACE_MAX = 0.3
"""Most that a hovering quadcopter may be away from 1 m above where it started [m]."""


def hovering(places: list[np.ndarray]) -> np.ndarray:
    """Return where it was during the last third of its flight."""
    return np.array(places[2 * len(places) // 3 :])


def test_mavic_takes_off_and_hovers(tmp_path: Path) -> None:
    """With the gains of public controllers of this drone, and the damping that its worlds have."""
    nodes = FLOOR + 'Mavic2Pro { controller "driver" translation 0 0 0.07 }'
    drive = Drive(tmp_path, nodes, step_ms=8, info=AIR)
    places: list[np.ndarray] = []
    drive.run(
        """
        imu, gps, gyro = sensors("inertial unit", "gps", "gyro")
        rotors = wheels(*[f"{x} propeller"
                          for x in ("front left", "front right", "rear left", "rear right")])
        clamp = lambda x, most: max(-most, min(most, x))
        robot.step(step)
        while robot.step(step) != -1:
            roll, pitch, yaw = imu.getRollPitchYaw()
            x, y, z = gps.getValues()
            p, q, r = gyro.getValues()
            lift = 68.5 + 3 * clamp(1 - z + 0.6, 1) ** 3
            rolls = 50 * clamp(roll, 1) + p
            pitches = 30 * clamp(pitch, 1) + q
            yaws = -yaw
            rotors[0].setVelocity(lift - rolls + pitches - yaws)
            rotors[1].setVelocity(-(lift + rolls + pitches + yaws))
            rotors[2].setVelocity(-(lift - rolls - pitches + yaws))
            rotors[3].setVelocity(lift + rolls - pitches - yaws)
        """,
        18,
        lambda sim: places.append(sim["Mavic 2 PRO"].position),
    )
    flight = hovering(places)
    # that program holds no place: it drifts at some cm/s, as the real one does
    assert np.abs(flight[:, 2] - 1.0).max() < PLACE_MAX
    assert np.linalg.norm(flight[-1, :2] - flight[0, :2]) < 0.1 * 6.0


def test_mavic_sits_on_its_front_legs_and_its_belly(tmp_path: Path) -> None:
    """Which are 70 mm below its frame and 57 mm: it leans back by 0.07 rad, as worlds have it."""
    scene, log = load_world(write_world(tmp_path, FLOOR + "Mavic2Pro { translation 0 0 0.08 }"))
    assert complaints(log) == []
    sim = sb.Sim(scene)
    sim.run(2.0)
    drone = sim["Mavic 2 PRO"]
    assert float(drone.position[2]) == pytest.approx(0.066, abs=0.003)
    w, _, y, _ = (float(x) for x in drone.orientation)
    assert 2 * np.arctan2(y, w) == pytest.approx(-0.07, abs=0.01)


def test_crazyflie_takes_off_and_hovers(tmp_path: Path) -> None:
    drive = Drive(tmp_path, FLOOR + 'Crazyflie { controller "driver" }', step_ms=8)
    places: list[np.ndarray] = []
    drive.run(
        """
        imu, gps, gyro = sensors("inertial_unit", "gps", "gyro")
        rotors = wheels("m1_motor", "m2_motor", "m3_motor", "m4_motor")
        robot.step(step)
        while robot.step(step) != -1:
            roll, pitch, yaw = imu.getRollPitchYaw()
            x, y, z = gps.getValues()
            vx, vy, vz = gps.getSpeedVector()
            p, q, r = gyro.getValues()
            lift = 55.4 + 10 * (1 - z) - 5 * vz
            to_roll = max(-0.2, min(0.2, 0.3 * y + 0.3 * vy))
            to_pitch = max(-0.2, min(0.2, -0.3 * x - 0.3 * vx))
            rolls = 2 * (to_roll - roll) - 0.4 * p
            pitches = 2 * (to_pitch - pitch) - 0.4 * q
            yaws = -yaw - 0.5 * r
            rotors[0].setVelocity(-(lift - rolls - pitches + yaws))
            rotors[1].setVelocity(lift - rolls + pitches - yaws)
            rotors[2].setVelocity(-(lift + rolls + pitches + yaws))
            rotors[3].setVelocity(lift + rolls - pitches - yaws)
        """,
        15,
        lambda sim: places.append(sim["Crazyflie"].position),
    )
    assert np.linalg.norm(hovering(places) - (0, 0, 1), axis=1).max() < PLACE_MAX
