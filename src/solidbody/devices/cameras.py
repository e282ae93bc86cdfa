"""Cameras: pictures, depth, clouds, recognised objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.bound import Bound
from solidbody.devices.distance import own_groups
from solidbody.devices.focus import bent, lens_points
from solidbody.devices.glare import with_bloom, with_flare
from solidbody.devices.imaging import NEWEST_SHARE, Bytes, ImageGroup, Singles
from solidbody.devices.optics import image_directions
from solidbody.devices.places import Floats, World, matrix
from solidbody.devices.recognition import (
    Recognised,
    View,
    recognise,
    segmentation_colors,
    segmented,
    targets_of,
)
from solidbody.model.devices import DeviceCamera, ImageContent, Projection
from solidbody.render.engine import RayEngine
from solidbody.render.images import find_image, load_image


@dataclass(slots=True)
class CameraState:
    """What a program can change, and what a camera remembers.

    Attributes:
        field_of_view: [rad].
        exposure: Factor on the light.
        focal_distance: Where pictures are sharp [m].
        recognises: Whether objects are looked for at each picture.
        shot: What was delivered last; None = nothing yet.
    """

    field_of_view: float
    exposure: float
    focal_distance: float
    recognises: bool = False
    shot: Shot | None = None
    inside: NDArray[np.bool_] | None = None
    blurred: Singles | None = None
    mask: Bytes | None = None

    @property
    def depth(self) -> Singles | None:
        """Depth along the optical axis (height, width) [m]."""
        return None if self.shot is None else self.shot.depth

    @property
    def points(self) -> Singles | None:
        """Points in the device frame (n, 3) [m]."""
        return None if self.shot is None else self.shot.points


@dataclass(slots=True)
class Shot:
    """One picture and all that comes with it."""

    picture: Bytes
    shapes: NDArray[np.int32]
    depth: Singles | None = None
    points: Singles | None = None
    objects: tuple[Recognised, ...] = ()


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
        self._groups = own_groups(devices, world.scene)
        self._targets = targets_of(world.scene) if any(d.recognition for d in self.devices) else ()
        self._colors: Bytes | None = None
        self._lenses: dict[tuple[int, float, float], list[tuple[Floats, Any]]] = {}
        for device, state in zip(self.devices, self.states, strict=True):
            if device.noise_mask:
                state.mask = self._load_mask(device)
            if device.ambient_occlusion_radius > 0.0:
                self.world.log.info(
                    "ambient-occlusion",
                    device.span,
                    "dark corners by ambient occlusion are not drawn.",
                    node=f'Camera "{device.name}"',
                    field="ambientOcclusionRadius",
                )

    def _load_mask(self, device: DeviceCamera) -> Bytes | None:
        folders = (device.span.file.rpartition("/")[0], self.world.folder)
        path = find_image(device.noise_mask, *folders)
        mask = load_image(path) if path else None
        if mask is None:
            self.world.log.warning(
                "noise-mask",
                device.span,
                f'cannot read "{device.noise_mask}" as a picture (PNG, JPEG, ...); '
                "the camera works without it.",
                node=f'Camera "{device.name}"',
                field="noiseMaskUrl",
            )
        return mask

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

    # ------------------------------------------------------------------ recognition

    def recognise(self, row: int) -> tuple[Recognised, ...]:
        """Return what a camera recognises now."""
        position, axes = self.place(row)
        view = View(
            self.devices[row],
            self.states[row].field_of_view,
            position,
            axes,
            int(self._groups[row]),
        )
        return recognise(view, self._targets, self.world)

    def objects(self, row: int) -> tuple[Recognised, ...]:
        """Return what was recognised with the last picture (`states[row].recognises` must be on)."""
        shot = self.states[row].shot
        return () if shot is None else shot.objects

    def segmentation(self, row: int) -> Bytes | None:
        """Return (height, width, 3): recognition colours at the last picture; None before the first."""
        shot = self.states[row].shot
        if shot is None:
            return None
        if self._colors is None:
            self._colors = segmentation_colors(self.world.rays)
        return segmented(shot.shapes, self._colors)

    # ------------------------------------------------------------------ pictures

    def take(self, row: int, elapsed: float) -> Shot | None:
        """See `ImageGroup.take`."""
        d, state = self.devices[row], self.states[row]
        if not self.is_on(row):
            return None
        rays, bundle, position, axes = self.look(row)
        color, distance, shapes = rays.picture(bundle, position, axes, near=d.near, far=d.far)
        if d.focus is not None and d.focus.focal_length > 0.0 and state.focal_distance > 0.0:
            color = self._through_lens(row, rays, position, axes)
        k = self._scales[row]
        rows, columns = color.shape[0] // (d.width * k), d.width * k
        picture = color.reshape(rows, columns, 3)
        if state.inside is not None:
            picture = np.where(state.inside[..., None], picture, 0.0)
        if k > 1:
            picture = picture.reshape(rows // k, k, d.width, k, 3).mean(axis=(1, 3))
        light = picture.astype(np.float32) * np.float32(state.exposure)
        shot = Shot(self._developed(row, light, elapsed), shapes.reshape(rows, columns)[::k, ::k])
        if d.content is not ImageContent.COLOR:
            self._measure(row, distance, shot)
        if state.recognises:
            shot.objects = self.recognise(row)
        return shot

    def deliver(self, row: int, taken: Shot | None) -> None:
        """See `ImageGroup.deliver`."""
        self.states[row].shot = taken
        self.images[row] = None if taken is None else taken.picture

    def _through_lens(self, row: int, rays: RayEngine, position: Floats, axes: Floats) -> Singles:
        """Return the mean of the pictures through points of the lens."""
        d, state = self.devices[row], self.states[row]
        assert d.focus is not None
        key = (row, state.focal_distance, state.field_of_view)
        if key not in self._lenses:
            directions = self.directions(row)
            self._lenses = {
                key: [
                    (point, rays.bundle(bent(directions, point, state.focal_distance)))
                    for point in lens_points(d.focus.focal_length)
                ]
            }
        total = np.zeros((self._bundles[row].shape[0], 3), dtype=np.float32)
        for point, bundle in self._lenses[key]:
            start = position + axes @ point
            total += rays.picture(bundle, start, axes, near=d.near, far=d.far)[0]
        return total / np.float32(len(self._lenses[key]))

    def _developed(self, row: int, picture: Singles, elapsed: float) -> Bytes:
        """Glare, noise mask, blur over time, noise; then bytes."""
        d, state = self.devices[row], self.states[row]
        if d.bloom_threshold is not None:
            picture = with_bloom(picture, d.bloom_threshold)
        if d.lens_flare is not None:
            picture = with_flare(picture, d.lens_flare)
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

    def _measure(self, row: int, distance: Singles, shot: Shot) -> None:
        """Points in the device frame, with the losses and errors of the sensor."""
        d = self.devices[row]
        assert d.depth is not None
        found = np.isfinite(distance)
        if d.depth.detection_rate < 1.0:
            found &= self.random.random(distance.shape) < d.depth.detection_rate
        if d.depth.error_deviation > 0.0:
            error = self.random.standard_normal(distance.shape, dtype=np.float32)
            distance = (distance + d.depth.error_deviation * error).astype(np.float32)
        directions = self.directions(row).reshape(-1, 3)
        points = (directions * np.where(found, distance, 0.0)[:, None]).astype(np.float32)
        shot.depth = np.where(
            found, np.where(found, distance, 0.0) * directions[:, 0], np.inf
        ).reshape(shot.shapes.shape)
        turned = points @ matrix(self._optical[row]).T.astype(np.float32)
        turned[~found] = np.inf
        if d.content in (ImageContent.POINT_CLOUD, ImageContent.COLOR_POINT_CLOUD):
            turned = turned[found]
        shot.points = turned

    def reset(self) -> None:
        """Forget blur and zoom as well."""
        super().reset()
        for device, state in zip(self.devices, self.states, strict=True):
            state.blurred = state.shot = None
            state.recognises = False
            state.focal_distance = device.focus.focal_distance if device.focus else 0.0
            state.exposure = device.exposure
            if state.field_of_view != device.field_of_view:
                state.field_of_view = device.field_of_view
        self._bundles = [None] * len(self._bundles)
