"""Ray directions of pixels for every lens (planar, cylindrical, fisheye), in the device frame."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from solidbody.model.devices import DeviceLidar, Lens, Projection, ScanOrder
from solidbody.render.ray_engine import Clipping

Floats = NDArray[np.float64]


def planar(
    width: int,
    height: int,
    field_of_view: float,
    lens: Lens | None = None,
    *,
    corners: bool = False,
) -> Floats:
    """Return (height, width, 3) unit directions of a pinhole; the field of view is horizontal.

    Args:
        width: [pixels].
        height: [pixels].
        field_of_view: [rad].
        lens: Distortion.
        corners: Whether a pixel looks through its lower left corner instead of its centre.
    """
    u = (np.arange(width) + (0.0 if corners else 0.5)) / width
    v = (np.arange(height) + (1.0 if corners else 0.5)) / height
    u, v = np.meshgrid(u, v)
    if lens is not None:
        u, v = _distorted(u, v, lens)
    focal = 0.5 * width / math.tan(0.5 * field_of_view)
    out = np.stack(
        [np.ones_like(u), (0.5 - u) * width / focal, (0.5 - v) * height / focal], axis=-1
    )
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


def _distorted(u: Floats, v: Floats, lens: Lens) -> tuple[Floats, Floats]:
    """Brown's model, in image sizes about the lens centre: where each pixel takes its light from."""
    x, y = u - lens.center[0], v - lens.center[1]
    r2 = x * x + y * y
    (k1, k2), (p1, p2) = lens.radial, lens.tangential
    grow = 1.0 + k1 * r2 + k2 * r2 * r2
    return (
        lens.center[0] + x * grow + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
        lens.center[1] + y * grow + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
    )


def cylindrical(width: int, height: int, field_of_view: float) -> Floats:
    """Return (height, width, 3): equal angles from pixel to pixel, the field of view is horizontal."""
    yaw = _spread(width, field_of_view)
    pitch = _spread(height, field_of_view * height / width)
    return _directions(*np.meshgrid(yaw, pitch))


def equidistant(width: int, height: int, field_of_view: float) -> Floats:
    """Return (height, width, 3): angles grow evenly from the centre, to half the field at each edge.

    Webots calls it spherical: the corners look farther aside than the edges, and an image that is not square
    is stretched (merge_spherical.frag).
    """
    right, down = np.meshgrid(-_spread(width, field_of_view), -_spread(height, field_of_view))
    angle = np.hypot(right, down)
    away = np.sin(angle) / np.maximum(angle, 1e-12)
    return np.stack([np.cos(angle), -away * right, -away * down], axis=-1)


def _spread(count: int, angle: float) -> Floats:
    """From +angle/2 to -angle/2: the middles of `count` equal parts."""
    return angle * (0.5 - (np.arange(count) + 0.5) / count)


def _directions(yaw: Floats, pitch: Floats) -> Floats:
    return np.stack(
        [np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)], axis=-1
    )


def fisheye(size: int, field_of_view: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Return (size, size, 3) directions of an equidistant lens and what lies inside its circle."""
    half = 0.5 * size
    x = (np.arange(size) + 0.5 - half) / half
    right, down = np.meshgrid(x, x)
    radius = np.hypot(right, down)
    angle = radius * 0.5 * field_of_view
    safe = np.maximum(radius, 1e-12)
    out = np.stack(
        [np.cos(angle), -np.sin(angle) * right / safe, -np.sin(angle) * down / safe], axis=-1
    )
    return out, radius <= 1.0


def dual_fisheye(width: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return (width/2, width, 3): half spheres to the front (left) and to the back (right)."""
    front, inside = fisheye(width // 2, math.pi)
    back = front * np.array([-1.0, -1.0, 1.0])
    return np.concatenate([front, back], axis=1), np.concatenate([inside, inside], axis=1)


def clipping_of(projection: Projection) -> Clipping:
    """Return what the depths `near` and `far` of a device are."""
    return Clipping.PLANE if projection is Projection.PLANAR else Clipping.CUBE


def image_directions(
    projection: Projection,
    width: int,
    height: int,
    field_of_view: float,
    lens: Lens | None = None,
    *,
    corners: bool = False,
) -> tuple[Floats, NDArray[np.bool_] | None]:
    """Return the directions of an image (rows, columns, 3), and which pixels see anything (None = all)."""
    match projection:
        case Projection.PLANAR:
            return planar(width, height, field_of_view, lens, corners=corners), None
        case Projection.CYLINDRICAL:
            return cylindrical(width, height, field_of_view), None
        case Projection.SPHERICAL:
            return equidistant(width, height, field_of_view), None
        case Projection.FISHEYE:
            return fisheye(width, min(field_of_view, math.pi))
        case Projection.DUAL_FISHEYE:
            return dual_fisheye(width)


def lidar_directions(lidar: DeviceLidar) -> tuple[Floats, Floats]:
    """Return (layers, samples, 3) directions in the device frame, in the reported order, and the yaws."""
    low, high = lidar.yaw_range
    yaw: Floats
    if lidar.head is not None:
        # a full turn has no two ends: the last sample is one step before the first
        yaw = high - np.arange(lidar.samples, dtype=np.float64) * (2 * math.pi / lidar.samples)
    elif lidar.has_sectors or lidar.samples == 1:
        yaw = 0.5 * (low + high) + _spread(lidar.samples, high - low)
    else:
        yaw = np.linspace(high, low, lidar.samples)
    bottom, top = lidar.pitch_range
    middle = 0.5 * (bottom + top)
    pitch = np.linspace(top, bottom, lidar.layers) if lidar.layers > 1 else np.array([middle])
    if lidar.order is ScanOrder.BOTTOM_RIGHT_FIRST:
        yaw, pitch = yaw[::-1], pitch[::-1]
    if lidar.projection is Projection.PLANAR and lidar.head is None:
        # the same steps on a plane: tan(high) lies where the angle `high` did
        yaw = np.arctan(yaw * (math.tan(high) / high))
    yaws, pitches = np.meshgrid(yaw, pitch)
    out = _directions(yaws, pitches)
    if lidar.tilt:
        c, s = math.cos(lidar.tilt), math.sin(lidar.tilt)
        out = out @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).T
    return out, yaw
