"""The kernels of `solidbody.gpu` on Warp's processor device against the native step: the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.contact import layout
from solidbody.gpu import coverage
from solidbody.sim import Sim
from tests.gpu.comparing import DEVICE, SAME, cases, compare, sleeping_robot
from tests.physics.building import scene as build
from tests.physics.twins import Twin

pytestmark = pytest.mark.slow  # the first test of a process compiles or loads the kernels


@pytest.mark.native
@pytest.mark.parametrize("twin", cases(), ids=lambda t: t.name)
def test_kernels_equal_the_native_step(twin: Twin) -> None:
    """Positions, velocities and the number of contacts after every step."""
    compare(twin)


@pytest.mark.native
def test_commands_wake_what_sleeps() -> None:
    """A robot that has come to rest drives on at the step at which it is told to."""
    sim = Sim(sleeping_robot())
    one, many = sim.batch(1), sim.batch(1, device=DEVICE)
    one.step(80)
    many.step(80)
    asleep = many.qpos()[0]
    many.step(1)
    assert (many.qpos()[0] == asleep).all()
    for batch in (one, many):
        told = batch.bind("joint.target_velocity")
        if batch is one:
            told[:] = 3.0
        else:
            told.fill_(3.0)
        batch.step(30)
    assert np.abs(one.qvel()).max() > 1.0
    assert np.abs(one.qpos() - many.qpos()).max() <= SAME
    assert np.abs(one.qvel() - many.qvel()).max() <= SAME


def test_an_empty_scene_steps() -> None:
    """Nothing moves, nothing fails."""
    batch = Sim(build()).batch(1, device=DEVICE)
    batch.step(3)
    assert batch.time[0] == pytest.approx(3 * 0.008)
    assert not batch.failed.any()


@pytest.mark.parametrize("name", sorted(coverage.FIELDS))
def test_every_field_of_the_law_is_known(name: str) -> None:
    """A field that the native step is given is one that kernels read, refuse, or need not know."""
    fields = set(getattr(layout, name).names) - {"pad"}
    assert fields == set(coverage.FIELDS[name])
