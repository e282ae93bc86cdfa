"""Computes ambient occlusion: surfaces are darker in corners, where nearby things keep light out."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from solidbody.render.device import compile_kernels
from solidbody.render.texturing import Materials
from solidbody.render.tracing import (
    DRAWN,
    RayWorld,
    Shapes,
    nearest,
    normal_at,
    only_world,
    per_depth,
)

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine

wp.set_module_options({"enable_backward": False})

AROUND = wp.constant(16)
"""Rays from each point: what they find counts by its distance, so that shades have no steps."""


@wp.func
def openness_along(
    shapes: Shapes,
    materials: Materials,
    world: RayWorld,
    position: wp.vec3,
    d: wp.vec3,
    near: float,
    far: float,
    radius: float,
) -> float:
    """Return how free the half space before the first surface of a ray is, 1 = nothing is within `radius`.

    Directions are spread by the cosine law, all with the same weight: seen from above they fill a disc as
    seeds fill a sunflower. Something at the distance t takes 1 - t/radius of a ray away.
    """
    hit = nearest(shapes, materials, world, position, d, near, far, DRAWN, -1, False, False)
    if hit.shape < 0:
        return 1.0
    n = normal_at(shapes, hit, position, d)
    if wp.dot(n, d) > 0.0:
        n = -n
    aside = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(n[0]) > 0.7:
        aside = wp.vec3(0.0, 1.0, 0.0)
    x = wp.normalize(wp.cross(aside, n))
    y = wp.cross(n, x)
    p = position + hit.t * d
    start = p + n * (1.0e-4 * (1.0 + wp.length(p)))
    shut = float(0.0)
    count = int(AROUND)  # a loop of a number that is known would be written out, all rays with it
    for k in range(count):
        part = (float(k) + 0.5) / float(AROUND)
        turn = 2.39996323 * float(k)  # the golden angle
        flat = wp.sqrt(part)
        away = (x * wp.cos(turn) + y * wp.sin(turn)) * flat + n * wp.sqrt(1.0 - part)
        found = nearest(shapes, materials, world, start, away, 0.0, radius, DRAWN, -1, True, True)
        if found.shape >= 0:
            shut = shut + 1.0 - found.t / radius
    return 1.0 - shut / float(AROUND)


@wp.kernel
def look_around(
    shapes: Shapes,
    materials: Materials,
    tree: wp.uint64,
    position: wp.vec3,
    rotation: wp.mat33,
    directions: wp.array(dtype=wp.vec3),
    clipping: int,
    near: float,
    far: float,
    radius: float,
    share: wp.array(dtype=wp.float32),
):
    """Follow a bundle from one place: how open is what each ray sees."""
    i = wp.tid()
    d = rotation * directions[i]
    at = per_depth(directions[i], clipping)
    share[i] = openness_along(
        shapes, materials, only_world(tree), position, d, near * at, far * at, radius
    )


def openness(
    rays: RayEngine,
    bundle: Any,
    position: NDArray[np.float64],
    rotation: NDArray[np.float64],
    *,
    clipping: int,
    near: float,
    far: float,
    radius: float,
) -> NDArray[np.float32]:
    """Return (n,): the share of all light that corners leave to what each ray of a bundle sees, 0..1."""
    n, device = bundle.shape[0], rays.device
    compile_kernels(__name__, device)
    share = wp.zeros(n, dtype=wp.float32, device=device)
    wp.launch(
        look_around,
        dim=n,
        inputs=[
            rays.shapes,
            rays.materials,
            rays.tree_id,
            wp.vec3(*position.tolist()),
            wp.mat33(*rotation.ravel().tolist()),
            bundle,
            clipping,
            near,
            far,
            radius,
            share,
        ],
        device=device,
    )
    return share.numpy()
