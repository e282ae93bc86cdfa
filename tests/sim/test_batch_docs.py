"""The page about batches: its code runs, its names are those of the tables."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.sim.batch.channels import CHANNELS, IMAGES, SENSORS
from solidbody.sim.batch.variables import VARIABLES

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/batches.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_python_of_the_page_runs(code: str) -> None:
    """As a script, from the root of the repository."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


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
