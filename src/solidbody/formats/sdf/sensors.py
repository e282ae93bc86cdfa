"""Sensors of Gazebo as devices: in links of SDF, and in `<gazebo>` of URDF.

| Gazebo                              | device                                           |
|-------------------------------------|--------------------------------------------------|
| camera, wideanglecamera             | camera                                           |
| depth_camera, rgbd_camera, depth    | camera of depth, of colour and depth             |
| ray, lidar, gpu_ray, gpu_lidar      | lidar; with one ray a distance sensor            |
| sonar                               | distance sensor                                  |
| imu                                 | IMU                                              |
| contact                             | touch sensor (bumper) of the link                |
| gps, navsat                         | GPS                                              |
| altimeter, magnetometer             | altimeter, compass                               |
| force_torque                        | force sensor of the joint                        |
"""

from __future__ import annotations

import math
from typing import Any, Final

from solidbody.base.transforms import Pose
from solidbody.formats.sdf.values import Values
from solidbody.formats.xml_tree import XmlElement
from solidbody.model.devices import (
    DepthQuality,
    Device,
    DeviceAltimeter,
    DeviceCamera,
    DeviceCompass,
    DeviceDistanceSensor,
    DeviceForceSensor,
    DeviceGps,
    DeviceImu,
    DeviceLidar,
    DeviceTouchSensor,
    DistanceKind,
    ImageContent,
    LookupRow,
    LookupTable,
)

MOST_PIXELS: Final = 8192
MOST_RAYS: Final = 100_000
FAR: Final = 100.0

_CAMERAS: Final = {
    "camera": ImageContent.COLOR,
    "wideanglecamera": ImageContent.COLOR,
    "depth": ImageContent.DEPTH,
    "depth_camera": ImageContent.DEPTH,
    "rgbd": ImageContent.COLOR_DEPTH,
    "rgbd_camera": ImageContent.COLOR_DEPTH,
}
_RAYS: Final = ("ray", "lidar", "gpu_ray", "gpu_lidar")
_PLAIN: Final[dict[str, type[Device]]] = {
    "imu": DeviceImu,
    "gps": DeviceGps,
    "navsat": DeviceGps,
    "altimeter": DeviceAltimeter,
    "magnetometer": DeviceCompass,
    "contact": DeviceTouchSensor,
    "force_torque": DeviceForceSensor,
}
KINDS: Final = (*_CAMERAS, *_RAYS, "sonar", *_PLAIN)
"""Types of sensors that are read."""


def read_sensor(
    sensor: XmlElement, values: Values, place: Pose, touching: tuple[int, ...] = ()
) -> Device | None:
    """Return the device of a <sensor>, or None after a message.

    Args:
        sensor: The element.
        values: Reads numbers.
        place: Of the sensor on its link.
        touching: Which shapes of the link collide, for those that feel contacts.
    """
    kind = sensor.attributes.get("type", "")
    name = sensor.attributes.get("name") or kind
    common: dict[str, Any] = {"name": name, "model": kind, "pose": place, "span": sensor.span}
    rate = values.number(sensor, "update_rate", 0.0)
    frequency = rate if rate > 0.0 and math.isfinite(rate) else None
    if kind in _CAMERAS:
        return _camera(sensor, values, _CAMERAS[kind], frequency, common)
    if kind in _RAYS:
        return _lidar(sensor, values, frequency, common)
    if kind == "sonar":
        sonar = sensor.first("sonar")
        reach = max(values.number(sonar, "max", 1.0), 1e-3)
        aperture = 2.0 * values.number(sonar, "radius", 0.5) / reach
        return DeviceDistanceSensor(
            kind=DistanceKind.SONAR,
            lookup=LookupTable((LookupRow(0.0, 0.0), LookupRow(reach, reach))),
            aperture=min(max(aperture, 1e-3), 3.0),
            ray_count=10,
            **common,
        )
    made = _PLAIN.get(kind)
    if made is DeviceTouchSensor:
        return DeviceTouchSensor(shapes=touching, **common)
    if made is not None:
        return made(**common)
    guess = values.messages.guess(kind, KINDS)
    said = f'sensors of type "{kind}" are not read; it is left out.{guess}'
    values.spot(sensor, "type").warning("no-sensor", said)
    return None


def _camera(
    sensor: XmlElement,
    values: Values,
    content: ImageContent,
    frequency: float | None,
    common: dict[str, Any],
) -> DeviceCamera:
    camera = sensor.first("camera")
    image = None if camera is None else camera.first("image")
    clip = None if camera is None else camera.first("clip")
    noise = None if camera is None else camera.first("noise")
    if camera is not None and camera.first("pose") is not None:
        common["pose"] = common["pose"] * values.pose(camera.first("pose"))
    near = max(values.number(clip, "near", 0.1), 1e-4)
    far = max(values.number(clip, "far", FAR), near * 1.001)
    angle = values.number(camera, "horizontal_fov", 1.047)
    if not 0.0 < angle < 3.14:
        said = f"expected an angle above 0 and below pi, got {angle:g}; 1.047 is used."
        values.spot(camera or sensor, "horizontal_fov").error("wrong-value", said)
        angle = 1.047
    return DeviceCamera(
        content=content,
        depth=None if content is ImageContent.COLOR else DepthQuality(near, far),
        field_of_view=angle,
        width=values.whole(image, "width", 320, MOST_PIXELS),
        height=values.whole(image, "height", 240, MOST_PIXELS),
        near=near,
        far=far,
        frame_rate=frequency,
        noise=max(values.number(noise, "stddev", 0.0), 0.0),
        **common,
    )


def _lidar(
    sensor: XmlElement, values: Values, frequency: float | None, common: dict[str, Any]
) -> DeviceLidar | DeviceDistanceSensor:
    ray = sensor.first("lidar") or sensor.first("ray")
    scan = None if ray is None else ray.first("scan")
    across = None if scan is None else scan.first("horizontal")
    along = None if scan is None else scan.first("vertical")
    ends = None if ray is None else ray.first("range")
    noise = None if ray is None else ray.first("noise")
    least = max(values.number(ends, "min", 0.0), 0.0)
    most = min(max(values.number(ends, "max", FAR), least + 1e-6), 1e6)
    samples = values.whole(across, "samples", 640, MOST_RAYS)
    layers = values.whole(along, "samples", 1, MOST_PIXELS)
    resolution = values.number(ends, "resolution", 0.0)
    if samples == 1 and layers == 1:
        angle = values.number(across, "min_angle", 0.0)
        turn = Pose(rotation=(math.cos(angle / 2.0), 0.0, 0.0, math.sin(angle / 2.0)))
        common["pose"] = common["pose"] * turn
        return DeviceDistanceSensor(
            kind=DistanceKind.LASER,
            lookup=LookupTable((LookupRow(0.0, 0.0), LookupRow(most, most))),
            aperture=0.0,
            **common,
        )
    yaw = sorted(
        (values.number(across, "min_angle", -1.5708), values.number(across, "max_angle", 1.5708))
    )
    pitch = sorted((values.number(along, "min_angle", 0.0), values.number(along, "max_angle", 0.0)))
    return DeviceLidar(
        yaw_range=(yaw[0], yaw[1]),
        pitch_range=(pitch[0], pitch[1]),
        samples=samples,
        layers=layers,
        min_range=least,
        max_range=most,
        near=min(max(least, 1e-3), 0.01),
        noise=max(values.number(noise, "stddev", 0.0), 0.0),
        resolution=resolution if resolution > 0.0 else None,
        scan_rate=frequency,
        **common,
    )
