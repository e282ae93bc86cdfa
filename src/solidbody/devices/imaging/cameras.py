"""Cameras: colour and depth images, point clouds, recognised objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from solidbody.base.pictures import PictureError
from solidbody.base.vectors import matrix
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld, Floats
from solidbody.devices.core.group import Group
from solidbody.devices.imaging.bloom_and_flare import with_bloom, with_flare
from solidbody.devices.imaging.depth_of_field import bent, lens_points
from solidbody.devices.imaging.lazy_rendering import (
    NEWEST_SHARE,
    Bytes,
    Exposure,
    ImageGroup,
    Latent,
    Shot,
    Singles,
)
from solidbody.devices.imaging.optics import clipping_of, image_directions
from solidbody.devices.imaging.recognition import (
    Recognised,
    View,
    recognise,
    segmentation_colors,
    segmented,
    targets_of,
)
from solidbody.devices.scalar.distance import own_groups
from solidbody.devices.surfaces.render_snapshot import Visible
from solidbody.model.devices import DeviceCamera, ImageContent, Projection
from solidbody.render.line_overlay import Pinhole, draw_overlay
from solidbody.render.ray_engine import RayEngine
from solidbody.render.texture_images import find_image, load_image
from solidbody.render.tone_mapping import mean_of_squares


@dataclass(slots=True)
class CameraState:
    """What a program can change, and what a camera remembers.

    Attributes:
        field_of_view: [rad].
        exposure: Factor on the light.
        focal_distance: Where pictures are sharp [m].
        recognises: Whether objects are looked for at each picture.
        blurred: What motion blur has left of the pictures so far.
        mask: The picture of its noise.
        device: The camera that all this began with.
    """

    field_of_view: float
    exposure: float
    focal_distance: float
    device: DeviceCamera
    recognises: bool = False
    blurred: Singles | None = None
    mask: Bytes | None = None


@dataclass(slots=True)
class Photo(Shot):
    """One picture and all that comes with it.

    Attributes:
        segments: (height, width, 3) recognition colours of what is on it.
        depth: Depth along the optical axis (height, width) [m].
        points: Points in the device frame (n, 3) [m].
        objects: What was recognised.
    """

    segments: Latent[Bytes]
    depth: Singles | None = None
    points: Singles | None = None
    objects: tuple[Recognised, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Eye:
    """The rays of a camera at one zoom.

    Attributes:
        field_of_view: [rad].
        directions: (rows, columns, 3), optical frame.
        inside: (rows, columns) which of them see anything; None = all.
        bundle: The rays as the ray engine wants them.
    """

    field_of_view: float
    directions: Floats
    inside: NDArray[np.bool_] | None
    bundle: Any


def rays_per_side(device: DeviceCamera) -> int:
    """Return how many rays make a pixel, along each side of it."""
    return 2 if device.anti_aliasing and device.content is ImageContent.COLOR else 1


def shows_overlay(device: DeviceCamera) -> bool:
    """Whether lines and points are on its pictures: only on planar ones without distortion."""
    is_plain = device.projection is Projection.PLANAR and device.lens is None
    return is_plain and device.content is ImageContent.COLOR


class Cameras(ImageGroup[DeviceCamera, Photo]):
    """Pictures (height, width, 3) of red, green and blue, 0 to 255; depth and clouds where asked for."""

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = [
            CameraState(d.field_of_view, d.exposure, _focal_distance(d), d) for d in self.devices
        ]
        self._scales = [rays_per_side(d) for d in self.devices]
        self._groups = own_groups(devices, world.scene)
        self._targets = targets_of(world.scene) if any(d.recognition for d in self.devices) else ()
        self._colors: Bytes | None = None
        self._eyes: list[Eye | None] = [None] * len(devices)
        self._lenses: dict[tuple[int, float, float], list[tuple[Floats, Any]]] = {}
        for device, state in zip(self.devices, self.states, strict=True):
            state.mask = self._load_mask(device)

    def _load_mask(self, device: DeviceCamera) -> Bytes | None:
        if not device.noise_mask:
            return None
        folders = (device.span.file.rpartition("/")[0], self.world.folder)
        try:
            return load_image(find_image(device.noise_mask, self.world.scene.files, *folders))
        except PictureError as error:
            self.world.log.warning(
                "noise-mask",
                device.span,
                f'cannot read "{device.noise_mask}" as a picture (PNG, JPEG, ...): {error}; '
                "the camera works without it.",
                node=f'Camera "{device.name}"',
                field="noiseMaskUrl",
            )
            return None

    def resume(self, before: Group[DeviceCamera]) -> None:
        """Fields that were changed count more than what programs have set."""
        for device, state in zip(self.devices, self.states, strict=True):
            old, state.device = state.device, device
            if device.field_of_view != old.field_of_view:
                state.field_of_view = device.field_of_view
            if device.exposure != old.exposure:
                state.exposure = device.exposure
            if _focal_distance(device) != _focal_distance(old):
                state.focal_distance = _focal_distance(device)
            if device.noise_mask != old.noise_mask:
                state.mask = self._load_mask(device)

    def set_field_of_view(self, row: int, angle: float) -> None:
        """Zoom, from the next picture on."""
        self.states[row].field_of_view = angle

    def directions(self, row: int) -> Floats:
        """See `ImageGroup.directions`."""
        return self._looking(row, self.states[row].field_of_view)[0]

    def _looking(self, row: int, field_of_view: float) -> tuple[Floats, NDArray[np.bool_] | None]:
        """Return the directions of a camera at a zoom, and which of them see anything (None = all)."""
        d, k = self.devices[row], self._scales[row]
        return image_directions(
            d.projection,
            d.width * k,
            d.height * k,
            field_of_view,
            d.lens,
            corners=d.content is not ImageContent.COLOR,
        )

    def _eye(self, row: int, field_of_view: float, rays: RayEngine) -> Eye:
        """Return the rays of a camera at a zoom; the last ones are kept."""
        eye = self._eyes[row]
        if eye is None or eye.field_of_view != field_of_view:
            directions, inside = self._looking(row, field_of_view)
            eye = Eye(field_of_view, directions, inside, rays.bundle(directions))
            self._eyes[row] = eye
        return eye

    # ------------------------------------------------------------------ recognition

    def recognise(self, row: int) -> Latent[tuple[Recognised, ...]]:
        """Return what a camera recognises now, to be looked for when it is asked for."""
        snapshot, angle = self.world.snapshot, self.states[row].field_of_view
        return Latent(lambda: self._recognised(row, snapshot, angle))

    def _recognised(self, row: int, world: Visible, field_of_view: float) -> tuple[Recognised, ...]:
        device, group = self.devices[row], int(self._groups[row])
        view = View(device, field_of_view, *self.place(row, world), group)
        return recognise(view, self._targets, world)

    def objects(self, row: int) -> tuple[Recognised, ...]:
        """Return what was recognised with the last picture (`states[row].recognises` must be on)."""
        photo = self.shot(row)
        return () if photo is None else photo.objects

    def segmentation(self, row: int) -> Bytes | None:
        """Return (height, width, 3): recognition colours at the last picture; None before the first."""
        photo = self.shot(row)
        return None if photo is None else photo.segments()

    def _segmented(self, shapes: NDArray[np.int32]) -> Bytes:
        if self._colors is None:
            self._colors = segmentation_colors(self.world.rays)
        return segmented(shapes, self._colors)

    # ------------------------------------------------------------------ pictures

    def remembers(self, row: int) -> bool:
        """See `ImageGroup.remembers`."""
        return self.devices[row].motion_blur > 0.0

    def settings(self, row: int) -> CameraState:
        """See `ImageGroup.settings`."""
        return replace(self.states[row])

    def develop(self, row: int, exposure: Exposure, settings: CameraState) -> Photo:
        """See `ImageGroup.develop`."""
        d = self.devices[row]
        with exposure.rays() as rays:
            eye = self._eye(row, settings.field_of_view, rays)
            place = self.place(row, exposure.snapshot)
            color, distance, shapes = self._picture(row, rays, eye.bundle, place)
            focus, sharp = d.focus, settings.focal_distance
            if focus is not None and focus.focal_length > 0.0 and sharp > 0.0:
                color = self._through_lens(row, rays, eye, place, focus.focal_length, sharp)
            color = self._with_overlay(row, rays, exposure, settings, color, distance)
            film = rays.tone_mapped
        k = self._scales[row]
        rows, columns = color.shape[0] // (d.width * k), d.width * k
        picture = color.reshape(rows, columns, 3)
        if eye.inside is not None:
            picture = np.where(eye.inside[..., None], picture, np.float32(0.0))
        light = self._spilled(row, np.asarray(picture, dtype=np.float32), exposure)
        shown = film(light, settings.exposure)
        if k > 1:
            shown = mean_of_squares(shown, k)
        developed = self._finished(row, shown, exposure)
        shapes = shapes.reshape(rows, columns)[::k, ::k]
        photo = Photo(developed, Latent(lambda: self._segmented(shapes)))
        if d.content is not ImageContent.COLOR:
            self._measure(row, eye, distance, photo, exposure)
        if settings.recognises:
            photo.objects = self._recognised(row, exposure.snapshot, settings.field_of_view)
        return photo

    def _picture(
        self, row: int, rays: RayEngine, bundle: Any, place: tuple[Floats, Floats]
    ) -> tuple[Singles, Singles, NDArray[np.int32]]:
        d = self.devices[row]
        radius = d.ambient_occlusion_radius
        clipping = clipping_of(d.projection)
        return rays.picture(
            bundle, *place, near=d.near, far=d.far, clipping=clipping, corner_radius=radius
        )

    def _with_overlay(
        self,
        row: int,
        rays: RayEngine,
        exposure: Exposure,
        settings: CameraState,
        color: Singles,
        distance: Singles,
    ) -> Singles:
        """Return a picture with lines and points."""
        d, k = self.devices[row], self._scales[row]
        if not rays.overlay or not shows_overlay(d):
            return color
        lens = Pinhole(d.width * k, d.height * k, settings.field_of_view, k)
        eye, poses = self.place(row, exposure.snapshot), exposure.snapshot.poses
        return draw_overlay(rays.overlay, poses, (color, distance), eye, lens, near=d.near)

    def _through_lens(
        self,
        row: int,
        rays: RayEngine,
        eye: Eye,
        place: tuple[Floats, Floats],
        focal_length: float,
        focal_distance: float,
    ) -> Singles:
        """Return the mean of the pictures through points of the lens."""
        position, axes = place
        key = (row, focal_distance, eye.field_of_view)
        if key not in self._lenses:
            self._lenses = {
                key: [
                    (point, rays.bundle(bent(eye.directions, point, focal_distance)))
                    for point in lens_points(focal_length)
                ]
            }
        total = np.zeros((eye.bundle.shape[0], 3), dtype=np.float32)
        for point, bundle in self._lenses[key]:
            start = position + axes @ point
            total += self._picture(row, rays, bundle, (start, axes))[0]
        return total / np.float32(len(self._lenses[key]))

    def _spilled(self, row: int, picture: Singles, exposure: Exposure) -> Singles:
        """Glare and blur over time, of light."""
        d, state = self.devices[row], self.states[row]
        if d.bloom_threshold is not None:
            picture = with_bloom(picture, d.bloom_threshold)
        if d.lens_flare is not None:
            picture = with_flare(picture, d.lens_flare)
        if d.motion_blur > 0.0:
            if state.blurred is not None:
                keep = (1.0 - NEWEST_SHARE) ** (exposure.elapsed / d.motion_blur)
                picture = (keep * state.blurred + (1.0 - keep) * picture).astype(np.float32)
            state.blurred = picture
        return picture

    def _finished(self, row: int, picture: Singles, exposure: Exposure) -> Bytes:
        """Noise and the noise mask, of what is shown; then bytes."""
        d, state = self.devices[row], self.states[row]
        if d.noise > 0.0:
            grain = exposure.random.standard_normal(picture.shape, dtype=np.float32)
            picture = (picture + d.noise * grain).astype(np.float32)
        if state.mask is not None and d.projection is Projection.PLANAR:
            picture = _under_mask(picture, state.mask, exposure.random)
        return (np.clip(picture, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)

    def _measure(
        self, row: int, eye: Eye, distance: Singles, photo: Photo, exposure: Exposure
    ) -> None:
        """Points in the device frame, with the losses and errors of the sensor."""
        d = self.devices[row]
        assert d.depth is not None
        found = np.isfinite(distance)
        if d.depth.detection_rate < 1.0:
            found &= exposure.random.random(distance.shape) < d.depth.detection_rate
        if d.depth.error_deviation > 0.0:
            error = exposure.random.standard_normal(distance.shape, dtype=np.float32)
            distance = (distance + d.depth.error_deviation * error).astype(np.float32)
        directions = eye.directions.reshape(-1, 3)
        points = (directions * np.where(found, distance, 0.0)[:, None]).astype(np.float32)
        photo.depth = np.where(
            found, np.where(found, distance, 0.0) * directions[:, 0], np.inf
        ).reshape(eye.directions.shape[:2])
        turned = points @ matrix(self._optical[row]).T.astype(np.float32)
        turned[~found] = np.inf
        if d.content in (ImageContent.POINT_CLOUD, ImageContent.COLOR_POINT_CLOUD):
            turned = turned[found]
        photo.points = turned

    def reset(self) -> None:
        """Forget blur and zoom as well."""
        super().reset()
        for device, state in zip(self.devices, self.states, strict=True):
            state.blurred = None
            state.recognises = False
            state.focal_distance = _focal_distance(device)
            state.exposure = device.exposure
            state.field_of_view = device.field_of_view


def _focal_distance(device: DeviceCamera) -> float:
    return device.focus.focal_distance if device.focus else 0.0


def _under_mask(picture: Singles, mask: Bytes, random: np.random.Generator) -> Singles:
    """Return a picture covered by a part of the mask, from a random place of it, where that is opaque."""
    height, width = picture.shape[:2]
    y = (np.arange(height) + int(random.integers(mask.shape[0]))) % mask.shape[0]
    x = (np.arange(width) + int(random.integers(mask.shape[1]))) % mask.shape[1]
    part = mask[np.ix_(y, x)].astype(np.float32) / np.float32(255.0)
    return (picture + (part[..., :3] - picture) * part[..., 3:]).astype(np.float32)
