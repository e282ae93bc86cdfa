"""Collects sensor values of a robot after a step, batched, for its controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import slice_of
from solidbody.control import protocol as p
from solidbody.control.adapters.base import Adapter, SensorAdapter
from solidbody.control.packing import packed

if TYPE_CHECKING:
    from solidbody.devices.core.clock import SamplingClock
    from solidbody.devices.core.group import Group


@dataclass(slots=True)
class _Block:
    """Sensors of one group, whose numbers are told together.

    Attributes:
        sensors: The sensors.
        numbers: Their rows in the sampling clock.
        newest: Step of the newest value that was told.
        group: Where their numbers are.
        rows: In these rows.
        head: What comes before the numbers in a report of all of them.
        sent: Step of the value that was told last, of each.
    """

    sensors: list[SensorAdapter]
    numbers: NDArray[np.intp] | slice
    group: Group
    rows: NDArray[np.intp] | slice
    head: bytes
    sent: list[int]
    newest: int


class Reports:
    """The reports of one controller's devices.

    Sensors that tell the numbers of their group as they are, are read together, group by group: the
    controller is told once which sensors a block holds. The others are asked one by one. Make it anew when a
    sensor was turned on or off, after `settle`.

    Args:
        adapters: All devices of the robot.
        clock: When they were sampled.
    """

    def __init__(self, adapters: Sequence[Adapter], clock: SamplingClock) -> None:
        plain = [one for one in adapters if isinstance(one, SensorAdapter) and _is_plain(one)]
        self._others = [one for one in adapters if one not in plain]
        self._last = clock.last
        self._blocks: list[_Block] = []
        self._untold: list[bytes] = []
        members: dict[int, list[tuple[SensorAdapter, Group, int]]] = {}
        for adapter in plain:
            if adapter.reports:
                group, row = adapter.sim.devices.group_of(adapter.bound)
                members.setdefault(id(group), []).append((adapter, group, row))
        for number, found in enumerate(members.values()):
            sensors = [adapter for adapter, _, _ in found]
            group, rows = found[0][1], [row for _, _, row in found]
            width, tags = group.width, [adapter.tag for adapter in sensors]
            self._untold.append(packed(p.ReportBlock(number, width, tags)))
            zeros = packed(p.ReportNumbers(number, [0.0] * (width * len(tags))))
            self._blocks.append(
                _Block(
                    sensors,
                    slice_of(np.array([one.bound.index for one in sensors], dtype=np.intp)),
                    group,
                    slice_of(np.array(rows, dtype=np.intp)),
                    zeros[: -8 * width * len(tags)],
                    [adapter.sent for adapter in sensors],
                    max(adapter.sent for adapter in sensors),
                )
            )

    def take(self) -> list[bytes]:
        """Return reports of all that have a new value, and take it as told."""
        out, self._untold = self._untold, []
        for block in self._blocks:
            last = self._last[block.numbers].tolist()
            if min(last) > block.newest:
                out.append(block.head + block.group.values[block.rows].tobytes())
                block.sent, block.newest = last, max(last)
            elif last != block.sent:
                values = block.group.values[block.rows].tolist()
                for k, adapter in enumerate(block.sensors):
                    if last[k] > block.sent[k]:
                        block.sent[k] = last[k]
                        block.newest = max(block.newest, last[k])
                        out.append(packed(p.ReportValue(adapter.tag, values[k])))
        for adapter in self._others:
            if adapter.reports and (value := adapter.report()) is not None:
                out.append(packed(_report(adapter, value)))
        return out

    def settle(self) -> None:
        """Let the sensors know what was told of them."""
        for block in self._blocks:
            for adapter, sent in zip(block.sensors, block.sent, strict=True):
                adapter.sent = sent


def _is_plain(adapter: SensorAdapter) -> bool:
    """Whether it reports what its group has, when it was sampled."""
    kind = type(adapter)
    return kind.report is SensorAdapter.report and kind.value is SensorAdapter.value


def _report(adapter: Adapter, value: Any) -> p.Message:
    if isinstance(value, p.Message):
        return value
    return p.ReportValue(adapter.tag, list(value) if isinstance(value, tuple) else [value])
