"""The skin of a car from a few curves along it: underside, belt line, roof, width; wheel arches, panes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.formats.geometry.drawn_forms import Drawn, creased, grid_triangles, joined, rounded
from solidbody.formats.geometry.polygons import Floats

ROWS: Final = 64
"""Cross-sections along a car."""

_SIDE: Final = np.array([
    (0.0, 0.9), (0.06, 0.955), (0.16, 0.985), (0.28, 0.997), (0.4, 1.0), (0.52, 1.0), (0.64, 0.997),
    (0.76, 0.99), (0.86, 0.975), (0.94, 0.955), (1.0, 0.925),
])  # fmt: skip
"""Of a cross-section from the underside to the belt line: share of the height, share of the half width."""

_CABIN: Final = np.array([
    (0.02, 0.9, 0.0), (0.2, 0.84, 0.0), (0.4, 0.78, 0.0), (0.6, 0.72, 0.0), (0.8, 0.67, 0.0),
    (0.91, 0.62, 0.04), (0.97, 0.52, 0.14), (0.99, 0.36, 0.4), (1.0, 0.18, 0.7), (1.0, 0.0, 1.0),
])  # fmt: skip
"""Above it: share of the cabin's height, share of the half width where there is no cabin, and how far
towards the middle of the roof."""

_CROWN: Final = 0.025
"""Height of the bulge of bonnet and roof over half the width."""

_LIFT: Final = 0.0009
"""How far a pane lies on the skin, of the car's length."""

_STRIPS: Final = 18
"""Most pieces of a pane along the car."""

_STRIP: Final = 0.0065
"""Least length of one, of the car's length."""


@dataclass(frozen=True, slots=True)
class CarShell:
    """A car's skin; x is forward, z up, and curves are points (x, value) from the tail to the nose.

    Attributes:
        low: Height of the underside [m].
        belt: Height of the shoulders: bonnet, window sills, boot.
        roof: Height of the roof; the belt's where there is none.
        wide: Half the width.
        top: Width of the roof, of that of the body.
        arches: (x, z, radius) of the wheel arches.
    """

    low: Floats
    belt: Floats
    roof: Floats
    wide: Floats
    top: float
    arches: tuple[tuple[float, float, float], ...] = ()

    @property
    def length(self) -> float:
        """Return its length [m]."""
        return float(self.wide[-1, 0] - self.wide[0, 0])

    def section(self, x: Floats) -> Floats:
        """Return half of the cross-sections (n, k, (y, z)) at some places, from the underside to the roof."""

        def value(curve: Floats) -> Floats:
            return np.interp(x, curve[:, 0], curve[:, 1])[:, None]

        low, belt, wide = value(self.low), value(self.belt), value(self.wide)
        roof = np.maximum(value(self.roof), belt)
        cabin = roof - belt
        side_y, side_z = wide * _SIDE[:, 1], low + (belt - low) * _SIDE[:, 0]
        tall = self.roof[:, 1] - np.interp(self.roof[:, 0], self.belt[:, 0], self.belt[:, 1])
        whole = max(float(tall.max()), 1e-9)
        share = np.minimum(cabin / (0.35 * whole), 1.0)
        up, open_y, inward = (np.asarray(column, dtype=np.float64) for column in _CABIN.T)
        pillar = 0.915 + (self.top - 0.915) * up
        closed_y: Floats = np.where(inward > 0.0, self.top * (1.0 - inward), pillar)
        top_y = wide * (share * closed_y + (1.0 - share) * open_y)
        crown = _CROWN * wide * (1.0 - np.square(top_y / np.maximum(0.925 * wide, 1e-9)))
        top_z = belt + cabin * up + crown
        return np.stack(
            [np.concatenate([side_y, top_y], 1), np.concatenate([side_z, top_z], 1)], -1
        )

    def skin(self) -> tuple[Drawn, Drawn]:
        """Return the painted skin, and what is dark: the underside and the insides of the arches."""
        x = self._stations()
        half = self.section(x)
        count = len(x)
        y: Floats = np.concatenate([half[:, :, 0], -half[:, -2::-1, 0]], 1)
        z = np.concatenate([half[:, :, 1], half[:, -2::-1, 1]], 1)
        points: Floats = np.stack([x[:, None] + 0.0 * y, y, z], -1)
        columns = points.shape[1]
        snap = 0.5 * float(np.diff(x).max())
        flat = points.reshape(-1, 3).copy()
        column = np.arange(columns, dtype=np.int64)
        is_body = np.tile(np.minimum(column, columns - 1 - column) < len(_SIDE), count)
        for ax, az, radius in self.arches:
            dx, dz = flat[:, 0] - ax, flat[:, 2] - az
            distance = np.maximum(np.hypot(dx, dz), 1e-9)
            near = is_body & (np.abs(distance - radius) < snap)
            flat[near, 0] = ax + (dx * radius / distance)[near]
            flat[near, 2] = az + (dz * radius / distance)[near]
        quads = grid_triangles(count, columns, wraps=False)
        middle = flat[quads].mean(1)
        keep = np.ones(len(quads), dtype=bool)
        body = is_body[quads].all(1)
        for ax, az, radius in self.arches:
            keep &= ~(body & (np.hypot(middle[:, 0] - ax, middle[:, 2] - az) < 0.985 * radius))
        ends = [self._end(points[0], turned=True), self._end(points[-1], turned=False)]
        paint = joined([creased(flat, quads[keep]), *ends])
        return paint, joined([self._floor(half, x), *(self._arch(*arch) for arch in self.arches)])

    def _stations(self) -> Floats:
        ends = self.wide[[0, -1], 0]
        t = np.linspace(0.0, 1.0, ROWS)
        x = ends[0] + (ends[1] - ends[0]) * t
        marks = np.concatenate([c[:, 0] for c in (self.low, self.belt, self.roof, self.wide)])
        marks = marks[(marks > ends[0]) & (marks < ends[1])]
        for mark in marks:  # the nearest section goes where a curve bends
            x[1 + int(np.argmin(np.abs(x[1:-1] - mark)))] = mark
        return np.unique(x)

    @staticmethod
    def _end(ring: Floats, *, turned: bool) -> Drawn:
        count = len(ring)
        points = np.concatenate([ring, ring.mean(0)[None]])
        here = np.arange(count)
        index = np.stack([here, (here + 1) % count, np.full(count, count)], 1)
        return creased(points, index[:, ::-1] if turned else index)

    @staticmethod
    def _floor(half: Floats, x: Floats) -> Drawn:
        left = np.column_stack([x, half[:, 0, 0], half[:, 0, 1]])
        points = np.stack([left, left * (1.0, -1.0, 1.0)], 1).reshape(-1, 3)
        return creased(points, grid_triangles(len(x), 2, wraps=False)[:, ::-1])

    def _arch(self, x: float, z: float, radius: float) -> Drawn:
        """Return the inside of both arches at an axle: a half tube with a wall."""
        wide = 0.985 * float(np.interp(x, self.wide[:, 0], self.wide[:, 1]))
        deep = wide - 0.75 * radius
        angles = np.linspace(-0.25 * math.pi, 1.25 * math.pi, 25)
        ring = np.column_stack([x + radius * np.cos(angles), z + radius * np.sin(angles)])
        parts: list[Drawn] = []
        for side in (1.0, -1.0):
            rows = [np.insert(ring, 1, side * y, axis=1) for y in (deep, wide)]
            index = grid_triangles(2, len(ring), wraps=False)
            wall = np.concatenate([rows[0], np.array([[x, side * deep, z]])])
            around = np.arange(len(ring) - 1)
            disc = np.stack([around, around + 1, np.full(len(around), len(ring))], 1)
            parts += [
                creased(np.concatenate(rows), index if side > 0 else index[:, ::-1]),
                creased(wall, disc if side > 0 else disc[:, ::-1]),
            ]
        return joined(parts)

    def side_pane(self, outline: Floats, radius: float) -> Drawn:
        """Return what lies on both sides within an outline (x, z)."""
        line = rounded(outline, radius, is_closed=True)
        ends = line[:, 0].min() + 1e-6, line[:, 0].max() - 1e-6
        strips = int(min(max((ends[1] - ends[0]) / (_STRIP * self.length), 2), _STRIPS))
        x: Floats = np.linspace(float(ends[0]), float(ends[1]), strips)
        ahead = np.roll(line, -1, 0)
        low, high = np.full(len(x), np.inf), np.full(len(x), -np.inf)
        for (x0, z0), (x1, z1) in zip(line.tolist(), ahead.tolist(), strict=True):
            if x0 == x1:
                continue
            t = (x - x0) / (x1 - x0)
            hit = (t >= 0.0) & (t <= 1.0)
            z = z0 + t * (z1 - z0)
            low, high = (
                np.where(hit, np.minimum(low, z), low),
                np.where(hit, np.maximum(high, z), high),
            )
        half = self.section(x)
        share = np.linspace(0.0, 1.0, 5)
        z = low[:, None] + (high - low)[:, None] * share
        y = _looked_up(z, half[:, :, 1], half[:, :, 0])
        left = np.stack(
            [np.broadcast_to(x[:, None], y.shape), y + _LIFT * self.length, z], -1
        ).reshape(-1, 3)
        index = grid_triangles(len(x), len(share), wraps=False)
        return joined([
            creased(left, index), creased(left * (1.0, -1.0, 1.0), index[:, ::-1]),
        ])  # fmt: skip

    def top_pane(self, start: float, end: float, share: float) -> Drawn:
        """Return what lies on the top between two places, over a share of the width."""
        x = np.linspace(start, end, _STRIPS)
        half = self.section(x)[:, ::-1]  # from the middle outwards
        across = np.linspace(-1.0, 1.0, 17)
        y = share * np.abs(half[:, 4:5, 0]) * across
        z = _looked_up(np.abs(y), half[:, :10, 0], half[:, :10, 1])
        slope = np.asarray(np.gradient(z[:, 8], x), dtype=np.float64)[:, None]
        lift = _LIFT * self.length / np.hypot(1.0, slope)
        points = np.stack([x[:, None] - slope * lift + 0.0 * y, y, z + lift], -1).reshape(-1, 3)
        return creased(points, grid_triangles(len(x), 17, wraps=False)[:, ::-1])


def _looked_up(places: Floats, keys: Floats, values: Floats) -> Floats:
    """Return the values at places, row by row; keys grow."""
    rows: list[Floats] = [np.interp(*row) for row in zip(places, keys, values, strict=True)]
    return np.stack(rows)
