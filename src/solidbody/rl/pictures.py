"""Pictures of copies, as `render_mode="rgb_array"` returns them: what the world's viewpoint sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.record.viewing import ViewpointCamera
from solidbody.sim.batch.batch import Batch

if TYPE_CHECKING:
    from solidbody.rl.episodes import Episodes
    from solidbody.sim import Sim


class Photographer(Protocol):
    """Takes pictures of copies.

    Attributes:
        double: The simulation of which they are taken.
    """

    double: Sim

    def pose(self, copy: int) -> None:
        """Put the double where a copy is."""
        ...

    def picture(self, copy: int) -> NDArray[np.uint8]:
        """Return (height, width, 3)."""
        ...


class SimPhotographer:
    """Takes pictures of one simulation."""

    def __init__(self, sim: Sim, size: tuple[int, int]) -> None:
        self.double = sim
        self._camera = ViewpointCamera(sim, size)

    def pose(self, copy: int) -> None:
        """It is where it is."""

    def picture(self, copy: int) -> NDArray[np.uint8]:
        """Return (height, width, 3)."""
        return self._camera.picture()


class CopyPhotographer:
    """Takes pictures of any of the copies with one double of the simulation, which the copies never see."""

    def __init__(self, episodes: Episodes, size: tuple[int, int]) -> None:
        self._episodes = episodes
        self.double = episodes.sim.copy()
        self._camera = ViewpointCamera(self.double, size)

    def pose(self, copy: int) -> None:
        """Put the double where a copy is."""
        batch = self._episodes.batch
        if isinstance(batch, Batch):
            self.double.restore(batch.snapshot([copy])[0])
        else:
            batch.show(self.double, copy)
        self._episodes.task.show(self.double, copy)

    def picture(self, copy: int) -> NDArray[np.uint8]:
        """Return (height, width, 3)."""
        self.pose(copy)
        return self._camera.picture()
