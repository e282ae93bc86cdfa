"""What an eye sees: colours, distances and shapes, with dark corners where it asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solidbody.render.engine import Floats, Ints, RayEngine, Singles
from solidbody.render.fans import FAR


def take_picture(
    rays: RayEngine,
    bundle: Any,
    place: tuple[Floats, Floats],
    *,
    near: float,
    far: float,
    corner_radius: float,
) -> tuple[Singles, Singles, Ints]:
    """Follow a bundle of rays: colours (n, 3), distances and shapes.

    Args:
        rays: What follows them.
        bundle: The rays.
        place: Where from, and the axes (columns) of the eye.
        near: Distance at which they begin [m].
        far: Distance at which they end [m].
        corner_radius: How far things are looked for that make corners dark [m]; 0 = not at all. As in Webots
            all light is less there, not the ambient light alone.
    """
    color, distance, shapes = rays.picture(bundle, *place, near=near, far=far)
    if corner_radius > 0.0:
        from solidbody.render.corner_rays import openness

        share: NDArray[np.float32] = openness(
            rays, bundle, *place, near=near, far=min(far, FAR), radius=corner_radius
        )
        color = color * share[:, None]
    return color, distance, shapes
