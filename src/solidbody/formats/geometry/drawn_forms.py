"""Forms that things are drawn with: boxes with bevels, lathed profiles, tubes, prisms, lofts, tyres.

All are made with numpy at a cost of about 0.1 ms each. A form stands in its own frame, about the origin,
and along z where it has an axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.formats.geometry.polygons import (
    Floats,
    Indices,
    creased_normals,
    triangulated,
    unit_rows,
)

CREASE: Final = math.radians(40.0)
"""Edges that bend less are smooth."""

FILLET: Final = 4
"""Pieces of a rounded corner."""

_FACES: Final = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
"""The axis of a face of a box, and the two along it, right-handed."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Triangles with a normal for each corner.

    Attributes:
        points: (n, 3) [m].
        triangles: (m, 3), counter-clockwise from outside.
        normals: (3 m, 3).
    """

    points: Floats
    triangles: Indices
    normals: Floats

    def moved(self, turn: Floats, at: Floats) -> Drawn:
        """Return it under a rotation or mirroring (3, 3), then at another place."""
        if np.linalg.det(turn) < 0.0:
            normals = self.normals.reshape(-1, 3, 3)[:, ::-1].reshape(-1, 3)
            return Drawn(self.points @ turn.T + at, self.triangles[:, ::-1], normals @ turn.T)
        return Drawn(self.points @ turn.T + at, self.triangles, self.normals @ turn.T)


def joined(forms: Sequence[Drawn]) -> Drawn:
    """Return several as one."""
    starts = np.cumsum([0, *(len(form.points) for form in forms[:-1])])
    return Drawn(
        np.concatenate([form.points for form in forms]),
        np.concatenate([form.triangles + n for form, n in zip(forms, starts, strict=True)]),
        np.concatenate([form.normals for form in forms]),
    )


def creased(points: Floats, triangles: Indices, crease: float = CREASE) -> Drawn:
    """Return triangles with normals that are smooth where they bend little; those without area go."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    kept = triangles[area > 1e-9 * max(float(area.max(initial=0.0)), 1e-30)]
    return Drawn(points, kept, creased_normals(points, kept, crease))


def box(size: Floats, bevel: float, taper: tuple[float, float] = (1.0, 1.0)) -> Drawn:
    """Return a box whose edges are rounded off in one step with soft normals.

    Args:
        size: Along the axes [m].
        bevel: Width of the rounded edges [m].
        taper: How much smaller the upper face is along x and y.
    """
    half = size / 2.0
    rim = min(max(bevel, 0.0), 0.499 * float(size.min()))
    points: list[Floats] = []
    normals: list[Floats] = []
    place: dict[tuple[int, int, int, int], int] = {}  # signs of a corner, axis of a face
    for axis, u, v in _FACES:
        for sign in (-1, 1):
            for a, c in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                signs = np.zeros(3)
                signs[[axis, u, v]] = sign, a, c
                inner = half - rim
                inner[axis] = half[axis]
                place[int(signs[0]), int(signs[1]), int(signs[2]), axis] = len(points)
                points.append(signs * inner)
                normals.append(sign * np.eye(3)[axis])
    quads: list[tuple[int, int, int, int]] = []
    triangles: list[tuple[int, int, int]] = []
    for axis, u, v in _FACES:
        for sign in (-1, 1):
            corners = [
                _corner(axis, u, v, sign, *ac) for ac in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            a, b, c, d = (place[*corner, axis] for corner in corners)
            quads.append((a, b, c, d) if sign > 0 else (d, c, b, a))
    if rim > 0.0:
        for axis, u, v in _FACES:  # edges along `axis`, between the faces of u and v
            for p in (-1, 1):
                for q in (-1, 1):
                    low, high = _corner(axis, u, v, -1, p, q), _corner(axis, u, v, 1, p, q)
                    edge = (place[*low, u], place[*low, v], place[*high, v], place[*high, u])
                    a, c, d, e = edge
                    quads.append(edge if p * q > 0 else (e, d, c, a))
        for x in (-1, 1):
            for y in (-1, 1):
                for z in (-1, 1):
                    tip = (place[x, y, z, 0], place[x, y, z, 1], place[x, y, z, 2])
                    triangles.append(tip if x * y * z > 0 else (tip[2], tip[1], tip[0]))
    triangles += [t for a, c, d, e in quads for t in ((a, c, d), (a, d, e))]
    at, index = np.array(points), np.array(triangles)
    share = (at[:, 2] + half[2]) / size[2]
    at[:, 0] *= 1.0 + (taper[0] - 1.0) * share
    at[:, 1] *= 1.0 + (taper[1] - 1.0) * share
    directions = np.array(normals)
    lean = (half[:2] * (1.0 - np.array(taper)) / size[2])[None, :]
    directions[:, 2] += (np.abs(directions[:, :2]) * lean).sum(axis=1)
    return Drawn(at, index, unit_rows(directions, np.array((0.0, 0.0, 1.0)))[index.reshape(-1)])


def _corner(axis: int, u: int, v: int, sign: int, a: int, c: int) -> tuple[int, int, int]:
    signs = [0, 0, 0]
    signs[axis], signs[u], signs[v] = sign, a, c
    return signs[0], signs[1], signs[2]


def rounded(points: Floats, radius: float, *, is_closed: bool, pieces: int = FILLET) -> Floats:
    """Return a line (n, 2 or 3) with its corners rounded off."""
    if radius <= 0.0 or len(points) < 3:
        return points
    count = len(points)
    result: list[Floats] = []
    for i in range(count):
        here = points[i]
        if not is_closed and i in (0, count - 1):
            result.append(here[None])
            continue
        back, ahead = points[i - 1] - here, points[(i + 1) % count] - here
        reach = min(radius, 0.49 * float(np.linalg.norm(back)), 0.49 * float(np.linalg.norm(ahead)))
        if reach <= 0.0:
            continue
        first = here + back * reach / np.linalg.norm(back)
        last = here + ahead * reach / np.linalg.norm(ahead)
        t = np.linspace(0.0, 1.0, pieces + 1)[:, None]
        result.append((1 - t) ** 2 * first + 2 * t * (1 - t) * here + t**2 * last)
    return np.concatenate(result)


def grid_triangles(rows: int, columns: int, *, wraps: bool) -> Indices:
    """Return the triangles between points in rows; `wraps` joins the last column to the first."""
    row, column = np.meshgrid(
        np.arange(rows - 1), np.arange(columns if wraps else columns - 1), indexing="ij"
    )
    a = (row * columns + column).reshape(-1)
    b = (row * columns + (column + 1) % columns).reshape(-1)
    return np.concatenate(
        [np.stack([a, b, b + columns], axis=1), np.stack([a, b + columns, a + columns], axis=1)]
    )


def lathe(profile: Floats, count: int, *, tread: float = 0.0) -> Drawn:
    """Return a profile (radius, height), from below to above on its outside, turned about z.

    Args:
        profile: Points (r, z) [m]; r = 0 closes it.
        count: Of pieces around.
        tread: Depth of the grooves that every other piece has where it is widest [m].
    """
    angles = np.arange(count) * (2.0 * math.pi / count)
    radius = np.repeat(profile[:, :1], count, axis=1)
    if tread > 0.0:
        is_wide = profile[:, 0] > profile[:, 0].max() - 1e-9
        radius[np.ix_(is_wide, np.arange(count) % 4 < 2)] -= tread
    points = np.stack(
        [
            radius * np.cos(angles),
            radius * np.sin(angles),
            np.repeat(profile[:, 1:], count, axis=1),
        ],
        axis=-1,
    ).reshape(-1, 3)
    return creased(points, grid_triangles(len(profile), count, wraps=True))


def ball(radii: Floats, count: int, power: float) -> Drawn:
    """Return an ellipsoid; a power above 2 makes it boxy, up to a box with round edges."""
    latitude = np.linspace(-math.pi / 2, math.pi / 2, count // 2 + 1)
    profile = np.stack([_power(np.cos(latitude), power), _power(np.sin(latitude), power)], axis=1)
    angles = np.arange(count) * (2.0 * math.pi / count)
    around = np.stack([_power(np.cos(angles), power), _power(np.sin(angles), power)], axis=1)
    points = np.empty((len(profile), count, 3))
    points[..., :2] = profile[:, None, :1] * around[None]
    points[..., 2] = profile[:, None, 1]
    return creased(
        points.reshape(-1, 3) * radii, grid_triangles(len(profile), count, wraps=True), 1.2
    )


def _power(values: Floats, power: float) -> Floats:
    return np.sign(values) * np.abs(np.where(np.abs(values) < 1e-12, 0.0, values)) ** (2.0 / power)


def tube(radius: float, path: Floats, count: int, flat: float = 1.0) -> Drawn:
    """Return a round rod along a path (n, 3) with flat ends; `flat` is its height over its width."""
    steps = np.diff(path, axis=0)
    steps /= np.maximum(np.linalg.norm(steps, axis=1), 1e-12)[:, None]
    along = np.concatenate([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-12)[:, None]
    aside = np.cross((0.0, 0.0, 1.0), along[0])
    if np.linalg.norm(aside) < 0.1:
        aside = np.cross((0.0, 1.0, 0.0), along[0])
    angles = np.arange(count) * (2.0 * math.pi / count)
    rings: list[Floats] = []
    for place, way in zip(path, along, strict=True):
        aside = aside - way * (aside @ way)
        aside = aside / max(float(np.linalg.norm(aside)), 1e-12)
        other = np.cross(way, aside)
        rings.append(
            place
            + radius * (np.cos(angles)[:, None] * aside + flat * np.sin(angles)[:, None] * other)
        )
    return creased(*_capped(np.stack(rings)))


def _capped(rings: Floats) -> tuple[Floats, Indices]:
    """Return rings of points (rows, around, 3) as a closed skin."""
    rows, count, _ = rings.shape
    points = np.concatenate([rings.reshape(-1, 3), rings[0].mean(0)[None], rings[-1].mean(0)[None]])
    here = np.arange(count, dtype=np.int64)
    ahead = np.roll(here, -1)
    low, high = np.full(count, rows * count), np.full(count, rows * count + 1)
    last = (rows - 1) * count
    triangles = np.concatenate([
        grid_triangles(rows, count, wraps=True),
        np.stack([ahead, here, low], axis=1),
        np.stack([last + here, last + ahead, high], axis=1),
    ])  # fmt: skip
    return points, triangles


def prism(outline: Floats, height: float, bevel: float) -> Drawn:
    """Return an outline (x, y), counter-clockwise, drawn out along z, with bevelled rims."""
    if _area(outline) < 0.0:
        outline = outline[::-1]
    count = len(outline)
    before, after = outline - np.roll(outline, 1, 0), np.roll(outline, -1, 0) - outline
    out = [np.stack([d[:, 1], -d[:, 0]], 1) for d in (before, after)]
    out = [d / np.maximum(np.linalg.norm(d, axis=1), 1e-12)[:, None] for d in out]
    mean = out[0] + out[1]
    mean /= np.maximum((mean * mean).sum(1) / 2.0, 0.5)[:, None]
    bevel = min(max(bevel, 0.0), 0.49 * height)
    inner = outline - bevel * mean
    cap = np.array(triangulated([(x, y, 0.0) for x, y in inner.tolist()]))
    h = height / 2.0

    def ring(points: Floats, z: float) -> Floats:
        return np.column_stack([points, np.full(count, z)])

    walls = np.concatenate([ring(outline, bevel - h), ring(outline, h - bevel)])
    side = creased(walls, grid_triangles(2, count, wraps=True))
    parts = [side]
    up = np.array((0.0, 0.0, 1.0))
    for z, direction in ((h, up), (-h, -up)):
        turned = cap if z > 0 else cap[:, ::-1]
        parts.append(Drawn(ring(inner, z), turned, np.tile(direction, (3 * len(cap), 1))))
    if bevel > 0.0:
        soft = unit_rows(np.column_stack([mean, np.zeros(count)]), up)
        for z, direction in ((h, up), (-h, -up)):
            rows = [ring(outline, z - math.copysign(bevel, z)), ring(inner, z)]
            kinds = [soft, np.tile(direction, (count, 1))]
            if z < 0:
                rows, kinds = rows[::-1], kinds[::-1]
            index = grid_triangles(2, count, wraps=True)
            parts.append(
                Drawn(np.concatenate(rows), index, np.concatenate(kinds)[index.reshape(-1)])
            )
    return joined(parts)


def _area(outline: Floats) -> float:
    ahead = np.roll(outline, -1, 0)
    return float((outline[:, 0] * ahead[:, 1] - outline[:, 1] * ahead[:, 0]).sum())


def spline(rows: Floats, steps: int) -> Floats:
    """Return rows of numbers with `steps` pieces between two, on Catmull and Rom's curve."""
    ends = np.concatenate([2 * rows[:1] - rows[1:2], rows, 2 * rows[-1:] - rows[-2:-1]])
    t = (np.arange(steps) / steps)[None, :, None]
    a, b, c, d = (ends[k : len(rows) - 1 + k, None] for k in range(4))
    curve = 0.5 * (
        2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
    )
    return np.concatenate([curve.reshape(-1, rows.shape[1]), rows[-1:]])


def loft(sections: Floats, count: int, steps: int) -> Drawn:
    """Return a skin over sections along x.

    Args:
        sections: (x, half width, half height, height of the middle, power): a power of 2 is an ellipse, a
            high one a box with round edges.
        count: Of points around.
        steps: Of pieces between two sections.
    """
    x, wide, tall, z, power = spline(sections, steps).T[:, :, None]
    angles = (np.arange(count) + 0.5) * (2.0 * math.pi / count)
    power = np.maximum(power, 0.5)
    y = np.maximum(wide, 0.0) * _bent(np.cos(angles), power)
    up = z + np.maximum(tall, 0.0) * _bent(np.sin(angles), power)
    rings = np.stack([np.broadcast_to(x, y.shape), y, up], axis=-1)
    return creased(*_capped(rings))


def _bent(values: Floats, power: Floats) -> Floats:
    return np.sign(values) * np.abs(values) ** (2.0 / power)
