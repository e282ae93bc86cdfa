"""Our demo worlds, from file to motion, against ODE on the same scenes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from solidbody.formats.loading import load
from solidbody.model.joints import JointFree
from solidbody.model.links import Motion
from solidbody.model.scene import RotationRule, Scene
from tests.ode.marks import NEEDS_ODE
from tests.physics.referee import deviation, run

pytestmark = NEEDS_ODE

EXAMPLES = Path(__file__).parents[2] / "examples"
WORLDS = ["asymmetric.wbt", "bounce.wbt", "robot.wbt", "rolling.wbt", "slip.wbt", "slopes.wbt"]
"""Without playground.wbt: its walls of touching bricks amplify rounding beyond comparison."""
SECONDS = 2.0
SAME_LAW = 1e-6
"""[m] and quaternion components; 1e-4 for velocities, which jump in single steps of impact."""
WITH_JOINTS = 2e-3
"""ODE's joints are soft, ours are not: see `twins.SOFT_JOINTS`."""


def has_joints(scene: Scene) -> bool:
    """Whether any link hangs on a joint."""
    return any(
        link.motion is Motion.DYNAMIC and not isinstance(link.joint, JointFree)
        for link in scene.links()
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_demo_world_moves_as_in_ode(name: str) -> None:
    """Two seconds of every body."""
    scene = load(EXAMPLES / name)
    # the harness puts nobody to sleep
    physics = replace(scene.physics, rotation=RotationRule.ODE, sleeping=None)
    scene = replace(scene, physics=physics)
    steps = round(SECONDS / scene.physics.time_step)
    apart = deviation(run(scene, "native", steps), run(scene, "ode", steps))
    jointed = has_joints(scene)
    assert max(apart.position, apart.rotation) <= (WITH_JOINTS if jointed else SAME_LAW), apart
    assert max(apart.velocity, apart.spin) <= (0.2 if jointed else 1e-4), apart
