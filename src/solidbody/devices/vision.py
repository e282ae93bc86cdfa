"""Sensors that take images of distances: range finders, lidars."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.local_files import local_file
from solidbody.devices.bound import Bound
from solidbody.devices.cameras import Cameras
from solidbody.devices.finish import rounded
from solidbody.devices.imaging import NEWEST_SHARE, ImageGroup, Singles
from solidbody.devices.optics import image_directions, lidar_directions
from solidbody.devices.places import Floats, World, matrix
from solidbody.devices.scan_files import ScanSequence, read_angles
from solidbody.model.devices import DeviceLidar, DeviceRangeFinder, Projection
from solidbody.render.engine import RayEngine

__all__ = ["Cameras", "ImageGroup", "Lidars", "RangeFinders"]


class RangeFinders(ImageGroup[DeviceRangeFinder]):
    """Depth images (height, width) [m]; inf where nothing is in range."""

    kind = DeviceRangeFinder

    def __init__(self, devices: Sequence[Bound], world: World, random: np.random.Generator) -> None:
        super().__init__(devices, world, random)
        self._along: list[Floats | None] = [None] * len(devices)
        self._blurred: list[Singles | None] = [None] * len(devices)

    def directions(self, row: int) -> Floats:
        """See `ImageGroup.directions`."""
        d = self.devices[row]
        out, _ = image_directions(d.projection, d.width, d.height, d.field_of_view, d.lens)
        # a planar image holds depth along the optical axis, the others distance along the ray
        self._along[row] = out[..., 0] if d.projection is Projection.PLANAR else None
        return out

    def take(self, row: int, elapsed: float) -> Singles:
        """See `ImageGroup.take`."""
        d = self.devices[row]
        rays, bundle, position, axes = self.look(row)
        # depth is shorter than the ray; the range test comes below
        far = d.max_range * 4.0 + 1.0
        distance, _ = rays.scan(bundle, position, axes, near=d.near, far=far)
        depth = distance.reshape(d.height, d.width)
        along = self._along[row]
        if along is not None:
            depth = depth * along
        if d.noise > 0.0:
            depth = depth + d.noise * d.max_range * self.random.standard_normal(depth.shape)
        depth = self._blur(row, depth.astype(np.float32), elapsed)
        if d.resolution is not None:
            depth = rounded(depth.astype(np.float64), d.resolution)
        out = np.where((depth < d.min_range) | (depth > d.max_range), np.inf, depth)
        return out.astype(np.float32)

    def _blur(self, row: int, depth: Singles, elapsed: float) -> Singles:
        d, before = self.devices[row], self._blurred[row]
        if d.motion_blur <= 0.0:
            return depth
        if before is not None:
            keep = (1.0 - NEWEST_SHARE) ** (elapsed / d.motion_blur)
            both = np.isfinite(before) & np.isfinite(depth)
            depth = np.where(both, keep * before + (1.0 - keep) * depth, depth).astype(np.float32)
        self._blurred[row] = depth
        return depth

    def reset(self) -> None:
        """Forget blur as well."""
        super().reset()
        self._blurred = [None] * len(self._blurred)


@dataclass(slots=True)
class LidarState:
    """What a program can change, and how far the head has turned."""

    frequency: float
    turned: float = 0.0
    times: Floats | None = None


class Lidars(ImageGroup[DeviceLidar]):
    """Distances (layers, samples) [m]; inf where nothing is in range."""

    kind = DeviceLidar

    def __init__(self, devices: Sequence[Bound], world: World, random: np.random.Generator) -> None:
        super().__init__(devices, world, random)
        self.states = [LidarState(d.head.frequency if d.head else 0.0) for d in self.devices]
        self._rays: list[Floats | None] = [None] * len(devices)
        self._shown: list[Floats | None] = [None] * len(devices)
        self._sequences = [self._sequence(d) for d in self.devices]

    def _sequence(self, d: DeviceLidar) -> ScanSequence | None:
        """Return the rays that a lidar reads from a file; None = it scans a grid."""
        if d.pattern is None:
            return None
        folders = (os.path.dirname(d.span.file), self.world.folder)
        path = local_file(d.pattern.uri, folders)
        try:
            if path is None:
                raise ValueError("there is no such file")
            return ScanSequence(read_angles(path), d.pattern.samples, d.pattern.angular_precision)
        except (OSError, ValueError) as problem:
            self.world.log.warning(
                "scan-file",
                d.span,
                f'cannot read the rays of "{d.pattern.uri}": {problem}; a grid is scanned instead.',
                node=f'Lidar "{d.name}"',
            )
        return None

    def _ahead(self, row: int) -> tuple[RayEngine, Any, Floats, Floats]:
        """See `ImageGroup.look`; the rays of a file are others in every scan."""
        sequence = self._sequences[row]
        if sequence is None:
            return self.look(row)
        directions = self._rays[row] = sequence.next_directions(self.random)
        rays = self.world.rays
        return rays, rays.bundle(directions), *self.place(row)

    def directions(self, row: int) -> Floats:
        """See `ImageGroup.directions`."""
        out, _ = lidar_directions(self.devices[row])
        self._rays[row] = out
        return out

    def deliver(self, row: int, taken: tuple[Singles, Floats] | None) -> None:
        """See `ImageGroup.deliver`; points belong to the rays of the same scan."""
        if taken is not None:
            self.images[row], self._shown[row] = taken

    def take(self, row: int, elapsed: float) -> tuple[Singles, Floats] | None:
        """See `ImageGroup.take`; returns distances and directions."""
        d, state = self.devices[row], self.states[row]
        if not self.is_on(row):
            return None
        rays, bundle, position, axes = self._ahead(row)
        directions = self._rays[row]
        assert directions is not None
        layers, samples = directions.shape[:2]
        near = min(d.near, d.min_range)
        distance, _ = rays.scan(bundle, position, axes, near=near, far=d.max_range)
        image = self._reported(d, distance.reshape(layers, samples).astype(np.float64))
        times = state.times = np.zeros(samples) if state.times is None else state.times
        swept = self._swept(d, state, elapsed) if d.head else np.ones(samples, dtype=bool)
        old = self.images[row]
        if old is not None:
            image = np.where(swept, image, old)
        elif not swept.all():
            image = np.where(swept, image, np.inf)
        times[swept] = self.world.source.step_count * self.world.source.time_step
        return image.astype(np.float32), directions

    def _reported(self, d: DeviceLidar, distance: Floats) -> Floats:
        if d.noise > 0.0:
            distance = distance + d.noise * self.random.standard_normal(distance.shape)
        if d.resolution is not None:
            distance = rounded(distance, d.resolution)
        lost = (distance < d.min_range) | (distance > d.max_range)
        if d.detection_rate < 1.0:
            lost |= self.random.random(distance.shape) >= d.detection_rate
        return np.where(lost, np.inf, distance)

    def _swept(self, d: DeviceLidar, state: LidarState, elapsed: float) -> NDArray[np.bool_]:
        """Return the columns that the head has passed since the last sample."""
        turn = state.frequency * elapsed * d.samples
        first, last = math.floor(state.turned), math.floor(state.turned + turn)
        state.turned = (state.turned + turn) % d.samples
        out = np.zeros(d.samples, dtype=bool)
        if last - first >= d.samples:
            out[:] = True
        else:
            out[np.arange(first, last) % d.samples] = True
        return out

    def points(self, row: int) -> Floats:
        """Return (layers*samples, 5): x y z in the device frame, layer, time of the measurement [s]."""
        image, state = self.images[row], self.states[row]
        directions = self._shown[row]
        if image is None or directions is None or state.times is None:
            return np.zeros((0, 5))
        found = directions * np.where(np.isfinite(image), image, 0.0)[..., None]
        layers, samples = image.shape
        layer = np.repeat(np.arange(layers, dtype=np.float64), samples)
        times = np.tile(state.times, layers)
        turned = found.reshape(-1, 3) @ matrix(self._optical[row]).T
        turned[~np.isfinite(image).ravel()] = np.inf
        return np.concatenate([turned, layer[:, None], times[:, None]], axis=1)

    def reset(self) -> None:
        """Put the head back as well, and begin files anew."""
        super().reset()
        for sequence in self._sequences:
            if sequence is not None:
                sequence.place = 0
        self.states = [LidarState(d.head.frequency if d.head else 0.0) for d in self.devices]
