"""Shading: light of lamps and sky that a surface sends to the eye, with gloss, normal maps and fog."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.sky_rays import Sky
from solidbody.render.texturing import Materials, textured
from solidbody.render.tone_mapping import MIRROR_SIZE
from solidbody.render.tracing import (
    CASTS_SHADOWS,
    RayHit,
    RayWorld,
    Shapes,
    is_blocked,
    uv_gradients,
)

DIRECTIONAL = wp.constant(0)
POINT = wp.constant(1)
SPOT = wp.constant(2)


@wp.struct
class Lights:
    """Lamps and sky; `color` of lamps contains their `strength`.

    `has_tone_mapping` says how pictures are made (see `tone_mapping.py`, which fills `mirrored`).
    """

    count: wp.int32
    kind: wp.array(dtype=wp.int32)
    position: wp.array(dtype=wp.vec3)
    direction: wp.array(dtype=wp.vec3)
    color: wp.array(dtype=wp.vec3)
    attenuation: wp.array(dtype=wp.vec3)
    radius: wp.array(dtype=wp.float32)
    cone: wp.array(dtype=wp.vec3)
    strength: wp.array(dtype=wp.float32)
    casts_shadows: wp.array(dtype=wp.int32)
    ambient: wp.vec3
    sky_light: wp.vec3
    sky: Sky
    fog_color: wp.vec3
    fog_kind: wp.int32
    fog_range: wp.float32
    has_tone_mapping: wp.int32
    mirrored: wp.array(dtype=wp.vec2)


@wp.struct
class Surface:
    """A point of a surface: its colours, and how light falls on it.

    `flat` is the normal of the form, `normal` that of its relief; `ambient` the colour in light from all
    sides, of which the share `open` gets there.
    """

    point: wp.vec3
    flat: wp.vec3
    normal: wp.vec3
    base: wp.vec3
    ambient: wp.vec3
    specular: wp.vec3
    exponent: wp.float32
    roughness: wp.float32
    open: wp.float32


@wp.func
def relief(
    shapes: Shapes,
    materials: Materials,
    hit: RayHit,
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
def to_light(c: wp.vec3) -> wp.vec3:
    """See `tone_mapping.to_light`."""
    out = wp.vec3(0.0, 0.0, 0.0)
    for k in range(3):
        if c[k] < 0.04045:
            out[k] = c[k] / 12.92
        else:
            out[k] = wp.pow((c[k] + 0.055) / 1.055, 2.4)
    return out


@wp.func
def metallic(surface: Surface, roughness: float, metalness: float) -> Surface:
    """Share the colour of a surface between diffuse and mirrored light: 4 % for anything but metal."""
    plain = wp.vec3(0.04, 0.04, 0.04)
    surface.roughness = wp.clamp(roughness, 0.04, 1.0)
    metal = wp.clamp(metalness, 0.0, 1.0)
    surface.specular = plain + (surface.base - plain) * metal
    surface.base = surface.base * (0.96 * (1.0 - metal))
    return surface


@wp.func
def of_sky(lights: Lights, surface: Surface, d: wp.vec3) -> wp.vec3:
    """Return the light of an even sky that a surface throws back."""
    cosine = wp.clamp(-wp.dot(surface.normal, d) - 0.001, 0.0, 1.0)
    size = wp.static(MIRROR_SIZE)
    x = wp.clamp(cosine * float(size) - 0.5, 0.0, float(size) - 1.001)
    y = wp.clamp(surface.roughness * float(size) - 0.5, 0.0, float(size) - 1.001)
    column = int(wp.floor(x))
    row = int(wp.floor(y))
    fx = x - float(column)
    fy = y - float(row)
    at = row * size + column
    upper = lights.mirrored[at] * (1.0 - fx) + lights.mirrored[at + 1] * fx
    lower = lights.mirrored[at + size] * (1.0 - fx) + lights.mirrored[at + size + 1] * fx
    found = upper * (1.0 - fy) + lower * fy
    grazing = wp.vec3(found[1], found[1], found[1])
    return wp.cw_mul(surface.base + surface.specular * found[0] + grazing, lights.sky_light)


@wp.func
def of_lamp(surface: Surface, d: wp.vec3, to_light: wp.vec3, strength: float) -> wp.vec3:
    """Return what a surface throws back of a lamp, per light of it: Lambert's law and microfacets.

    Diffuse light is multiplied by the strength of the lamp once more, as Webots does.
    """
    n = surface.normal
    half_way = wp.normalize(to_light - d)
    nl = wp.clamp(wp.dot(n, to_light), 0.0001, 1.0)
    nv = wp.abs(wp.dot(n, d)) + 0.0001
    nh = wp.clamp(wp.dot(n, half_way), 0.0, 1.0)
    vh = wp.clamp(-wp.dot(d, half_way), 0.0, 1.0)
    s = surface.specular
    edge = wp.clamp(25.0 * wp.max(wp.max(s[0], s[1]), s[2]), 0.0, 1.0)
    away = 1.0 - vh
    away_2 = away * away
    fresnel = s + (wp.vec3(edge, edge, edge) - s) * (away_2 * away_2 * away)
    a = surface.roughness * surface.roughness
    aa = a * a
    open_light = 2.0 * nl / (nl + wp.sqrt(aa + (1.0 - aa) * nl * nl))
    open_eye = 2.0 * nv / (nv + wp.sqrt(aa + (1.0 - aa) * nv * nv))
    f = (nh * aa - nh) * nh + 1.0
    facets = aa / (3.14159265 * f * f)
    diffuse = wp.cw_mul(wp.vec3(1.0, 1.0, 1.0) - fresnel, surface.base) * (strength / 3.14159265)
    return (diffuse + fresnel * (open_light * open_eye * facets / (4.0 * nl * nv))) * nl


@wp.func
def shaded(
    shapes: Shapes,
    materials: Materials,
    lights: Lights,
    world: RayWorld,
    m: int,
    surface: Surface,
    d: wp.vec3,
    shadows: bool,
) -> wp.vec3:
    """Return the light of lamps and sky that leaves a surface towards the eye."""
    p = surface.point
    n = surface.normal
    by_facets = lights.has_tone_mapping != 0 and materials.is_classic[m] == 0
    out = wp.cw_mul(surface.ambient, lights.ambient)
    if by_facets:
        out = of_sky(lights, surface, d) * materials.sky_share[m]
    elif materials.is_classic[m] == 0:
        out = out + wp.cw_mul(surface.ambient, lights.sky_light)
    out = out * surface.open
    for k in range(lights.count):
        lamp = world.lamp + k
        to_light = -lights.direction[lamp]
        distance = float(1000.0)
        strength = float(1.0)
        if lights.kind[k] != DIRECTIONAL:
            offset = lights.position[lamp] - p
            distance = wp.length(offset)
            to_light = offset / wp.max(distance, 1.0e-9)
            a = lights.attenuation[k]
            fade = a[0] + a[1] * distance + a[2] * distance * distance
            if lights.has_tone_mapping == 0:
                fade = wp.max(fade, 1.0)
            strength = 1.0 / wp.max(fade, 1.0e-9)
            if distance > lights.radius[k]:
                strength = 0.0
            if lights.kind[k] == SPOT:
                angle = wp.acos(wp.clamp(-wp.dot(to_light, lights.direction[lamp]), -1.0, 1.0))
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
                    world,
                    p + surface.flat * lift,
                    to_light,
                    distance,
                    CASTS_SHADOWS,
                    -1,
                )
            if lit:
                glow = wp.vec3(0.0, 0.0, 0.0)
                if by_facets:
                    glow = of_lamp(surface, d, to_light, lights.strength[k])
                else:
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
    if lights.has_tone_mapping != 0:
        keep = 1.0 - wp.pow(1.0 - keep, 2.2)
    return color * keep + lights.fog_color * (1.0 - keep)
