"""Warp kernels of the ray engine: casting rays, scanning, and rendering pictures.

Rays go through a tree of boxes around shapes; each shape is hit in its own frame, where a
primitive is a closed form and a mesh has a tree of its own. Numbers are 32-bit: a millionth of the distance.
"""

# Warp's decorators turn these functions into machine code; to a type checker they are opaque.
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.paint_lookup import Inks, ink_at
from solidbody.render.shading import (
    Lights,
    Surface,
    fogged,
    gloss,
    metallic,
    relief,
    shaded,
    to_light,
)
from solidbody.render.sky_rays import sky_color
from solidbody.render.texturing import Materials, textured
from solidbody.render.tracing import (
    DRAWN,
    LAYERS,
    Shapes,
    corner_blend,
    nearest,
    normal_at,
    per_depth,
    uv_at,
    uv_density,
)

# nothing here is differentiated: half the time to compile
wp.set_module_options({"enable_backward": False})

AGAIN = wp.constant(1.0e-4)
"""Share of the distance (and least distance [m]) after which a ray that went through a surface goes on."""


@wp.func
def turned(q: wp.vec4, v: wp.vec3) -> wp.vec3:
    """Rotate by a quaternion w x y z."""
    u = wp.vec3(q[1], q[2], q[3])
    twice = 2.0 * wp.cross(u, v)
    return v + q[0] * twice + wp.cross(u, twice)


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
    q = rotation[link[i]]
    own = own_rotation[i]
    x = turned(q, wp.vec3(own[0, 0], own[1, 0], own[2, 0]))
    y = turned(q, wp.vec3(own[0, 1], own[1, 1], own[2, 1]))
    z = turned(q, wp.vec3(own[0, 2], own[1, 2], own[2, 2]))
    o = position[link[i]] + turned(q, own_position[i])
    s = scale[i]
    inverse[i] = wp.mat33(
        x[0] / s[0], x[1] / s[0], x[2] / s[0],
        y[0] / s[1], y[1] / s[1], y[2] / s[1],
        z[0] / s[2], z[1] / s[2], z[2] / s[2],
    )  # fmt: skip
    origin[i] = o
    centre = o + x * middle[i][0] + y * middle[i][1] + z * middle[i][2]
    h = half[i]
    # a little room, so that flat boxes are boxes and rounding opens no gaps
    room = wp.vec3(
        wp.abs(x[0]) * h[0]
        + wp.abs(y[0]) * h[1]
        + wp.abs(z[0]) * h[2]
        + 1.0e-5
        + 1.0e-6 * wp.abs(centre[0]),
        wp.abs(x[1]) * h[0]
        + wp.abs(y[1]) * h[1]
        + wp.abs(z[1]) * h[2]
        + 1.0e-5
        + 1.0e-6 * wp.abs(centre[1]),
        wp.abs(x[2]) * h[0]
        + wp.abs(y[2]) * h[1]
        + wp.abs(z[2]) * h[2]
        + 1.0e-5
        + 1.0e-6 * wp.abs(centre[2]),
    )
    low[i] = centre - room
    high[i] = centre + room


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
    hit = nearest(shapes, materials, tree, o, d, 0.0, reach[i], mask, skips[i], both, opaque_only)
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
    hit = nearest(
        shapes,
        materials,
        tree,
        position,
        rotation * directions[i],
        near * share,
        far * share,
        DRAWN,
        -1,
        False,
        False,
    )
    shape[i] = hit.shape
    distance[i] = wp.inf
    if hit.shape >= 0:
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
    directions: wp.array(dtype=wp.vec3),
    clipping: int,
    near: float,
    far: float,
    shadows: bool,
    color: wp.array(dtype=wp.vec3),
    distance: wp.array(dtype=wp.float32),
    shape: wp.array(dtype=wp.int32),
):
    """Follow a bundle of rays from one place; distance and shape are those of the first surface."""
    i = wp.tid()
    d = rotation * directions[i]
    # the angle between this ray and the nearer of its neighbours in the bundle: what a pixel covers
    apart = float(1.0)
    if i > 0:
        apart = wp.length(directions[i] - directions[i - 1])
    if i + 1 < directions.shape[0]:
        apart = wp.min(apart, wp.length(directions[i + 1] - directions[i]))
    share = per_depth(directions[i], clipping)
    start = near * share
    through = float(1.0)
    total = wp.vec3(0.0, 0.0, 0.0)
    distance[i] = wp.inf
    shape[i] = -1
    for layer in range(LAYERS):
        hit = nearest(
            shapes, materials, tree, position, d, start, far * share, DRAWN, -1, False, False
        )
        if hit.shape < 0:
            break
        if layer == 0:
            distance[i] = hit.t
            shape[i] = hit.shape
        k = hit.shape
        m = shapes.material[k]
        n = normal_at(shapes, hit, position, d)
        if wp.dot(n, d) > 0.0:
            n = -n
        surface = Surface()
        surface.point = position + hit.t * d
        surface.flat = n
        surface.normal = n
        surface.open = 1.0
        roughness = materials.roughness[m]
        metalness = materials.metalness[m]
        alpha = materials.alpha[m]
        glow = materials.emissive[m]
        tint = wp.vec3(1.0, 1.0, 1.0)
        if materials.has_pictures[m] != 0:
            slant = wp.sqrt(wp.max(-wp.dot(n, d), 0.02))
            pixel = uv_density(shapes, hit, n) * (hit.t * apart / slant)
            uv = uv_at(shapes, hit, position, d)
            if materials.texture[m] >= 0:
                look = textured(materials, materials.texture[m], m, uv, pixel)
                tint = wp.vec3(look[0], look[1], look[2])
                if lights.has_tone_mapping != 0:
                    tint = to_light(tint)
                    if materials.is_classic[m] != 0:
                        glow = wp.cw_mul(glow, tint)
                alpha = alpha * look[3]
            if materials.glow_texture[m] >= 0:
                lamp = textured(materials, materials.glow_texture[m], m, uv, pixel)
                glow = wp.cw_mul(glow, wp.vec3(lamp[0], lamp[1], lamp[2]))
            if materials.roughness_texture[m] >= 0:
                roughness = textured(materials, materials.roughness_texture[m], m, uv, pixel)[0]
            if materials.metalness_texture[m] >= 0:
                metalness = textured(materials, materials.metalness_texture[m], m, uv, pixel)[0]
            if materials.occlusion_texture[m] >= 0:
                free = textured(materials, materials.occlusion_texture[m], m, uv, pixel)[0]
                surface.open = 1.0 - materials.occlusion_strength[m] * (1.0 - free)
            if materials.normal_texture[m] >= 0:
                surface.normal = relief(shapes, materials, hit, m, position, d, n, uv, pixel)
        if shapes.has_colors[k] != 0:
            first = shapes.corner[k] + 3 * hit.face
            own = corner_blend(shapes.corner_color, first, hit.u, hit.v)
            tint = wp.cw_mul(tint, own)
        surface.base = wp.cw_mul(materials.base[m], tint)
        surface.ambient = wp.cw_mul(materials.ambient[m], tint)
        if inks.start[k] >= 0:
            ink = ink_at(shapes, inks, hit, position, d)
            color_of_ink = wp.vec3(ink[0], ink[1], ink[2]) * ink[3]
            surface.base = surface.base * (1.0 - ink[3]) + color_of_ink
            surface.ambient = surface.ambient * (1.0 - ink[3]) + color_of_ink
        if materials.is_classic[m] != 0:
            surface.specular = materials.specular[m]
            surface.exponent = materials.exponent[m]
        elif lights.has_tone_mapping != 0:
            surface = metallic(surface, roughness, metalness)
        else:
            surface = gloss(surface, roughness, metalness)
        light = glow + shaded(shapes, materials, lights, tree, m, surface, d, shadows)
        total = total + fogged(lights, light, hit.t) * (through * alpha)
        through = through * (1.0 - alpha)
        if through < 0.004:
            through = 0.0
            break
        start = hit.t + wp.max(hit.t * AGAIN, AGAIN)
    if through > 0.0:
        behind = lights.fog_color
        if lights.fog_kind == 0:
            behind = sky_color(lights.sky, d)
        total = total + behind * through
    color[i] = total
