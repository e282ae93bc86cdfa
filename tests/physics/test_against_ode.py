"""Native step, reference step and ODE's dWorldStep on the same scenes (see `twins`)."""

from __future__ import annotations

import pytest

from tests.ode.marks import NEEDS_ODE
from tests.physics.referee import OUR_ENGINES, Engine, deviation, run
from tests.physics.twins import BOUNCING, FORMS, JOINTS, SURFACES, Twin

pytestmark = NEEDS_ODE


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("twin", [*BOUNCING, *SURFACES, *FORMS, *JOINTS], ids=lambda t: t.name)
def test_trajectory_is_odes(twin: Twin, engine: Engine) -> None:
    """Every state of the run agrees with ODE's within the twin's tolerance."""
    expected = run(twin.scene, "ode", twin.steps, twin.speeds)
    actual = run(twin.scene, engine, twin.steps, twin.speeds)
    apart = deviation(actual, expected)
    # spins of these scenes reach 10 rad/s
    spin_tolerance = max(10 * twin.tolerance, twin.spin_tolerance)
    is_same = (
        max(apart.position, apart.rotation) <= twin.tolerance
        and apart.velocity <= max(twin.tolerance, twin.spin_tolerance)
        and apart.spin <= spin_tolerance
    )
    assert is_same, apart
