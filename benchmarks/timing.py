"""Interleaved timing: every engine advances its own copy, round by round, on the same machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.scenes import BenchScene
from solidbody.contact.native import NativeUnavailable


class Runner(Protocol):
    """An engine on one scene."""

    def settle(self, steps: int) -> None:
        """Advance before timing."""
        ...

    def step(self, steps: int) -> None:
        """Advance, timed."""
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


@dataclass(frozen=True, slots=True)
class Timing:
    """Microseconds per step of each round, or why there are none."""

    scene: str
    engine: str
    rounds: tuple[float, ...] = ()
    missing: str = ""
    remark: str = ""

    @property
    def best(self) -> float:
        """Return the fastest round."""
        return min(self.rounds)

    @property
    def median(self) -> float:
        """Return the middle round."""
        return statistics.median(self.rounds)


def time_scene(bench: BenchScene, columns: Sequence[Column], rounds: int) -> list[Timing]:
    """Return one timing per column: settle all, then `rounds` rounds of each in turn."""
    runners: dict[str, Runner] = {}
    missing: dict[str, str] = {}
    for column in columns:
        try:
            runners[column.name] = column.make(bench)
        except (RuntimeError, OSError, ImportError, NativeUnavailable) as error:
            missing[column.name] = str(error)
    for runner in runners.values():
        runner.settle(bench.settle)
    times: dict[str, list[float]] = {name: [] for name in runners}
    for number in range(rounds):
        for column in columns:
            runner = runners.get(column.name)
            if runner is None:
                continue
            steps = bench.ode_steps if column.is_ode else bench.steps
            if column.is_ode and bench.ode_rounds is not None and number >= bench.ode_rounds:
                continue
            start = time.perf_counter()
            runner.step(steps)
            times[column.name].append((time.perf_counter() - start) / steps * 1e6)
    remarks = {name: runner.remark() for name, runner in runners.items()}
    for runner in runners.values():
        runner.close()
    return [
        Timing(
            bench.name,
            column.name,
            tuple(times.get(column.name, ())),
            missing.get(column.name, ""),
            remarks.get(column.name, ""),
        )
        for column in columns
    ]
