"""The cache folder on disk, for files that can be made again."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

CACHE_VARIABLE = "SOLIDBODY_CACHE"


def cache_folder(environment: Mapping[str, str], part: str) -> Path:
    """Return the folder of one kind of kept files: below $SOLIDBODY_CACHE or the user's cache."""
    chosen = environment.get(CACHE_VARIABLE, "")
    if chosen:
        return Path(chosen) / part
    base = environment.get("XDG_CACHE_HOME", "")
    return Path(base or os.path.expanduser("~/.cache")) / "solidbody" / part
