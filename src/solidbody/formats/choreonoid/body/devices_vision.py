"""Reads cameras and range sensors of body files.

Choreonoid's optical frame looks along -z with +y up (as OpenGL does); the model's looks along +x with +z
up. The device frame stays as written; `optical_rotation` says how the model's optical frame lies in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypedDict

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose, Quat, quat_multiply, quat_normalized
from solidbody.formats.choreonoid.keys.access import Keys, shown
from solidbody.formats.choreonoid.keys.devices import (
    CONTENTS,
    CameraKeys,
    DepthKeys,
    LivoxKeys,
    OpticalKeys,
    PitchKeys,
    RangeSensorKeys,
    Sweep,
    YawKeys,
)
from solidbody.formats.choreonoid.keys.kinds import whole
from solidbody.formats.choreonoid.keys.table import Table, plain_values
from solidbody.formats.choreonoid.keys.yaml_tree import YamlScalar
from solidbody.model.devices import (
    DepthQuality,
    DeviceCamera,
    DeviceLidar,
    ImageContent,
    Projection,
    ScanOrder,
)

MAX_RAYS: Final = 1_000_000
"""Largest number of samples in a row or column of a range sensor."""

SweepKeys = YawKeys | PitchKeys

_RAYS: Final = whole(1, MAX_RAYS)


class DeviceStart(TypedDict):
    """The fields that all devices have; `**start` gives them to a constructor."""

    name: str
    pose: Pose
    number: int | None
    samples_itself: bool
    span: SourceSpan


_GL_FROM_FORWARD: Final[Quat] = (0.5, -0.5, 0.5, 0.5)
"""Turns (forward, left, up) = (x, y, z) into OpenGL's (-z, -x, y)."""

DEFAULT_STEP: Final = 1.0
"""[rad] Angle between rays where a file gives none: Choreonoid's 1 was meant as a degree."""

_SAMPLE_SLACK: Final = 1e-7
"""Choreonoid's allowance, in steps, for ranges that are a whole number of steps up to rounding."""


def _optical_rotation(keys: Keys) -> Quat:
    frame = keys.read(OpticalKeys.optical_frame)
    turned = quat_multiply(frame, keys.read(OpticalKeys.optical_frame_rotation))
    return quat_normalized(quat_multiply(turned, _GL_FROM_FORWARD))


def _camera(keys: Keys, start: DeviceStart) -> DeviceCamera | None:
    content = keys.read(CameraKeys.format)
    if content is None:
        return _no_camera(keys, start)
    values = plain_values(keys, CameraKeys)
    angle = values["field_of_view"]
    if values["far"] <= values["near"]:
        keys.error(
            "out-of-range",
            keys.written(CameraKeys.far_clip_distance),
            f"must be above near_clip_distance ({values['near']:g}), got {values['far']:g}.",
        )
        values["near"] = CameraKeys.near_clip_distance.default
        values["far"] = CameraKeys.far_clip_distance.default
    rotation = _optical_rotation(keys)
    camera = DeviceCamera(**start, **values, optical_rotation=rotation)
    width, height = camera.width, camera.height
    if content is not ImageContent.COLOR:
        camera = replace(camera, depth=_depth(keys))
    lens = _lens(keys, camera)
    if lens is Projection.DUAL_FISHEYE:  # two half spheres, whatever the angle says
        return replace(camera, projection=lens, field_of_view=math.pi, height=max(width // 2, 1))
    if lens is Projection.FISHEYE:  # the picture is square, its height is not read
        angle = _angle_within(keys, angle, math.pi, includes=True)
        return replace(camera, projection=lens, field_of_view=angle, height=width)
    angle = _angle_within(keys, angle, math.pi, includes=False)
    return replace(camera, projection=lens, field_of_view=_across_width(angle, width, height))


def _no_camera(keys: Keys, start: DeviceStart) -> None:
    value = keys.node(CameraKeys.format)
    text = value.text if isinstance(value, YamlScalar) else ""
    given = "it has none" if value is None else f"got {shown(value)}"
    keys.warning(
        "no-camera-format",
        CameraKeys.format,
        f'no device comes of the camera "{start["name"]}": a camera needs a format '
        f"({', '.join(CONTENTS)}), {given}.{did_you_mean(text, CONTENTS)}",
    )


def _lens(keys: Keys, camera: DeviceCamera) -> Projection:
    if camera.projection is Projection.PLANAR or camera.content is ImageContent.COLOR:
        return camera.projection
    keys.warning(
        "lens-ignored",
        keys.written(CameraKeys.lens_type),
        "only cameras of the format COLOR have another lens than NORMAL; this one is not read.",
    )
    return Projection.PLANAR


def _depth(keys: Keys) -> DepthQuality:
    return DepthQuality(**plain_values(keys, DepthKeys))


def _angle_within(keys: Keys, angle: float, most: float, *, includes: bool) -> float:
    if 0.0 < angle < most or (includes and angle == most):
        return angle
    name = keys.written(CameraKeys.field_of_view)
    if includes and angle > most:
        keys.warning("out-of-range", name, "a fisheye camera sees half a sphere at most.")
        return most
    limit = f"{math.degrees(most):g} degrees"
    keys.error(
        "out-of-range", name, f"expected an angle between 0 and {limit}; 45 degrees is used."
    )
    return math.pi / 4


def _across_width(angle: float, width: int, height: int) -> float:
    """Return the angle across the width; `angle` is that across the shorter side."""
    if width <= height:
        return angle
    return 2.0 * math.atan(math.tan(0.5 * angle) * width / height)


def _range_sensor(
    keys: Keys, start: DeviceStart, table: type[RangeSensorKeys] = RangeSensorKeys
) -> DeviceLidar:
    yaw, samples = _sweep(keys, "yaw", YawKeys)
    pitch, layers = _sweep(keys, "pitch", PitchKeys)
    depth = _depth(keys)
    frame_rate = keys.read(RangeSensorKeys.frame_rate)
    values = plain_values(keys, table)
    values["scan_rate"] = values["scan_rate"] or max(frame_rate, 0.1)
    return DeviceLidar(
        **start,
        **values,
        yaw_range=yaw,
        pitch_range=pitch,
        samples=samples,
        layers=layers,
        order=ScanOrder.BOTTOM_RIGHT_FIRST,
        near=max(depth.min_range, 0.0),
        min_range=depth.min_range,
        max_range=depth.max_range,
        noise=depth.error_deviation,
        detection_rate=depth.detection_rate,
        optical_rotation=_optical_rotation(keys),
    )


def _sweep(keys: Keys, axis: str, table: type[SweepKeys]) -> tuple[tuple[float, float], int]:
    """Return lowest and highest angle [rad] and the number of rays."""
    found = Sweep(**plain_values(keys, table))
    low, high = found.low, found.high
    if (low is None) != (high is None):
        keys.warning(
            "half-a-range",
            table.low if high is None else table.high,
            f"{table.low.name} and {table.high.name} are read together only; this one is ignored.",
        )
    if low is None or high is None:
        low, high = -0.5 * found.total, 0.5 * found.total
    elif abs(low + high) > _SAMPLE_SLACK:
        keys.warning(
            "uneven-range",
            table.low,
            "Choreonoid's vision simulator turns an uneven range to lie evenly about the axis; "
            "a project with one does so here too, a body alone keeps what is written.",
        )
    if high < low:
        text = f"the {axis} range must not be below 0; 0 is used."
        keys.error("out-of-range", table.high, text)
        low = high = 0.0
    return (low, high), _ray_count(keys, table, found, high - low)


def _ray_count(keys: Keys, table: type[SweepKeys], found: Sweep, total: float) -> int:
    step, written = found.step, keys.find(table.samples)
    if total == 0.0:
        return 1
    if step is None and found.samples is not None and written is not None:
        return _RAYS.read(keys, *written) or 1
    if step is None:
        keys.warning(
            "no-step",
            table.step,
            f"without {table.step.name} or {table.samples.name} rays stand {DEFAULT_STEP:g} rad "
            f"({math.degrees(DEFAULT_STEP):.1f} degrees) apart, as in Choreonoid.",
        )
        step = DEFAULT_STEP
    if not step > 0.0 or total / step >= MAX_RAYS:
        keys.error(
            "out-of-range",
            keys.written(table.step),
            f"expected a step above 0 that gives at most {MAX_RAYS} rays; 1 rad is used.",
        )
        step = DEFAULT_STEP
    return math.floor(total / step + _SAMPLE_SLACK) + 1


def _livox(keys: Keys, start: DeviceStart) -> DeviceLidar:
    lidar = _range_sensor(keys, start, LivoxKeys)
    assert lidar.pattern is not None
    uri = lidar.pattern.uri
    if not uri:
        return replace(lidar, pattern=None)
    keys.info(
        "scan-file",
        LivoxKeys.angle_seq_file,
        f'the rays of this lidar come from "{uri}", which belongs to a plugin.',
    )
    return lidar


_Reader = Callable[[Keys, DeviceStart], DeviceCamera | DeviceLidar | None]

VISION: Final[dict[str, tuple[_Reader, tuple[type[Table], ...]]]] = {
    "Camera": (_camera, (CameraKeys, DepthKeys)),
    "CameraDevice": (_camera, (CameraKeys, DepthKeys)),
    "RangeSensor": (_range_sensor, (RangeSensorKeys, YawKeys, PitchKeys, DepthKeys)),
    "LivoxMid360": (_livox, (LivoxKeys, YawKeys, PitchKeys, DepthKeys)),
}
"""Readers and rows by node type; None comes of a camera without format."""
