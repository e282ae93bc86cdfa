"""Sensors of Choreonoid against Choreonoid itself: a double pendulum that swings freely.

Reference: the AIST solver of Choreonoid (commit 25994f3e), semi-implicit Euler, 1 ms, from rest at
90 degrees; columns fx, fz, ty of the force sensor, ax, az of the accelerometer, wz of the turned rate gyro.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb

PENDULUM = """
format: ChoreonoidBody
format_version: 2.0
name: pendulum2
links:
  - name: BASE
    joint_type: fixed
  - name: L1
    parent: BASE
    joint_type: revolute
    joint_axis: Y
    joint_id: 0
    joint_displacement: 90
    mass: 1.0
    center_of_mass: [ 0, 0, -0.25 ]
    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.001 ]
    elements:
      - { type: AccelerationSensor, name: ACC, id: 0, translation: [ 0, 0, -0.5 ] }
      - { type: RateGyroSensor, name: GYRO, id: 0, rotation: [ 1, 0, 0, 90 ] }
      - { type: ForceSensor, name: FORCE, id: 0 }
  - name: L2
    parent: L1
    translation: [ 0, 0, -0.5 ]
    joint_type: revolute
    joint_axis: Y
    joint_id: 1
    rotor_inertia: 0.0001
    gear_ratio: 10
    mass: 0.5
    center_of_mass: [ 0, 0, -0.25 ]
    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.0005 ]
"""

REFERENCE = (
    (
        0.005,
        (
            3.43324049171,
            -0.0072217246778,
            -1.36106403925e-14,
            -9.80664945237,
            0.00327731467765,
            0.111397697894,
        ),
    ),
    (
        0.2,
        (
            3.02990513755,
            -14.3067247963,
            -1.06581410364e-14,
            -8.87626747376,
            4.16920375572,
            4.21096396044,
        ),
    ),
    (0.5, (-0.92214504107, -33.9871576838, 0, 2.4236575187, 9.50243486979, 3.22205248422)),
    (
        1.0,
        (
            -3.06843187522,
            -4.54757184587,
            2.57571741713e-14,
            9.39605364633,
            2.80794588583,
            -2.02490898892,
        ),
    ),
)

ROUNDING = 1e-9
"""The reference has twelve digits, of forces up to 20 N."""


@pytest.mark.slow
def test_force_acceleration_and_turn_of_a_double_pendulum(tmp_path: Path) -> None:
    """Forces belong to the pose and velocities at the start of a step, the others to those at its end."""
    (tmp_path / "pendulum2.body").write_text(PENDULUM)
    sim = sb.Sim(sb.load(tmp_path / "pendulum2.body"))
    sim.joint("L1").position = np.pi / 2
    force, acceleration, gyro = (sim.device(name) for name in ("FORCE", "ACC", "GYRO"))
    for time, expected in REFERENCE:
        sim.step(round(time / sim.time_step) - sim.step_count)
        f, a, w = force.values, acceleration.values, gyro.values
        found = (f[0], f[2], f[4], a[0], a[2], w[2])
        assert found == pytest.approx(expected, abs=ROUNDING)
        assert np.abs([f[1], f[3], f[5], a[1], w[0], w[1]]).max() < ROUNDING


def test_a_force_sensor_feels_with_joints_whose_position_is_given(tmp_path: Path) -> None:
    """In Choreonoid it reads 0 then. Held hanging, 1.5 kg pull down."""
    path = tmp_path / "held.body"
    held = PENDULUM.replace("joint_displacement: 90", "").replace(
        "joint_type: revolute", "joint_type: revolute\n    actuation_mode: joint_displacement"
    )
    path.write_text(held)
    sim = sb.Sim(sb.load(path))
    force = sim.device("FORCE")
    sim.run(0.05)
    assert force.values[:3] == pytest.approx([0.0, 0.0, -1.5 * 9.80665], abs=1e-6)
