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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.parametrize("engine", ENGINES)
def test_piston_lets_its_point_slide_along_the_axis(engine: str) -> None:
    """The joint's z is the world's y: a rod pushed along y glides on, and swings about its end."""
    body = rod(held(LoopPiston))
    link = replace(body.links[0], linear_velocity=(0.0, 0.5, 0.0))
    sim = Sim(b.scene(replace(body, links=(link,)), step=0.004), engine=engine)  # type: ignore[arg-type]
    sim.step(100)
    x, y, z = sim.poses()[0, :3]
    assert y == pytest.approx(0.5 * 0.4, abs=1e-6)
    assert math.hypot(x, z - 2.0) == pytest.approx(0.2, abs=1e-3)
    assert z < 1.95


FOUR_BAR = (0.3, 0.1, 0.3, 0.25)
"""[m] Ground, crank, coupler, rocker: the crank can turn all around (0.1 + 0.3 < 0.3 + 0.25)."""


def four_bar(step: float) -> Sim:
    """A crank at the origin and a rocker at (ground, 0), in the xy plane; the coupler closes the loop."""
    ground, crank, _, _ = FOUR_BAR
    elbow = rocker_joint(0.0)
    motor = b.velocity_motor("m", 1000.0)
    bar = GeometryBox((0.02, 0.02, 0.02))
    one = b.jointed_link(
        "crank",
        bar,
        b.hinge("j1", (0, 0, 1), (0, 0, 0), motor=motor),
        parent=None,
        at=(crank / 2, 0, 0),
    )
    middle = ((crank + elbow[0]) / 2, elbow[1] / 2, 0.0)
    two = b.jointed_link(
        "coupler",
        bar,
        b.hinge("j2", (0, 0, 1), (crank / 2, 0, 0)),
        parent=0,
        parent_at=(crank / 2, 0, 0),
        at=middle,
    )
    centre = ((ground + elbow[0]) / 2, elbow[1] / 2, 0.0)
    anchor = (ground, 0.0, 0.0)
    three = b.jointed_link("rocker", bar, b.hinge("j3", (0, 0, 1), anchor), parent=None, at=centre)
    ends = (
        LoopAttachment("coupler", Pose((elbow[0] - middle[0], elbow[1] - middle[1], 0.0))),
        LoopAttachment("rocker", Pose((elbow[0] - centre[0], elbow[1] - centre[1], 0.0))),
    )
    rules = b.CollisionRules(self_collision=False)
    body = Body("linkage", (one, two, three), loops=(LoopHinge(ends),), collision=rules)
    return Sim(b.scene(body, step=step))


def rocker_joint(angle: float) -> tuple[float, float]:
    """Return where coupler and rocker meet for a crank angle: two circles intersect."""
    ground, crank, coupler, rocker = FOUR_BAR
    x, y = crank * math.cos(angle), crank * math.sin(angle)
    dx, dy = ground - x, -y
    d = math.hypot(dx, dy)
    along = (coupler**2 - rocker**2 + d * d) / (2 * d)
    across = math.sqrt(coupler**2 - along**2)
    return x + (along * dx - across * dy) / d, y + (along * dy + across * dx) / d


def test_four_bar_follows_its_closed_form() -> None:
    """Crank at 5 rad/s, 8 ms, three turns: the meeting point within 1 mm of the two circles'.

    Its speed is about 1 m/s; each step leaves an error of v^2 h^2/(2 r) = 0.2 mm, of which ERP 0.2 keeps
    (1 - 0.2)/0.2 more at a time: under 1 mm.
    """
    sim = four_bar(0.008)
    sim.joint("j1").target_velocity = 5.0
    worst = 0.0
    for _ in range(470):
        sim.step()
        x, y, z = sim.poses()[2, :3]
        angle = float(sim.joint("j1").position)
        meet = rocker_joint(angle)
        ground = FOUR_BAR[0]
        expected = ((ground + meet[0]) / 2, meet[1] / 2)
        worst = max(worst, math.hypot(x - expected[0], y - expected[1]), abs(z))
    assert worst < 1e-3
    assert sim.stats.not_converged == 0


def test_planar_loop_ignores_errors_across_its_plane() -> None:
    """A gap of 4 cm along the hinge axes cannot be closed by anything: no force, no motion."""
    sim = four_bar(0.008)
    tables = sim.compiled.tables
    loops = tables.loops.copy()
    loops["pos"][0, 1, 2] = 0.04
    sim.adopt(replace(sim.compiled, tables=replace(tables, loops=loops)))
    sim.step(200)
    assert np.abs(sim.joint_states()[:, 1]).max() < 1e-9
    assert sim.stats.not_converged == 0
