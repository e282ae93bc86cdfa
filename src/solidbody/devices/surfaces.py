"""How surfaces and lamps look that devices change: glowing lamps, screens, paint.

The ray engine and the page both read this; groups of devices write it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.model.appearance import Color

if TYPE_CHECKING:
    from solidbody.render.engine import RayEngine

Bytes = NDArray[np.uint8]

Key = tuple[int, int]
"""Row of a link in `Sim.poses()`, number of a shape in `Link.shapes`."""


@dataclass(slots=True)
class LampLook:
    """What a lamp shows: `color` times `strength` if it is on."""

    is_on: bool
    color: Color
    strength: float


@dataclass(slots=True)
class Surfaces:
    """Looks that differ from those in the scene.

    Attributes:
        glow: Light that shapes give off.
        pictures: (height, width, 4) bytes that cover shapes instead of their textures.
        lamps: By number: lamps of the scene in order, then those of devices.
        version: Grows with every change.
    """

    glow: dict[Key, Color] = field(default_factory=dict[Key, Color])
    pictures: dict[Key, Bytes] = field(default_factory=dict[Key, Bytes])
    lamps: dict[int, LampLook] = field(default_factory=dict[int, LampLook])
    version: int = 0
    _changed: set[Key] = field(default_factory=set[Key])

    def set_glow(self, key: Key, color: Color) -> None:
        """Let a shape give off light."""
        if self.glow.get(key) != color:
            self.glow[key] = color
            self._note(key)

    def set_picture(self, key: Key, picture: Bytes) -> None:
        """Cover a shape with a picture, which must keep its size from then on."""
        self.pictures[key] = picture
        self._note(key)

    def set_lamp(self, number: int, *, is_on: bool, color: Color, strength: float) -> None:
        """Switch a lamp."""
        self.lamps[number] = LampLook(is_on, color, strength)
        self.version += 1

    def _note(self, key: Key) -> None:
        self._changed.add(key)
        self.version += 1

    @property
    def own(self) -> dict[Key, Bytes | None]:
        """Shapes that need a look of their own, with the picture on them."""
        return {key: self.pictures.get(key) for key in (*self.glow, *self.pictures)}

    def show(self, rays: RayEngine) -> None:
        """Bring the ray engine up to date."""
        for key in self._changed:
            if key in self.glow:
                rays.set_glow(key, self.glow[key])
            if key in self.pictures:
                rays.set_picture(key, self.pictures[key])
        self._changed.clear()
        for number, look in self.lamps.items():
            rays.set_lamp(number, is_on=look.is_on, color=look.color, strength=look.strength)
