"""Tone mapping: from light to the colours of a picture, as Webots' cameras do it.

Colours in its files are those of a screen (sRGB). Surfaces are lit with the light that they stand for, and a
picture shows (1 - exp(-exposure·L))^(1/2.2) of the light L: white paper in light of strength 1 reads 207.
The plain sky goes the way back, so that it reads as its field says. Source: Webots' shaders `hdr_resolve`,
`phong`, `pbr`, `skybox` and `bake_brdf`, and its `WbBackground`.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Floats = NDArray[np.float64]

GAMMA: Final = 2.2
SKY_GAMMA: Final = 2.0
"""Of the pictures of a sky."""
LEAST: Final = 1e-9
"""What is taken for the share of light that a white sky leaves: none would be infinitely bright."""
MIRROR_SIZE: Final = 32
"""Rows and columns of the table of mirrored light: 1/1000 from that of 256, between whose cells Webots does
not interpolate."""


def to_light(color: object) -> Floats:
    """Return the light that colours of a screen (sRGB, 0..1) stand for."""
    c = np.asarray(color, dtype=np.float64)
    return np.where(c < 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def tone_mapped(light: Singles, exposure: float) -> Singles:
    """Return the colours 0..1 that a picture shows of light."""
    # in place: memory that is new costs as much as what is computed
    share = np.maximum(light, np.float32(0.0))
    share *= np.float32(-exposure)
    np.expm1(share, out=share)
    np.negative(share, out=share)
    return np.power(share, np.float32(1.0 / GAMMA), out=share)


def mean_of_squares(picture: Singles, side: int) -> Singles:
    """Return a picture (rows, columns, 3) with one pixel for `side`^2 of them.

    `picture.reshape(...).mean(axis=(1, 3))` adds in the same order and takes fifteen times as long.
    """
    rows, columns = picture.shape[:2]
    out = np.zeros((rows // side, columns // side, 3), dtype=np.float32)
    for channel in range(3):
        total = out[..., channel]
        for row in range(side):
            for column in range(side):
                total += picture[row::side, column::side, channel]
    out /= np.float32(side * side)
    return out


def inverse_tone_mapped(color: object) -> Floats:
    """Return the light that tone mapping turns to a colour, with an exposure of 1."""
    c = np.asarray(color, dtype=np.float64)
    return -np.log(1.0 + LEAST - np.clip(c, 0.0, 1.0) ** GAMMA)


@cache
def mirrored() -> Singles:
    """Return (MIRROR_SIZE^2, 2): what surfaces mirror of an even sky is sky·(specular·a + b).

    Rows go by the roughness, columns by the cosine between normal and eye, both at the middle of their
    cells. Means over microfacets by their distribution (Trowbridge and Reitz), with Smith's shadowing.
    """
    samples = 1024
    at = (np.arange(MIRROR_SIZE) + 0.5) / MIRROR_SIZE
    k = np.arange(samples, dtype=np.uint32)
    # Hammersley's points: k/n, and the bits of k mirrored behind the point
    turned = sum(((k >> b) & 1).astype(np.float64) * 0.5 ** (b + 1) for b in range(32))
    phi = 2.0 * np.pi * k / samples
    out = np.empty((MIRROR_SIZE, MIRROR_SIZE, 2))
    for row, roughness in enumerate(at):
        a4 = roughness**4
        cos_h = np.sqrt((1.0 - turned) / (1.0 + (a4 - 1.0) * turned))
        across = np.sqrt(1.0 - cos_h**2) * np.cos(phi)
        eye = np.sqrt(1.0 - at**2)[:, None]
        eye_h = eye * across + at[:, None] * cos_h
        lamp = np.maximum(2.0 * eye_h * cos_h - at[:, None], 0.0)
        eye_h = np.maximum(eye_h, 0.0)
        half = roughness**2 / 2.0
        open_eye = (at / (at * (1.0 - half) + half))[:, None]
        seen = open_eye * lamp / (lamp * (1.0 - half) + half) * eye_h / (cos_h * at[:, None])
        grazing = (1.0 - eye_h) ** 5
        out[row, :, 0] = (seen * (1.0 - grazing)).mean(axis=1)
        out[row, :, 1] = (seen * grazing).mean(axis=1)
    return out.reshape(-1, 2).astype(np.float32)
