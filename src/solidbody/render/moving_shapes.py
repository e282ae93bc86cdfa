"""Moves, stretches and colours shapes of the ray engine while a simulation runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import matrices
from solidbody.model.appearance import TextureTransform
from solidbody.render.materials import uv_rows

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine

Floats = NDArray[np.float64]
Color = tuple[float, float, float]
Key = tuple[int, int]


def stretch(rays: RayEngine, key: Key, position: Floats, axes: Floats, scale: Floats) -> None:
    """Put a ball of radius 1 elsewhere on its link, with other half axes; seen at the next `update`.

    Args:
        rays: The engine.
        key: Of the shape.
        position: Its centre, in the frame of the link [m].
        axes: (3, 3) its axes as columns, in the frame of the link.
        scale: Its half axes [m].
    """
    row = rays.first_rows[key]
    values = {"position": position, "rotation": axes, "scale": scale, "half": scale}
    for name, value in values.items():
        rays.placed[name][row : row + 1].assign(value.astype(np.float32)[None])


def move(rays: RayEngine, key: Key, poses: Floats) -> None:
    """Put the shapes of a device elsewhere on their link; seen at the next `update`.

    Args:
        rays: The engine.
        key: Of the shapes, one after the other.
        poses: (n, 7) of each of them, in the frame of the link.
    """
    first = rays.first_rows[key]
    last = first + len(poses)
    rays.placed["position"][first:last].assign(poses[:, :3].astype(np.float32))
    rays.placed["rotation"][first:last].assign(matrices(poses[:, 3:]).astype(np.float32))


def slide(rays: RayEngine, key: Key, shift: tuple[float, float]) -> None:
    """Move the texture on a shape with a look of its own, by shares of the picture from where it was."""
    look = rays.rows[rays.first_rows[key]].appearance
    own = TextureTransform() if look is None else look.texture_transform or TextureTransform()
    u, v = (a + b for a, b in zip(own.translation, shift, strict=True))
    rows = uv_rows(replace(own, translation=(u, v)))
    for number in rays.materials_of.get(key, ()):
        for name, values in zip(("u_row", "v_row"), rows, strict=True):
            part = getattr(rays.materials, name)[number : number + 1]
            part.assign(np.array([values], dtype=np.float32))


def paint(rays: RayEngine, key: Key, color: Color) -> None:
    """Change the colour of a shape with a look of its own."""
    for number in rays.materials_of.get(key, ()):
        for column in (rays.materials.base, rays.materials.ambient):
            column[number : number + 1].assign(rays.as_lit(color)[None])
