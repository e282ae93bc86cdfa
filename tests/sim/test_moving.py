"""Moving things from outside: poses, velocities, forces, and what each of them leaves as it was."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose
from solidbody.model.devices import DeviceConnector
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointFixed, JointHinge
from solidbody.model.links import Body, Link, Motion
from solidbody.model.motors import Motor
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

BOX = GeometryBox((0.4, 0.3, 0.2))
INERTIA = b.solid_mass(BOX, 2.0).inertia
H = 0.01
NO_GRAVITY = (0.0, 0.0, 0.0)


def box(**changes: object) -> Sim:
    """A free box of 2 kg without gravity."""
    body = b.free_body("box", BOX, mass=2.0, **changes)  # type: ignore[arg-type]
    return Sim(b.scene(body, gravity=NO_GRAVITY, step=H))


def off_centre() -> Sim:
    """A box whose centre of mass is 0.5 m in front of its origin."""
    link = b.free_link("box", BOX, mass=2.0)
    assert link.mass is not None
    link = replace(link, mass=replace(link.mass, center=(0.5, 0.0, 0.0)))
    return Sim(b.scene(Body("box", (link,)), gravity=NO_GRAVITY, step=H))


def test_force_acts_for_one_step() -> None:
    """dv = F h/m; the next step keeps the speed."""
    sim = box()
    sim.link("box").add_force((4.0, 0.0, 0.0))
    sim.step(3)
    assert sim["box"].linear_velocity == pytest.approx((4.0 * H / 2.0, 0, 0), abs=1e-15)


def test_force_beside_the_centre_turns_too() -> None:
    """At a world point: moment about the centre of mass; two forces add up."""
    sim = box()
    sim["box"].add_force((0.0, 3.0, 0.0), at=(0.2, 0.0, 0.0))
    sim["box"].add_force((0.0, 3.0, 0.0), offset=(0.2, 0.0, 0.0))
    sim.step()
    assert sim["box"].linear_velocity == pytest.approx((0, 6.0 * H / 2.0, 0), abs=1e-15)
    assert sim["box"].angular_velocity[2] == pytest.approx(1.2 * H / INERTIA[2], rel=1e-12)


def test_force_at_the_centre_of_mass_does_not_turn() -> None:
    """Without a point it acts at the centre of mass, wherever the origin is."""
    sim = off_centre()
    sim["box"].add_force((0.0, 5.0, 0.0))
    sim.step()
    assert np.abs(sim["box"].angular_velocity).max() < 1e-15


def test_relative_forces_and_torques_turn_with_the_link() -> None:
    """The link's x axis points along the world's y."""
    sim = box(rotation=b.turned((0, 0, 1), math.pi / 2))
    sim["box"].add_force((1.0, 0.0, 0.0), relative=True)
    sim["box"].add_torque((1.0, 0.0, 0.0), relative=True)
    sim.step()
    assert sim["box"].linear_velocity == pytest.approx((0, H / 2.0, 0), abs=1e-15)
    assert sim["box"].angular_velocity == pytest.approx((0, H / INERTIA[0], 0), abs=1e-12)


def test_mouse_drag_pulls_with_the_cube_of_its_length() -> None:
    """F = 30 * mass * d^3, T = 5 * mass * d^3 with the default scales."""
    sim = box()
    sim["box"].drag((0.0, 0.0, 0.2), at=(0.0, 0.0, 0.0))
    sim.step()
    assert sim["box"].linear_velocity[2] == pytest.approx(30.0 * 0.008 * H, rel=1e-12)
    sim.reset()
    sim["box"].twist((0.0, 0.0, 0.5))
    sim.step()
    assert sim["box"].angular_velocity[2] == pytest.approx(
        5.0 * 2.0 * 0.125 * H / INERTIA[2], rel=1e-12
    )


def test_forces_need_physics() -> None:
    """The message says which link has none."""
    sim = Sim(b.scene(b.floor()))
    with pytest.raises(ValueError, match='"floor" has no physics'):
        sim["floor"].add_force((1.0, 0.0, 0.0))


def test_teleport_keeps_velocities_in_the_world() -> None:
    """Position and orientation jump; linear and angular velocity stay what they were."""
    sim = box(velocity=(1.0, 2.0, 3.0), spin=(0.5, -1.0, 2.0))
    linear, angular = sim["box"].linear_velocity, sim["box"].angular_velocity
    turn = b.turned((1.0, 1.0, 0.0), 1.0)
    sim["box"].set_pose((5.0, 6.0, 7.0), turn)
    assert sim["box"].position == pytest.approx((5.0, 6.0, 7.0), abs=1e-12)
    assert sim["box"].orientation == pytest.approx(turn, abs=1e-12)
    assert sim["box"].linear_velocity == pytest.approx(linear, abs=1e-12)
    assert sim["box"].angular_velocity == pytest.approx(angular, abs=1e-12)
    sim["box"].reset_physics()
    assert np.abs(sim.velocities()[0]).max() == 0.0


def test_pose_and_velocity_refer_to_the_origin_of_the_link() -> None:
    """Not to its centre of mass."""
    sim = off_centre()
    sim["box"].set_pose((1.0, 2.0, 3.0), b.turned((0, 0, 1), 0.7))
    sim["box"].set_velocity((0.1, 0.2, 0.3), (0.0, 0.0, 2.0))
    assert sim["box"].position == pytest.approx((1.0, 2.0, 3.0), abs=1e-12)
    assert sim["box"].linear_velocity == pytest.approx((0.1, 0.2, 0.3), abs=1e-12)


def pendulum() -> Sim:
    """A base on the world and an arm on a hinge at x = 1."""
    base = Link("base", "base", joint=JointFixed(), motion=Motion.KINEMATIC)
    joint = JointHinge("j", JointAxis((0, 1, 0), motor=Motor("m")), anchor=(1.0, 0.0, 0.0))
    arm = b.jointed_link("arm", BOX, joint, parent=0, at=(1.5, 0.0, 0.0))
    return Sim(b.scene(b.robot("r", base, arm), gravity=NO_GRAVITY, step=H))


def test_joint_keeps_anchor_and_position_when_its_link_is_moved() -> None:
    """The pose at position 0 changes: the arm now turns about the old anchor with a longer lever."""
    sim = pendulum()
    sim.joint("j").position = 0.3
    before = sim.joint("j").position
    sim["arm"].set_pose((2.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert sim["arm"].position == pytest.approx((2.0, 0, 0), abs=1e-12)
    assert sim.joint("j").position == before
    sim.joint("j").position = 0.3 + math.pi / 2
    assert sim["arm"].position == pytest.approx((1.0, 0.0, -1.0), abs=1e-12)


def test_setting_a_joint_position_stops_what_it_moves() -> None:
    """The endpoint's physics is reset."""
    sim = pendulum()
    sim["arm"].set_velocity((0.0, 0.0, -1.0), (0.0, 2.0, 0.0))
    assert sim.joint("j").velocity == pytest.approx(2.0, abs=1e-12)
    sim.joint("j").position = 1.0
    assert sim.joint("j").velocity == 0.0
    expected = (1.0 + 0.5 * math.cos(1.0), 0.0, -0.5 * math.sin(1.0))
    assert sim["arm"].position == pytest.approx(expected, abs=1e-12)


def test_kinematic_link_is_moved_with_all_that_rides_on_it() -> None:
    """Its pose and a velocity given later."""
    plate = Link("plate", "plate", joint=JointFixed(), motion=Motion.KINEMATIC)
    part = replace(plate, name="part", path="plate:part", parent=0, pose=Pose((1.0, 0.0, 0.0)))
    sim = Sim(b.scene(Body("plate", (plate, part)), step=H))
    sim["plate"].set_pose((0.0, 5.0, 0.0), b.turned((0, 0, 1), math.pi / 2))
    assert sim["part"].position == pytest.approx((0.0, 6.0, 0.0), abs=1e-12)
    sim["plate"].set_velocity((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    sim.step(50)
    assert sim["part"].position == pytest.approx((0.5, 6.0, 0.0), abs=1e-9)
    sim["part"].position = (9.0, 9.0, 9.0)
    assert sim["part"].position == pytest.approx((9.0, 9.0, 9.0), abs=1e-12)
    sim.reset()
    sim.step(10)
    assert sim["part"].position == pytest.approx((1.0, 0.0, 0.0), abs=1e-12)


def test_attached_links_hold_together_until_detached() -> None:
    """As a gripper does: needs a row of its own, which gripping devices bring along."""
    hand = replace(
        b.free_link("hand", GeometrySphere(0.1), at=(0, 0, 1.0), velocity=(1.0, 0.0, 0.0)),
        devices=(DeviceConnector(name="connector"),),
    )
    thing = b.free_body("thing", GeometrySphere(0.1), at=(0.5, 0, 1.0))
    sim = Sim(b.scene(Body("hand", (hand,)), thing, gravity=NO_GRAVITY, step=H))
    grip = sim["hand"].attach(sim["thing"])
    sim.step(100)
    assert sim["thing"].position - sim["hand"].position == pytest.approx((0.5, 0, 0), abs=1e-3)
    assert sim["thing"].linear_velocity[0] == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(ValueError, match="one pair per gripping device"):
        sim["thing"].attach(sim["hand"])
    sim["hand"].detach(grip)
    sim["thing"].set_velocity((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    sim.step(10)
    assert np.abs(sim["thing"].linear_velocity).max() == 0.0


def test_attached_links_do_not_collide() -> None:
    """Two balls that overlap by 2 cm stay so while they are held, and part when they are not."""
    hand = replace(
        b.free_link("hand", GeometrySphere(0.1), at=(0, 0, 1.0)),
        devices=(DeviceConnector(name="connector"),),
    )
    thing = b.free_body("thing", GeometrySphere(0.1), at=(0.18, 0, 1.0))
    sim = Sim(b.scene(Body("hand", (hand,)), thing, gravity=NO_GRAVITY, step=H))
    grip = sim["hand"].attach(sim["thing"])
    sim.step(50)
    assert len(sim.contacts()) == 0
    assert np.abs(sim.velocities()).max() == 0.0
    sim["hand"].detach(grip)
    sim.step(1)
    # v + cfm*f = erp/h*depth with f = (m/2) v/h, and each gets half of v
    speed = 0.2 / H * 0.02 / 2 / (1 + 0.001 / H / 2)
    assert sim["thing"].linear_velocity[0] == pytest.approx(speed, rel=1e-6)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_what_a_kinematic_link_holds_ignores_everything_static(engine: str) -> None:
    """A hand without physics pulls a ball down through the floor: it has a joint to the static world."""
    hand = replace(
        b.static_body("hand", GeometrySphere(0.05), at=(0, 0, 0.3)).links[0],
        devices=(DeviceConnector(name="connector"),),
        linear_velocity=(0.0, 0.0, -0.5),
    )
    thing = b.free_body("thing", GeometrySphere(0.1), at=(0, 0, 0.2))
    scene = b.scene(b.floor(), Body("hand", (hand,)), thing, step=H)
    sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
    grip = sim["hand"].attach(sim["thing"])
    for _ in range(50):
        sim.step(1)
        assert len(sim.contacts()) == 0
    assert sim["thing"].position[2] == pytest.approx(0.2 - 0.5 * 50 * H, abs=0.02)
    sim["hand"].detach(grip)
    sim.step(1)
    assert len(sim.contacts()) > 0


def test_bad_vectors_are_refused_by_name() -> None:
    """Length and finiteness."""
    sim = box()
    with pytest.raises(ValueError, match="force takes 3 finite numbers"):
        sim["box"].add_force((1.0, 2.0))
    with pytest.raises(ValueError, match="orientation must not be a null quaternion"):
        sim["box"].set_pose((0, 0, 0), (0, 0, 0, 0))
    with pytest.raises(ValueError, match="either `at` or `offset`"):
        sim["box"].add_force((1, 0, 0), at=(0, 0, 0), offset=(0, 0, 0))
