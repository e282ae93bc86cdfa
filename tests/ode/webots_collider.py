"""Webots' own cylinder-plane collider, which it registers in place of ODE's.

Debian's ODE differs: it gives four points only up to a tilt of 1e-5 rad or so, at azimuths that do
not turn with the cylinder. Written from the description in numpy, apart from the product's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Vec3

Vector = NDArray[np.float64]


def cylinder_plane_points(
    place: Pose, radius: float, height: float, normal: Vec3, offset: float
) -> list[tuple[Vector, float]]:
    """Return (point on the cylinder, depth) of each contact with the plane normal.p = offset."""
    n = np.array(normal)
    x, y, axis = (np.array(place.direction(e)) for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    side = np.cross(axis, n)
    sin2 = float(side @ side)
    if sin2 < 0.001:
        c, m = x, y
    else:
        c = side / np.linalg.norm(side)
        m = np.cross(axis, c)
        # of the two radii square to c, the one that points under the plane
        m = m if m @ n < 0 else -m
    radii = [m, c, -m, -c] if sin2 < 0.1 else [m]
    out: list[tuple[Vector, float]] = []
    for end in (-0.5, 0.5):
        for direction in radii:
            p = np.array(place.position) + end * height * axis + radius * direction
            depth = offset - float(n @ p)
            if depth > 0:
                out.append((p, depth))
    return out
