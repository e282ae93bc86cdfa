"""Draws lines and points over rendered pictures, since they have no surface that rays could hit.

As in Webots a line is one pixel wide and a point a disc of some pixels, however far they are; no light
falls on them and they throw no shadows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import matrices
from solidbody.model.appearance import Color
from solidbody.model.geometry import GeometryLines, GeometryPoints
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

POINT_SIZE: Final = 5.0
"""[pixels] Across a point. A guess: Webots asks its renderer for no size."""

SLACK: Final = 1.0e-3
"""Share of its distance by which something may be nearer than a line or point that lies on it."""

NEAREST: Final = 1.0e-6
"""[m] Depth below which nothing is projected, whatever the eye says."""


@dataclass(frozen=True, slots=True, eq=False)
class OverlayLines:
    """The lines or points of one shape.

    Attributes:
        key: Row of its link, and number of the shape in it.
        points: (n, 3) in the frame of the link [m].
        segments: (m, 2) ends of lines; None = points.
        light: (n, 3) of the points, or (1, 3) of all.
    """

    key: tuple[int, int]
    points: Floats
    segments: NDArray[np.intp] | None
    light: Singles


@dataclass(frozen=True, slots=True)
class Pinhole:
    """A picture without distortion.

    Attributes:
        width: [pixels].
        height: [pixels].
        field_of_view: Angle across the width [rad].
        scale: How many of its pixels become one of what is shown, along each side.
    """

    width: int
    height: int
    field_of_view: float
    scale: int = 1


def has_overlay(scene: Scene) -> bool:
    """Whether there are lines or points in the world."""
    return any(
        isinstance(shape.geometry, GeometryLines | GeometryPoints)
        for link in scene.links()
        if not link.follows_view
        for shape in link.shapes
    )


def overlay_lines(scene: Scene, as_lit: Callable[[Color], Singles]) -> tuple[OverlayLines, ...]:
    """Return the lines and points of all links that stand in the world; `as_lit` gives light of colours."""
    found: list[OverlayLines] = []
    for row, link in enumerate(scene.links()):
        for number, shape in enumerate(() if link.follows_view else link.shapes):
            geometry, colors = shape.geometry, (_color(shape),)
            match geometry:
                case GeometryLines():
                    segments = np.array(geometry.segments, dtype=np.intp).reshape(-1, 2)
                case GeometryPoints():
                    segments, colors = None, geometry.colors or colors
                case _:
                    continue
            light = np.array([as_lit(color) for color in colors], dtype=np.float32)
            found.append(
                OverlayLines((row, number), _placed(shape, geometry.points), segments, light)
            )
    return tuple(found)


def _placed(shape: Shape, points: Sequence[Color]) -> Floats:
    turn = matrices(np.array([shape.pose.rotation]))[0]
    scaled = np.array(points).reshape(-1, 3) * np.array(shape.scale)
    return scaled @ turn.T + np.array(shape.pose.position)


def _color(shape: Shape) -> Color:
    return (1.0, 1.0, 1.0) if shape.appearance is None else shape.appearance.base_color


def draw_overlay(
    overlay: Sequence[OverlayLines],
    poses: Floats,
    picture: tuple[Singles, Singles],
    eye: tuple[Floats, Floats],
    lens: Pinhole,
    *,
    near: float,
) -> Singles:
    """Return the light of a picture (n, 3) with the lines and points that nothing hides.

    Args:
        overlay: What to draw.
        poses: (links, 7).
        picture: Light of each pixel, and the distance to what it shows [m].
        eye: Where it is, and its axes (columns: forward, left, up).
        lens: How it looks.
        near: Depth below which nothing is seen [m].
    """
    canvas = _Canvas(picture[0].copy(), picture[1].copy(), lens)
    near = max(near, NEAREST)
    for item in overlay:
        pose = poses[item.key[0]]
        world = item.points @ matrices(pose[None, 3:])[0].T + pose[:3]
        seen = (world - eye[0]) @ eye[1]
        if item.segments is None:
            _draw_points(canvas, seen, item.light, near)
        else:
            ends = seen[item.segments]
            _draw_lines(canvas, ends[:, 0], ends[:, 1], item.light, near)
    return canvas.light


class _Canvas:
    """Pixels that take what is nearer than what they show."""

    def __init__(self, light: Singles, distance: Singles, lens: Pinhole) -> None:
        self.light, self._distance, self.lens = light, distance, lens
        self._focal = 0.5 * lens.width / math.tan(0.5 * lens.field_of_view)

    def project(self, seen: Floats) -> Floats:
        """Return where points (n, 3) before the eye are [pixels]: to the right, down."""
        middle = np.array([0.5 * self.lens.width, 0.5 * self.lens.height])
        return middle - self._focal * seen[:, 1:] / seen[:, :1]

    def within(self, first: Floats, last: Floats) -> tuple[Floats, Floats]:
        """Return from which share of lines to which they are in the picture; the wrong way round = never."""
        way = last - first
        size = np.array([self.lens.width, self.lens.height], dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            edges = np.stack([-first / way, (size - first) / way])
        is_in = (first >= 0.0) & (first <= size)
        low = np.where(way != 0.0, edges.min(axis=0), np.where(is_in, 0.0, np.inf))
        high = np.where(way != 0.0, edges.max(axis=0), np.where(is_in, 1.0, -np.inf))
        return np.clip(low.max(axis=1), 0.0, 2.0), np.clip(high.min(axis=1), -1.0, 1.0)

    def dab(self, at: Floats, away: Floats, light: Singles) -> None:
        """Show light (n, 3) or (1, 3) at pixels (n, 2), so far away [m]; of equal pixels the last counts."""
        column, row = np.floor(at[:, 0]).astype(int), np.floor(at[:, 1]).astype(int)
        width, height = self.lens.width, self.lens.height
        on = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        pixel, away = (row * width + column)[on], away[on]
        shown = away <= self._distance[pixel] * (1.0 + SLACK)
        self.light[pixel[shown]] = np.broadcast_to(light, (len(at), 3))[on][shown]
        self._distance[pixel[shown]] = away[shown]


def _draw_lines(canvas: _Canvas, start: Floats, end: Floats, light: Singles, near: float) -> None:
    """Colour the pixels along lines, as far as they are before the eye."""
    ahead = np.maximum(start[:, 0], end[:, 0]) > near
    start, end = start[ahead], end[ahead]
    if not len(start):
        return
    deep = np.where(start[:, 0] == end[:, 0], 1.0, end[:, 0] - start[:, 0])
    cut = start + (end - start) * ((near - start[:, 0]) / deep)[:, None]
    start = np.where(start[:, :1] < near, cut, start)
    end = np.where(end[:, :1] < near, cut, end)
    first, last = canvas.project(start), canvas.project(end)
    low, high = canvas.within(first, last)
    counts = 2 * np.ceil(np.abs(last - first).max(axis=1) * (high - low)).astype(int) + 2
    counts[high < low] = 0
    line = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(line)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (low[line] + (high - low)[line] * number / (counts[line] - 1))[:, None]
    at = first[line] + share * (last[line] - first[line])
    # 1/x is linear on the screen
    a, b = start[line], end[line]
    along = share * a[:, :1] / (b[:, :1] + share * (a[:, :1] - b[:, :1]))
    away = np.linalg.norm(a + along * (b - a), axis=1)
    half = 0.5 * (canvas.lens.scale - 1)
    for dx in range(canvas.lens.scale):
        for dy in range(canvas.lens.scale):
            canvas.dab(at + np.array([dx - half, dy - half]), away, light)


def _draw_points(canvas: _Canvas, seen: Floats, light: Singles, near: float) -> None:
    """Colour a disc around each point before the eye, the nearest last."""
    radius = 0.5 * POINT_SIZE * canvas.lens.scale
    side = np.arange(-math.ceil(radius), math.ceil(radius) + 1)
    disc = [(x, y) for x in side for y in side if x * x + y * y <= radius * radius]
    order = np.argsort(-seen[:, 0])
    order = order[seen[order, 0] > near]
    at, away = canvas.project(seen[order]), np.linalg.norm(seen[order], axis=1)
    colors = light[order] if len(light) > 1 else light
    for offset in disc:
        canvas.dab(at + np.array(offset), away, colors)
