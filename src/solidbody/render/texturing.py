"""Texture lookup with filtering and mipmaps (Warp functions)."""

# see kernels.py
# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportInvalidTypeForm=false
# pyright: reportReturnType=false, reportGeneralTypeIssues=false

import warp as wp


@wp.struct
class Materials:
    """How surfaces look. A picture has `texture_levels` copies, each half as wide and high as the last.

    Classic materials shine by `specular` and `exponent`, the others by `roughness` and `metalness`.
    `ambient` is the colour that they have in light from all sides.
    """

    base: wp.array(dtype=wp.vec3)
    emissive: wp.array(dtype=wp.vec3)
    specular: wp.array(dtype=wp.vec3)
    exponent: wp.array(dtype=wp.float32)
    ambient: wp.array(dtype=wp.vec3)
    sky_share: wp.array(dtype=wp.float32)
    is_classic: wp.array(dtype=wp.int32)
    roughness: wp.array(dtype=wp.float32)
    metalness: wp.array(dtype=wp.float32)
    alpha: wp.array(dtype=wp.float32)
    has_pictures: wp.array(dtype=wp.int32)
    texture: wp.array(dtype=wp.int32)
    glow_texture: wp.array(dtype=wp.int32)
    roughness_texture: wp.array(dtype=wp.int32)
    metalness_texture: wp.array(dtype=wp.int32)
    occlusion_texture: wp.array(dtype=wp.int32)
    occlusion_strength: wp.array(dtype=wp.float32)
    normal_texture: wp.array(dtype=wp.int32)
    normal_factor: wp.array(dtype=wp.float32)
    u_row: wp.array(dtype=wp.vec3)
    v_row: wp.array(dtype=wp.vec3)
    texture_start: wp.array(dtype=wp.int32)
    texture_size: wp.array(dtype=wp.vec2i)
    texture_levels: wp.array(dtype=wp.int32)
    texture_repeat: wp.array(dtype=wp.vec2i)
    texture_is_blended: wp.array(dtype=wp.int32)
    texels: wp.array(dtype=wp.vec4ub)


@wp.func
def texel(materials: Materials, start: int, x: int, y: int, size: wp.vec2i) -> wp.vec4:
    """Return one texel, 0..1, its colour weighed by its alpha: what is clear has no colour to blend."""
    c = materials.texels[start + y * size[0] + x]
    alpha = float(c[3]) * (1.0 / 255.0)
    part = alpha * (1.0 / 255.0)
    return wp.vec4(float(c[0]) * part, float(c[1]) * part, float(c[2]) * part, alpha)


@wp.func
def wrapped(x: int, size: int, repeat: int) -> int:
    """Return a coordinate inside the picture: begun again, or the nearest."""
    if repeat != 0:
        return ((x % size) + size) % size
    return wp.clamp(x, 0, size - 1)


@wp.func
def blended(
    materials: Materials, start: int, size: wp.vec2i, repeat: wp.vec2i, s: float, t: float
) -> wp.vec4:
    """Return the weighed colour at texture coordinates, blended between the four nearest texels."""
    x = s * float(size[0]) - 0.5
    y = (1.0 - t) * float(size[1]) - 0.5
    x0 = int(wp.floor(x))
    y0 = int(wp.floor(y))
    fx = x - float(x0)
    fy = y - float(y0)
    xa = wrapped(x0, size[0], repeat[0])
    xb = wrapped(x0 + 1, size[0], repeat[0])
    ya = wrapped(y0, size[1], repeat[1])
    yb = wrapped(y0 + 1, size[1], repeat[1])
    top = (
        texel(materials, start, xa, ya, size) * (1.0 - fx)
        + texel(materials, start, xb, ya, size) * fx
    )
    low = (
        texel(materials, start, xa, yb, size) * (1.0 - fx)
        + texel(materials, start, xb, yb, size) * fx
    )
    return top * (1.0 - fy) + low * fy


@wp.func
def textured(materials: Materials, number: int, m: int, uv: wp.vec2, pixel: wp.vec2) -> wp.vec4:
    """Return colour and alpha of a picture of material `m` at `uv`.

    `pixel` is how much of the picture one pixel of the eye covers.
    """
    at = wp.vec3(uv[0], uv[1], 1.0)
    u_row = materials.u_row[m]
    v_row = materials.v_row[m]
    s = wp.dot(u_row, at)
    t = wp.dot(v_row, at)
    size = materials.texture_size[number]
    repeat = materials.texture_repeat[number]
    start = int(materials.texture_start[number])
    # texels under a pixel, along both sides of the picture
    across = (wp.abs(u_row[0]) * pixel[0] + wp.abs(u_row[1]) * pixel[1]) * float(size[0])
    down = (wp.abs(v_row[0]) * pixel[0] + wp.abs(v_row[1]) * pixel[1]) * float(size[1])
    # the geometric mean keeps more of long and narrow pixels than their length would
    level = wp.log2(wp.max(wp.sqrt(across * down), 1.0))
    level = wp.min(level, float(materials.texture_levels[number] - 1))
    share = level - wp.floor(level)
    for _ in range(int(wp.floor(level))):
        start = start + size[0] * size[1]
        size = wp.vec2i(wp.max(size[0] / 2, 1), wp.max(size[1] / 2, 1))
    color = wp.vec4(0.0, 0.0, 0.0, 0.0)
    if materials.texture_is_blended[number] != 0:
        color = blended(materials, start, size, repeat, s, t)
    else:
        x = wrapped(int(wp.floor(s * float(size[0]))), size[0], repeat[0])
        y = wrapped(int(wp.floor((1.0 - t) * float(size[1]))), size[1], repeat[1])
        color = texel(materials, start, x, y, size)
    if share > 0.0:
        start = start + size[0] * size[1]
        size = wp.vec2i(wp.max(size[0] / 2, 1), wp.max(size[1] / 2, 1))
        color = color * (1.0 - share) + blended(materials, start, size, repeat, s, t) * share
    whole = 1.0 / wp.max(color[3], 1.0e-6)
    return wp.vec4(color[0] * whole, color[1] * whole, color[2] * whole, color[3])
