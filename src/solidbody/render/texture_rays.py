"""Rays that return the texture coordinates of a hit, as pens need them."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import warp as wp
from numpy.typing import NDArray

from solidbody.render.device import compile_kernels, upload
from solidbody.render.paint_lookup import paint_at
from solidbody.render.texturing import Materials
from solidbody.render.tracing import DRAWN, Shapes, nearest, only_world, uv_at

if TYPE_CHECKING:
    from solidbody.render.ray_engine import RayEngine

wp.set_module_options({"enable_backward": False})


@wp.kernel
def find_texels(
    shapes: Shapes,
    materials: Materials,
    tree: wp.uint64,
    origins: wp.array(dtype=wp.vec3),
    directions: wp.array(dtype=wp.vec3),
    reach: float,
    skip: int,
    shape: wp.array(dtype=wp.int32),
    at: wp.array(dtype=wp.vec2),
    on_paint: wp.array(dtype=wp.vec2),
):
    """Follow single rays in the world: the shape that is hit (-1 = none), places on texture and paint."""
    i = wp.tid()
    o = origins[i]
    d = directions[i]
    world = only_world(tree)
    hit = nearest(shapes, materials, world, o, d, 0.0, reach, DRAWN, skip, False, False)
    shape[i] = hit.shape
    if hit.shape >= 0:
        uv = uv_at(shapes, hit, o, d)
        m = shapes.material[hit.shape]
        place = wp.vec3(uv[0], uv[1], 1.0)
        at[i] = wp.vec2(wp.dot(materials.u_row[m], place), wp.dot(materials.v_row[m], place))
        on_paint[i] = paint_at(shapes, hit, o, d)


def texels_under(
    rays: RayEngine,
    origins: NDArray[np.float64],
    directions: NDArray[np.float64],
    *,
    reach: float,
    skip: int,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Return the rows of the shapes that rays hit (-1 = none), places (n, 2) on texture and paint."""
    n, device = len(origins), rays.device
    compile_kernels(__name__, device)
    shape = wp.full(n, -1, dtype=wp.int32, device=device)
    at, on_paint = (wp.zeros(n, dtype=wp.vec2, device=device) for _ in range(2))
    wp.launch(
        find_texels,
        dim=n,
        inputs=[
            rays.shapes,
            rays.materials,
            rays.tree_id,
            upload(origins.astype(np.float32), device),
            upload(directions.astype(np.float32), device),
            reach,
            skip,
            shape,
            at,
            on_paint,
        ],
        device=device,
    )
    return shape.numpy(), at.numpy(), on_paint.numpy()
