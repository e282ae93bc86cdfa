"""Cameras and range sensors.

Choreonoid's optical frame looks along -z with +y up (as OpenGL does); the model's looks along +x with +z
up. The device frame stays as written; `optical_rotation` says how the model's optical frame lies in it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.transforms import IDENTITY, Quat, quat_multiply, quat_normalized
from solidbody.formats.choreonoid.keys.access import Keys, shown
from solidbody.formats.choreonoid.keys.checks import (
    DeviceStart,
    not_negative,
    positive,
    share,
    whole_positive,
    written,
)
from solidbody.formats.choreonoid.keys.yaml_tree import YamlScalar
from solidbody.model.devices import (
    DepthQuality,
    DeviceCamera,
    DeviceLidar,
    ImageContent,
    Projection,
    ScanOrder,
    ScanPattern,
)

MAX_PIXELS: Final = 16_384
"""Largest width and height: more than any real camera, and what graphics cards can draw."""

MAX_RAYS: Final = 1_000_000
"""Largest number of samples in a row or column of a range sensor."""

_CONTENTS: Final = {
    "COLOR": ImageContent.COLOR,
    "DEPTH": ImageContent.DEPTH,
    "COLOR_DEPTH": ImageContent.COLOR_DEPTH,
    "POINT_CLOUD": ImageContent.POINT_CLOUD,
    "COLOR_POINT_CLOUD": ImageContent.COLOR_POINT_CLOUD,
}
_LENSES: Final = {
    "NORMAL": Projection.PLANAR,
    "FISHEYE": Projection.FISHEYE,
    "DUAL_FISHEYE": Projection.DUAL_FISHEYE,
}

_GL_FROM_FORWARD: Final[Quat] = (0.5, -0.5, 0.5, 0.5)
"""Turns (forward, left, up) = (x, y, z) into OpenGL's (-z, -x, y)."""

_OPTICAL_FRAMES: Final[dict[str, Quat]] = {
    "gl": IDENTITY,
    "cv": (0.0, 1.0, 0.0, 0.0),  # device x right, y down, z forward: half a turn about x
    "robotics": (0.5, 0.5, -0.5, -0.5),  # device x forward, y left, z up: inverse of the above
}
"""OpenGL's optical frame in the device frame."""

DEFAULT_STEP: Final = 1.0
"""[rad] Angle between rays where a file gives none: Choreonoid's 1 was meant as a degree."""

_SAMPLE_SLACK: Final = 1e-7
"""Choreonoid's allowance, in steps, for ranges that are a whole number of steps up to rounding."""


def _optical_rotation(keys: Keys) -> Quat:
    frame = keys.choice("optical_frame", table=_OPTICAL_FRAMES, default=IDENTITY)
    turned = quat_multiply(frame, keys.rotation("optical_frame_rotation"))
    return quat_normalized(quat_multiply(turned, _GL_FROM_FORWARD))


def _camera(keys: Keys, start: DeviceStart) -> DeviceCamera | None:
    content = _content(keys, start)
    if content is None:
        return None
    width = whole_positive(keys, "width", default=640, most=MAX_PIXELS)
    height = whole_positive(keys, "height", default=480, most=MAX_PIXELS)
    angle = keys.angle("field_of_view", "fieldOfView", default=math.pi / 4)
    near = positive(keys, "near_clip_distance", "nearClipDistance", default=0.04)
    far = positive(keys, "far_clip_distance", "farClipDistance", default=200.0)
    if far <= near:
        keys.error(
            "out-of-range",
            written(keys, "far_clip_distance", "farClipDistance"),
            f"must be above near_clip_distance ({near:g}), got {far:g}.",
        )
        near, far = 0.04, 200.0
    camera = DeviceCamera(
        **start,
        content=content,
        near=near,
        far=far,
        frame_rate=positive(keys, "frame_rate", "frameRate", default=30.0),
        optical_rotation=_optical_rotation(keys),
        is_on=keys.flag("on", default=True),
    )
    if content is not ImageContent.COLOR:
        camera = replace(camera, depth=_depth(keys))
    lens = _lens(keys, content)
    if lens is Projection.DUAL_FISHEYE:  # two half spheres, whatever the angle says
        size = (width, max(width // 2, 1))
        return replace(
            camera, projection=lens, field_of_view=math.pi, width=size[0], height=size[1]
        )
    if lens is Projection.FISHEYE:  # the picture is square, its height is not read
        angle = _angle_within(keys, angle, math.pi, includes=True)
        return replace(camera, projection=lens, field_of_view=angle, width=width, height=width)
    angle = _angle_within(keys, angle, math.pi, includes=False)
    return replace(
        camera, field_of_view=_across_width(angle, width, height), width=width, height=height
    )


def _content(keys: Keys, start: DeviceStart) -> ImageContent | None:
    value = keys.node("format")
    text = value.text if isinstance(value, YamlScalar) else ""
    if value is not None and text in _CONTENTS:
        return _CONTENTS[text]
    given = "it has none" if value is None else f"got {shown(value)}"
    keys.warning(
        "no-camera-format",
        "format",
        f'no device comes of the camera "{start["name"]}": a camera needs a format '
        f"({', '.join(_CONTENTS)}), {given}.{did_you_mean(text, _CONTENTS)}",
    )
    return None


def _lens(keys: Keys, content: ImageContent) -> Projection:
    lens = keys.choice("lens_type", "lensType", table=_LENSES, default=Projection.PLANAR)
    if lens is Projection.PLANAR or content is ImageContent.COLOR:
        return lens
    keys.warning(
        "lens-ignored",
        written(keys, "lens_type", "lensType"),
        "only cameras of the format COLOR have another lens than NORMAL; this one is not read.",
    )
    return Projection.PLANAR


def _depth(keys: Keys) -> DepthQuality:
    low = not_negative(keys, "min_distance", "minDistance", default=0.1)
    high = positive(keys, "max_distance", "maxDistance", default=10.0)
    return DepthQuality(
        min_range=low,
        max_range=high,
        detection_rate=share(keys, "detection_rate", "detectionRate", default=1.0),
        error_deviation=not_negative(keys, "error_deviation", "errorDeviation", default=0.0),
    )


def _angle_within(keys: Keys, angle: float, most: float, *, includes: bool) -> float:
    if 0.0 < angle < most or (includes and angle == most):
        return angle
    name = written(keys, "field_of_view", "fieldOfView")
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


def _range_sensor(keys: Keys, start: DeviceStart) -> DeviceLidar:
    yaw, samples = _sweep(keys, "yaw", default=2 * math.pi / 3)
    pitch, layers = _sweep(keys, "pitch", default=0.0)
    depth = _depth(keys)
    frame_rate = keys.number("frame_rate", "frameRate", default=10.0)
    return DeviceLidar(
        **start,
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
        scan_rate=positive(keys, "scan_rate", "scanRate", default=max(frame_rate, 0.1)),
        optical_rotation=_optical_rotation(keys),
        is_on=keys.flag("on", default=True),
    )


def _sweep(keys: Keys, axis: str, *, default: float) -> tuple[tuple[float, float], int]:
    """Return lowest and highest angle [rad] and the number of rays."""
    low = keys.angle(f"min_{axis}_angle", default=None)
    high = keys.angle(f"max_{axis}_angle", default=None)
    scan = ("scanAngle",) if axis == "yaw" else ()
    total = keys.angle(f"{axis}_range", f"{axis}Range", *scan, default=default)
    if (low is None) != (high is None):
        keys.warning(
            "half-a-range",
            f"min_{axis}_angle" if high is None else f"max_{axis}_angle",
            f"min_{axis}_angle and max_{axis}_angle are read together only; this one is ignored.",
        )
    if low is None or high is None:
        low, high = -0.5 * total, 0.5 * total
    elif abs(low + high) > _SAMPLE_SLACK:
        keys.warning(
            "uneven-range",
            f"min_{axis}_angle",
            "Choreonoid's vision simulator turns an uneven range to lie evenly about the axis; "
            "a project with one does so here too, a body alone keeps what is written.",
        )
    if high < low:
        keys.error(
            "out-of-range", f"max_{axis}_angle", f"the {axis} range must not be below 0; 0 is used."
        )
        low = high = 0.0
    return (low, high), _ray_count(keys, axis, high - low)


def _ray_count(keys: Keys, axis: str, total: float) -> int:
    scan = ("scanStep",) if axis == "yaw" else ()
    names = (f"{axis}_step", f"{axis}Step", *scan)
    step = keys.angle(*names, default=None)
    count = keys.integer(f"{axis}_samples", default=None)
    if total == 0.0:
        return 1
    if step is None and count is not None:
        return whole_positive(keys, f"{axis}_samples", default=1, most=MAX_RAYS)
    if step is None:
        keys.warning(
            "no-step",
            f"{axis}_step",
            f"without {axis}_step or {axis}_samples rays stand {DEFAULT_STEP:g} rad "
            f"({math.degrees(DEFAULT_STEP):.1f} degrees) apart, as in Choreonoid.",
        )
        step = DEFAULT_STEP
    if not step > 0.0 or total / step >= MAX_RAYS:
        keys.error(
            "out-of-range",
            written(keys, *names),
            f"expected a step above 0 that gives at most {MAX_RAYS} rays; 1 rad is used.",
        )
        step = DEFAULT_STEP
    return math.floor(total / step + _SAMPLE_SLACK) + 1


def _livox(keys: Keys, start: DeviceStart) -> DeviceLidar:
    lidar = _range_sensor(keys, start)
    uri = keys.text("angle_seq_file", default="")
    samples = keys.integer("samples", default=24_000)
    precision = keys.angle("angular_precision", default=math.radians(0.5))
    if not uri:
        return lidar
    keys.info(
        "scan-file",
        "angle_seq_file",
        f'the rays of this lidar come from "{uri}", which belongs to a plugin.',
    )
    return replace(lidar, pattern=ScanPattern(uri, samples, precision))


VISION = {
    "Camera": _camera,
    "CameraDevice": _camera,
    "RangeSensor": _range_sensor,
    "LivoxMid360": _livox,
}
