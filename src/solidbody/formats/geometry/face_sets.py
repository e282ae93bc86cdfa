"""Triangulates large lists of polygons with numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.transforms import Vec3
from solidbody.formats.geometry.many_polygons import all_triangulated
from solidbody.formats.geometry.polygons import Floats, Indices, are_convex, triangulated

_FOUR: Final = np.arange(4)
_FAN: Final = np.array(((0, 1, 2), (0, 2, 3)))
"""The two triangles of four corners."""

MANY: Final = 50
"""Polygons with as many corners that are worth arrays."""

CHUNK: Final = 10_000
"""Rows that are Python lists at a time: all at once would need ten times the memory of the array."""


def has_faces(written: Sequence[int]) -> bool:
    """Whether a list of polygons has any: anything but the -1 that end them."""
    return any(number != -1 for number in written)


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
        numbers = np.full(len(written) + 1, -1.0)
        numbers[:-1] = written
        # whole numbers beyond 2^53 are not indices of anything
        array = np.minimum(np.maximum(numbers, -(2.0**53)), 2.0**53).astype(np.int64)
        (ends,) = np.nonzero(array == -1)
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1] + 1
        lengths = ends - starts
        if lengths.all():
            return cls(array, starts, lengths)
        return cls(array, starts[lengths > 0], lengths[lengths > 0])

    def triangulated(self, points: Floats, *, is_turned: bool) -> Corners:
        """Return the triangles that fill the polygons; `is_turned` turns them over."""
        good = self.lengths >= 3
        if self.numbers.min() < -1 or self.numbers.max() >= len(points):
            is_inside = (self.numbers >= 0) & (self.numbers < len(points))
            inside = np.concatenate(([0], np.cumsum(is_inside)))
            good &= (inside[self.starts + self.lengths] - inside[self.starts]) == self.lengths
        faces, places = self._simple(points, good)
        # in the order of the file
        if len(faces) == 1:
            (face,), (place,) = faces, places
        else:
            face, place = np.concatenate(faces), np.concatenate(places)
            order = np.argsort(face, kind="stable")
            face, place = face[order], place[order]
        if is_turned:
            place = place[:, ::-1]
        triangles = self.numbers[self.starts[face][:, None] + place]
        return Corners(triangles, face, place, int(np.count_nonzero(~good)))

    def _simple(
        self, points: Floats, good: NDArray[np.bool_]
    ) -> tuple[list[Indices], list[Indices]]:
        """Return triangles in groups: of which polygon each is, and which of its corners it has."""
        (three,) = np.nonzero(good & (self.lengths == 3))
        (four,) = np.nonzero(good & (self.lengths == 4))
        (others,) = np.nonzero(good & (self.lengths > 4))
        faces: list[Indices] = []
        places: list[Indices] = []
        if len(four):
            convex = np.zeros(len(four), dtype=np.bool_)
            for first in range(0, len(four), CHUNK):
                part = slice(first, first + CHUNK)
                quads = self.numbers[self.starts[four[part]][:, None] + _FOUR]
                convex[part] = are_convex(points[quads])
            fans = four[convex]
            faces.append(np.repeat(fans, 2))
            places.append(_FAN[np.arange(2 * len(fans)) % 2])
            if not convex.all():
                others = np.concatenate((four[~convex], others))
        if len(three) or not faces:
            faces.append(three)
            places.append(_FAN[np.zeros_like(three)])
        for count in np.unique(self.lengths[others]).tolist():
            alike = others[self.lengths[others] == count]
            step = max(CHUNK // count, 1)
            for part in (alike[first : first + step] for first in range(0, len(alike), step)):
                corners = points[self.numbers[self.starts[part][:, None] + np.arange(count)]]
                if len(part) >= MANY:
                    cut = all_triangulated(corners)
                else:
                    polygons: list[list[Vec3]] = corners.tolist()
                    cut = np.array([triangulated(polygon) for polygon in polygons])
                faces.append(np.repeat(part, count - 2))
                places.append(cut.reshape(-1, 3))
        return faces, places


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
    number = list(range(count)).__getitem__
    result: list[tuple[int, int, int]] = []
    for first in range(0, len(rows), CHUNK):
        a, b, c = rows[first : first + CHUNK].T.tolist()
        result.extend(zip(map(number, a), map(number, b), map(number, c), strict=True))
    return tuple(result)


def shared_triples(rows: Floats) -> tuple[Vec3, ...]:
    """Return rows as tuples; equal ones are one object, since neighbours have the same normals."""
    known: dict[Vec3, Vec3] = {}
    result: list[Vec3] = []
    for first in range(0, len(rows), CHUNK):
        x, y, z = rows[first : first + CHUNK].T.tolist()
        part: list[Vec3] = list(zip(x, y, z, strict=True))
        result.extend(map(known.setdefault, part, part))
    return tuple(result)
