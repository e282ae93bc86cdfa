"""Suspensions of hinges, hinge2 joints, and the axes of ball joints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.base.transforms import Pose, Vec3, quat_multiply
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointHinge,
    JointHinge2,
    Stops,
    Suspension,
)
from solidbody.model.links import Link
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import RotationRule
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

BALL = GeometrySphere(0.1)
INERTIA = 0.4 * 0.01
G = b.GRAVITY
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def hung(joint: JointHinge | JointHinge2 | JointBall, engine: str, **changes: object) -> Sim:
    """A ball of 1 kg on a joint to the world, at the origin."""
    link = Link(
        "ball", "ball", joint=joint, mass=b.solid_mass(BALL, 1.0), shapes=(b.collider(BALL),)
    )
    values = {"rotation": RotationRule.EXACT, "step": 0.008}
    return Sim(b.scene(b.robot("r", link), **(values | changes)), engine=engine)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_suspension_sags_by_the_weight_over_its_stiffness(engine: str) -> None:
    """The implicit spring comes to rest at m*g/k, whatever the hinge does."""
    sprung = Suspension(Z, spring=400.0, damping=30.0)
    joint = JointHinge("j", JointAxis(Y), suspension=sprung)
    sim = hung(joint, engine)
    sim.run(3.0)
    assert sim["ball"].position == pytest.approx((0, 0, -G / 400.0), abs=1e-9)
    assert sim.joint_names == ("j",)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_suspension_follows_the_implicit_recurrence(engine: str) -> None:
    """m (v+ - v)/h = -m g - k (x + h v+) - d v+."""
    k, d, h = 900.0, 4.0, 0.008
    joint = JointHinge2("j", JointAxis(Z), JointAxis(Y), suspension=Suspension(Z, k, d))
    sim = hung(joint, engine)
    x = v = 0.0
    for _ in range(80):
        v = (v - h * G - h * k * x) / (1 + h * d + h * h * k)
        x += h * v
        sim.step()
        assert sim["ball"].position[2] == pytest.approx(x, abs=1e-12)


def test_wheels_on_hinge2_steer_and_roll() -> None:
    """The second axis is carried by the first: a wheel steered by 0.5 rad rolls in that direction."""
    steer = Motor("steer", max_effort=1e3)
    spin = Motor("spin", max_velocity=50.0, max_effort=1e3, mode=ControlMode.VELOCITY)
    joint = JointHinge2("j", JointAxis(Z, motor=steer), JointAxis(Y, motor=spin))
    sim = hung(joint, "native", gravity=(0, 0, 0))
    sim.joint("steer").target_position = 0.5
    sim.run(3.0)
    sim.joint("spin").target_velocity = 4.0
    sim.run(0.1)
    axle = (-math.sin(0.5), math.cos(0.5), 0.0)
    assert sim["ball"].angular_velocity == pytest.approx(4.0 * np.array(axle), abs=1e-4)


def ball_joint(*, turned: Vec3 = (0.0, 0.0, 0.0), **axis: object) -> JointBall:
    """A ball joint with axes x, y, z, all with the same spring, stops or motor."""
    axes = [JointAxis(v, position=p, **axis) for v, p in zip((X, Y, Z), turned, strict=True)]  # type: ignore[arg-type]
    return JointBall("j", axes[0], axes[1], axes[2])


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("part", [0, 1, 2])
def test_ball_spring_turns_back_about_each_axis(engine: str, part: int) -> None:
    """One angle off: a sphere swings about that axis as a torsion spring does."""
    k, d, h, start = 0.5, 0.002, 0.008, 0.4
    angles = [0.0, 0.0, 0.0]
    angles[part] = start
    direction = (X, Y, Z)[part]
    joint = ball_joint(spring=k, damping=d)
    link = Link("ball", "ball", joint=joint, mass=b.solid_mass(BALL, 1.0))
    scene = b.scene(b.robot("r", link), gravity=(0, 0, 0), rotation=RotationRule.EXACT, step=h)
    sim = Sim(scene, engine=engine)  # type: ignore[arg-type]
    sim.joint(f"j[{part}]").position = start
    turn = b.turned(direction, start)
    assert sim["ball"].orientation == pytest.approx(turn, abs=1e-12)
    q, v = start, 0.0
    for _ in range(50):
        v = (INERTIA * v - h * k * q) / (INERTIA + h * d + h * h * k)
        q += h * v
        sim.step()
        states = sim.joint_states()
        assert states[part, 0] == pytest.approx(q, abs=1e-9)
        assert np.abs(np.delete(states[:, 0], part)).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_ball_motors_reach_euler_angles(engine: str) -> None:
    """Targets (0.5, -0.4, 0.8): the orientation is the product of the three turns."""
    axes = [
        JointAxis(v, motor=Motor(f"m{k}", max_effort=1e3, max_velocity=20.0))
        for k, v in enumerate((X, Y, Z))
    ]
    sim = hung(JointBall("j", axes[0], axes[1], axes[2]), engine)
    goals = (0.5, -0.4, 0.8)
    for k, goal in enumerate(goals):
        sim.joint(f"m{k}").target_position = goal
    sim.run(4.0)
    assert sim.joint_states()[:, 0] == pytest.approx(goals, abs=1e-6)
    turn = quat_multiply(quat_multiply(b.turned(X, 0.5), b.turned(Y, -0.4)), b.turned(Z, 0.8))
    assert sim["ball"].orientation == pytest.approx(turn, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("part", [0, 2])
def test_outer_angles_of_a_ball_joint_count_turns(engine: str, part: int) -> None:
    """10 rad/s for one second, more than one turn, and back to where it was by position control."""
    axes = [
        JointAxis(v, motor=Motor(f"m{k}", max_effort=1e6, max_velocity=20.0))
        for k, v in enumerate((X, Y, Z))
    ]
    sim = hung(JointBall("j", axes[0], axes[1], axes[2]), engine)
    motor = sim.joint(f"m{part}")
    motor.target_velocity = 10.0
    sim.run(1.0)
    assert motor.position == pytest.approx(10.0, rel=1e-3)
    motor.target_position = 0.5
    sim.run(3.0)
    assert motor.position == pytest.approx(0.5, abs=1e-6)
    sim.reset()
    assert sim.joint_states()[:, 0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_ball_stops_hold_a_pendulum(engine: str) -> None:
    """A bar falls sideways about x until its stop at 0.6 rad, and rests there."""
    bar, lean = GeometryBox((0.1, 0.1, 0.6)), 0.01
    joint = JointBall(
        "j",
        JointAxis(X, position=lean, stops=Stops(-0.6, 0.6)),
        JointAxis(Y, stops=Stops(-0.1, 0.1)),
        JointAxis(Z),
    )
    pose = Pose((0.0, -0.3 * math.sin(lean), 0.3 * math.cos(lean)), b.turned(X, lean))
    link = Link("bar", "bar", pose=pose, joint=joint, mass=b.solid_mass(bar, 1.0))
    sim = Sim(b.scene(b.robot("r", link), damping=b.Damping(0.5, 0.9)), engine=engine)  # type: ignore[arg-type]
    sim.step(900 if engine == "native" else 400)
    angle = sim.joint("j[0]").position
    moment = G * 0.3 * math.sin(0.6)
    # at rest erp/h*violation = cfm*moment
    assert angle == pytest.approx(0.6 + 1e-5 * moment * 0.008 / 0.2, abs=1e-4)


def test_free_ball_joint_lists_no_axes() -> None:
    """Nothing on its axes: nothing to command, nothing to compute."""
    sim = hung(ball_joint(), "native")
    assert sim.joint_names == ()


def test_ball_axes_survive_the_singular_pose() -> None:
    """Turned by 90 degrees about the middle axis the outer two coincide: finite, and back again."""
    axes = (
        JointAxis(X, damping=1e-3),
        JointAxis(Y, motor=Motor("m", max_effort=10.0)),
        JointAxis(Z),
    )
    sim = hung(JointBall("j", *axes), "native", gravity=(0.3, 0.2, -1.0))
    sim.joint("m").target_position = 0.5 * math.pi
    sim.run(3.0)
    assert np.isfinite(sim.poses()).all()
    sim.joint("m").target_position = 0.0
    sim.run(3.0)
    assert sim.joint("m").position == pytest.approx(0.0, abs=1e-3)
    assert sim.stats.not_converged == 0


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_ball_motors_hold_still_at_the_singular_pose(engine: str) -> None:
    """Outer angles 0.5 and 0.8, the middle one at 90 degrees: the orientation is still their product."""
    axes = [JointAxis(v, motor=Motor(f"m{k}", max_effort=1e3)) for k, v in enumerate((X, Y, Z))]
    sim = hung(JointBall("j", axes[0], axes[1], axes[2]), engine)
    sim.joint("m0").target_position, sim.joint("m2").target_position = 0.5, 0.8
    sim.run(1.5)
    sim.joint("m1").target_position = 0.5 * math.pi
    sim.run(1.5)
    turn = quat_multiply(b.turned(X, 0.5), b.turned(Y, 0.5 * math.pi))
    turn = quat_multiply(turn, b.turned(Z, 0.8))
    # 10/s for 1.5 s leave 3e-7 of the way, in angles and, ten times that, in rates
    assert abs(np.dot(sim["ball"].orientation, turn)) == pytest.approx(1.0, abs=1e-9)
    assert np.abs(sim["ball"].angular_velocity).max() < 1e-5
