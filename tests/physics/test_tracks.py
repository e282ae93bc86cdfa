"""Tracks: their surface drives them, on the flat, uphill, in turns, and carries what lies on them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose, Vec3, quat_from_axis_angle
from solidbody.contact.engine import EngineName
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointFixed, JointTrack
from solidbody.model.links import Body, Link, Motion
from solidbody.model.motors import ControlMode, Motor
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

GRIP = ContactProperties(friction=(1.0,), bounce=0.0)
CHASSIS = GeometryBox((0.4, 0.2, 0.1))
BELT = GeometryBox((0.5, 0.1, 0.2))
WIDTH = 0.4


def belt(name: str, at: Vec3, *, around: bool, motor: Motor | None = None) -> Link:
    """A box whose surface runs along x, fixed to link 0."""
    motor = motor or Motor(name, max_velocity=10.0, max_effort=100.0, mode=ControlMode.VELOCITY)
    return Link(
        name,
        name,
        pose=Pose(at),
        parent=0,
        joint=JointTrack(name, JointAxis((1, 0, 0), motor=motor), around=around),
        mass=b.solid_mass(BELT, 1.0),
        shapes=(b.collider(BELT),),
    )


def tank(*, around: bool) -> Body:
    """A chassis on two tracks that stand on the floor."""
    chassis = b.free_link("chassis", CHASSIS, mass=4.0, at=(0, 0, 0.1))
    left, right = ((0.0, side * WIDTH / 2, 0.0) for side in (1, -1))
    links = (
        chassis,
        belt("left", left, around=around),
        belt("right", right, around=around),
    )
    return b.robot("tank", *links)


def drive(sim: Sim, left: float, right: float, seconds: float) -> None:
    """Run both tracks for a while."""
    sim.joint("left").target_velocity = left
    sim.joint("right").target_velocity = right
    sim.run(seconds)


@pytest.mark.slow
@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_tank_drives_at_the_speed_of_its_tracks(engine: str, around: bool) -> None:
    """On the flat, 0.5 m/s: friction holds the lower run on the ground."""
    scene = b.scene(b.floor(), tank(around=around), surface=GRIP)
    sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
    drive(sim, 0.5, 0.5, 1.0)
    assert sim["chassis"].linear_velocity == pytest.approx((0.5, 0, 0), abs=1e-4)
    # one that goes around is Choreonoid's, whose joint never moves
    assert sim.joint("left").position == pytest.approx(0.0 if around else 0.5, abs=1e-9)
    before = sim["chassis"].position[0]
    sim.run(1.0)
    assert sim["chassis"].position[0] - before == pytest.approx(0.5, abs=1e-4)


def test_tank_climbs_at_the_speed_of_its_tracks() -> None:
    """A slope of 0.3 rad is less than friction: the world CFM of friction rows costs cfm*m*g*sin."""
    gravity = b.tilted_gravity(0.3)
    sim = Sim(b.scene(b.floor(), tank(around=False), surface=GRIP, gravity=gravity))
    drive(sim, -0.5, -0.5, 2.0)
    # at first it slides down while it settles into the ground
    assert sim["chassis"].linear_velocity[0] == pytest.approx(-0.5, abs=1e-3)


def test_tracks_that_run_against_each_other_turn_on_the_spot() -> None:
    """Positive on the right, negative on the left: it turns left about its centre."""
    # ODE's friction is a box: without less of it sideways, tracks this long hold the tank straight
    slippery = ContactProperties(friction=(0.5, 0.02), bounce=0.0)
    sim = Sim(b.scene(b.floor(), tank(around=False), surface=slippery))
    drive(sim, -0.3, 0.3, 1.0)
    # sideways friction and the width of the tracks cost a fifth
    assert 0.7 * 0.3 / (WIDTH / 2) < sim["chassis"].angular_velocity[2] < 1.1 * 0.3 / (WIDTH / 2)
    assert np.abs(sim["chassis"].position[:2]).max() < 0.01


def rolling_tank() -> Body:
    """Tracks that touch the ground in one point each, between two balls that slide without friction."""
    chassis, *belts = tank(around=False).links
    ball = GeometrySphere(0.1)
    slides = tuple(b.collider(ball, material="ice", pose=Pose((x, 0, 0))) for x in (0.3, -0.3))
    return b.robot(
        "tank",
        replace(chassis, shapes=slides),
        *(replace(link, shapes=(b.collider(ball),)) for link in belts),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("left", "right"), [(-0.3, 0.3), (0.1, 0.3)])
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_tracks_that_touch_in_one_point_turn_at_their_difference(
    engine: str, left: float, right: float
) -> None:
    """w = (right - left)/width and v = (right + left)/2: nothing has to slip sideways."""
    ice = ContactProperties(("ice", "default"), friction=(0.0,), bounce=0.0)
    scene = b.scene(b.floor(), rolling_tank(), surface=GRIP, surfaces=(ice,))
    sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
    drive(sim, left, right, 1.0)
    # on a circle friction has to turn 6 kg: the world's CFM lets cfm*m*v*w = 6e-6 m/s through, over 0.2 m
    assert sim["chassis"].angular_velocity[2] == pytest.approx((right - left) / WIDTH, abs=4e-5)
    speed = float(np.linalg.norm(sim["chassis"].linear_velocity))
    assert speed == pytest.approx((right + left) / 2, abs=1e-5)


@pytest.mark.parametrize("roll", [0.0, math.pi])
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_belt_carries_a_box_forward(engine: str, roll: float) -> None:
    """A conveyor: the run that is above moves along the track's forward axis, also of one on its back."""
    base = Link("base", "base", joint=JointFixed(), motion=Motion.KINEMATIC)
    turn = quat_from_axis_angle((1.0, 0.0, 0.0), roll)
    link = replace(belt("belt", (0, 0, 0), around=False), pose=Pose((0, 0, 0), turn))
    conveyor = Body("conveyor", (base, link))
    box = b.free_body("box", GeometryBox((0.05, 0.05, 0.05)), at=(-0.1, 0, 0.1249))
    sim = Sim(b.scene(conveyor, box, surface=GRIP), engine=engine)  # type: ignore[arg-type]
    sim.joint("belt").target_velocity = 0.2
    sim.run(0.6)
    assert sim["box"].linear_velocity == pytest.approx((0.2, 0, 0), abs=1e-4)


def test_sides_of_a_fading_track_stand_still() -> None:
    """A box that leans against the side of a Webots track is not dragged along."""
    base = Link("base", "base", joint=JointFixed(), motion=Motion.KINEMATIC)
    wall = Body("wall", (base, belt("belt", (0, 0, 0), around=False)))
    box = b.free_body("box", GeometryBox((0.05, 0.05, 0.05)), at=(0, 0.0749, 0))
    scene = b.scene(wall, box, surface=GRIP, gravity=(0, -b.GRAVITY, 0))
    sim = Sim(scene)
    sim.joint("belt").target_velocity = 1.0
    sim.run(0.5)
    assert np.abs(sim["box"].linear_velocity).max() < 1e-6


def test_track_in_position_control_stops_there() -> None:
    """The surface travels by 0.2 m and holds."""
    sim = Sim(b.scene(b.floor(), tank(around=False), surface=GRIP))
    for name in ("left", "right"):
        sim.joint(name).target_position = 0.2
        sim.joint(name).speed_limit = 0.1
    sim.run(4.0)
    assert sim.joint("left").position == pytest.approx(0.2, abs=1e-6)
    # it slips until friction has brought it to speed: v^2/(2 mu g) = 0.5 mm
    assert sim["chassis"].position[0] == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize("brake", [0.0, 500.0])
def test_force_on_a_track_makes_a_speed_of_one_step(brake: float) -> None:
    """Webots' rule: v = (F - c*v)*h/m of the rigid body (chassis 4, tracks 1 and 1 kg), not accumulated."""
    sim = Sim(b.scene(b.floor(), tank(around=False), surface=GRIP))
    sim.joint("left").effort = 10.0
    sim.joint("left").brake = brake
    sim.step(50)
    h, m = 0.008, 6.0
    # with the brake v follows v' = (F - c*v)*h/m, whose error shrinks by c*h/m = 2/3 per step
    assert sim.joint("left").velocity == pytest.approx(10.0 * h / (m + brake * h), rel=1e-8)


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("around", [False, True])
def test_contacts_of_a_fading_track_have_its_speed_of_the_step_before(
    engine: EngineName, around: bool
) -> None:
    """As in Webots, which collides after it has moved: a tank starts one step after its tracks."""
    grip = ContactProperties(friction=(math.inf,), bounce=0.0)
    sim = Sim(b.scene(b.floor(), tank(around=around), surface=grip), engine=engine)
    sim.run(0.2)
    for name in ("left", "right"):
        sim.joint(name).target_velocity = 0.1
    sim.step()
    moves = bool(sim["chassis"].linear_velocity[0] > 0.09)
    assert moves is around
    sim.step()
    assert sim["chassis"].linear_velocity[0] == pytest.approx(0.1, rel=0.05)


def test_speed_fades_with_the_angle_of_the_contact() -> None:
    """A belt whose `up` leans by 30 degrees from the normal of its face: 60/90 of its speed."""
    base = Link("base", "base", joint=JointFixed(), motion=Motion.KINEMATIC)
    link = belt("belt", (0, 0, 0), around=False)
    joint = link.joint
    assert isinstance(joint, JointTrack)
    lean = math.radians(30.0)
    link = replace(link, joint=replace(joint, up=(0.0, math.sin(lean), math.cos(lean))))
    box = b.free_body("box", GeometryBox((0.05, 0.05, 0.05)), at=(-0.1, 0, 0.1249))
    sim = Sim(b.scene(Body("conveyor", (base, link)), box, surface=GRIP))
    sim.joint("belt").target_velocity = 0.3
    sim.run(0.5)
    assert sim["box"].linear_velocity[0] == pytest.approx(0.3 * 60 / 90, abs=1e-4)
