"""Devices of the model as nodes of a body file: the reverse of the `devices_*` readers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    IDENTITY,
    Pose,
    Quat,
    Vec3,
    quat_conjugate,
    quat_multiply,
    quat_normalized,
)
from solidbody.formats.choreonoid.write.yaml_text import (
    Raw,
    Yaml,
    YamlPairs,
    degrees,
    place_pairs,
    rotation_value,
    word_text,
)
from solidbody.model.devices import (
    Device,
    DeviceAccelerometer,
    DeviceAttachment,
    DeviceCamera,
    DeviceConveyor,
    DeviceDigitalIo,
    DeviceEffect,
    DeviceForceSensor,
    DeviceGyro,
    DeviceHolder,
    DeviceImu,
    DeviceLidar,
    DeviceLight,
    DeviceMarker,
    DeviceRangeFinder,
    DeviceRotor,
    DeviceTrackBelt,
    DeviceUnknown,
    DeviceZmp,
    EffectKind,
    ImageContent,
    Projection,
    ProximityEffect,
)
from solidbody.model.environment import LightDirectional, LightSpot

LOST: Final = "lost-in-body"
"""Code of what a body file cannot say."""

_FORWARD_FROM_GL: Final[Quat] = (0.5, 0.5, -0.5, -0.5)
"""Turns OpenGL's (-z, -x, y) into (forward, left, up): the inverse of what the reader applies."""

_ROBOTICS: Final[Quat] = (0.5, 0.5, -0.5, -0.5)
"""The optical frame `robotics`: OpenGL's frame in a device frame with x forward and z up."""

_CONTENTS: Final = {
    ImageContent.COLOR: "COLOR",
    ImageContent.DEPTH: "DEPTH",
    ImageContent.COLOR_DEPTH: "COLOR_DEPTH",
    ImageContent.POINT_CLOUD: "POINT_CLOUD",
    ImageContent.COLOR_POINT_CLOUD: "COLOR_POINT_CLOUD",
}
_LENSES: Final = {Projection.FISHEYE: "FISHEYE", Projection.DUAL_FISHEYE: "DUAL_FISHEYE"}
_EFFECTS: Final = {
    EffectKind.SMOKE: "SmokeDevice",
    EffectKind.FIRE: "FireDevice",
    EffectKind.FOUNTAIN: "FountainDevice",
    EffectKind.RAIN: "RainDevice",
    EffectKind.SNOW: "SnowDevice",
}


def device_node(device: Device, frame: Pose, log: DiagnosticLog) -> YamlPairs | None:
    """Return the node of a device, or None if Choreonoid has nothing like it (which is reported).

    Args:
        device: Fixed to a link.
        frame: That link's frame in the link that is written.
        log: Told what is lost.
    """
    if isinstance(device, DeviceTrackBelt):  # how a track looks; what it does is its joint
        return None
    made = _typed(device, log)
    if made is None:
        kind = type(device).__name__.removeprefix("Device")
        log.warning(LOST, device.span, f'device "{device.name}" ({kind}) has no node in Choreonoid')
        return None
    type_name, values = made
    node: YamlPairs = {
        "type": type_name,
        "name": device.name,
        "id": device.number,
        **place_pairs(frame * device.pose),
        **values,
    }
    for key, text in device.info:
        node.setdefault(key, Raw(text))
    return node


def _typed(device: Device, log: DiagnosticLog) -> tuple[str, YamlPairs] | None:
    match device:
        case DeviceUnknown():
            return device.kind, {key: Raw(text) for key, text in device.fields}
        case DeviceLight():
            return _light(device)
        case DeviceEffect():
            return _EFFECTS[device.kind], _effect(device)
        case DeviceCamera():
            return _camera(device, log)
        case DeviceRangeFinder():
            return _range_finder(device, log)
        case DeviceLidar():
            return _lidar(device, log)
        case _:
            row = _ROWS.get(type(device))
            return None if row is None else (row[0], row[1](device))


# vision


def _optical(rotation: Quat) -> YamlPairs:
    """Return the keys that turn OpenGL's optical frame into what the device has.

    The reader multiplies frame, extra rotation and the turn from forward to OpenGL, in this order.
    """
    turn = quat_normalized(quat_multiply(rotation, _FORWARD_FROM_GL))
    if _is_near(turn, IDENTITY):
        return {}
    if _is_near(turn, _ROBOTICS):
        return {"optical_frame": "robotics"}
    if _is_near(turn, (0.0, 1.0, 0.0, 0.0)):
        return {"optical_frame": "cv"}
    return {"optical_frame_rotation": rotation_value(turn)}


def _is_near(a: Quat, b: Quat) -> bool:
    w, x, y, z = quat_multiply(quat_conjugate(a), b)
    return math.hypot(x, y, z) < 1e-12 and abs(w) > 0.5


def _camera(d: DeviceCamera, log: DiagnosticLog) -> tuple[str, YamlPairs]:
    lens = _LENSES.get(d.projection)
    if lens is None and d.projection is not Projection.PLANAR:
        _lose(d, f"a {d.projection.value} projection", log)
    if d.noise or d.lens or d.focus or d.recognition or d.motion_blur:
        _lose(d, "noise, lens, focus, blur and recognition", log)
    angle = d.field_of_view if lens else _across_shorter_side(d.field_of_view, d.width, d.height)
    values: YamlPairs = {
        "format": _CONTENTS[d.content],
        "lens_type": lens,
        "on": None if d.is_on else False,
        "width": d.width,
        "height": d.height,
        "field_of_view": degrees(min(angle, math.pi)),
        "near_clip_distance": d.near,
        "far_clip_distance": _unless(d.far, math.inf),
        "frame_rate": d.frame_rate,
        **_optical(d.optical_rotation),
    }
    if d.depth is not None and d.content is not ImageContent.COLOR:
        values |= {
            "min_distance": d.depth.min_range,
            "max_distance": d.depth.max_range,
            "detection_rate": _unless(d.depth.detection_rate, 1.0),
            "error_deviation": _unless(d.depth.error_deviation, 0.0),
        }
    return "Camera", values


def _across_shorter_side(angle: float, width: int, height: int) -> float:
    """Return the angle across the shorter side; the model has that across the width."""
    if width <= height:
        return angle
    return 2.0 * math.atan(math.tan(0.5 * min(angle, 3.0)) * height / width)


def _range_finder(d: DeviceRangeFinder, log: DiagnosticLog) -> tuple[str, YamlPairs]:
    if d.noise or d.lens or d.resolution or d.projection is not Projection.PLANAR:
        _lose(d, "noise, lens, resolution and projections other than planar", log)
    return "Camera", {
        "format": "DEPTH",
        "width": d.width,
        "height": d.height,
        "field_of_view": degrees(_across_shorter_side(d.field_of_view, d.width, d.height)),
        "near_clip_distance": d.near,
        "far_clip_distance": max(d.max_range, d.near * 2.0),
        "optical_frame": "robotics",
        "min_distance": d.min_range,
        "max_distance": d.max_range,
    }


def _lidar(d: DeviceLidar, log: DiagnosticLog) -> tuple[str, YamlPairs]:
    if d.head or d.tilt or d.resolution:
        _lose(d, "a head that turns, tilt and resolution", log)
    inset = (d.yaw_range[1] - d.yaw_range[0]) / (2 * d.samples) if d.has_sectors else 0.0
    rays = (d.yaw_range[0] + inset, d.yaw_range[1] - inset)
    values: YamlPairs = {
        "on": None if d.is_on else False,
        **_sweep("yaw", rays, d.samples),
        **_sweep("pitch", d.pitch_range, d.layers),
        "min_distance": d.min_range,
        "max_distance": d.max_range,
        "scan_rate": d.scan_rate,
        "detection_rate": _unless(d.detection_rate, 1.0),
        "error_deviation": _unless(d.noise, 0.0),
        **_optical(d.optical_rotation),
    }
    if d.pattern is None:
        return "RangeSensor", values
    return "LivoxMid360", values | {
        "angle_seq_file": d.pattern.uri,
        "samples": d.pattern.samples,
        "angular_precision": math.degrees(d.pattern.angular_precision),
    }


def _sweep(axis: str, ends: tuple[float, float], count: int) -> YamlPairs:
    """Return the keys of a range of rays; one ray in the middle needs none for the pitch."""
    low, high = ends
    if low == -high:
        values: YamlPairs = {f"{axis}_range": degrees(2.0 * high)}
    else:
        values = {f"min_{axis}_angle": degrees(low), f"max_{axis}_angle": degrees(high)}
    if axis == "pitch" and low == high == 0.0:
        return {}
    return values | {f"{axis}_samples": count}


# the others


def _light(d: DeviceLight) -> tuple[str, YamlPairs] | None:
    light = d.light
    if isinstance(light, LightDirectional):
        return None
    values: YamlPairs = {
        "on": None if light.is_on else False,
        "color": _unless(light.color, (1.0, 1.0, 1.0)),
        "intensity": _unless(light.intensity, 1.0),
        "attenuation": _unless(light.attenuation, (1.0, 0.0, 0.0)),
    }
    if not isinstance(light, LightSpot):
        return "PointLight", values
    return "SpotLight", values | {
        "direction": _unless(light.direction, (0.0, 0.0, -1.0)),
        "beam_width": degrees(light.beam_width),
        "cut_off_angle": degrees(light.cut_off_angle),
        "cut_off_exponent": _unless(light.cut_off_exponent, 1.0),
    }


def _effect(d: DeviceEffect) -> YamlPairs:
    return {
        "num_particles": d.particle_count,
        "particle_size": d.particle_size,
        "life_time": d.life_time,
        "offset_time": _unless(d.offset_time, 0.0),
        "initial_speed_average": d.speed,
        "initial_speed_variation": d.speed_variation,
        "emission_range": None if d.emission_angle is None else degrees(d.emission_angle),
        "acceleration": d.acceleration,
        "tint_color": _unless(d.tint, (1.0, 1.0, 1.0)),
        "on": None if d.is_on else False,
    }


def _marker(d: DeviceMarker) -> YamlPairs:
    offset = place_pairs(d.offset)
    return {
        "marker_type": d.kind.value,
        "size": d.size,
        "color": _unless(d.color, (1.0, 1.0, 1.0)),
        "emission": _unless(d.emission, 0.5),
        "transparency": _unless(d.transparency, 0.7),
        "offset_translation": offset["translation"],
        "offset_rotation": offset["rotation"],
        "on": None if d.is_on else False,
    }


def _conveyor(d: DeviceConveyor) -> YamlPairs:
    return {
        "conveyor_type": d.kind.value,
        "axis": d.axis,
        "speed": d.speed,
        "on": None if d.is_on else False,
    }


def _holder(d: DeviceHolder) -> YamlPairs:
    return {
        "categories": list(d.categories) or None,
        "hold_condition": d.condition.value,
        "max_hold_distance": d.max_distance,
        "hold_target_name": d.target_name or None,
        "on": True if d.is_on else None,
    }


def _digital_io(d: DeviceDigitalIo) -> YamlPairs:
    switches = [Raw(f"[{line}, {word_text(name)}]") for line, name in d.switches]
    return {
        "num_signal_lines": d.line_count,
        "out_labels": _labels(d.output_labels),
        "in_labels": _labels(d.input_labels),
        "input_to_device_switch_connections": switches or None,
    }


def _labels(labels: tuple[tuple[int, str], ...]) -> Raw | None:
    if not labels:
        return None
    return Raw("{" + ", ".join(f"{line}: {word_text(text)}" for line, text in labels) + "}")


def _rotor(d: DeviceRotor) -> YamlPairs:
    effect = _proximity("wall", d.wall_effect) | _proximity("ground", d.ground_effect)
    return {
        "direction": d.direction,
        "value": d.force,
        "value_range": d.force_range,
        "torque": d.torque,
        "torque_range": d.torque_range,
        "effect": effect or None,
    }


def _proximity(prefix: str, effect: ProximityEffect | None) -> YamlPairs:
    if effect is None:
        return {}
    return {
        f"{prefix}_distance": effect.distance,
        f"{prefix}_norm_middle_value": effect.middle_value,
        f"{prefix}_max_rate": effect.max_rate,
    }


def _unless(value: float | Vec3, default: float | Vec3) -> Yaml:
    """Return a value that is not its default."""
    return None if value == default else value


def _lose(device: Device, what: str, log: DiagnosticLog) -> None:
    log.warning(LOST, device.span, f'device "{device.name}": Choreonoid cannot say {what}')


_ROWS: Final[dict[type, tuple[str, Callable[[Any], YamlPairs]]]] = {
    DeviceAccelerometer: ("AccelerationSensor", lambda d: {"max_acceleration": d.rated_range}),
    DeviceGyro: ("RateGyroSensor", lambda d: {"max_angular_velocity": d.rated_range}),
    DeviceImu: (
        "IMU",
        lambda d: {
            "max_acceleration": d.rated_acceleration,
            "max_angular_velocity": d.rated_angular_velocity,
        },
    ),
    DeviceForceSensor: (
        "ForceSensor",
        lambda d: {"max_force": d.rated_force, "max_torque": d.rated_torque},
    ),
    DeviceZmp: ("ZmpDevice", lambda d: {}),
    DeviceMarker: ("MarkerDevice", _marker),
    DeviceConveyor: ("Conveyor", _conveyor),
    DeviceHolder: ("Holder", _holder),
    DeviceAttachment: (
        "Attachment",
        lambda d: {"category": d.category or None, "on": True if d.is_on else None},
    ),
    DeviceDigitalIo: ("DigitalIO", _digital_io),
    DeviceRotor: ("RotorDevice", _rotor),
}
"""Device class -> node type and its keys."""
