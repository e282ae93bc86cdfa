"""Sensors of motion and force. Ranges are information: neither Choreonoid nor we clip to them."""

from __future__ import annotations

from solidbody.base.transforms import Vec3
from solidbody.formats.choreonoid.keys.access import Keys, shown
from solidbody.formats.choreonoid.keys.checks import DeviceStart
from solidbody.formats.choreonoid.keys.yaml_tree import YamlScalar
from solidbody.model.devices import (
    AccelerationRule,
    DeviceAccelerometer,
    DeviceForceSensor,
    DeviceGyro,
    DeviceImu,
    DeviceZmp,
)

_ACCELERATION = ("max_acceleration", "maxAcceleration")
_ANGULAR_VELOCITY = ("max_angular_velocity", "maxAngularVelocity")
"""Taken as written: Choreonoid does not convert it, whatever the file's angle unit is."""


def _rating(keys: Keys, *names: str) -> Vec3 | None:
    """Return a data-sheet limit per axis; a single number is left out, as Choreonoid does."""
    found = keys.find(*names)
    if found is None or not isinstance(found[1], YamlScalar):
        return keys.vec3(*names, default=None)
    keys.warning(
        "not-read",
        found[0],
        f"expected a list of 3 numbers, got {shown(found[1])}; the sensor has no rated range.",
    )
    return None


def _accelerometer(keys: Keys, start: DeviceStart) -> DeviceAccelerometer:
    return DeviceAccelerometer(
        **start,
        rule=AccelerationRule.LINK_ORIGIN,  # the AIST simulator ignores where the sensor sits
        rated_range=_rating(keys, *_ACCELERATION),
    )


def _gyro(keys: Keys, start: DeviceStart) -> DeviceGyro:
    return DeviceGyro(**start, rated_range=_rating(keys, *_ANGULAR_VELOCITY))


def _imu(keys: Keys, start: DeviceStart) -> DeviceImu:
    return DeviceImu(
        **start,
        rated_acceleration=_rating(keys, *_ACCELERATION),
        rated_angular_velocity=_rating(keys, *_ANGULAR_VELOCITY),
    )


def _imu_of_the_manual(keys: Keys, start: DeviceStart) -> DeviceImu:
    keys.warning(
        "manual-spelling",
        "type",
        '"Imu" stands in Choreonoid\'s manual, but its loader takes "IMU" only; read as "IMU".',
    )
    return _imu(keys, start)


def _force_sensor(keys: Keys, start: DeviceStart) -> DeviceForceSensor:
    return DeviceForceSensor(
        **start,
        rated_force=_rating(keys, "max_force", "maxForce"),
        rated_torque=_rating(keys, "max_torque", "maxTorque"),
    )


def _zmp(keys: Keys, start: DeviceStart) -> DeviceZmp:
    return DeviceZmp(**start)


MOTION = {
    "AccelerationSensor": _accelerometer,
    "RateGyroSensor": _gyro,
    "IMU": _imu,
    "Imu": _imu_of_the_manual,
    "ForceSensor": _force_sensor,
    "ZmpDevice": _zmp,
}
