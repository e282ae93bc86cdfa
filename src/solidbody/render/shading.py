"""Light that leaves a surface towards an eye: of lamps and the sky, by gloss and relief, through fog."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.sky_rays import Sky
from solidbody.render.texturing import Materials, textured
from solidbody.render.tracing import (
    CASTS_SHADOWS,
    Hit,
    Shapes,
    is_blocked,
    uv_gradients,
)

DIRECTIONAL = wp.constant(0)
POINT = wp.constant(1)
SPOT = wp.constant(2)


@wp.struct
class Lights:
    """Lamps and sky."""

    count: wp.int32
    kind: wp.array(dtype=wp.int32)
    position: wp.array(dtype=wp.vec3)
    direction: wp.array(dtype=wp.vec3)
    color: wp.array(dtype=wp.vec3)
    attenuation: wp.array(dtype=wp.vec3)
    radius: wp.array(dtype=wp.float32)
    cone: wp.array(dtype=wp.vec3)
    casts_shadows: wp.array(dtype=wp.int32)
    ambient: wp.vec3
    sky_light: wp.vec3
    sky: Sky
    fog_color: wp.vec3
    fog_kind: wp.int32
    fog_range: wp.float32


@wp.struct
class Surface:
    """A point of a surface: its colours, and how light falls on it.

    `flat` is the normal of the form, `normal` that of its relief; `open` the share of the ambient light that
    gets there.
    """

    point: wp.vec3
    flat: wp.vec3
    normal: wp.vec3
    base: wp.vec3
    specular: wp.vec3
    exponent: wp.float32
    open: wp.float32


@wp.func
def relief(
    shapes: Shapes,
    materials: Materials,
    hit: Hit,
    m: int,
    o: wp.vec3,
    d: wp.vec3,
    n: wp.vec3,
    uv: wp.vec2,
    pixel: wp.vec2,
) -> wp.vec3:
    """Return the normal that a normal map makes of `n`: red along the texture, green up, blue outwards."""
    texel = textured(materials, materials.normal_texture[m], m, uv, pixel)
    factor = materials.normal_factor[m]
    x = (2.0 * texel[0] - 1.0) * factor
    y = (2.0 * texel[1] - 1.0) * factor
    grown = uv_gradients(shapes, hit, o, d)
    u_row = materials.u_row[m]
    v_row = materials.v_row[m]
    along = grown.u * u_row[0] + grown.v * u_row[1]
    up = grown.u * v_row[0] + grown.v * v_row[1]
    longest = wp.sqrt(wp.max(wp.max(wp.dot(along, along), wp.dot(up, up)), 1.0e-20))
    out = (along * x + up * y) * (1.0 / longest) + n * (2.0 * texel[2] - 1.0)
    return wp.normalize(out)


@wp.func
def gloss(surface: Surface, roughness: float, metalness: float) -> Surface:
    """Let a surface shine by roughness and metalness."""
    shine = 1.0 - roughness
    # what a smooth surface mirrors of a lamp: 4 % for anything but metal
    mirrored = wp.vec3(0.04, 0.04, 0.04)
    surface.specular = (mirrored + (surface.base - mirrored) * metalness) * shine
    rough = wp.max(roughness, 0.05)
    surface.exponent = wp.clamp(2.0 / (rough * rough * rough * rough) - 2.0, 1.0, 500.0)
    return surface


@wp.func
def shaded(
    shapes: Shapes,
    materials: Materials,
    lights: Lights,
    tree: wp.uint64,
    m: int,
    surface: Surface,
    d: wp.vec3,
    shadows: bool,
) -> wp.vec3:
    """Return the light of lamps and sky that leaves a surface towards the eye."""
    p = surface.point
    n = surface.normal
    ambient = lights.ambient * materials.ambient[m]
    if materials.is_classic[m] == 0:
        ambient = lights.ambient + lights.sky_light
    out = wp.cw_mul(surface.base, ambient) * surface.open
    for k in range(lights.count):
        to_light = -lights.direction[k]
        distance = float(1000.0)
        strength = float(1.0)
        if lights.kind[k] != DIRECTIONAL:
            offset = lights.position[k] - p
            distance = wp.length(offset)
            to_light = offset / wp.max(distance, 1.0e-9)
            a = lights.attenuation[k]
            strength = 1.0 / wp.max(a[0] + a[1] * distance + a[2] * distance * distance, 1.0)
            if distance > lights.radius[k]:
                strength = 0.0
            if lights.kind[k] == SPOT:
                angle = wp.acos(wp.clamp(-wp.dot(to_light, lights.direction[k]), -1.0, 1.0))
                cone = lights.cone[k]
                if angle > cone[1]:
                    strength = 0.0
                elif angle > cone[0]:
                    strength = strength * wp.pow((cone[1] - angle) / (cone[1] - cone[0]), cone[2])
        facing = wp.dot(n, to_light)
        if facing > 0.0 and strength > 0.0:
            lit = True
            if shadows and lights.casts_shadows[k] != 0:
                lift = 1.0e-4 * (1.0 + wp.length(p))
                lit = not is_blocked(
                    shapes,
                    materials,
                    tree,
                    p + surface.flat * lift,
                    to_light,
                    distance,
                    CASTS_SHADOWS,
                    -1,
                )
            if lit:
                half_way = wp.normalize(to_light - d)
                shine = wp.pow(wp.max(wp.dot(n, half_way), 0.0), surface.exponent)
                glow = surface.base * facing + surface.specular * shine
                out = out + wp.cw_mul(glow, lights.color[k]) * strength
    return out


@wp.func
def fogged(lights: Lights, color: wp.vec3, t: float) -> wp.vec3:
    if lights.fog_kind == 0:
        return color
    x = t / lights.fog_range
    keep = wp.max(1.0 - x, 0.0)
    if lights.fog_kind == 2:
        keep = wp.exp(-x)
    elif lights.fog_kind == 3:
        keep = wp.exp(-x * x)
    return color * keep + lights.fog_color * (1.0 - keep)
