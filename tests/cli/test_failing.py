"""A simulation that fails: status, message, and the states before it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.formats.loading import load
from solidbody.sim import Sim, load_snapshots

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { gravity 0 }
Viewpoint { }
Fluid { name "tar" translation 0 0 9 boundingObject Plane { } }
Solid {
  name "stone"
  immersionProperties ImmersionProperties {
    fluidName "tar" dragForceCoefficients 1e9 0 0
  }
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { }
  linearVelocity 1 0 0
}
"""
"""Explicit drag this strong turns the speed round and multiplies it in every step."""


def test_last_states_are_saved_when_a_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit status 1, time and body in the message, states in a file that the library reads."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tar.wbt"
    path.write_text(WORLD, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(path), "--headless", "--duration", "1"])
    assert done.exit_code == 1
    assert "the simulation failed: the state is no longer finite at t = " in done.stderr
    assert 'first in "stone"' in done.stderr
    assert "states before it are in tar.failed-states" in done.stderr
    states = load_snapshots(tmp_path / "tar.failed-states")
    sim = Sim(load(path))
    sim.restore(states[0])
    assert sim.step_count == states[0].step_count
