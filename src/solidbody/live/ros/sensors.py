"""What each kind of sensor is in ROS: the topics it has, and the messages on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.model import devices as d
from solidbody.model.devices.base import LookupTable
from solidbody.model.devices.proximity import DistanceKind, TouchKind
from solidbody.model.devices.vision import DeviceCamera, DeviceRangeFinder, ImageContent
from solidbody.record.base import SensorReading
from solidbody.record.measurements import (
    depths_of,
    focal_length_of,
    points_of,
    scan_of,
    scans_a_level,
)

Header = dict[str, Any]
Builder = Callable[[SensorReading, Header], dict[str, Any] | None]
"""Makes a message of a reading; None = it has no such thing."""


@dataclass(frozen=True, slots=True)
class SensorTopic:
    """A topic of a kind of sensor.

    Attributes:
        ending: What it is called below the name of the device.
        message: Type of its messages.
        build: Makes them.
        is_optical: Whether their frame is that of the picture (z ahead).
    """

    ending: str
    message: str
    build: Builder
    is_optical: bool = False


UNKNOWN: Final = [-1.0, *[0.0] * 8]
"""Covariance of what is not measured."""


def _vector(values: Sequence[float]) -> dict[str, float]:
    x, y, z = (0.0 if math.isnan(value) else float(value) for value in values)
    return {"x": x, "y": y, "z": z}


def _values(reading: SensorReading) -> list[float]:
    return reading.group.values[reading.row].tolist()


def imu_message(readings: Sequence[SensorReading], header: Header) -> dict[str, Any]:
    """Return one message of all that a robot feels of its own motion at one place."""
    out: dict[str, Any] = {
        "header": header,
        "orientation": {"w": 1.0},
        "orientation_covariance": UNKNOWN,
        "angular_velocity_covariance": UNKNOWN,
        "linear_acceleration_covariance": UNKNOWN,
    }
    for reading in readings:
        values = _values(reading)
        match reading.bound.device:
            case d.DeviceInertialUnit():
                x, y, z, w = values[:4]
                out["orientation"] = {"x": x, "y": y, "z": z, "w": w}
                del out["orientation_covariance"]
            case d.DeviceGyro():
                out["angular_velocity"] = _vector(values)
                del out["angular_velocity_covariance"]
            case d.DeviceAccelerometer():
                out["linear_acceleration"] = _vector(values)
                del out["linear_acceleration_covariance"]
            case _:
                out["linear_acceleration"] = _vector(values[:3])
                out["angular_velocity"] = _vector(values[3:6])
                del out["linear_acceleration_covariance"], out["angular_velocity_covariance"]
    return out


IMU_PARTS: Final = (d.DeviceInertialUnit, d.DeviceGyro, d.DeviceAccelerometer, d.DeviceImu)
"""What an Imu message is made of, in the order in which one gives its name."""


def _fix(reading: SensorReading, header: Header) -> dict[str, Any]:
    latitude, longitude, altitude = _values(reading)[:3]
    variance = getattr(reading.bound.device, "accuracy", 0.0) ** 2
    return {
        "header": header,
        "status": {"status": 0, "service": 1},
        "latitude": latitude,
        "longitude": longitude,
        "altitude": altitude,
        "position_covariance": [variance, 0, 0, 0, variance, 0, 0, 0, variance],
        "position_covariance_type": 2,
    }


def _point(reading: SensorReading, header: Header) -> dict[str, Any]:
    return {"header": header, "point": _vector(_values(reading)[:3])}


def _velocity(reading: SensorReading, header: Header) -> dict[str, Any]:
    return {"header": header, "vector": _vector(_values(reading)[4:7])}


def _direction(reading: SensorReading, header: Header) -> dict[str, Any]:
    return {"header": header, "vector": _vector(_values(reading)[:3])}


def _number(reading: SensorReading, header: Header) -> dict[str, Any]:
    return {"data": _values(reading)[0]}


def _light(reading: SensorReading, header: Header) -> dict[str, Any]:
    return {"header": header, "illuminance": _values(reading)[0]}


def _bumper(reading: SensorReading, header: Header) -> dict[str, Any]:
    return {"data": bool(_values(reading)[0] > 0.0)}


def _push(reading: SensorReading, header: Header) -> dict[str, Any]:
    (push,) = _newtons(reading, 1)
    return {"header": header, "wrench": {"force": {"x": -push}}}


def _force(reading: SensorReading, header: Header) -> dict[str, Any]:
    return {"header": header, "wrench": {"force": _vector(_newtons(reading, 3))}}


def _newtons(reading: SensorReading, count: int) -> list[float]:
    """Return forces by the lookup table backwards; as it tells them where that has no one answer."""
    sensor = reading.bound.device
    assert isinstance(sensor, d.DeviceTouchSensor)
    told = _values(reading)[:count]
    curve = _curve_back(sensor.lookup)
    return told if curve is None else np.interp(told, *curve).tolist()


def _wrench(reading: SensorReading, header: Header) -> dict[str, Any]:
    values = _values(reading)
    wrench = {"force": _vector(values[:3]), "torque": _vector(values[3:6])}
    return {"header": header, "wrench": wrench}


def _curve_back(lookup: LookupTable) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the curve from values to what was measured; None = values do not tell that."""
    rows = lookup.rows
    outputs = np.array([row.output for row in rows])
    inputs = np.array([row.input for row in rows])
    if len(rows) < 2:
        return None
    steps = np.diff(outputs)
    if (steps > 0.0).all():
        return outputs, inputs
    return (outputs[::-1], inputs[::-1]) if (steps < 0.0).all() else None


def _range(reading: SensorReading, header: Header) -> dict[str, Any]:
    sensor = reading.bound.device
    assert isinstance(sensor, d.DeviceDistanceSensor)
    curve = _curve_back(sensor.lookup)
    assert curve is not None
    return {
        "header": header,
        "radiation_type": 0 if sensor.kind is DistanceKind.SONAR else 1,
        "field_of_view": 0.0 if sensor.kind is DistanceKind.LASER else sensor.aperture,
        "min_range": sensor.lookup.rows[0].input,
        "max_range": sensor.lookup.rows[-1].input,
        "range": float(np.interp(_values(reading)[0], *curve)),
    }


def _image(reading: SensorReading, header: Header) -> dict[str, Any]:
    picture = np.ascontiguousarray(reading.value)
    height, width, channels = picture.shape
    return {
        "header": header,
        "height": height,
        "width": width,
        "encoding": {1: "mono8", 3: "rgb8", 4: "rgba8"}[channels],
        "step": channels * width,
        "data": picture.tobytes(),
    }


def _depth(reading: SensorReading, header: Header) -> dict[str, Any] | None:
    depths = depths_of(reading)
    if depths is None:
        return None
    height, width = depths.shape
    return {
        "header": header,
        "height": height,
        "width": width,
        "encoding": "32FC1",
        "step": 4 * width,
        "data": depths.tobytes(),
    }


def _camera_info(reading: SensorReading, header: Header) -> dict[str, Any] | None:
    camera = reading.bound.device
    assert isinstance(camera, DeviceCamera | DeviceRangeFinder)
    focal = focal_length_of(camera)
    if focal is None:
        return None
    u, v = 0.5 * camera.width, 0.5 * camera.height
    is_plain = camera.lens is None  # other lenses have other parameters than ROS
    return {
        "header": header,
        "height": camera.height,
        "width": camera.width,
        "distortion_model": "plumb_bob" if is_plain else "",
        "d": [0.0] * 5 if is_plain else [],
        "k": [focal, 0.0, u, 0.0, focal, v, 0.0, 0.0, 1.0],
        "r": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        "p": [focal, 0.0, u, 0.0, 0.0, focal, v, 0.0, 0.0, 0.0, 1.0, 0.0],
    }


_FLOAT32: Final = 7
_XYZ: Final = [
    {"name": name, "offset": 4 * k, "datatype": _FLOAT32, "count": 1}
    for k, name in enumerate("xyz")
]


def _cloud(reading: SensorReading, header: Header) -> dict[str, Any] | None:
    points = points_of(reading)
    if points is None:
        return None
    return {
        "header": header,
        "height": 1,
        "width": len(points),
        "fields": _XYZ,
        "point_step": 12,
        "row_step": 12 * len(points),
        "data": points.tobytes(),
        "is_dense": True,
    }


def _scan(reading: SensorReading, header: Header) -> dict[str, Any] | None:
    scan = scan_of(reading)
    if scan is None:
        return None
    lidar = reading.bound.device
    assert isinstance(lidar, d.DeviceLidar)
    steps = max(len(scan.ranges) - 1, 1)
    return {
        "header": header,
        "angle_min": scan.start,
        "angle_max": scan.end,
        "angle_increment": (scan.end - scan.start) / steps,
        "range_min": lidar.min_range,
        "range_max": lidar.max_range,
        "ranges": scan.ranges,
    }


INFO: Final = SensorTopic("camera_info", "sensor_msgs/msg/CameraInfo", _camera_info, True)
POINTS: Final = SensorTopic("points", "sensor_msgs/msg/PointCloud2", _cloud)
_DEPTHS: Final = (ImageContent.DEPTH, ImageContent.COLOR_DEPTH)
_COLORS: Final = (ImageContent.COLOR, ImageContent.COLOR_DEPTH, ImageContent.COLOR_POINT_CLOUD)
_CLOUDS: Final = (ImageContent.POINT_CLOUD, ImageContent.COLOR_POINT_CLOUD)


def topics_of(bound: BoundDevice, *, is_geographic: bool) -> list[SensorTopic]:
    """Return the topics of a sensor; none of those that are told otherwise, or not at all.

    Args:
        bound: The sensor.
        is_geographic: Whether satellites tell latitude and longitude in this world.
    """
    match bound.device:
        case d.DeviceGps():
            where = (
                SensorTopic("", "sensor_msgs/msg/NavSatFix", _fix)
                if is_geographic
                else SensorTopic("", "geometry_msgs/msg/PointStamped", _point)
            )
            return [
                where,
                SensorTopic("velocity", "geometry_msgs/msg/Vector3Stamped", _velocity),
            ]
        case d.DeviceCompass():
            return [SensorTopic("", "geometry_msgs/msg/Vector3Stamped", _direction)]
        case d.DeviceAltimeter():
            return [SensorTopic("", "std_msgs/msg/Float64", _number)]
        case d.DeviceLightSensor():
            return [SensorTopic("", "sensor_msgs/msg/Illuminance", _light)]
        case d.DeviceDistanceSensor() as sensor:
            if _curve_back(sensor.lookup) is None:
                return [SensorTopic("", "std_msgs/msg/Float64", _number)]
            return [SensorTopic("", "sensor_msgs/msg/Range", _range)]
        case d.DeviceTouchSensor(kind=TouchKind.BUMPER):
            return [SensorTopic("", "std_msgs/msg/Bool", _bumper)]
        case d.DeviceTouchSensor(kind=kind):
            build = _push if kind is TouchKind.FORCE else _force
            return [SensorTopic("", "geometry_msgs/msg/WrenchStamped", build)]
        case d.DeviceForceSensor():
            return [SensorTopic("", "geometry_msgs/msg/WrenchStamped", _wrench)]
        case DeviceCamera(content=content):
            image = "sensor_msgs/msg/Image"
            found = [SensorTopic("image_raw", image, _image, True)] if content in _COLORS else []
            if content in _DEPTHS:
                found.append(SensorTopic("depth/image_raw", image, _depth, True))
            if content in _CLOUDS:
                found.append(POINTS)
            return [*found, INFO] if focal_length_of(bound.device) else found
        case DeviceRangeFinder() as camera:
            depth = SensorTopic("image_raw", "sensor_msgs/msg/Image", _depth, True)
            return [depth, INFO] if focal_length_of(camera) else [depth]
        case d.DeviceLidar() as lidar:
            scan = SensorTopic("scan", "sensor_msgs/msg/LaserScan", _scan)
            return [scan, POINTS] if scans_a_level(lidar) else [POINTS]
        case _:
            return []
