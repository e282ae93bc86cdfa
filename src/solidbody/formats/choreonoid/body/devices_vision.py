"""Reads cameras and range sensors of body files.

Choreonoid's optical frame looks along -z with +y up (as OpenGL does); the model's looks along +x with +z
up. The device frame stays as written; `optical_rotation` says how the model's optical frame lies in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple, TypedDict

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
    RangeSensorKeys,
)
from solidbody.formats.choreonoid.keys.kinds import whole
from solidbody.formats.choreonoid.keys.table import Key, Table, plain_values
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

_RAYS: Final = whole(1, MAX_RAYS)


class DeviceStart(TypedDict):
    """The fields that all devices have; `**start` gives them to a constructor."""

    name: str
    pose: Pose
    number: int | None
    samples_itself: bool
    span: SourceSpan


class SweepKeys(NamedTuple):
    """Rows of a range of rays about one axis."""

    axis: str
    low: Key[float | None]
    high: Key[float | None]
    total: Key[float]
    step: Key[float | None]
    samples: Key[int | None]


YAW: Final = SweepKeys(
    "yaw",
    RangeSensorKeys.min_yaw_angle,
    RangeSensorKeys.max_yaw_angle,
    RangeSensorKeys.yaw_range,
    RangeSensorKeys.yaw_step,
    RangeSensorKeys.yaw_samples,
)
PITCH: Final = SweepKeys(
    "pitch",
    RangeSensorKeys.min_pitch_angle,
    RangeSensorKeys.max_pitch_angle,
    RangeSensorKeys.pitch_range,
    RangeSensorKeys.pitch_step,
    RangeSensorKeys.pitch_samples,
)

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
    content = _content(keys, start)
    if content is None:
        return None
    values = plain_values(keys, CameraKeys)
    angle = keys.read(CameraKeys.field_of_view)
    if values["far"] <= values["near"]:
        keys.error(
            "out-of-range",
            keys.written(CameraKeys.far_clip_distance),
            f"must be above near_clip_distance ({values['near']:g}), got {values['far']:g}.",
        )
        values["near"] = CameraKeys.near_clip_distance.default
        values["far"] = CameraKeys.far_clip_distance.default
    rotation = _optical_rotation(keys)
    camera = DeviceCamera(**start, **values, content=content, optical_rotation=rotation)
    width, height = camera.width, camera.height
    if content is not ImageContent.COLOR:
        camera = replace(camera, depth=_depth(keys))
    lens = _lens(keys, content)
    if lens is Projection.DUAL_FISHEYE:  # two half spheres, whatever the angle says
        return replace(camera, projection=lens, field_of_view=math.pi, height=max(width // 2, 1))
    if lens is Projection.FISHEYE:  # the picture is square, its height is not read
        angle = _angle_within(keys, angle, math.pi, includes=True)
        return replace(camera, projection=lens, field_of_view=angle, height=width)
    angle = _angle_within(keys, angle, math.pi, includes=False)
    return replace(camera, field_of_view=_across_width(angle, width, height))


def _content(keys: Keys, start: DeviceStart) -> ImageContent | None:
    value = keys.node(CameraKeys.format)
    text = value.text if isinstance(value, YamlScalar) else ""
    if value is not None and text in CONTENTS:
        return CONTENTS[text]
    given = "it has none" if value is None else f"got {shown(value)}"
    keys.warning(
        "no-camera-format",
        CameraKeys.format,
        f'no device comes of the camera "{start["name"]}": a camera needs a format '
        f"({', '.join(CONTENTS)}), {given}.{did_you_mean(text, CONTENTS)}",
    )
    return None


def _lens(keys: Keys, content: ImageContent) -> Projection:
    lens = keys.read(CameraKeys.lens_type)
    if lens is Projection.PLANAR or content is ImageContent.COLOR:
        return lens
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
    yaw, samples = _sweep(keys, YAW)
    pitch, layers = _sweep(keys, PITCH)
    depth = _depth(keys)
    frame_rate = keys.read(RangeSensorKeys.frame_rate)
    return DeviceLidar(
        **start,
        **plain_values(keys, table),
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
        scan_rate=keys.read(RangeSensorKeys.scan_rate) or max(frame_rate, 0.1),
        optical_rotation=_optical_rotation(keys),
    )


def _sweep(keys: Keys, rows: SweepKeys) -> tuple[tuple[float, float], int]:
    """Return lowest and highest angle [rad] and the number of rays."""
    low, high, total = keys.read(rows.low), keys.read(rows.high), keys.read(rows.total)
    if (low is None) != (high is None):
        keys.warning(
            "half-a-range",
            rows.low if high is None else rows.high,
            f"{rows.low.name} and {rows.high.name} are read together only; this one is ignored.",
        )
    if low is None or high is None:
        low, high = -0.5 * total, 0.5 * total
    elif abs(low + high) > _SAMPLE_SLACK:
        keys.warning(
            "uneven-range",
            rows.low,
            "Choreonoid's vision simulator turns an uneven range to lie evenly about the axis; "
            "a project with one does so here too, a body alone keeps what is written.",
        )
    if high < low:
        text = f"the {rows.axis} range must not be below 0; 0 is used."
        keys.error("out-of-range", rows.high, text)
        low = high = 0.0
    return (low, high), _ray_count(keys, rows, high - low)


def _ray_count(keys: Keys, rows: SweepKeys, total: float) -> int:
    step, count, written = keys.read(rows.step), keys.read(rows.samples), keys.find(rows.samples)
    if total == 0.0:
        return 1
    if step is None and count is not None and written is not None:
        return _RAYS.read(keys, *written) or 1
    if step is None:
        keys.warning(
            "no-step",
            rows.step,
            f"without {rows.step.name} or {rows.samples.name} rays stand {DEFAULT_STEP:g} rad "
            f"({math.degrees(DEFAULT_STEP):.1f} degrees) apart, as in Choreonoid.",
        )
        step = DEFAULT_STEP
    if not step > 0.0 or total / step >= MAX_RAYS:
        keys.error(
            "out-of-range",
            keys.written(rows.step),
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
    "RangeSensor": (_range_sensor, (RangeSensorKeys, DepthKeys)),
    "LivoxMid360": (_livox, (LivoxKeys, DepthKeys)),
}
"""Readers and rows by node type; None comes of a camera without format."""
