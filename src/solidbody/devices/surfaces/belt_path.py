"""Geometry of a track belt around its wheels, for cameras and for the page.

A belt runs around its wheels in its xz plane, clockwise for an eye that has x to the right and z up. It
starts on the first wheel, where it leaves towards the second, and touches wheels inside the loop with its
inner side, wheels outside the loop with its outer side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from solidbody.base.transforms import Pose
from solidbody.base.vectors import multiply, rotate
from solidbody.devices.core.device_frames import Floats
from solidbody.model.devices import BeltWheel, DeviceTrackBelt

SAME_PLACE: Final = 1e-7
"""[m] Wheels that follow each other within this distance are one: no line goes from one to the other."""
ALMOST_A_TURN: Final = 2.0 * math.pi - 1e-9
"""[rad] Arcs beyond it are rounding of an arc of length zero: a belt leaves a wheel before a full turn."""


@dataclass(frozen=True, slots=True)
class BeltPath:
    """A closed path of arcs and straights, in turn; one row each.

    Attributes:
        start: Length of the path before each piece [m].
        origin: (n, 2) centre of an arc, first point of a straight.
        outward: Angle in the plane, from x to z, of the outward direction where a piece begins [rad].
        radius: Of arcs; negative where the wheel is outside the loop; 0 = straight [m].
        length: Of the whole path [m].
    """

    start: Floats
    origin: Floats
    outward: Floats
    radius: Floats
    length: float

    def at(self, along: Floats) -> tuple[Floats, Floats]:
        """Return points (n, 2) of the path and the angles of the outward direction there.

        Args:
            along: How far from the start of the path [m]; it begins again after its length.
        """
        along = np.mod(along, self.length)
        k = np.searchsorted(self.start, along, side="right") - 1
        rest, radius = along - self.start[k], self.radius[k]
        is_arc = radius != 0.0
        turn = np.divide(rest, radius, out=np.zeros_like(rest), where=is_arc)
        outward = self.outward[k] - turn
        x, z = np.cos(outward), np.sin(outward)
        # ahead is a quarter turn clockwise from outwards
        ahead = np.where(is_arc, 0.0, rest)
        shift = np.stack([radius * x + ahead * z, radius * z - ahead * x], axis=1)
        return self.origin[k] + shift, outward


@lru_cache(maxsize=64)
def belt_path(wheels: tuple[BeltWheel, ...]) -> BeltPath | None:
    """Return the path around wheels in their order; None = there are none."""
    kept = [w for k, w in enumerate(wheels) if k == 0 or _gap(wheels[k - 1], w) > SAME_PLACE]
    if len(kept) > 1 and _gap(kept[-1], kept[0]) <= SAME_PLACE:
        kept.pop()
    if not kept:
        return None
    sides = [wheel.radius if wheel.inner else -wheel.radius for wheel in kept]
    if len(kept) == 1:
        top = np.array([0.5 * math.pi])
        circle = 2.0 * math.pi * kept[0].radius
        centre = np.array([kept[0].position])
        return BeltPath(np.zeros(1), centre, top, np.array([abs(sides[0])]), circle)
    following = [*range(1, len(kept)), 0]
    leaving = [_tangent(kept[k], kept[n], sides[k], sides[n]) for k, n in enumerate(following)]
    pieces: list[tuple[float, tuple[float, float], float, float]] = []
    for k, n in enumerate(following):
        begin = _touch(kept[k], sides[k], leaving[k])
        end = _touch(kept[n], sides[n], leaving[k])
        pieces.append((math.dist(begin, end), begin, leaving[k], 0.0))
        turn = math.copysign(1.0, sides[n]) * (leaving[k] - leaving[n]) % (2.0 * math.pi)
        turn = 0.0 if turn > ALMOST_A_TURN else turn
        pieces.append((turn * kept[n].radius, kept[n].position, leaving[k], sides[n]))
    lengths = np.array([piece[0] for piece in pieces])
    return BeltPath(
        start=np.concatenate([[0.0], np.cumsum(lengths)[:-1]]),
        origin=np.array([piece[1] for piece in pieces]),
        outward=np.array([piece[2] for piece in pieces]),
        radius=np.array([piece[3] for piece in pieces]),
        length=float(lengths.sum()),
    )


def _gap(first: BeltWheel, second: BeltWheel) -> float:
    return math.dist(first.position, second.position)


def _tangent(first: BeltWheel, second: BeltWheel, side1: float, side2: float) -> float:
    """Return the angle of the outward direction m of the straight between two wheels.

    Both wheels are touched at their centre + side·m, and the straight is square to m, so that
    (centre2 - centre1)·m = side1 - side2.
    """
    dx, dz = (b - a for a, b in zip(first.position, second.position, strict=True))
    share = (side1 - side2) / math.hypot(dx, dz)
    return math.atan2(dz, dx) + math.acos(min(max(share, -1.0), 1.0))


def _touch(wheel: BeltWheel, side: float, outward: float) -> tuple[float, float]:
    x, z = wheel.position
    return x + side * math.cos(outward), z + side * math.sin(outward)


def belt_elements(belt: DeviceTrackBelt, travel: float) -> Floats:
    """Return the poses (n, 7) of the shapes along a belt, in the frame of its link.

    Rows are position [m] and quaternion w x y z of `belt.element` (its own `pose` is in them, its `scale` is
    not), at equal distances from the start of the path on; x of the belt goes along the path, z outwards.

    Args:
        belt: The belt; one without element, count or wheels has no rows.
        travel: How far it has run: position of the track's joint [m].
    """
    path = belt_path(belt.wheels)
    count = belt.element_count
    if belt.element is None or path is None or count <= 0:
        return np.zeros((0, 7))
    point, outward = path.at(travel + np.arange(count, dtype=np.float64) * (path.length / count))
    # turned about y until z, which is at a quarter turn from x, is outwards
    half = 0.5 * (0.5 * math.pi - outward)
    none = np.zeros(count)
    position = np.stack([point[:, 0], none, point[:, 1]], axis=1)
    turn = np.stack([np.cos(half), none, np.sin(half), none], axis=1)
    inner, outer = (_row(pose) for pose in (belt.element.pose, belt.pose))
    return _joined(outer, _joined(np.concatenate([position, turn], axis=1), inner))


def _row(pose: Pose) -> Floats:
    return np.array([[*pose.position, *pose.rotation]])


def _joined(outer: Floats, inner: Floats) -> Floats:
    """Return poses given in the frames `outer` in the frame that those are given in, row by row."""
    place = outer[:, :3] + rotate(outer[:, 3:], inner[:, :3])
    return np.concatenate([place, multiply(outer[:, 3:], inner[:, 3:])], axis=1)
