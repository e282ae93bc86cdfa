"""Slows a headless run down to real time, where that is asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from solidbody.sim import Sim

SLICE: Final = 0.02
"""[s] Wall time of the steps that are taken at once: what watches a run sees no jumps."""

LAG_LIMIT: Final = 0.1
"""[s] How far a run may fall behind and still catch up. What is more is lost: a run that had to wait (for a
controller that starts, or computes) goes on in real time and does not sprint."""


class Pace:
    """Holds steps back until they are due (a `StepHook` of the simulation).

    Args:
        sim: The simulation.
        speed: Tells the factor of real time that is wanted now; inf = as fast as possible.
    """

    def __init__(self, sim: Sim, speed: Callable[[], float]) -> None:
        self._sim, self._wanted = sim, speed
        self._speed = math.inf
        self._start, self._first = 0.0, 0
        self._follow()

    def _follow(self) -> None:
        """Begin a new schedule if another speed is wanted."""
        speed = self._wanted()
        if speed != self._speed:
            self._speed = speed
            self.reset()

    def before_steps(self) -> None:
        """Wait until the next step is due."""
        self._follow()
        if math.isinf(self._speed):
            return
        done = self._sim.step_count - self._first
        due = self._start + done * self._sim.time_step / self._speed
        now = time.monotonic()
        if now < due:
            time.sleep(due - now)
        elif now - due > LAG_LIMIT:
            self._start += now - due - LAG_LIMIT

    def steps_until_due(self) -> int | None:
        """Return how many steps make a slice; None = any number."""
        if math.isinf(self._speed):
            return None
        return max(int(SLICE * self._speed / self._sim.time_step), 1)

    def after_steps(self) -> None:
        """Nothing is due then."""

    def reset(self) -> None:
        """Count from now."""
        self._start, self._first = time.monotonic(), self._sim.step_count
