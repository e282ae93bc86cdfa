"""Triangulates extrusions as VRML97 defines them: a cross section swept along a spine.

At each spine point the cross section (x, z) is scaled, turned by the point's orientation and put into
the spine-aligned plane there, whose y axis follows the spine and whose z axis is perpendicular to the
plane in which the spine bends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from solidbody.base.errors import SolidbodyError
from solidbody.base.transforms import (
    IDENTITY,
    Quat,
    Vec3,
    add,
    cross,
    dot,
    norm,
    normalized,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.geometry.face_sets import shared_triples, triples_of_indices
from solidbody.formats.geometry.polygons import creased_normals, triangulated
from solidbody.model.geometry import GeometryMesh

MAX_POINTS: Final = 500_000
"""Points of one extrusion: spine points times cross section points."""

STRAIGHT: Final = 1e-12
"""Sine of the bend of a spine, relative to its pieces, below which it counts as straight there."""

_UP: Final[Vec3] = (0.0, 1.0, 0.0)
_NULL: Final[Vec3] = (0.0, 0.0, 0.0)

Axes = tuple[Vec3, Vec3, Vec3]


class ExtrusionError(SolidbodyError):
    """An extrusion cannot be built; `key` names what is wrong with it."""

    def __init__(self, key: str, text: str) -> None:
        self.key = key
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class Extrusion:
    """What an extrusion is made of; the defaults are those of VRML97 (a box of 2 x 1 x 2).

    Attributes:
        cross_section: Points (x, z); equal ends close it.
        spine: Points; equal ends close it.
        scales: Factors (x, z), one for all spine points or one for each.
        orientations: Turns of the cross section, one for all or one for each.
        begin_cap: Whether the end at the first spine point is closed.
        end_cap: Likewise at the last one.
        ccw: Whether the cross section turns counter-clockwise seen against the spine.
        crease_angle: [rad].
        two_sided: Whether back faces are drawn.
    """

    cross_section: tuple[tuple[float, float], ...] = ((1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))
    spine: tuple[Vec3, ...] = ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    scales: tuple[tuple[float, float], ...] = ((1.0, 1.0),)
    orientations: tuple[Quat, ...] = (IDENTITY,)
    begin_cap: bool = True
    end_cap: bool = True
    ccw: bool = True
    crease_angle: float = 0.0
    two_sided: bool = False

    def mesh(self) -> GeometryMesh:
        """Return the triangles.

        Raises:
            ExtrusionError: Too few or too many points, or lists that do not fit the spine.
        """
        self._check()
        count, length = len(self.spine), len(self.cross_section)
        section = self.cross_section
        is_section_closed = length > 2 and section[0] == section[-1]
        if is_section_closed:
            section = section[:-1]
        is_spine_closed = count > 2 and self.spine[0] == self.spine[-1]
        # the ends of a closed spine meet only if the cross section is the same at both
        is_ring = (
            is_spine_closed
            and self.scales[0] == self.scales[-1]
            and self.orientations[0] == self.orientations[-1]
        )
        rings = count - 1 if is_ring else count
        width = len(section)
        points: list[Vec3] = []
        for i, axes in enumerate(spine_axes(self.spine)[:rings]):
            points.extend(self._ring(i, axes, section))

        triangles: list[tuple[int, int, int]] = []
        columns = width if is_section_closed else width - 1
        for i in range(count - 1):
            low, high = i * width, (i + 1) % rings * width
            for j in range(columns):
                k = (j + 1) % width
                triangles.append((low + j, low + k, high + k))
                triangles.append((low + j, high + k, high + j))
        if not is_spine_closed and width >= 3:
            cap = triangulated([(x, 0.0, z) for x, z in section])
            # the cap's triangles turn as the section does: outwards at the end, inwards at the start
            if self.begin_cap:
                triangles.extend((c, b, a) for a, b, c in cap)
            if self.end_cap:
                last = (count - 1) * width
                triangles.extend((last + a, last + b, last + c) for a, b, c in cap)
        index = np.asarray(triangles, dtype=np.int64)
        if not self.ccw:
            index = index[:, ::-1]
        array = np.asarray(points, dtype=np.float64)
        return GeometryMesh(
            tuple(points),
            triples_of_indices(index, len(points)),
            shared_triples(creased_normals(array, index, self.crease_angle)),
            two_sided=self.two_sided,
        )

    def _check(self) -> None:
        count = len(self.spine)
        if len(self.cross_section) < 2:
            raise ExtrusionError("cross_section", "a cross section needs 2 points at least")
        if count < 2:
            raise ExtrusionError("spine", "a spine needs 2 points at least")
        if count * len(self.cross_section) > MAX_POINTS:
            raise ExtrusionError("spine", f"more than {MAX_POINTS} points would be needed")
        for key, items in (("scale", self.scales), ("orientation", self.orientations)):
            if len(items) != 1 and len(items) < count:
                raise ExtrusionError(
                    key,
                    f"expected 1 entry or one for each of the {count} spine points, "
                    f"got {len(items)}",
                )

    def _ring(self, i: int, axes: Axes, section: Sequence[tuple[float, float]]) -> list[Vec3]:
        """Return the cross section at a spine point."""
        sx, sz = self.scales[i if len(self.scales) > 1 else 0]
        turn = self.orientations[i if len(self.orientations) > 1 else 0]
        # turn first, then into the plane: the images of the section's own x and z
        x = _in_axes(quat_rotate(turn, (sx, 0.0, 0.0)), axes)
        z = _in_axes(quat_rotate(turn, (0.0, 0.0, sz)), axes)
        origin = self.spine[i]
        return [add(origin, add(scale(x, a), scale(z, b))) for a, b in section]


def _in_axes(v: Vec3, axes: Axes) -> Vec3:
    x, y, z = axes
    return add(add(scale(x, v[0]), scale(y, v[1])), scale(z, v[2]))


def spine_axes(spine: Sequence[Vec3]) -> list[Axes]:
    """Return the x, y and z axes of the spine-aligned plane at each point of a spine."""
    tangents = _tangents(spine)
    bends = _bends(spine)
    if all(bend == _NULL for bend in bends):
        return _straight(tangents)
    # where the spine does not bend, the plane before counts; at the start, the first one that is known
    latest = next(bend for bend in bends if bend != _NULL)
    result: list[Axes] = []
    for y, bend in zip(tangents, bends, strict=True):
        z = latest if bend == _NULL else bend
        if dot(z, latest) < 0.0:
            z = scale(z, -1.0)
        latest = z
        z = normalized(subtract(z, scale(y, dot(y, z))), fallback=z)
        result.append((cross(y, z), y, z))
    return result


def _tangents(spine: Sequence[Vec3]) -> list[Vec3]:
    """Return the unit y axes; points that coincide take the direction before them."""
    last = len(spine) - 1
    is_closed = last > 1 and spine[0] == spine[-1]
    raw: list[Vec3] = []
    for i in range(last + 1):
        if is_closed and i in (0, last):
            raw.append(subtract(spine[1], spine[last - 1]))
        else:
            raw.append(subtract(spine[min(i + 1, last)], spine[max(i - 1, 0)]))
    known = next((v for v in raw if norm(v) > 0.0), _UP)
    result: list[Vec3] = []
    for v in raw:
        known = v if norm(v) > 0.0 else known
        result.append(normalized(known))
    return result


def _bends(spine: Sequence[Vec3]) -> list[Vec3]:
    """Return the unit normals of the planes in which the spine bends; null where it does not."""
    last = len(spine) - 1
    is_closed = last > 1 and spine[0] == spine[-1]
    result = [_NULL] * (last + 1)
    for i in range(0 if is_closed else 1, last):
        before = spine[last - 1] if i == 0 else spine[i - 1]
        ahead, behind = subtract(spine[i + 1], spine[i]), subtract(before, spine[i])
        bend = cross(ahead, behind)
        if norm(bend) > STRAIGHT * norm(ahead) * norm(behind):
            result[i] = normalized(bend)
    if is_closed:
        result[last] = result[0]
    elif last > 1:
        result[0], result[last] = result[1], result[last - 1]
    return result


def _straight(tangents: Sequence[Vec3]) -> list[Axes]:
    """Return the axes of a straight spine: the shortest rotation that takes +y to it."""
    y = tangents[0]
    axis = cross(_UP, y)
    sine, cosine = norm(axis), y[1]
    if sine < STRAIGHT:
        x: Vec3 = (1.0, 0.0, 0.0)
    else:
        axis = normalized(axis)
        # Rodrigues' formula for the image of +x
        x = add(
            scale((1.0, 0.0, 0.0), cosine),
            add(scale(cross(axis, (1.0, 0.0, 0.0)), sine), scale(axis, axis[0] * (1.0 - cosine))),
        )
    return [(x, t, cross(x, t)) for t in tangents]
