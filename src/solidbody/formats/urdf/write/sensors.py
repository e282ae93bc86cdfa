"""Writes devices as sensors of Gazebo: what `formats/sdf/sensors.py` reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from solidbody.base.transforms import Pose
from solidbody.formats.urdf.write.elements import angles_of, element, number_text, value_text
from solidbody.model.devices import (
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
)
from solidbody.model.links import Link

_PLAIN: Final[dict[type[Device], str]] = {
    DeviceImu: "imu",
    DeviceGps: "gps",
    DeviceAltimeter: "altimeter",
    DeviceCompass: "magnetometer",
    DeviceTouchSensor: "contact",
    DeviceForceSensor: "force_torque",
}
"""Sensors of which the type alone is written."""


def sensor_elements(link: Link, frame: Pose) -> tuple[list[str], list[Device]]:
    """Return the sensors of a link, and the devices that Gazebo has no word for.

    Args:
        link: Whose devices.
        frame: The link frame in the link that is written.
    """
    made: list[str] = []
    left: list[Device] = []
    for device in link.devices:
        found = _sensor(device)
        if found is None:
            left.append(device)
            continue
        kind, inside = found
        place = frame * device.pose
        pose = _text("pose", (*place.position, *angles_of(place)))
        made.append(element("sensor", {"name": device.name, "type": kind}, [pose, *inside]))
    return made, left


def _sensor(device: Device) -> tuple[str, list[str]] | None:
    match device:
        case DeviceCamera() if device.content is ImageContent.COLOR:
            return "camera", [
                *_rate(device.frame_rate),
                _open(
                    "camera",
                    [
                        _text("horizontal_fov", (device.field_of_view,)),
                        _open("image", _numbers(width=device.width, height=device.height)),
                        _open("clip", _numbers(near=device.near, far=min(device.far, 1e3))),
                    ],
                ),
            ]
        case DeviceLidar() if device.pattern is None:
            return "ray", [*_rate(device.scan_rate), _open("ray", _ray(device))]
        case DeviceDistanceSensor():
            reach = device.lookup.max_input or 1.0
            if device.kind is DistanceKind.SONAR:
                sizes = _numbers(min=0.0, max=reach, radius=reach * device.aperture / 2.0)
                return "sonar", [_open("sonar", sizes)]
            ends = _numbers(min=0.0, max=reach)
            scan = _open(
                "scan", [_open("horizontal", _numbers(samples=1, min_angle=0, max_angle=0))]
            )
            return "ray", [_open("ray", [scan, _open("range", ends)])]
        case _:
            kind = _PLAIN.get(type(device))
            return None if kind is None else (kind, [])


def _ray(device: DeviceLidar) -> Iterator[str]:
    rows = [
        _open(
            "horizontal",
            _numbers(
                samples=device.samples,
                min_angle=device.yaw_range[0],
                max_angle=device.yaw_range[1],
            ),
        )
    ]
    if device.layers > 1:
        low, high = device.pitch_range
        rows.append(
            _open("vertical", _numbers(samples=device.layers, min_angle=low, max_angle=high))
        )
    yield _open("scan", rows)
    yield _open("range", _numbers(min=device.min_range, max=device.max_range))


def _rate(rate: float | None) -> list[str]:
    return [] if rate is None else [_text("update_rate", (rate,))]


def _numbers(**values: float) -> list[str]:
    return [f"<{name}>{number_text(value)}</{name}>" for name, value in values.items()]


def _text(tag: str, values: tuple[float, ...]) -> str:
    return f"<{tag}>{value_text(values)}</{tag}>"


def _open(tag: str, inside: Iterator[str] | list[str]) -> str:
    return element(tag, {}, inside)
