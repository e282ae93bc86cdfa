"""The kernels of `solidbody.gpu` on Warp's processor device against the native step: the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scenes import humanoid, stack
from solidbody.gpu.coverage import refusals
from solidbody.sim import Sim
from tests.physics.building import scene as build
from tests.physics.test_native_and_reference import BENCHED
from tests.physics.twins import BOUNCING, FORMS, JOINTS, SURFACES, Twin

SAME = 1e-10
"""Positions [m, rad] and velocities: both solve in double precision to 1e-11 m/s; motion amplifies it."""
STEPS = 50

_HUMANOID, _SPEEDS = humanoid()
CASES = [
    *BOUNCING,
    *SURFACES,
    *FORMS,
    *JOINTS,
    *BENCHED,
    Twin("humanoid of 30 joints", _HUMANOID, speeds=_SPEEDS),
    Twin("stack of 10", stack(10, jitter=0.003)),
]


@pytest.mark.native
@pytest.mark.slow
@pytest.mark.parametrize("twin", CASES, ids=lambda t: t.name)
def test_kernels_equal_the_native_step(twin: Twin) -> None:
    """Positions and velocities after every step, and the number of contacts."""
    sim = Sim(twin.scene, engine="native")
    assert not refusals(sim.compiled)
    for name, speed in (twin.speeds or {}).items():
        sim.joint(name).target_velocity = speed
    sim.core.keep_commands()
    batch = sim.batch(2, device="cpu")
    for _ in range(min(STEPS, twin.steps)):
        sim.step()
        batch.step()
        for got, wanted in ((batch.qpos(), sim.data.qpos), (batch.qvel(), sim.data.qvel)):
            assert np.abs(got[0] - wanted).max(initial=0.0) <= SAME * max(
                1.0, np.abs(wanted).max(initial=0.0)
            )
            assert (got[0] == got[1]).all()
        assert batch.stats["unsolved"].max() == 0
        assert batch.stats["lost"].max() == 0


@pytest.mark.slow
def test_an_empty_scene_steps() -> None:
    """Nothing moves, nothing fails."""
    batch = Sim(build()).batch(1, device="cpu")
    batch.step(3)
    assert batch.time[0] == pytest.approx(3 * 0.008)
    assert not batch.failed.any()
