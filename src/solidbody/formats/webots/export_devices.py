"""Devices of the model as Webots nodes, for the kinds that mean the same there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import IDENTITY, Pose
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export_joints import motor_node
from solidbody.formats.webots.export_nodes import Fields, node, place_fields, placed
from solidbody.formats.webots.export_shapes import LOST
from solidbody.formats.webots.export_world import light_node
from solidbody.formats.webots.sensors import SENSOR_NODES
from solidbody.model.devices import (
    Device,
    DeviceCamera,
    DeviceConnector,
    DeviceDisplay,
    DeviceEmitter,
    DeviceImu,
    DeviceLed,
    DeviceLidar,
    DeviceLight,
    DeviceMicrophone,
    DevicePen,
    DevicePropeller,
    DeviceRangeFinder,
    DeviceReceiver,
    DeviceSpeaker,
    DeviceTrackBelt,
    DeviceVacuumGripper,
    ImageContent,
    Medium,
    Projection,
)
from solidbody.model.environment import LightDirectional

_MEDIA: Final = {Medium.RADIO: "radio", Medium.SERIAL: "serial", Medium.INFRARED: "infra-red"}
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
    row = _ROWS.get(type(device))
    if row is None:
        kind = type(device).__name__.removeprefix("Device")
        log.warning(LOST, device.span, f'device "{device.name}" ({kind}) has no node in Webots')
        return []
    type_name, fields = row
    written = {"model": device.model, **fields(device)}
    return [_made(type_name, device.name, frame * _place(device), written)]


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
    projection = device.projection.value
    if projection not in _PROJECTIONS:
        log.warning(
            LOST, device.span, f'camera "{device.name}": Webots has no {projection} projection'
        )
        projection = Projection.SPHERICAL.value
    angle = device.field_of_view
    image: Fields = {
        "fieldOfView": angle,
        "width": device.width,
        "height": device.height,
        "projection": projection,
        "near": device.near,
        "motionBlur": 1000.0 * device.motion_blur,
        "noise": device.noise,
    }
    made: list[NodeSyntax] = []
    if device.content in _COLOR_CONTENT:
        color: Fields = {
            "far": 0.0 if math.isinf(device.far) else device.far,
            "exposure": device.exposure,
            "antiAliasing": device.anti_aliasing,
            "ambientOcclusionRadius": device.ambient_occlusion_radius,
            "bloomThreshold": device.bloom_threshold,
            "noiseMaskUrl": device.noise_mask,
            **_camera_parts(device),
        }
        made.append(_made("Camera", device.name, pose, {**image, **color}))
    if device.depth is not None:
        name = f"{device.name} depth" if made else device.name
        nearest = max(device.depth.min_range, device.near)
        reach: Fields = {
            "minRange": nearest,
            "maxRange": max(device.depth.max_range, nearest + 1e-3),
        }
        made.append(_made("RangeFinder", name, pose, {**image, **reach}))
        if len(made) > 1:
            log.info(
                LOST,
                device.span,
                f'the depth of camera "{device.name}" is the RangeFinder "{name}"',
            )
    return made


def _camera_parts(device: DeviceCamera) -> Fields:
    lens, focus, zoom, seen = device.lens, device.focus, device.zoom, device.recognition
    return {
        "lens": node(
            "Lens",
            center=lens.center,
            radialCoefficients=lens.radial,
            tangentialCoefficients=lens.tangential,
        )
        if lens
        else None,
        "focus": node(
            "Focus",
            focalDistance=focus.focal_distance,
            focalLength=focus.focal_length,
            minFocalDistance=focus.min_focal_distance,
            maxFocalDistance=focus.max_focal_distance,
        )
        if focus
        else None,
        "zoom": node(
            "Zoom", minFieldOfView=zoom.min_field_of_view, maxFieldOfView=zoom.max_field_of_view
        )
        if zoom
        else None,
        "recognition": node(
            "Recognition",
            maxRange=seen.max_range,
            maxObjects=seen.max_objects,
            frameColor=seen.frame_color,
            frameThickness=seen.frame_thickness,
            segmentation=seen.segmentation,
        )
        if seen
        else None,
    }


def _light(device: DeviceLight, frame: Pose, log: DiagnosticLog) -> list[NodeSyntax]:
    log.info(LOST, device.span, f'lamp "{device.name}" is written as a light that stays as it is')
    pose = frame * device.pose
    if isinstance(device.light, LightDirectional):
        turned = replace(device.light, direction=pose.direction(device.light.direction))
        return [light_node(turned)]
    content = placed(pose, light_node(device.light))
    assert isinstance(content, NodeSyntax)
    return [content]


def _propeller(device: DevicePropeller, frame: Pose) -> NodeSyntax:
    motor = device.motor
    made = node(
        "Propeller",
        shaftAxis=device.shaft_axis,
        centerOfThrust=device.center_of_thrust,
        thrustConstants=device.thrust_constants,
        torqueConstants=device.torque_constants,
        fastHelixThreshold=device.fast_threshold,
        device=motor_node(motor, "RotationalMotor") if motor else None,
    )
    content = placed(frame * device.pose, made)
    assert isinstance(content, NodeSyntax)
    return content


def _minus_one(value: float | None) -> float:
    """Return the number that a file has for no limit."""
    return -1.0 if value is None or math.isinf(value) else value


def _range_finder(d: DeviceRangeFinder) -> Fields:
    return {
        "fieldOfView": d.field_of_view,
        "width": d.width,
        "height": d.height,
        "projection": d.projection.value,
        "near": d.near,
        "motionBlur": 1000.0 * d.motion_blur,
        "noise": d.noise,
        "minRange": d.min_range,
        "maxRange": d.max_range,
        "resolution": d.resolution,
    }


def _lidar(d: DeviceLidar) -> Fields:
    nearest = max(d.min_range, d.near)
    head = d.head
    yaw = d.yaw_range[1] - d.yaw_range[0]
    if not d.has_sectors and d.samples > 1:
        yaw *= d.samples / (d.samples - 1)
    fields: Fields = {
        "tiltAngle": d.tilt,
        "horizontalResolution": d.samples,
        "fieldOfView": max(yaw, 1e-3),
        "verticalFieldOfView": max(d.pitch_range[1] - d.pitch_range[0], 1e-3),
        "numberOfLayers": d.layers,
        "near": d.near,
        "minRange": nearest,
        "maxRange": max(d.max_range, nearest + 1e-3),
        "type": "rotating" if head else "fixed",
        "projection": "planar" if d.projection is Projection.PLANAR else "cylindrical",
        "noise": d.noise / d.max_range,
        "resolution": d.resolution,
    }
    if head:
        fields["defaultFrequency"] = head.frequency
        fields["minFrequency"] = head.min_frequency
        fields["maxFrequency"] = head.max_frequency
    return fields


def _line(d: DeviceEmitter | DeviceReceiver) -> Fields:
    return {
        "type": _MEDIA[d.medium],
        "aperture": d.aperture,
        "channel": _minus_one(d.channel),
        "baudRate": _minus_one(d.baud_rate),
        "byteSize": d.byte_size,
        "bufferSize": _minus_one(d.buffer_size),
        "allowedChannels": d.allowed_channels,
    }


def _emitter(d: DeviceEmitter) -> Fields:
    return {**_line(d), "range": _minus_one(d.range), "maxRange": _minus_one(d.max_range)}


def _receiver(d: DeviceReceiver) -> Fields:
    return {
        **_line(d),
        "signalStrengthNoise": d.signal_strength_noise,
        "directionNoise": d.direction_noise,
    }


def _connector(d: DeviceConnector) -> Fields:
    return {
        "type": d.kind.value,
        "isLocked": d.is_locked,
        "autoLock": d.auto_lock,
        "unilateralLock": d.unilateral_lock,
        "unilateralUnlock": d.unilateral_unlock,
        "distanceTolerance": d.distance_tolerance,
        "axisTolerance": d.axis_tolerance,
        "rotationTolerance": d.rotation_tolerance,
        "numberOfRotations": d.docking_angles or 0,
        "snap": d.snap,
        "tensileStrength": _minus_one(d.tensile_strength),
        "shearStrength": _minus_one(d.shear_strength),
    }


def _gripper(d: DeviceVacuumGripper) -> Fields:
    return {
        "isOn": d.is_on,
        "tensileStrength": _minus_one(d.tensile_strength),
        "shearStrength": _minus_one(d.shear_strength),
        "contactPoints": d.contact_points,
    }


def _pen(d: DevicePen) -> Fields:
    return {
        "inkColor": d.ink_color,
        "inkDensity": d.ink_density,
        "leadSize": d.lead_size,
        "maxDistance": d.max_distance or 0.0,
        "write": d.is_writing,
    }


_ROWS: Final[dict[type, tuple[str, Callable[[Any], Fields]]]] = {
    **SENSOR_NODES,
    DeviceRangeFinder: ("RangeFinder", _range_finder),
    DeviceLidar: ("Lidar", _lidar),
    DeviceEmitter: ("Emitter", _emitter),
    DeviceReceiver: ("Receiver", _receiver),
    DeviceConnector: ("Connector", _connector),
    DeviceVacuumGripper: ("VacuumGripper", _gripper),
    DeviceLed: ("LED", lambda d: {"color": d.colors, "gradual": d.gradual}),
    DeviceDisplay: ("Display", lambda d: {"width": d.width, "height": d.height}),
    DevicePen: ("Pen", _pen),
    DeviceSpeaker: ("Speaker", lambda d: {}),
    DeviceMicrophone: ("Microphone", lambda d: {"aperture": d.aperture}),
}
"""Device class -> node type and its fields."""
