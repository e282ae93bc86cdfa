"""The example project: as its users run it, and as CI does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from tests.control.c.programs import need_c

WORLD = Path(__file__).parents[2] / "examples" / "project" / "worlds" / "course.wbt"


@pytest.mark.slow
def test_the_explorers_pass(tmp_path: Path) -> None:
    """The referee's own judgement after half a minute is the exit status; nothing else is complained of."""
    log = tmp_path / "motion.csv"
    command = ["run", str(WORLD), "--headless", "--log", str(log), "--log-period", "1"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.partition("] ")[0] for line in lines] == ["[referee", "[referee"]
    assert "a box is put in the middle" in lines[0]
    assert lines[1].endswith("of the arena visited, 0 fallen: passed")
    assert "error" not in result.stderr
    assert len(log.read_text().splitlines()) == 32, "a header, and rows at 0 to 30 s"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "cpp"])
def test_the_wanderer(tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The projects in C and C++ are built by their Makefiles, and end with their own status."""
    need_c()
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    project = tmp_path / "project"
    shutil.copytree(WORLD.parents[2] / f"project_{language}", project)
    (project / "controllers" / "wanderer" / "wanderer").unlink(missing_ok=True)
    result = CliRunner().invoke(app, ["run", str(project / "worlds" / "arena.wbt"), "--headless"])
    assert result.exit_code == 0, result.output
    assert result.stdout == "[wanderer] came 0.56 m from its start\n"
