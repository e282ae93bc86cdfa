"""Ray angles of lidars that scan by a table in a file, such as the Livox Mid-360.

The file is what Choreonoid's plugin for the Livox Mid-360 reads: a line of names, then one ray per line with
its time, azimuth and zenith, in degrees. Azimuth turns about the lidar's upright axis, to the right; zenith
is the angle from that axis. The times do not count: each scan takes the next rays.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MAX_BYTES: Final = 200_000_000
"""Larger files are not read: four seconds of a real lidar are 800,000 rays, some 30 MB."""


@dataclass(slots=True)
class ScanSequence:
    """Rays of a file; each scan takes the next of them, from the beginning again after the last.

    Attributes:
        angles: (n, 2) azimuth and zenith [rad].
        samples: Rays per scan.
        place: First ray of the next scan.
    """

    angles: Floats
    samples: int
    place: int = 0

    def advance(self) -> int:
        """Return the first ray of the next scan, which begins behind it the time after."""
        first = self.place
        self.place = (self.place + self.samples) % len(self.angles)
        return first

    def directions(self, first: int) -> Floats:
        """Return (1, samples, 3): the rays of a scan from number `first` on; x forward, y left, z up."""
        azimuth, zenith = self.angles[(first + np.arange(self.samples)) % len(self.angles)].T
        flat = np.sin(zenith)
        out = np.stack([flat * np.cos(azimuth), -flat * np.sin(azimuth), np.cos(zenith)], axis=-1)
        return out[None]


def read_angles(path: Path) -> Floats:
    """Return (n, 2) azimuth and zenith [rad]; OSError or ValueError tell why not."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    with path.open(encoding="utf-8", errors="replace") as file:
        has_rays = any(line.strip() for number, line in enumerate(file) if number)
    if not has_rays:
        raise ValueError("it has no rays")
    try:
        table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2, encoding="utf-8")
    except ValueError as problem:
        raise ValueError(f"it is no table of numbers: {problem}") from problem
    if table.shape[1] != 3:
        raise ValueError(
            f"its lines have {table.shape[1]} numbers, not three: time, azimuth and zenith"
        )
    if not np.isfinite(table).all():
        raise ValueError("some of its angles are no numbers")
    return np.radians(table[:, 1:])
