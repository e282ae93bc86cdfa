"""Rows over any number of kinematic trees: tendons and coupled joints, as MuJoCo can give them."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from solidbody.contact import layout
from solidbody.contact import tables as t
from solidbody.contact.engine import Step
from solidbody.contact.layout import StepOutcome
from solidbody.contact.native import NativeStep
from solidbody.contact.reference.step import ReferenceStep
from solidbody.contact.state import StepState, state_dtype

STEPS: list[Callable[..., Step]] = [NativeStep, ReferenceStep]
H = 0.002
ERP, CFM = 0.2, 1e-5
GRAVITY = 9.81

EXACT = 1e-13
"""One step is a handful of operations on numbers around 0.02."""
SAME = 1e-11
"""Both solvers end at rounding (1e-12 m/s), and 100 steps of these machines amplify it little."""

SLIDERS = """
<body pos="{k} 0 0"><joint name="s{k}" type="slide" axis="0 0 1"/>
  <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body>"""

LIMB = """
<body name="{n}0" pos="{x} 0 1"><freejoint/>
  <inertial pos="0.01 0.02 0" mass="2" diaginertia="0.02 0.03 0.04"/>
  <body name="{n}1" pos="0.1 0 0"><joint name="{n}a" axis="0 1 0"/>
    <inertial pos="0.1 0 0.02" mass="1" diaginertia="0.01 0.01 0.01"/>
    <body name="{n}2" pos="0.2 0 0"><joint name="{n}b" axis="0 0 1"/>
      <inertial pos="0.1 0.03 0" mass="0.5" diaginertia="0.01 0.02 0.01"/></body></body>
  <body name="{n}3" pos="0 0.1 0"><joint name="{n}c" axis="1 0 0"/>
    <inertial pos="0 0.1 0" mass="0.7" diaginertia="0.01 0.01 0.02"/></body></body>"""


def model_of(bodies: str, rest: str) -> mujoco.MjModel:
    """Return a model of these bodies and constraints."""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{H}" gravity="0 0 {-GRAVITY}" cone="elliptic" jacobian="sparse"/>'
        f"<worldbody>{bodies}</worldbody>{rest}</mujoco>"
    )


def tables_of(model: mujoco.MjModel) -> t.StepTables:
    """Return tables for a model without shapes and axes of ours."""
    world = t.table(layout.WORLD, 1)
    world["erp"], world["cfm"], world["materials"] = ERP, CFM, 1
    return t.StepTables(world=world, trees=t.table(layout.TREE, model.ntree))


def step_of(make: Callable[..., Step], model: mujoco.MjModel, data: mujoco.MjData) -> Step:
    """Return a step for a model that was not compiled from a scene."""
    tables = tables_of(model)
    row = state_dtype(tables, movers=0, trees=int(model.ntree))
    return make(model, data, tables, StepState.zeros(row))


def run(make: Callable[..., Step], model: mujoco.MjModel, steps: int) -> mujoco.MjData:
    """Return the state after some steps."""
    data = mujoco.MjData(model)
    step = step_of(make, model, data)
    assert step.run(steps) is StepOutcome.OK
    assert step.stats["not_converged"][0] == 0
    return data


@pytest.mark.slow
@pytest.mark.parametrize("make", STEPS)
@pytest.mark.parametrize("count", [3, 7])
def test_a_tendon_over_many_trees_shares_its_force(make: Callable[..., Step], count: int) -> None:
    """v = h (g + M^-1 J' f) with f = -J g / (J M^-1 J' + CFM/h), for J = (1, 2, 3, ...)."""
    masses, lever = 1.0 + 0.5 * np.arange(count), 1.0 + np.arange(count)
    bodies = "".join(SLIDERS.format(k=k, mass=mass) for k, mass in enumerate(masses))
    wraps = "".join(f'<joint joint="s{k}" coef="{c}"/>' for k, c in enumerate(lever))
    model = model_of(
        bodies,
        f'<tendon><fixed name="t">{wraps}</fixed></tendon>'
        '<equality><tendon tendon1="t"/></equality>',
    )
    force = GRAVITY * lever.sum() / ((lever**2 / masses).sum() + CFM / H)
    data = run(make, model, 1)
    assert np.abs(data.qvel - H * (lever * force / masses - GRAVITY)).max() < EXACT
    assert data.efc_force == pytest.approx([force], rel=1e-12)
    # J v = -CFM f at the end of each step: what is left of the error
    after = run(make, model, 200)
    assert abs(float(lever @ after.qvel)) < 2 * CFM * force


COUPLED = (
    "<tendon>"
    '<fixed name="three"><joint joint="pa" coef="1"/><joint joint="qb" coef="-2"/>'
    '<joint joint="rc" coef="0.5"/></fixed>'
    '<fixed name="four" limited="true" range="-0.01 0.01"><joint joint="pb" coef="1"/>'
    '<joint joint="qa" coef="1"/><joint joint="rb" coef="1"/><joint joint="sa" coef="-1"/></fixed>'
    '<fixed name="dry" frictionloss="0.3"><joint joint="pc" coef="1"/>'
    '<joint joint="qc" coef="1"/><joint joint="sc" coef="-1"/></fixed>'
    "</tendon><equality>"
    '<tendon tendon1="three"/><joint joint1="pb" joint2="sb" polycoef="0 0.5 0 0 0"/>'
    '<connect body1="r2" body2="s2" anchor="0.1 0 0"/>'
    "</equality>"
)


def coupled_model() -> mujoco.MjModel:
    """Return four branched trees that rows over two, three and four of them tie together."""
    bodies = "".join(LIMB.format(n=name, x=0.3 * k) for k, name in enumerate("pqrs"))
    return model_of(bodies, COUPLED)


def test_rows_over_three_and_four_trees_equal_the_dense_reference() -> None:
    """Equalities, a limit and dry friction over branched trees; their columns leave ancestors out."""
    model = coupled_model()
    rng = np.random.default_rng(1)
    kick = rng.normal(size=model.nv)
    ends: list[mujoco.MjData] = []
    for make in STEPS:
        data = mujoco.MjData(model)
        data.qvel[:] = kick
        step = step_of(make, model, data)
        seen: set[int] = set()
        for _ in range(100):
            assert step.run(1) is StepOutcome.OK
            seen |= set(data.efc_type.tolist())
        assert step.stats["not_converged"][0] == 0
        ends.append(data)
        kind = mujoco.mjtConstraint
        assert {int(kind.mjCNSTR_FRICTION_TENDON), int(kind.mjCNSTR_LIMIT_TENDON)} <= seen
    one, two = ends
    assert np.abs(one.qpos - two.qpos).max() < SAME
    assert np.abs(one.qvel - two.qvel).max() < SAME
    assert np.abs(one.qfrc_constraint - two.qfrc_constraint).max() < 1e3 * SAME


@pytest.mark.slow
def test_a_limit_of_a_joint_deep_in_a_tree_holds_its_weight() -> None:
    """A pendulum that lies against MuJoCo's own limit: torque m g l about the joint, at rest."""
    bodies = (
        '<body pos="0 0 1"><joint axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        '<body><joint axis="0 1 0" limited="true" range="-1 0"/>'
        '<inertial pos="0.5 0 0" mass="2" diaginertia="0.01 0.01 0.01"/></body></body>'
    )
    model = model_of(bodies, "")
    for make in STEPS:
        data = run(make, model, 1500)
        torque = 2.0 * GRAVITY * 0.5 * np.cos(data.qpos[1])
        assert data.efc_force == pytest.approx([torque], rel=1e-3)  # still creeping by ERP and CFM
        assert data.qpos[1] == pytest.approx(CFM * torque * H / ERP, rel=1e-2)
