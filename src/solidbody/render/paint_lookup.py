"""Lookup of pen paint on surfaces (Warp functions): one layer per shape, over its usual look.

A layer covers a form once: textures repeat and are the same on all sides of a box, paint is not.
"""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

from solidbody.render.tracing import BOX, CAPSULE, CONE, CYLINDER, RayHit, Shapes, on_cap, uv_at


@wp.struct
class Inks:
    """Layers of paint: where that of each shape begins (-1 = it has none), its size, colour and density."""

    start: wp.array(dtype=wp.int32)
    size: wp.array(dtype=wp.vec2i)
    texels: wp.array(dtype=wp.vec4ub)


@wp.func
def paint_at(shapes: Shapes, hit: RayHit, o: wp.vec3, d: wp.vec3) -> wp.vec2:
    """Return texture coordinates on the layer of a shape; sides lie beside each other (see `SIDES`)."""
    uv = uv_at(shapes, hit, o, d)
    k = hit.shape
    kind = shapes.kind[k]
    p = shapes.inverse[k] * (o + hit.t * d - shapes.origin[k])
    size = shapes.size[k]
    # Warp keeps the types of what changes in branches
    side = int(0)  # noqa: RUF046, UP018
    count = float(1.0)  # noqa: UP018
    if kind == BOX:
        count = 6.0
        q = wp.vec3(p[0] / size[0], p[1] / size[1], p[2] / size[2])
        along = q[0]
        if wp.abs(q[0]) < wp.abs(q[1]) or wp.abs(q[0]) < wp.abs(q[2]):
            side = 2
            along = q[1]
            if wp.abs(q[1]) < wp.abs(q[2]):
                side = 4
                along = q[2]
        if along < 0.0:
            side = side + 1
    if kind == CYLINDER or kind == CONE:  # noqa: SIM109
        count = 3.0
        is_level = kind == CONE and wp.abs(p[2]) > size[2] * 0.99999
        if kind == CYLINDER:
            is_level = on_cap(size, p)
        if is_level:
            side = 1
            if p[2] < 0.0:
                side = 2
    if kind == CAPSULE:  # a third each: the straight part by height, the caps by latitude
        above = wp.abs(p[2]) - size[2]
        third = 0.5 * wp.abs(p[2]) / wp.max(size[2], 1.0e-9)
        if above > 0.0:
            third = 0.5 + wp.asin(wp.min(above / size[0], 1.0)) / 1.57079633
        return wp.vec2(uv[0], 0.5 + third * wp.sign(p[2]) / 3.0)
    if count > 1.0:
        return wp.vec2((float(side) + wp.clamp(uv[0], 0.0, 0.99999)) / count, uv[1])
    return uv


@wp.func
def ink_at(shapes: Shapes, inks: Inks, hit: RayHit, o: wp.vec3, d: wp.vec3) -> wp.vec4:
    """Return colour and density, 0..1, of the paint where a shape is hit."""
    start = inks.start[hit.shape]
    at = paint_at(shapes, hit, o, d)
    if at[0] < 0.0 or at[0] > 1.0 or at[1] < 0.0 or at[1] > 1.0:
        return wp.vec4(0.0, 0.0, 0.0, 0.0)
    size = inks.size[hit.shape]
    x = wp.min(int(at[0] * float(size[0])), size[0] - 1)
    y = wp.min(int((1.0 - at[1]) * float(size[1])), size[1] - 1)
    c = inks.texels[start + y * size[0] + x]
    part = 1.0 / 255.0
    return wp.vec4(float(c[0]) * part, float(c[1]) * part, float(c[2]) * part, float(c[3]) * part)
