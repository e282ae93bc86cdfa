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
def in_cell(uv: wp.vec2, column: float, row: float, columns: float, rows: float) -> wp.vec2:
    """Return where a side's own coordinates lie in its cell of a layer, counted from the upper left."""
    u = wp.clamp(uv[0], 0.0, 0.99999)
    v = wp.clamp(uv[1], 0.00001, 1.0)
    return wp.vec2((column + u) / columns, 1.0 - (row + 1.0 - v) / rows)


@wp.func
def paint_at(shapes: Shapes, hit: RayHit, o: wp.vec3, d: wp.vec3) -> wp.vec2:
    """Return texture coordinates on the layer of a shape; sides have cells of it, laid out as Webots does."""
    uv = uv_at(shapes, hit, o, d)
    k = hit.shape
    kind = shapes.kind[k]
    p = shapes.inverse[hit.row] * (o + hit.t * d - shapes.origin[hit.row])
    size = shapes.size[k]
    if kind == BOX:
        q = wp.vec3(p[0] / size[0], p[1] / size[1], p[2] / size[2])
        # Warp keeps the types of what changes in branches
        column, row = float(3.0), float(1.0)  # noqa: UP018
        if wp.abs(q[0]) >= wp.abs(q[1]) and wp.abs(q[0]) >= wp.abs(q[2]):
            if q[0] < 0.0:
                column = 1.0
        elif wp.abs(q[1]) >= wp.abs(q[2]):
            column = 0.0
            if q[1] < 0.0:
                column = 2.0
        else:
            row = 0.0
            column = 0.0
            if q[2] > 0.0:
                column = 2.0
        return in_cell(uv, column, row, 4.0, 2.0)
    if kind == CYLINDER:
        if not on_cap(size, p):
            return in_cell(uv, 0.0, 0.0, 2.0, 2.0)
        if p[2] > 0.0:
            return in_cell(uv, 1.0, 0.0, 2.0, 2.0)
        return in_cell(uv, 0.0, 1.0, 2.0, 2.0)
    if kind == CONE:
        if wp.abs(p[2]) > size[2] * 0.99999:
            return in_cell(uv, 1.0, 0.0, 2.0, 1.0)
        return in_cell(uv, 0.0, 0.0, 2.0, 1.0)
    if kind == CAPSULE:  # a third each: the straight part by height, the caps by latitude
        above = wp.abs(p[2]) - size[2]
        third = 0.5 * wp.abs(p[2]) / wp.max(size[2], 1.0e-9)
        if above > 0.0:
            third = 0.5 + wp.asin(wp.min(above / size[0], 1.0)) / 1.57079633
        return wp.vec2(uv[0], 0.5 + third * wp.sign(p[2]) / 3.0)
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
