"""Starts the controllers of a run and prints their output."""

from __future__ import annotations

import math
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from solidbody.cli.console import say, say_error, say_warning
from solidbody.cli.status import OK, SIMULATION_FAILED

if TYPE_CHECKING:
    from solidbody.control.body_controller import BodyControllers
    from solidbody.control.hub import ControllerHub
    from solidbody.control.process import OutputListener
    from solidbody.formats.options import LoadOptions
    from solidbody.sim import Sim


@dataclass(frozen=True, slots=True)
class ControllerChoice:
    """What the command line says about controllers.

    Attributes:
        start: Whether they are started.
        python: Interpreter for Python programs; None = our own.
        port: Number by which extern ones find us.
        fail: Whether a failed one makes the command fail; None = without the page only.
        bodies: Body controllers, as written.
        joystick: File of what a joystick does; None = that of the page.
        awaits_extern: Whether the run waits for controllers that somebody else starts.
    """

    start: bool = True
    python: str | None = None
    port: int = 1234
    fail: bool | None = None
    bodies: tuple[str, ...] = ()
    joystick: Path | None = None
    awaits_extern: bool = True

    def fails(self, *, headless: bool) -> bool:
        """Whether a failed controller makes the command fail."""
        return headless if self.fail is None else self.fail


@dataclass(slots=True)
class ControllerOutcome:
    """How it went: the status that a controller asked for, and which ones failed."""

    quit_status: int | None = None
    failures: list[str] = field(default_factory=list[str])
    hub: ControllerHub | None = None
    """Where the controllers are; None = there are none."""

    def speed(self, given: float | None) -> float:
        """Return the factor of real time that is wanted now.

        Args:
            given: What the command line says; None = as fast as possible. A supervisor may change it: real
                time is the given factor, or 1 where that is infinite.
        """
        factor = math.inf if given is None else given
        if self.hub is None or self.hub.mode == PAUSE:
            return factor
        if self.hub.mode == FAST:
            return math.inf
        return factor if math.isfinite(factor) else 1.0

    def status(self, otherwise: int, *, fail: bool) -> int:
        """Return the exit status of the command."""
        if self.quit_status is not None:
            return self.quit_status
        if otherwise == OK and fail and self.failures:
            return SIMULATION_FAILED
        return otherwise


PAUSE, REAL_TIME, FAST = range(3)
"""Modes of a run, as supervisors number them."""

SIGNALLED = 128
"""Exit statuses above it tell which signal has ended a command."""

_SAYING = {"error": say_error, "warning": say_warning, "info": say}


def attach_body_controllers(
    sim: Sim, texts: Sequence[str], *, log_on_stdout: bool = False
) -> BodyControllers | None:
    """Attach the body controllers that the command line names; raises SolidbodyError for bad ones.

    Args:
        sim: The simulation.
        texts: What the command line says.
        log_on_stdout: Whether standard output is taken, so that they must not write there.
    """
    if not texts:
        return None
    from solidbody.control.body_controller import attach_controllers, parse_choice, read_mapping

    choices = [
        choice
        for text in texts
        for choice in (
            read_mapping(Path(text))
            if text.endswith((".yaml", ".yml"))
            else [parse_choice(text, Path())]
        )
    ]
    return attach_controllers(sim, choices, sys.stderr if log_on_stdout else None)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let the end that systems ask for (SIGTERM, as of a cancelled job) be an orderly one, as Ctrl-C is."""

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(SIGNALLED + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def controllers_of(
    sim: Sim,
    choice: ControllerChoice,
    *,
    log_on_stdout: bool,
    reading: LoadOptions | None = None,
    headless: bool = False,
    speed: float | None = None,
) -> Iterator[ControllerOutcome]:
    """Run the controllers of a simulation while the block runs it.

    Args:
        sim: The simulation.
        choice: What the command line says.
        log_on_stdout: Whether standard output is taken, so that programs must not write there.
        reading: How the world was read; supervisors change it by the same rules.
        headless: Whether nobody is there who could resume a pause.
        speed: Factor of real time at the start, which supervisors are told of; None = as fast as possible.
    """
    outcome = ControllerOutcome()

    def show(robot: str, line: str, is_error: bool) -> None:
        stream = sys.stderr if is_error or log_on_stdout else sys.stdout
        # in one piece: several programs may speak at once
        stream.write(f"[{robot}] {line}\n")
        stream.flush()

    with _simple_controllers_of(sim, choice, show, reading, outcome):
        # on the page robots can be added to a world
        is_open = not headless and sim.scene.source.lower().endswith(".wbt")
        if not choice.start or not (is_open or any(body.robots for body in sim.scene.bodies)):
            yield outcome
            return
        with _robot_controllers_of(sim, choice, show, reading, outcome, headless, speed):
            yield outcome


@contextmanager
def _simple_controllers_of(
    sim: Sim,
    choice: ControllerChoice,
    show: OutputListener,
    reading: LoadOptions | None,
    outcome: ControllerOutcome,
) -> Iterator[None]:
    """Run Choreonoid's controllers, those of bodies that a controller in Python drives excepted."""
    programs = [body for body in sim.scene.bodies if body.programs]
    if not choice.start or not programs:
        yield
        return
    from solidbody.base.errors import SimulationEnd
    from solidbody.control.body_controller import BodyControllers
    from solidbody.control.simple_controllers import SimpleControllers
    from solidbody.control.simple_controllers.joystick import read_script

    hooks = [hook for hook in sim.step_hooks if isinstance(hook, BodyControllers)]
    driven = frozenset(name for hook in hooks for name in hook.bodies)
    controllers = SimpleControllers(
        sim,
        output=show,
        say=lambda level, text: _SAYING[level](text),
        share=str(reading.share) if reading is not None else "",
        without=driven,
        joystick=None if choice.joystick is None else read_script(choice.joystick),
    )
    try:
        with _ended_by_signals():
            controllers.start()
            yield
    except SimulationEnd as end:
        outcome.quit_status = end.status or None
    finally:
        controllers.close()
        outcome.failures += controllers.failures


@contextmanager
def _robot_controllers_of(
    sim: Sim,
    choice: ControllerChoice,
    show: OutputListener,
    reading: LoadOptions | None,
    outcome: ControllerOutcome,
    headless: bool,
    speed: float | None,
) -> Iterator[None]:
    """Run the programs of robots."""
    from solidbody.base.errors import SimulationEnd, SimulationPaused
    from solidbody.control.hub import ControllerHub, ControllerOptions
    from solidbody.viewer.recordings import replay_recorder

    hub = ControllerHub(
        sim,
        options=ControllerOptions(python=choice.python, port=choice.port, ends_at_pause=headless),
        output=show,
        say=lambda level, text: _SAYING[level](text),
    )
    hub.mode = FAST if speed is None or math.isinf(speed) else REAL_TIME
    outcome.hub = hub
    hub.stage.page_recorder = replay_recorder
    for slot in hub.slots:
        slot.is_ours = slot.is_extern and not choice.awaits_extern
    if reading is not None:
        hub.stage.document.options = reading
    try:
        # a run that is paused for good has ended well
        with _ended_by_signals(), suppress(SimulationPaused):
            hub.start()
            yield
    except SimulationEnd as end:
        outcome.quit_status = end.status
    finally:
        hub.close()
        outcome.failures += hub.failures
