"""Sky table for the ray kernels, and the ambient light of the sky."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.model.scene import PictureRule, Scene
from solidbody.render.panorama import is_panorama
from solidbody.render.tone_mapping import inverse_tone_mapped

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]

LIGHT: Final = 0.6
"""Light of the sky on things, as a share of its colour times its luminosity: half of it is below the
horizon, where the ground takes some of it away."""


LEAST: Final = 1e-6
"""Exposure of a viewpoint that lets no light in."""

Y_UP: Final = (0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class SkyTable:
    """Arrays of `sky_rays.Sky`, and the light that falls from all around.

    Attributes:
        color: Where there are no pictures.
        pictures: Right, left, top, bottom, front, back; empty = the plain colour.
        axes: (3, 3) rows: right, up and back in the world.
        light: Red, green, blue.
    """

    color: Floats
    pictures: tuple[Bytes, ...]
    axes: Floats
    light: Floats

    @property
    def start(self) -> NDArray[np.int32]:
        """First texel of each picture."""
        counts = [picture.shape[0] * picture.shape[1] for picture in self.pictures]
        return np.array([0, *np.cumsum(counts)[:-1]] if counts else [0], dtype=np.int32)

    @property
    def size(self) -> NDArray[np.int32]:
        """(n, 2) width and height."""
        sizes = [(picture.shape[1], picture.shape[0]) for picture in self.pictures]
        return np.array(sizes or [(1, 1)], dtype=np.int32)

    @property
    def texels(self) -> Bytes:
        """(n, 4) of all pictures, one after the other."""
        if not self.pictures:
            return np.zeros((1, 4), dtype=np.uint8)
        return np.concatenate([picture.reshape(-1, 4) for picture in self.pictures])


def sky_table(
    scene: Scene,
    load: Callable[[str], Bytes | None],
    load_all: Callable[[str], tuple[Bytes, ...] | None],
) -> SkyTable:
    """Return the sky: black without a background, its colour where a picture cannot be had.

    With tone mapping a plain sky is as bright as gives its colour at the exposure of the viewpoint, and
    lights things with all of that colour.

    Args:
        scene: It has a background or not.
        load: Gives the picture of one side.
        load_all: Gives those of all sides, of a panorama.
    """
    background, geodesy = scene.background, scene.geodesy
    # Webots' cube is laid along the axes of worlds with y up: right +x, top +y, back +z. In worlds with z up
    # it stands as it did in their old axes (north, up, east): the front is in the west
    axes = np.array([geodesy.north, geodesy.up, geodesy.east])
    if geodesy.up == Y_UP:
        axes = np.eye(3)
    if background is None:
        return SkyTable(np.zeros(3), (), axes, np.zeros(3))
    color = np.array(background.color, dtype=np.float64)
    if is_panorama(background.images):
        pictures = load_all(background.images[0]) or ()
    else:
        pictures = _cube(background.images, load)
    mean = color
    if pictures:
        mean = np.mean([side[..., :3].mean(axis=(0, 1)) for side in pictures], axis=0) / 255.0
    if scene.pictures is PictureRule.PLAIN:
        return SkyTable(color, pictures, axes, mean * (LIGHT * background.luminosity))
    bright = inverse_tone_mapped(color) / max(scene.viewpoint.exposure, LEAST)
    return SkyTable(bright, pictures, axes, mean * background.luminosity)


def _cube(addresses: tuple[str, ...], load: Callable[[str], Bytes | None]) -> tuple[Bytes, ...]:
    """Return six pictures; none, if one is missing."""
    found = [load(address) for address in addresses]
    pictures = [picture for picture in found if picture is not None]
    return tuple(pictures) if len(pictures) == len(found) == 6 else ()
