"""The documentation of sweeps: its study can be made, the example says what its page says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.sweeps.preparing import prepare
from solidbody.sweeps.study_file import read_study

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/sweeps.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples/sweep"
GRAVITY = 9.81


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


@pytest.mark.parametrize("text", blocks("toml"), ids=range(len(blocks("toml"))))
def test_study_of_the_page_is_a_study(text: str, tmp_path: Path) -> None:
    """Every key of it is known, every path leads somewhere."""
    for name in ("wheel.wbt", "wheel.py"):
        shutil.copy(EXAMPLE / name, tmp_path)
    (tmp_path / "study.toml").write_text(text)
    prepared = prepare(read_study(tmp_path / "study.toml"))
    assert len(prepared.jobs) == 4 * 4 * 7 * 3


@pytest.mark.slow
def test_wheel_grips_when_friction_has_brought_it_to_speed() -> None:
    """The wheel carries all the weight: it spins for w r / (mu g), one step more or less, and 1 % of it."""
    results = sb.sweep(EXAMPLE / "wheel.toml")
    assert len(results) == 28 and not results.failed
    for row in results.rows:
        spins = row["speed"] * 0.1 / (row["friction"] * GRAVITY)
        assert row["slip.time"] == pytest.approx(0.99 * spins, abs=0.02 * spins + 0.004)
        assert row["slip.way"] == pytest.approx(0.5 * row["speed"] * 0.1 * spins, rel=0.03)
