"""Bounds of an object in a camera's view, cut at the edges of the picture, for recognition.

The rules are those of Webots' `WbObjectDetection`: forms with corners (boxes, meshes, grids) lose what is
beyond the planes through the edges of the picture, each corner moved onto the planes that it is behind; round
forms are moved and made smaller by what is outside, where the field of view is at most a right angle. One
that is wider than half of the sphere sees all that is before it, and what is behind it and outside of the
cone that it does not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.model.devices import DeviceCamera, Projection
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.shapes import Shape
from solidbody.render.shapes import form_of

Floats = NDArray[np.float64]

RIGHT, BOTTOM, LEFT, TOP = range(4)
FEW_ROWS = 1.27
"""Webots' picture is this much higher than its rows say, where a spherical picture needs no cameras that look
up and down."""
NEEDS_UP = 2.0 * math.asin(1.0 / math.sqrt(3.0))
"""[rad] Height from which on it has them."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A box in the camera frame (x forward, y left, z up); `is_round` if balls alone are in it."""

    low: Floats
    high: Floats
    is_round: bool

    @property
    def centre(self) -> Floats:
        """Its middle."""
        return 0.5 * (self.low + self.high)

    @property
    def size(self) -> Floats:
        """Its extents."""
        return self.high - self.low

    def corners(self) -> Floats:
        """Return the points that stand for the thing, from the middle: six of a ball, else eight of a box."""
        half = 0.5 * self.size
        if self.is_round:
            signs = np.array(
                [[s if k == axis else 0.0 for k in range(3)] for axis in range(3) for s in (1, -1)]
            )
        else:
            signs = np.array([[x, y, z] for z in (1, -1) for y in (1, -1) for x in (1, -1)])
        return signs * half


@dataclass(frozen=True, slots=True)
class Frustum:
    """The four planes through the edges of a picture: inward unit normals (4, 3) in the camera frame."""

    normals: Floats
    field_of_view: float

    @property
    def is_wide(self) -> bool:
        """Whether more than half of the sphere is seen."""
        return self.field_of_view > math.pi

    def bounds(self, pieces: Iterable[tuple[Shape, Floats, Floats]]) -> Bounds | None:
        """Return the bounds of what is in view of shapes, each with axes (columns) and place of its frame.

        None = nothing is.
        """
        found: Bounds | None = None
        for shape, axes, place in pieces:
            one = self._one(shape, axes, place)
            if one is not None and found is not None:
                low, high = np.minimum(found.low, one.low), np.maximum(found.high, one.high)
                one = Bounds(low, high, found.is_round and one.is_round)
            found = one or found
        return found

    def ball(self, centre: Floats, radius: float) -> Bounds | None:
        """Return the bounds of what is in view of a ball."""
        return self._rounded(centre, np.full(3, 2.0 * radius), is_ball=True)

    def _one(self, shape: Shape, axes: Floats, place: Floats) -> Bounds | None:
        scale = np.array(shape.scale)
        match shape.geometry:
            case GeometrySphere(radius=r):
                return self.ball(place, r * float(np.abs(scale).max()))
            case GeometryCylinder(radius=r, height=h):
                return self._rounded(place, _lengths(axes[:, 2], h * scale[2], r * scale[0]))
            case GeometryCapsule(radius=r, height=h):
                wide = r * scale[0]
                return self._rounded(place, _lengths(axes[:, 2], h * scale[2] + 2.0 * wide, wide))
            case GeometryBox(size=size):
                corners = _box(-0.5 * np.array(size), 0.5 * np.array(size))
            case GeometryMesh(vertices=vertices):
                corners = np.array(vertices)
            case geometry:
                form = form_of(geometry)
                assert form is not None
                corners = _box(np.array(form.low), np.array(form.high))
        return self._cornered(place + (corners * scale) @ axes.T)

    def _cornered(self, points: Floats) -> Bounds | None:
        """Return the bounds of corners; those beyond an edge are moved onto it."""
        is_ahead = points[:, 0] > 0.0
        away = points @ self.normals.T
        if self.is_wide:
            is_inside = is_ahead | (away < 0.0).any(axis=1)
            nearest = np.argmin(away, axis=1)
            moved = points - away.min(axis=1)[:, None] * self.normals[nearest]
            kept = np.where(is_inside[:, None], points, moved)
            beyond = np.full(4, not is_inside.all())
            within = np.full(4, bool(is_inside.any()))
        else:
            kept, behind = points[is_ahead], points[~is_ahead]
            if not len(kept):
                return None
            beyond, within = np.zeros(4, dtype=bool), np.zeros(4, dtype=bool)
            is_inside = np.ones(len(kept), dtype=bool)
            for k, normal in enumerate(self.normals):
                away_k = kept @ normal
                is_beyond = away_k < 0.0
                beyond[k], within[k] = is_beyond.any(), not is_beyond.all()
                is_inside &= ~is_beyond
                kept = kept - np.minimum(away_k, 0.0)[:, None] * normal
            kept = np.concatenate([kept, behind])
        across = beyond[RIGHT] and beyond[LEFT] and within[BOTTOM] and within[TOP]
        upright = beyond[BOTTOM] and beyond[TOP] and within[RIGHT] and within[LEFT]
        if not (is_inside.any() or across or upright):
            return None
        return Bounds(kept.min(axis=0), kept.max(axis=0), is_round=False)

    def _rounded(self, centre: Floats, size: Floats, *, is_ball: bool = False) -> Bounds | None:
        half = 0.5 * size[[1, 2, 1, 2]]
        away = self.normals @ centre
        outside = np.zeros(4)
        if self.is_wide:
            if centre[0] < 0.0 and not (away < -half).any():
                return None
        else:
            if (away < -half).any():
                return None
            outside = np.maximum(half - away, 0.0)
        if self.field_of_view <= 0.5 * math.pi:
            size = size - np.array(
                [0.0, outside[RIGHT] + outside[LEFT], outside[BOTTOM] + outside[TOP]]
            )
            shift = [0.0, outside[RIGHT] - outside[LEFT], outside[BOTTOM] - outside[TOP]]
            centre = centre + 0.5 * np.array(shift)
        return Bounds(centre - 0.5 * size, centre + 0.5 * size, is_round=is_ball)


def frustum_of(camera: DeviceCamera, field_of_view: float) -> Frustum:
    """Return what a camera has in view at a zoom."""
    half = 0.5 * field_of_view
    is_planar = camera.projection is Projection.PLANAR
    aspect = camera.width / camera.height
    if is_planar or field_of_view > math.pi:
        half_height = math.atan(math.tan(half) / aspect)
    else:
        height = field_of_view / aspect
        half_height = 0.5 * height * (1.0 if height > NEEDS_UP else FEW_ROWS)
    if is_planar or half < 0.5 * math.pi:
        x, y, z = 1.0, math.tan(half), math.tan(half_height)
    else:
        flat = math.cos(half_height)
        x, z = flat * math.cos(half), math.sin(half_height)
        lean = -math.sin(half_height) if abs(half_height) > 0.25 * math.pi else flat
        y = lean * math.sin(half)
    corners = np.array([[x, -y, z], [x, -y, -z], [x, y, -z], [x, y, z]])
    normals = np.cross(corners, np.roll(corners, -1, axis=0))
    lengths = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return Frustum(normals / lengths, field_of_view)


def ball_around(pieces: Iterable[tuple[Shape, Floats, Floats]]) -> tuple[Floats, float] | None:
    """Return centre and radius of a ball around shapes, one after the other; None = there are none."""
    found: tuple[Floats, float] | None = None
    for shape, axes, place in pieces:
        form = form_of(shape.geometry)
        if form is None:
            continue
        low, high = (np.array(end) * np.array(shape.scale) for end in (form.low, form.high))
        middle, radius = (
            place + axes @ (0.5 * (low + high)),
            0.5 * float(np.linalg.norm(high - low)),
        )
        if isinstance(shape.geometry, GeometrySphere):
            radius = 0.5 * float(np.abs(high - low).max())
        if found is not None:
            middle, radius = _joined(*found, middle, radius)
        found = middle, radius
    return found


def _joined(a: Floats, ra: float, b: Floats, rb: float) -> tuple[Floats, float]:
    """Return the smallest ball around two."""
    apart = float(np.linalg.norm(b - a))
    if apart + rb <= ra:
        return a, ra
    if apart + ra <= rb:
        return b, rb
    radius = 0.5 * (ra + rb + apart)
    return a + (b - a) * ((radius - ra) / apart), radius


def _box(low: Floats, high: Floats) -> Floats:
    return np.array(
        [[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    )


def _lengths(axis: Floats, height: float, radius: float) -> Floats:
    """Return the extents of a cylinder along the axes of the camera; Webots takes capsules for such."""
    return np.abs(axis) * height + 2.0 * radius * np.sqrt(np.maximum(1.0 - axis**2, 0.0))
