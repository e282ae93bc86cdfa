"""Render snapshot: the world at one step, for pictures rendered later (`imaging/lazy_rendering.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.surfaces.looks import Look
from solidbody.model.scene import Scene

if TYPE_CHECKING:
    from solidbody.devices.core.device_frames import DeviceWorld
    from solidbody.render.ray_engine import RayEngine

Show = Callable[["RayEngine"], None]
"""Brings what a device has changed into the ray engine."""


class Visible(Protocol):
    """A world that can be looked at: as it is, or as it was."""

    @property
    def poses(self) -> NDArray[np.float64]:
        """(links, 7) position and quaternion."""
        ...

    @property
    def rays(self) -> RayEngine:
        """The ray engine, with everything in its place."""
        ...

    @property
    def scene(self) -> Scene:
        """What is simulated."""
        ...


@dataclass(slots=True, eq=False)
class RenderSnapshot:
    """Everything that rays can see, at one time; nobody changes it.

    Attributes:
        world: Where it was.
        painted: The scene as it looked.
        poses: (links, 7).
        look: Of surfaces and lamps.
        shows: What devices with moving forms looked like.
        step: Steps since the start.
    """

    world: DeviceWorld
    painted: Scene
    poses: NDArray[np.float64]
    look: Look
    shows: tuple[Show, ...]
    step: int

    @property
    def rays(self) -> RayEngine:
        """The ray engine, with everything where it was."""
        return self.world.rays_at(self)

    @property
    def scene(self) -> Scene:
        """What is simulated."""
        return self.world.scene
