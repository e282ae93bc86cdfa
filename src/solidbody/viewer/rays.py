"""Rays and hit points of distance sensors, for the page to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import matrix, rotate
from solidbody.devices.core.device_binding import BoundDevice, bind_devices
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.devices.imaging.range_images import Lidars, RangeFinders
from solidbody.devices.scalar.distance import own_groups, ray_directions
from solidbody.model.devices import DeviceDistanceSensor, DistanceKind
from solidbody.render.ray_batches import AnyRayBatch
from solidbody.viewer.probe import Probe
from solidbody.viewer.protocol_live import EventPoints, EventRays
from solidbody.viewer.scene_encoding import encode_floats

if TYPE_CHECKING:
    from solidbody.sim import Sim

Floats = NDArray[np.float64]

POINT_LIMIT: Final = 20_000
"""Most points that are drawn of all sensors together; of more, every second, third, ... one."""

_KINDS: Final = (
    # sees what is drawn, goes through glass
    (DistanceKind.GENERIC, False, False),
    (DistanceKind.SONAR, False, False),
    (DistanceKind.LASER, False, True),
    (DistanceKind.INFRARED, True, False),
)


class RayWatcher:
    """Follows the rays of all distance sensors, and gathers the points of lidars and range finders.

    Sensors of controllers are not disturbed: rays are the page's own, pictures those of `Probe`.
    """

    def __init__(self, sim: Sim, probe: Probe) -> None:
        self._sim = sim
        self._probe = probe
        self._bound = bind_devices(sim.scene, sim)
        self._batches: list[tuple[AnyRayBatch, NDArray[np.intp], Floats, Floats]] | None = None

    def rays(self) -> EventRays:
        """Return where the rays of all distance sensors go now."""
        world = self._sim.devices.world
        world.forget()  # nobody tells it of steps while no controller samples anything
        rays = world.rays
        if self._batches is None:
            self._batches = [
                self._batch([b for b in self._bound if _is_kind(b, kind)], drawn, opaque_only)
                for kind, drawn, opaque_only in _KINDS
                if any(_is_kind(b, kind) for b in self._bound)
            ]
        del rays  # brought up to date by being asked for
        poses = self._sim.poses()
        rows: list[Floats] = []
        for batch, link, origin, direction in self._batches:
            distance, shape, _ = batch.cast()
            turn = poses[link, 3:]
            start = poses[link, :3] + rotate(turn, origin)
            end = start + rotate(turn, direction) * distance[:, None].astype(np.float64)
            rows.append(
                np.concatenate([start, end, (shape >= 0).astype(np.float64)[:, None]], axis=1)
            )
        return EventRays(encode_floats(np.concatenate(rows) if rows else ()))

    def _batch(
        self, devices: list[BoundDevice], drawn: bool, opaque_only: bool
    ) -> tuple[AnyRayBatch, NDArray[np.intp], Floats, Floats]:
        link: list[int] = []
        origins, directions, reaches, skips = (
            list[Floats](),
            list[Floats](),
            list[float](),
            list[int](),
        )
        for bound, own in zip(devices, own_groups(devices, self._sim.scene).tolist(), strict=True):
            device = bound.device
            assert isinstance(device, DeviceDistanceSensor)
            own_directions, _ = ray_directions(device)
            count = len(own_directions)
            link += [bound.link] * count
            origins += [np.array(device.pose.position)] * count
            turn = np.tile(np.array(device.pose.rotation), (count, 1))
            directions += list(rotate(turn, own_directions))
            reaches += [device.lookup.max_input or 0.0] * count
            skips += [-1 if drawn else own] * count
        start, along = np.array(origins), np.array(directions)
        rows = np.array(link, dtype=np.intp)
        batch = self._sim.devices.world.rays.ray_batch(
            rows,
            start,
            along,
            np.array(reaches),
            skip=np.array(skips, dtype=np.int32),
            drawn=drawn,
            opaque_only=opaque_only,
        )
        return batch, rows, start, along

    def points(self) -> EventPoints:
        """Return the points that all lidars and range finders see now."""
        clouds = [cloud for bound in self._bound if (cloud := self._cloud(bound)) is not None]
        every = np.concatenate(clouds) if clouds else np.zeros((0, 3))
        skip = max(1, -(-len(every) // POINT_LIMIT))
        return EventPoints(encode_floats(every[::skip]))

    def _cloud(self, bound: BoundDevice) -> Floats | None:
        looked = self._probe.look(bound.index)
        if looked is None:
            return None
        group, row = looked
        match group:
            case Lidars():
                local = group.points(row)[:, :3]
                position, axes = _device_frame(group, row)
            case RangeFinders():
                image = group.image(row)
                if image is None:
                    return None
                position, axes = group.place(row)
                along = group.directions(row).reshape(-1, 3)
                depth = image.reshape(-1, 1).astype(np.float64)
                is_planar = group.devices[row].projection.value == "planar"
                local = along * (depth / along[:, :1] if is_planar else depth)
            case _:
                return None
        local = local[np.isfinite(local).all(axis=1)]
        return position + local @ axes.T


def _device_frame(group: ImageGroup, row: int) -> tuple[Floats, Floats]:
    """Return the place of a device and its axes (columns) in the world."""
    at = np.array([row], dtype=np.intp)
    turn = group.places.rotations(group.world, at)[0]
    return group.places.positions(group.world, at)[0], matrix(turn)


def _is_kind(bound: BoundDevice, kind: DistanceKind) -> bool:
    return isinstance(bound.device, DeviceDistanceSensor) and bound.device.kind is kind
