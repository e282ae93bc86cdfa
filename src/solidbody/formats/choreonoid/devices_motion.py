"""Sensors of motion and force. Ranges are information: neither Choreonoid nor we clip to them."""

from __future__ import annotations

from solidbody.formats.choreonoid.device_start import DeviceStart
from solidbody.formats.choreonoid.keys import Keys
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


def _accelerometer(keys: Keys, start: DeviceStart) -> DeviceAccelerometer:
    return DeviceAccelerometer(
        **start,
        rule=AccelerationRule.LINK_ORIGIN,  # the AIST simulator ignores where the sensor sits
        rated_range=keys.vec3(*_ACCELERATION, default=None),
    )


def _gyro(keys: Keys, start: DeviceStart) -> DeviceGyro:
    return DeviceGyro(**start, rated_range=keys.vec3(*_ANGULAR_VELOCITY, default=None))


def _imu(keys: Keys, start: DeviceStart) -> DeviceImu:
    return DeviceImu(
        **start,
        rated_acceleration=keys.vec3(*_ACCELERATION, default=None),
        rated_angular_velocity=keys.vec3(*_ANGULAR_VELOCITY, default=None),
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
        rated_force=keys.vec3("max_force", "maxForce", default=None),
        rated_torque=keys.vec3("max_torque", "maxTorque", default=None),
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
