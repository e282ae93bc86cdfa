"""Pictures of copies, as `render_mode="rgb_array"` returns them: what the world's viewpoint sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.record.viewing import ViewpointCamera

if TYPE_CHECKING:
    from solidbody.rl.episodes import Episodes


class Photographer:
    """Takes pictures of any of the copies with one double of the simulation, which the copies never see."""

    def __init__(self, episodes: Episodes, size: tuple[int, int]) -> None:
        self._episodes = episodes
        self.double = episodes.sim.copy()
        self._camera = ViewpointCamera(self.double, size)

    def pose(self, copy: int) -> None:
        """Put the double where a copy is."""
        self.double.restore(self._episodes.batch.snapshot([copy])[0])
        self._episodes.task.show(self.double, copy)

    def picture(self, copy: int) -> NDArray[np.uint8]:
        """Return (height, width, 3)."""
        self.pose(copy)
        return self._camera.picture()
