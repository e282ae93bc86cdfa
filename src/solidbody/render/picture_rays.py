"""What single rays of an eye see: the first surface, or the light of all of them (Warp functions)."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import inspect

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
    RayHit,
    RayWorld,
    Shapes,
    corner_blend,
    nearest,
    normal_at,
    uv_at,
    uv_density,
)

INLINE = {"inline": True} if "inline" in inspect.signature(wp.func).parameters else {}
"""For `wp.func`. Warp passes structs by value: a call would copy 3 kB for each ray, a tenth of its time."""

AGAIN = wp.constant(1.0e-4)
"""Share of the distance (and least distance [m]) after which a ray that went through a surface goes on."""


@wp.struct
class Glimpse:
    """Light that comes along a ray, and the first surface: its distance (inf = there is none) and shape."""

    color: wp.vec3
    distance: wp.float32
    shape: wp.int32


@wp.struct
class SurfaceFinish:
    """How a point of a surface looks: how light falls on it, what it gives off, how much it hides."""

    surface: Surface
    glow: wp.vec3
    alpha: wp.float32


@wp.func
def apart_from_next(directions: wp.array(dtype=wp.vec3), i: int) -> float:
    """Return the angle between a ray and the nearer of its neighbours in a bundle: what a pixel covers."""
    apart = float(1.0)
    if i > 0:
        apart = wp.length(directions[i] - directions[i - 1])
    if i + 1 < directions.shape[0]:
        apart = wp.min(apart, wp.length(directions[i + 1] - directions[i]))
    return apart


@wp.func
def first_surface(
    shapes: Shapes,
    materials: Materials,
    world: RayWorld,
    position: wp.vec3,
    d: wp.vec3,
    near: float,
    far: float,
) -> RayHit:
    """Return the first surface that is drawn, at the distance inf where there is none."""
    hit = nearest(shapes, materials, world, position, d, near, far, DRAWN, -1, False, False)
    if hit.shape < 0:
        hit.t = wp.inf
    return hit


@wp.func(**INLINE)
def finish_at(
    shapes: Shapes,
    materials: Materials,
    inks: Inks,
    lights: Lights,
    hit: RayHit,
    position: wp.vec3,
    d: wp.vec3,
    apart: float,
) -> SurfaceFinish:
    """Return how a surface looks where a ray has hit it; `apart`: see `apart_from_next`."""
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
    out = SurfaceFinish()
    out.surface = surface
    out.glow = glow
    out.alpha = alpha
    return out


@wp.func(**INLINE)
def glimpse(
    shapes: Shapes,
    materials: Materials,
    inks: Inks,
    lights: Lights,
    world: RayWorld,
    position: wp.vec3,
    d: wp.vec3,
    apart: float,
    near: float,
    far: float,
    shadows: bool,
) -> Glimpse:
    """Follow a ray from an eye through what is transparent; `apart`: see `apart_from_next`."""
    start = near
    through = float(1.0)
    total = wp.vec3(0.0, 0.0, 0.0)
    seen = Glimpse()
    seen.distance = wp.inf
    seen.shape = -1
    for layer in range(LAYERS):
        hit = nearest(shapes, materials, world, position, d, start, far, DRAWN, -1, False, False)
        if hit.shape < 0:
            break
        if layer == 0:
            seen.distance = hit.t
            seen.shape = hit.shape
        m = shapes.material[hit.shape]
        look = finish_at(shapes, materials, inks, lights, hit, position, d, apart)
        alpha = look.alpha
        light = look.glow + shaded(shapes, materials, lights, world, m, look.surface, d, shadows)
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
    seen.color = total
    return seen
