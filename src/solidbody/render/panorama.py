"""Equirectangular sky images (Radiance's .hdr), converted to the six sides of a cube.

Webots up to R2021 takes such a file for the sky of most of its worlds. The middle of the picture lies towards
the right side of the cube, the way goes on to the back, and the upper edge is the zenith.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.pictures import PictureError, check_bytes, check_pixels

Bytes = NDArray[np.uint8]
Singles = NDArray[np.float32]

SUFFIX: Final = ".hdr"
MAX_PIXELS: Final = 8192 * 4096
"""Larger panoramas are refused: as light they would need more than 400 MB."""
MAX_SIDE: Final = 1024
"""[pixels] Of a side of the cube; a quarter of the panorama's width has as many, if it is not more."""

_SIZE: Final = re.compile(rb"\n-Y (\d{1,9}) \+X (\d{1,9})\n")
_SHORTEST_RUN: Final = 128
"""Lengths above this repeat one byte; others are followed by as many bytes."""


def is_panorama(addresses: tuple[str, ...]) -> bool:
    """Whether one picture stands for all sides of a sky."""
    return len(addresses) == 6 and len(set(addresses)) == 1 and addresses[0].endswith(SUFFIX)


def load_sides(path: Path) -> tuple[Bytes, ...]:
    """Return the sides of a cube (right, left, top, bottom, front, back), (n, n, 4) bytes each.

    Light is kept as its square root, as `tone_mapping.SKY_GAMMA` wants it; brighter than white is white.

    Raises:
        PictureError: It cannot be decoded, or is too large for that.
    """
    try:
        return _sides(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise PictureError(f"cannot be read: {error.strerror or error}") from error


@lru_cache(maxsize=2)
def _sides(path: Path, _: int) -> tuple[Bytes, ...]:
    """Make the sides of a file as it was at that time."""
    check_bytes(path)
    light = decoded(path.read_bytes())
    side = max(1, min(MAX_SIDE, light.shape[1] // 4))
    return tuple(_side(light, directions) for directions in _directions(side))


def decoded(data: bytes) -> Singles:
    """Return the light of a Radiance picture, (height, width, 3).

    Raises:
        PictureError: It is none, it is broken, or it has too many pixels.
    """
    found = _SIZE.search(data[:4096])
    if not data.startswith(b"#?") or found is None:
        raise PictureError("it is broken: a Radiance picture starts with #? and gives -Y and +X")
    height, width = int(found.group(1)), int(found.group(2))
    check_pixels(width, height, MAX_PIXELS)
    if height == 0 or width == 0:
        raise PictureError("it is broken: it has no pixels")
    pixels = np.empty((height, width, 4), dtype=np.uint8)
    at = found.end()
    for row in range(height):
        head = data[at : at + 4]
        if head == bytes((2, 2, width >> 8 & 0xFF, width & 0xFF)) and width < 1 << 15:
            at = _packed_row(data, at + 4, pixels[row])
        else:
            part = data[at : at + 4 * width]
            if len(part) < 4 * width:
                raise PictureError("it is broken: it ends too early")
            pixels[row] = np.frombuffer(part, dtype=np.uint8).reshape(width, 4)
            at += 4 * width
    # mantissas in 1/256, times 2^(exponent - 128); an exponent of 0 is black
    scale = np.ldexp(np.float32(1.0), pixels[..., 3].astype(np.int32) - 136)
    scale[pixels[..., 3] == 0] = 0.0
    return pixels[..., :3].astype(np.float32) * scale[..., None]


def _packed_row(data: bytes, at: int, row: Bytes) -> int:
    """Fill a row whose four channels stand one after the other in runs; return where the next one begins."""
    width = row.shape[0]
    for channel in range(4):
        values = bytearray()
        while len(values) < width:
            if at + 1 >= len(data):
                raise PictureError("it is broken: it ends too early")
            count = data[at]
            if count > _SHORTEST_RUN:
                values += data[at + 1 : at + 2] * (count - _SHORTEST_RUN)
                at += 2
            else:
                if count == 0:
                    raise PictureError("it is broken: a run of no pixels")
                values += data[at + 1 : at + 1 + count]
                at += 1 + count
                if at > len(data):
                    raise PictureError("it is broken: it ends too early")
        if len(values) != width:
            raise PictureError("it is broken: a run goes beyond the end of its row")
        row[:, channel] = np.frombuffer(values, dtype=np.uint8)
    return at


def _directions(side: int) -> list[NDArray[np.float64]]:
    """Return the ways to the texels of each side, in the axes of the cube: x right, y up, z to the back.

    The same as `sky_rays.sky_color` goes the other way.
    """
    across = (np.arange(side) + 0.5) / side * 2.0 - 1.0
    s, t = np.meshgrid(across, -across)
    one = np.ones_like(s)
    parts = [
        (one, t, s),
        (-one, t, -s),
        (s, one, t),
        (s, -one, -t),
        (s, t, -one),
        (-s, t, one),
    ]
    return [np.stack(part, axis=-1) for part in parts]


def _side(light: Singles, directions: NDArray[np.float64]) -> Bytes:
    height, width = light.shape[:2]
    x, y, z = np.moveaxis(directions, -1, 0)
    u = (np.arctan2(z, x) / (2.0 * np.pi) + 0.5) * width - 0.5
    v = (0.5 - np.arctan2(y, np.hypot(x, z)) / np.pi) * height - 0.5
    left, high = np.floor(u), np.floor(v)
    fx, fy = (u - left)[..., None], (v - high)[..., None]
    columns = [(left.astype(int) + k) % width for k in (0, 1)]
    rows = [np.clip(high.astype(int) + k, 0, height - 1) for k in (0, 1)]
    upper = light[rows[0], columns[0]] * (1.0 - fx) + light[rows[0], columns[1]] * fx
    lower = light[rows[1], columns[0]] * (1.0 - fx) + light[rows[1], columns[1]] * fx
    out = np.full((*u.shape, 4), 255, dtype=np.uint8)
    shown = np.sqrt(np.clip(upper * (1.0 - fy) + lower * fy, 0.0, 1.0))
    out[..., :3] = np.rint(shown * 255.0)
    return out
