"""`run` says what the simulation makes of a file otherwise than it reads."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from solidbody.cli.app import app
from tests.cli import worlds

ODD = """Solid {
  name "odd"
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { density -1 mass 1 centerOfMass 0 0 0 inertiaMatrix [ 1 1 5, 0 0 0 ] }
}
"""


def test_run_tells_of_an_inertia_that_no_body_has(tmp_path: Path) -> None:
    """Found when the scene is compiled, told with its place like what is found in reading."""
    path = tmp_path / "odd.wbt"
    path.write_text(worlds.FALLING_BALL + ODD, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(path), "--headless", "--duration", "0.1"])
    assert done.exit_code == 0
    assert "odd.wbt:11:1: warning: " in done.stderr
    assert "no body has this inertia" in done.stderr
