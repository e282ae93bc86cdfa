"""Writes devices as nodes of a body file: plain ones by the key table, the others by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    IDENTITY,
    Pose,
    Quat,
    quat_conjugate,
    quat_multiply,
    quat_normalized,
)
from solidbody.formats.choreonoid.body.devices import PLUGIN_TYPES
from solidbody.formats.choreonoid.keys.devices import (
    OPTICAL_FRAMES,
    PLAIN_DEVICES,
    CameraKeys,
    DepthKeys,
    DeviceKeys,
    GroundEffectKeys,
    LivoxKeys,
    OpticalKeys,
    PitchKeys,
    RangeSensorKeys,
    RotorDeviceKeys,
    Sweep,
    WallEffectKeys,
    YawKeys,
)
from solidbody.formats.choreonoid.keys.table import Table, plain_pairs
from solidbody.formats.choreonoid.keys.yaml_text import (
    RawYaml,
    YamlPairs,
    degrees,
    place_pairs,
    rotation_value,
)
from solidbody.model.devices import (
    DepthQuality,
    Device,
    DeviceCamera,
    DeviceLidar,
    DeviceRangeFinder,
    DeviceRotor,
    DeviceTrackBelt,
    DeviceUnknown,
    ImageContent,
    Projection,
)

LOST: Final = "lost-in-body"
"""Code of what a body file cannot say."""

_FORWARD_FROM_GL: Final[Quat] = (0.5, 0.5, -0.5, -0.5)
"""Turns OpenGL's (-z, -x, y) into (forward, left, up): the inverse of what the reader applies."""


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
        is_unknown = isinstance(device, DeviceUnknown)
        kind = device.kind if is_unknown else type(device).__name__.removeprefix("Device")
        log.warning(LOST, device.span, f'device "{device.name}" ({kind}) has no node in Choreonoid')
        return None
    type_name, values = made
    node: YamlPairs = {
        **DeviceKeys.pairs(type=type_name, name=device.name, id=device.number),
        **place_pairs(frame * device.pose),
    }
    node |= _given(values)
    for key, text in device.info:
        node.setdefault(key, RawYaml(text))
    return node


def _typed(device: Device, log: DiagnosticLog) -> tuple[str, YamlPairs] | None:
    match device:
        case DeviceUnknown():
            if device.kind not in PLUGIN_TYPES:
                return None
            return device.kind, {key: RawYaml(text) for key, text in device.fields}
        case DeviceCamera():
            return _camera(device, log)
        case DeviceRangeFinder():
            return _range_finder(device, log)
        case DeviceLidar():
            return _lidar(device, log)
        case _:
            return _plain(device)


def _plain(device: Device) -> tuple[str, YamlPairs] | None:
    """Return what the key table says of a device, and what it leaves to `_MORE`."""
    for type_name, table in PLAIN_DEVICES.items():
        parts = ((getattr(device, part, None), kind) for part, kind in table.parts.items())
        fixed = table.fixed.get(type_name, {})
        if (
            type(device) is table.makes
            and all(type(part) is kind for part, kind in parts)
            and all(getattr(device, field) == value for field, value in fixed.items())
        ):
            more = _MORE[type_name](device) if type_name in _MORE else {}
            return type_name, plain_pairs(table, device) | more
    return None


# vision


def _optical(rotation: Quat) -> YamlPairs:
    """Return the keys that turn OpenGL's optical frame into what the device has.

    The reader multiplies frame, extra rotation and the turn from forward to OpenGL, in this order.
    """
    turn = quat_normalized(quat_multiply(rotation, _FORWARD_FROM_GL))
    for frame in OPTICAL_FRAMES.values():
        if _is_near(turn, frame):
            is_own = frame == IDENTITY
            written = None if is_own else OpticalKeys.optical_frame.kind.write(frame)
            return OpticalKeys.pairs(optical_frame=written)
    return OpticalKeys.pairs(optical_frame_rotation=rotation_value(turn))


def _is_near(a: Quat, b: Quat) -> bool:
    w, x, y, z = quat_multiply(quat_conjugate(a), b)
    return math.hypot(x, y, z) < 1e-12 and abs(w) > 0.5


def _camera(d: DeviceCamera, log: DiagnosticLog) -> tuple[str, YamlPairs]:
    is_wide = d.projection in (Projection.FISHEYE, Projection.DUAL_FISHEYE)
    if not is_wide and d.projection is not Projection.PLANAR:
        _lose(d, f"a {d.projection.value} projection", log)
    if d.noise or d.lens or d.focus or d.recognition or d.motion_blur:
        _lose(d, "noise, lens, focus, blur and recognition", log)
    angle = d.field_of_view if is_wide else _across_shorter_side(d.field_of_view, d.width, d.height)
    lens = d.projection if is_wide else Projection.PLANAR
    written = replace(d, projection=lens, field_of_view=min(angle, math.pi))
    values = _given(plain_pairs(CameraKeys, written)) | _optical(d.optical_rotation)
    if d.depth is not None and d.content is not ImageContent.COLOR:
        values |= plain_pairs(DepthKeys, d.depth)
    return "Camera", values


def _given(pairs: YamlPairs) -> YamlPairs:
    """Return pairs without those that are left out."""
    return {key: value for key, value in pairs.items() if value is not None}


def _across_shorter_side(angle: float, width: int, height: int) -> float:
    """Return the angle across the shorter side; the model has that across the width."""
    if width <= height:
        return angle
    return 2.0 * math.atan(math.tan(0.5 * min(angle, 3.0)) * height / width)


def _range_finder(d: DeviceRangeFinder, log: DiagnosticLog) -> tuple[str, YamlPairs]:
    if d.noise or d.lens or d.resolution or d.projection is not Projection.PLANAR:
        _lose(d, "noise, lens, resolution and projections other than planar", log)
    values = CameraKeys.pairs(
        format="DEPTH",
        width=d.width,
        height=d.height,
        field_of_view=degrees(_across_shorter_side(d.field_of_view, d.width, d.height)),
        near_clip_distance=d.near,
        far_clip_distance=max(d.max_range, d.near * 2.0),
        optical_frame="robotics",
    )
    return "Camera", values | plain_pairs(DepthKeys, DepthQuality(d.min_range, d.max_range))


def _lidar(d: DeviceLidar, log: DiagnosticLog) -> tuple[str, YamlPairs]:
    if d.head or d.tilt or d.resolution:
        _lose(d, "a head that turns, tilt and resolution", log)
    inset = (d.yaw_range[1] - d.yaw_range[0]) / (2 * d.samples) if d.has_sectors else 0.0
    rays = (d.yaw_range[0] + inset, d.yaw_range[1] - inset)
    depth = plain_pairs(
        DepthKeys, DepthQuality(d.min_range, d.max_range, d.detection_rate, d.noise)
    )
    nearest, farthest = DepthKeys.min_distance.name, DepthKeys.max_distance.name
    values: YamlPairs = {
        **_sweep(YawKeys, rays, d.samples),
        **_sweep(PitchKeys, d.pitch_range, d.layers),
        nearest: depth[nearest],
        farthest: depth[farthest],
        **_given(plain_pairs(RangeSensorKeys, d)),
        **depth,
        **_optical(d.optical_rotation),
    }
    if d.pattern is None:
        return "RangeSensor", values
    return "LivoxMid360", values | _given(plain_pairs(LivoxKeys, d))


def _sweep(table: type[Table], ends: tuple[float, float], count: int) -> YamlPairs:
    """Return the keys of a range of rays; one ray in the middle needs none for the pitch."""
    low, high = ends
    if table is PitchKeys and low == high == 0.0:
        return {}
    if low == -high:
        sweep = Sweep(None, None, 2.0 * high, None, count)
    else:
        sweep = Sweep(low, high, table.rows["total"].default, None, count)
    return _given(plain_pairs(table, sweep))


# what is not plain


def _rotor(d: DeviceRotor) -> YamlPairs:
    effects = ((WallEffectKeys, d.wall_effect), (GroundEffectKeys, d.ground_effect))
    pairs: YamlPairs = {}
    for table, effect in effects:
        pairs |= {} if effect is None else plain_pairs(table, effect)
    return RotorDeviceKeys.pairs(effect=pairs or None)


def _lose(device: Device, what: str, log: DiagnosticLog) -> None:
    log.warning(LOST, device.span, f'device "{device.name}": Choreonoid cannot say {what}')


_MORE: Final[dict[str, Callable[[Any], YamlPairs]]] = {
    "RotorDevice": _rotor,
}
"""Node type -> keys that are written by hand."""
