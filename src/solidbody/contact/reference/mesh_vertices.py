"""Collides vertices of moving meshes with planes, as sb_mesh_vertices.c explains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solidbody.contact import tables as t
from solidbody.contact.reference.colliders import FEW_POINTS, SPREAD_POINTS, TOUCHING, Place, spread
from solidbody.contact.vectors import Vector, dot, subtract

LEVEL = 1e-9
"""[m] See SB_LEVEL."""
ROUNDING = 2e-9
"""[m] See SB_ROUNDING."""


def collide_plane_mesh(
    plane: Place,
    place: Place,
    points: NDArray[np.float64],
    ranks: NDArray[np.int32],
    surface: t.Record,
) -> tuple[list[tuple[Vector, float]], int]:
    """Return the vertices under a plane that count, with their depths, and how many were left out."""
    n = plane.column(2)
    # all of them roughly, those under the plane as the native step does
    places = points @ np.reshape(place.mat, (3, 3)).T + place.pos
    near = np.flatnonzero((plane.pos - places) @ n > -ROUNDING)
    under: list[tuple[Vector, float]] = []
    order: list[tuple[int, int]] = []
    for k in near.tolist():
        turned = place.turn(points[k].tolist())
        p = [place.pos[i] + turned[i] for i in range(3)]
        depth = dot(n, subtract(plane.pos, p))
        if depth > TOUCHING and surface["min_depth"] <= depth <= surface["max_depth"]:
            under.append((p, depth))
            order.append((-int(depth / LEVEL), int(ranks[k])))
    if surface["keeps_spread"]:
        kept = _outermost(under, plane)
    else:
        best = sorted(range(len(under)), key=lambda k: order[k])[: int(surface["max_contacts"])]
        kept = [under[k] for k in sorted(best)]
    return kept, len(under) - len(kept)


def _outermost(under: list[tuple[Vector, float]], plane: Place) -> list[tuple[Vector, float]]:
    x, y = plane.column(0), plane.column(1)
    kept: list[tuple[Vector, float]] = []
    for point in under:
        if len(kept) == SPREAD_POINTS:
            kept = [kept[k] for k in spread(kept, x, y)]
        kept.append(point)
    return [kept[k] for k in spread(kept, x, y)] if len(kept) > FEW_POINTS else kept
