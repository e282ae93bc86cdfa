"""Same inputs, same bytes: twice, after reset, after snapshot and restore in mid-contact."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from benchmarks.scenes import ARM_SPEEDS, pile, six_joint_arm, stack, two_wheeled_robot
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.physics.referee import make_sim

WHEELS = {"left motor": 8.0, "right motor": 10.0}
CASES = {
    "robot": (two_wheeled_robot(), WHEELS, 120),
    "arm": (six_joint_arm(), ARM_SPEEDS, 100),
    "jittered stack": (stack(6, step=0.032, jitter=0.003), {}, 80),
    "pile": (pile(25, step=0.016), {}, 150),
}


def fingerprint(sim: Sim) -> str:
    """Return a hash of everything that a user can read."""
    digest = hashlib.sha256()
    digest.update(np.float64(sim.time).tobytes())
    for array in (sim.poses(), sim.velocities(), sim.data.qpos, sim.data.qvel):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[Scene, dict[str, float], int]:
    """One scene with its motor speeds and number of steps."""
    return CASES[request.param]


def test_two_simulations_give_the_same_bytes(case: tuple[Scene, dict[str, float], int]) -> None:
    """One call of n steps equals n calls of one step, in another simulation."""
    scene, speeds, steps = case
    one, two = make_sim(scene, speeds=speeds), make_sim(scene, speeds=speeds)
    one.step(steps)
    for _ in range(steps):
        two.step()
    assert fingerprint(one) == fingerprint(two)


def test_reset_gives_the_same_bytes_again(case: tuple[Scene, dict[str, float], int]) -> None:
    """Nothing of the first run, warm starts included, leaks into the second."""
    scene, speeds, steps = case
    sim = make_sim(scene, speeds=speeds)
    start = fingerprint(sim)
    sim.step(steps)
    first = fingerprint(sim)
    sim.reset()
    assert fingerprint(sim) == start
    for name, speed in speeds.items():
        sim.joint(name).target_velocity = speed
    sim.step(steps)
    assert fingerprint(sim) == first


def test_snapshot_brings_back_the_moment(case: tuple[Scene, dict[str, float], int]) -> None:
    """Taken in mid-contact, restored in the same and in another simulation."""
    scene, speeds, steps = case
    sim = make_sim(scene, speeds=speeds)
    sim.step(steps // 2)
    moment = sim.snapshot()
    here = fingerprint(sim)
    sim.step(steps - steps // 2)
    end = fingerprint(sim)

    sim.restore(moment)
    assert fingerprint(sim) == here
    sim.step(steps - steps // 2)
    assert fingerprint(sim) == end

    other = make_sim(scene)
    other.step(3)
    other.restore(moment)
    other.step(steps - steps // 2)
    assert fingerprint(other) == end


def test_snapshot_is_not_changed_by_later_steps() -> None:
    """A snapshot is a copy: restoring it twice gives the same state twice."""
    sim = make_sim(stack(3))
    sim.step(20)
    moment = sim.snapshot()
    here = fingerprint(sim)
    for _ in range(2):
        sim.step(30)
        sim.restore(moment)
        assert fingerprint(sim) == here


def test_reference_step_is_deterministic_too() -> None:
    """The fallback keeps the same promise."""
    scene = stack(3, step=0.032, jitter=0.003)
    prints = set()
    for _ in range(2):
        sim = make_sim(scene, "reference")
        sim.step(30)
        prints.add(fingerprint(sim))
    assert len(prints) == 1
