"""The accuracy columns, against what states say by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.accuracy import State, judge
from benchmarks.cases import BenchScene
from benchmarks.scenes import four_bar, one_box, two_wheeled_robot
from solidbody.model.scene import Scene
from solidbody.sim import Sim

pytestmark = pytest.mark.native

G = 9.81
"""[m/s^2] Gravity of the scenes, to the digits that tests ask for."""


def state_of(sim: Sim) -> State:
    """Return where all links are."""
    return State(sim.poses().copy(), sim.velocities(), 0.0)


def test_energy_is_height_and_speed() -> None:
    """A box lifted by 1 m that moves at 2 m/s and spins at 3 rad/s has gained 1 + v^2/2g + J w^2/2mg [m]."""
    sim = Sim(one_box(), engine="native")
    before = state_of(sim)
    poses, velocities = before.poses.copy(), before.velocities.copy()
    poses[1, 2] += 1.0
    velocities[1] = (2.0, 0.0, 0.0, 0.0, 3.0, 0.0)
    bench = BenchScene("box", sim.scene)
    energy = judge(bench, before, State(poses, velocities, 0.001), 2.0).energy
    # of a cube with edge 0.2 m: J = m a^2/6
    height = 1.0 + 2.0**2 / (2 * G) + 0.2**2 / 6 * 3.0**2 / (2 * G)
    assert energy == pytest.approx(1000 * height / 2.0, rel=1e-3)


def test_energy_is_not_judged_where_motors_add_some() -> None:
    """Nor drift where things should move; penetration always."""
    sim = Sim(two_wheeled_robot(), engine="native")
    bench = BenchScene("robot", sim.scene, {"left motor": 1.0})
    found = judge(bench, state_of(sim), replace(state_of(sim), depth=0.002), 1.0)
    assert (found.energy, found.drift) == (None, None)
    assert found.penetration == pytest.approx(2.0)
    assert found.text().startswith("penetration 2 mm, joint error ")


def test_drift_is_how_fast_a_still_scene_moves() -> None:
    """All links of a robot moved by 3 mm in half a second: 6 mm/s."""
    sim = Sim(two_wheeled_robot(), engine="native")
    before = state_of(sim)
    poses = before.poses.copy()
    poses[1:, 0] += 0.003
    bench = BenchScene("robot", sim.scene, {"left motor": 0.0}, is_still=True)
    found = judge(bench, before, State(poses, before.velocities, 0.0), 0.5)
    assert found.drift == pytest.approx(6.0)


@pytest.mark.parametrize("made", [two_wheeled_robot(), four_bar()[0]], ids=["robot", "four-bar"])
def test_joint_error_is_the_gap_between_both_sides(made: Scene) -> None:
    """One link moved away by 1 mm opens its joints, or its loop, by as much."""
    sim = Sim(made, engine="native")
    before = state_of(sim)
    bench = BenchScene("joints", sim.scene, {"any": 0.0})
    closed = judge(bench, before, before, 1.0).joint_error
    assert closed is not None
    assert closed < 1e-9
    poses = before.poses.copy()
    poses[-1, :3] += np.array([0.0, 0.001, 0.0])
    found = judge(bench, before, State(poses, before.velocities, 0.0), 1.0).joint_error
    assert found == pytest.approx(1.0)
