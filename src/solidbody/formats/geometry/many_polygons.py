"""Triangulates many polygons with the same number of corners at once.

The same triangles as `polygons.triangulated` gives for each: its arithmetic, in its order.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from solidbody.formats.geometry.polygons import MAX_CONCAVE, Floats, Indices, products


def all_triangulated(points: Floats) -> Indices:
    """Return the triangles of polygons (m x n x 3) as places in each: m x (n - 2) x 3."""
    many, count = len(points), int(points.shape[1])
    steps: Indices = np.arange(1, count - 1)
    fan = np.stack((np.zeros_like(steps), steps, steps + 1), axis=1)
    result = np.repeat(fan[None], many, axis=0)
    sides = points[:, 1:] - points[:, :1]
    normals: Floats = np.zeros((many, 3))
    for term in np.moveaxis(products(sides[:, :-1], sides[:, 1:]), 1, 0):
        normals += term
    lengths = _lengths(normals)
    (good,) = np.nonzero((lengths > 0.0) & (lengths < np.inf))
    if count > MAX_CONCAVE or not len(good):
        return result
    x, y = _projected(points[good], normals[good] / lengths[good, None])
    turns = _areas(x, y, np.roll(x, -1, 1), np.roll(y, -1, 1), np.roll(x, -2, 1), np.roll(y, -2, 1))
    (concave,) = np.nonzero(turns.min(axis=1) < 0.0)
    result[good[concave]] = _ears(x[concave], y[concave])
    return result


def _projected(points: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """Return the coordinates in the planes of the polygons, in which they turn counter-clockwise."""
    helpers: Floats = np.where(np.abs(normals[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    u = products(helpers, normals)
    u /= _lengths(u)[:, None]
    v = products(normals, u)
    x, y, z = np.moveaxis(points, 2, 0)
    return (
        x * u[:, :1] + y * u[:, 1:2] + z * u[:, 2:],
        x * v[:, :1] + y * v[:, 1:2] + z * v[:, 2:],
    )


def _lengths(rows: Floats) -> Floats:
    return np.array([math.hypot(x, y, z) for x, y, z in rows.tolist()])


def _areas(ax: Floats, ay: Floats, bx: Floats, by: Floats, cx: Floats, cy: Floats) -> Floats:
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def _ears(x: Floats, y: Floats) -> Indices:
    """Cut one ear of each polygon (coordinates m x n) after the other."""
    many, count = len(x), int(x.shape[1])
    result = np.empty((many, count - 2, 3), dtype=np.int64)
    whose: Indices = np.arange(many)  # the polygons that are not done
    rest: Indices = np.repeat(np.arange(count)[None], many, axis=0)
    for step in range(count - 3):
        left = count - step
        places = _first_ears(x, y)
        crossing = places < 0
        if crossing.any():  # they cross themselves: any cut is as good as another
            for i in range(1, left - 1):
                result[whose[crossing], step + i - 1] = rest[crossing][:, (0, i, i + 1)]
            whose, places = whose[~crossing], places[~crossing]
            rest, x, y = rest[~crossing], x[~crossing], y[~crossing]
        around = (places[:, None] + (-1, 0, 1)) % left
        result[whose, step] = np.take_along_axis(rest, around, axis=1)
        kept = np.arange(left) != places[:, None]
        rest = rest[kept].reshape(-1, left - 1)
        x, y = x[kept].reshape(-1, left - 1), y[kept].reshape(-1, left - 1)
    result[whose, -1] = rest
    return result


def _first_ears(x: Floats, y: Floats) -> Indices:
    """Return the place of the first ear of each polygon; -1 = it has none."""
    many, count = len(x), int(x.shape[1])
    found: Indices = np.full(many, -1)
    rest: Indices = np.arange(many)
    for place in range(count):
        corners = (place - 1, place, (place + 1) % count)
        (ax, bx, cx), (ay, by, cy) = x[:, corners].T, y[:, corners].T
        (convex,) = np.nonzero(_areas(ax, ay, bx, by, cx, cy) > 0.0)
        ears = convex[_are_empty(x[convex], y[convex], corners)]
        found[rest[ears]] = place
        rest, x, y = np.delete(rest, ears), np.delete(x, ears, axis=0), np.delete(y, ears, axis=0)
        if not len(rest):
            break
    return found


def _are_empty(x: Floats, y: Floats, corners: tuple[int, int, int]) -> NDArray[np.bool_]:
    """Whether no corner of a polygon lies in the triangle of three of them, but at its corners."""
    (ax, bx, cx), (ay, by, cy) = x[:, corners].T[..., None], y[:, corners].T[..., None]
    inside = _areas(ax, ay, bx, by, x, y) >= 0.0
    inside &= _areas(bx, by, cx, cy, x, y) >= 0.0
    inside &= _areas(cx, cy, ax, ay, x, y) >= 0.0
    for cornerx, cornery in ((ax, ay), (bx, by), (cx, cy)):
        inside &= (x != cornerx) | (y != cornery)
    return ~inside.any(axis=1)
