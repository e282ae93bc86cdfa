"""When devices are sampled, how values are finished, and that noise can be repeated."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.base.errors import NameLookupError
from solidbody.control.device_tags import devices_of, robots_of
from solidbody.devices import DeviceError
from tests.devices.worlds import falling_robot, sim_of


def test_the_first_value_comes_after_one_full_period() -> None:
    """Period 20 ms at steps of 8 ms is rounded up to 24 ms."""
    sim = sim_of(falling_robot("GPS { }"))
    gps = sim.device("gps")
    gps.enable(0.020)
    seen = []
    for _ in range(7):
        sim.step()
        seen.append(gps.value[2])
    assert np.isnan(seen[:2]).all()
    assert seen[2] == seen[3] == seen[4]  # held between refreshes
    assert seen[5] < seen[4]
    assert gps.period == pytest.approx(0.024)


def test_many_steps_at_once_sample_as_single_steps_do() -> None:
    """The engine stops the native loop where a device is due."""
    values = []
    for chunks in ([1] * 30, [30], [7, 23]):
        sim = sim_of(
            falling_robot("Accelerometer { lookupTable [ -100 -100 0.1, 100 100 0.1 ] } Gyro { }")
        )
        sim.device("accelerometer").enable(0.016)
        sim.device("gyro").enable(0.024)
        for n in chunks:
            sim.step(n)
        values.append(sim.device("accelerometer").value)
    assert values[0].tobytes() == values[1].tobytes() == values[2].tobytes()


def test_a_device_that_is_off_says_so() -> None:
    """Reading it is a mistake of the program, not a number."""
    sim = sim_of(falling_robot("GPS { }"))
    with pytest.raises(DeviceError, match=r'"gps" is off; call enable\(\)'):
        _ = sim.device("gps").value


def test_an_unknown_device_is_named_with_a_proposal() -> None:
    """As for links and joints."""
    sim = sim_of(falling_robot("GPS { }"))
    with pytest.raises(NameLookupError, match="gps"):
        sim.device("gp")


def test_two_devices_of_one_name_need_their_robot() -> None:
    """The plain name is refused, with the names that are allowed."""
    sim = sim_of(
        'Robot { name "a" translation 1 0 0 children [ GPS { } ] } Robot { name "b" children [ GPS { } ] }'
    )
    with pytest.raises(DeviceError, match="a/gps, b/gps"):
        sim.device("gps")
    sim.device("a/gps").enable()
    sim.step()
    assert sim.device("a/gps").value[0] == 1.0


def test_a_lookup_table_interpolates_and_clamps() -> None:
    """0 -> 0, 10 -> 100: 9.81 reads 98.1; beyond the end the last output holds."""
    table = "lookupTable [ 0 0 0, 10 100 0 ]"
    sim = sim_of(
        "Robot { translation 0 0 1 children [ "
        f'Compass {{ name "c" {table} }} '
        f'Compass {{ name "turned" rotation 0 0 1 3.14159265358979 {table} }} ] }}'
    )
    for name in ("c", "turned"):
        sim.device(name).enable()
    sim.step()
    assert sim.device("c").value == pytest.approx([0.0, 10.0, 0.0], abs=1e-9)
    assert sim.device("turned").value == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_the_noise_of_a_lookup_table_is_relative_to_the_output() -> None:
    """Output 100 with noise 0.05 has a deviation of 5."""
    sim = sim_of("Robot { children [ Compass { lookupTable [ 0 0 0.05, 1 100 0.05 ] } ] }")
    sim.device("compass").enable()
    found = []
    for _ in range(3000):
        sim.step()
        found.append(sim.device("compass").value[1])
    # mean of 3000: 5/sqrt(3000) = 0.09; deviation: 1.3 %; four of each
    assert np.mean(found) == pytest.approx(100.0, abs=0.37)
    assert np.std(found) == pytest.approx(5.0, rel=0.052)


NOISY = "Robot { children [ Compass { lookupTable [ 0 0 0.05, 1 100 0.05 ] } GPS { accuracy 1 } ] }"


def _readings(sim: object) -> bytes:
    out = []
    for _ in range(20):
        sim.step()  # type: ignore[attr-defined]
        out += [sim.device("compass").value, sim.device("gps").value]  # type: ignore[attr-defined]
    return np.concatenate(out).tobytes()


def test_the_same_seed_gives_the_same_noise_after_reset_too() -> None:
    """Another seed gives other noise."""
    sims = [sim_of(NOISY, world=seed) for seed in ("", "", "randomSeed 5")]
    for sim in sims:
        sim.device("compass").enable()
        sim.device("gps").enable(0.016)
    first = _readings(sims[0])
    assert first == _readings(sims[1])
    assert first != _readings(sims[2])
    sims[0].reset()
    assert first == _readings(sims[0])


def test_the_noise_of_a_position_sensor_is_absolute() -> None:
    """A deviation of 0.02 rad, whether the joint stands at 0 or at 3 rad; rounded to 0.5 it is gone."""
    text = """Robot { children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
      device [ RotationalMotor { name "m" maxTorque 1e4 } PositionSensor { name "p" %s } ]
      endPoint Solid { boundingObject Box { size 0.2 0.2 0.2 } physics Physics { } } } ] }"""
    for place in (0.0, 3.0):
        sim = sim_of(text % "noise 0.02", world="physicsDisableTime 0")
        sim.joint("m").position = sim.joint("m").target_position = place
        sim.device("p").enable()
        found = []
        for _ in range(1000):
            sim.step()
            found.append(sim.device("p").value)
        # mean of 1000: 0.02/sqrt(1000) = 6e-4; deviation: 2.2 %; four of each
        assert np.mean(found) == pytest.approx(place, abs=2.6e-3)
        assert np.std(found) == pytest.approx(0.02, rel=0.09)
    sim = sim_of(text % "noise 0.02 resolution 0.5", world="physicsDisableTime 0")
    sim.device("p").enable()
    for _ in range(100):
        sim.step()
        # the next step of 0.5 begins twelve deviations away
        assert sim.device("p").value == 0.0


def test_a_position_sensor_reads_in_steps_of_its_resolution() -> None:
    """0.8 rad in steps of 0.5 rad."""
    text = """Robot { children [ HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 }
      device [ RotationalMotor { name "m" maxTorque 1e4 } PositionSensor { name "p" resolution 0.5 } ]
      endPoint Solid { boundingObject Box { size 0.2 0.2 0.2 }
        physics Physics { } } } ] }"""
    sim = sim_of(text)
    sim.joint("m").target_velocity = 2.0
    sim.device("p").enable()
    sim.run(0.4)
    # the softness of the motor's row (cfm 1e-5) costs about 1e-6
    assert sim.joint("m").position == pytest.approx(0.8, abs=5e-6)
    assert sim.device("p").value == 1.0


def test_devices_of_what_moves_freely_in_a_robot_are_its_own() -> None:
    """A hand with physics that no joint holds: programs find its sensors and motors by the robot."""
    hand = (
        'Solid { name "hand" children [ DistanceSensor { name "eye" } HingeJoint { '
        'device [ RotationalMotor { name "finger" } ] endPoint Solid { name "f" '
        "boundingObject Sphere { radius 0.1 } physics Physics { } } } ] "
        "boundingObject Box { size 0.1 0.1 0.1 } physics Physics { } }"
    )
    sim = sim_of(f'Robot {{ name "stand" children [ {hand} ] }}')
    (place,) = robots_of(sim)
    assert [bound.name for bound in devices_of(sim, place)] == ["eye", "finger"]
