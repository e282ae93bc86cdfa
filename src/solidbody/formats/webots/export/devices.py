"""Exports devices as Webots nodes, for the kinds that mean the same there."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import IDENTITY, Pose
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.nodes import Fields, node, place_fields, placed
from solidbody.formats.webots.export.plain import NODE_TYPES, plain_fields, plain_node
from solidbody.formats.webots.export.shapes import LOST
from solidbody.formats.webots.nodes import NODES
from solidbody.model.devices import (
    Device,
    DeviceCamera,
    DeviceImu,
    DeviceLidar,
    DeviceLight,
    DevicePropeller,
    DeviceRangeFinder,
    DeviceTrackBelt,
    ImageContent,
    Projection,
)
from solidbody.model.environment import LightDirectional

_PROJECTIONS: Final = frozenset({"planar", "cylindrical", "spherical"})
_COLOR_CONTENT: Final = (
    ImageContent.COLOR,
    ImageContent.COLOR_DEPTH,
    ImageContent.COLOR_POINT_CLOUD,
)


def device_nodes(device: Device, frame: Pose, log: DiagnosticLog) -> list[NodeSyntax]:
    """Return the nodes of a device, none if Webots has nothing like it (which is reported).

    Args:
        device: Fixed to a link.
        frame: That link's frame in the solid that is written.
        log: Told what is lost.
    """
    match device:
        case DeviceImu():
            return _imu(device, frame, log)
        case DeviceCamera():
            return _camera(device, frame, log)
        case DeviceLight():
            return _light(device, frame, log)
        case DevicePropeller():
            return [_propeller(device, frame)]
        case DeviceTrackBelt():
            return []  # the Track itself
        case _:
            pass
    kind = type(device).__name__
    node_type = NODE_TYPES.get(kind, "")
    if not node_type or not NODES.derives(node_type, "Device"):
        word = kind.removeprefix("Device")
        log.warning(LOST, device.span, f'device "{device.name}" ({word}) has no node in Webots')
        return []
    fields = (
        _lidar(device)
        if isinstance(device, DeviceLidar)
        else plain_fields(node_type, device, without=("name",))
    )
    pose = frame * _place(device)
    return [_made(node_type, device.name, pose, fields)]


def _place(device: Device) -> Pose:
    """Return the pose of a device with its optical axes, which Webots does not turn separately."""
    if isinstance(device, DeviceLidar) and device.optical_rotation != IDENTITY:
        return device.pose * Pose(rotation=device.optical_rotation)
    return device.pose


def _made(type_name: str, name: str, pose: Pose, fields: Fields) -> NodeSyntax:
    return node(type_name, **place_fields(pose), name=name, **fields)


def _imu(device: DeviceImu, frame: Pose, log: DiagnosticLog) -> list[NodeSyntax]:
    log.info(
        LOST,
        device.span,
        f'device "{device.name}" becomes an Accelerometer and a Gyro: '
        f'"{device.name} accelerometer" and "{device.name} gyro"',
    )
    pose = frame * device.pose
    return [
        _made("Accelerometer", f"{device.name} accelerometer", pose, {}),
        _made("Gyro", f"{device.name} gyro", pose, {}),
    ]


def _camera(device: DeviceCamera, frame: Pose, log: DiagnosticLog) -> list[NodeSyntax]:
    """Return a Camera, a RangeFinder, or both, for what the pixels hold."""
    pose = frame * device.pose * Pose(rotation=device.optical_rotation)
    if device.projection.value not in _PROJECTIONS:
        log.warning(
            LOST,
            device.span,
            f'camera "{device.name}": Webots has no {device.projection.value} projection',
        )
        device = replace(device, projection=Projection.SPHERICAL)
    made: list[NodeSyntax] = []
    if device.content in _COLOR_CONTENT:
        made.append(
            _made("Camera", device.name, pose, plain_fields("Camera", device, without=("name",)))
        )
    if device.depth is not None:
        name = f"{device.name} depth" if made else device.name
        nearest = max(device.depth.min_range, device.near)
        finder = DeviceRangeFinder(
            name=name,
            projection=device.projection,
            field_of_view=device.field_of_view,
            width=device.width,
            height=device.height,
            near=device.near,
            min_range=nearest,
            max_range=max(device.depth.max_range, nearest + 1e-3),
            motion_blur=device.motion_blur,
            noise=device.noise,
        )
        made.append(
            _made("RangeFinder", name, pose, plain_fields("RangeFinder", finder, without=("name",)))
        )
        if len(made) > 1:
            log.info(
                LOST,
                device.span,
                f'the depth of camera "{device.name}" is the RangeFinder "{name}"',
            )
    return made


def _light(device: DeviceLight, frame: Pose, log: DiagnosticLog) -> list[NodeSyntax]:
    log.info(LOST, device.span, f'lamp "{device.name}" is written as a light that stays as it is')
    pose = frame * device.pose
    if isinstance(device.light, LightDirectional):
        turned = replace(device.light, direction=pose.direction(device.light.direction))
        return [plain_node(turned)]
    content = placed(pose, plain_node(device.light))
    assert isinstance(content, NodeSyntax)
    return [content]


def _propeller(device: DevicePropeller, frame: Pose) -> NodeSyntax:
    motor = device.motor
    made = node(
        "Propeller",
        **plain_fields("Propeller", device),
        device=plain_node(motor, "RotationalMotor") if motor else None,
    )
    content = placed(frame * device.pose, made)
    assert isinstance(content, NodeSyntax)
    return content


def _lidar(d: DeviceLidar) -> Fields:
    nearest = max(d.min_range, d.near)
    yaw = d.yaw_range[1] - d.yaw_range[0]
    if not d.has_sectors and d.samples > 1:
        yaw *= d.samples / (d.samples - 1)
    given: Fields = {
        "fieldOfView": max(yaw, 1e-3),
        "minRange": nearest,
        "maxRange": max(d.max_range, nearest + 1e-3),
        "type": "rotating" if d.head else "fixed",
        "noise": d.noise / d.max_range,
    }
    if d.head is None:
        given |= dict.fromkeys(("defaultFrequency", "minFrequency", "maxFrequency"))
    return plain_fields("Lidar", d, given, without=("name",))
