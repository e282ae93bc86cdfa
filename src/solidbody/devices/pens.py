"""Pens: they paint on the textures of what lies below them (along -z), and the paint may dry up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.bound import Bound
from solidbody.devices.distance import own_groups
from solidbody.devices.group import Group
from solidbody.devices.places import Floats, Rows, World, matrix
from solidbody.devices.surfaces import Key
from solidbody.model.appearance import Color
from solidbody.model.devices import DeviceDisplay, DevicePen
from solidbody.render.images import find_image, load_image

Singles = NDArray[np.float32]

ACROSS: Final = 13
"""Rays across the lead: a lead of 2 mm covers every texel down to 0.15 mm."""

MAX_DABS: Final = 64
"""Places in one step at which a pen is put down, half a lead apart; faster ones leave a dotted line."""

LEAST_INK: Final = 1e-3
"""Density below which paint has dried up."""

FAR: Final = 1.0e4
"""[m] Reach of a pen without limit."""


@dataclass(slots=True)
class PenState:
    """What a program can change, and where the pen was."""

    is_writing: bool
    color: Color
    density: float
    before: Floats | None = None


class Paper:
    """A texture that can be painted on.

    Attributes:
        clean: As it was (0..255).
        ink: Colour of the paint on each texel (0..255).
        density: Share of the texel that the paint covers: it adds up until it covers all.
        now: As it is (0..255).
        is_painted: Whether there is any paint.
    """

    def __init__(self, clean: Singles) -> None:
        self.clean = clean
        self.ink = np.zeros((*clean.shape[:2], 3), dtype=np.float32)
        self.density = np.zeros((*clean.shape[:2], 1), dtype=np.float32)
        self.now = clean.copy()
        self.is_painted = False

    def wipe(self) -> None:
        """Take all paint off."""
        self.density[:] = 0.0
        self.now[:] = self.clean
        self.is_painted = False

    def cover(self, texels: NDArray[np.int64], color: Color, density: float) -> None:
        """Put paint on texels, by number: it mixes with what is there as their densities say."""
        ink, covered = self.ink.reshape(-1, 3), self.density.reshape(-1, 1)
        before, added = covered[texels], np.float32(density)
        share = added / np.maximum(before + added, np.float32(1e-15))
        ink[texels] += share * (np.array(color, dtype=np.float32) * np.float32(255.0) - ink[texels])
        covered[texels] = np.minimum(before + added, np.float32(1.0))
        clean = self.clean.reshape(-1, 4)[texels, :3]
        self.now.reshape(-1, 4)[texels, :3] = clean + covered[texels] * (ink[texels] - clean)
        self.is_painted = True

    def fade(self, keep: float) -> None:
        """Let paint cover less: `keep` of what it did."""
        self.density *= np.float32(keep)
        clean = self.clean[..., :3]
        self.now[..., :3] = clean + self.density * (self.ink - clean)
        self.is_painted = bool(self.density.max() > LEAST_INK)

    def take_over(self, other: Paper) -> None:
        """Have the paint of the same texture before the scene has changed."""
        self.ink, self.density, self.now = other.ink, other.density, other.now
        self.is_painted = other.is_painted


class Pens(Group[DevicePen]):
    """Paint on textured shapes; there is no value to read."""

    kind = DevicePen
    acts = True
    is_seen_at_once = True

    def __init__(self, devices: Sequence[Bound], world: World, random: np.random.Generator) -> None:
        super().__init__(devices, world, random)
        self.states = [PenState(d.is_writing, d.ink_color, d.ink_density) for d in self.devices]
        self._skip = own_groups(devices, world.scene)
        self.papers = _papers(world)
        for key, paper in self.papers.items():
            world.surfaces.set_picture(key, paper.now.astype(np.uint8))

    def reset(self) -> None:
        """Everything is clean."""
        super().reset()
        self.states = [PenState(d.is_writing, d.ink_color, d.ink_density) for d in self.devices]
        for key, paper in self.papers.items():
            if paper.is_painted:
                paper.wipe()
                self.world.surfaces.set_picture(key, paper.now.astype(np.uint8))

    def resume(self, before: Group[DevicePen]) -> None:
        """Keep the paint on textures that are still there."""
        if not isinstance(before, Pens):
            return
        for key, old in before.papers.items():
            paper = self.papers.get(key)
            if paper is not None and old.is_painted and np.array_equal(paper.clean, old.clean):
                paper.take_over(old)
                self.world.surfaces.set_picture(key, np.round(paper.now).astype(np.uint8))

    def write(self, row: int, is_writing: bool) -> None:
        """Put the pen down or lift it."""
        self.states[row].is_writing = is_writing
        self.states[row].before = None

    def set_ink(self, row: int, color: Color, density: float) -> None:
        """Change the ink."""
        self.states[row].color, self.states[row].density = color, density

    def is_busy(self) -> bool:
        """Whether a pen writes on something, or paint dries up."""
        writes = any(state.is_writing for state in self.states)
        dries = self.world.scene.ink_evaporation > 0.0
        return bool(self.papers) and (
            writes or (dries and any(paper.is_painted for paper in self.papers.values()))
        )

    def act(self) -> None:
        """Paint from where each pen was to where it is."""
        changed = self._dry()
        for row, state in enumerate(self.states):
            if state.is_writing:
                changed |= self._paint(row, state)
        for key in changed:
            picture = np.round(self.papers[key].now).astype(np.uint8)
            self.world.surfaces.set_picture(key, picture)

    def _dry(self) -> set[Key]:
        """Ink fades at the rate `ink_evaporation` [1/s], towards what was below it."""
        rate = self.world.scene.ink_evaporation
        painted = {key for key, paper in self.papers.items() if paper.is_painted and rate > 0.0}
        for key in painted:
            self.papers[key].fade(math.exp(-rate * self.world.source.time_step))
        return painted

    def _paint(self, row: int, state: PenState) -> set[Key]:
        from solidbody.render.texture_rays import texels_under

        device, at = self.devices[row], np.array([row], dtype=np.intp)
        here = self.places.positions(self.world, at)[0]
        axes = matrix(self.places.rotations(self.world, at)[0])
        start = here if state.before is None else state.before
        state.before = here
        apart = max(0.5 * device.lead_size, 1e-6)
        dabs = min(max(math.ceil(float(np.linalg.norm(here - start)) / apart), 1), MAX_DABS)
        path = here + (start - here) * (np.arange(dabs) / dabs)[:, None]
        origins = (path[:, None] + _disc(0.5 * device.lead_size) @ axes.T).reshape(-1, 3)
        rays = self.world.rays
        shape, coordinates = texels_under(
            rays,
            origins,
            np.tile(-axes[:, 2], (len(origins), 1)),
            reach=FAR if device.max_distance is None else device.max_distance,
            skip=int(self._skip[row]),
        )
        changed: set[Key] = set()
        for number in np.unique(shape[shape >= 0]).tolist():
            key = (rays.rows[number].link, rays.rows[number].shape)
            if key in self.papers:
                self._ink(self.papers[key], coordinates[shape == number], state)
                changed.add(key)
        return changed

    def _ink(self, paper: Paper, coordinates: Singles, state: PenState) -> None:
        """Put ink on the texels at texture coordinates, once on each of them."""
        height, width = paper.now.shape[:2]
        x = np.floor(coordinates[:, 0] * width).astype(np.int64) % width
        y = np.floor((1.0 - coordinates[:, 1]) * height).astype(np.int64) % height
        paper.cover(np.unique(y * width + x), state.color, state.density)

    def sample(self, rows: Rows, elapsed: Floats) -> None:
        """There is nothing to sample."""


def _disc(radius: float) -> Floats:
    """Return points (n, 3) that fill a disc around the z axis."""
    line = np.linspace(-radius, radius, ACROSS)
    x, y = (values.ravel() for values in np.meshgrid(line, line))
    inside = np.hypot(x, y) <= radius * (1.0 + 1e-9)
    return np.stack([x[inside], y[inside], np.zeros(int(inside.sum()))], axis=-1)


def _papers(world: World) -> dict[Key, Paper]:
    """Return every texture that can be painted on: those of pictures that were found, screens apart."""
    found: dict[Key, Paper] = {}
    for row, link in enumerate(world.scene.links()):
        screens = {d.shape for d in link.devices if isinstance(d, DeviceDisplay)}
        for number, shape in enumerate(link.shapes):
            texture = shape.appearance.texture if shape.appearance is not None else None
            if texture is None or number in screens:
                continue
            path = find_image(texture.uri, shape.span.file.rpartition("/")[0], world.folder)
            image = None if path is None else load_image(path)
            if image is not None:
                found[row, number] = Paper(image.astype(np.float32))
    return found
