"""Bloom and lens flare of cameras.

Both work on the light of a picture (height, width, 3) before it is cut off at white, at a quarter of its
size: what they add is smooth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solidbody.model.devices import LensFlare

Singles = NDArray[np.float32]

BRIGHTNESS = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
"""Shares of red, green and blue in what the eye takes for bright."""
SMALLER = 4
BLOOM_SPREAD = 3
"""How often bloom is blurred, with twice the width each time."""
GHOST_FADE = 10.0
"""Power with which ghosts fade towards the edge of the picture."""


def with_bloom(light: Singles, threshold: float) -> Singles:
    """Return the picture with the light of places above a brightness spread around them."""
    bright = np.where((light @ BRIGHTNESS)[..., None] > threshold, light, np.float32(0.0))
    if not bright.any():
        return light
    spread = _small(bright)
    total = np.zeros_like(spread)
    for width in 2 ** np.arange(1, BLOOM_SPREAD + 1):
        spread = _blurred(spread, int(width))
        total += spread
    return light + _large(total / np.float32(BLOOM_SPREAD), light.shape[0], light.shape[1])


def with_flare(light: Singles, flare: LensFlare) -> Singles:
    """Return the picture with ghosts of its bright places, mirrored about its middle, and halos.

    Bright is what is left of the light after `bias` was added, times `scale`. Ghost k of a place stands k
    times `dispersal` of its way beyond the middle; red and blue are `chroma_distortion` pixels apart.
    """
    height, width = light.shape[:2]
    bright: Singles = np.float32(flare.scale) * np.maximum(
        _small(light) + np.float32(flare.bias), np.float32(0.0)
    )
    if not bright.any():
        return light
    rows, columns = bright.shape[:2]
    y, x = np.meshgrid(
        1.0 - (np.arange(rows) + 0.5) / rows,
        1.0 - (np.arange(columns) + 0.5) / columns,
        indexing="ij",
    )
    away_y, away_x = (0.5 - y) * flare.dispersal, (0.5 - x) * flare.dispersal
    length = np.maximum(np.hypot(away_y, away_x), 1e-9)
    shift = flare.chroma_distortion / max(height, width)
    total: Singles = np.zeros_like(bright)
    for k in range(flare.ghosts):
        total += _ghost(bright, y + k * away_y, x + k * away_x, shift)
    halo_y, halo_x = away_y / length * flare.halo_width, away_x / length * flare.halo_width
    total += _ghost(bright, y + halo_y, x + halo_x, shift)
    for _ in range(flare.blur_iterations):
        total = _blurred(total, 1)
    share = np.float32(1.0 - flare.transparency)
    return (light + share * _large(total, height, width)).astype(np.float32)


def _ghost(bright: Singles, y: np.ndarray, x: np.ndarray, shift: float) -> Singles:
    """Return the light found at places in shares of the picture, fading away from its middle."""
    off = np.hypot(0.5 - y, 0.5 - x) / np.hypot(0.5, 0.5)
    weight = np.clip(1.0 - off, 0.0, 1.0) ** GHOST_FADE
    length = np.maximum(np.hypot(0.5 - y, 0.5 - x), 1e-9)
    out = np.empty_like(bright)
    for channel, side in enumerate((-shift, 0.0, shift)):
        at_y, at_x = y + side * (0.5 - y) / length, x + side * (0.5 - x) / length
        out[..., channel] = weight * _looked_up(bright[..., channel], at_y, at_x)
    return out


def _looked_up(values: Singles, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the nearest values; nothing outside."""
    rows, columns = values.shape
    row, column = np.floor(y * rows).astype(int), np.floor(x * columns).astype(int)
    inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    return np.where(inside, values[np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)], 0.0)


def _small(light: Singles) -> Singles:
    """Return means of blocks of pixels; what is left over at the edges counts to the last block."""
    rows, columns = max(light.shape[0] // SMALLER, 1), max(light.shape[1] // SMALLER, 1)
    starts_y = np.arange(rows) * light.shape[0] // rows
    starts_x = np.arange(columns) * light.shape[1] // columns
    sums = np.add.reduceat(np.add.reduceat(light, starts_y, axis=0), starts_x, axis=1)
    counts = np.outer(np.diff([*starts_y, light.shape[0]]), np.diff([*starts_x, light.shape[1]]))
    return (sums / counts[..., None]).astype(np.float32)


def _large(small: Singles, height: int, width: int) -> Singles:
    """Return the values between block centres by straight lines."""
    rows, columns = small.shape[:2]
    y = np.clip((np.arange(height) + 0.5) * rows / height - 0.5, 0.0, rows - 1.0)
    x = np.clip((np.arange(width) + 0.5) * columns / width - 0.5, 0.0, columns - 1.0)
    y0, x0 = y.astype(int), x.astype(int)
    y1, x1 = np.minimum(y0 + 1, rows - 1), np.minimum(x0 + 1, columns - 1)
    fy = (y - y0)[:, None, None].astype(np.float32)
    fx = (x - x0)[None, :, None].astype(np.float32)
    lines = small[y0] * (1.0 - fy) + small[y1] * fy
    return (lines[:, x0] * (1.0 - fx) + lines[:, x1] * fx).astype(np.float32)


def _blurred(values: Singles, reach: int) -> Singles:
    """Return means over squares that reach so many pixels to all sides; the edges go on outside."""
    for axis in (0, 1):
        room = [(0, 0)] * 3
        room[axis] = (reach + 1, reach)
        sums = np.cumsum(np.pad(values, room, mode="edge"), axis=axis, dtype=np.float64)
        ends = np.take(sums, np.arange(2 * reach + 1, sums.shape[axis]), axis=axis)
        starts = np.take(sums, np.arange(0, sums.shape[axis] - 2 * reach - 1), axis=axis)
        values = ((ends - starts) / (2 * reach + 1)).astype(np.float32)
    return values
