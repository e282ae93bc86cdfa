"""Finds the nearest hit of a ray in the scene, with its normal and texture coordinates (Warp functions)."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.ray_intersections import (
    NOTHING,
    hit_box,
    hit_capsule,
    hit_cone,
    hit_cylinder,
    hit_plane,
    hit_sphere,
)
from solidbody.render.texturing import Materials

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

LAYERS = wp.constant(8)
"""Most transparent surfaces that a ray goes through."""


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
class RayWorld:
    """One of the worlds of a batch, or the only one (`only_world`).

    `tree` is that of the boxes around all shapes, or around those that stand still; what moves is in
    `moving` then (0 = there is no such tree), from the node `root` on. Shapes from number `first` on have
    rows of their own in each world, `shift` further; lamps begin at row `lamp`.
    """

    tree: wp.uint64
    moving: wp.uint64
    root: wp.int32
    first: wp.int32
    shift: wp.int32
    lamp: wp.int32


@wp.func
def only_world(tree: wp.uint64) -> RayWorld:
    world = RayWorld()
    world.tree = tree
    return world


@wp.struct
class RayHit:
    """The nearest surface; `shape` is -1 if there is none. `row` is where it is placed (`Shapes.origin`)."""

    t: wp.float32
    shape: wp.int32
    row: wp.int32
    face: wp.int32
    u: wp.float32
    v: wp.float32
    sign: wp.float32


@wp.func
def per_depth(d: wp.vec3, clipping: int) -> float:
    """Return how far a ray of an eye goes until its depth is 1: see `Clipping`."""
    if clipping == 1:
        return 1.0 / wp.max(d[0], 1.0e-6)
    if clipping == 2:
        return 1.0 / wp.max(wp.abs(d[0]), wp.max(wp.abs(d[1]), wp.abs(d[2])))
    return 1.0


@wp.func
def first_hit(
    shapes: Shapes,
    materials: Materials,
    world: RayWorld,
    o: wp.vec3,
    d: wp.vec3,
    near: float,
    far: float,
    mask: int,
    skip: int,
    both: bool,
    opaque_only: bool,
    any_will_do: bool,
) -> RayHit:
    """Return the nearest hit, or any before `far`: see `nearest`."""
    hit = RayHit()
    hit.shape = -1
    hit.t = far
    tree = world.tree
    root = int(-1)
    base = int(0)
    shift = int(0)
    trees = int(1)
    if world.moving != wp.uint64(0):
        trees = 2
    for number in range(trees):
        if number == 1:
            tree = world.moving
            root = world.root
            base = world.first
            shift = world.shift
        query = wp.bvh_query_ray(tree, o, d, root)
        j = int(0)
        while wp.bvh_query_next(query, j, hit.t):
            row = base + j
            k = row - shift
            flags = shapes.flags[k]
            if (flags & mask) == 0 or (skip >= 0 and shapes.group[k] == skip):
                continue
            if opaque_only and materials.alpha[shapes.material[k]] < 1.0:
                continue
            kind = shapes.kind[k]
            a = shapes.inverse[row] * (o - shapes.origin[row])
            b = shapes.inverse[row] * d
            size = shapes.size[k]
            sides = both or (flags & TWO_SIDED) != 0
            t = float(NOTHING)
            face = int(0)
            u = float(0.0)
            v = float(0.0)
            sign = float(0.0)
            if kind == BOX:
                t = hit_box(size, a, b, near, sides)
            elif kind == SPHERE:
                t = hit_sphere(size[0], a, b, near, sides)
            elif kind == CYLINDER:
                t = hit_cylinder(size, flags, a, b, near, sides)
            elif kind == PLANE:
                t = hit_plane(size, flags, a, b, near, sides)
            elif kind == CAPSULE:
                t = hit_capsule(size, flags, a, b, near, sides)
            elif kind == CONE:
                t = hit_cone(size, flags, a, b, near, sides)
            else:
                start = near
                for _ in range(LAYERS):
                    found = wp.mesh_query_ray(shapes.mesh[k], a + start * b, b, hit.t - start)
                    if not found.result:
                        break
                    if found.sign > 0.0 or sides:
                        face = found.face
                        u = found.u
                        v = found.v
                        sign = found.sign
                        t = start + found.t
                        break
                    start = start + found.t + wp.max(found.t * 1.0e-5, 1.0e-6)
            if t > near and t < hit.t:
                hit.t = t
                hit.shape = k
                hit.row = row
                hit.face = face
                hit.u = u
                hit.v = v
                hit.sign = sign
                if any_will_do:
                    return hit
    return hit


@wp.func
def nearest(
    shapes: Shapes,
    materials: Materials,
    world: RayWorld,
    o: wp.vec3,
    d: wp.vec3,
    near: float,
    far: float,
    mask: int,
    skip: int,
    both: bool,
    opaque_only: bool,
) -> RayHit:
    """Return the nearest hit of shapes with a flag of `mask` that are not of the group `skip`."""
    return first_hit(
        shapes, materials, world, o, d, near, far, mask, skip, both, opaque_only, False
    )


@wp.func
def is_blocked(
    shapes: Shapes,
    materials: Materials,
    world: RayWorld,
    o: wp.vec3,
    d: wp.vec3,
    far: float,
    mask: int,
    skip: int,
) -> bool:
    """Tell whether there is anything opaque on the way: most rays end before they find the nearest."""
    hit = first_hit(shapes, materials, world, o, d, 0.0, far, mask, skip, True, True, True)
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
def normal_at(shapes: Shapes, hit: RayHit, o: wp.vec3, d: wp.vec3) -> wp.vec3:
    """Return the outward unit normal in the world."""
    k = hit.shape
    inverse = shapes.inverse[hit.row]
    p = inverse * (o + hit.t * d - shapes.origin[hit.row])
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
def uv_at(shapes: Shapes, hit: RayHit, o: wp.vec3, d: wp.vec3) -> wp.vec2:
    """Return texture coordinates, laid out as VRML97 does on each kind of shape."""
    k = hit.shape
    p = shapes.inverse[hit.row] * (o + hit.t * d - shapes.origin[hit.row])
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
    # Webots' pictures begin at +y and go by -x
    around = wp.atan2(-p[0], p[1]) / 6.2831853
    if around < 0.0:
        around = around + 1.0
    if kind == SPHERE:
        return wp.vec2(around, 0.5 + wp.asin(wp.clamp(p[2] / size[0], -1.0, 1.0)) / 3.14159265)
    is_level = kind == CONE and wp.abs(p[2]) > size[2] * 0.99999
    if kind == CYLINDER:
        is_level = on_cap(size, p)
    if is_level:
        return wp.vec2(0.5 + 0.5 * p[0] / size[0], 0.5 + 0.5 * wp.sign(p[2]) * p[1] / size[0])
    return wp.vec2(around, 0.5 + 0.5 * p[2] / size[2])


@wp.func
def uv_density(shapes: Shapes, hit: RayHit, n: wp.vec3) -> wp.vec2:
    """Return how fast texture coordinates grow along a surface [1/m]; `n` is its normal in the world."""
    k = hit.shape
    inverse = shapes.inverse[hit.row]
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


@wp.struct
class Gradients:
    """How texture coordinates grow along a surface, in the world [1/m]."""

    u: wp.vec3
    v: wp.vec3


@wp.func
def uv_gradients(shapes: Shapes, hit: RayHit, o: wp.vec3, d: wp.vec3) -> Gradients:
    """Return the gradients of the texture coordinates of `uv_at`."""
    k = hit.shape
    inverse = shapes.inverse[hit.row]
    p = inverse * (o + hit.t * d - shapes.origin[hit.row])
    size = shapes.size[k]
    kind = shapes.kind[k]
    u = wp.vec3(0.5 / wp.max(size[0], 1.0e-6), 0.0, 0.0)
    v = wp.vec3(0.0, 0.5 / wp.max(size[1], 1.0e-6), 0.0)
    if kind == MESH:
        if shapes.has_uv[k] != 0:
            mesh = shapes.mesh[k]
            first = shapes.corner[k] + 3 * hit.face
            a = wp.mesh_get_point(mesh, 3 * hit.face)
            e = wp.mesh_get_point(mesh, 3 * hit.face + 1) - a
            f = wp.mesh_get_point(mesh, 3 * hit.face + 2) - a
            n = wp.cross(e, f)
            # values that grow by a along e and by b along f: grad = (a (f x n) + b (n x e)) / |n|^2
            part = 1.0 / wp.max(wp.dot(n, n), 1.0e-20)
            along = shapes.corner_uv[first + 1] - shapes.corner_uv[first]
            across = shapes.corner_uv[first + 2] - shapes.corner_uv[first]
            u = (wp.cross(f, n) * along[0] + wp.cross(n, e) * across[0]) * part
            v = (wp.cross(f, n) * along[1] + wp.cross(n, e) * across[1]) * part
    elif kind == BOX:
        q = wp.vec3(p[0] / size[0], p[1] / size[1], p[2] / size[2])
        if wp.abs(q[0]) >= wp.abs(q[1]) and wp.abs(q[0]) >= wp.abs(q[2]):
            u = wp.vec3(0.0, 0.5 * wp.sign(q[0]) / size[1], 0.0)
            v = wp.vec3(0.0, 0.0, 0.5 / size[2])
        elif wp.abs(q[1]) >= wp.abs(q[2]):
            u = wp.vec3(-0.5 * wp.sign(q[1]) / size[0], 0.0, 0.0)
            v = wp.vec3(0.0, 0.0, 0.5 / size[2])
        else:
            v = v * wp.sign(q[2])
    elif kind != PLANE:
        is_level = kind == CONE and wp.abs(p[2]) > size[2] * 0.99999
        if kind == CYLINDER:
            is_level = on_cap(size, p)
        if not is_level:
            flat = wp.max(p[0] * p[0] + p[1] * p[1], 1.0e-12)
            u = wp.vec3(-p[1], p[0], 0.0) * (1.0 / (6.2831853 * flat))
            v = wp.vec3(0.0, 0.0, 0.5 / wp.max(size[2], 1.0e-6))
            if kind == SPHERE:
                v = wp.vec3(0.0, 0.0, 1.0 / (3.14159265 * wp.sqrt(flat)))
    out = Gradients()
    # gradients go by the transposed inverse
    out.u = wp.transpose(inverse) * u
    out.v = wp.transpose(inverse) * v
    return out
