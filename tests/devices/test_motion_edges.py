"""Sensors of motion and place: what their fields change, one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.scalar.motion import GpsDevices
from tests.devices.worlds import falling_robot, sim_of

G = 9.81
SAMPLES = 2000
SPREAD = 4.0 / math.sqrt(2 * SAMPLES)
"""Relative error of a deviation of that many samples: four of its own deviations 1/sqrt(2 n)."""


def _value(sim: sb.Sim, name: str) -> np.ndarray:
    sim.device(name).enable()
    sim.step()
    return np.asarray(sim.device(name).value)


def _samples(sim: sb.Sim, name: str) -> np.ndarray:
    sensor = sim.device(name)
    sensor.enable()
    found: list[np.ndarray] = []
    for _ in range(SAMPLES):
        sim.step()
        found.append(np.asarray(sensor.value))
    return np.array(found)


def _spinning(devices: str) -> str:
    return (
        f"Robot {{ translation 0 0 1 angularVelocity 0.3 -0.74 2.26 children [ {devices} ] "
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }"
    )


def test_a_gyro_reads_through_its_table_in_steps_in_its_own_axes() -> None:
    """A ball keeps its spin: through y = 2 x in steps of 0.5; turned by 90 degrees about z, y is -x."""
    table = "lookupTable [ -5 -10 0, 5 10 0 ] resolution 0.5"
    sim = sim_of(
        _spinning(f'Gyro {{ {table} }} Gyro {{ name "turned" rotation 0 0 1 {math.pi / 2} }}')
    )
    sim.device("turned").enable()
    # 0.6 -> 0.5, -1.48 -> -1.5, 4.52 -> 4.5
    assert _value(sim, "gyro") == pytest.approx([0.5, -1.5, 4.5], abs=1e-12)
    assert sim.device("turned").value == pytest.approx([-0.74, -0.3, 2.26], abs=1e-9)


def test_an_accelerometer_clamps_at_the_ends_of_its_table() -> None:
    """On something that stands still by force of its joint: 9.81 is beyond 5, so 50 is read."""
    robot = (
        "Robot { children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 } "
        "device RotationalMotor { } endPoint Solid { children [ Accelerometer { "
        "lookupTable [ -5 -50 0, 5 50 0 ] } ] boundingObject Sphere { radius 0.1 } "
        "physics Physics { density -1 mass 1 } } } ] }"
    )
    assert _value(sim_of(robot), "accelerometer") == pytest.approx([0.0, 0.0, 50.0], abs=1e-6)


@pytest.mark.parametrize(
    ("field", "kept"),
    [
        ("xAxis", (False, True, True)),
        ("yAxis", (True, True, False)),
        ("zAxis", (True, False, True)),
    ],
)
def test_axes_of_an_inertial_unit_are_mixed_up_as_in_the_original(
    field: str, kept: tuple[bool, bool, bool]
) -> None:
    """Of the rotation axis (1 2 3)/sqrt(14), yAxis FALSE takes z and zAxis FALSE takes y; the angle stays."""
    angle = 0.9
    sim = sim_of(
        f"Robot {{ rotation 1 2 3 {angle} children [ InertialUnit {{ {field} FALSE }} ] }}"
    )
    axis = np.where(kept, (1.0, 2.0, 3.0), 0.0)
    axis = axis / np.linalg.norm(axis) * math.sin(angle / 2)
    assert _value(sim, "inertial unit") == pytest.approx([*axis, math.cos(angle / 2)], abs=1e-12)


def test_the_quaternion_of_an_inertial_unit_comes_in_steps_of_its_resolution() -> None:
    """A turn of 1 rad about z: sin 0.5 = 0.479 -> 0.5 and cos 0.5 = 0.878 -> 0.9 in steps of 0.1."""
    sim = sim_of("Robot { rotation 0 0 1 1 children [ InertialUnit { resolution 0.1 } ] }")
    assert _value(sim, "inertial unit") == pytest.approx([0.0, 0.0, 0.5, 0.9], abs=1e-12)


def test_a_compass_hides_axes_and_steps() -> None:
    """North for a sensor turned by 30 degrees is (0.5, 0.866, 0): in steps of 0.25 without z."""
    robot = f"Robot {{ rotation 0 0 1 {math.pi / 6} children [ Compass {{ resolution 0.25 zAxis FALSE }} ] }}"
    value = _value(sim_of(robot), "compass")
    assert value[:2] == pytest.approx([0.5, 0.75])
    assert math.isnan(value[2])


def _gps(sim: sb.Sim) -> tuple[GpsDevices, int]:
    group, row = sim.devices.group_of(sim.devices.names["gps"])
    assert isinstance(group, GpsDevices)
    return group, row


def test_the_speed_of_a_gps_without_physics_is_a_difference() -> None:
    """Moved by 8 mm in a step of 8 ms: 1 m/s; there is none before the second sample."""
    sim = sim_of('Robot { name "r" children [ GPS { } ] }')
    sim.device("gps").enable()
    sim.step()
    group, row = _gps(sim)
    assert np.isnan(group.values[row, 3:]).all()
    sim["r"].position = (0.008, 0.0, 0.0)
    sim.step()
    assert group.values[row, 3:] == pytest.approx([1.0, 1.0, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("device", ["", "device PositionSensor { }"])
def test_the_end_of_a_joint_without_a_motor_moves_by_its_own_velocity(device: str) -> None:
    """Without physics nothing holds it: 5 m/s across its axis, known from the second sample on."""
    sim = sim_of(
        "Robot { children [ SliderJoint { jointParameters JointParameters { axis 1 0 0 } "
        f"{device} endPoint Solid {{ linearVelocity 0 -5 0 children [ GPS {{ }} ] }} }} ] }}"
    )
    sim.device("gps").enable()
    group, row = _gps(sim)
    sim.step()
    assert np.isnan(group.values[row, 3:]).all()
    sim.step(9)
    # ten steps of 8 ms
    assert group.values[row].tolist() == pytest.approx([0.0, -0.4, 0.0, 5.0, 0.0, -5.0, 0.0])


def test_a_gps_has_steps_for_places_and_for_speeds() -> None:
    """1.2345 m in steps of 0.1; after one step v = g·h = 0.078 m/s, in steps of 0.05; the vector is exact."""
    gps = "GPS { resolution 0.1 speedResolution 0.05 }"
    sim = sim_of(falling_robot(gps, at="translation 1.2345 -0.26 5"))
    value = _value(sim, "gps")
    assert value == pytest.approx([1.2, -0.3, 5.0], abs=1e-12)
    group, row = _gps(sim)
    assert group.values[row, 3] == pytest.approx(0.1)
    assert group.values[row, 4:] == pytest.approx([0.0, 0.0, -G * 0.008])


def test_the_noise_of_speed_is_relative_and_not_in_the_vector() -> None:
    """speedNoise 0.1 on a body that flies at 2 m/s without gravity."""
    robot = (
        "Robot { linearVelocity 2 0 0 children [ GPS { speedNoise 0.1 } ] "
        "boundingObject Sphere { radius 0.1 } physics Physics { density -1 mass 1 } }"
    )
    sim = sim_of(robot, world="gravity 0")
    sim.device("gps").enable()
    group, row = _gps(sim)
    speeds: list[float] = []
    for _ in range(SAMPLES):
        sim.step()
        speeds.append(float(group.values[row, 3]))
        assert group.values[row, 4:].tolist() == pytest.approx([2.0, 0.0, 0.0])
    assert np.std(speeds) == pytest.approx(0.2, rel=SPREAD)
    assert np.mean(speeds) == pytest.approx(2.0, abs=4 * 0.2 / math.sqrt(SAMPLES))


def test_an_altimeter_has_noise_around_its_reference() -> None:
    """accuracy 0.5 m at z = 2 with a reference of 100 m."""
    world = 'gpsCoordinateSystem "local" gpsReference 0 0 100'
    sim = sim_of("Robot { translation 0 0 2 children [ Altimeter { accuracy 0.5 } ] }", world=world)
    found = _samples(sim, "altimeter")
    assert np.mean(found) == pytest.approx(102.0, abs=4 * 0.5 / math.sqrt(SAMPLES))
    assert np.std(found) == pytest.approx(0.5, rel=SPREAD)


def test_all_gps_share_the_memory_of_their_noise() -> None:
    """With full correlation nothing new is added: two receivers at one place err by the same."""
    gps = 'GPS { name "%s" accuracy 2 noiseCorrelation %s }'
    sim = sim_of(f"Robot {{ children [ {gps % ('a', 0)} {gps % ('b', 1)} ] }}")
    for name in "ab":
        sim.device(name).enable()
    sim.step()
    assert np.abs(sim.device("a").value).min() > 0.0
    assert sim.device("b").value == pytest.approx(sim.device("a").value, abs=1e-15)
