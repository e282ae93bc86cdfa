"""Shapes that devices stretch and colour while a simulation runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from solidbody.render.engine import RayEngine

Floats = NDArray[np.float64]
Color = tuple[float, float, float]


def stretch(rays: RayEngine, row: int, position: Floats, axes: Floats, scale: Floats) -> None:
    """Put a ball of radius 1 elsewhere on its link, with other half axes; seen at the next `update`.

    Args:
        rays: The engine.
        row: Of the shape.
        position: Its centre, in the frame of the link [m].
        axes: (3, 3) its axes as columns, in the frame of the link.
        scale: Its half axes [m].
    """
    values = {"position": position, "rotation": axes, "scale": scale, "half": scale}
    for name, value in values.items():
        rays.placed[name][row : row + 1].assign(value.astype(np.float32)[None])


def paint(rays: RayEngine, key: tuple[int, int], color: Color) -> None:
    """Change the colour of a shape with a look of its own."""
    for number in rays.materials_of.get(key, ()):
        rays.materials.base[number : number + 1].assign(np.array([color], dtype=np.float32))
