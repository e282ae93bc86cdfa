"""Sleeping: who rests, when, what wakes it, and that nothing is lost."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.scenes import pile
from solidbody.base.transforms import Pose
from solidbody.formats.loading import read_scene_text
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointFixed, JointSlider
from solidbody.model.links import Body, Damping, Link, Motion, Robot
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import Scene, Sleeping
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

BOX = GeometryBox((0.2, 0.2, 0.2))
RULE = Sleeping(time=0.5, linear_speed=0.01, angular_speed=0.01)


def sleepy(scene: Scene, rule: Sleeping | None = RULE) -> Scene:
    """The same scene in which bodies sleep."""
    return replace(scene, physics=replace(scene.physics, sleeping=rule))


def resting(*more: Body, engine: str = "native", velocity: float = 0.0) -> Sim:
    """A box at its rest height on the floor, and other bodies."""
    # depth at rest: cfm*m*g/4*h/erp
    depth = 1e-3 * b.GRAVITY / 4 * 0.008 / 0.2
    box = b.free_body("box", BOX, at=(0, 0, 0.1 - depth), velocity=(velocity, 0.0, 0.0))
    return Sim(sleepy(b.scene(b.floor(), box, *more)), engine=engine)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_box_at_rest_sleeps_after_the_time(engine: str) -> None:
    """0.5 s at 8 ms are 63 steps; the step after that finds it asleep, and nothing to solve."""
    sim = resting(engine=engine)
    box = list(sim.link_names).index("box")
    sim.step(62)
    assert not sim.is_asleep(box)
    assert sim.stats.contacts == 4
    sim.step(2)
    assert sim.is_asleep(box)
    assert (sim.stats.contacts, sim.stats.rows) == (0, 0)
    there = sim.poses()[box].copy()
    sim.step(100)
    assert (sim.poses()[box] == there).all()
    assert (sim.velocities()[box] == 0.0).all()


def test_moving_box_stays_awake() -> None:
    """Faster than either threshold."""
    ice = b.ContactProperties(friction=(0.0,))
    for velocity, spin in (((0.02, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, 0.02))):
        body = b.free_body("box", BOX, at=(0, 0, 0.0999), velocity=velocity, spin=spin)
        sim = Sim(sleepy(b.scene(b.floor(), body, surface=ice)))
        sim.step(300)
        assert not sim.is_asleep(1)


def test_nothing_sleeps_without_the_rule() -> None:
    """As with physicsDisableTime 0."""
    sim = Sim(sleepy(b.scene(b.floor(), b.free_body("box", BOX, at=(0, 0, 0.0999))), None))
    sim.step(300)
    assert not sim.is_asleep(1)
    assert sim.stats.contacts == 4


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_sleeper_wakes_when_a_moving_body_touches_it(engine: str) -> None:
    """A ball rolls into the sleeping box: momentum passes as if it had been awake."""
    ball = b.free_body(
        "ball", GeometrySphere(0.1), at=(-2.0, 0, 0.0995), velocity=(2.0, 0, 0), spin=(0, 20.0, 0)
    )
    sim = resting(ball, engine=engine)
    box = list(sim.link_names).index("box")
    sim.step(90)
    assert sim.is_asleep(box)
    sim.step(40)
    assert not sim.is_asleep(box)
    assert sim.velocities()[box, 0] > 0.1


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_sleeper_wakes_when_a_kinematic_body_moves_into_it(engine: str) -> None:
    """A pushing plate; one that stands still does not wake it."""
    motor = Motor("m", max_velocity=5.0, max_effort=np.inf, mode=ControlMode.VELOCITY)
    base = Link("base", "base", joint=JointFixed(), motion=Motion.KINEMATIC)
    plate = Link(
        "plate",
        "plate",
        pose=Pose((-0.3, 0.0, 0.1)),
        parent=0,
        joint=JointSlider("push", JointAxis((1, 0, 0), motor=motor)),
        motion=Motion.KINEMATIC,
        shapes=(b.collider(BOX),),
    )
    sim = resting(Body("pusher", (base, plate)), engine=engine)
    box = list(sim.link_names).index("box")
    sim.step(100)
    assert sim.is_asleep(box)
    sim.joint("push").target_velocity = 0.5
    sim.step(60)
    assert not sim.is_asleep(box)
    assert sim.poses()[box, 0] > 0.05


def test_programs_wake_what_they_move() -> None:
    """A force, a pose, a velocity."""
    sim = resting()
    box = list(sim.link_names).index("box")
    for act in (
        lambda: sim["box"].add_force((0.0, 0.0, 5.0)),
        lambda: sim["box"].set_pose((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)),
        lambda: sim["box"].set_velocity((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    ):
        sim.reset()
        sim.step(100)
        assert sim.is_asleep(box)
        act()
        sim.step(1)
        assert not sim.is_asleep(box)


def test_stack_sleeps_as_a_whole() -> None:
    """A box on a box: neither sleeps while the other has not been idle long enough."""
    top = b.free_body("top", GeometryBox((0.1, 0.1, 0.1)), at=(0, 0, 0.6))
    sim = resting(top)
    box = list(sim.link_names).index("box")
    sim.step(40)
    asleep_early = sim.is_asleep(box)
    sim.run(4.0)
    assert not asleep_early
    assert sim.is_asleep(box)
    assert sim.is_asleep(list(sim.link_names).index("top"))
    sim["top"].set_velocity((0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    sim.step(2)
    assert not sim.is_asleep(box)


def test_robots_stay_awake() -> None:
    """Their sensors go on measuring."""
    link = b.free_link("robot", BOX, at=(0, 0, 0.0999))
    body = Body("robot", (link,), robots=(Robot("robot", 0),))
    sim = Sim(sleepy(b.scene(b.floor(), body)))
    sim.step(300)
    assert not sim.is_asleep(1)
    assert sim.stats.contacts == 4


@pytest.mark.parametrize("at", [100, 130])
def test_restoring_a_sleeping_scene_goes_on_bit_for_bit(at: int) -> None:
    """Before and after the ball hits, into a simulation that never ran."""
    ball = b.free_body("ball", GeometrySphere(0.1), at=(-2.0, 0.03, 0.0995), velocity=(2.0, 0, 0))
    sim = resting(ball)
    sim.step(at)
    saved = sim.snapshot()
    sim.step(60)
    expected = sim.snapshot()
    fresh = resting(ball)
    fresh.restore(saved)
    fresh.step(60)
    assert fresh.snapshot() == expected


def test_sleeping_pile_costs_little() -> None:
    """Thirty bodies at rest: well below a third of the time they take awake."""
    scene = replace(pile(30), physics=replace(pile(30).physics, damping=Damping(0.9, 0.9)))
    sim = Sim(sleepy(scene, Sleeping(0.5, 0.05, 0.2)))
    sim.run(1.0)
    awake = _per_step(sim)
    sim.run(20.0)
    asleep = sum(sim.is_asleep(k) for k in range(len(sim.link_names)))
    assert asleep >= 25
    assert _per_step(sim) < awake / 3


def _per_step(sim: Sim) -> float:
    """Return the best time of a step [s] of five rounds."""
    best = np.inf
    for _ in range(5):
        started = time.process_time()
        sim.step(10)
        best = min(best, (time.process_time() - started) / 10)
    return best


def test_world_at_rest_costs_nothing() -> None:
    """All asleep: only time goes on, at less than half the cost; a push is felt."""
    sim = resting()
    awake = _per_step(sim)
    sim.step(100)
    assert sim.is_asleep(list(sim.link_names).index("box"))
    before = sim.step_count
    assert _per_step(sim) < awake / 2
    assert sim.stats.steps == sim.step_count > before
    sim["box"].add_force((0.0, 0.0, 40.0))
    sim.step(1)
    assert sim["box"].linear_velocity[2] > 0.1


def test_webots_worlds_sleep_as_they_say() -> None:
    """physicsDisableTime and the thresholds; 0 switches it off."""
    world = """#VRML_SIM R2025a utf8
WorldInfo {{ physicsDisableTime {0} basicTimeStep 8 }}
Viewpoint {{ }}
Solid {{ boundingObject Plane {{ }} }}
Solid {{ name "box" translation 0 0 0.0999 boundingObject Box {{ size 0.2 0.2 0.2 }} physics Physics {{ }} }}
"""
    for seconds, expected in ((0.3, True), (0, False)):
        scene, _ = read_scene_text(world.format(seconds), "world.wbt")
        assert scene is not None
        sim = Sim(scene)
        sim.run(1.5)
        assert sim.is_asleep(list(sim.link_names).index("box")) is expected
