"""Where shapes are in the world, and the boxes around them (Warp functions)."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp


@wp.struct
class Placed:
    """A shape in the world: the way into its own frame, and the box around it."""

    inverse: wp.mat33
    origin: wp.vec3
    low: wp.vec3
    high: wp.vec3


@wp.func
def turned(q: wp.vec4, v: wp.vec3) -> wp.vec3:
    """Rotate by a quaternion w x y z."""
    u = wp.vec3(q[1], q[2], q[3])
    twice = 2.0 * wp.cross(u, v)
    return v + q[0] * twice + wp.cross(u, twice)


@wp.func
def placed(
    position: wp.vec3,
    q: wp.vec4,
    own_position: wp.vec3,
    own: wp.mat33,
    s: wp.vec3,
    middle: wp.vec3,
    h: wp.vec3,
) -> Placed:
    """Put a shape where its link is.

    Its own place on the link is `own_position` and `own`, its scale `s`; the box around it before scaling has
    the centre `middle` and half sides `h`.
    """
    out = Placed()
    x = turned(q, wp.vec3(own[0, 0], own[1, 0], own[2, 0]))
    y = turned(q, wp.vec3(own[0, 1], own[1, 1], own[2, 1]))
    z = turned(q, wp.vec3(own[0, 2], own[1, 2], own[2, 2]))
    o = position + turned(q, own_position)
    out.inverse = wp.mat33(
        x[0] / s[0], x[1] / s[0], x[2] / s[0],
        y[0] / s[1], y[1] / s[1], y[2] / s[1],
        z[0] / s[2], z[1] / s[2], z[2] / s[2],
    )  # fmt: skip
    out.origin = o
    centre = o + x * middle[0] + y * middle[1] + z * middle[2]
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
    out.low = centre - room
    out.high = centre + room
    return out
