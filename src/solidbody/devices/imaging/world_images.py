"""Image sensors in all worlds of a batch on a device: what their descriptions mean for `WorldRays`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import multiply, rotate
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_engine import DeviceEngine
from solidbody.devices.core.device_frames import DeviceWorld
from solidbody.devices.imaging.cameras import rays_per_side, shows_overlay
from solidbody.devices.imaging.lazy_rendering import own_rate
from solidbody.devices.imaging.optics import clipping_of, image_directions, lidar_directions
from solidbody.devices.imaging.range_images import depth_reach
from solidbody.devices.scalar.distance import own_groups, ray_directions
from solidbody.model.devices import (
    DeviceCamera,
    DeviceDistanceSensor,
    DeviceLidar,
    DeviceRangeFinder,
    ImageContent,
    Projection,
)
from solidbody.render.line_overlay import has_overlay
from solidbody.render.ray_engine import Clipping
from solidbody.render.world_rays import DepthMeter, WorldEye, WorldRays

Floats = NDArray[np.float64]
ImageDevice = DeviceCamera | DeviceRangeFinder | DeviceLidar


def why_not_seen(world: DeviceWorld) -> str | None:
    """Return why nothing that is drawn can be seen in many worlds at once; None = it can."""
    if world.showing:
        return "what it sees changes its form: belts, muscles or spots of lasers"
    return None


def why_not(device: ImageDevice, world: DeviceWorld) -> str | None:
    """Return why a sensor cannot be read in many worlds at once; None = it can."""
    return next(_reasons(device, world), None)


def _reasons(device: ImageDevice, world: DeviceWorld) -> Iterator[str]:
    changing = why_not_seen(world)
    if changing is not None:
        yield changing
    if own_rate(device) is not None:
        yield "it has a rate of its own"
    if device.noise > 0.0:
        yield "it has noise"
    if isinstance(device, DeviceLidar):
        if device.head is not None:
            yield "its head turns"
        if device.pattern is not None:
            yield "its rays come from a file, others in each scan"
        if device.detection_rate < 1.0:
            yield "it loses rays by chance"
        return
    if device.motion_blur > 0.0:
        yield "it has motion blur"
    if isinstance(device, DeviceRangeFinder):
        return
    if device.noise_mask:
        yield "it has noise"
    if device.bloom_threshold is not None or device.lens_flare is not None:
        yield "light spills over in it (bloom, lens flare)"
    focus = device.focus
    if focus is not None and focus.focal_length > 0.0 and focus.focal_distance > 0.0:
        yield "it has depth of field"
    if shows_overlay(device) and has_overlay(world.scene):
        yield "lines or points are drawn over its pictures"


class WorldImages:
    """What image sensors see in all worlds.

    Args:
        engine: Devices as at the start of the worlds.
        worlds: How many.
        device: Warp's name of where they are.
        column: By link, its column in `poses`; -1 = it stands still.
        poses: Of Warp: (worlds, links that move, 7), as they are now.
    """

    def __init__(
        self,
        engine: DeviceEngine,
        worlds: int,
        device: str,
        column: NDArray[np.int32],
        poses: Any,
    ) -> None:
        self._world = engine.world
        self._world.ray_device = device
        self._column = column
        self._rays = WorldRays(self._world.rays, worlds, column, poses)

    def add(self, bound: BoundDevice, image: Any, item: int) -> None:
        """Let a sensor look from now on: into `item` of `image` (worlds, items, rows, columns)."""
        device: Any = bound.device
        if isinstance(device, DeviceCamera):
            self._rays.add_picture(
                self._camera(bound, device),
                image,
                item,
                exposure=device.exposure,
                corner_radius=device.ambient_occlusion_radius,
            )
        elif isinstance(device, DeviceRangeFinder):
            self._rays.add_distances(*self._range_finder(bound, device), image, item)
        else:
            self._rays.add_distances(*self._lidar(bound, device), image, item)

    def add_single(self, bound: BoundDevice, raw: Any, column: int) -> None:
        """Let an infra-red distance sensor or a light sensor measure from now on: into a column of `raw`."""
        device: Any = bound.device
        directions, weights = np.array([[1.0, 0.0, 0.0]]), np.ones(1)
        if isinstance(device, DeviceDistanceSensor):
            directions, weights = ray_directions(device)
        eye = WorldEye(
            **self._place(bound),
            directions=directions[None],
            clipping=Clipping.SPHERE,
            near=0.0,
            far=device.lookup.max_input or 0.0,
        )
        if isinstance(device, DeviceDistanceSensor):
            red = device.red_sensitivity
            self._rays.add_infrared(eye, raw, column, weights=weights, sensitivity=red)
            return
        self._rays.add_light(
            eye,
            raw,
            column,
            color_filter=device.color_filter,
            skip=int(own_groups([bound], self._world.scene)[0]),
            sees_occlusion=device.sees_occlusion,
        )

    def look(self, active: Any) -> None:
        """Make all images anew in the worlds that are active: see `WorldRays.look`."""
        self._rays.look(active)

    def _place(self, bound: BoundDevice) -> dict[str, Any]:
        """Return where a sensor is on its link; of a link that stands still, in the world."""
        own, row = bound.pose, np.array([bound.link])
        at, turn = np.array(own.position), np.array(own.rotation)
        if self._column[bound.link] < 0:
            base = self._world.poses[row]
            at = base[0, :3] + rotate(base[:, 3:], at[None])[0]
            turn = multiply(base[:, 3:], turn[None])[0]
        optical = getattr(bound.device, "optical_rotation", (1.0, 0.0, 0.0, 0.0))
        return {
            "link": bound.link,
            "position": at,
            "rotation": turn,
            "optical": np.array(optical),
        }

    def _camera(self, bound: BoundDevice, d: DeviceCamera) -> WorldEye:
        scale = rays_per_side(d)
        directions, inside = image_directions(
            d.projection,
            d.width * scale,
            d.height * scale,
            d.field_of_view,
            d.lens,
            corners=d.content is not ImageContent.COLOR,
        )
        return WorldEye(
            **self._place(bound),
            directions=directions,
            inside=inside,
            scale=scale,
            clipping=clipping_of(d.projection),
            near=d.near,
            far=d.far,
        )

    def _range_finder(
        self, bound: BoundDevice, d: DeviceRangeFinder
    ) -> tuple[WorldEye, DepthMeter]:
        directions, _ = image_directions(d.projection, d.width, d.height, d.field_of_view, d.lens)
        along = directions[..., 0] if d.projection is Projection.PLANAR else None
        # as `RangeFinders.develop` does: limits are 32-bit numbers where values are
        low, high = d.min_range, d.max_range
        if d.resolution is None:
            low, high = float(np.float32(low)), float(np.float32(high))
        eye = WorldEye(
            **self._place(bound),
            directions=directions,
            clipping=clipping_of(d.projection),
            near=d.near,
            far=depth_reach(d),
        )
        return eye, DepthMeter(along, d.resolution, low, high, d.lost, is_single=True)

    def _lidar(self, bound: BoundDevice, d: DeviceLidar) -> tuple[WorldEye, DepthMeter]:
        directions, _ = lidar_directions(d)
        eye = WorldEye(
            **self._place(bound),
            directions=directions,
            clipping=Clipping.SPHERE,
            near=min(d.near, d.min_range),
            far=d.max_range,
        )
        meter = DepthMeter(None, d.resolution, d.min_range, d.max_range, d.lost, is_single=False)
        return eye, meter
