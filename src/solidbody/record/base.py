"""Base class of recorders: when they write, and what there is to write."""

from __future__ import annotations

import html
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from solidbody.base.output_files import OutputError, check_target, reason_of
from solidbody.devices import DeviceEngine
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.group import Group
from solidbody.devices.core.kind import DeviceKind
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.devices.kinds import KIND_OF

if TYPE_CHECKING:
    from solidbody.sim import Sim

USUAL_PERIOD = 0.01
"""[s] Time between records, if not asked for otherwise and steps are shorter."""

CHUNK_SIZE: Final = 64 * 1024
"""[bytes] Of messages that are packed together: as much as a killed process loses at most, some seconds."""


@dataclass(frozen=True, slots=True)
class SensorReading:
    """A sensor that has been sampled: its topic, and where its value is."""

    topic: str
    bound: BoundDevice
    group: Group[Any]
    row: int

    @property
    def kind(self) -> DeviceKind:
        """Its row in the table of kinds."""
        return KIND_OF[type(self.bound.device)]

    @property
    def value(self) -> Any:
        """The present value."""
        return self.group.value(self.row)


def nanoseconds(sim: Sim) -> int:
    """Return the simulated time [ns]."""
    return round(sim.time * 1e9)


class RecordError(OutputError):
    """A recording cannot be made; the text says why."""


def is_bag(path: Path) -> bool:
    """Whether a recording is a folder, as bags of ROS 2 are: its name has no extension."""
    return not path.suffix


def check_record_target(path: Path) -> None:
    """Raise RecordError if a recording cannot be written to a file."""
    try:
        check_target(path, "recording", is_folder=is_bag(path))
    except OutputError as error:
        raise RecordError(str(error)) from error


class Recorder(ABC):
    """Goes along with a simulation and writes at regular times; `close` at the end.

    Raises RecordError while the simulation runs, or at the end, when the file cannot be written on.
    """

    def __init__(self, sim: Sim, path: Path, period: float | None) -> None:
        self.sim = sim
        self.path = path
        wanted = USUAL_PERIOD if period is None else period
        self.every = max(1, math.ceil(wanted / sim.time_step - 1e-9))
        self._sent: dict[tuple[str, str], int] = {}
        self._scene = sim.scene
        self.is_closed = False
        self._has_begun = False
        self.html: Callable[[Path], str] | None = None

    def before_steps(self) -> None:
        """The first record is the state at the start."""
        if not self._has_begun:
            self._has_begun = True
            self._follow()
            self._guarded(self.write)

    def steps_until_due(self) -> int | None:
        """Records lie a whole number of steps apart."""
        return self.every - self.sim.step_count % self.every

    def after_steps(self) -> None:
        """Write, when it is time."""
        if not self.is_closed and self.sim.step_count % self.every == 0:
            self._follow()
            self._guarded(self.write)

    def _guarded(self, act: Callable[[], None]) -> None:
        """Write; what cannot be written ends the recording, and an older file stays."""
        try:
            act()
        except OSError as error:
            self.is_closed = True
            self.abandon()
            raise RecordError(
                f"{self.path} cannot be written: {reason_of(error)}; the recording has ended"
            ) from error

    def _follow(self) -> None:
        """A program may have changed the scene: links and devices are found again."""
        if self.sim.scene is not self._scene:
            self._scene = self.sim.scene
            self.scene_changed()

    @abstractmethod
    def scene_changed(self) -> None:
        """Find again what is recorded: the simulation has another scene."""

    def reset(self) -> None:
        """A run that begins again is recorded again, with times that begin again."""
        self._sent.clear()
        self._has_begun = False

    @abstractmethod
    def write(self) -> None:
        """Write one record."""

    def close(self) -> None:
        """Finish the file, once; the simulation goes on without it."""
        if self in self.sim.step_hooks:
            self.sim.detach(self)
        if not self.is_closed:
            self.is_closed = True
            self._guarded(self.finish)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the finished film or replay, where it is known how."""
        if self.html is None or not self.is_closed:
            state = "finished" if self.is_closed else "recording"
            return f"<code>{html.escape(str(self.path))}</code>, {state}"
        return self.html(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def finish(self) -> None:
        """Write what is left, and close the file. OSError tells why not."""

    @abstractmethod
    def abandon(self) -> None:
        """Close the file as far as it goes, without an error."""

    def readings(self) -> Iterator[SensorReading]:
        """Yield the sensors that are on and have a value, whether it is new or not."""
        engine = self.sim.devices
        for bound in engine.devices:
            if not has_value(engine, bound) or not engine.clock.periods[bound.index]:
                continue
            group, row = engine.group_of(bound)
            if isinstance(group, ImageGroup):
                if group.shots[row] is None:
                    continue
            elif bool(np.isnan(group.values[row]).all()):
                continue
            yield SensorReading(topic_of(bound), bound, group, row)

    def fresh_readings(self) -> Iterator[SensorReading]:
        """Yield the sensors that were sampled since they were yielded last."""
        clock = self.sim.devices.clock
        for reading in self.readings():
            last = int(clock.last[reading.bound.index])
            key = (reading.topic, reading.bound.link_name)
            if self._sent.get(key, -1) < last:
                self._sent[key] = last
                yield reading


def has_value(engine: DeviceEngine, bound: BoundDevice) -> bool:
    """Whether a device is a sensor with something to record."""
    return bool(KIND_OF[type(bound.device)].channels) and engine.has_group(bound)


def turn_on_sensors(sim: Sim) -> None:
    """Let all sensors that are off measure in every step."""
    engine = sim.devices
    for bound in engine.devices:
        if has_value(engine, bound) and not engine.clock.periods[bound.index]:
            engine.enable(bound, sim.time_step)


def topic_of(bound: BoundDevice) -> str:
    """Return the name of a device in recordings: /robot/device."""
    owner = bound.robot or bound.body or bound.link_name
    return f"/{owner}/{bound.name}"
