"""A simulation that fails: status, message, and the states before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.formats.loading import load
from solidbody.sim import Sim, load_snapshots

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { gravity 1.7e308 }
Viewpoint { }
Solid {
  name "stone"
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { }
}
"""
"""It falls so fast that after a second its speed is beyond the largest number."""


def test_last_states_are_saved_when_a_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit status 1, time and body in the message, states in a file that the library reads."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "fall.wbt"
    path.write_text(WORLD, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(path), "--headless", "--duration", "2"])
    assert done.exit_code == 1
    assert "the simulation failed: the state is no longer finite at t = " in done.stderr
    assert 'first in "stone"' in done.stderr
    assert "states before it are in fall.failed-states" in done.stderr
    states = load_snapshots(tmp_path / "fall.failed-states")
    sim = Sim(load(path))
    sim.restore(states[0])
    assert sim.step_count == states[0].step_count
