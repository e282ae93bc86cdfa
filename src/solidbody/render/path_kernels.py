"""Warp kernels of path tracing: one path of light per pixel and pass, and smoothing of the noise."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.paint_lookup import Inks
from solidbody.render.picture_rays import AGAIN, finish_at
from solidbody.render.shading import DIRECTIONAL, SPOT, Lights, Surface, fogged, of_lamp
from solidbody.render.sky_rays import sky_color
from solidbody.render.texturing import Materials
from solidbody.render.tracing import (
    CASTS_SHADOWS,
    DRAWN,
    RayWorld,
    Shapes,
    is_blocked,
    nearest,
    only_world,
    per_depth,
)

wp.set_module_options({"enable_backward": False})

BRIGHTEST = wp.constant(5.0)
"""Most light that one path brings after its first surface: rare bright ones would stay as white dots."""

LAYERS = wp.constant(24)
"""Most surfaces of a path, with those that it goes through."""


@wp.struct
class Daylight:
    """The light of the sky and how soft shadows are.

    The sky goes from `horizon` to `zenith` and `ground` unless it has pictures. As a light it is `gain` times
    as bright, and `least` at least. Lamps shine `share` times as bright as files say, over angles up to `sun`
    [rad], or from discs of the radius `bulb` [m].
    """

    up: wp.vec3
    zenith: wp.vec3
    horizon: wp.vec3
    ground: wp.vec3
    gain: wp.float32
    least: wp.float32
    share: wp.float32
    sun: wp.float32
    bulb: wp.float32


@wp.func
def luminance(c: wp.vec3) -> float:
    """Return how bright light looks."""
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]


@wp.func
def sky_seen(lights: Lights, day: Daylight, d: wp.vec3) -> wp.vec3:
    """Return what is seen of the sky: as on the page (`web/src/sky.ts`)."""
    if lights.sky.has_pictures != 0:
        return sky_color(lights.sky, d)
    height = wp.dot(d, day.up)
    if height > 0.0:
        part = wp.pow(height, 0.55)
        return day.horizon * (1.0 - part) + day.zenith * part
    part = wp.smoothstep(0.0, 0.35, -height)
    return day.horizon * (1.0 - part) + day.ground * part


@wp.func
def sky_light(lights: Lights, day: Daylight, d: wp.vec3) -> wp.vec3:
    """Return the light of the sky: half of its colour is lost in white, and little comes from below."""
    seen = sky_seen(lights, day, d)
    gray = luminance(seen)
    light = (seen + wp.vec3(gray, gray, gray)) * (0.5 * day.gain)
    light = light + wp.vec3(day.least, day.least, day.least)
    return light * (0.35 + 0.65 * wp.smoothstep(-0.1, 0.1, wp.dot(d, day.up)))


@wp.func
def aside_of(n: wp.vec3) -> wp.vec3:
    """Return a unit vector across another one."""
    aside = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(n[0]) > 0.7:
        aside = wp.vec3(0.0, 1.0, 0.0)
    return wp.normalize(wp.cross(aside, n))


@wp.func
def from_lamps(
    shapes: Shapes,
    materials: Materials,
    lights: Lights,
    day: Daylight,
    world: RayWorld,
    surface: Surface,
    d: wp.vec3,
    stream: wp.uint32,
) -> wp.vec3:
    """Return the light of one lamp that a surface throws back, in the place of all.

    Which one is drawn by what each would give without shadows; then one ray goes to a point of it.
    """
    state = stream
    p = surface.point
    n = surface.normal
    chosen = int(-1)
    sum = float(0.0)
    weight = float(0.0)
    light = wp.vec3(0.0, 0.0, 0.0)
    for k in range(lights.count):
        to_light = -lights.direction[k]
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
        if strength > 0.0 and wp.dot(n, to_light) > 0.0:
            thrown = of_lamp(surface, d, to_light, 1.0)
            thrown = wp.cw_mul(thrown, lights.color[k]) * (strength * day.share)
            part = luminance(thrown)
            if part > 0.0:
                sum = sum + part
                if wp.randf(state) * sum < part:
                    chosen = k
                    weight = part
                    light = thrown
    if chosen < 0:
        return light
    to_light = -lights.direction[chosen]
    distance = float(1.0e6)
    inside = wp.sqrt(wp.randf(state))
    turn = 6.2831853 * wp.randf(state)
    if lights.kind[chosen] == DIRECTIONAL:
        x = aside_of(to_light)
        y = wp.cross(to_light, x)
        spread = (x * wp.cos(turn) + y * wp.sin(turn)) * (inside * day.sun)
        to_light = wp.normalize(to_light + spread)
    else:
        offset = lights.position[chosen] - p
        away = wp.length(offset)
        x = aside_of(offset / wp.max(away, 1.0e-9))
        y = wp.cross(offset / wp.max(away, 1.0e-9), x)
        bulb = wp.min(day.bulb, 0.25 * away)
        offset = offset + (x * wp.cos(turn) + y * wp.sin(turn)) * (inside * bulb)
        distance = wp.length(offset)
        to_light = offset / wp.max(distance, 1.0e-9)
    lift = 1.0e-4 * (1.0 + wp.length(p))
    start = p + surface.flat * lift
    if wp.dot(surface.flat, to_light) <= 0.0 or is_blocked(
        shapes, materials, world, start, to_light, distance, CASTS_SHADOWS, -1
    ):
        return wp.vec3(0.0, 0.0, 0.0)
    return light * (sum / weight)


@wp.func
def facet(view: wp.vec3, alpha: float, u: float, v: float) -> wp.vec3:
    """Return a normal of microfacets that an eye in the direction `view` sees; z goes along the normal.

    By Heitz (2018), Sampling the GGX distribution of visible normals.
    """
    stretched = wp.normalize(wp.vec3(alpha * view[0], alpha * view[1], view[2]))
    flat = stretched[0] * stretched[0] + stretched[1] * stretched[1]
    x = wp.vec3(1.0, 0.0, 0.0)
    if flat > 1.0e-12:
        x = wp.vec3(-stretched[1], stretched[0], 0.0) / wp.sqrt(flat)
    y = wp.cross(stretched, x)
    r = wp.sqrt(u)
    phi = 6.2831853 * v
    a = r * wp.cos(phi)
    half = 0.5 * (1.0 + stretched[2])
    b = (1.0 - half) * wp.sqrt(wp.max(1.0 - a * a, 0.0)) + half * r * wp.sin(phi)
    c = wp.sqrt(wp.max(1.0 - a * a - b * b, 0.0))
    n = x * a + y * b + stretched * c
    return wp.normalize(wp.vec3(alpha * n[0], alpha * n[1], wp.max(n[2], 1.0e-6)))


@wp.kernel
def follow_paths(
    shapes: Shapes,
    materials: Materials,
    inks: Inks,
    lights: Lights,
    day: Daylight,
    tree: wp.uint64,
    position: wp.vec3,
    rotation: wp.mat33,
    slope: wp.vec2,
    width: int,
    height: int,
    first: int,
    seed: int,
    bounces: int,
    near: float,
    far: float,
    light: wp.array(dtype=wp.vec3),
    square: wp.array(dtype=wp.float32),
    albedo: wp.array(dtype=wp.vec3),
    normal: wp.array(dtype=wp.vec3),
    depth: wp.array(dtype=wp.float32),
    seen: wp.array(dtype=wp.float32),
):
    """Follow one path of light back from each pixel; adds to the sums of light and of what is seen first.

    `slope` is half of the picture's width and height at the distance 1.
    """
    i = first + wp.tid()
    world = only_world(tree)
    state = wp.rand_init(seed, i)
    u = (float(i % width) + wp.randf(state)) / float(width)
    v = (float(i / width) + wp.randf(state)) / float(height)
    own = wp.vec3(1.0, (1.0 - 2.0 * u) * slope[0], (1.0 - 2.0 * v) * slope[1])
    own = wp.normalize(own)
    deep = per_depth(own, 1)
    d = rotation * own
    o = position
    start = near * deep
    end = far * deep
    apart = 2.0 * slope[0] / float(width)
    through = wp.vec3(1.0, 1.0, 1.0)
    total = wp.vec3(0.0, 0.0, 0.0)
    away = float(1.0e6)
    bounce = int(0)
    noted = int(0)
    layers = int(LAYERS)
    for _ in range(layers):
        hit = nearest(shapes, materials, world, o, d, start, end, DRAWN, -1, bounce > 0, False)
        if hit.shape < 0:
            found = sky_seen(lights, day, d)
            if bounce > 0:
                found = sky_light(lights, day, d)
            total = total + wp.cw_mul(through, found)
            break
        look = finish_at(shapes, materials, inks, lights, hit, o, d, apart)
        if bounce == 0 and noted == 0 and look.alpha >= 0.5:  # what is clear hides nothing
            noted = 1
            normal[i] = normal[i] + look.surface.normal
            albedo[i] = albedo[i] + look.surface.base + look.surface.specular
            depth[i] = depth[i] + hit.t / deep
            seen[i] = seen[i] + 1.0
        if wp.randf(state) >= look.alpha:
            start = hit.t + wp.max(hit.t * AGAIN, AGAIN)
            continue
        surface = look.surface
        m = shapes.material[hit.shape]
        if materials.is_classic[m] != 0:
            surface.roughness = wp.clamp(wp.pow(2.0 / (surface.exponent + 2.0), 0.25), 0.1, 1.0)
            for c in range(3):
                surface.specular[c] = wp.min(surface.specular[c], 0.5)
        if wp.dot(surface.normal, d) > -0.01:  # relief that looks away
            surface.normal = surface.flat
        n = surface.normal
        if bounce == 0:
            away = hit.t
        stream = wp.rand_init(seed + 7919 * (bounce + 1), i)
        here = look.glow + from_lamps(shapes, materials, lights, day, world, surface, d, stream)
        if bounce > 0:
            bright = luminance(here) * luminance(through)
            here = here * wp.min(1.0, BRIGHTEST / wp.max(bright, 1.0e-9))
        total = total + wp.cw_mul(through, here)
        if bounce >= bounces:
            break
        nv = wp.clamp(-wp.dot(n, d), 1.0e-4, 1.0)
        s = surface.specular
        edge = wp.clamp(25.0 * wp.max(wp.max(s[0], s[1]), s[2]), 0.0, 1.0)
        fresnel = s + (wp.vec3(edge, edge, edge) - s) * wp.pow(1.0 - nv, 5.0)
        # rough surfaces mirror less at their edges than smooth ones
        fresnel = s + (fresnel - s) * (1.0 - surface.roughness)
        mirrors = luminance(fresnel)
        shine = mirrors / wp.max(mirrors + luminance(surface.base), 1.0e-6)
        if shine > 0.0:
            shine = wp.clamp(shine, 0.1, 0.95)
        x = aside_of(n)
        y = wp.cross(n, x)
        if wp.randf(state) < shine:
            view = wp.vec3(-wp.dot(d, x), -wp.dot(d, y), nv)
            alpha = surface.roughness * surface.roughness
            h = facet(view, alpha, wp.randf(state), wp.randf(state))
            h_world = x * h[0] + y * h[1] + n * h[2]
            out = d - h_world * (2.0 * wp.dot(d, h_world))
            nl = wp.dot(n, out)
            if nl <= 0.0:
                break
            vh = wp.clamp(-wp.dot(d, h_world), 0.0, 1.0)
            mirrored = s + (wp.vec3(edge, edge, edge) - s) * wp.pow(1.0 - vh, 5.0)
            aa = alpha * alpha
            open = 2.0 * nl / (nl + wp.sqrt(aa + (1.0 - aa) * nl * nl))
            through = wp.cw_mul(through, mirrored) * (open / shine)
            d = wp.normalize(out)
        else:
            part = wp.randf(state)
            turn = 6.2831853 * wp.randf(state)
            flat = wp.sqrt(part)
            out = (x * wp.cos(turn) + y * wp.sin(turn)) * flat + n * wp.sqrt(1.0 - part)
            left = wp.vec3(1.0, 1.0, 1.0) - fresnel
            through = wp.cw_mul(through, wp.cw_mul(surface.base, left)) / (1.0 - shine)
            d = wp.normalize(out)
        if wp.dot(d, surface.flat) <= 0.0:
            break
        if bounce >= 2:  # dim paths end early, and the others count for them
            keep = wp.clamp(wp.max(through[0], wp.max(through[1], through[2])), 0.05, 1.0)
            if wp.randf(state) > keep:
                break
            through = through / keep
        o = surface.point + surface.flat * (1.0e-4 * (1.0 + wp.length(surface.point)))
        start = 0.0
        end = 1.0e6
        apart = 0.01  # what is mirrored need not be sharp
        bounce = bounce + 1
    if away < 1.0e6:
        total = fogged(lights, total, away)
    light[i] = light[i] + total
    gray = luminance(total)
    square[i] = square[i] + gray * gray


@wp.func
def weight_of_normals(a: wp.vec3, b: wp.vec3) -> float:
    """Return how much two pixels belong to one surface, by its normals."""
    return wp.pow(wp.clamp(wp.dot(a, b), 0.0, 1.0), 64.0)


@wp.kernel
def smooth(
    width: int,
    height: int,
    step: int,
    light: wp.array(dtype=wp.vec3),
    variance: wp.array(dtype=wp.float32),
    normal: wp.array(dtype=wp.vec3),
    depth: wp.array(dtype=wp.float32),
    slant: wp.array(dtype=wp.float32),
    light_out: wp.array(dtype=wp.vec3),
    variance_out: wp.array(dtype=wp.float32),
):
    """Mix each pixel with others of the same surface whose light differs by no more than noise would.

    A wavelet step of Dammertz and others (2010) with the variances of Schied and others (2017): 5 x 5 pixels
    with `step` - 1 left out in between.
    """
    i = wp.tid()
    if depth[i] <= 0.0:
        light_out[i] = light[i]
        variance_out[i] = variance[i]
        return
    x = i % width
    y = i / width
    around = float(0.0)
    count = float(0.0)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if x + dx >= 0 and x + dx < width and y + dy >= 0 and y + dy < height:
                around = around + variance[(y + dy) * width + x + dx]
                count = count + 1.0
    noise = 3.0 * wp.sqrt(wp.max(around / count, 0.0)) + 1.0e-4
    mine = luminance(light[i])
    sum = light[i]
    sum_variance = variance[i]
    weights = float(1.0)
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            cx = x + dx * step
            cy = y + dy * step
            if (dx != 0 or dy != 0) and cx >= 0 and cx < width and cy >= 0 and cy < height:
                j = cy * width + cx
                if depth[j] > 0.0:
                    far = float(wp.abs(dx) + wp.abs(dy)) * float(step)
                    weight = wp.exp(-wp.abs(depth[j] - depth[i]) / (slant[i] * far + 1.0e-4))
                    weight = weight * weight_of_normals(normal[i], normal[j])
                    weight = weight * wp.exp(-wp.abs(luminance(light[j]) - mine) / noise)
                    kernel = wp.exp(-0.35 * float(dx * dx + dy * dy))
                    weight = weight * kernel
                    sum = sum + light[j] * weight
                    sum_variance = sum_variance + variance[j] * weight * weight
                    weights = weights + weight
    light_out[i] = sum / weights
    variance_out[i] = sum_variance / (weights * weights)
