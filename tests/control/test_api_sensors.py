"""Sensors that report numbers, from controllers in processes of their own."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.control.projects import Project

DEVICES = """
Accelerometer { name "accelerometer" lookupTable [ -100 -100 0.0 100 100 0.0 ] }
Gyro { name "gyro" } Compass { name "compass" } GPS { name "gps" translation 0 0 3 }
InertialUnit { name "imu" rotation 0 0 1 0.5 noise 0.0 } Altimeter { name "altimeter" translation 0 0 4 }
DistanceSensor { name "distance" translation 0 0 2 aperture 0.25 type "laser"
  lookupTable [ 0 100 0, 2 300 0 ] }
DistanceSensor { name "sonar" type "sonar" }
LightSensor { name "light" model "eye" lookupTable [ 0 0 0, 1 10 0 ] }
TouchSensor { name "bumper" } TouchSensor { name "force" type "force-3d" }
"""
WALL = 'Solid { name "wall" translation 1.01 0 2 boundingObject Box { size 0.02 4 1 } }'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_values_of_every_sensor(project: Project) -> None:
    """Not a number before the first sample, then what physics says of a robot on a fixed base.

    The last value of a sensor that is turned off stays.
    """
    out = project.exercise(
        """
        names = ["gps", "imu", "altimeter", "distance", "light", "bumper", "gyro", "compass"]
        sensors = {name: robot.getDevice(name) for name in names}
        out["off"] = sensors["distance"].getValue()
        for sensor in sensors.values():
            sensor.enable(8)
        out["before"] = sensors["gps"].getValues()
        robot.step(8)
        robot.step(8)
        gps, imu = sensors["gps"], sensors["imu"]
        out["gps"] = [gps.getValues(), gps.getSpeed(), gps.getSpeedVector(),
            gps.getCoordinateSystem() == GPS.LOCAL]
        out["gps properties"] = [gps.values, gps.speed, gps.speed_vector, gps.coordinate_system]
        out["degrees"] = [GPS.convertToDegreesMinutesSeconds(6.5125),
            GPS.convertToDegreesMinutesSeconds(-6.5125)]
        out["imu"] = [imu.getRollPitchYaw(), imu.getQuaternion(), imu.getNoise()]
        out["imu same"] = [imu.roll_pitch_yaw == imu.getRollPitchYaw(),
            imu.quaternion == imu.getQuaternion(), imu.noise == imu.getNoise()]
        for name in ("altimeter", "distance", "light", "bumper"):
            out[name] = [sensors[name].getValue(), sensors[name].value]
        for name in ("gyro", "compass"):
            out[name] = sensors[name].getValues()
        sensors["gps"].disable()
        out["over"] = [gps.getSamplingPeriod(), gps.getValues(), sensors["gyro"].sampling_period]
        gps.enable(-5)
        """,
        devices=DEVICES,
        nodes=WALL,
    )
    assert math.isnan(out["off"]) and all(map(math.isnan, out["before"]))
    assert out["gps"] == [[0, 0, 3], 0, [0, 0, 0], True]
    assert out["gps properties"] == [[0, 0, 3], 0, [0, 0, 0], 0]
    assert out["degrees"] == ["6° 30′ 45″", "-6° -30′ -45″"], "each part has the sign"
    angles, quaternion, noise = out["imu"]
    assert angles == pytest.approx([0, 0, 0.5])
    assert quaternion == pytest.approx([0, 0, math.sin(0.25), math.cos(0.25)])
    assert noise == 0 and all(out["imu same"])
    assert out["altimeter"] == [4, 4]
    # 1 m of 2 m: half-way from 100 to 300
    assert out["distance"] == pytest.approx([200, 200])
    assert out["bumper"] == [0, 0]
    assert out["gyro"] == [0, 0, 0]
    # north is +x in an ENU world with Webots' default
    assert math.hypot(*out["compass"]) == pytest.approx(1)
    assert out["over"] == [0, [0, 0, 3], 8]
    errors = "\n".join(project.errors())
    assert 'DistanceSensor.getValue() called for the disabled device "distance"' in errors
    assert 'GPS.getValues() called for the disabled device "gps"' in errors
    assert "the sampling period must not be negative" in errors


def test_what_sensors_tell_of_themselves(project: Project) -> None:
    """Tables, types, ranges; `Device(name)` finds the robot's own device."""
    out = project.exercise(
        """
        distance, sonar = robot.getDevice("distance"), robot.getDevice("sonar")
        out["distance"] = [distance.getMinValue(), distance.getMaxValue(), distance.getAperture(),
            distance.getType() == DistanceSensor.LASER, distance.getLookupTable()]
        out["properties"] = [distance.min_value, distance.max_value, distance.aperture,
            distance.type, distance.lookup_table]
        out["sonar"] = sonar.getType() == DistanceSensor.SONAR
        light, accelerometer = robot.getDevice("light"), robot.getDevice("accelerometer")
        out["tables"] = [light.getLookupTable(), light.lookup_table,
            accelerometer.getLookupTable(), robot.getDevice("gyro").lookup_table]
        bumper, force = robot.getDevice("bumper"), robot.getDevice("force")
        out["touch"] = [bumper.getType() == TouchSensor.BUMPER, force.type == TouchSensor.FORCE3D,
            bumper.getLookupTable(), bumper.getValues()]
        force.enable(8)
        robot.step(8)
        out["force"] = [len(force.getValues()), len(force.values)]
        out["device"] = [light.getName(), light.name, light.getModel(), light.model]
        again = LightSensor("light")
        out["again"] = [again is light, light.getSamplingPeriod()]
        out["faster"] = [LightSensor("light", 16) is light, light.sampling_period]
        out["unknown"] = LightSensor("lite")
        """,
        devices=DEVICES,
    )
    assert out["distance"] == [100, 300, 0.25, True, [0, 100, 0, 2, 300, 0]]
    assert out["properties"] == [100, 300, 0.25, 3, [0, 100, 0, 2, 300, 0]]
    assert out["sonar"]
    light = [0, 0, 0, 1, 10, 0]
    assert out["tables"] == [light, light, [-100, -100, 0, 100, 100, 0], []]
    assert out["touch"] == [True, True, [0, 0, 0, 5000, 50000, 0], None]
    assert out["force"] == [3, 3]
    assert out["device"] == ["light", "light", "eye", "eye"]
    assert (out["again"], out["faster"], out["unknown"]) == ([True, 8], [True, 16], None)
    errors = "\n".join(project.errors())
    assert 'TouchSensor.getValues() needs a sensor of type "force-3d"' in errors
    assert '"lite" device not found on robot "robot"; did you mean "light"?' in errors


def test_accelerometers_and_gyros_on_a_turning_arm(project: Project) -> None:
    """On a wheel that turns at 2 rad/s: gyro 2, centripetal acceleration r w^2."""
    out = project.exercise(
        """
        motor = robot.getDevice("spin")
        motor.setPosition(float("inf"))
        motor.setVelocity(2.0)
        gyro, felt = robot.getDevice("rate"), robot.getDevice("felt")
        gyro.enable(8)
        felt.enable(8)
        for _ in range(10):
            robot.step(8)
        out["gyro"], out["felt"] = gyro.values, felt.getValues()
        """,
        devices="""
        HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 anchor 0 0 6 }
          device [ RotationalMotor { name "spin" maxTorque 1000 } ]
          endPoint Solid { translation 0 0 6 name "spinner" children [
              Gyro { name "rate" } Accelerometer { name "felt" translation 0.5 0 0 } ]
            boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass 1 } } }
        """,
    )
    assert out["gyro"] == pytest.approx([0, 0, 2], abs=1e-4)
    # a difference of velocities over one step: first order in the angle per step, 0.016
    assert out["felt"] == pytest.approx([-0.5 * 2**2, 0, 9.81], abs=0.05)
