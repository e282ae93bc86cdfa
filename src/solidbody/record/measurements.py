"""What pictures and scans of sensors hold, before it is put into messages of one kind or another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.imaging.cameras import Cameras
from solidbody.devices.imaging.range_images import Lidars
from solidbody.model.devices import DeviceCamera, DeviceLidar, DeviceRangeFinder
from solidbody.model.devices.vision import Projection
from solidbody.record.base import SensorReading

AHEAD: Final = Pose(rotation=(0.5, -0.5, 0.5, -0.5))
"""The frame of pictures (z ahead, y down) in the optical frame of the model (x ahead, z up)."""


@dataclass(frozen=True, slots=True)
class LevelScan:
    """Distances [m] counterclockwise, from the angle `start` to the angle `end` [rad]."""

    start: float
    end: float
    ranges: NDArray[np.float64]


def optical_turn(bound: BoundDevice) -> Pose:
    """Return the frame of a device's pictures in the frame of the device."""
    return Pose(rotation=getattr(bound.device, "optical_rotation", (1.0, 0.0, 0.0, 0.0))) * AHEAD


def depths_of(reading: SensorReading) -> NDArray[np.float32] | None:
    """Return the distances of a range finder, or of a camera that measures them; None = it does not."""
    photo = reading.group.shot(reading.row) if isinstance(reading.group, Cameras) else None
    depth = reading.value if photo is None else photo.depth
    return None if depth is None else np.asarray(depth, dtype="<f4")


def points_of(reading: SensorReading) -> NDArray[np.float32] | None:
    """Return the points (n, 3) in the frame of the device that were hit; None = it measures none."""
    group, row = reading.group, reading.row
    if isinstance(group, Lidars):
        points = group.points(row)[:, :3]
    else:
        photo = group.shot(row) if isinstance(group, Cameras) else None
        points = None if photo is None else photo.points
    if points is None:
        return None
    return points[np.isfinite(points).all(axis=1)].astype("<f4")


def scan_of(reading: SensorReading) -> LevelScan | None:
    """Return the distances of a lidar with one layer of equal angles; None = it is none."""
    lidar = reading.bound.device
    if not isinstance(lidar, DeviceLidar) or not scans_a_level(lidar):
        return None
    right, left = lidar.yaw_range
    margin = 0.5 * (left - right) / lidar.samples if lidar.has_sectors else 0.0
    distances = np.asarray(reading.value, dtype=np.float64).ravel()[::-1]
    return LevelScan(right + margin, left - margin, distances)


def scans_a_level(lidar: DeviceLidar) -> bool:
    """Whether a lidar's rays lie in one level, at equal angles."""
    is_flat = lidar.layers == 1 and lidar.pattern is None and not lidar.tilt
    return is_flat and lidar.projection is not Projection.PLANAR and lidar.samples >= 2


def focal_length_of(camera: DeviceCamera | DeviceRangeFinder) -> float | None:
    """Return the focal length of a planar picture [pixels]; None = it is not planar."""
    if camera.projection is not Projection.PLANAR:
        return None
    return 0.5 * camera.width / math.tan(0.5 * camera.field_of_view)
