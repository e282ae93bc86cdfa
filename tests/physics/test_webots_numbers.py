"""Numbers that Webots' own physics tests register, met from world files.

The worlds are ours; starts, materials and expected values are those of rules L1.3.1 and L1.3.2.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.formats.loading import load
from solidbody.model.scene import RollingRule, RotationRule, Scene
from tests.ode.marks import NEEDS_ODE
from tests.physics.referee import ALL_ENGINES, Engine, Trace, deviation, run

WORLDS = Path(__file__).parent / "worlds"
STEPS = 200
REGISTERED = 1e-6
"""Webots registers six decimals: 5e-7 of rounding, and as much for ours."""
BALLS = range(5, 14)
"""Links of the nine balls: five static boxes come first."""

# position, velocity, angular velocity of balls 1 to 9 after 200 steps of 32 ms
R2022A: NDArray[np.float64] = np.array(
    [
        [-5.822856, -3, 0.498430, 5.957204, 0, 0, 0, 11.951927, 0],
        [-14.564553, 0, 0.498392, 4.164077, 0, 0.000304, 0, 8.355176, 0],
        [-25.145860, 3, 1.942235, 1.817242, 0, -0.368373, 0, 3.719816, 0],
        [-16, -8, 1.498430, 0, 0, 0, 0, 0, 25],
        [-14, -8, 1.498430, 0, 0, 0, 0, 0, 6.164800],
        [-12, -8, 1.498430, 0, 0, 0, 0, 0, 0],
        [-5.822856, -27.511330, 0.498430, 5.957204, 3.686891, 0, -7.397003, 11.951927, -3.446233],
        [1.171054, -19.324655, 0.498430, 7.029157, 0, 0, 0, 0, -4.455340],
        [1.171054, -13.936790, 0.498430, 7.029157, 0, 0, 0, 0, -4.867729],
    ]
)
R2025A = R2022A.copy()
R2025A[7] = [-5.822856, -19.314704, 0.498430, 5.957204, 0, 0, 0, 11.951927, -4.639518]
R2025A[8] = [-5.822856, -13.936790, 0.498430, 5.957204, 0, 0, 0, 11.951927, -4.867729]

ASYMMETRIC_STEPS = 80
ASYMMETRIC_REGISTERED = np.array(
    # registered with y up by R2019b; x, y, z here are its z, x, y
    [[-0.527743, 1.353466, -1.088782], [0.699450, -0.798742, -0.927224]]
)
WEBOTS_TOLERANCE = 1e-3
"""What Webots' asymmetric-friction test itself allows [m]; plain ODE ends 3.6e-4 from its numbers."""


def load_world(name: str, *, rolling: RollingRule = RollingRule.SECOND_SAME) -> Scene:
    """Return the world with ODE's orientation step."""
    scene = load(WORLDS / name)
    physics = replace(scene.physics, rotation=RotationRule.ODE, rolling=rolling)
    return replace(scene, physics=physics)


def final_state(trace: Trace) -> NDArray[np.float64]:
    """Return (ball, 9): position, velocity, angular velocity at the end."""
    last = np.concatenate([trace.poses[-1, :, :3], trace.velocities[-1]], axis=1)
    return last[BALLS.start : BALLS.stop]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL_ENGINES)
@pytest.mark.parametrize(
    ("rolling", "expected"),
    [(RollingRule.SECOND_ZERO, R2022A), (RollingRule.SECOND_SAME, R2025A)],
    ids=["mu2 = 0 (R2022a)", "mu2 = mu (R2025a)"],
)
def test_rolling_friction_meets_the_registered_numbers(
    engine: Engine, rolling: RollingRule, expected: NDArray[np.float64]
) -> None:
    """Nine balls, 200 steps of 32 ms."""
    scene = load_world("rolling_friction.wbt", rolling=rolling)
    actual = final_state(run(scene, engine, STEPS))
    assert actual == pytest.approx(expected, abs=REGISTERED)


@pytest.mark.parametrize("engine", [pytest.param("native", marks=NEEDS_ODE)])
@pytest.mark.parametrize("rolling", list(RollingRule), ids=lambda rule: rule.value)
def test_rolling_friction_follows_ode_all_the_way(engine: Engine, rolling: RollingRule) -> None:
    """Every state of the nine balls is ODE's, 30 m of rolling included."""
    scene = load_world("rolling_friction.wbt", rolling=rolling)
    apart = deviation(run(scene, engine, STEPS), run(scene, "ode", STEPS))
    assert apart.worst < 1e-8, apart


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_asymmetric_friction_meets_the_registered_numbers(engine: Engine) -> None:
    """Two boxes on a slope: one slides where its directions let it, the other is held."""
    scene = load_world("asymmetric_friction.wbt")
    trace = run(scene, engine, ASYMMETRIC_STEPS)
    assert trace.poses[-1, 1:, :3] == pytest.approx(ASYMMETRIC_REGISTERED, abs=WEBOTS_TOLERANCE)


@pytest.mark.parametrize(
    "engine", [pytest.param(name, marks=NEEDS_ODE) for name in ("native", "reference")]
)
def test_asymmetric_friction_follows_ode(engine: Engine) -> None:
    """The same world step by step against ODE: eight contact points under one law."""
    scene = load_world("asymmetric_friction.wbt")
    # the harness puts nobody to sleep
    scene = replace(scene, physics=replace(scene.physics, sleeping=None))
    expected = run(scene, "ode", ASYMMETRIC_STEPS)
    apart = deviation(run(scene, engine, ASYMMETRIC_STEPS), expected)
    assert apart.worst < 1e-6, apart


@pytest.mark.parametrize("rotation", list(RotationRule), ids=lambda rule: rule.value)
def test_default_rotation_rule_changes_rolling_only_slightly(rotation: RotationRule) -> None:
    """Spheres feel their orientation nowhere: both rules give the registered positions."""
    scene = load_world("rolling_friction.wbt")
    scene = replace(scene, physics=replace(scene.physics, rotation=rotation))
    assert final_state(run(scene, "native", STEPS)) == pytest.approx(R2025A, abs=REGISTERED)
