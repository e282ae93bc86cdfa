"""Lists of polygons to triangles: arrays throughout, because face sets are the largest thing in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.base.transforms import Vec3
from solidbody.formats.geometry.polygons import Floats, Indices, are_convex, triangulated

CHUNK: Final = 10_000
"""Rows that are Python lists at a time: all at once would need ten times the memory of the array."""


@dataclass(frozen=True, slots=True)
class Polygons:
    """Runs of numbers in one array.

    Attributes:
        numbers: All numbers of the field, the -1 between runs included.
        starts: Where each run starts.
        lengths: How many numbers it has, > 0.
    """

    numbers: Indices
    starts: Indices
    lengths: Indices

    @classmethod
    def read(cls, written: Sequence[int]) -> Polygons:
        """Return the runs between the -1 that end polygons."""
        # whole numbers beyond 2^53 are not indices of anything
        numbers = np.clip(np.asarray(written, dtype=np.float64), -(2.0**53), 2.0**53)
        array = np.concatenate((numbers.astype(np.int64), [-1]))
        ends = np.flatnonzero(array == -1)
        starts = np.concatenate(([0], ends[:-1] + 1))
        lengths = ends - starts
        return cls(array, starts[lengths > 0], lengths[lengths > 0])

    def triangulated(self, points: Floats, *, is_turned: bool) -> Corners:
        """Return the triangles that fill the polygons; `is_turned` turns them over."""
        is_inside = (self.numbers >= 0) & (self.numbers < len(points))
        inside = np.concatenate(([0], np.cumsum(is_inside)))
        good = (inside[self.starts + self.lengths] - inside[self.starts]) == self.lengths
        good &= self.lengths >= 3
        three = np.flatnonzero(good & (self.lengths == 3))
        four = np.flatnonzero(good & (self.lengths == 4))
        convex = np.zeros(len(four), dtype=np.bool_)
        for first in range(0, len(four), CHUNK):
            part = slice(first, first + CHUNK)
            quads = self.numbers[self.starts[four[part]][:, None] + np.arange(4)]
            convex[part] = are_convex(points[quads])
        fans = four[convex]
        others = np.concatenate((four[~convex], np.flatnonzero(good & (self.lengths > 4))))

        faces = [three, fans, fans]
        places = [np.full((len(three), 3), (0, 1, 2)), np.full((len(fans), 3), (0, 1, 2))]
        places.append(np.full((len(fans), 3), (0, 2, 3)))
        for face in others.tolist():
            start = int(self.starts[face])
            corners = points[self.numbers[start : start + int(self.lengths[face])]].tolist()
            cut = triangulated([(x, y, z) for x, y, z in corners])
            faces.append(np.full(len(cut), face))
            places.append(np.asarray(cut, dtype=np.int64))
        face = np.concatenate(faces)
        place = np.concatenate(places)
        order = np.argsort(face, kind="stable")  # as in the file
        face, place = face[order], place[order]
        if is_turned:
            place = place[:, ::-1]
        triangles = self.numbers[self.starts[face][:, None] + place]
        return Corners(triangles, face, place, int(np.count_nonzero(~good)))


@dataclass(frozen=True, slots=True)
class Corners:
    """Triangles, and which corner of which polygon each of their corners is.

    Attributes:
        triangles: Indices of points, n x 3.
        face: The polygon of each triangle.
        place: Where in that polygon its corners stand, n x 3.
        bad: Polygons that could not be used.
    """

    triangles: Indices
    face: Indices
    place: Indices
    bad: int

    def values_of(self, runs: Polygons) -> Indices | None:
        """Return the number of each triangle corner in runs that go along with the polygons.

        None if there are fewer runs than polygons, or one is too short.
        """
        if self.face.max() >= len(runs.lengths):
            return None
        if np.any(self.place.max(axis=1) >= runs.lengths[self.face]):
            return None
        return runs.numbers[runs.starts[self.face][:, None] + self.place].reshape(-1)

    def values_per_face(self, written: Sequence[int], count: int) -> Indices | None:
        """Return the number of each triangle corner when each of `count` polygons has one."""
        numbers = Polygons.read(written).numbers[:-1] if written else np.arange(count)
        if self.face.max() >= len(numbers):
            return None
        return np.repeat(numbers[self.face], 3)


def triples_of_indices(rows: Indices, count: int) -> tuple[tuple[int, int, int], ...]:
    """Return rows of indices below `count` as tuples that share their numbers."""
    number = list(range(count))
    result: list[tuple[int, int, int]] = []
    for first in range(0, len(rows), CHUNK):
        part: list[list[int]] = rows[first : first + CHUNK].tolist()
        result.extend((number[a], number[b], number[c]) for a, b, c in part)
    return tuple(result)


def shared_triples(rows: Floats) -> tuple[Vec3, ...]:
    """Return rows as tuples; equal ones are one object, since neighbours have the same normals."""
    known: dict[Vec3, Vec3] = {}
    result: list[Vec3] = []
    for first in range(0, len(rows), CHUNK):
        for x, y, z in rows[first : first + CHUNK].tolist():
            row = (x, y, z)
            result.append(known.setdefault(row, row))
    return tuple(result)
