"""Chooses between the native step (C) and the reference step (numpy)."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.layout import StepOutcome
from solidbody.contact.native import NativeStep, NativeUnavailable
from solidbody.contact.state import StepState
from solidbody.contact.tables import StepTables, Table

if TYPE_CHECKING:
    import mujoco

EngineName = Literal["auto", "native", "reference"]


MOST_THREADS = 4
"""Threads for the islands of one step, if the caller names no number: most worlds have one large island
and some small ones, which more threads do not solve sooner."""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_threads() -> int:
    """Return how many threads a simulation uses unless told otherwise: one per processor, four at most."""
    return min(processors(), MOST_THREADS)


class Step(Protocol):
    """What advances a simulation: the native library, or its numpy twin."""

    name: str
    stats: Table

    @property
    def data(self) -> mujoco.MjData:
        """MuJoCo's part of the state."""
        ...

    @property
    def qpos(self) -> NDArray[np.float64]:
        """Return a copy of MuJoCo's positions, without asking for the rest of its state."""
        ...

    @property
    def qvel(self) -> NDArray[np.float64]:
        """Return a copy of its velocities."""
        ...

    @property
    def qacc(self) -> NDArray[np.float64]:
        """Return a copy of its accelerations."""
        ...

    def begin(self, qvel: NDArray[np.float64], qacc: NDArray[np.float64] | None) -> None:
        """Set MuJoCo's part of the state as after loading, with these velocities and accelerations."""
        ...

    def adopt(self, model: mujoco.MjModel, tables: StepTables, *, owns_model: bool) -> None:
        """Go on with another model and other tables of the same layout; what it remembers stays."""
        ...

    def run(self, steps: int) -> StepOutcome:
        """Advance by `steps` steps."""
        ...

    @property
    def error_text(self) -> str:
        """What MuJoCo said when `run` last returned StepOutcome.MUJOCO."""
        ...

    def find_contacts(self) -> None:
        """Find the contact points of the present poses; they replace those of the last step."""
        ...

    def hold_frames(self, body: int) -> None:
        """Let the next step find contacts of a body, and of those below it, where they are now.

        Whoever moves them until then. Frames must be up to date.
        """
        ...

    def terrain_points(self, terrain: int, geom: int) -> NDArray[np.float64]:
        """Return (points, 4): normals out of a terrain (world) and depths [m] where a geom is inside it.

        As frames are now, whatever filters say; `terrain` is its row of CollisionTables.
        """
        ...

    def clear(self) -> None:
        """Forget warm starts and statistics."""
        ...

    def loop_forces(self) -> NDArray[np.float64]:
        """Return (loops, 6): forces along, moments about the axes of end 0, on body 1, in the last step."""
        ...

    def memory(self) -> bytes:
        """Return what carries over from step to step beside positions and velocities."""
        ...

    def restore_memory(self, memory: bytes) -> None:
        """Take back what `memory` returned."""
        ...


def make_step(
    model: mujoco.MjModel,
    data: mujoco.MjData | None,
    tables: StepTables,
    state: StepState,
    *,
    owns_model: bool = False,
    engine: EngineName = "auto",
    threads: int | None = None,
) -> Step:
    """Return a step for this model and this state, which it writes to.

    Args:
        model: What to simulate.
        data: MuJoCo's part of the state; None = the step makes it, which is smaller until somebody asks.
        tables: Our constants.
        state: Our part of the state.
        owns_model: Whether the step may also move bodies in the model that are fixed to others.
        engine: `auto` takes the native one and warns if it must not.
        threads: How many may share a step; None = the usual number.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    if engine not in ("auto", "native", "reference"):
        raise ValueError(f'engine must be "auto", "native" or "reference", got "{engine}"')
    if engine != "reference":
        try:
            return NativeStep(
                model,
                data,
                tables,
                state,
                owns_model=owns_model,
                threads=threads or usual_threads(),
            )
        except NativeUnavailable as error:
            if engine == "native":
                raise
            warnings.warn(
                f"{error}. Using the Python reference step: same results, much slower.",
                RuntimeWarning,
                stacklevel=4,
            )
    import mujoco

    from solidbody.contact.reference.step import ReferenceStep

    data = mujoco.MjData(model) if data is None else data
    return ReferenceStep(model, data, tables, state, owns_model=owns_model)
