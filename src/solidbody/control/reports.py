"""What the sensors of a robot tell its controller after a step: many of them in few calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solidbody.control.adapters.base import Adapter, SensorAdapter

if TYPE_CHECKING:
    from solidbody.devices.core.clock import SamplingClock
    from solidbody.devices.core.group import Group


class Reports:
    """The reports of one controller's devices.

    Sensors that tell the numbers of their group as they are, are read together, group by group; the others
    are asked one by one. Make it anew when a sensor was turned on or off.

    Args:
        adapters: All devices of the robot.
        clock: When they were sampled.
    """

    def __init__(self, adapters: Sequence[Adapter], clock: SamplingClock) -> None:
        plain = [one for one in adapters if isinstance(one, SensorAdapter) and _is_plain(one)]
        self._others = [one for one in adapters if one not in plain]
        self._last = clock.last
        self._groups: list[
            tuple[list[SensorAdapter], NDArray[np.intp], Group, NDArray[np.intp]]
        ] = []
        members: dict[int, list[tuple[SensorAdapter, Group, int]]] = {}
        for adapter in plain:
            if adapter.reports:
                group, row = adapter.sim.devices.group_of(adapter.bound)
                members.setdefault(id(group), []).append((adapter, group, row))
        for found in members.values():
            sensors = [adapter for adapter, _, _ in found]
            numbers = np.array([adapter.bound.index for adapter in sensors], dtype=np.intp)
            rows = np.array([row for _, _, row in found], dtype=np.intp)
            self._groups.append((sensors, numbers, found[0][1], rows))

    def take(self) -> list[tuple[int, Any]]:
        """Return (tag, value) of all that have a new value, and take it as told."""
        out: list[tuple[int, Any]] = []
        for sensors, numbers, group, rows in self._groups:
            values = _values(group, rows)
            for adapter, last, value in zip(
                sensors, self._last[numbers].tolist(), values, strict=True
            ):
                if last > adapter.sent:
                    adapter.sent = last
                    out.append((adapter.tag, value))
        out.extend(self._asked())
        return out

    def _asked(self) -> Iterator[tuple[int, Any]]:
        for adapter in self._others:
            if adapter.reports and (value := adapter.report()) is not None:
                yield adapter.tag, value


def _is_plain(adapter: SensorAdapter) -> bool:
    """Whether it reports what its group has, when it was sampled."""
    kind = type(adapter)
    return kind.report is SensorAdapter.report and kind.value is SensorAdapter.value


def _values(group: Group, rows: NDArray[np.intp]) -> Iterable[Any]:
    """Return the values of some rows as plain numbers, or tuples of them."""
    if group.width == 1:
        return group.values[rows, 0].tolist()
    return map(tuple, group.values[rows].tolist())
