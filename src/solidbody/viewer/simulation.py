"""Interface of simulations that the view can show; `solidbody.sim.Sim` is one."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.model.scene import Scene


class SimulationStats(Protocol):
    """What the simulation counted."""

    @property
    def not_converged(self) -> int:
        """Steps whose contact solution missed its tolerance."""
        ...


class Simulation(Protocol):
    """Steps a scene and tells where its links are."""

    @property
    def scene(self) -> Scene:
        """The description that is simulated."""
        ...

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        ...

    @property
    def time_step(self) -> float:
        """Length of one step [s]."""
        ...

    @property
    def step_count(self) -> int:
        """Steps since the start or the last reset."""
        ...

    @property
    def moving(self) -> NDArray[np.intp]:
        """Indices of the links that can move, in the order of `scene.links()`."""
        ...

    @property
    def stats(self) -> SimulationStats:
        """Counters of the run."""
        ...

    def step(self, n: int = 1) -> None:
        """Advance by `n` steps."""
        ...

    def reset(self) -> None:
        """Go back to the start."""
        ...

    def poses(self) -> NDArray[np.float64]:
        """Return x y z qw qx qy qz of every link, shape (nlink, 7)."""
        ...
