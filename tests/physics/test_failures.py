"""A simulation that cannot go on says so, with time and body; it never goes on silently."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.base.errors import SimulationError
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometrySphere
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES, Engine, make_sim


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_state_that_is_no_longer_finite_stops_the_run(engine: Engine) -> None:
    """A body driven beyond all numbers is named, and so is the time."""
    assert engine != "ode"
    good = b.free_body("good", GeometrySphere(0.1), at=(0, 0, 1))
    wild = b.free_body("wild", GeometrySphere(0.1), at=(5, 0, 1))
    sim = make_sim(b.scene(good, wild), engine)
    sim.step(3)
    sim.data.qvel[6] = math.inf
    with pytest.raises(SimulationError) as caught:
        sim.step(2)
    assert caught.value.body == "wild"
    assert caught.value.time == pytest.approx(0.032, abs=0.009)
    assert "wild" in str(caught.value)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_not_a_number_stops_the_run(engine: Engine) -> None:
    """The same for a velocity that is not a number, in contact."""
    assert engine != "ode"
    box = b.free_body("box", GeometryBox((0.2, 0.2, 0.2)), at=(0, 0, 0.1))
    sim = make_sim(b.scene(b.floor(), box), engine)
    sim.step(3)
    sim.data.qvel[2] = math.nan
    with pytest.raises(SimulationError) as caught:
        sim.step()
    assert caught.value.body == "box"


def test_residual_is_reported_for_every_step() -> None:
    """In flight there is nothing to solve, in contact the residual is small, both are said."""
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0, 0, 0.2))
    sim = make_sim(b.scene(b.floor(), ball, surface=ContactProperties(bounce=0.0)))
    residuals = []
    for _ in range(60):
        sim.step()
        residuals.append(sim.stats.residual)
    assert residuals[0] == 0.0
    assert np.isfinite(residuals).all()
    assert max(residuals) <= 1e-8
    assert sim.stats.worst_residual == max(residuals)
