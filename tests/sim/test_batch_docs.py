"""The page about batches: its names are those of the tables."""

from __future__ import annotations

import re
from pathlib import Path

from solidbody.sim.batch.channels import CHANNELS, IMAGES, SENSORS
from solidbody.sim.batch.variables import VARIABLES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/batches.md").read_text(encoding="utf-8")


def test_the_page_names_everything() -> None:
    """`a.b`, `.c` in one row of a table means a.b and a.c."""
    found: set[str] = set()
    for line in TEXT.splitlines():
        group = ""
        for name in re.findall(r"`([a-z_]*\.[a-z_]+)`", line) if line.startswith("|") else ():
            group = name.split(".")[0] or group
            found.add(f"{group}.{name.split('.')[1]}")
    known = {row.name for row in (*CHANNELS, *SENSORS, *VARIABLES)}
    known |= {row[0] for row in IMAGES.values()}
    assert known == found
