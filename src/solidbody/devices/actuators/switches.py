"""Devices with a simple state: effects, markers, conveyors, digital lines, the ZMP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld
from solidbody.devices.core.errors import DeviceError
from solidbody.devices.core.group import Group
from solidbody.model.devices import (
    DeviceConveyor,
    DeviceDigitalIo,
    DeviceEffect,
    DeviceMarker,
    DeviceZmp,
)

Bits = NDArray[np.bool_]


class Switches(Group[DeviceEffect | DeviceMarker | DeviceConveyor]):
    """Smoke, fire and other effects, marks, conveyors: the value is 1 while one is on, else 0."""

    keeps_state = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.reset()

    def reset(self) -> None:
        """As in the file."""
        self.values[:, 0] = [d.is_on for d in self.devices]

    def is_on(self, row: int) -> bool:
        """See `Group.is_on`."""
        return bool(self.values[row, 0])

    def turn(self, row: int, *, is_on: bool) -> bool:
        """See `Group.turn`."""
        self.values[row] = is_on
        return True


class ZmpDevices(Group[DeviceZmp]):
    """Zero-moment points that a program writes and others read [m, world]; the origin at first."""

    width = 3
    keeps_state = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.reset()

    def reset(self) -> None:
        """At the origin."""
        self.values[:] = 0.0

    def set(self, row: int, point: ArrayLike) -> None:
        """Write a point."""
        self.values[row] = point


@dataclass(slots=True)
class Lines:
    """Lines of a box: what the robot's program writes (outputs) and what it reads (inputs)."""

    outputs: Bits
    inputs: Bits

    @classmethod
    def off(cls, count: int) -> Lines:
        """Return lines that are all off."""
        return cls(np.zeros(count, dtype=bool), np.zeros(count, dtype=bool))


class DigitalIos(Group[DeviceDigitalIo]):
    """Boxes of digital lines; the value is the outputs. An input may switch another device of the body."""

    keeps_state = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = [Lines.off(d.line_count) for d in self.devices]
        self._switched: dict[tuple[int, int], list[Callable[[], tuple[Group, int]]]] = {}

    def connect(self, box: BoundDevice, line: int, find: Callable[[], tuple[Group, int]]) -> None:
        """Let an input switch a device, which must have a switch; `find` returns its group and row."""
        self._switched.setdefault((box.index, line), []).append(find)

    def reset(self) -> None:
        """All lines are off."""
        self.states = [Lines.off(d.line_count) for d in self.devices]

    def resume(self, before: Group[DeviceDigitalIo]) -> None:
        """Keep the lines of boxes that have as many as before."""
        for row, (device, state) in enumerate(zip(self.devices, self.states, strict=True)):
            if len(state.outputs) != device.line_count:
                self.states[row] = Lines.off(device.line_count)

    def value(self, row: int) -> Bits:  # type: ignore[override]
        """Return the outputs, one flag per line (a copy)."""
        return self.states[row].outputs.copy()

    def output(self, row: int, line: int) -> bool:
        """Whether an output is on."""
        return bool(self.states[row].outputs[self._line(row, line)])

    def set_output(self, row: int, line: int, is_on: bool) -> None:
        """Write an output."""
        self.states[row].outputs[self._line(row, line)] = is_on

    def input(self, row: int, line: int) -> bool:
        """Whether an input is on."""
        return bool(self.states[row].inputs[self._line(row, line)])

    def set_input(self, row: int, line: int, is_on: bool) -> None:
        """Write an input from outside; a device that is connected to it is turned on or off with it."""
        self.states[row].inputs[self._line(row, line)] = is_on
        for find in self._switched.get((self.bound[row].index, line), ()):
            group, place = find()
            group.turn(place, is_on=bool(is_on))

    def _line(self, row: int, line: int) -> int:
        count = self.devices[row].line_count
        if not 0 <= line < count:
            lines = f"lines 0 to {count - 1}" if count else "no lines"
            raise DeviceError(f'"{self.bound[row].name}" has {lines}, got {line}')
        return line
