"""Robots by themselves, whose rows change sides one by one when they are told something else."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scenes import two_wheeled_robot
from solidbody.contact.native import library_path
from solidbody.sim import Sim

pytestmark = pytest.mark.skipif(not library_path().exists(), reason="the native step is not built")

SPEED = 3.0
"""[rad/s] Wheels slip in the step in which they are told another one."""
WHEELS = ("left motor", "right motor")
SUBSTEPS = 4
SAME = 1e-11
"""Both engines solve to rounding; a step amplifies it by the stiffness of contacts."""


def told_at_random(sim: Sim, seed: int, times: int) -> list[tuple[int, float]]:
    """Return (solutions, residual) of the steps in which the wheels are told something else."""
    random, found = np.random.default_rng(seed), []
    for _ in range(times):
        for joint in WHEELS:
            sim.joint(joint).target_velocity = float(random.uniform(-SPEED, SPEED))
        sim.step()
        stats = np.atleast_1d(sim.core.step.stats)[0]
        found.append((int(stats["solves"]), float(stats["residual"])))
        sim.step(SUBSTEPS - 1)
    return found


@pytest.mark.parametrize("caster_joint", [False, True])
def test_each_step_is_solved_in_few_solutions(caster_joint: bool) -> None:
    """Groups of rows that change sides together took 14 on average, and up to 75."""
    sim = Sim(two_wheeled_robot(caster_joint=caster_joint), engine="native")
    sim.step(20)
    found = told_at_random(sim, 1, 60)
    solves, residuals = zip(*found, strict=True)
    assert np.mean(solves) < 11
    assert max(solves) < 40
    assert max(residuals) < 1e-9
    assert sim.stats.not_converged == 0


def test_forces_are_those_of_the_reference() -> None:
    """The answer is unique: the numpy solver finds it by another way."""
    native, reference = (
        Sim(two_wheeled_robot(), engine=engine) for engine in ("native", "reference")
    )
    random = np.random.default_rng(2)
    native.step(10)
    reference.step(10)
    for _ in range(12):
        for joint in WHEELS:
            speed = float(random.uniform(-SPEED, SPEED))
            native.joint(joint).target_velocity = reference.joint(joint).target_velocity = speed
        for _ in range(2):
            native.step()
            reference.step()
            # from the same state each time
            assert native.data.qvel == pytest.approx(reference.data.qvel, abs=SAME)
            reference.data.qpos[:], reference.data.qvel[:] = native.data.qpos, native.data.qvel
