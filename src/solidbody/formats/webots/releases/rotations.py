"""Tells programs of older worlds rotations as their release did: the same turn, about another axis."""

from __future__ import annotations

from typing import Final

from solidbody.formats.webots.releases.release import FIRST_Z_UP, Release

FIRST_FREE_AXIS: Final = Release(2021, "b")
"""Since then the axis of what moves may point either way; before, it kept to the side of the file's axis."""

ASIDE: Final = 1e-9
"""An axis at right angles to the file's is on its side, whatever rounding says."""

Rotation = tuple[float, ...]


def rotation_as_of(
    release: Release, rotation: Rotation, written: Rotation | None = None
) -> Rotation:
    """Return a rotation (axis and angle) of what moves as a release told it.

    `written`: That of the file, for what forces move; None for others.
    """
    if release >= FIRST_Z_UP:
        return rotation
    x, y, z, angle = rotation
    if angle == 0.0:
        return (0.0, 1.0, 0.0, 0.0) if (x, y, z) == (0.0, 0.0, 1.0) else rotation
    if release < FIRST_FREE_AXIS and written is not None:
        side = x * written[0] + y * written[1] + z * written[2]
        is_written = written[3] != 0.0 or written[:3] != (0.0, 0.0, 1.0)
        if (side if is_written else y) < -ASIDE:
            return (-x, -y, -z, -angle)
    return rotation
