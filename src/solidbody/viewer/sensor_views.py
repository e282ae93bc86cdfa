"""Frustums of cameras, range finders and lidars, for the page to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence

from solidbody.base.transforms import Pose
from solidbody.model.devices import DeviceCamera, DeviceLidar, DeviceRangeFinder, Projection
from solidbody.model.links import Link
from solidbody.viewer.protocol_scene import WireView


def encode_views(links: Sequence[Link]) -> list[WireView]:
    """Return the views of all devices that take pictures."""
    out: list[WireView] = []
    for row, link in enumerate(links):
        for device in link.devices:
            match device:
                case DeviceCamera():
                    out.append(_picture(row, device, device.near, device.far))
                case DeviceRangeFinder():
                    out.append(_picture(row, device, device.min_range, device.max_range))
                case DeviceLidar():
                    out.append(_lidar(row, device))
                case _:
                    pass
    return out


def _picture(
    link: int, device: DeviceCamera | DeviceRangeFinder, near: float, far: float
) -> WireView:
    turn = device.optical_rotation if isinstance(device, DeviceCamera) else (1.0, 0.0, 0.0, 0.0)
    frame = device.pose * Pose(rotation=turn)
    is_flat = device.projection is Projection.PLANAR
    half, shape = 0.5 * device.field_of_view, device.height / max(device.width, 1)
    # a plane keeps the shape of its pixels; other pictures have equal angles both ways
    up = math.atan(math.tan(min(half, 1.5)) * shape) if is_flat else min(half * shape, math.pi / 2)
    return WireView(
        link=link,
        position=frame.position,
        rotation=frame.rotation,
        kind="camera" if isinstance(device, DeviceCamera) else "range",
        flat=is_flat,
        right=-half,
        left=half,
        low=-up,
        high=up,
        near=near,
        far=far,
    )


def _lidar(link: int, device: DeviceLidar) -> WireView:
    frame = device.pose * Pose(rotation=device.optical_rotation)
    right, left = (-math.pi, math.pi) if device.head is not None else device.yaw_range
    low, high = device.pitch_range
    return WireView(
        link=link,
        position=frame.position,
        rotation=frame.rotation,
        kind="lidar",
        flat=False,
        right=right,
        left=left,
        low=low,
        high=high,
        near=device.min_range,
        far=device.max_range,
    )
