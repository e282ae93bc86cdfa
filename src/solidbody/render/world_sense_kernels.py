"""Warp kernels of single sensors that see what is drawn, or lamps, in all worlds of a batch.

They are the twins of `devices/scalar/distance.py` up to look-up tables, noise and steps.
"""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false, reportAssignmentType=false

import warp as wp

from solidbody.render.shading import DIRECTIONAL, SPOT, Lights
from solidbody.render.texturing import Materials, wrapped
from solidbody.render.tracing import COLLIDES, DRAWN, Shapes, first_hit, nearest, uv_at
from solidbody.render.world_kernels import RayWorlds, world_of

wp.set_module_options({"enable_backward": False})


@wp.struct
class Redness:
    """How red and how rough shapes are for infra-red light (`infrared.py`)."""

    red: wp.array(dtype=wp.float32)
    roughness: wp.array(dtype=wp.float32)


@wp.struct
class LampTable:
    """What light sensors know of lamps beyond `Lights`; those that are off give nothing."""

    intensity: wp.array(dtype=wp.float64)
    ambient: wp.array(dtype=wp.float64)
    color: wp.array(dtype=wp.vec3d)
    attenuation: wp.array(dtype=wp.vec3d)
    radius: wp.array(dtype=wp.float64)
    cone: wp.array(dtype=wp.vec2d)


@wp.func
def red_texel(materials: Materials, m: int, uv: wp.vec2) -> float:
    """Return the red part of the texel at a place of a material with a texture: see `red_of_texture`."""
    at = wp.vec3(uv[0], uv[1], 1.0)
    number = materials.texture[m]
    size = materials.texture_size[number]
    x = wrapped(int(wp.floor(wp.dot(materials.u_row[m], at) * float(size[0]))), size[0], 1)
    y = wrapped(int(wp.floor((1.0 - wp.dot(materials.v_row[m], at)) * float(size[1]))), size[1], 1)
    return float(materials.texels[materials.texture_start[number] + y * size[0] + x][0]) / 255.0


@wp.kernel
def sense_infrared(
    shapes: Shapes,
    materials: Materials,
    worlds: RayWorlds,
    redness: Redness,
    position: wp.array2d(dtype=wp.vec3),
    rotation: wp.array2d(dtype=wp.mat33),
    eye: int,
    directions: wp.array(dtype=wp.vec3),
    weights: wp.array(dtype=wp.float64),
    reach: float,
    sensitivity: wp.float64,
    column: int,
    raw: wp.array2d(dtype=wp.float64),
):
    """Measure the mean distance of rays, farther for what throws back less: `column` of `raw`."""
    number = wp.tid()
    world = world_of(worlds, number)
    o = position[number, eye]
    mean = wp.float64(0.0)
    total = wp.float64(0.0)
    for i in range(directions.shape[0]):
        d = rotation[number, eye] * directions[i]
        hit = nearest(shapes, materials, world, o, d, 0.0, reach, DRAWN, -1, False, False)
        factor = wp.float64(1.0)
        if hit.shape >= 0:
            red = redness.red[hit.shape]
            m = shapes.material[hit.shape]
            if materials.texture[m] >= 0:
                red = red * red_texel(materials, m, uv_at(shapes, hit, o, d))
            rough = wp.float64(1.0) - wp.float64(0.5) * wp.float64(redness.roughness[hit.shape])
            factor = wp.float64(0.2) + wp.float64(0.8) * wp.float64(red) * rough
        mean = mean + weights[i] * wp.float64(hit.t)
        total = total + weights[i] * factor
    shifted = mean
    if total > wp.float64(0.0):
        shifted = mean / total
    raw[number, column] = mean + (shifted - mean) * sensitivity


@wp.kernel
def sense_light(
    shapes: Shapes,
    materials: Materials,
    worlds: RayWorlds,
    lights: Lights,
    lamps: LampTable,
    position: wp.array2d(dtype=wp.vec3),
    rotation: wp.array2d(dtype=wp.mat33),
    eye: int,
    color_filter: wp.vec3d,
    skip: int,
    sees_occlusion: bool,
    column: int,
    raw: wp.array2d(dtype=wp.float64),
):
    """Measure the light on a surface that faces +x: `column` of `raw`."""
    number = wp.tid()
    world = world_of(worlds, number)
    o = position[number, eye]
    turn = rotation[number, eye]
    normal = wp.vec3d(wp.float64(turn[0, 0]), wp.float64(turn[1, 0]), wp.float64(turn[2, 0]))
    zero = wp.float64(0.0)
    total = wp.vec3d(zero, zero, zero)
    for k in range(lights.count):
        lamp = world.lamp + k
        way = lights.direction[lamp]
        along = wp.vec3d(wp.float64(way[0]), wp.float64(way[1]), wp.float64(way[2]))
        to_light = -along
        distance = wp.float64(1000.0)
        weaker = wp.float64(1.0)
        beam = wp.float64(1.0)
        if lights.kind[k] != DIRECTIONAL:
            at = lights.position[lamp]
            offset = wp.vec3d(
                wp.float64(at[0]) - wp.float64(o[0]),
                wp.float64(at[1]) - wp.float64(o[1]),
                wp.float64(at[2]) - wp.float64(o[2]),
            )
            distance = wp.length(offset)
            to_light = offset / wp.max(distance, wp.float64(1.0e-9))
            a = lamps.attenuation[k]
            fade = a[0] + a[1] * distance + a[2] * distance * distance
            weaker = wp.float64(1.0) / wp.max(fade, wp.float64(1.0e-9))
            if distance > lamps.radius[k]:
                weaker = zero
            if lights.kind[k] == SPOT:
                cosine = wp.clamp(-wp.dot(to_light, along), wp.float64(-1.0), wp.float64(1.0))
                angle = wp.acos(cosine)
                cone = lamps.cone[k]
                if angle > cone[1]:
                    beam = zero
                elif angle > cone[0]:
                    beam = (cone[1] - angle) / (cone[1] - cone[0])
        direct = lamps.intensity[k] * wp.max(wp.dot(normal, to_light), zero) * beam
        if sees_occlusion and direct > zero:
            d = wp.vec3(wp.float32(to_light[0]), wp.float32(to_light[1]), wp.float32(to_light[2]))
            far = wp.float32(distance)
            hit = first_hit(
                shapes, materials, world, o, d, 0.0, far, COLLIDES, skip, True, False, True
            )
            if hit.shape >= 0:
                direct = zero
        total = total + weaker * (lamps.ambient[k] + direct) * lamps.color[k]
    raw[number, column] = wp.dot(color_filter, total) / wp.float64(3.0)
