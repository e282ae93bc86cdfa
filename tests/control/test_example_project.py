"""The example project: as its users run it, and as CI does."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from solidbody.cli.app import app

WORLD = Path(__file__).parents[2] / "examples" / "project" / "worlds" / "course.wbt"


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
