"""The world as it was at one instant, for pictures that are developed later (`imaging/developing.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.surfaces.looks import Look
from solidbody.model.scene import Scene

if TYPE_CHECKING:
    from solidbody.devices.core.places import World
    from solidbody.render.engine import RayEngine

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


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """Everything that rays can see, at one time.

    Attributes:
        world: Where it was.
        poses: (links, 7).
        look: Of surfaces and lamps.
        shows: What devices with moving forms looked like.
        step: Steps since the start.
    """

    world: World
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
