"""Sensors of a batch that look at what is drawn: sampled for all copies after the steps, beside native code.

Cameras, range finders, lidars, light sensors and infrared distance sensors only look: what they measure
follows from where links are. So one device engine and one ray engine serve all copies, which go on in native
code on all threads; the engine is shown one copy after the other, with the poses that native code has read.
Sensors that remember (motion blur, heads that turn, rates of their own, rays from files) or that leave
something to be seen (laser spots) are not here: copies with those are stepped one by one (`serial.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.core.device_binding import AnyDevice
from solidbody.devices.core.device_engine import DeviceEngine
from solidbody.devices.core.noise_streams import NoiseStreams
from solidbody.devices.imaging.lazy_rendering import ImageGroup, own_rate
from solidbody.model import devices as d
from solidbody.sim.batch.channels import SENSOR_OF, Bound, ItemKind

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


def can_watch(device: AnyDevice) -> bool:
    """Whether a device only looks, and remembers nothing."""
    match device:
        case d.DeviceCamera() | d.DeviceRangeFinder():
            return device.motion_blur <= 0.0 and own_rate(device) is None
        case d.DeviceLidar():
            return device.head is None and device.pattern is None and own_rate(device) is None
        case d.DeviceDistanceSensor():
            return device.kind is d.DistanceKind.INFRARED
        case _:
            return isinstance(device, d.DeviceLightSensor)


class CopyView:
    """One copy at a time, as devices see a simulation; what they do not look at is that of the scene."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._poses = sim.poses()
        self.step_count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sim, name)

    def poses(self) -> Floats:
        """Return (links, 7)."""
        return self._poses

    def can_sense(self, plain: object) -> bool:
        """Nothing is read straight from a state."""
        return False

    def show(self, poses: Floats, step_count: int) -> None:
        """Be another copy."""
        self._poses, self.step_count = poses, step_count


class Watch:
    """The sensors that look, and when each is due in each copy.

    Attributes:
        periods: By device, in seconds; None = every step.
    """

    def __init__(self, sim: Sim, count: int) -> None:
        self._view = CopyView(sim)
        self._engine = DeviceEngine(cast("Any", self._view))
        self._streams = NoiseStreams()
        self._engine.use_streams(self._streams)
        self._step = sim.time_step
        self.periods: dict[int, float | None] = {}
        self._steps: dict[int, int] = {}
        self._started: dict[int, Ids] = {}
        self._count = count

    def add(self, device: int, period: float | None, now: Ids) -> None:
        """Let a device measure from now on."""
        self.periods[device] = period
        wanted = self._step if period is None else period
        self._steps[device] = max(math.ceil(wanted / self._step * (1.0 - 1e-9)), 1)
        self._started[device] = now.copy()
        group, row = self._engine.group_of(self._engine.devices[device])
        group.enable(row)

    def begin_anew(self, copies: Ids) -> None:
        """Copies are at their start."""
        for started in self._started.values():
            started[copies] = 0

    def stops(self, copies: Ids, now: Ids, end: Ids) -> Ids:
        """Return the next step of each copy at which something is to be looked at, at most `end`.

        Of several samples on the way nobody ever sees but the last.
        """
        out = end.copy()
        for device, period in self._steps.items():
            started = self._started[device][copies]
            last = started + (end - started) // period * period
            out = np.where((last > now) & (last < out), last, out)
        return out

    def due(self, copies: Ids, now: Ids) -> dict[int, Ids]:
        """Return by device the copies in which it is due."""
        found: dict[int, Ids] = {}
        for device, period in self._steps.items():
            past = now - self._started[device][copies]
            found[device] = copies[(past > 0) & (past % period == 0)]
        return {device: some for device, some in found.items() if len(some)}

    def look(
        self,
        due: dict[int, Ids],
        poses: Floats,
        now: Ids,
        keys: NDArray[np.uint64],
        bounds: Iterable[Bound],
    ) -> None:
        """Let devices look in copies, into the arrays that are bound.

        Args:
            due: By device, numbers of copies.
            poses: (copies, links, 7) of all copies.
            now: Steps since the start, of all copies.
            keys: Of the noise, of all copies.
            bounds: Everything that is bound.
        """
        targets: dict[int, list[tuple[Bound, int]]] = {}
        for bound in bounds:
            seen = bound.rows if bound.channel.kind is ItemKind.DEVICE else ()
            for column, device in enumerate(seen):
                if device in due:
                    targets.setdefault(device, []).append((bound, column))
        chosen = np.unique(np.concatenate([*due.values(), np.zeros(0, dtype=np.int64)]))
        members = {device: set(some.tolist()) for device, some in due.items()}
        for copy in chosen.tolist():
            self._view.show(poses[copy], int(now[copy]))
            self._engine.world.forget()
            self._streams.key = int(keys[copy])
            for device, some in members.items():
                if copy not in some:
                    continue
                value = self._measured(device, int(now[copy]))
                for bound, column in targets.get(device, ()):
                    bound.array[copy, column] = _of_channel(bound, value)

    def _measured(self, device: int, step: int) -> NDArray[Any]:
        group, row = self._engine.group_of(self._engine.devices[device])
        self._streams.begin(device, step)
        elapsed = self._steps[device] * self._step
        if isinstance(group, ImageGroup):
            group.look(row, elapsed)
            return group.image(row)  # type: ignore[return-value]
        group.sample(np.array([row], dtype=np.intp), np.array([elapsed]))
        return group.values[row]


def _of_channel(bound: Bound, value: NDArray[Any] | None) -> Any:
    """Return what a channel says of a measurement; a sensor that is off sees nothing."""
    row = SENSOR_OF.get(bound.channel.name)
    if value is None:
        return 0
    return value if row is None else value[row.columns].reshape(bound.channel.each)
