"""Devices as MuJoCo's sensors and cameras: the inverse of what reading MJCF makes of those."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

import mujoco

from solidbody.base.transforms import Pose, Quat
from solidbody.compiler.bodies import LinkPart, SpecBuilder
from solidbody.compiler.mjcf_export.actuators import unused
from solidbody.compiler.mjcf_export.losses import Losses
from solidbody.model.devices import (
    Device,
    DeviceAccelerometer,
    DeviceCamera,
    DeviceCompass,
    DeviceDistanceSensor,
    DeviceForceSensor,
    DeviceGps,
    DeviceGyro,
    DeviceImu,
    DeviceInertialUnit,
    DevicePropeller,
    DeviceTouchSensor,
    ImageContent,
    Projection,
)
from solidbody.model.scene import Scene

_HALF = math.sqrt(0.5)
TO_Z: Final[Quat] = (_HALF, 0.0, _HALF, 0.0)
"""A site whose z axis is the x axis of a device, in the frame of the device."""

TO_CAMERA: Final[Quat] = (0.5, 0.5, -0.5, -0.5)
"""MuJoCo's camera (looks along -z, y up) in the frame of ours (looks along x, z up)."""

_AT_SITE: Final = {
    DeviceAccelerometer: (("ACCELEROMETER", ""),),
    DeviceGyro: (("GYRO", ""),),
    DeviceImu: (("ACCELEROMETER", ""), ("GYRO", " gyro")),
    DeviceGps: (("FRAMEPOS", ""),),
    DeviceInertialUnit: (("FRAMEQUAT", ""),),
    DeviceCompass: (("MAGNETOMETER", ""),),
    DeviceForceSensor: (("FORCE", ""), ("TORQUE", " torque")),
    DeviceTouchSensor: (("TOUCH", ""),),
    DeviceDistanceSensor: (("RANGEFINDER", ""),),
}
"""Sensors of a device, with what its name gets behind it."""


@dataclass(slots=True)
class _Names:
    sensors: set[str] = field(default_factory=set[str])
    sites: set[str] = field(default_factory=set[str])
    cameras: set[str] = field(default_factory=set[str])


def add_sensors(builder: SpecBuilder, scene: Scene, losses: Losses) -> None:
    """Add all sensors of joints and links, and all cameras."""
    names = _Names()
    for part in builder.parts:
        for axis, joint in part.joints:
            if axis.sensor is not None:
                builder.spec.add_sensor(
                    name=unused(axis.sensor.name, names.sensors),
                    type=mujoco.mjtSensor.mjSENS_JOINTPOS,
                    objtype=mujoco.mjtObj.mjOBJ_JOINT,
                    objname=joint.name,
                )
        for device in part.link.devices:
            if isinstance(device, DeviceCamera) and device.projection is Projection.PLANAR:
                _add_camera(part, device, names, losses)
            elif type(device) in _AT_SITE:
                _add_at_site(builder.spec, part, device, names)
            elif not isinstance(device, DevicePropeller):  # told with the motors
                losses.leave_out(device)


def _add_at_site(spec: Any, part: LinkPart, device: Device, names: _Names) -> None:
    pose = part.offset * device.pose
    options: dict[str, Any] = {}
    size = 0.005
    if isinstance(device, DeviceTouchSensor | DeviceDistanceSensor):
        pose = pose * Pose(rotation=TO_Z)
    if isinstance(device, DeviceTouchSensor):
        size = _reach(part, device)
    if isinstance(device, DeviceDistanceSensor):
        options["cutoff"] = device.lookup.max_input or 0.0
    site = part.body.add_site(
        name=unused(device.name, names.sites),
        pos=pose.position,
        quat=pose.rotation,
        size=(size,) * 3,
        group=4,
    )
    for word, behind in _AT_SITE[type(device)]:
        sensor = spec.add_sensor(
            name=unused(device.name + behind, names.sensors),
            type=getattr(mujoco.mjtSensor, f"mjSENS_{word}"),
            objtype=mujoco.mjtObj.mjOBJ_SITE,
            objname=site.name,
            **options,
        )
        if word == "RANGEFINDER":
            sensor.intprm[0] = 1 << int(mujoco.mjtRayDataField.mjRAYDATA_DIST)


def _reach(part: LinkPart, device: Device) -> float:
    """Return the radius of a ball around a sensor that holds all that its link can touch with."""
    from solidbody.compiler.geoms import primitive_form, surface_of

    most = 0.01
    for shape in part.link.shapes:
        form = primitive_form(shape.geometry)
        if form is not None:
            extent = math.hypot(*form[1])
        else:
            surface = surface_of(shape.geometry)
            points = surface[0] if surface is not None else None
            extent = 0.0
            if points is not None and len(points):
                extent = float((points**2).sum(axis=1).max()) ** 0.5
        most = max(most, math.dist(shape.pose.position, device.pose.position) + extent)
    return 1.01 * most


def _add_camera(part: LinkPart, device: DeviceCamera, names: _Names, losses: Losses) -> None:
    if device.content is not ImageContent.COLOR:
        losses.say(f'camera "{device.name}" is written as one of colours')
    pose = part.offset * device.pose * Pose(rotation=device.optical_rotation)
    pose = pose * Pose(rotation=TO_CAMERA)
    half = math.tan(min(device.field_of_view, 3.0) / 2.0) * device.height / device.width
    camera = part.body.add_camera(
        name=unused(device.name, names.cameras), pos=pose.position, quat=pose.rotation
    )
    camera.fovy = math.degrees(2.0 * math.atan(half))
    camera.resolution = (device.width, device.height)
