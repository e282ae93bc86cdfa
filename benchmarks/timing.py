"""Interleaved timing: every engine advances its own copy, round by round, on the same machine.

Times are those of the processor, not of the clock: other work on the machine hardly changes them. All
engines use one thread here.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.accuracy import Accuracy, State, judge
from benchmarks.cases import BenchScene
from solidbody.base.errors import SimulationError
from solidbody.contact.native import NativeUnavailable


class Runner(Protocol):
    """An engine on one scene."""

    def settle(self, steps: int) -> None:
        """Advance before timing."""
        ...

    def step(self, steps: int) -> None:
        """Advance, timed."""
        ...

    def start_from(self, state: State) -> None:
        """Take over the poses and velocities of another engine."""
        ...

    def state(self) -> State | None:
        """Return where all links are, or None if this engine does not tell."""
        ...

    def remark(self) -> str:
        """Return what a reader of the timing must know, or nothing."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


@dataclass(frozen=True, slots=True)
class Column:
    """One engine of the table; `make` may raise to say why it cannot take part."""

    name: str
    make: Callable[[BenchScene], Runner]
    is_ode: bool = False
    takes_state: bool = False
    """It may start from the state of the first column."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Microseconds per step of each round, or why there are none."""

    scene: str
    engine: str
    rounds: tuple[float, ...] = ()
    missing: str = ""
    remark: str = ""
    accuracy: Accuracy | None = None

    @property
    def best(self) -> float:
        """Return the fastest round."""
        return min(self.rounds)

    @property
    def median(self) -> float:
        """Return the middle round."""
        return statistics.median(self.rounds)


FAILURES = (RuntimeError, OSError, ImportError, NativeUnavailable, SimulationError)


class Race:
    """All engines on one scene."""

    def __init__(self, bench: BenchScene, columns: Sequence[Column]) -> None:
        self._bench, self._columns = bench, columns
        self._runners: dict[str, Runner] = {}
        self._missing: dict[str, str] = {}
        self._times: dict[str, list[float]] = {column.name: [] for column in columns}
        self._before: dict[str, State | None] = {}
        self._steps = dict.fromkeys(self._times, 0)

    def prepare(self) -> None:
        """Build and settle all of them."""
        first: State | None = None
        for column in self._columns:
            try:
                runner = self._runners[column.name] = column.make(self._bench)
                if self._bench.from_ours and column.takes_state and first is not None:
                    runner.start_from(first)
                else:
                    runner.settle(self._bench.settle)
                self._before[column.name] = runner.state()
                first = first or self._before[column.name]
            except FAILURES as error:
                self._drop(column.name, error)

    def _drop(self, name: str, error: Exception) -> None:
        self._missing[name] = str(error)
        runner = self._runners.pop(name, None)
        if runner is not None:
            runner.close()

    def round(self, number: int) -> None:
        """Let each one advance once."""
        for column in self._columns:
            runner = self._runners.get(column.name)
            limit = self._bench.ode_rounds if column.is_ode else None
            if runner is None or (limit is not None and number >= limit):
                continue
            steps = self._bench.ode_steps if column.is_ode else self._bench.steps
            start = time.process_time()
            try:
                runner.step(steps)
            except FAILURES as error:
                self._drop(column.name, error)
                continue
            self._times[column.name].append((time.process_time() - start) / steps * 1e6)
            self._steps[column.name] += steps

    def _accuracy(self, name: str) -> Accuracy | None:
        before, runner = self._before.get(name), self._runners.get(name)
        after = None if runner is None else runner.state()
        if before is None or after is None or not self._steps[name]:
            return None
        seconds = self._steps[name] * self._bench.scene.physics.time_step
        return judge(self._bench, before, after, seconds)

    def finish(self) -> list[Timing]:
        """Return one timing per column, and free everything."""
        out = [
            Timing(
                self._bench.name,
                name,
                tuple(self._times[name]),
                self._missing.get(name, ""),
                self._runners[name].remark() if name in self._runners else "",
                self._accuracy(name),
            )
            for name in self._times
        ]
        for runner in self._runners.values():
            runner.close()
        return out


def time_scene(bench: BenchScene, columns: Sequence[Column], rounds: int) -> list[Timing]:
    """Return one timing per column: settle all, then `rounds` rounds of each in turn."""
    race = Race(bench, columns)
    race.prepare()
    for number in range(min(rounds, bench.rounds or rounds)):
        race.round(number)
    return race.finish()
