"""Cameras, range finders and lidars to the model."""

from __future__ import annotations

import math
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.devices import (
    DeviceCamera,
    DeviceLidar,
    DeviceRangeFinder,
    Focus,
    Lens,
    LensFlare,
    OcclusionTest,
    Projection,
    Recognition,
    RotatingHead,
    Zoom,
)

MAX_PIXELS: Final = 4096 * 4096
"""Of one picture: each takes some hundred bytes while it is drawn."""

MAX_RAYS: Final = 4_000_000
"""Of one lidar: seven times those of the largest that we know, 4500 in 128 layers."""


def lower_size(node: TypedNode, log: DiagnosticLog) -> tuple[int, int]:
    """Return the width and the height of a picture; those of the smallest if it has too many pixels."""
    return _counts(node, "width", "height", MAX_PIXELS, log)


def _counts(
    node: TypedNode, across: str, up: str, most: int, log: DiagnosticLog
) -> tuple[int, int]:
    """Return two counts whose product is at most `most`."""
    first, second = node.integer(across), node.integer(up)
    if first * second <= most:
        return first, second
    node.fail(
        log,
        "too-large",
        f"{first} x {second} is more than the {most} that are simulated; 64 x 1 is used.",
        field=across,
    )
    return 64, 1


def lower_imager(
    node: TypedNode, pose: Pose, log: DiagnosticLog
) -> DeviceCamera | DeviceRangeFinder | DeviceLidar | None:
    """Return the imaging device of a node, at `pose` in its link; None for other nodes."""
    match node.type:
        case "Camera":
            return _camera(node, pose, log)
        case "RangeFinder":
            return _range_finder(node, pose, log)
        case "Lidar":
            return _lidar(node, pose, log)
        case _:
            return None


def _camera(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceCamera:
    lens, flare = node.node("lens"), node.node("lensFlare")
    focus, zoom, recognition = node.node("focus"), node.node("zoom"), node.node("recognition")
    projection = _projection(node)
    width, height = lower_size(node, log)
    return DeviceCamera(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        projection=projection,
        field_of_view=_field_of_view(node, projection, log),
        width=width,
        height=height,
        near=node.number("near"),
        far=node.number("far") or math.inf,
        exposure=node.number("exposure"),
        noise=node.number("noise"),
        noise_mask=node.string("noiseMaskUrl").replace("\\", "/"),
        motion_blur=node.number("motionBlur") / 1000.0,
        anti_aliasing=node.boolean("antiAliasing"),
        ambient_occlusion_radius=node.number("ambientOcclusionRadius"),
        bloom_threshold=node.number_or_none("bloomThreshold"),
        lens=_lens(lens) if lens else None,
        lens_flare=lower_lens_flare(flare) if flare else None,
        focus=_focus(focus) if focus else None,
        zoom=_zoom(zoom, log) if zoom else None,
        recognition=_recognition(recognition) if recognition else None,
    )


def _range_finder(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceRangeFinder:
    lens = node.node("lens")
    projection = _projection(node)
    width, height = lower_size(node, log)
    nearest, farthest = _range(node, log)
    return DeviceRangeFinder(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        projection=projection,
        field_of_view=_field_of_view(node, projection, log),
        width=width,
        height=height,
        near=node.number("near"),
        min_range=nearest,
        max_range=farthest,
        motion_blur=node.number("motionBlur") / 1000.0,
        noise=node.number("noise"),
        resolution=node.number_or_none("resolution"),
        lens=_lens(lens) if lens else None,
    )


def _lidar(node: TypedNode, pose: Pose, log: DiagnosticLog) -> DeviceLidar:
    is_rotating = node.string("type") == "rotating"
    wide = 2.0 * math.pi if is_rotating else node.number("fieldOfView")
    tall = node.number("verticalFieldOfView")
    samples, layers = _counts(node, "horizontalResolution", "numberOfLayers", MAX_RAYS, log)
    most = tall * samples / wide
    if layers > 1 and layers >= most:
        node.warn(
            log,
            "too-many-layers",
            f"{layers} layers are more than the vertical field of view holds at this resolution "
            f"(below {most:g}).",
            field="numberOfLayers",
        )
    nearest, farthest = _range(node, log)
    is_planar = node.string("projection") == "planar" or (
        node.is_written("spherical") and not node.boolean("spherical")
    )
    return DeviceLidar(
        name=node.string("name"),
        pose=pose,
        span=node.span,
        yaw_range=(-wide / 2.0, wide / 2.0),
        pitch_range=(-tall / 2.0, tall / 2.0),
        samples=samples,
        has_sectors=True,
        layers=layers,
        tilt=node.number("tiltAngle"),
        projection=Projection.PLANAR if is_planar else Projection.CYLINDRICAL,
        near=node.number("near"),
        min_range=nearest,
        max_range=farthest,
        noise=node.number("noise") * farthest,
        resolution=node.number_or_none("resolution"),
        head=_head(node) if is_rotating else None,
    )


def _head(node: TypedNode) -> RotatingHead:
    low, high = sorted((node.number("minFrequency"), node.number("maxFrequency")))
    return RotatingHead(min(max(node.number("defaultFrequency"), low), high), low, high)


def _range(node: TypedNode, log: DiagnosticLog) -> tuple[float, float]:
    nearest, farthest = node.number("minRange"), node.number("maxRange")
    near = node.number("near")
    if nearest < near:
        node.warn(
            log,
            "inconsistent-values",
            f"minRange {nearest:g} is below near {near:g}; reset to near.",
            field="minRange",
        )
        nearest = near
    if farthest <= nearest:
        node.warn(
            log,
            "inconsistent-values",
            f"maxRange {farthest:g} is not above minRange; reset to {nearest + 1.0:g}.",
            field="maxRange",
        )
        farthest = nearest + 1.0
    return nearest, farthest


def _projection(node: TypedNode) -> Projection:
    if node.boolean("spherical") and not node.is_written("projection"):
        return Projection.CYLINDRICAL
    return Projection(node.string("projection"))


def _field_of_view(node: TypedNode, projection: Projection, log: DiagnosticLog) -> float:
    angle = node.number("fieldOfView")
    if projection is Projection.PLANAR and angle >= math.pi:
        node.warn(
            log,
            "inconsistent-values",
            f"must be below pi for a planar projection, got {angle:g}; reset to 0.785398.",
            field="fieldOfView",
        )
        return 0.785398
    return angle


def _lens(node: TypedNode) -> Lens:
    return Lens(
        node.vec2("center"), node.vec2("radialCoefficients"), node.vec2("tangentialCoefficients")
    )


def lower_lens_flare(node: TypedNode) -> LensFlare:
    """Return the values of a LensFlare node."""
    return LensFlare(
        node.number("transparency"),
        node.number("scale"),
        node.number("bias"),
        node.number("dispersal"),
        node.integer("samples"),
        node.number("haloWidth"),
        node.number("chromaDistortion"),
        node.integer("blurIterations"),
    )


def _focus(node: TypedNode) -> Focus:
    return Focus(
        node.number("focalDistance"),
        node.number("focalLength"),
        node.number("minFocalDistance"),
        node.number("maxFocalDistance"),
    )


def _zoom(node: TypedNode, log: DiagnosticLog) -> Zoom:
    low, high = node.number("minFieldOfView"), node.number("maxFieldOfView")
    if low > high:
        node.warn(
            log,
            "inconsistent-values",
            f"minFieldOfView {low:g} is above maxFieldOfView {high:g}; they are exchanged.",
            field="minFieldOfView",
        )
        low, high = high, low
    return Zoom(low, high)


def _recognition(node: TypedNode) -> Recognition:
    tests = (OcclusionTest.NONE, OcclusionTest.CENTER, OcclusionTest.MANY)
    occlusion = int(node.integer("occlusion"))  # older files write TRUE or FALSE
    return Recognition(
        node.number("maxRange"),
        node.integer_or_none("maxObjects"),
        tests[occlusion],
        node.color("frameColor"),
        node.integer("frameThickness"),
        node.boolean("segmentation"),
    )
