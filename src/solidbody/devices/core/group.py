"""Base class of groups: a group holds all devices of one kind and samples them together."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Final, Generic, TypeVar, cast

import numpy as np
from numpy.random import Generator

from solidbody.devices.core.device_binding import AnyDevice, BoundDevice
from solidbody.devices.core.device_frames import DeviceFrames, DeviceWorld, Floats, Rows
from solidbody.devices.core.plain import Plain

D = TypeVar("D", bound=AnyDevice)

_MEMORY: Final = ("values", "shots", "states")
"""What groups hold by device, and what programs have set or not yet read."""


class Group(ABC, Generic[D]):
    """Devices of one kind (`devices/kinds.py` says which). Rows count within the group.

    Attributes:
        width: Numbers per value.
        needs_every_step: Whether `watch` has to be called after each step while a device is on.
        needs_forces: Whether it reads forces of the last step, which are gone once poses are known.
        acts: Whether its devices do something by themselves, on or not: see `is_busy` and `act`.
        is_seen_at_once: Whether sensors see what `act` does in the same step.
        keeps_state: Whether the value is what a program has set: it can be read though nothing samples it.
        values: What the devices report, one row each; NaN before the first sample.
    """

    width: ClassVar[int] = 1
    needs_every_step: ClassVar[bool] = False
    needs_forces: ClassVar[bool] = False
    acts: ClassVar[bool] = False
    is_seen_at_once: ClassVar[bool] = False
    keeps_state: ClassVar[bool] = False

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        self.bound = tuple(devices)
        self.devices = tuple(cast(D, bound.device) for bound in devices)
        self.world = world
        self.random = rng
        self.places = DeviceFrames.of(devices)
        self.values: Floats = np.full((len(devices), self.width), np.nan)

    def reset(self) -> None:
        """Forget everything that was sampled."""
        self.values[:] = np.nan

    def enable(self, row: int) -> None:
        """Sampling of a device begins now: note what its first value depends on."""

    def disable(self, row: int) -> None:
        """Sampling of a device ends now; what a program has set stays."""
        if not self.keeps_state:
            self.values[row] = np.nan

    def watch(self, rows: Rows) -> None:
        """See what happened in this step (devices that are on)."""

    def inherit(self, row: int, before: Group[D], old: int) -> None:
        """Let a device go on as one of another group did."""
        for name in _MEMORY:
            if hasattr(before, name):
                getattr(self, name)[row] = getattr(before, name)[old]

    def resume(self, before: Group[D]) -> None:
        """Go on from a group of the same kind of a scene that was changed; values and states are given."""

    def withdraw(self) -> None:
        """Another group takes its place in the same world: take back what it shows."""

    def start(self) -> None:
        """The simulation is at its start: do what has to be done before the first step."""

    def is_busy(self) -> bool:
        """Whether `act` has to be called after the next step."""
        return False

    def act(self) -> None:
        """Do what the devices do by themselves after a step."""

    def shown_devices(self) -> list[int]:
        """Return devices (numbers) whose samples this group shows to all others in the same step."""
        return []

    def is_on(self, row: int) -> bool | None:
        """Whether the device's own switch is on; None = it has no switch."""
        return None

    def turn(self, row: int, *, is_on: bool) -> bool:
        """Use the device's own switch; False = it has none."""
        return False

    def plain(self, row: int) -> Plain | None:
        """Return how to read a device straight from the state; None = only `sample` can."""
        return None

    def value(self, row: int) -> float | Floats:
        """Return what one device reports, as a program wants it: a number or a vector."""
        values = self.values[row]
        return float(values[0]) if self.width == 1 else values.copy()

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """Give the devices in `rows` new values; `elapsed` is the time since their last ones [s]."""
