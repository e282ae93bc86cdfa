"""Many copies of a simulation, stepped together by a pool of threads in native code.

batch = Sim(scene).batch(64)
batch.joint("left motor").target_velocity = speeds      # one number for all, or one for each
batch.step(10)
batch.poses()                                           # (64, links, 7)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import SimulationError
from solidbody.contact.batch import BatchStep
from solidbody.contact.layout import StepOutcome
from solidbody.contact.native import NativeStep
from solidbody.contact.tables import Table

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]


class Batch:
    """Independent copies of one simulation. Results do not depend on the number of threads."""

    def __init__(
        self, sims: Sequence[Sim], rows: Table | None = None, *, threads: int | None = None
    ) -> None:
        """Step `sims` together.

        Args:
            sims: The simulations.
            rows: The array whose rows are their states, if they lie side by side.
            threads: How many; None = as many as there are processors.
        """
        if not sims:
            raise ValueError("a batch needs at least one simulation")
        self.sims = tuple(sims)
        self.rows = rows
        self.threads = threads or os.cpu_count() or 1
        steps = [sim.core.step for sim in sims]
        natives = [step for step in steps if isinstance(step, NativeStep)]
        for step in natives:
            step.use_threads(1)  # there is enough to share as it is
        # without the native step they go one after the other
        self._together = BatchStep(natives) if len(natives) == len(sims) else None

    def __len__(self) -> int:
        return len(self.sims)

    def __getitem__(self, index: int) -> Sim:
        """Return one of the simulations."""
        return self.sims[index]

    def __iter__(self) -> Iterator[Sim]:
        return iter(self.sims)

    def step(self, n: int = 1) -> None:
        """Advance all simulations by `n` steps. Raises SimulationError if one of them cannot go on."""
        if self._together is None or any(sim.needs_attention for sim in self.sims):
            # devices, controllers and wheels have their say between steps
            for sim in self.sims:
                sim.step(n)
            return
        before = [sim.core.steps_done for sim in self.sims]
        outcomes = self._together.run(n, self.threads)
        for sim, done in zip(self.sims, before, strict=True):
            sim.core.note_steps(sim.core.steps_done - done)
        for number, (sim, outcome) in enumerate(zip(self.sims, outcomes, strict=True)):
            if outcome is StepOutcome.STOPPED and isinstance(sim.core.step, NativeStep):
                sim.core.step.raise_problem()
            if outcome is not StepOutcome.OK:
                error = sim.failure_of(outcome)
                raise SimulationError(
                    f"simulation {number}: {error}", time=error.time, body=error.body
                )

    def reset(self) -> None:
        """Go back to the start."""
        for sim in self.sims:
            sim.reset()

    def poses(self) -> Floats:
        """Return (simulations, links, 7)."""
        return np.stack([sim.poses() for sim in self.sims])

    def velocities(self) -> Floats:
        """Return (simulations, links, 6)."""
        return np.stack([sim.velocities() for sim in self.sims])

    def joint_states(self) -> Floats:
        """Return (simulations, axes, 2)."""
        return np.stack([sim.joint_states() for sim in self.sims])

    def qpos(self) -> Floats:
        """Return (simulations, nq): MuJoCo's positions, copied."""
        return np.stack([sim.data.qpos for sim in self.sims])

    def qvel(self) -> Floats:
        """Return (simulations, nv): MuJoCo's velocities, copied."""
        return np.stack([sim.data.qvel for sim in self.sims])

    def joint(self, name: str) -> BatchHandle:
        """Return the joint of that name in all simulations."""
        return BatchHandle([sim.joint(name) for sim in self.sims])

    def link(self, name: str) -> BatchHandle:
        """Return the link of that name in all simulations."""
        return BatchHandle([sim.link(name) for sim in self.sims])

    def map(self, function: Callable[[Sim], Any]) -> list[Any]:
        """Return what `function` gives for each simulation."""
        return [function(sim) for sim in self.sims]


class BatchHandle:
    """The same link or joint in all simulations: reading gives an array, writing takes one or a number."""

    __slots__ = ("_handles",)

    def __init__(self, handles: Sequence[Any]) -> None:
        object.__setattr__(self, "_handles", tuple(handles))

    def __getattr__(self, name: str) -> Floats:
        return np.array([getattr(handle, name) for handle in self._handles])

    def __setattr__(self, name: str, value: Any) -> None:
        values = np.asarray(value, dtype=float)
        count = len(self._handles)
        # one value for all, or one for each
        each = values if values.ndim and len(values) == count else [value] * count
        for handle, item in zip(self._handles, each, strict=True):
            setattr(handle, name, float(item) if np.ndim(item) == 0 else item)
