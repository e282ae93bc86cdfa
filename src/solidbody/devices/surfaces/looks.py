"""Current look of surfaces and lamps that devices change: glowing lamps, screens, paint.

The ray engine and the page both read this; groups of devices write it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.model.appearance import Color

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine

Bytes = NDArray[np.uint8]
Singles = NDArray[np.float32]

Key = tuple[int, int]
"""Row of a link in `Sim.poses()`, number of a shape in `Link.shapes`."""


@dataclass(frozen=True, slots=True)
class LampLook:
    """What a lamp shows: `color` times `strength` if it is on."""

    is_on: bool
    color: Color
    strength: float


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """All looks that differ from those in the scene, at one time; see `SurfaceLooks`."""

    glow: Mapping[Key, Color] = field(default_factory=dict[Key, Color])
    pictures: Mapping[Key, Bytes] = field(default_factory=dict[Key, Bytes])
    inks: Mapping[Key, Bytes] = field(default_factory=dict[Key, Bytes])
    lamps: Mapping[int, LampLook] = field(default_factory=dict[int, LampLook])


@dataclass(slots=True)
class SurfaceLooks:
    """Looks that differ from those in the scene. Devices enter all that they may change from the start.

    Attributes:
        glow: Light that shapes give off.
        pictures: (height, width, 4) bytes that cover shapes instead of their textures; never written into.
        inks: (height, width, 4) bytes of paint over shapes, colour and density (`render/paint_lookup.py`);
            unlike the others they come when somebody paints.
        reds: (height, width) share of infra-red light that comes back through paint which hides the shape.
        lamps: By number: lamps of the scene in order, then those of devices.
    """

    glow: dict[Key, Color] = field(default_factory=dict[Key, Color])
    pictures: dict[Key, Bytes] = field(default_factory=dict[Key, Bytes])
    inks: dict[Key, Bytes] = field(default_factory=dict[Key, Bytes])
    reds: dict[Key, Singles] = field(default_factory=dict[Key, Singles])
    lamps: dict[int, LampLook] = field(default_factory=dict[int, LampLook])
    _now: Look | None = None
    _shown: Look = field(default_factory=Look)

    def set_glow(self, key: Key, color: Color) -> None:
        """Let a shape give off light."""
        self.glow[key] = color
        self._now = None

    def set_picture(self, key: Key, picture: Bytes) -> None:
        """Cover a shape with a picture, which must keep its size from then on."""
        self.pictures[key] = picture
        self._now = None

    def set_ink(self, key: Key, layer: Bytes, red: Singles | None = None) -> None:
        """Cover a shape with paint, in a layer that must keep its size from then on."""
        self.inks[key] = layer
        if red is not None:
            self.reds[key] = red
        self._now = None

    def set_lamp(self, number: int, *, is_on: bool, color: Color, strength: float) -> None:
        """Switch a lamp."""
        self.lamps[number] = LampLook(is_on, color, strength)
        self._now = None

    @property
    def own(self) -> dict[Key, Bytes | None]:
        """Shapes that need a look of their own, with the picture on them."""
        return {key: self.pictures.get(key) for key in (*self.glow, *self.pictures)}

    def forms(self) -> tuple[set[Key], dict[Key, tuple[int, ...]]]:
        """Return what a ray engine has room for: shapes that glow, and sizes of pictures."""
        return set(self.glow), {key: picture.shape for key, picture in self.pictures.items()}

    @property
    def now(self) -> Look:
        """How everything looks now."""
        if self._now is None:
            self._now = Look(
                dict(self.glow), dict(self.pictures), dict(self.inks), dict(self.lamps)
            )
        return self._now

    def begin(self) -> None:
        """A new ray engine shows what the scene says."""
        self._shown = Look()

    def show(self, rays: RayEngine, look: Look) -> None:
        """Let everything look so in the ray engine, the same one as last time or one after `begin`."""
        before, self._shown = self._shown, look
        if look is before:
            return
        for key, color in look.glow.items():
            if before.glow.get(key) != color:
                rays.set_glow(key, color)
        for key, picture in look.pictures.items():
            if before.pictures.get(key) is not picture:
                rays.set_picture(key, picture)
        for key in before.inks.keys() - look.inks.keys():
            rays.paint_layers.lift(key)
        for key, layer in look.inks.items():
            if before.inks.get(key) is not layer:
                rays.paint_layers.set(key, layer)
        for number, lamp in look.lamps.items():
            if before.lamps.get(number) != lamp:
                rays.set_lamp(number, is_on=lamp.is_on, color=lamp.color, strength=lamp.strength)
