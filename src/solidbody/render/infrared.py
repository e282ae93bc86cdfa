"""What sensors of infra-red light find out about a surface: how red and how rough it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from solidbody.render.engine import RayEngine

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


def roughness_of(rays: RayEngine, shape: Ints) -> Floats:
    """Return the roughness of shapes, by row; classic materials have none."""
    looks = [rays.rows[k].appearance for k in shape.tolist()]
    return np.array([0.0 if a is None or a.specular is not None else a.roughness for a in looks])


def red_of(rays: RayEngine, shape: Ints) -> Singles:
    """Return the red part, 0..1, of the colour of shapes.

    Shapes without a look are white, and textures take the place of the colour of classic materials.
    """
    out = np.ones(len(shape), dtype=np.float32)
    textured = has_texture(rays, shape)
    for k, row in enumerate(shape.tolist()):
        look = rays.rows[row].appearance
        if look is not None and (look.specular is None or not textured[k]):
            out[k] = look.base_color[0]
    return out


def has_texture(rays: RayEngine, shape: Ints) -> NDArray[np.bool_]:
    """Return which shapes have a picture on them."""
    return rays.material_table.texture[rays.material_index[shape]] >= 0


def red_of_texture(rays: RayEngine, shape: Ints, coordinates: Singles) -> Singles:
    """Return the red part, 0..1, of the texel of each shape at texture coordinates (n, 2); 1 without."""
    table = rays.material_table
    number = table.texture[rays.material_index[shape]]
    size = table.texture_size[number]
    x = np.floor(coordinates[:, 0] * size[:, 0]).astype(np.int64) % size[:, 0]
    y = np.floor((1.0 - coordinates[:, 1]) * size[:, 1]).astype(np.int64) % size[:, 1]
    place = table.texture_start[number] + y * size[:, 0] + x
    red = table.texels[place, 0].astype(np.float32) / np.float32(255.0)
    return np.where(number >= 0, red, np.float32(1.0))
