"""Cameras, range finders and lidars of a batch on a device: live images of all worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import warp as wp

from solidbody.devices.core.device_engine import DeviceEngine
from solidbody.gpu.model_tables import ModelTables
from solidbody.gpu.row_copies import take_row
from solidbody.gpu.worlds import WorldItem
from solidbody.model import devices as d
from solidbody.sim.batch.channels import BatchChannel
from solidbody.sim.batch.watching import CopyView

if TYPE_CHECKING:
    from solidbody.devices.core.device_binding import BoundDevice
    from solidbody.devices.imaging.world_images import WorldImages
    from solidbody.sim.simulation import Sim

_POSE: Final = 4
"""SB_LOOK_POSE of `gpu/native/sb_look.h`."""
_IMAGES: Final = (d.DeviceCamera, d.DeviceRangeFinder, d.DeviceLidar)


def is_image(channel: BatchChannel) -> bool:
    """Whether a channel has pictures or distances in directions."""
    return channel.dtype is not np.float64


def sees(bound: BoundDevice) -> bool:
    """Whether a sensor of one number sees what is drawn, or lamps."""
    device = bound.device
    is_infrared = (
        isinstance(device, d.DeviceDistanceSensor) and device.kind is d.DistanceKind.INFRARED
    )
    return is_infrared or isinstance(device, d.DeviceLightSensor)


class DeviceImages:
    """Images that are bound, made anew whenever worlds are looked at.

    Args:
        sim: What the worlds are copies of, as at its start.
        tables: Of the kernels.
        count: How many worlds.
        device: Of Warp.
    """

    def __init__(self, sim: Sim, tables: ModelTables, count: int, device: Any) -> None:
        self._sim, self._tables, self._count, self._device = sim, tables, count, device
        self._column = np.full(len(sim.link_names), -1, dtype=np.int32)
        self._poses: Any = None
        self._seen: WorldImages | None = None
        self._waiting: list[tuple[BoundDevice, Any, int]] = []
        self._single: list[BoundDevice] = []
        self._columns: dict[int, int] = {}
        self.raw: Any = None
        """(worlds, columns): what sensors of one number see, before look-up tables; None = there are none."""

    def bind(self, channel: BatchChannel, places: Sequence[int]) -> Any:
        """Return a live array: (worlds, items, height, width), of pictures with three bytes each.

        Raises:
            ValueError: Kernels cannot make it.
        """
        found = [self._sim.devices.devices[channel.rows[place]] for place in places]
        for bound in found:
            self._check(channel.name, bound)
        self._begin()
        is_picture = channel.dtype is np.uint8
        array = wp.zeros(
            (self._count, len(places), *channel.each[:2]),
            dtype=wp.vec3ub if is_picture else wp.float32,
            device=self._device,
        )
        # one that is off sees nothing
        on = [
            (bound, array, item)
            for item, bound in enumerate(found)
            if getattr(bound.device, "is_on", True)
        ]
        self._waiting += on
        return array

    def _check(self, channel: str, bound: BoundDevice) -> None:
        from solidbody.devices.imaging.world_images import why_not  # loads Warp's kernels

        device = bound.device
        assert isinstance(device, _IMAGES)
        why = why_not(device, self._sim.devices.world)
        if why is not None:
            raise ValueError(
                f'{channel} of "{device.name}" cannot be read on a device: {why} ({device.span})'
            )

    def _begin(self) -> None:
        """Choose the links whose poses are needed."""
        if self._poses is not None:
            return
        links = np.flatnonzero(self._tables.row_of_body[self._sim.compiled.binding.body] >= 0)
        self._column[links] = np.arange(len(links), dtype=np.int32)
        shape = (self._count, max(1, len(links)), 7)
        self._poses = wp.zeros(shape, dtype=wp.float64, device=self._device)
        single = sum(map(sees, self._sim.devices.devices))
        if single:
            shape = (self._count, single)
            self.raw = wp.zeros(shape, dtype=wp.float64, device=self._device)

    def column(self, channel: str, bound: BoundDevice) -> int:
        """Return the column of `raw` that such a sensor measures into.

        Raises:
            ValueError: Kernels cannot measure it.
        """
        from solidbody.devices.imaging.world_images import why_not_seen

        why = why_not_seen(self._sim.devices.world)
        if why is not None:
            raise ValueError(
                f'{channel} of "{bound.name}" cannot be read on a device: {why} ({bound.device.span})'
            )
        self._begin()
        if bound.index not in self._columns:
            self._columns[bound.index] = len(self._columns)
            self._single.append(bound)
        return self._columns[bound.index]

    def items(self) -> list[WorldItem]:
        """Return what has to be read of the worlds before images are made."""
        if self._poses is None:
            return []
        binding = self._sim.compiled.binding
        return [
            WorldItem(
                _POSE,
                int(self._tables.row_of_body[binding.body[link]]),
                (*map(float, binding.offset_position[link]), 1.0, *(0.0,) * 7),
                self._poses,
                7 * int(self._column[link]),
            )
            for link in np.flatnonzero(self._column >= 0).tolist()
        ]

    def look(self, active: Any, changed: Any = None) -> None:
        """Make images anew.

        Args:
            active: Of Warp: (worlds, 1) bytes; worlds in which it is 0 keep theirs.
            changed: Of Warp: (worlds,) a mask that counts instead; None = `active` does.
        """
        if self._poses is None:
            return
        if self._seen is None:
            from solidbody.devices.imaging.world_images import WorldImages

            engine = DeviceEngine(cast("Any", CopyView(self._sim)))
            self._seen = WorldImages(
                engine, self._count, self._device.alias, self._column, self._poses
            )
        while self._waiting:
            self._seen.add(*self._waiting.pop(0))
        while self._single:
            bound = self._single.pop(0)
            self._seen.add_single(bound, self.raw, self._columns[bound.index])
        if changed is not None:
            active = wp.zeros((self._count, 1), dtype=wp.int8, device=self._device)
            take_row(changed, wp.ones((1, 1), dtype=wp.int8, device=self._device), active)
        self._seen.look(active)
