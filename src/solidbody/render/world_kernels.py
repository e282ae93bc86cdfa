"""Warp kernels that take pictures and measure distances in all worlds of a batch at once.

What stands still is there once, with one tree; of what moves each world has its own places, in a group of
another tree. Looks are the same in all worlds. Rays are those of `kernels.py`.
"""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false, reportAssignmentType=false

import warp as wp

from solidbody.render.ambient_occlusion import openness_along
from solidbody.render.paint_lookup import Inks
from solidbody.render.picture_rays import apart_from_next, first_surface, glimpse
from solidbody.render.placing import placed
from solidbody.render.shading import Lights
from solidbody.render.texturing import Materials
from solidbody.render.tone_mapping import GAMMA
from solidbody.render.tracing import RayWorld, Shapes, per_depth

wp.set_module_options({"enable_backward": False})


@wp.struct
class RayWorlds:
    """What the worlds have in common: see `RayWorld`. `moves` and `lamps`: rows of each of them."""

    tree: wp.uint64
    moving: wp.uint64
    roots: wp.array(dtype=wp.int32)
    first: wp.int32
    moves: wp.int32
    lamps: wp.int32


@wp.struct
class WorldLens:
    """What a sensor looks with. `number`: of its place among those of all; `inside`: which rays see anything.

    `scale`^2 rays make a pixel; `columns` and `rows` are those of the image.
    """

    number: wp.int32
    directions: wp.array(dtype=wp.vec3)
    inside: wp.array(dtype=wp.uint8)
    columns: wp.int32
    rows: wp.int32
    scale: wp.int32
    clipping: wp.int32
    near: wp.float32
    far: wp.float32


@wp.struct
class Meter:
    """What a depth image says of distances; `along`: depths per distance, none = distances count.

    `step`: of what is said, 0 = none; beyond `low` and `high` it says `lost`.
    """

    along: wp.array(dtype=wp.float64)
    step: wp.float64
    low: wp.float64
    high: wp.float64
    lost: wp.float64
    is_single: wp.int32


@wp.func
def world_of(worlds: RayWorlds, number: int) -> RayWorld:
    world = RayWorld()
    world.tree = worlds.tree
    world.moving = worlds.moving
    world.first = worlds.first
    world.shift = number * worlds.moves
    world.lamp = number * worlds.lamps
    if worlds.moving != wp.uint64(0):
        world.root = worlds.roots[number]
    return world


@wp.kernel
def find_roots(tree: wp.uint64, roots: wp.array(dtype=wp.int32)):
    """Look where the group of each world begins in a tree; that stays when boxes move."""
    world = wp.tid()
    roots[world] = wp.bvh_get_group_root(tree, world)


@wp.kernel
def place_moving(
    poses: wp.array3d(dtype=wp.float64),
    link: wp.array(dtype=wp.int32),
    own_position: wp.array(dtype=wp.vec3),
    own_rotation: wp.array(dtype=wp.mat33),
    scale: wp.array(dtype=wp.vec3),
    middle: wp.array(dtype=wp.vec3),
    half: wp.array(dtype=wp.vec3),
    first: int,
    inverse: wp.array(dtype=wp.mat33),
    origin: wp.array(dtype=wp.vec3),
    low: wp.array(dtype=wp.vec3),
    high: wp.array(dtype=wp.vec3),
):
    """Put what moves where it is in each world; `link`: column of its link in `poses`."""
    world, k = wp.tid()
    i = link[k]
    position = wp.vec3(
        wp.float32(poses[world, i, 0]),
        wp.float32(poses[world, i, 1]),
        wp.float32(poses[world, i, 2]),
    )
    q = wp.vec4(
        wp.float32(poses[world, i, 3]),
        wp.float32(poses[world, i, 4]),
        wp.float32(poses[world, i, 5]),
        wp.float32(poses[world, i, 6]),
    )
    found = placed(position, q, own_position[k], own_rotation[k], scale[k], middle[k], half[k])
    j = world * link.shape[0] + k
    inverse[first + j] = found.inverse
    origin[first + j] = found.origin
    low[j] = found.low
    high[j] = found.high


@wp.func
def turned_by(q: wp.vec4d, v: wp.vec3d) -> wp.vec3d:
    """Rotate by a quaternion w x y z."""
    u = wp.vec3d(q[1], q[2], q[3])
    twice = wp.float64(2.0) * wp.cross(u, v)
    return v + q[0] * twice + wp.cross(u, twice)


@wp.func
def product(a: wp.vec4d, b: wp.vec4d) -> wp.vec4d:
    """Return the product of quaternions w x y z."""
    u = wp.vec3d(a[1], a[2], a[3])
    v = wp.vec3d(b[1], b[2], b[3])
    w = a[0] * v + b[0] * u + wp.cross(u, v)
    return wp.vec4d(a[0] * b[0] - wp.dot(u, v), w[0], w[1], w[2])


@wp.func
def link_position(poses: wp.array3d(dtype=wp.float64), world: int, k: int) -> wp.vec3d:
    return wp.vec3d(poses[world, k, 0], poses[world, k, 1], poses[world, k, 2])


@wp.func
def link_rotation(poses: wp.array3d(dtype=wp.float64), world: int, k: int) -> wp.vec4d:
    return wp.vec4d(poses[world, k, 3], poses[world, k, 4], poses[world, k, 5], poses[world, k, 6])


@wp.kernel
def place_eyes(
    poses: wp.array3d(dtype=wp.float64),
    link: wp.array(dtype=wp.int32),
    own_position: wp.array(dtype=wp.vec3d),
    own_rotation: wp.array(dtype=wp.vec4d),
    optical: wp.array(dtype=wp.vec4d),
    position: wp.array2d(dtype=wp.vec3),
    rotation: wp.array2d(dtype=wp.mat33),
):
    """Put eyes where they are in each world; a `link` of -1: `own` is in the world."""
    world, k = wp.tid()
    at = own_position[k]
    q = own_rotation[k]
    i = link[k]
    if i >= 0:
        turn = link_rotation(poses, world, i)
        at = link_position(poses, world, i) + turned_by(turn, at)
        q = product(turn, q)
    q = product(q, optical[k])
    position[world, k] = wp.vec3(wp.float32(at[0]), wp.float32(at[1]), wp.float32(at[2]))
    one = wp.float64(1.0)
    two = wp.float64(2.0)
    w = q[0]
    x = q[1]
    y = q[2]
    z = q[3]
    rotation[world, k] = wp.mat33(
        wp.float32(one - two * (y * y + z * z)),
        wp.float32(two * (x * y - w * z)),
        wp.float32(two * (x * z + w * y)),
        wp.float32(two * (x * y + w * z)),
        wp.float32(one - two * (x * x + z * z)),
        wp.float32(two * (y * z - w * x)),
        wp.float32(two * (x * z - w * y)),
        wp.float32(two * (y * z + w * x)),
        wp.float32(one - two * (x * x + y * y)),
    )


@wp.kernel
def place_lamps(
    poses: wp.array3d(dtype=wp.float64),
    link: wp.array(dtype=wp.int32),
    own_position: wp.array(dtype=wp.vec3d),
    own_direction: wp.array(dtype=wp.vec3d),
    position: wp.array(dtype=wp.vec3),
    direction: wp.array(dtype=wp.vec3),
):
    """Put lamps where they are in each world; a `link` of -1: `own` is in the world."""
    world, k = wp.tid()
    at = own_position[k]
    way = own_direction[k]
    i = link[k]
    if i >= 0:
        turn = link_rotation(poses, world, i)
        at = link_position(poses, world, i) + turned_by(turn, at)
        way = turned_by(turn, way)
    j = world * link.shape[0] + k
    position[j] = wp.vec3(wp.float32(at[0]), wp.float32(at[1]), wp.float32(at[2]))
    direction[j] = wp.vec3(wp.float32(way[0]), wp.float32(way[1]), wp.float32(way[2]))


@wp.func
def shown(light: float, exposure: float, has_tone_mapping: int) -> float:
    """Return what a picture shows of light, rounded where `tone_mapping.tone_mapped` rounds."""
    if has_tone_mapping == 0:
        return light * exposure
    much = wp.max(light, 0.0) * exposure
    share = wp.float32(wp.float64(1.0) - wp.exp(-wp.float64(much)))
    power = wp.static(1.0 / GAMMA)
    return wp.float32(wp.pow(wp.float64(share), wp.float64(wp.float32(power))))


@wp.func
def to_byte(value: float) -> wp.uint8:
    return wp.uint8(wp.int32(wp.clamp(value, 0.0, 1.0) * 255.0 + 0.5))


@wp.kernel
def take_pictures(
    shapes: Shapes,
    materials: Materials,
    inks: Inks,
    lights: Lights,
    worlds: RayWorlds,
    active: wp.array2d(dtype=wp.int8),
    position: wp.array2d(dtype=wp.vec3),
    rotation: wp.array2d(dtype=wp.mat33),
    eye: WorldLens,
    exposure: float,
    corner_radius: float,
    item: int,
    image: wp.array4d(dtype=wp.vec3ub),
):
    """Take the picture of an eye in the worlds that are active: `item` of `image`."""
    number, pixel = wp.tid()
    if active[number, 0] == wp.int8(0):
        return
    world = world_of(worlds, number)
    o = position[number, eye.number]
    turn = rotation[number, eye.number]
    row = pixel / eye.columns
    column = pixel - row * eye.columns
    total = wp.vec3(0.0, 0.0, 0.0)
    for part in range(eye.scale * eye.scale):
        y = row * eye.scale + part / eye.scale
        x = column * eye.scale + part % eye.scale
        i = y * eye.columns * eye.scale + x
        light = wp.vec3(0.0, 0.0, 0.0)
        is_inside = bool(True)
        if eye.inside.shape[0] > 0:
            is_inside = eye.inside[i] != wp.uint8(0)
        if is_inside:
            d = turn * eye.directions[i]
            share = per_depth(eye.directions[i], eye.clipping)
            near = eye.near * share
            far = eye.far * share
            apart = apart_from_next(eye.directions, i)
            seen = glimpse(shapes, materials, inks, lights, world, o, d, apart, near, far, True)
            light = seen.color
            if corner_radius > 0.0:
                light = light * openness_along(
                    shapes, materials, world, o, d, near, far, corner_radius
                )
        tone = lights.has_tone_mapping
        total = total + wp.vec3(
            shown(light[0], exposure, tone),
            shown(light[1], exposure, tone),
            shown(light[2], exposure, tone),
        )
    total = total / float(eye.scale * eye.scale)
    image[number, item, row, column] = wp.vec3ub(
        to_byte(total[0]), to_byte(total[1]), to_byte(total[2])
    )


@wp.kernel
def measure_distances(
    shapes: Shapes,
    materials: Materials,
    worlds: RayWorlds,
    active: wp.array2d(dtype=wp.int8),
    position: wp.array2d(dtype=wp.vec3),
    rotation: wp.array2d(dtype=wp.mat33),
    eye: WorldLens,
    meter: Meter,
    item: int,
    image: wp.array4d(dtype=wp.float32),
):
    """Measure what an eye has before it in the worlds that are active: `item` of `image`."""
    number, i = wp.tid()
    if active[number, 0] == wp.int8(0):
        return
    world = world_of(worlds, number)
    d = rotation[number, eye.number] * eye.directions[i]
    share = per_depth(eye.directions[i], eye.clipping)
    o = position[number, eye.number]
    hit = first_surface(shapes, materials, world, o, d, eye.near * share, eye.far * share)
    value = wp.float64(hit.t)
    if meter.along.shape[0] > 0:
        value = value * meter.along[i]
    if meter.is_single != 0:
        value = wp.float64(wp.float32(value))
    if meter.step > wp.float64(0.0):
        value = meter.step * wp.floor(value / meter.step + wp.float64(0.5))
    if value < meter.low or value > meter.high:
        value = meter.lost
    row = i / eye.columns
    image[number, item, row, i - row * eye.columns] = wp.float32(value)
