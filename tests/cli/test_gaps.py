"""`run` says what the file describes but the simulation does not do."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from solidbody.cli.app import app
from tests.cli import worlds


def test_run_tells_of_parts_without_effect(tmp_path: Path) -> None:
    """A fluid is drawn and known, but pushes nothing yet."""
    path = tmp_path / "pool.wbt"
    fluid = 'Fluid { name "water" boundingObject Box { size 1 1 1 } }\n'
    path.write_text(worlds.FALLING_BALL + fluid, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(path), "--headless", "--duration", "0.1"])
    assert done.exit_code == 0
    assert "pool.wbt:11:1: warning: water: fluids exert no force yet [fluid]" in done.stderr
