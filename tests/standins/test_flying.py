"""Quadcopters of our own PROTOs take off and hover."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.standins.driving import FLOOR, Drive

PLACE_MAX = 0.3
"""Most that a hovering quadcopter may be away from 1 m above where it started [m]."""


def hovering(places: list[np.ndarray]) -> np.ndarray:
    """Return where it was during the last third of its flight."""
    return np.array(places[2 * len(places) // 3 :])


def test_mavic_takes_off_and_hovers(tmp_path: Path) -> None:
    """With the gains that public controllers of this drone use, which fit its mass and its rotors."""
    drive = Drive(
        tmp_path, FLOOR + 'Mavic2Pro { controller "driver" translation 0 0 0.042 }', step_ms=8
    )
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
    assert np.linalg.norm(hovering(places) - (0, 0, 1), axis=1).max() < PLACE_MAX


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
