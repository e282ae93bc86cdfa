"""The demo project of Choreonoid's format: it loads without a word and moves as its parts say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import solidbody as sb

YARD = Path(__file__).parent.parent / "examples" / "choreonoid" / "yard.cnoid"


def test_the_rover_drives_at_the_speed_of_its_tracks() -> None:
    """Straight ahead with its mast held, at rest depth, without one unconverged step."""
    scene = sb.load(YARD)
    assert scene.diagnostics == ()
    sim = sb.Sim(scene)
    for name in ("TRACK_L", "TRACK_R"):
        sim.joint(name).target_velocity = 0.8
    sim.step(500)
    assert sim["CHASSIS"].linear_velocity[:2] == pytest.approx([0.8, 0.0], abs=1e-4)
    assert sim["CHASSIS"].position[2] == pytest.approx(0.1 - 0.00025, abs=1e-5)
    assert sim.joint("MAST").position == pytest.approx(math.radians(30), abs=1e-6)
    assert sim.stats.not_converged == 0


def test_the_rover_turns_where_its_tracks_run_against_each_other() -> None:
    """To the left when the right track goes forward."""
    sim = sb.Sim(sb.load(YARD))
    sim.joint("TRACK_L").target_velocity = -0.5
    sim.joint("TRACK_R").target_velocity = 0.5
    sim.step(500)
    assert sim["CHASSIS"].angular_velocity[2] > 0.5
