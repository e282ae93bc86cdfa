"""Friction bounded by what each point carries, shared out as in the last step (Choreonoid's sweeps)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.scenes import many_robots, two_wheeled_robot
from solidbody.base.transforms import Pose
from solidbody.contact.engine import EngineName
from solidbody.model.contacts import ContactProperties, ContactTable
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from tests.physics import building as b

STEP = 0.001
RATIO = 5.0
REST = 2.5e-4
FRICTION = 0.5
SURFACE = ContactProperties(
    friction=(FRICTION,),
    bounce=0.0,
    soft_erp=RATIO * STEP,
    soft_cfm=1e-7,
    slip=(1e-6,),
    rest_depth=REST,
    depth_scale=4 * REST,
    follows_sliding=True,
    remembers_loads=True,
)
SPEED, SPIN = 1.0, 5.0
SIDES = (0.4, 0.2, 0.1)
Vectors = NDArray[np.float64]
ENGINES: tuple[EngineName, ...] = ("native", "reference")


START = np.array((0.0, 0.0, 0.5 * SIDES[2] - REST))
AHEAD = (-0.1, -0.05, 0.0)
"""Where the middle of the box is, from its centre of mass."""
TURN = np.array([(sum(x * x for x in SIDES) - side**2) / 12 for side in SIDES])
"""Moments of inertia, for mass 1."""


def moving_box(speed: float, spin: float) -> Scene:
    """Return a box of mass 1 that slides along x and turns on four corners, as deep as it rests."""
    box = GeometryBox(SIDES)
    link = b.free_link(
        "box", box, at=(0, 0, float(START[2])), velocity=(speed, 0, 0), spin=(0, 0, spin)
    )
    link = replace(link, shapes=(b.collider(box, pose=Pose(AHEAD)),))
    return b.scene(b.floor(), Body("box", (link,)), surface=SURFACE, step=STEP)


def corners_of(sim: Sim) -> Vectors:
    """Return where the box touched at the start, from its centre of mass, in the order of the list."""
    return np.array([contact.pos for contact in sim.data.contact]) - START


def balance(corners: Vectors) -> Vectors:
    """Return what pushes at the corners do: lift, and turn about y and x."""
    at, across = corners[:, 0], corners[:, 1]
    return np.array((np.ones(4), at / np.sqrt(TURN[1]), across / np.sqrt(TURN[0])))


def swept_loads(corners: Vectors) -> Vectors:
    """Return the loads that stop four corners of the box, one after the other, from none on."""
    pushes = balance(corners)
    response = pushes.T @ pushes
    loads = np.zeros(4)
    for _ in range(1000):
        for i in range(4):
            loads[i] = max(loads[i] - (response[i] @ loads - b.GRAVITY) / response[i, i], 0.0)
    return loads


def friction_on(corners: Vectors, loads: Vectors) -> Vectors:
    """Return force along x and y and torque about z of friction at the corners.

    Each is braked along (u_x/a_xx, u_y/a_yy) for its sliding u and its own response a.
    """
    x, y, z = corners.T
    response = 1 + (np.array((y, x)) ** 2 / TURN[2] + z**2 / np.array((TURN[1:2], TURN[0:1])))
    slide = np.array((SPEED - SPIN * y, SPIN * x)) / response
    force = -FRICTION * loads * slide / np.linalg.norm(slide, axis=0)
    return np.array((*force.sum(axis=1), x @ force[1] - y @ force[0]))


def gained_by(sim: Sim) -> Vectors:
    """Return momentum along x and y and about z that friction gave the box in one step, per second."""
    moved = sim.velocities()[1]
    return np.array((moved[0] - SPEED, moved[1], (moved[5] - SPIN) * TURN[2])) / STEP


@pytest.mark.parametrize("engine", ENGINES)
def test_points_share_by_the_order_of_the_list(engine: EngineName) -> None:
    """Four corners meet the floor at once; how they share the weight tells how a turning box slides.

    Level loads, which the softness of contacts would give, are 1.3 N away from those of the sweeps.
    """
    sim = Sim(moving_box(SPEED, SPIN), engine=engine)
    sim.step()
    corners = corners_of(sim)
    loads = swept_loads(corners)
    assert balance(corners) @ loads == pytest.approx([b.GRAVITY, 0, 0], abs=1e-9)
    level = np.asarray(np.linalg.lstsq(balance(corners), (b.GRAVITY, 0, 0))[0], dtype=np.float64)
    assert np.abs(loads - level).max() > 1.0
    expected = friction_on(corners, loads)
    # friction across the sliding is 1e-4 of the whole; the sweeps end at 1e-6 of the loads
    assert gained_by(sim) == pytest.approx(expected, abs=1e-3)
    assert np.abs(expected - friction_on(corners, level)).max() > 0.03


@pytest.mark.parametrize("engine", ENGINES)
def test_loads_last(engine: EngineName) -> None:
    """A box that has rested for a while is braked by what its corners took when they met the floor."""
    sim = Sim(moving_box(0.0, 0.0), engine=engine)
    sim.step(50)
    assert np.abs(sim.velocities()[1]).max() < 1e-5
    sim["box"].set_velocity((SPEED, 0, 0), (0, 0, SPIN))
    sim.step()
    corners = corners_of(sim)
    expected = friction_on(corners, swept_loads(corners))
    assert gained_by(sim) == pytest.approx(expected, abs=1e-3)


def heap() -> Scene:
    """Return boxes on each other, a ball that rolls against them and a robot that drives by."""
    bodies = [
        b.free_body("low", GeometryBox(SIDES), at=(0, 0, 0.05 - REST), velocity=(0.3, 0.2, 0)),
        b.free_body("high", GeometryBox((0.2, 0.2, 0.1)), at=(0.05, 0.03, 0.15 - 2 * REST)),
        b.free_body("ball", GeometrySphere(0.05), at=(0.3, 0, 0.05), velocity=(-1, 0, 0)),
    ]
    return b.scene(b.floor(), *bodies, surface=SURFACE, step=STEP)


def driven(scene: Scene) -> Scene:
    """Return a robot with motors under this surface."""
    contacts = ContactTable((), SURFACE)
    return replace(scene, contacts=contacts, physics=replace(scene.physics, time_step=STEP))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scene", "speeds"),
    [
        (heap(), {}),
        (driven(two_wheeled_robot()), {"left motor": 8.0, "right motor": 10.0}),
    ],
    ids=["heap", "robot"],
)
def test_both_steps_share_alike(scene: Scene, speeds: dict[str, float]) -> None:
    """Two solvers that have nothing in common but the law, over impacts, sliding, rolling and motors."""
    sims = [Sim(scene, engine=engine) for engine in ENGINES]
    for sim in sims:
        for name, speed in speeds.items():
            sim.joint(name).target_velocity = speed
    for _ in range(150):
        for sim in sims:
            sim.step()
        # residuals of 1e-12 m/s each, which sliding carries on
        np.testing.assert_allclose(sims[0].data.qvel, sims[1].data.qvel, atol=1e-8)
    assert sims[0].stats.contacts >= 3


def test_surfaces_that_remember_and_others_in_one_island() -> None:
    """Loads then begin with those of the solution without friction, in both steps."""
    plain = replace(SURFACE, remembers_loads=False, materials=("default", "plain"))
    bodies = [
        b.free_body("low", GeometryBox(SIDES), at=(0, 0, 0.05 - REST), velocity=(0.5, 0, 0)),
        b.free_body(
            "high", GeometryBox((0.2, 0.2, 0.1)), at=(0.05, 0, 0.15 - 2 * REST), material="plain"
        ),
    ]
    scene = b.scene(b.floor(), *bodies, surface=SURFACE, surfaces=(plain,), step=STEP)
    sims = [Sim(scene, engine=engine) for engine in ENGINES]
    for _ in range(30):
        for sim in sims:
            sim.step()
        np.testing.assert_allclose(sims[0].data.qvel, sims[1].data.qvel, atol=1e-8)
    # the floor feels the upper box from the second step on, since the first has no forces to begin with
    weight = (2 - 1 / 30) * b.GRAVITY
    lost = 0.5 - sims[0].velocities()[1:, 0].sum()
    assert lost == pytest.approx(FRICTION * weight * 30 * STEP, rel=1e-2)


@pytest.mark.parametrize("engine", ENGINES)
def test_snapshots_keep_the_loads(engine: EngineName) -> None:
    """Restored in another simulation, with the loads, it goes on to the last bit."""
    sim = Sim(heap(), engine=engine)
    sim.step(20)
    moment = sim.snapshot()
    sim.step(20)
    other = Sim(heap(), engine=engine)
    other.step(3)
    other.restore(moment)
    other.step(20)
    assert other.data.qpos.tobytes() == sim.data.qpos.tobytes()
    assert other.data.qvel.tobytes() == sim.data.qvel.tobytes()


def test_any_number_of_threads_shares_alike() -> None:
    """Twenty robots that drive, each an island: same bytes, loads included."""
    scene, speeds = many_robots(20)
    ends = [Sim(driven(scene), engine="native", threads=threads) for threads in (1, 3)]
    for sim in ends:
        for name, speed in speeds.items():
            sim.joint(name).target_velocity = speed
        sim.step(30)
    assert ends[0].core.step.stats["islands"][0] > 10
    assert ends[0].snapshot() == ends[1].snapshot()


def test_copies_of_a_batch_go_on_with_the_loads() -> None:
    """Restored from a snapshot of the one that they are copies of, to the last bit."""
    sim = Sim(heap(), engine="native")
    sim.step(20)
    batch, moment = sim.batch(3, threads=2), sim.snapshot()
    for copy in batch:
        copy.restore(moment)
    batch.step(20)
    sim.step(20)
    assert all(copy.snapshot() == sim.snapshot() for copy in batch)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("depth", "is_held"), [(0.5e-7, False), (2e-7, True)])
def test_what_only_touches_is_no_contact(engine: EngineName, depth: float, is_held: bool) -> None:
    """With a least depth of 0.1 um: free fall below it, sinking at r d0 = 1.25 mm/s above."""
    box = b.free_body("box", GeometryBox(SIDES), at=(0, 0, 0.05 - depth))
    surface = replace(SURFACE, min_depth=1e-7)
    sim = Sim(b.scene(b.floor(), box, surface=surface, step=STEP), engine=engine)
    sim.step()
    sinking, falling = RATIO * (REST - depth), b.GRAVITY * STEP
    assert -sim.velocities()[1, 2] == pytest.approx(sinking if is_held else falling, rel=1e-3)
