"""Sequences of ray angles that some lidars read from a file instead of scanning a grid.

The file is a table of text with one ray per line: columns named "azimuth" and "zenith" in its first line (in
any case, with "/deg" or "/rad" behind; degrees if nothing is said), or the last two of each line without
names. Azimuth turns about the lidar's upright axis, to the left; zenith is the angle from that axis.
"""

from __future__ import annotations

import csv
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
        precision: Standard deviation of each angle [rad].
        place: First ray of the next scan.
    """

    angles: Floats
    samples: int
    precision: float
    place: int = 0

    def advance(self) -> int:
        """Return the first ray of the next scan, which begins behind it the time after."""
        first = self.place
        self.place = (self.place + self.samples) % len(self.angles)
        return first

    def directions(self, first: int, random: np.random.Generator) -> Floats:
        """Return (1, samples, 3): the rays of a scan from number `first` on; x forward, y left, z up."""
        angles = self.angles[(first + np.arange(self.samples)) % len(self.angles)]
        if self.precision > 0.0:
            angles = angles + self.precision * random.standard_normal(angles.shape)
        azimuth, zenith = angles[:, 0], angles[:, 1]
        flat = np.sin(zenith)
        out = np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.cos(zenith)], axis=-1)
        return out[None]


def read_angles(path: Path) -> Floats:
    """Return (n, 2) azimuth and zenith [rad]; OSError or ValueError tell why not."""
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        first = next(csv.reader(file), [])
    names = [name.strip().lower() for name in first]
    has_names = any(name.startswith(("azimuth", "zenith")) for name in names)
    columns = [_column(names, "azimuth"), _column(names, "zenith")] if has_names else [-2, -1]
    try:
        table = np.loadtxt(path, delimiter=",", skiprows=int(has_names), ndmin=2, encoding="utf-8")
    except ValueError as problem:
        raise ValueError(f"it is no table of numbers: {problem}") from problem
    if table.shape[1] < 2 or not len(table):
        raise ValueError("it has no rays")
    angles = table[:, columns]
    if not np.isfinite(angles).all():
        raise ValueError("some of its angles are no numbers")
    is_radian = [has_names and names[k].endswith("/rad") for k in columns]
    return np.where(is_radian, angles, np.radians(angles))


def _column(names: list[str], wanted: str) -> int:
    found = next((k for k, name in enumerate(names) if name.startswith(wanted)), None)
    if found is None:
        raise ValueError(f'it has no column "{wanted}", only {", ".join(names)}')
    return found
