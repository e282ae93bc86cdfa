"""Depth of field: a picture is the mean of pictures through several points of the lens.

A thin lens of focal length f brings to one point what lies at the focal distance F. A point at distance s
becomes a disc that is D·|1/s - 1/F| wide as an angle, where D is the diameter of the opening.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAMPLES = 16
"""Points of the lens: 16 leave no visible rings in pictures of 8 bits, and cost 16 pictures."""

F_NUMBER = 1.0
"""Focal length over diameter. Files give no opening; this is that of a very fast lens, so that the blur
that a file asks for can be seen."""


def lens_points(focal_length: float) -> Floats:
    """Return (SAMPLES, 3) points spread evenly over the opening of a lens, camera frame [m]."""
    k = np.arange(SAMPLES)
    radius = 0.5 * focal_length / F_NUMBER * np.sqrt((k + 0.5) / SAMPLES)
    # sunflower seeds: each turns by the golden angle
    turn = k * math.pi * (3.0 - math.sqrt(5.0))
    return np.stack([np.zeros(SAMPLES), radius * np.cos(turn), radius * np.sin(turn)], axis=-1)


def bent(directions: Floats, point: Floats, focal_distance: float) -> Floats:
    """Return the directions from a point of the lens to where the given ones cut the plane in focus."""
    forward = np.maximum(directions[..., :1], 1e-6)
    out = directions * (focal_distance / forward) - point
    return out / np.linalg.norm(out, axis=-1, keepdims=True)
