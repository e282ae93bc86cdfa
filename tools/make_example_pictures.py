"""The pictures of examples/looks.wbt, made from numbers alone: a sky on six sides, a crate, a fence.

python tools/make_example_pictures.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float64]

FOLDER: Final = Path(__file__).parents[1] / "examples" / "textures"
SIDE: Final = 256
"""Width and height of a side of the sky [pixels]."""

SIDES: Final[dict[str, tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]]] = {
    # where each side is, and which ways are right and up in its picture; x east, y north, z up
    "front": ((-1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "right": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "back": ((1, 0, 0), (0, -1, 0), (0, 0, 1)),
    "left": ((0, -1, 0), (-1, 0, 0), (0, 0, 1)),
    "top": ((0, 0, 1), (0, 1, 0), (1, 0, 0)),
    "bottom": ((0, 0, -1), (0, 1, 0), (-1, 0, 0)),
}
SUN: Final = np.array([-0.4, -0.5, 0.55]) / np.linalg.norm([-0.4, -0.5, 0.55])


def hashed(cell: NDArray[np.int64]) -> Floats:
    """Return numbers in 0..1 that look random, by whole coordinates (..., 3)."""
    mixed = cell @ np.array([374761393, 668265263, 2147483647]) & 0xFFFFFFFF
    mixed = (mixed ^ (mixed >> 13)) * 1274126177 & 0xFFFFFFFF
    return ((mixed ^ (mixed >> 16)) & 0xFFFF) / 65535.0


def noise(places: Floats) -> Floats:
    """Return smooth noise in 0..1 at places (..., 3): values at whole coordinates, blended between."""
    low = np.floor(places).astype(np.int64)
    share = places - low
    share = share * share * (3.0 - 2.0 * share)
    total = np.zeros(places.shape[:-1])
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(np.array(corner) == 1, share, 1.0 - share), axis=-1)
        total += weight * hashed(low + np.array(corner))
    return total


def layered(places: Floats, octaves: int) -> Floats:
    """Return noise with finer and fainter noise on top, in 0..1."""
    parts = [noise(places * 2.0**k + 17.0 * k) / 2.0**k for k in range(octaves)]
    return np.sum(parts, axis=0) / (2.0 - 2.0 ** (1 - octaves))


def blended(first: Floats, second: Floats, share: Floats) -> Floats:
    """Return a mixture of colours."""
    return first + (second - first) * share[..., None]


def sky(d: Floats) -> Floats:
    """Return the colour of the sky in directions (..., 3): clouds, a sun, hills on the horizon."""
    up = d[..., 2]
    horizon, zenith = np.array([0.86, 0.91, 0.95]), np.array([0.24, 0.47, 0.83])
    color = blended(horizon, zenith, np.clip(up, 0.0, 1.0) ** 0.6)
    plane = np.stack([d[..., 0], d[..., 1], np.zeros_like(up)], axis=-1)
    plane = plane / np.maximum(up, 0.06)[..., None]
    clouds = np.clip((layered(1.3 * plane + 40.0, 5) - 0.5) * 4.0, 0.0, 1.0)
    color = blended(color, np.array([1.0, 1.0, 1.0]), clouds * np.clip(up * 5.0, 0.0, 1.0) * 0.9)
    glow = np.clip(d @ SUN, 0.0, 1.0)
    color = blended(
        color, np.array([1.0, 0.97, 0.85]), np.clip(glow**300 * 3 + 0.3 * glow**12, 0, 1)
    )
    flat = d / np.maximum(np.hypot(d[..., 0], d[..., 1]), 1e-6)[..., None] * np.array([1, 1, 0])
    for height, detail, tint in ((0.16, 3.0, (0.55, 0.65, 0.75)), (0.08, 5.0, (0.33, 0.47, 0.36))):
        ridge = height * layered(detail * flat + 9.0 * detail, 5)
        color = blended(color, np.array(tint), np.clip((ridge - up) * 120.0, 0.0, 1.0))
    ground = np.array([0.36, 0.4, 0.27])
    return blended(color, ground, np.clip(-up * 40.0, 0.0, 1.0))


def crate() -> Floats:
    """Return planks in a frame with a cross beam."""
    v, u = np.meshgrid(np.arange(256) / 256, np.arange(256) / 256, indexing="ij")
    zero = np.zeros_like(u)
    grain = layered(np.stack([u * 40.0, v * 4.0, zero], axis=-1), 4)
    seams = np.abs((u * 6.0) % 1.0 - 0.5) > 0.47
    color = blended(np.array([0.55, 0.38, 0.2]), np.array([0.8, 0.62, 0.38]), grain)
    color[seams] *= 0.45
    rim = np.minimum(np.minimum(u, 1 - u), np.minimum(v, 1 - v))
    beam = np.abs(u - v) / np.sqrt(2.0)
    along = layered(np.stack([u * 9.0 + v * 9.0, u * 30.0 - v * 30.0, zero + 3.0], axis=-1), 3)
    wood = blended(np.array([0.42, 0.28, 0.14]), np.array([0.62, 0.45, 0.26]), along)
    is_frame = (rim < 0.1) | (beam < 0.07)
    color[is_frame] = wood[is_frame]
    edges = (np.abs(rim - 0.1) < 0.006) | ((np.abs(beam - 0.07) < 0.006) & (rim > 0.1))
    color[edges] *= 0.4
    return color


def fence() -> Floats:
    """Return a wire fence; what is between the wires is clear."""
    v, u = np.meshgrid(np.arange(128) / 128, np.arange(128) / 128, indexing="ij")
    near = np.minimum(np.abs((u + v) % 0.5 - 0.25), np.abs((u - v) % 0.5 - 0.25))
    out = np.zeros((128, 128, 4))
    out[..., :3] = np.array([0.35, 0.42, 0.4])
    out[..., 3] = np.clip((0.05 - near) * 40.0, 0.0, 1.0)
    return out


def save(name: str, values: Floats) -> None:
    """Write a picture of shares in 0..1."""
    pixels = np.round(255.0 * np.clip(values, 0.0, 1.0)).astype(np.uint8)
    image = Image.fromarray(pixels)
    image.save(FOLDER / name, quality=88, optimize=True)


def main() -> None:
    """Make all pictures."""
    FOLDER.mkdir(exist_ok=True)
    across = (np.arange(SIDE) + 0.5) / SIDE * 2.0 - 1.0
    for name, (ahead, right, up) in SIDES.items():
        s, t = np.meshgrid(across, -across)
        d = np.array(ahead) + s[..., None] * np.array(right) + t[..., None] * np.array(up)
        save(f"sky_{name}.jpg", sky(d / np.linalg.norm(d, axis=-1, keepdims=True)))
    save("crate.jpg", crate())
    save("fence.png", fence())


if __name__ == "__main__":
    main()
