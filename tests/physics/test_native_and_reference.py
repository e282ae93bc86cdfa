"""The native step and the numpy reference are one law: same inputs, same numbers."""

from __future__ import annotations

import pytest

from benchmarks.scenes import (
    ARM_SPEEDS,
    one_box,
    pile,
    six_joint_arm,
    stack,
    two_wheeled_robot,
)
from tests.physics.referee import deviation, run
from tests.physics.twins import BOUNCING, FORMS, JOINTS, ON_CAP, SURFACES, Twin

SAME = 1e-12
"""Both solve to rounding; speeds are around 1 m/s."""
SAME_SPIN = 1e-11
"""Spins reach 10 rad/s and more."""
ON_RIM = 30.0
"""So many times more for cylinders on their caps: `twins.ON_CAP` says how depths amplify rounding."""
STEPS = 60
"""Long enough for impacts, sliding and rest at 8 ms; short enough not to amplify rounding."""

BENCHED = (
    Twin("one box", one_box()),
    Twin("robot", two_wheeled_robot(), speeds={"left motor": 8.0, "right motor": 10.0}),
    Twin("arm", six_joint_arm(), speeds=ARM_SPEEDS),
    # jittered: on exactly aligned boxes MuJoCo's collider adds points by rounding (14 for 12)
    Twin("stack of 3", stack(3, jitter=0.003)),
    Twin("pile of 5", pile(5)),
)


CASES = [*BOUNCING, *SURFACES, *FORMS, *JOINTS, *BENCHED]


@pytest.mark.slow
@pytest.mark.parametrize("twin", CASES, ids=lambda t: t.name)
def test_native_step_equals_the_reference(twin: Twin) -> None:
    """Positions, orientations and velocities after every step."""
    steps = min(STEPS, twin.steps)
    native = run(twin.scene, "native", steps, twin.speeds)
    apart = deviation(native, run(twin.scene, "reference", steps, twin.speeds))
    more = ON_RIM if twin.tolerance == ON_CAP else 1.0
    assert max(apart.position, apart.rotation, apart.velocity) <= more * SAME, apart
    assert apart.spin <= more * SAME_SPIN, apart
