"""Sensors that take images: cameras, range finders, lidars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.bound import Bound
from solidbody.devices.finish import rounded
from solidbody.devices.group import Group
from solidbody.devices.optics import image_directions, lidar_directions
from solidbody.devices.places import Floats, Rows, World, multiply
from solidbody.model.devices import (
    DeviceCamera,
    DeviceLidar,
    DeviceRangeFinder,
    ImageContent,
    Projection,
)
from solidbody.render.engine import RayEngine
from solidbody.render.images import find_image, load_image

Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]

D = TypeVar("D", DeviceCamera, DeviceRangeFinder, DeviceLidar)

NEWEST_SHARE = 0.995
"""A picture that blurs has taken this share of a new value after `motion_blur`."""


class ImageGroup(Group[D], Generic[D]):
    """Devices that look somewhere with a bundle of rays; `images` holds what each of them saw last."""

    needs_every_step = False

    def __init__(self, devices: Sequence[Bound], world: World, random: np.random.Generator) -> None:
        super().__init__(devices, world, random)
        self.images: list[NDArray[Any] | None] = [None] * len(devices)
        self._bundles: list[Any] = [None] * len(devices)
        optical = [getattr(d, "optical_rotation", (1.0, 0.0, 0.0, 0.0)) for d in self.devices]
        self._optical = np.array(optical).reshape(-1, 4)

    def reset(self) -> None:
        """Forget the pictures as well."""
        super().reset()
        self.images = [None] * len(self.images)

    def disable(self, row: int) -> None:
        """Forget the picture."""
        super().disable(row)
        self.images[row] = None

    def value(self, row: int) -> Any:
        """The last image, None before the first."""
        image = self.images[row]
        return None if image is None else image.copy()

    def directions(self, row: int) -> Floats:
        """Return the directions that a device looks in, in its optical frame."""
        raise NotImplementedError

    def look(self, row: int) -> tuple[RayEngine, Any, Floats, Floats]:
        """Return the engine, the bundle of a device, its place and its optical axes in the world."""
        rays = self.world.rays
        if self._bundles[row] is None:
            self._bundles[row] = rays.bundle(self.directions(row))
        at = np.array([row], dtype=np.intp)
        turn = multiply(self.places.rotations(self.world, at), self._optical[at])
        return rays, self._bundles[row], self.places.positions(self.world, at)[0], _matrix(turn[0])


def _matrix(q: Floats) -> Floats:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@dataclass(slots=True)
class CameraState:
    """What a program can change, and what a camera remembers."""

    field_of_view: float
    exposure: float
    focal_distance: float
    inside: NDArray[np.bool_] | None = None
    blurred: Singles | None = None
    depth: Singles | None = None
    shapes: NDArray[np.int32] | None = None
    points: Singles | None = None
    mask: Bytes | None = None


class Cameras(ImageGroup[DeviceCamera]):
    """Pictures (height, width, 3) of red, green and blue, 0 to 255; depth and clouds where asked for."""

    kind = DeviceCamera

    def __init__(self, devices: Sequence[Bound], world: World, random: np.random.Generator) -> None:
        super().__init__(devices, world, random)
        self.states = [
            CameraState(d.field_of_view, d.exposure, d.focus.focal_distance if d.focus else 0.0)
            for d in self.devices
        ]
        self._scales = [
            2 if d.anti_aliasing and d.content is ImageContent.COLOR else 1 for d in self.devices
        ]
        for device, state in zip(self.devices, self.states, strict=True):
            folder = device.span.file.rpartition("/")[0]
            path = find_image(device.noise_mask, folder) if device.noise_mask else None
            state.mask = load_image(Path(path)) if path else None

    def set_field_of_view(self, row: int, angle: float) -> None:
        """Zoom."""
        self.states[row].field_of_view = angle
        self._bundles[row] = None

    def directions(self, row: int) -> Floats:
        """See `ImageGroup.directions`."""
        d, state, k = self.devices[row], self.states[row], self._scales[row]
        out, state.inside = image_directions(
            d.projection,
            d.width * k,
            d.height * k,
            state.field_of_view,
            d.lens,
            corners=d.content is not ImageContent.COLOR,
        )
        return out

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row, dt in zip(rows.tolist(), elapsed.tolist(), strict=True):
            self._take(row, dt)

    def _take(self, row: int, elapsed: float) -> None:
        d, state = self.devices[row], self.states[row]
        if not d.is_on:
            return
        rays, bundle, position, axes = self.look(row)
        color, distance, shapes = rays.picture(bundle, position, axes, near=d.near, far=d.far)
        k = self._scales[row]
        size = (d.height * k, d.width * k)
        picture = color.reshape(*size, 3)
        if k > 1:
            picture = picture.reshape(d.height, k, d.width, k, 3).mean(axis=(1, 3))
        if state.inside is not None:
            picture = np.where(state.inside[..., None], picture, 0.0)
        state.shapes = shapes.reshape(size)[::k, ::k]
        if d.content is not ImageContent.COLOR:
            self._measure(row, distance)
        self.images[row] = self._developed(
            row, picture.astype(np.float32) * state.exposure, elapsed
        )

    def _developed(self, row: int, picture: Singles, elapsed: float) -> Bytes:
        """Noise mask, blur over time, noise; then bytes."""
        d, state = self.devices[row], self.states[row]
        if state.mask is not None and d.projection is Projection.PLANAR:
            picture = picture + self._mask_part(state.mask, d.height, d.width)
        if d.motion_blur > 0.0:
            if state.blurred is not None:
                keep = (1.0 - NEWEST_SHARE) ** (elapsed / d.motion_blur)
                picture = (keep * state.blurred + (1.0 - keep) * picture).astype(np.float32)
            state.blurred = picture
        if d.noise > 0.0:
            grain = self.random.standard_normal(picture.shape, dtype=np.float32)
            picture = (picture + d.noise * grain).astype(np.float32)
        return (np.clip(picture, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)

    def _mask_part(self, mask: Bytes, height: int, width: int) -> Singles:
        """A part of the mask at a random place, around its mean."""
        y = (np.arange(height) + int(self.random.integers(mask.shape[0]))) % mask.shape[0]
        x = (np.arange(width) + int(self.random.integers(mask.shape[1]))) % mask.shape[1]
        part = mask[np.ix_(y, x)][..., :3].astype(np.float32) / 255.0
        return part - np.float32(0.5)

    def _measure(self, row: int, distance: Singles) -> None:
        """Points in the device frame, with the losses and errors of the sensor."""
        d, state = self.devices[row], self.states[row]
        assert d.depth is not None
        found = np.isfinite(distance)
        if d.depth.detection_rate < 1.0:
            found &= self.random.random(distance.shape) < d.depth.detection_rate
        if d.depth.error_deviation > 0.0:
            error = self.random.standard_normal(distance.shape, dtype=np.float32)
            distance = (distance + d.depth.error_deviation * error).astype(np.float32)
        directions = self.directions(row).reshape(-1, 3)
        points = (directions * np.where(found, distance, np.inf)[:, None]).astype(np.float32)
        points[~found] = np.inf
        state.depth = np.where(found, distance * directions[:, 0], np.inf).reshape(
            d.height, d.width
        )
        turned = points @ _matrix(self._optical[row]).T.astype(np.float32)
        turned[~found] = np.inf
        if d.content in (ImageContent.POINT_CLOUD, ImageContent.COLOR_POINT_CLOUD):
            turned = turned[found]
        state.points = turned

    def reset(self) -> None:
        """Forget blur and zoom as well."""
        super().reset()
        for device, state in zip(self.devices, self.states, strict=True):
            state.blurred = state.depth = state.shapes = state.points = None
            state.exposure = device.exposure
            if state.field_of_view != device.field_of_view:
                state.field_of_view = device.field_of_view
        self._bundles = [None] * len(self._bundles)


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

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row, dt in zip(rows.tolist(), elapsed.tolist(), strict=True):
            d = self.devices[row]
            rays, bundle, position, axes = self.look(row)
            far = (
                d.max_range * 4.0 + 1.0
            )  # depth is shorter than the ray; the range test comes below
            distance, _ = rays.scan(bundle, position, axes, near=d.near, far=far)
            depth = distance.reshape(d.height, d.width)
            along = self._along[row]
            if along is not None:
                depth = depth * along
            if d.noise > 0.0:
                depth = depth + d.noise * d.max_range * self.random.standard_normal(depth.shape)
            depth = self._blur(row, depth.astype(np.float32), dt)
            if d.resolution is not None:
                depth = rounded(depth.astype(np.float64), d.resolution)
            out = np.where((depth < d.min_range) | (depth > d.max_range), np.inf, depth)
            self.images[row] = out.astype(np.float32)

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

    def directions(self, row: int) -> Floats:
        """See `ImageGroup.directions`."""
        out, _ = lidar_directions(self.devices[row])
        self._rays[row] = out
        return out

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row, dt in zip(rows.tolist(), elapsed.tolist(), strict=True):
            d, state = self.devices[row], self.states[row]
            if not d.is_on:
                continue
            rays, bundle, position, axes = self.look(row)
            near = min(d.near, d.min_range)
            distance, _ = rays.scan(bundle, position, axes, near=near, far=d.max_range)
            image = self._reported(d, distance.reshape(d.layers, d.samples).astype(np.float64))
            if state.times is None:
                state.times = np.zeros(d.samples)
            swept = self._swept(d, state, dt)
            old = self.images[row]
            if old is not None:
                image = np.where(swept, image, old)
            elif not swept.all():
                image = np.where(swept, image, np.inf)
            state.times[swept] = self.world.source.step_count * self.world.source.time_step
            self.images[row] = image.astype(np.float32)

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
        """Return the columns that the head has passed since the last sample (all, if it does not turn)."""
        if d.head is None:
            return np.ones(d.samples, dtype=bool)
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
        d, image, state = self.devices[row], self.images[row], self.states[row]
        directions = self._rays[row]
        if image is None or directions is None or state.times is None:
            return np.zeros((0, 5))
        found = directions * image[..., None]
        found[~np.isfinite(image)] = np.inf
        layer = np.repeat(np.arange(d.layers, dtype=np.float64), d.samples)
        times = np.tile(state.times, d.layers)
        turned = found.reshape(-1, 3) @ _matrix(self._optical[row]).T
        turned[~np.isfinite(image).ravel()] = np.inf
        return np.concatenate([turned, layer[:, None], times[:, None]], axis=1)

    def reset(self) -> None:
        """Put the head back as well."""
        super().reset()
        self.states = [LidarState(d.head.frequency if d.head else 0.0) for d in self.devices]
