"""Sky lookup for rays that hit nothing (Warp functions): a plain colour or a cube map."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp

RIGHT = wp.constant(0)
LEFT = wp.constant(1)
TOP = wp.constant(2)
BOTTOM = wp.constant(3)
FRONT = wp.constant(4)
BACK = wp.constant(5)


@wp.struct
class Sky:
    """`axes` turns directions of the world into those of the cube: x right, y up, z to the back.

    The light of its pictures is their colour to the power of `gamma`.
    """

    color: wp.vec3
    has_pictures: wp.int32
    gamma: wp.float32
    axes: wp.mat33
    texels: wp.array(dtype=wp.vec4ub)
    start: wp.array(dtype=wp.int32)
    size: wp.array(dtype=wp.vec2i)


@wp.func
def sky_texel(sky: Sky, side: int, x: int, y: int) -> wp.vec3:
    """Return one texel of a side; beyond its edges, the nearest."""
    size = sky.size[side]
    column = wp.clamp(x, 0, size[0] - 1)
    row = wp.clamp(y, 0, size[1] - 1)
    c = sky.texels[sky.start[side] + row * size[0] + column]
    return wp.vec3(float(c[0]), float(c[1]), float(c[2])) * (1.0 / 255.0)


@wp.func
def sky_color(sky: Sky, d: wp.vec3) -> wp.vec3:
    """Return what is seen in a direction of the world.

    Pictures are upright for an eye in the cube that turns from one side to the next; for the top it tilts
    up from the front, for the bottom down.
    """
    if sky.has_pictures == 0:
        return sky.color
    v = sky.axes * d
    x = wp.abs(v[0])
    y = wp.abs(v[1])
    z = wp.abs(v[2])
    # s to the right and t up in the picture, both divided by `deep`
    side = int(FRONT)
    s = v[0]
    t = v[1]
    deep = z
    if x >= y and x >= z:
        deep = x
        side = int(RIGHT)
        s = v[2]
        if v[0] < 0.0:
            side = int(LEFT)
            s = -v[2]
    elif y >= z:
        deep = y
        side = int(TOP)
        t = v[2]
        if v[1] < 0.0:
            side = int(BOTTOM)
            t = -v[2]
    elif v[2] > 0.0:
        side = int(BACK)
        s = -v[0]
    size = sky.size[side]
    px = (0.5 + 0.5 * s / deep) * float(size[0]) - 0.5
    py = (0.5 - 0.5 * t / deep) * float(size[1]) - 0.5
    left = int(wp.floor(px))
    high = int(wp.floor(py))
    fx = px - float(left)
    fy = py - float(high)
    upper = (
        sky_texel(sky, side, left, high) * (1.0 - fx) + sky_texel(sky, side, left + 1, high) * fx
    )
    lower = (
        sky_texel(sky, side, left, high + 1) * (1.0 - fx)
        + sky_texel(sky, side, left + 1, high + 1) * fx
    )
    out = upper * (1.0 - fy) + lower * fy
    return wp.vec3(wp.pow(out[0], sky.gamma), wp.pow(out[1], sky.gamma), wp.pow(out[2], sky.gamma))
