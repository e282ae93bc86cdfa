"""Parses Webots releases: which one a file was written for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

_RELEASE = re.compile(r"R(\d{4})([a-z])")
_OLD = re.compile(r"V(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True, order=True)
class Release:
    """A release as (year, letter); the numbered ones before 2018 count as year 0."""

    year: int
    letter: str

    def __str__(self) -> str:
        return f"R{self.year}{self.letter}" if self.year else f"V{self.letter}"


@lru_cache(maxsize=256)
def parse_release(text: str) -> Release | None:
    """Return the release of a header word such as R2025a or V8.6, or None if it is neither."""
    found = _RELEASE.match(text)
    if found:
        return Release(int(found.group(1)), found.group(2))
    found = _OLD.match(text)
    return Release(0, f"{found.group(1)}.{found.group(2) or 0}") if found else None


def release_of_file(path: Path) -> Release:
    """Return the release that the first line of a file names; the newest if it names none."""
    try:
        with path.open("rb") as file:
            line = file.readline(HEADER_LENGTH).decode("utf-8", errors="replace")
    except OSError:
        return NEWEST
    words = line.split()
    return (parse_release(words[1]) if len(words) > 1 else None) or NEWEST


HEADER_LENGTH: Final = 100
"""[bytes] More than any header has."""

NEWEST: Final = Release(2025, "b")
"""Files of later releases load with a warning."""

FIRST_ENU: Final = Release(2020, "b")
"""Since then worlds may name their coordinate system, and one that does not is ENU; before, it is NUE."""

FIRST_ARGUMENT_LISTS: Final = Release(2020, "b")
"""Since then the arguments of a controller are a list; before, they were one text."""

FIRST_Z_UP: Final = Release(2022, "a")
"""Since then shapes and devices point along x or z; before, they stood along y and looked along -z."""

FIRST_EXTERN_PROTO: Final = Release(2022, "b")
"""Since then a world declares the PROTOs it uses."""

FIRST_CONTROLLER_LIBRARY: Final = FIRST_EXTERN_PROTO
"""Since then Webots' Python library is written in Python; before, it was generated from the C++ one."""

FIRST_POSE: Final = Release(2023, "b")
"""Since then Pose is the base of Solid, and Transform is for drawing only."""
