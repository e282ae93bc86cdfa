"""Warp kernels of the ray engine: casting rays, scanning, and rendering pictures.

Rays go through a tree of boxes around shapes; each shape is hit in its own frame, where a
primitive is a closed form and a mesh has a tree of its own. Numbers are 32-bit: a millionth of the distance.
"""

# Warp's decorators turn these functions into machine code; to a type checker they are opaque.
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.paint_lookup import Inks
from solidbody.render.picture_rays import apart_from_next, first_surface, glimpse
from solidbody.render.placing import placed, turned
from solidbody.render.shading import Lights
from solidbody.render.texturing import Materials
from solidbody.render.tracing import Shapes, nearest, normal_at, only_world, per_depth

# nothing here is differentiated: half the time to compile
wp.set_module_options({"enable_backward": False})


@wp.struct
class PictureRays:
    """Rays from one place and what they see; distance and shape are those of the first surface.

    In a struct, as Warp compiles kernels that read plain rows twice for the processor, with all they call.
    """

    directions: wp.array(dtype=wp.vec3)
    color: wp.array(dtype=wp.vec3)
    distance: wp.array(dtype=wp.float32)
    shape: wp.array(dtype=wp.int32)


@wp.kernel
def place(
    position: wp.array(dtype=wp.vec3),
    rotation: wp.array(dtype=wp.vec4),
    link: wp.array(dtype=wp.int32),
    own_position: wp.array(dtype=wp.vec3),
    own_rotation: wp.array(dtype=wp.mat33),
    scale: wp.array(dtype=wp.vec3),
    middle: wp.array(dtype=wp.vec3),
    half: wp.array(dtype=wp.vec3),
    inverse: wp.array(dtype=wp.mat33),
    origin: wp.array(dtype=wp.vec3),
    low: wp.array(dtype=wp.vec3),
    high: wp.array(dtype=wp.vec3),
):
    """Put shapes where their links are, and boxes around them."""
    i = wp.tid()
    found = placed(
        position[link[i]],
        rotation[link[i]],
        own_position[i],
        own_rotation[i],
        scale[i],
        middle[i],
        half[i],
    )
    inverse[i] = found.inverse
    origin[i] = found.origin
    low[i] = found.low
    high[i] = found.high


@wp.kernel
def cast(
    shapes: Shapes,
    materials: Materials,
    tree: wp.uint64,
    position: wp.array(dtype=wp.vec3),
    rotation: wp.array(dtype=wp.vec4),
    link: wp.array(dtype=wp.int32),
    origins: wp.array(dtype=wp.vec3),
    directions: wp.array(dtype=wp.vec3),
    reach: wp.array(dtype=wp.float32),
    skips: wp.array(dtype=wp.int32),
    mask: int,
    both: bool,
    opaque_only: bool,
    distance: wp.array(dtype=wp.float32),
    shape: wp.array(dtype=wp.int32),
    facing: wp.array(dtype=wp.float32),
    normal: wp.array(dtype=wp.vec3),
):
    """Follow single rays that start on links (-1 = in the world).

    `distance` is the reach where nothing is hit; `facing` the cosine between the surface and the ray;
    `normal` that of the surface in the world.
    """
    i = wp.tid()
    k = link[i]
    o = origins[i]
    d = directions[i]
    if k >= 0:
        q = rotation[k]
        o = position[k] + turned(q, o)
        d = turned(q, d)
    world = only_world(tree)
    hit = nearest(shapes, materials, world, o, d, 0.0, reach[i], mask, skips[i], both, opaque_only)
    distance[i] = hit.t
    shape[i] = hit.shape
    facing[i] = 0.0
    if hit.shape >= 0:
        normal[i] = normal_at(shapes, hit, o, d)
        facing[i] = -wp.dot(normal[i], d)


@wp.kernel
def scan(
    shapes: Shapes,
    materials: Materials,
    tree: wp.uint64,
    position: wp.vec3,
    rotation: wp.mat33,
    directions: wp.array(dtype=wp.vec3),
    clipping: int,
    near: float,
    far: float,
    distance: wp.array(dtype=wp.float32),
    shape: wp.array(dtype=wp.int32),
):
    """Follow a bundle of rays from one place, for depth images and lidars; inf where nothing is hit."""
    i = wp.tid()
    share = per_depth(directions[i], clipping)
    d = rotation * directions[i]
    hit = first_surface(shapes, materials, only_world(tree), position, d, near * share, far * share)
    shape[i] = hit.shape
    distance[i] = hit.t


@wp.kernel
def picture(
    shapes: Shapes,
    materials: Materials,
    inks: Inks,
    lights: Lights,
    tree: wp.uint64,
    position: wp.vec3,
    rotation: wp.mat33,
    clipping: int,
    near: float,
    far: float,
    shadows: bool,
    rays: PictureRays,
):
    """Follow a bundle of rays from one place through what is transparent."""
    i = wp.tid()
    share = per_depth(rays.directions[i], clipping)
    seen = glimpse(
        shapes,
        materials,
        inks,
        lights,
        only_world(tree),
        position,
        rotation * rays.directions[i],
        apart_from_next(rays.directions, i),
        near * share,
        far * share,
        shadows,
    )
    rays.color[i] = seen.color
    rays.distance[i] = seen.distance
    rays.shape[i] = seen.shape
