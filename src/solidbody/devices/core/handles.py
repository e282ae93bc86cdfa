"""Handles: devices of a running simulation by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.core.device_binding import AnyDevice, BoundDevice
from solidbody.devices.core.device_engine import DeviceEngine
from solidbody.devices.core.errors import DeviceError
from solidbody.devices.core.group import Group


class DeviceHandle:
    """One device: `enable` it, step the simulation, read `value`."""

    __slots__ = ("_bound", "_engine")

    def __init__(self, engine: DeviceEngine, bound: BoundDevice) -> None:
        self._engine, self._bound = engine, bound

    @property
    def name(self) -> str:
        """Its name."""
        return self._bound.name

    @property
    def model(self) -> AnyDevice:
        """Its description."""
        return self._bound.device

    @property
    def group(self) -> Group:
        """All devices of its kind, which take commands: `led.group.set(led.row, 2)`."""
        return self._engine.group_of(self._bound)[0]

    @property
    def row(self) -> int:
        """Its row in the group."""
        return self._engine.group_of(self._bound)[1]

    @property
    def period(self) -> float:
        """Time between samples [s]; 0 = it is off."""
        return float(self._engine.clock.periods[self._bound.index]) * self._engine.clock.time_step

    def enable(self, period: float | None = None) -> None:
        """Sample every `period` seconds (at its own rate or in every step, if not given)."""
        if period is None:
            self._engine.enable_at_own_rate(self._bound)
        else:
            self._engine.enable(self._bound, period)

    def disable(self) -> None:
        """Stop sampling."""
        self._engine.enable(self._bound, 0.0)

    @property
    def value(self) -> Any:
        """The last sample (a copy): a number, or a vector; NaN before the first one."""
        group, row = self._on()
        return group.value(row)

    @property
    def values(self) -> NDArray[np.float64]:
        """Everything that was sampled, as the groups in `devices/` list it (a copy)."""
        group, row = self._on()
        return group.values[row].copy()

    @property
    def is_on(self) -> bool:
        """The device's own switch, for those that have one: lights, effects, grippers, cameras, ..."""
        group, row = self._engine.group_of(self._bound)
        found = group.is_on(row)
        if found is None:
            raise DeviceError(f"{self._no_switch()}; enable() and disable() start and stop it")
        return found

    @is_on.setter
    def is_on(self, is_on: bool) -> None:
        group, row = self._engine.group_of(self._bound)
        if not group.turn(row, is_on=bool(is_on)):
            raise DeviceError(f"{self._no_switch()}; enable() and disable() start and stop it")

    def _no_switch(self) -> str:
        return f'"{self.name}" ({type(self.model).__name__}) has no switch'

    def _on(self) -> tuple[Group, int]:
        found = self._engine.group_of(self._bound)
        if not self.period and not found[0].keeps_state:
            raise DeviceError(f'"{self.name}" is off; call enable() and step the simulation first')
        return found

    def __repr__(self) -> str:
        state = f"every {self.period:g} s" if self.period else "off"
        return f"<{type(self.model).__name__} {self.name!r}, {state}>"
