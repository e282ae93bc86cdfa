"""Native step, reference step and ODE's dWorldStep on the same scenes (see `twins`)."""

from __future__ import annotations

import pytest

from tests.ode.marks import NEEDS_ODE
from tests.physics.referee import OUR_ENGINES, Engine, deviation, run
from tests.physics.twins import BOUNCING, FORMS, JOINTS, SURFACES, Twin

pytestmark = NEEDS_ODE


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("twin", [*BOUNCING, *SURFACES, *FORMS, *JOINTS], ids=lambda t: t.name)
def test_trajectory_is_odes(twin: Twin, engine: Engine) -> None:
    """Every state of the run agrees with ODE's within the twin's tolerance."""
    if engine == "reference" and not twin.on_reference:
        pytest.skip("the reference step is too slow for this scene")
    expected = run(twin.scene, "ode", twin.steps, twin.speeds)
    actual = run(twin.scene, engine, twin.steps, twin.speeds)
    apart = deviation(actual, expected)
    assert apart.position <= twin.tolerance, apart
    assert apart.rotation <= twin.tolerance, apart
    assert apart.velocity <= max(twin.tolerance, twin.spin_tolerance), apart
    # spins of these scenes reach 10 rad/s
    assert apart.spin <= max(10 * twin.tolerance, twin.spin_tolerance), apart
