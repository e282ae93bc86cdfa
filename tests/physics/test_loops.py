"""Closed loops: held by the same law as joints, to the scene's ERP and CFM."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose, quat_from_axis_angle
from solidbody.model.geometry import GeometryBox
from solidbody.model.joints import Loop, LoopAttachment, LoopBall, LoopFixed, LoopHinge, LoopPiston
from solidbody.model.links import Body
from solidbody.sim import Sim
from tests.physics import building as b

ENGINES = ("native", "reference")
SAG = 1e-4
"""[m] A loop row gives way by cfm*h/erp*force: 1e-5*0.004/0.2*10 N = 2e-6 m, more while swinging."""


def rod(loop: Loop | None = None) -> Body:
    """A rod of 1 kg and 0.4 m along x whose left end is at the origin, 2 m up."""
    body = b.free_body("rod", GeometryBox((0.4, 0.02, 0.02)), at=(0.2, 0.0, 2.0))
    return replace(body, loops=() if loop is None else (loop,))


def held(kind: type[LoopBall] | type[LoopHinge] | type[LoopFixed] | type[LoopPiston]) -> Loop:
    """Hold the rod's left end in the world; the joint frame's z is the world's y."""
    turn = quat_from_axis_angle((1.0, 0.0, 0.0), -0.5 * math.pi)
    here = LoopAttachment("rod", Pose((-0.2, 0.0, 0.0), turn))
    return kind((LoopAttachment(None, Pose((0.0, 0.0, 2.0), turn)), here))


def pendulum() -> Body:
    """The same rod on a real hinge."""
    joint = b.hinge("j", (0.0, 1.0, 0.0), (0.0, 0.0, 2.0))
    link = b.jointed_link(
        "rod", GeometryBox((0.4, 0.02, 0.02)), joint, parent=None, at=(0.2, 0.0, 2.0)
    )
    return Body("rod", (link,))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", [LoopBall, LoopHinge])
def test_rod_held_by_a_loop_swings_as_on_a_hinge(
    engine: str, kind: type[LoopBall] | type[LoopHinge]
) -> None:
    """0.3 s of a pendulum; the loop is soft and drifts back at ERP, the hinge is exact."""
    loose = Sim(b.scene(rod(held(kind)), step=0.001), engine=engine)  # type: ignore[arg-type]
    exact = Sim(b.scene(pendulum(), step=0.001))
    loose.step(300)
    exact.step(300)
    assert loose.poses()[0, :3] == pytest.approx(exact.poses()[0, :3], abs=5e-4)
    assert loose.stats.not_converged == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_welded_rod_stays(engine: str) -> None:
    """A fixed loop carries weight and moment."""
    sim = Sim(b.scene(rod(held(LoopFixed)), step=0.004), engine=engine)  # type: ignore[arg-type]
    sim.step(250)
    assert sim.poses()[0, :3] == pytest.approx((0.2, 0.0, 2.0), abs=SAG)
    assert np.abs(sim.velocities()[0]).max() < 1e-6


def test_hinge_loop_keeps_its_axis() -> None:
    """Pushed about another axis, the rod only turns about the hinge's."""
    body = rod(held(LoopHinge))
    link = replace(body.links[0], angular_velocity=(0.0, 0.0, 2.0))
    sim = Sim(b.scene(replace(body, links=(link,)), step=0.004))
    sim.step(500)
    # the rod's y axis stays the world's: both points of the hinge are held
    w, x, y, z = sim.poses()[0, 3:]
    assert 1 - 2 * (x * x + z * z) == pytest.approx(1.0, abs=1e-3)
    assert np.isfinite((w, y)).all()


def test_loop_that_cannot_be_closed_yet_is_said() -> None:
    """A piston is left open, with a diagnostic."""
    sim = Sim(b.scene(rod(held(LoopPiston))))
    assert [item.code for item in sim.compiled.diagnostics] == ["loop-kind"]
