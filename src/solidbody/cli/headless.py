"""Runs a simulation without the page, with a progress bar, interruptible at any time."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solidbody.base.errors import SimulationEnd
from solidbody.cli.console import error_console, print_diagnostics, say, say_warning
from solidbody.cli.interrupts import noticed_interrupts
from solidbody.cli.log import open_log
from solidbody.cli.pace import Pace

if TYPE_CHECKING:
    from solidbody.sim import Sim

CALL_TIME = 0.05
"""[s] Wall time aimed at for one call into the simulation; Ctrl-C waits no longer than this."""

PROGRESS_PERIOD = 0.1
"""[s] Wall time between updates of the progress bar."""


class StepCounter:
    """Counts all steps, also those before a supervisor has begun anew (a `StepHook` of the simulation)."""

    def __init__(self, sim: Sim) -> None:
        self._sim, self._last = sim, sim.step_count
        self.total = 0

    def before_steps(self) -> None:
        """Nothing is due then."""

    def steps_until_due(self) -> int | None:
        """Any number."""
        return None

    def after_steps(self) -> None:
        """Count."""
        self.total += self._sim.step_count - self._last
        self._last = self._sim.step_count

    def reset(self) -> None:
        """The simulation counts from 0 again."""
        self._last = 0


@dataclass(slots=True)
class HeadlessRunner:
    """Steps a simulation.

    Attributes:
        sim: The simulation, at its start.
        show: Told the number of steps done, now and then.
        check: Raises when the run shall end.
        done: Steps done so far.
    """

    sim: Sim
    show: Callable[[int], None]
    check: Callable[[], None]
    done: int = 0
    _shown: float = 0.0
    _step_cost: float = 0.0

    def advance(self, step: int | None) -> None:
        """Go on until `step` steps are done in all; None = for ever."""
        while step is None or self.done < step:
            self.check()
            count = self._affordable()
            if step is not None:
                count = min(count, step - self.done)
            before = time.perf_counter()
            self.sim.step(count)
            after = time.perf_counter()
            self._step_cost = (after - before) / count
            self.done += count
            if after - self._shown >= PROGRESS_PERIOD:
                self._shown = after
                self.show(self.done)

    def _affordable(self) -> int:
        """Return how many steps fit into one call, by the time that the last ones took."""
        return max(1, int(CALL_TIME / self._step_cost)) if self._step_cost > 0.0 else 1


def run_headless(
    sim: Sim,
    *,
    duration: float | None,
    speed: Callable[[], float],
    log: str | None,
    log_period: float | None,
) -> None:
    """Run to `duration` or until Ctrl-C, writing the log on the way.

    Args:
        sim: At its start.
        duration: Simulated time [s], rounded up to whole steps; None = until interrupted.
        speed: Tells the factor of real time that is wanted now; inf = as fast as possible.
        log: Where the log goes, `-` = standard output; None = no log.
        log_period: Time between rows [s]; None = every step.
    """
    from solidbody.record.motion_log import ROUNDING

    total = None if duration is None else math.ceil(duration / sim.time_step - ROUNDING)
    start = time.perf_counter()
    counter, pace = StepCounter(sim), Pace(sim, speed)
    sim.attach(counter)
    sim.attach(pace)  # after the controllers, whose time counts
    try:
        with noticed_interrupts() as check, _progress(total, sim.time_step) as show:
            runner = HeadlessRunner(sim, show, check)
            if log is not None:
                _run_logged(runner, total, log, log_period)
            runner.advance(total)
            pace.before_steps()  # the last steps take their time too
    except KeyboardInterrupt:
        pass  # the usual way to end a run without a duration
    except SimulationEnd:
        _report(sim, counter.total, time.perf_counter() - start)
        raise
    finally:
        sim.detach(pace)
        sim.detach(counter)
    _report(sim, counter.total, time.perf_counter() - start)


def _run_logged(runner: HeadlessRunner, total: int | None, path: str, period: float | None) -> None:
    """Write a row at the start and after each period; a partial last period gives none."""
    from solidbody.record.motion_log import header, row, row_step

    sim = runner.sim
    with open_log(path) as stream:
        names = sim.link_names, sim.joint_names
        stream.write(header(*names))
        index = 0
        while (due := row_step(index, period, sim.time_step)) <= (
            math.inf if total is None else total
        ):
            runner.advance(due)
            stream.write(row(sim, names))
            index += 1


@contextmanager
def _progress(total: int | None, time_step: float) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal's standard error; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[time]:.1f} s"),
        BarColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=error_console(), transient=True) as progress:
        task = progress.add_task("", total=total, time=0.0)
        yield lambda done: progress.update(task, completed=done, time=done * time_step)


def _report(sim: Sim, steps: int, seconds: float) -> None:
    """Say how it went: never let a badly solved step pass in silence."""
    simulated = steps * sim.time_step
    factor = f", {simulated / seconds:.3g} times real time" if seconds > 0.0 else ""
    say(f"simulated {simulated:.6g} s in {seconds:.3g} s ({sim.engine_name} step{factor})")
    print_diagnostics((*sim.device_messages, *sim.contact_messages))
    if sim.stats.not_converged:
        say_warning(
            f"{sim.stats.not_converged} steps were not solved to tolerance;"
            f" worst residual {sim.stats.worst_residual:.2g} m/s"
        )
