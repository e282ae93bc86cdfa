"""Runs steps, and calls step hooks and devices between them."""

from __future__ import annotations

import math
import time
from collections import deque

from solidbody.base.errors import SimulationError
from solidbody.contact.layout import StepOutcome
from solidbody.devices import DeviceEngine
from solidbody.sim.core import Core
from solidbody.sim.drives import BoundDrive, push_back, turn_wheels_into_motion
from solidbody.sim.failures import failure_of
from solidbody.sim.played_motions import BoundMotion
from solidbody.sim.snapshot import Snapshot
from solidbody.sim.step_hook import StepHook

SLICE = 0.1
"""[s] Longest stay in one native call, so that Ctrl-C and other threads get their turn."""

KEEP_EVERY = 0.25
"""[s] of wall-clock time between snapshots that are kept in case the simulation fails: one costs less than
a thousandth of that."""

KEPT = 4
"""How many of them."""


class Runner:
    """Advances a state, which a step hook may replace by another one between two steps.

    Attributes:
        devices: Sensors and actuators, once somebody has asked for them.
        drives: Wheels of robots without physics.
        motions: Recorded motions that joints go through.
        step_hooks: Called before and after steps.
    """

    _core: Core

    def __init__(self) -> None:
        self.step_hooks: list[StepHook] = []
        self.devices: DeviceEngine | None = None
        self.drives: tuple[BoundDrive, ...] = ()
        self.motions: tuple[BoundMotion, ...] = ()
        self._kept: deque[Snapshot] = deque(maxlen=KEPT)

    def take(self, core: Core) -> None:
        """Go on with another state; the step hooks stay."""
        self._core = core
        self.devices, self.drives, self.motions = None, (), ()
        self._slice = 1
        self.forget()

    @property
    def needs_attention(self) -> bool:
        """Whether something has its say between steps: devices, controllers, wheels of old robots."""
        return bool(self.step_hooks or self.devices or self.drives or self.motions)

    def step(self, n: int) -> None:
        """Advance by `n` steps. Raises SimulationError when the simulation cannot go on."""
        while n > 0:
            for hook in self.step_hooks:
                hook.before_steps()
            until_due = None if self.devices is None else self.devices.steps_until_due()
            chunk = n if until_due is None else min(n, until_due)
            for hook in self.step_hooks:
                limit = hook.steps_until_due()
                chunk = chunk if limit is None else min(chunk, limit)
            if self.motions:
                played = [motion.command(self._core.step_count) for motion in self.motions]
                chunk = 1 if any(played) else chunk
            if self.drives:  # their robots go where the wheels now point
                chunk = 1
                for drive in self.drives:
                    turn_wheels_into_motion(self._core, drive)
            self._advance(chunk)
            if self.drives:
                push_back(self._core, self.drives)
            n -= chunk
            if self.devices is not None and chunk == until_due:
                self.devices.after_steps()
            for hook in self.step_hooks:
                hook.after_steps()

    def _advance(self, n: int) -> None:
        """Advance in slices: short enough for Ctrl-C, other threads and an occasional snapshot."""
        core = self._core
        while n > 0:
            started = time.perf_counter()
            if started - self._kept_at > KEEP_EVERY:
                self._kept.append(self.snapshot())
                self._kept_at = started
            before = core.steps_done
            outcome = core.step.run(min(n, self._slice))
            n -= min(n, self._slice)
            core.note_steps(core.steps_done - before)
            if outcome is not StepOutcome.OK:
                raise self.failure_of(outcome)
            took = time.perf_counter() - started
            self._slice = self._slice * 2 if took < SLICE / 2 else max(1, self._slice // 2)

    def snapshot(self) -> Snapshot:
        """Return the complete state."""
        if self.devices is not None:
            self.devices.keep_random()
        return self._core.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot."""
        self._core.restore(snapshot)
        if self.devices is not None:
            self.devices.go_on()

    def forget(self) -> None:
        """Forget the snapshots that were kept: the simulation went back to its start."""
        self._kept.clear()
        self._kept_at = -math.inf

    def failure_of(self, outcome: StepOutcome) -> SimulationError:
        """Return the error for a step that went wrong, with the snapshots kept before it."""
        return failure_of(self._core, outcome, tuple(self._kept))
