"""Bodies too fast for their size: what happens is ODE's, and it is counted."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.scene import Scene
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES, Engine, deviation, make_sim, run

RADIUS = 0.1
STEP = 0.008
STEPS = 60


def shot(speed: float, start: float) -> Scene:
    """Return a ball on its way to a wall of 5 cm, without gravity."""
    wall = b.static_body("wall", GeometryBox((0.05, 2.0, 2.0)))
    ball = b.free_body(
        "ball", GeometrySphere(RADIUS), at=(start, 0.0, 0.0), velocity=(speed, 0.0, 0.0)
    )
    return b.scene(wall, ball, gravity=(0.0, 0.0, 0.0), step=STEP)


@pytest.mark.parametrize(
    "speed", [pytest.param(speed, marks=NEEDS_ODE) for speed in (50.0, 20.0, 10.0)]
)
@pytest.mark.parametrize("start", [-1.0, -1.1, -1.2, -1.3])
def test_fast_ball_meets_a_wall_as_in_ode(speed: float, start: float) -> None:
    """Caught, turned back or through, depending on where its steps end."""
    scene = shot(speed, start)
    apart = deviation(run(scene, "native", STEPS), run(scene, "ode", STEPS))
    # positions reach 25 m: rounding
    assert apart.position < 1e-12, apart


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_step_in_which_a_ball_can_pass_is_counted(engine: Engine) -> None:
    """Faster than radius per step it counts, every step, whether there is a wall or not."""
    assert engine != "ode"
    limit = RADIUS / STEP
    for speed, counted in ((50.0, STEPS), (1.01 * limit, STEPS), (0.99 * limit, 0)):
        ball = b.free_body("ball", GeometrySphere(RADIUS), velocity=(0.0, speed, 0.0))
        sim = make_sim(b.scene(ball, gravity=(0.0, 0.0, 0.0), step=STEP), engine)
        sim.step(STEPS)
        assert sim.stats.too_fast == counted


def test_ball_that_passed_a_wall_is_among_the_counted() -> None:
    """No ball is on the other side without a word."""
    for speed in np.arange(5.0, 60.0, 2.5):
        sim = make_sim(shot(float(speed), -1.1))
        sim.step(STEPS)
        if sim.poses()[1, 0] > 0.0:
            assert sim.stats.too_fast > 0, f"{speed} m/s"
