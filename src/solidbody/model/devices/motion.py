"""Sensors of motion and position: acceleration, turn rate, attitude, position, height, wrench."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.transforms import Vec3
from solidbody.model.devices.base import AxisMask, DeviceBase, LookupTable


class AccelerationRule(Enum):
    """Which acceleration a sensor reports, less gravity; of what forces do not move none, unless said."""

    SENSOR_POINT = "sensor point"
    """Change of the velocity of the sensor's point over the sampling period."""
    LINK_ORIGIN = "link origin"
    """Acceleration of the link's origin in the last step, wherever the sensor sits."""
    SENSOR_POINT_OR_REST = "sensor point, or rest"
    """The first one; what forces do not move measures as if it was at rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceAccelerometer(DeviceBase):
    """Acceleration minus gravity, in the device frame [m/s^2]; at rest +g upwards.

    Attributes:
        lookup: Curve applied to each component.
        axes: Reported components.
        resolution: Step of the reported value [m/s^2]; None = continuous.
        rule: Which acceleration.
        rated_range: Data-sheet limit per axis [m/s^2], information only; None = unknown.
    """

    lookup: LookupTable = LookupTable()
    axes: AxisMask = AxisMask()
    resolution: float | None = None
    rule: AccelerationRule = AccelerationRule.SENSOR_POINT
    rated_range: Vec3 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceGyro(DeviceBase):
    """Angular velocity of the link in the device frame [rad/s].

    Attributes:
        lookup: Curve applied to each component.
        axes: Reported components.
        resolution: Step of the reported value [rad/s]; None = continuous.
        rated_range: Data-sheet limit per axis [rad/s], information only; None = unknown.
    """

    lookup: LookupTable = LookupTable()
    axes: AxisMask = AxisMask()
    resolution: float | None = None
    rated_range: Vec3 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceImu(DeviceBase):
    """Accelerometer and gyro in one, without noise.

    Attributes:
        rule: Which acceleration.
        rated_acceleration: Limit per axis [m/s^2], information only; None = unknown.
        rated_angular_velocity: Limit per axis [rad/s], information only; None = unknown.
    """

    rule: AccelerationRule = AccelerationRule.LINK_ORIGIN
    rated_acceleration: Vec3 | None = None
    rated_angular_velocity: Vec3 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInertialUnit(DeviceBase):
    """Attitude of the device frame against the world axes.

    Attributes:
        noise: Standard deviation of three random turns, in half turns (0.01 = 0.01*pi rad).
        axes: Components of the rotation axis that are not zeroed.
        resolution: Step of the reported components of the quaternion; None = continuous.
    """

    noise: float = 0.0
    axes: AxisMask = AxisMask()
    resolution: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCompass(DeviceBase):
    """Unit vector to north in the device frame.

    Attributes:
        lookup: Curve applied to each component.
        axes: Reported components.
        resolution: Step of the reported value; None = continuous.
    """

    lookup: LookupTable = LookupTable()
    axes: AxisMask = AxisMask()
    resolution: float | None = None


class GpsKind(Enum):
    """How a position is found; both give the same numbers."""

    SATELLITE = "satellite"
    LASER = "laser"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceGps(DeviceBase):
    """Position in the world (or latitude, longitude, altitude) and speed.

    Attributes:
        kind: Satellite or laser.
        accuracy: Standard deviation of the position [m].
        noise_correlation: Correlation of the position noise after one second, 0..1.
        resolution: Step of the reported position [m]; None = continuous.
        speed_noise: Standard deviation of the speed, relative.
        speed_resolution: Step of the reported speed [m/s]; None = continuous.
    """

    kind: GpsKind = GpsKind.SATELLITE
    accuracy: float = 0.0
    noise_correlation: float = 0.0
    resolution: float | None = None
    speed_noise: float = 0.0
    speed_resolution: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceAltimeter(DeviceBase):
    """Height above the reference [m].

    Attributes:
        accuracy: Standard deviation [m].
        resolution: Step of the reported height [m]; None = continuous.
    """

    accuracy: float = 0.0
    resolution: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceForceSensor(DeviceBase):
    """Wrench that the link's subtree exerts on its parent through the link's joint.

    Force [N] and moment about the device origin [N*m], in the device frame.

    Attributes:
        rated_force: Limit per axis [N], information only; None = unknown.
        rated_torque: Limit per axis [N*m], information only; None = unknown.
    """

    rated_force: Vec3 | None = None
    rated_torque: Vec3 | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceZmp(DeviceBase):
    """Holds the zero-moment point of a walking robot [m, world]; a program writes it."""


MotionDevice = (
    DeviceAccelerometer
    | DeviceGyro
    | DeviceImu
    | DeviceInertialUnit
    | DeviceCompass
    | DeviceGps
    | DeviceAltimeter
    | DeviceForceSensor
    | DeviceZmp
)
"""A device of this file."""

__all__ = [
    "AccelerationRule",
    "DeviceAccelerometer",
    "DeviceAltimeter",
    "DeviceCompass",
    "DeviceForceSensor",
    "DeviceGps",
    "DeviceGyro",
    "DeviceImu",
    "DeviceInertialUnit",
    "DeviceZmp",
    "GpsKind",
    "MotionDevice",
]
