"""Range finders and lidars: images of distances."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from solidbody.base.file_access import FileError
from solidbody.base.local_files import find_file
from solidbody.base.vectors import matrix
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats
from solidbody.devices.core.measurement_model import rounded
from solidbody.devices.imaging.lazy_rendering import (
    NEWEST_SHARE,
    Exposure,
    ImageGroup,
    Shot,
    Singles,
)
from solidbody.devices.imaging.optics import clipping_of, image_directions, lidar_directions
from solidbody.devices.imaging.scan_files import ScanSequence, read_angles
from solidbody.model.devices import DeviceLidar, DeviceRangeFinder, Projection
from solidbody.render.ray_engine import RayEngine


def depth_reach(device: DeviceRangeFinder) -> float:
    """Return how far its rays go [m]: depth is shorter than the ray, and the range test comes later."""
    return device.max_range * 4.0 + 1.0


class RangeFinders(ImageGroup[DeviceRangeFinder, Shot]):
    """Depth images (height, width) [m]."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self._bundles: list[tuple[Any, Floats | None] | None] = [None] * len(devices)
        self._blurred: list[Singles | None] = [None] * len(devices)

    def directions(self, row: int) -> Floats:
        """See `ImageGroup.directions`."""
        d = self.devices[row]
        out, _ = image_directions(d.projection, d.width, d.height, d.field_of_view, d.lens)
        return out

    def _bundle(self, row: int, rays: RayEngine) -> tuple[Any, Floats | None]:
        """Return the rays of a device, and the depth per distance along each (None = it reports distance)."""
        found = self._bundles[row]
        if found is None:
            out = self.directions(row)
            # a planar image holds depth along the optical axis, the others distance along the ray
            is_planar = self.devices[row].projection is Projection.PLANAR
            found = self._bundles[row] = (rays.bundle(out), out[..., 0] if is_planar else None)
        return found

    def remembers(self, row: int) -> bool:
        """See `ImageGroup.remembers`."""
        return self.devices[row].motion_blur > 0.0

    def develop(self, row: int, exposure: Exposure, settings: None) -> Shot:
        """See `ImageGroup.develop`."""
        d = self.devices[row]
        far = depth_reach(d)
        with exposure.rays() as rays:
            bundle, along = self._bundle(row, rays)
            place = self.place(row, exposure.snapshot)
            clipping = clipping_of(d.projection)
            distance, _ = rays.scan(bundle, *place, near=d.near, far=far, clipping=clipping)
        depth = distance.reshape(d.height, d.width)
        if along is not None:
            depth = depth * along
        if d.noise > 0.0:
            grain = exposure.random.standard_normal(depth.shape)
            depth = depth + d.noise * d.max_range * grain
        depth = self._blur(row, depth.astype(np.float32), exposure.elapsed)
        if d.resolution is not None:
            depth = rounded(depth.astype(np.float64), d.resolution)
        out = np.where((depth < d.min_range) | (depth > d.max_range), d.lost, depth)
        return Shot(out.astype(np.float32))

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
    turned: float
    """[columns] It looks ahead at the start."""


def _ahead(lidar: DeviceLidar) -> float:
    """Return how far in a row of rays, from the left one on, the one straight ahead is (0 to 1)."""
    right, left = lidar.yaw_range
    return left / (left - right) if left > right else 0.5


@dataclass(slots=True)
class Scan(Shot):
    """Distances with the rays that measured them (layers, samples, 3), and when each column did [s]."""

    directions: Floats
    times: Floats


class Lidars(ImageGroup[DeviceLidar, Scan]):
    """Distances (layers, samples) [m]; 0 where a head has not been yet."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = self._start()
        self._bundles: list[tuple[Any, Floats] | None] = [None] * len(devices)
        self._sequences = [self._sequence(d) for d in self.devices]

    def _start(self) -> list[LidarState]:
        return [
            LidarState(d.head.frequency if d.head else 0.0, _ahead(d) * d.samples)
            for d in self.devices
        ]

    def _sequence(self, d: DeviceLidar) -> ScanSequence | None:
        """Return the rays that a lidar reads from a file; None = it scans a grid."""
        if d.pattern is None:
            return None
        folders = (os.path.dirname(d.span.file), self.world.folder)
        try:
            path = find_file(d.pattern.uri, folders, self.world.scene.files)
            return ScanSequence(read_angles(path), d.pattern.samples)
        except (OSError, ValueError, FileError) as problem:
            self.world.log.warning(
                "scan-file",
                d.span,
                f'cannot read the rays of "{d.pattern.uri}": {problem}; a grid is scanned instead.',
                node=f'Lidar "{d.name}"',
            )
        return None

    def directions(self, row: int) -> Floats:
        """See `ImageGroup.directions`."""
        out, _ = lidar_directions(self.devices[row])
        return out

    def _bundle(self, row: int, rays: RayEngine) -> tuple[Any, Floats]:
        """Return the rays of a device that scans a grid, and their directions."""
        found = self._bundles[row]
        if found is None:
            directions = self.directions(row)
            found = self._bundles[row] = (rays.bundle(directions), directions)
        return found

    def remembers(self, row: int) -> bool:
        """See `ImageGroup.remembers`; a head that turns measures a part of the image at a time."""
        return self.devices[row].head is not None

    def settings(self, row: int) -> int:
        """Number of the first ray of a scan whose rays come from a file: others in every scan."""
        sequence = self._sequences[row]
        return 0 if sequence is None else sequence.advance()

    def develop(self, row: int, exposure: Exposure, settings: int) -> Scan:
        """See `ImageGroup.develop`."""
        d, sequence = self.devices[row], self._sequences[row]
        with exposure.rays() as rays:
            if sequence is None:
                bundle, directions = self._bundle(row, rays)
            else:
                directions = sequence.directions(settings)
                bundle = rays.bundle(directions)
            near, place = min(d.near, d.min_range), self.place(row, exposure.snapshot)
            distance, _ = rays.scan(bundle, *place, near=near, far=d.max_range)
        layers, samples = directions.shape[:2]
        image = self._reported(d, distance.reshape(layers, samples).astype(np.float64), exposure)
        now = exposure.snapshot.step * self.world.source.time_step
        times = np.full(samples, now)
        if d.head is not None:
            swept = self._swept(d, self.states[row], exposure.elapsed)
            before = self.shot(row)
            image = np.where(swept, image, 0.0 if before is None else before.image)
            times = np.where(swept, times, 0.0 if before is None else before.times)
        return Scan(image.astype(np.float32), directions, times)

    @staticmethod
    def _reported(d: DeviceLidar, distance: Floats, exposure: Exposure) -> Floats:
        if d.noise > 0.0:
            distance = distance + d.noise * exposure.random.standard_normal(distance.shape)
        if d.resolution is not None:
            distance = rounded(distance, d.resolution)
        lost = (distance < d.min_range) | (distance > d.max_range)
        if d.detection_rate < 1.0:
            lost |= exposure.random.random(distance.shape) >= d.detection_rate
        return np.where(lost, d.lost, distance)

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
        scan = self.shot(row)
        if scan is None:
            return np.zeros((0, 5))
        found = scan.directions * np.where(np.isfinite(scan.image), scan.image, 0.0)[..., None]
        layers, samples = scan.image.shape
        layer = np.repeat(np.arange(layers, dtype=np.float64), samples)
        times = np.tile(scan.times, layers)
        turned = found.reshape(-1, 3) @ matrix(self._optical[row]).T
        turned[~np.isfinite(scan.image).ravel()] = np.inf
        return np.concatenate([turned, layer[:, None], times[:, None]], axis=1)

    def reset(self) -> None:
        """Put the head back as well, and begin files anew."""
        super().reset()
        for sequence in self._sequences:
            if sequence is not None:
                sequence.place = 0
        self.states = self._start()
