"""Joints of parts without physics: moved by their motors, on whatever carries them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.base.transforms import Pose
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import JointAxis, JointFixed, JointHinge, JointHinge2, JointSlider
from solidbody.model.links import Body, Link, Motion
from solidbody.model.motors import ControlMode, Motor
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

H = 0.01


def part(name: str, joint: JointHinge | JointHinge2 | JointSlider, at: Pose) -> Link:
    """A part without physics below link 0."""
    shape = b.collider(GeometryBox((0.2, 0.2, 0.2)))
    return Link(
        name, name, pose=at, parent=0, joint=joint, motion=Motion.KINEMATIC, shapes=(shape,)
    )


def base(**changes: object) -> Link:
    """A plate without physics."""
    return Link("base", "base", joint=JointFixed(), motion=Motion.KINEMATIC, **changes)  # type: ignore[arg-type]


def motor(**changes: object) -> Motor:
    """A strong motor in velocity control."""
    values = {"max_velocity": 50.0, "max_effort": math.inf, "mode": ControlMode.VELOCITY}
    return Motor("m", **(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_hinge_without_physics_turns_at_the_commanded_speed(engine: str) -> None:
    """2 rad/s for 1 s about a point off its centre: an arc of 2 rad, and the velocity that goes with it."""
    joint = JointHinge("j", JointAxis((0, 0, 1), motor=motor()), anchor=(1.0, 0.0, 0.0))
    body = Body("r", (base(), part("arm", joint, Pose((2.0, 0.0, 0.0)))))
    sim = Sim(b.scene(body, step=H), engine=engine)  # type: ignore[arg-type]
    sim.joint("j").target_velocity = 2.0
    sim.step(100)
    place = (1.0 + math.cos(2.0), math.sin(2.0), 0.0)
    assert sim["arm"].position == pytest.approx(place, abs=1e-9)
    assert sim["arm"].angular_velocity == pytest.approx((0, 0, 2.0), abs=1e-12)
    speed = (-2.0 * math.sin(2.0), 2.0 * math.cos(2.0), 0.0)
    assert sim["arm"].linear_velocity == pytest.approx(speed, abs=1e-9)
    assert sim.joint("j").position == pytest.approx(2.0, abs=1e-12)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_kinematic_motor_ramps_and_does_not_overshoot(engine: str) -> None:
    """Acceleration 4 rad/s^2 up to 1 rad/s, then straight to 0.7 rad, where it stays."""
    driven = motor(mode=ControlMode.POSITION, max_velocity=1.0, acceleration=4.0)
    joint = JointHinge("j", JointAxis((0, 0, 1), motor=driven))
    sim = Sim(b.scene(Body("r", (base(), part("arm", joint, Pose()))), step=H), engine=engine)  # type: ignore[arg-type]
    sim.joint("j").target_position = 0.7
    sim.step(10)
    assert sim.joint("j").velocity == pytest.approx(0.4, abs=1e-12)
    assert sim.joint("j").position == pytest.approx(4.0 * H * H * 55, abs=1e-12)  # 1 + 2 + .. + 10
    sim.step(100)
    assert sim.joint("j").position == 0.7
    sim.step(1)
    assert sim.joint("j").velocity == 0.0


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_torque_stands_in_for_a_missing_acceleration(engine: str) -> None:
    """Webots' rule: without an acceleration the available torque is one."""
    joint = JointHinge("j", JointAxis((0, 0, 1), motor=motor(max_effort=3.0)))
    sim = Sim(b.scene(Body("r", (base(), part("arm", joint, Pose()))), step=H), engine=engine)  # type: ignore[arg-type]
    sim.joint("j").target_velocity = 1.0
    sim.step(20)
    assert sim.joint("j").velocity == pytest.approx(3.0 * 20 * H, abs=1e-12)


def test_velocity_control_stops_at_the_limits() -> None:
    """A slider with a range [-0.1, 0.2]."""
    joint = JointSlider("j", JointAxis((1, 0, 0), motor=motor(range=(-0.1, 0.2))))
    sim = Sim(b.scene(Body("r", (base(), part("drawer", joint, Pose()))), step=H))
    sim.joint("j").target_velocity = 1.0
    sim.step(100)
    assert sim["drawer"].position == pytest.approx((0.2, 0, 0), abs=1e-6)
    sim.joint("j").target_velocity = -1.0
    sim.step(100)
    assert sim["drawer"].position == pytest.approx((-0.1, 0, 0), abs=1e-6)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_part_rides_on_a_falling_body_while_it_turns(engine: str) -> None:
    """A head without physics on a body in free fall."""
    body = b.free_link("body", GeometrySphere(0.1), at=(0, 0, 5.0))
    joint = JointHinge("neck", JointAxis((0, 0, 1), motor=motor()))
    head = part("head", joint, Pose((0.5, 0.0, 0.0)))
    sim = Sim(b.scene(Body("r", (body, head)), step=H), engine=engine)  # type: ignore[arg-type]
    sim.joint("neck").target_velocity = 3.0
    sim.step(50)
    drop = b.GRAVITY * H * H * 50 * 51 / 2
    place = (0.5 * math.cos(1.5), 0.5 * math.sin(1.5), 5.0 - drop)
    assert sim["head"].position == pytest.approx(place, abs=1e-9)
    assert sim["head"].linear_velocity[2] == pytest.approx(-b.GRAVITY * 0.5, abs=1e-9)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_two_axes_turn_one_after_the_other(engine: str) -> None:
    """Hinge2: first about z, then about the carried x; the arm's tip as the two rotations say."""
    axes = (JointAxis((0, 0, 1), motor=motor()), JointAxis((1, 0, 0), motor=motor()))
    joint = JointHinge2("j", *axes)
    sim = Sim(
        b.scene(Body("r", (base(), part("arm", joint, Pose((0.0, 1.0, 0.0))))), step=H),
        engine=engine,  # type: ignore[arg-type]
    )
    sim.joint("j[0]").target_velocity = 0.7
    sim.joint("j[1]").target_velocity = 0.4
    sim.step(100)
    tilted = np.array([0.0, math.cos(0.4), math.sin(0.4)])
    c, s = math.cos(0.7), math.sin(0.7)
    expected = (c * tilted[0] - s * tilted[1], s * tilted[0] + c * tilted[1], tilted[2])
    assert sim["arm"].position == pytest.approx(expected, abs=1e-9)


def test_kinematic_arm_pushes_what_it_meets() -> None:
    """A lifting plate carries a ball up."""
    joint = JointSlider("lift", JointAxis((0, 0, 1), motor=motor()))
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0, 0, 0.2))
    sim = Sim(b.scene(Body("r", (base(), part("plate", joint, Pose()))), ball, step=0.008))
    sim.step(50)
    sim.joint("lift").target_velocity = 0.2
    sim.step(250)
    # velocities do not enter contacts, depth does: it rides v*h*(1 - erp)/erp deeper than at rest
    assert sim["ball"].position[2] == pytest.approx(0.2 + 0.2 * 2.0, abs=0.02)


def test_reset_and_restore_put_kinematic_joints_back() -> None:
    """Poses of parts without physics belong to the state."""
    joint = JointHinge("j", JointAxis((0, 0, 1), motor=motor()))
    sim = Sim(b.scene(Body("r", (base(), part("arm", joint, Pose((1.0, 0, 0))))), step=H))
    sim.joint("j").target_velocity = 1.0
    sim.step(30)
    saved, there = sim.snapshot(), sim["arm"].position
    sim.step(30)
    later = sim["arm"].position
    sim.restore(saved)
    assert (sim["arm"].position == there).all()
    sim.step(30)
    assert (sim["arm"].position == later).all()
    sim.reset()
    assert (sim["arm"].position == (1.0, 0.0, 0.0)).all()
