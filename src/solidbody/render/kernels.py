"""Warp kernels: one way to follow a ray, for every sensor that looks.

Rays go through a tree of boxes around shapes; each shape is hit in its own frame, where a
primitive is a closed form and a mesh has a tree of its own. Numbers are 32-bit: a millionth of the distance.
"""

# Warp's decorators turn these functions into machine code; to a type checker they are opaque.
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.hits import (
    NOTHING,
    hit_box,
    hit_capsule,
    hit_cone,
    hit_cylinder,
    hit_plane,
    hit_sphere,
)
from solidbody.render.sky_rays import Sky, sky_color
from solidbody.render.texturing import Materials, textured

# nothing here is differentiated: half the time to compile
wp.set_module_options({"enable_backward": False})

SPHERE = wp.constant(0)
BOX = wp.constant(1)
CYLINDER = wp.constant(2)
CAPSULE = wp.constant(3)
CONE = wp.constant(4)
PLANE = wp.constant(5)
MESH = wp.constant(6)

DRAWN = wp.constant(1)
COLLIDES = wp.constant(2)
TWO_SIDED = wp.constant(4)
CASTS_SHADOWS = wp.constant(64)

DIRECTIONAL = wp.constant(0)
POINT = wp.constant(1)
SPOT = wp.constant(2)

LAYERS = wp.constant(8)
"""Most transparent surfaces that a ray goes through."""

AGAIN = wp.constant(1.0e-4)
"""Share of the distance (and least distance [m]) after which a ray that went through a surface goes on."""


@wp.struct
class Shapes:
    """Everything that rays can hit."""

    kind: wp.array(dtype=wp.int32)
    inverse: wp.array(dtype=wp.mat33)
    origin: wp.array(dtype=wp.vec3)
    size: wp.array(dtype=wp.vec3)
    flags: wp.array(dtype=wp.int32)
    mesh: wp.array(dtype=wp.uint64)
    group: wp.array(dtype=wp.int32)
    material: wp.array(dtype=wp.int32)
    corner: wp.array(dtype=wp.int32)
    corner_normal: wp.array(dtype=wp.vec3)
    corner_uv: wp.array(dtype=wp.vec2)
    corner_color: wp.array(dtype=wp.vec3)
    has_normals: wp.array(dtype=wp.int32)
    has_uv: wp.array(dtype=wp.int32)
    has_colors: wp.array(dtype=wp.int32)


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
class Hit:
    """The nearest surface; `shape` is -1 if there is none."""

    t: wp.float32
    shape: wp.int32
    face: wp.int32
    u: wp.float32
    v: wp.float32
    sign: wp.float32


@wp.func
def nearest(
    shapes: Shapes,
    materials: Materials,
    tree: wp.uint64,
    o: wp.vec3,
    d: wp.vec3,
    near: float,
    far: float,
    mask: int,
    skip: int,
    both: bool,
    opaque_only: bool,
) -> Hit:
    """Return the nearest hit of shapes with a flag of `mask` that are not of the group `skip`."""
    hit = Hit()
    hit.shape = -1
    hit.t = far
    query = wp.bvh_query_ray(tree, o, d)
    k = int(0)
    while wp.bvh_query_next(query, k, hit.t):
        flags = shapes.flags[k]
        if (flags & mask) == 0 or (skip >= 0 and shapes.group[k] == skip):
            continue
        if opaque_only and materials.alpha[shapes.material[k]] < 1.0:
            continue
        kind = shapes.kind[k]
        a = shapes.inverse[k] * (o - shapes.origin[k])
        b = shapes.inverse[k] * d
        size = shapes.size[k]
        sides = both or (flags & TWO_SIDED) != 0
        t = float(NOTHING)
        if kind == BOX:
            t = hit_box(size, a, b, near, sides)
        elif kind == SPHERE:
            t = hit_sphere(size[0], a, b, near, sides)
        elif kind == CYLINDER:
            t = hit_cylinder(size, flags, a, b, near, sides)
        elif kind == PLANE:
            t = hit_plane(size, flags, a, b, near, sides)
        elif kind == CAPSULE:
            t = hit_capsule(size, a, b, near, sides)
        elif kind == CONE:
            t = hit_cone(size, flags, a, b, near, sides)
        else:
            start = near
            for _ in range(LAYERS):
                found = wp.mesh_query_ray(shapes.mesh[k], a + start * b, b, hit.t - start)
                if not found.result:
                    break
                if found.sign > 0.0 or sides:
                    hit.face = found.face
                    hit.u = found.u
                    hit.v = found.v
                    hit.sign = found.sign
                    t = start + found.t
                    break
                start = start + found.t + wp.max(found.t * 1.0e-5, 1.0e-6)
        if t > near and t < hit.t:
            hit.t = t
            hit.shape = k
    return hit


@wp.func
def is_blocked(
    shapes: Shapes,
    materials: Materials,
    tree: wp.uint64,
    o: wp.vec3,
    d: wp.vec3,
    far: float,
    mask: int,
    skip: int,
) -> bool:
    hit = nearest(shapes, materials, tree, o, d, 0.0, far, mask, skip, True, True)
    return hit.shape >= 0


@wp.func
def corner_blend(values: wp.array(dtype=wp.vec3), first: int, u: float, v: float) -> wp.vec3:
    return values[first] * u + values[first + 1] * v + values[first + 2] * (1.0 - u - v)


@wp.func
def on_cap(size: wp.vec3, p: wp.vec3) -> bool:
    """Whether a point on a cylinder is nearer to a cap than to the side; holds for thin discs as well."""
    to_side = size[0] - wp.sqrt(p[0] * p[0] + p[1] * p[1])
    return wp.abs(size[2] - wp.abs(p[2])) < wp.abs(to_side)


@wp.func
def normal_at(shapes: Shapes, hit: Hit, o: wp.vec3, d: wp.vec3) -> wp.vec3:
    """Return the outward unit normal in the world."""
    k = hit.shape
    inverse = shapes.inverse[k]
    p = inverse * (o + hit.t * d - shapes.origin[k])
    size = shapes.size[k]
    kind = shapes.kind[k]
    n = wp.vec3(0.0, 0.0, 1.0)
    if kind == SPHERE:
        n = p
    elif kind == BOX:
        q = wp.vec3(p[0] / size[0], p[1] / size[1], p[2] / size[2])
        if wp.abs(q[0]) >= wp.abs(q[1]) and wp.abs(q[0]) >= wp.abs(q[2]):
            n = wp.vec3(wp.sign(q[0]), 0.0, 0.0)
        elif wp.abs(q[1]) >= wp.abs(q[2]):
            n = wp.vec3(0.0, wp.sign(q[1]), 0.0)
        else:
            n = wp.vec3(0.0, 0.0, wp.sign(q[2]))
    elif kind == CYLINDER:
        if on_cap(size, p):
            n = wp.vec3(0.0, 0.0, wp.sign(p[2]))
        else:
            n = wp.vec3(p[0], p[1], 0.0)
    elif kind == CAPSULE:
        n = wp.vec3(p[0], p[1], p[2] - wp.clamp(p[2], -size[2], size[2]))
    elif kind == CONE:
        slope = size[0] / (2.0 * size[2])
        if p[2] < -size[2] * 0.99999 and p[0] * p[0] + p[1] * p[1] < size[0] * size[0] * 0.9999:
            n = wp.vec3(0.0, 0.0, -1.0)
        else:
            n = wp.vec3(p[0], p[1], slope * wp.length(wp.vec2(p[0], p[1])))
    elif kind == MESH:
        if shapes.has_normals[k] != 0:
            n = corner_blend(shapes.corner_normal, shapes.corner[k] + 3 * hit.face, hit.u, hit.v)
        else:
            n = wp.mesh_eval_face_normal(shapes.mesh[k], hit.face)
    # normals go by the transposed inverse
    return wp.normalize(wp.transpose(inverse) * n)


@wp.func
def uv_at(shapes: Shapes, hit: Hit, o: wp.vec3, d: wp.vec3) -> wp.vec2:
    """Return texture coordinates, laid out as VRML97 does on each kind of shape."""
    k = hit.shape
    p = shapes.inverse[k] * (o + hit.t * d - shapes.origin[k])
    size = shapes.size[k]
    kind = shapes.kind[k]
    if kind == MESH:
        if shapes.has_uv[k] != 0:
            first = shapes.corner[k] + 3 * hit.face
            return (
                shapes.corner_uv[first] * hit.u
                + shapes.corner_uv[first + 1] * hit.v
                + shapes.corner_uv[first + 2] * (1.0 - hit.u - hit.v)
            )
        return wp.vec2(0.0, 0.0)
    if kind == PLANE:
        return wp.vec2(p[0] / (2.0 * size[0]) + 0.5, p[1] / (2.0 * size[1]) + 0.5)
    if kind == BOX:
        q = wp.vec3(p[0] / size[0], p[1] / size[1], p[2] / size[2])
        if wp.abs(q[0]) >= wp.abs(q[1]) and wp.abs(q[0]) >= wp.abs(q[2]):
            return wp.vec2(0.5 + 0.5 * q[1] * wp.sign(q[0]), 0.5 + 0.5 * q[2])
        if wp.abs(q[1]) >= wp.abs(q[2]):
            return wp.vec2(0.5 - 0.5 * q[0] * wp.sign(q[1]), 0.5 + 0.5 * q[2])
        return wp.vec2(0.5 + 0.5 * q[0], 0.5 + 0.5 * q[1] * wp.sign(q[2]))
    around = 0.5 + wp.atan2(p[1], p[0]) / 6.2831853
    if kind == SPHERE:
        return wp.vec2(around, 0.5 + wp.asin(wp.clamp(p[2] / size[0], -1.0, 1.0)) / 3.14159265)
    is_level = kind == CONE and wp.abs(p[2]) > size[2] * 0.99999
    if kind == CYLINDER:
        is_level = on_cap(size, p)
    if is_level:
        return wp.vec2(0.5 + 0.5 * p[0] / size[0], 0.5 + 0.5 * p[1] / size[0])
    return wp.vec2(around, 0.5 + 0.5 * p[2] / size[2])


@wp.func
def uv_density(shapes: Shapes, hit: Hit, n: wp.vec3) -> wp.vec2:
    """Return how fast texture coordinates grow along a surface [1/m]; `n` is its normal in the world."""
    k = hit.shape
    inverse = shapes.inverse[k]
    kind = shapes.kind[k]
    size = shapes.size[k]
    # own lengths per length of the world
    scale = wp.length(wp.vec3(inverse[0, 0], inverse[0, 1], inverse[0, 2]))
    if kind == MESH:
        if shapes.has_uv[k] == 0:
            return wp.vec2(0.0, 0.0)
        mesh = shapes.mesh[k]
        first = shapes.corner[k] + 3 * hit.face
        a = wp.mesh_get_point(mesh, 3 * hit.face)
        space = wp.length(
            wp.cross(
                wp.mesh_get_point(mesh, 3 * hit.face + 1) - a,
                wp.mesh_get_point(mesh, 3 * hit.face + 2) - a,
            )
        )
        p = shapes.corner_uv[first + 1] - shapes.corner_uv[first]
        q = shapes.corner_uv[first + 2] - shapes.corner_uv[first]
        density = wp.sqrt(wp.abs(p[0] * q[1] - p[1] * q[0]) / wp.max(space, 1.0e-12)) * scale
        return wp.vec2(density, density)
    half = wp.vec3(
        0.5 / wp.max(size[0], 1.0e-6), 0.5 / wp.max(size[1], 1.0e-6), 0.5 / wp.max(size[2], 1.0e-6)
    )
    if kind == PLANE:
        return wp.vec2(half[0], half[1]) * scale
    if kind == BOX:
        own = inverse * n
        if wp.abs(own[0]) >= wp.abs(own[1]) and wp.abs(own[0]) >= wp.abs(own[2]):
            return wp.vec2(half[1], half[2]) * scale
        if wp.abs(own[1]) >= wp.abs(own[2]):
            return wp.vec2(half[0], half[2]) * scale
        return wp.vec2(half[0], half[1]) * scale
    # round about: 1/(2 pi r); along: 1/(pi r) on a ball, 1/height on the others
    around = half[0] / 3.14159265
    if kind == SPHERE:
        return wp.vec2(around, 2.0 * around) * scale
    return wp.vec2(around, half[2]) * scale


@wp.func
def shaded(
    shapes: Shapes,
    materials: Materials,
    lights: Lights,
    tree: wp.uint64,
    m: int,
    base: wp.vec3,
    p: wp.vec3,
    n: wp.vec3,
    d: wp.vec3,
    shadows: bool,
) -> wp.vec3:
    """Return the light of lamps and sky that leaves a surface point towards the eye."""
    ambient = lights.ambient * materials.ambient[m]
    if materials.is_classic[m] == 0:
        ambient = lights.ambient + lights.sky_light
    out = wp.cw_mul(base, ambient)
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
                    shapes, materials, tree, p + n * lift, to_light, distance, CASTS_SHADOWS, -1
                )
            if lit:
                half_way = wp.normalize(to_light - d)
                shine = wp.pow(wp.max(wp.dot(n, half_way), 0.0), materials.exponent[m])
                glow = base * facing + materials.specular[m] * shine
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
):
    """Follow single rays that start on links (-1 = in the world).

    `distance` is the reach where nothing is hit; `facing` the cosine between the surface and the ray.
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
        facing[i] = -wp.dot(normal_at(shapes, hit, o, d), d)


@wp.kernel
def scan(
    shapes: Shapes,
    materials: Materials,
    tree: wp.uint64,
    position: wp.vec3,
    rotation: wp.mat33,
    directions: wp.array(dtype=wp.vec3),
    near: float,
    far: float,
    distance: wp.array(dtype=wp.float32),
    shape: wp.array(dtype=wp.int32),
):
    """Follow a bundle of rays from one place, for depth images and lidars; inf where nothing is hit."""
    i = wp.tid()
    hit = nearest(
        shapes,
        materials,
        tree,
        position,
        rotation * directions[i],
        near,
        far,
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
    lights: Lights,
    tree: wp.uint64,
    position: wp.vec3,
    rotation: wp.mat33,
    directions: wp.array(dtype=wp.vec3),
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
    start = float(near)
    through = float(1.0)
    total = wp.vec3(0.0, 0.0, 0.0)
    distance[i] = wp.inf
    shape[i] = -1
    for layer in range(LAYERS):
        hit = nearest(shapes, materials, tree, position, d, start, far, DRAWN, -1, False, False)
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
        look = wp.vec4(1.0, 1.0, 1.0, 1.0)
        glow = materials.emissive[m]
        if materials.texture[m] >= 0 or materials.glow_texture[m] >= 0:
            slant = wp.sqrt(wp.max(-wp.dot(n, d), 0.02))
            pixel = uv_density(shapes, hit, n) * (hit.t * apart / slant)
            uv = uv_at(shapes, hit, position, d)
            if materials.texture[m] >= 0:
                look = textured(materials, materials.texture[m], m, uv, pixel)
            if materials.glow_texture[m] >= 0:
                lamp = textured(materials, materials.glow_texture[m], m, uv, pixel)
                glow = wp.cw_mul(glow, wp.vec3(lamp[0], lamp[1], lamp[2]))
        base = wp.cw_mul(materials.base[m], wp.vec3(look[0], look[1], look[2]))
        if shapes.has_colors[k] != 0:
            first = shapes.corner[k] + 3 * hit.face
            base = wp.cw_mul(base, corner_blend(shapes.corner_color, first, hit.u, hit.v))
        alpha = materials.alpha[m] * look[3]
        light = glow + shaded(
            shapes, materials, lights, tree, m, base, position + hit.t * d, n, d, shadows
        )
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
