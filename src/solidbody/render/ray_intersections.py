"""Intersection of a ray with each kind of primitive, in the primitive's own frame (Warp functions)."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

SIDE = wp.constant(8)
TOP = wp.constant(16)
BOTTOM = wp.constant(32)

NOTHING = wp.constant(-1.0)


@wp.func
def hit_sphere(radius: float, o: wp.vec3, d: wp.vec3, near: float, both: bool) -> float:
    a = wp.dot(d, d)
    middle = -wp.dot(o, d) / a
    q = o + middle * d
    rest = radius * radius - wp.dot(q, q)
    if rest < 0.0:
        return NOTHING
    half = wp.sqrt(rest / a)
    if middle - half > near:
        return middle - half
    if both and middle + half > near:
        return middle + half
    return NOTHING


@wp.func
def hit_box(size: wp.vec3, o: wp.vec3, d: wp.vec3, near: float, both: bool) -> float:
    enter = float(-1.0e30)
    leave = float(1.0e30)
    for k in range(3):
        if d[k] != 0.0:
            a = (-size[k] - o[k]) / d[k]
            b = (size[k] - o[k]) / d[k]
            enter = wp.max(enter, wp.min(a, b))
            leave = wp.min(leave, wp.max(a, b))
        elif wp.abs(o[k]) > size[k]:
            return NOTHING
    if enter > leave:
        return NOTHING
    if enter > near:
        return enter
    if both and leave > near:
        return leave
    return NOTHING


@wp.func
def hit_disc(z: float, radius: float, o: wp.vec3, d: wp.vec3, near: float, best: float) -> float:
    if d[2] == 0.0:
        return best
    t = (z - o[2]) / d[2]
    x = o[0] + t * d[0]
    y = o[1] + t * d[1]
    if t > near and x * x + y * y <= radius * radius and (best < 0.0 or t < best):
        return t
    return best


@wp.func
def hit_cylinder(
    size: wp.vec3, flags: int, o: wp.vec3, d: wp.vec3, near: float, both: bool
) -> float:
    # outside faces only, unless both sides count: the side on the way in, a cap if we come from beyond it
    best = float(NOTHING)
    a = d[0] * d[0] + d[1] * d[1]
    if (flags & SIDE) != 0 and a > 0.0:
        middle = -(o[0] * d[0] + o[1] * d[1]) / a
        x = o[0] + middle * d[0]
        y = o[1] + middle * d[1]
        rest = size[0] * size[0] - x * x - y * y
        if rest >= 0.0:
            half = wp.sqrt(rest / a)
            t = middle - half
            if t > near and wp.abs(o[2] + t * d[2]) <= size[2]:
                best = t
            t = middle + half
            if both and best < 0.0 and t > near and wp.abs(o[2] + t * d[2]) <= size[2]:
                best = t
    if (flags & TOP) != 0 and (both or d[2] < 0.0):
        best = hit_disc(size[2], size[0], o, d, near, best)
    if (flags & BOTTOM) != 0 and (both or d[2] > 0.0):
        best = hit_disc(-size[2], size[0], o, d, near, best)
    return best


@wp.func
def hit_cone(size: wp.vec3, flags: int, o: wp.vec3, d: wp.vec3, near: float, both: bool) -> float:
    # x^2 + y^2 = k^2 (h - z)^2 with the apex at z = h
    best = float(NOTHING)
    k = size[0] / (2.0 * size[2])
    w = size[2] - o[2]
    a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2]
    b = o[0] * d[0] + o[1] * d[1] + k * k * w * d[2]
    c = o[0] * o[0] + o[1] * o[1] - k * k * w * w
    if (flags & SIDE) != 0:
        rest = b * b - a * c
        if rest >= 0.0 and wp.abs(a) > 1.0e-12:
            root = wp.sqrt(rest)
            for n in range(2):
                t = (-b - root) / a
                if n == 1:
                    t = (-b + root) / a
                z = o[2] + t * d[2]
                x = o[0] + t * d[0]
                y = o[1] + t * d[1]
                # the outward normal is (x, y, k^2 (h - z)) up to a factor
                outside = x * d[0] + y * d[1] + k * k * (size[2] - z) * d[2] < 0.0
                if t > near and z <= size[2] and z >= -size[2] and (both or outside):
                    if best < 0.0 or t < best:
                        best = t
    if (flags & BOTTOM) != 0 and (both or d[2] > 0.0):
        best = hit_disc(-size[2], size[0], o, d, near, best)
    return best


@wp.func
def hit_capsule(
    size: wp.vec3, flags: int, o: wp.vec3, d: wp.vec3, near: float, both: bool
) -> float:
    best = hit_cylinder(size, flags & SIDE, o, d, near, both)
    for n in range(2):
        sign = float(1.0)
        part = int(TOP)
        if n == 1:
            sign = -1.0
            part = int(BOTTOM)
        if (flags & part) == 0:
            continue
        centre = wp.vec3(0.0, 0.0, sign * size[2])
        t = hit_sphere(size[0], o - centre, d, near, False)
        if t < 0.0 or (o[2] + t * d[2]) * sign < size[2]:
            t = NOTHING
            if both:
                # the far side of the ball, if the near one is inside the cylinder or behind us
                a = wp.dot(d, d)
                middle = -wp.dot(o - centre, d) / a
                q = o - centre + middle * d
                rest = size[0] * size[0] - wp.dot(q, q)
                if rest >= 0.0:
                    far = middle + wp.sqrt(rest / a)
                    if far > near and (o[2] + far * d[2]) * sign >= size[2]:
                        t = far
        if t > 0.0 and (best < 0.0 or t < best):
            best = t
    return best


@wp.func
def hit_plane(size: wp.vec3, flags: int, o: wp.vec3, d: wp.vec3, near: float, both: bool) -> float:
    if d[2] == 0.0 or (d[2] > 0.0 and not both):
        return NOTHING
    t = -o[2] / d[2]
    if t <= near:
        return NOTHING
    if wp.abs(o[0] + t * d[0]) > size[0] or wp.abs(o[1] + t * d[1]) > size[1]:
        return NOTHING
    return t
