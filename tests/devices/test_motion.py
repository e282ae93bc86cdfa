"""Sensors of motion and place."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.devices.scalar.geodesy import from_utm, to_utm, zone_of
from solidbody.devices.scalar.motion import roll_pitch_yaw
from tests.devices.worlds import falling_robot, resting_robot, sim_of

G = 9.81


def test_an_accelerometer_in_free_fall_reads_nothing() -> None:
    """Gravity is the only force, and the sensor does not feel it."""
    sim = sim_of(falling_robot("Accelerometer { translation 0.3 0 0 }"))
    sensor = sim.device("accelerometer")
    sensor.enable()
    sim.step(10)
    # rounding of v'=v+hg at 1 m/s over 8 ms: 1e-16/8e-3
    assert np.abs(sensor.value).max() < 1e-12


def test_an_accelerometer_at_rest_reads_g_upwards_in_its_own_axes() -> None:
    """Turned by 0.4 rad about y, the upward acceleration falls on x and z."""
    sim = sim_of(resting_robot("Accelerometer { rotation 0 1 0 0.4 }"))
    sensor = sim.device("accelerometer")
    sensor.enable()
    sim.run(2.0)
    expected = [-G * math.sin(0.4), 0.0, G * math.cos(0.4)]
    # the box still settles into the floor by less than 1e-6 m/s per step
    assert sensor.value == pytest.approx(expected, abs=1e-4)


ARM = """
Robot {{ children [ HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 0 1 }}
  device RotationalMotor {{ name "motor" maxVelocity 100 maxTorque 1e5 }}
  endPoint Solid {{ translation 0 0 0 name "arm"
    children [ {devices} ] boundingObject Box {{ size 0.2 0.1 0.1 }}
    physics Physics {{ density -1 mass 1 }} }} }} ] }}
"""


def test_on_a_rotating_arm_the_accelerometer_feels_the_centripetal_force() -> None:
    """At radius r and speed w the acceleration is w^2 r towards the axis."""
    radius, speed = 0.5, 3.0
    sim = sim_of(
        ARM.format(devices=f"Accelerometer {{ translation {radius} 0 0 }} Gyro {{ }}"), step_ms=1
    )
    sim.joint("motor").target_velocity = speed
    sim.device("accelerometer").enable()
    sim.device("gyro").enable()
    sim.run(0.5)
    # the change of velocity over a step turns half a step against the present axes: w h/2 = 1.5e-3
    expected = [-(speed**2) * radius, 0.0, G]
    assert sim.device("accelerometer").value == pytest.approx(
        expected, abs=1.6e-3 * speed**2 * radius
    )
    assert sim.device("gyro").value == pytest.approx([0.0, 0.0, speed], abs=1e-9)


def test_without_physics_an_accelerometer_reads_nan() -> None:
    """Nothing accelerates what no force moves."""
    sim = sim_of("Robot { children [ Accelerometer { } ] }")
    sim.device("accelerometer").enable()
    sim.step(3)
    assert np.isnan(sim.device("accelerometer").value).all()


def test_disabled_axes_read_nan() -> None:
    """The other axes are not touched."""
    sim = sim_of(falling_robot("Gyro { yAxis FALSE }"))
    sim.device("gyro").enable()
    sim.step()
    assert np.isnan(sim.device("gyro").value).tolist() == [False, True, False]


def test_an_inertial_unit_gives_roll_pitch_and_yaw() -> None:
    """A device that is turned by known angles reports them."""
    roll, pitch, yaw = 0.3, -0.5, 1.2
    q = _euler(roll, pitch, yaw)
    angle = 2 * math.acos(q[0])
    axis = np.array(q[1:]) / math.sin(angle / 2)
    turn = " ".join(f"{x:.17g}" for x in (*axis, angle))
    sim = sim_of(falling_robot("InertialUnit { }", at=f"rotation {turn}"))
    sim.device("inertial unit").enable()
    sim.step()
    assert roll_pitch_yaw(sim.device("inertial unit").value) == pytest.approx(
        (roll, pitch, yaw), abs=1e-12
    )


def _euler(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    import mujoco

    q = np.zeros(4)
    mujoco.mju_euler2Quat(q, np.array([yaw, pitch, roll]), "zyx")
    w, x, y, z = q.tolist()
    return w, x, y, z


def test_the_noise_of_an_inertial_unit_is_given_in_half_turns() -> None:
    """Noise 0.01 turns the reading by angles with a deviation of 0.01 pi."""
    sim = sim_of("Robot { children [ InertialUnit { noise 0.01 } ] }")
    sim.device("inertial unit").enable()
    yaws = []
    for _ in range(2000):
        sim.step()
        yaws.append(roll_pitch_yaw(sim.device("inertial unit").value)[2])
    # deviation of 2000 samples: sigma/sqrt(4000) = 1.6 % of sigma; four of them
    assert np.std(yaws) == pytest.approx(0.01 * math.pi, rel=0.065)


def test_a_compass_points_north_in_its_own_axes() -> None:
    """North is +y in the ENU world; a sensor turned by 30 degrees sees it to its right."""
    sim = sim_of(f"Robot {{ rotation 0 0 1 {math.pi / 6} children [ Compass {{ }} ] }}")
    sim.device("compass").enable()
    sim.step()
    assert sim.device("compass").value == pytest.approx([0.5, math.sqrt(3) / 2, 0.0], abs=1e-12)


def test_gps_adds_the_reference_and_knows_the_speed() -> None:
    """A falling robot: position of the sensor, speed g t."""
    sim = sim_of(falling_robot("GPS { translation 0.2 0 0 }"), world="gpsReference 10 20 30")
    sim.device("gps").enable()
    sim.step(50)
    t = 50 * 0.008
    value = sim.device("gps").values
    assert value[:2] == pytest.approx([10.2, 20.0])
    # the integrator takes the new velocity: z = z0 - g t (t + h)/2
    assert value[2] == pytest.approx(31.0 - G * t * (t + 0.008) / 2, abs=1e-9)
    assert value[3] == pytest.approx(G * t, abs=1e-9)
    assert value[4:] == pytest.approx([0.0, 0.0, -G * t], abs=1e-9)


def test_gps_on_the_globe_gives_latitude_longitude_and_altitude() -> None:
    """100 m to the north of the reference is 100 m / (meridian radius) further north."""
    world = 'gpsCoordinateSystem "WGS84" gpsReference 46.5 6.6 400'
    sim = sim_of("Robot { translation 0 100 5 children [ GPS { } ] }", world=world)
    sim.device("gps").enable()
    sim.step()
    latitude, longitude, altitude = sim.device("gps").value[:3]
    e2 = (2 - 1 / 298.257223563) / 298.257223563
    meridian = 6378137.0 * (1 - e2) / (1 - e2 * math.sin(math.radians(46.5)) ** 2) ** 1.5
    # grid north is not quite true north and the grid is scaled by up to 4e-4
    assert math.radians(latitude - 46.5) * meridian == pytest.approx(100.0, rel=1e-3)
    assert longitude == pytest.approx(6.6, abs=5e-5)
    assert altitude == pytest.approx(405.0)


@pytest.mark.parametrize(
    ("latitude", "longitude"), [(0.0, 3.0), (46.5, 6.6), (-33.9, 151.2), (70.0, -150.1)]
)
def test_utm_there_and_back(latitude: float, longitude: float) -> None:
    """The series and its inverse agree to a tenth of a millimetre."""
    zone = zone_of(longitude)
    east, north = to_utm(latitude, longitude, zone)
    back = from_utm(east, north, zone, south=latitude < 0)
    assert back == pytest.approx((latitude, longitude), abs=1e-9)


def test_utm_on_the_central_meridian_is_the_scaled_meridian_arc() -> None:
    """The arc from the equator to 45 degrees is 4984944.378 m on WGS84; the grid scale is 0.9996."""
    east, north = to_utm(45.0, 3.0, 31)
    assert north == pytest.approx(0.9996 * 4984944.378, abs=1e-3)
    assert east == pytest.approx(500000.0, abs=1e-6)


@pytest.mark.slow
def test_gps_noise_has_the_given_deviation_and_correlation() -> None:
    """Correlation 0.5 after one second: 0.5^h from one sample to the next."""
    sim = sim_of("Robot { children [ GPS { accuracy 2 noiseCorrelation 0.5 } ] }", step_ms=500)
    sim.device("gps").enable()
    found = []
    for _ in range(4000):
        sim.step()
        found.append(sim.device("gps").value[0])
    x = np.array(found)
    # 4000 samples with correlation 0.7 are worth about 700 independent ones: 2.7 % per deviation
    assert x.std() == pytest.approx(2.0, rel=0.11)
    assert np.corrcoef(x[1:], x[:-1])[0, 1] == pytest.approx(math.sqrt(0.5), abs=0.05)


def test_an_altimeter_reads_height_in_steps_of_its_resolution() -> None:
    """1.234 m in steps of 0.1 is 1.2."""
    sim = sim_of("Robot { translation 3 4 1.234 children [ Altimeter { resolution 0.1 } ] }")
    sim.device("altimeter").enable()
    sim.step()
    assert sim.device("altimeter").value == pytest.approx(1.2)
