"""Pens: they paint on what lies below them (along -z), and the paint may dry up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from solidbody.base.vectors import matrix
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceWorld
from solidbody.devices.core.group import Group
from solidbody.devices.scalar.distance import own_groups
from solidbody.devices.surfaces.looks import Key
from solidbody.model.appearance import Color
from solidbody.model.devices import DevicePen
from solidbody.render.paint_layers import LayerPlan

Singles = NDArray[np.float32]

LEAST_INK: Final = 1e-3
"""Density below which paint has dried up."""

FAR: Final = 1.0e4
"""[m] Reach of a pen without limit."""


@dataclass(slots=True)
class PenState:
    """What a program can change; None = as the file says."""

    is_writing: bool
    color: Color | None = None
    density: float | None = None


class Paper:
    """The layer of paint on a shape.

    Attributes:
        ink: (height, width, 3) colour of the paint (0..255).
        density: (height, width, 1) share that it covers: it adds up until it covers all.
        layer: (height, width, 4) both as bytes; another array after each change.
        hides: Whether thin ink is mixed with the white of the layer, which hides the shape below.
    """

    def __init__(self, plan: LayerPlan, *, hides: bool) -> None:
        self._plan = plan
        self.hides = hides
        width, height = plan.size
        self.ink = np.zeros((height, width, 3), dtype=np.float32)
        self.density = np.zeros((height, width, 1), dtype=np.float32)
        self.layer = np.zeros((height, width, 4), dtype=np.uint8)

    @property
    def is_painted(self) -> bool:
        """Whether there is any paint."""
        return bool(self.density.max() > LEAST_INK)

    @property
    def red(self) -> Singles | None:
        """(height, width) share of infra-red light that comes back through paint; None = as its colour says.

        Paint that hides the shape below is a filter for it, which stays when the ink has dried up.
        """
        if not self.hides:
            return None
        of_ink = self.ink[..., 0] / np.float32(255.0)
        return np.where(self.density[..., 0] > 0.0, of_ink, np.float32(1.0))

    def cover(self, at: tuple[float, float], lead: float, color: Color, density: float) -> None:
        """Put paint around a place, for a lead of a size [m]: it mixes with what is there.

        As in Webots the spot is round in texels, at least one of them, and does not go round corners: it may
        show on what is beside it in the layer.
        """
        u, v = at[0], 1.0 - at[1]
        if not (0.0 <= u <= 1.0 and 0.0 <= v <= 1.0):
            return
        width, height = self._plan.size
        reach = max(int(lead * self._plan.scale), 1) // 2
        x, y = min(int(u * width), width - 1), min(int(v * height), height - 1)
        rows = np.arange(max(y - reach, 0), min(y + reach, height - 1) + 1)
        columns = np.arange(max(x - reach, 0), min(x + reach, width - 1) + 1)
        inside = (rows[:, None] - y) ** 2 + (columns - x) ** 2 <= reach**2
        spot = np.ix_(rows, columns)
        before, added = self.density[spot], np.float32(density) * inside[..., None]
        share = added / np.maximum(before + added, np.float32(1e-15))
        ink = np.array(color, dtype=np.float32) * np.float32(255.0)
        if self.hides:
            self.ink[spot] = np.where(before > 0.0, self.ink[spot], np.float32(255.0))
            share, added = added, inside[..., None].astype(np.float32)
        self.ink[spot] += share * (ink - self.ink[spot])
        self.density[spot] = np.minimum(before + added, np.float32(1.0))
        self.layer = self.layer.copy()
        self.layer[spot] = _as_bytes(self.ink[spot], self.density[spot])

    def fade(self, keep: float) -> None:
        """Let paint cover less: `keep` of what it did."""
        self.density *= np.float32(keep)
        self.layer = _as_bytes(self.ink, self.density)


def _as_bytes(ink: Singles, density: Singles) -> NDArray[np.uint8]:
    return np.round(np.concatenate([ink, 255.0 * density], axis=2)).astype(np.uint8)


class Pens(Group[DevicePen]):
    """Paint on shapes; there is no value to read."""

    acts = True
    is_seen_at_once = True

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld, rng: Generator) -> None:
        super().__init__(devices, world, rng)
        self.states = [PenState(d.is_writing) for d in self.devices]
        self._skip = own_groups(devices, world.scene)
        self.papers: dict[Key, Paper] = {}

    def reset(self) -> None:
        """Everything is clean."""
        super().reset()
        self.states = [PenState(d.is_writing) for d in self.devices]
        for key, paper in self.papers.items():
            paper.fade(0.0)
            self.world.surfaces.set_ink(key, paper.layer, paper.red)

    def resume(self, before: Group[DevicePen]) -> None:
        """Keep the paint on shapes that are still there."""
        if not isinstance(before, Pens):
            return
        shapes = [link.shapes for link in self.world.scene.links()]
        former = [link.shapes for link in before.world.scene.links()]
        for (link, number), paper in before.papers.items():
            still = shapes[link][number : number + 1] if link < len(shapes) else ()
            if still and still[0].geometry == former[link][number].geometry:
                self.papers[link, number] = paper
                self.world.surfaces.set_ink((link, number), paper.layer, paper.red)

    def write(self, row: int, is_writing: bool) -> None:
        """Put the pen down or lift it."""
        self.states[row].is_writing = is_writing

    def set_ink(self, row: int, color: Color, density: float) -> None:
        """Change the ink; in releases whose ink hides the paper, densities from programs are bytes."""
        if self.devices[row].hides_paper:
            density = int(density * 255.0) / 255.0
        self.states[row].color, self.states[row].density = color, density

    def is_busy(self) -> bool:
        """Whether a pen writes, or paint dries up."""
        if any(state.is_writing for state in self.states):
            return True
        dries = self.world.scene.ink_evaporation > 0.0
        return dries and any(paper.is_painted for paper in self.papers.values())

    def act(self) -> None:
        """Paint where each pen is: one spot in a step, fast ones leave dotted lines."""
        changed = self._dry()
        for row, state in enumerate(self.states):
            if state.is_writing:
                changed |= self._paint(row, state)
        for key in changed:
            self.world.surfaces.set_ink(key, self.papers[key].layer, self.papers[key].red)

    def _dry(self) -> set[Key]:
        """Ink fades at the rate `ink_evaporation` [1/s]."""
        rate = self.world.scene.ink_evaporation
        painted = {key for key, paper in self.papers.items() if rate > 0.0 and paper.is_painted}
        for key in painted:
            self.papers[key].fade(math.exp(-rate * self.world.source.time_step))
        return painted

    def _paint(self, row: int, state: PenState) -> set[Key]:
        device, at = self.devices[row], np.array([row], dtype=np.intp)
        axes = matrix(self.places.rotations(self.world, at)[0])
        rays = self.world.rays
        shape, _, on_paint = rays.texels_under(
            self.places.positions(self.world, at),
            -axes[None, :, 2],
            reach=FAR if device.max_distance is None else device.max_distance,
            skip=int(self._skip[row]),
        )
        number = int(shape[0])
        if number < 0 or rays.rows[number].is_device:
            return set()
        key = (rays.rows[number].link, rays.rows[number].shape)
        if key not in self.papers:
            self.papers[key] = Paper(rays.layer_plan(number), hides=device.hides_paper)
        u, v = on_paint[0].tolist()
        color = device.ink_color if state.color is None else state.color
        density = device.ink_density if state.density is None else state.density
        self.papers[key].cover((u, v), device.lead_size, color, density)
        return {key}
