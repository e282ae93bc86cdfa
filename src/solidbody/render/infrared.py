"""Infra-red response of surfaces for distance sensors: how red and how rough they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solidbody.model.appearance import Appearance

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine

Ints = NDArray[np.int32]
Singles = NDArray[np.float32]


class InfraredTable(NamedTuple):
    """What is the same all over a shape, by row: the red part of its colour (0..1), and its roughness."""

    red: Singles
    roughness: Singles


def infrared_table(
    looks: Sequence[Appearance | None], textured: NDArray[np.bool_]
) -> InfraredTable:
    """Return the table of shapes with these looks, some of which have pictures on them.

    Shapes without a look are white, and textures take the place of the colour of classic materials, which
    have no roughness. Without shapes it has one row, for rays that end nowhere.
    """
    table = InfraredTable(*np.array([[1.0], [0.0]], dtype=np.float32).repeat(max(len(looks), 1), 1))
    for row, look in enumerate(looks):
        if look is None:
            continue
        is_classic = look.specular is not None
        table.red[row] = 1.0 if is_classic and textured[row] else look.base_color[0]
        table.roughness[row] = 0.0 if is_classic else look.roughness
    return table


def has_texture(rays: RayEngine, shape: Ints) -> NDArray[np.bool_]:
    """Return which shapes have a picture on them."""
    return rays.material_table.texture[rays.material_index[shape]] >= 0


def red_of_texture(rays: RayEngine, shape: Ints, coordinates: Singles) -> Singles:
    """Return the red part, 0..1, of the texel of each shape at texture coordinates (n, 2); 1 without."""
    table, number = rays.picture_table, rays.material_table.texture[rays.material_index[shape]]
    size = table.texture_size[number]
    x = np.floor(coordinates[:, 0] * size[:, 0]).astype(np.int64) % size[:, 0]
    y = np.floor((1.0 - coordinates[:, 1]) * size[:, 1]).astype(np.int64) % size[:, 1]
    place = table.texture_start[number] + y * size[:, 0] + x
    red = table.texels[place, 0].astype(np.float32) / np.float32(255.0)
    return np.where(number >= 0, red, np.float32(1.0))
