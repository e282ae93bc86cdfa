"""`run` says what the file describes but the simulation does not do."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from solidbody.cli.app import app
from tests.cli import worlds

LOOP = """Robot {
  children [
    BallJoint {
      jointParameters BallJointParameters { springConstant 5 }
      endPoint SolidReference { solidName "<static environment>" }
    }
  ]
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { }
}
"""


def test_run_tells_of_parts_without_effect(tmp_path: Path) -> None:
    """The spring of a ball joint that closes a loop does not act."""
    path = tmp_path / "loop.wbt"
    path.write_text(worlds.FALLING_BALL + LOOP, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(path), "--headless", "--duration", "0.1"])
    assert done.exit_code == 0
    assert "loop.wbt:13:5: warning: " in done.stderr
    assert "do not act [loop-axis]" in done.stderr
