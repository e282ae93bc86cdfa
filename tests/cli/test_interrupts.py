"""Ctrl-C ends a run wherever it hits."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.cli.headless import run_headless
from solidbody.cli.interrupts import noticed_interrupts
from tests.cli import worlds


class Deaf(type):
    """Types of which numpy looks attributes up by calling Python, and forgets what that raises."""

    def __getattr__(cls, name: str) -> object:
        if name.startswith("__array_"):
            signal.raise_signal(signal.SIGINT)
        raise AttributeError(name)


class Other(metaclass=Deaf):
    """What an array is compared with."""


class Interrupter:
    """Presses Ctrl-C after the tenth step, where nobody hears it."""

    steps = 0

    def before_steps(self) -> None:
        """Nothing is due then."""

    def steps_until_due(self) -> int:
        """Look at each step."""
        return 1

    def after_steps(self) -> None:
        """Press it once; the comparison swallows the exception."""
        self.steps += 1
        if self.steps == 10:
            _ = np.zeros(2) == Other()

    def reset(self) -> None:
        """Nothing to begin anew."""


def test_numpy_swallows_an_interrupt() -> None:
    """Else the next test would prove nothing."""
    _ = np.zeros(2) == Other()  # no KeyboardInterrupt


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_a_swallowed_interrupt_still_ends_the_run(tmp_path: Path) -> None:
    """The run ends at its next call and the handler of before is back."""
    path = tmp_path / "ball.wbt"
    path.write_text(worlds.FALLING_BALL, encoding="utf-8")
    sim, hook = sb.Sim(sb.load(str(path))), Interrupter()
    sim.attach(hook)
    run_headless(sim, duration=30.0, speed=lambda: float("inf"), log=None, log_period=None)
    assert 10 <= hook.steps < 3000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_ignores_interrupts_goes_on_ignoring_them() -> None:
    """`nohup solidbody run ... &` is not ended by Ctrl-C in the terminal."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with noticed_interrupts() as check:
            signal.raise_signal(signal.SIGINT)
            check()
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_too() -> None:
    """Handlers belong to the main thread."""
    raised: list[Exception] = []

    def run() -> None:
        try:
            with noticed_interrupts() as check:
                check()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert raised == []
