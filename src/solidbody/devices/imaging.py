"""What all sensors that take images share: a bundle of rays, and when a picture is delivered."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.bound import AnyDevice, Bound
from solidbody.devices.group import Group
from solidbody.devices.places import Floats, Rows, World, matrix, multiply
from solidbody.model.devices import DeviceCamera, DeviceLidar, DeviceRangeFinder
from solidbody.render.engine import RayEngine
from solidbody.render.hiding import hidden

Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]

D = TypeVar("D", DeviceCamera, DeviceRangeFinder, DeviceLidar)

NEWEST_SHARE = 0.995
"""A picture that blurs has taken this share of a new value after `motion_blur`."""


def own_rate(device: AnyDevice) -> float | None:
    """Return how often a device works by itself [Hz]; None = whenever a program wants."""
    match device:
        case DeviceCamera(frame_rate=rate) | DeviceLidar(scan_rate=rate):
            return rate
        case _:
            return None


class ImageGroup(Group[D], Generic[D]):
    """Devices that look somewhere with a bundle of rays; `images` holds what each of them saw last."""

    needs_every_step = False

    def __init__(self, devices: Sequence[Bound], world: World, random: np.random.Generator) -> None:
        super().__init__(devices, world, random)
        self.images: list[NDArray[Any] | None] = [None] * len(devices)
        self.unseen: list[Collection[tuple[int, int]]] = [()] * len(devices)
        """Per device: (link, shape) of what it does not see though it is there."""
        self._works = self._switches()
        # sensors with a rate of their own deliver one cycle after they looked
        self._is_late = [own_rate(d) is not None for d in self.devices]
        self._waiting: list[Any] = [None] * len(devices)
        self._bundles: list[Any] = [None] * len(devices)
        optical = [getattr(d, "optical_rotation", (1.0, 0.0, 0.0, 0.0)) for d in self.devices]
        self._optical = np.array(optical).reshape(-1, 4)

    def _switches(self) -> list[bool]:
        """Whether each device is on in the file; those of some formats have no switch and always are."""
        return [getattr(d, "is_on", True) for d in self.devices]

    def is_on(self, row: int) -> bool:
        """See `Group.is_on`."""
        return self._works[row]

    def turn(self, row: int, *, is_on: bool) -> bool:
        """See `Group.turn`; a sensor that is turned off forgets what it saw."""
        if self._works[row] != is_on:
            self._works[row] = is_on
            self.images[row] = None
            if self._is_late[row]:
                self._waiting[row] = self._taken(row, 0.0)
            self.deliver(row, None)
        return True

    def reset(self) -> None:
        """Forget the pictures as well; switches are as in the file."""
        super().reset()
        self._works = self._switches()
        self.unseen = [()] * len(self.unseen)
        self.images = [None] * len(self.images)
        self._waiting = [None] * len(self.images)

    def enable(self, row: int) -> None:
        """A sensor that delivers late takes its first look now."""
        if self._is_late[row]:
            self._waiting[row] = self._taken(row, 0.0)

    def disable(self, row: int) -> None:
        """Forget the picture."""
        super().disable(row)
        self.images[row] = self._waiting[row] = None
        self.deliver(row, None)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """See `Group.sample`."""
        for row, dt in zip(rows.tolist(), elapsed.tolist(), strict=True):
            taken = self._taken(row, dt)
            if self._is_late[row]:
                taken, self._waiting[row] = self._waiting[row], taken
            self.deliver(row, taken)

    def _taken(self, row: int, elapsed: float) -> Any:
        """Look now, past what the device does not see."""
        if not self.unseen[row]:
            return self.take(row, elapsed)
        with hidden(self.world.rays, self.unseen[row]):
            return self.take(row, elapsed)

    @abstractmethod
    def take(self, row: int, elapsed: float) -> Any:
        """Look now; return what `deliver` is to make public, None if the sensor is off."""

    def deliver(self, row: int, taken: Any) -> None:
        """Make public what was taken."""
        if taken is not None:
            self.images[row] = taken

    def value(self, row: int) -> Any:
        """The last image, None before the first."""
        image = self.images[row]
        return None if image is None else image.copy()

    @abstractmethod
    def directions(self, row: int) -> Floats:
        """Return the directions that a device looks in, in its optical frame."""

    def look(self, row: int) -> tuple[RayEngine, Any, Floats, Floats]:
        """Return the engine, the bundle of a device, its place and its optical axes in the world."""
        rays = self.world.rays
        if self._bundles[row] is None:
            self._bundles[row] = rays.bundle(self.directions(row))
        return rays, self._bundles[row], *self.place(row)

    def place(self, row: int) -> tuple[Floats, Floats]:
        """Return the place of a device and its optical axes (columns) in the world."""
        at = np.array([row], dtype=np.intp)
        turn = multiply(self.places.rotations(self.world, at), self._optical[at])
        return self.places.positions(self.world, at)[0], matrix(turn[0])
