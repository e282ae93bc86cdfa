"""Paces simulation steps so that simulated time keeps up with the wall clock."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

FRAME_PERIOD = 1.0 / 60.0
"""Shortest time between published frames [s]: what a usual display shows."""

LAG_LIMIT = 0.1
"""How far the simulation may fall behind before the schedule is moved instead [s]. Larger values
let it sprint visibly after a hiccup; smaller ones lose real time on busy machines."""

BATCH_LIMIT = 4096
"""Most steps in one go: steps may get dearer from one to the next (a pile falls together), and
commands wait for the end of a batch."""

ROUNDING = 1e-9
"""Share of a step that counts as due already; hides the rounding of clock differences."""


@dataclass(slots=True)
class Pacer:
    """Schedules steps of equal length at a factor of real time.

    Step number n since `restart` is due at start + n*time_step/speed on the wall clock. An infinite
    speed makes as many steps due as fit into one frame.
    """

    time_step: float
    speed: float
    start: float = 0.0
    done: int = 0
    cost: float = 0.0
    """Running mean of what one step takes [s]."""

    def restart(self, now: float, *, speed: float) -> None:
        """Begin a new schedule at wall time `now` [s]."""
        self.speed = speed
        self.start = now
        self.done = 0

    def due(self, now: float) -> int:
        """Return how many steps to take now: what is due, but no more than fits into a frame."""
        affordable = int(min(FRAME_PERIOD / self.cost, BATCH_LIMIT)) if self.cost > 0.0 else 1
        affordable = max(1, affordable)
        if math.isinf(self.speed):
            return affordable
        lag = now - (self.scheduled + self.time_step / self.speed) - LAG_LIMIT
        if lag > 0.0:
            self.start += lag
        wanted = math.floor((now - self.start) * self.speed / self.time_step + ROUNDING)
        return min(wanted - self.done, affordable)

    def count(self, steps: int, seconds: float) -> None:
        """Note that `steps` steps took `seconds` of wall time."""
        self.done += steps
        share = seconds / steps
        self.cost = share if self.cost == 0.0 else 0.8 * self.cost + 0.2 * share

    @property
    def scheduled(self) -> float:
        """Wall time at which the last step was due [s]; without meaning at infinite speed."""
        return self.start + self.done * self.time_step / self.speed

    def wait(self, now: float) -> float:
        """Return how long to sleep until the next step is due [s]."""
        if math.isinf(self.speed):
            return 0.0
        return max(0.0, self.scheduled + self.time_step / self.speed - now)


@dataclass(slots=True)
class RateMeter:
    """Simulated seconds per second over the last moments."""

    window: float = 1.0
    samples: deque[tuple[float, float]] = field(default_factory=deque[tuple[float, float]])

    def clear(self) -> None:
        """Forget the past, for example after a pause."""
        self.samples.clear()

    def add(self, now: float, time: float) -> float:
        """Note that the simulation is at `time` at wall time `now`; return the rate [s/s]."""
        self.samples.append((now, time))
        while len(self.samples) > 2 and now - self.samples[0][0] > self.window:
            self.samples.popleft()
        first_now, first_time = self.samples[0]
        return (time - first_time) / (now - first_now) if now > first_now else 0.0
