"""Joints that close a loop with motors, springs and stops of their own."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose, Quat, Vec3, quat_from_axis_angle, quat_multiply
from solidbody.formats.loading import read_scene_text
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointHinge,
    JointHinge2,
    JointSlider,
    LoopAttachment,
    LoopGeneral,
    Stops,
)
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import RotationRule
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES

BALL = GeometrySphere(0.1)
INERTIA = 0.4 * 0.01
H = 0.008
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TO_X: Quat = quat_from_axis_angle(Y, 0.5 * math.pi)
"""Turns z to x: frames of joints whose first axis is x."""
GIVES = 1e-4
"""Loops are held by ERP and CFM: rates about their axis differ from an exact joint's by this much."""


def looped(
    joint: JointHinge | JointSlider | JointHinge2 | JointBall,
    frame: Quat,
    engine: str,
    *,
    gravity: Vec3 = (0, 0, 0),
    spin: Vec3 = (0, 0, 0),
    velocity: Vec3 = (0, 0, 0),
) -> Sim:
    """A free ball of 1 kg that a loop holds to the world."""
    body = b.free_body("ball", BALL, spin=spin, velocity=velocity)
    ends = (
        LoopAttachment(None, Pose((0, 0, 0), frame)),
        LoopAttachment("ball", Pose((0, 0, 0), frame)),
    )
    loop = LoopGeneral(ends, joint, joint.name)
    scene = b.scene(
        replace(body, loops=(loop,)), gravity=gravity, step=H, rotation=RotationRule.EXACT
    )
    return Sim(scene, engine=engine)  # type: ignore[arg-type]


def motor(name: str = "m", effort: float = 100.0) -> Motor:
    """A motor in velocity control."""
    return Motor(name, max_velocity=50.0, max_effort=effort, mode=ControlMode.VELOCITY)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_hinge_motor_turns_the_body_and_counts_turns(engine: str) -> None:
    """5 rad/s about x for 3 s: 15 rad, not wrapped; nothing else moves."""
    sim = looped(JointHinge("j", JointAxis(X, motor=motor())), TO_X, engine)
    sim.joint("m").target_velocity = 5.0
    sim.run(3.0 if engine == "native" else 1.0)
    assert sim["ball"].angular_velocity == pytest.approx((5.0, 0, 0), abs=GIVES)
    assert sim.joint("j").velocity == pytest.approx(5.0, abs=GIVES)
    # the position is that of the start of the last step until asked for
    assert sim.joint("j").position == pytest.approx(5.0 * sim.time, abs=0.01)
    assert np.abs(sim["ball"].position).max() < 1e-9


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_hinge_spring_swings_as_on_a_real_hinge(engine: str) -> None:
    """I (v+ - v)/h = -k (q + h v+) - d v+."""
    k, d = 0.4, 0.002
    sim = looped(JointHinge("j", JointAxis(X, spring=k, damping=d)), TO_X, engine, spin=(2.0, 0, 0))
    q, v = 0.0, 2.0
    for _ in range(60):
        v = (INERTIA * v - H * k * q) / (INERTIA + H * d + H * H * k)
        q += H * v
        sim.step()
        assert sim.joint("j").position == pytest.approx(q, abs=1e-9)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_hinge_effort_accelerates(engine: str) -> None:
    """T/I*n*h."""
    sim = looped(JointHinge("j", JointAxis(X, motor=motor())), TO_X, engine)
    sim.joint("m").effort = 0.01
    sim.step(20)
    assert sim["ball"].angular_velocity[0] == pytest.approx(0.01 / INERTIA * 20 * H, rel=1e-9)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_slider_falls_to_its_stop(engine: str) -> None:
    """Along the vertical: free fall at first, then rest at the stop; it does not turn."""
    joint = JointSlider("j", JointAxis(Z, stops=Stops(-0.1, 0.1)))
    sim = looped(joint, (1, 0, 0, 0), engine, gravity=(0, 0, -b.GRAVITY))
    sim.step(10)
    assert sim["ball"].linear_velocity[2] == pytest.approx(-b.GRAVITY * 10 * H, rel=1e-9)
    sim.step(200)
    violation = 1e-5 * b.GRAVITY * H / 0.2
    assert sim.joint("j").position == pytest.approx(-0.1 - violation, abs=1e-8)
    assert np.abs(sim["ball"].angular_velocity).max() < 1e-9


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_slider_keeps_its_line_and_its_orientation(engine: str) -> None:
    """Pushed across and spun, it only moves along its axis."""
    joint = JointSlider("j", JointAxis(Z))
    sim = looped(joint, (1, 0, 0, 0), engine, velocity=(0.3, -0.2, 0.5), spin=(1.0, 2.0, -1.0))
    sim.step(100)
    x, y, z = sim["ball"].position
    assert max(abs(x), abs(y)) < 1e-4
    assert z == pytest.approx(0.5 * 100 * H, abs=1e-6)
    assert sim["ball"].orientation == pytest.approx((1, 0, 0, 0), abs=1e-3)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_hinge2_turns_about_both_axes(engine: str) -> None:
    """First about x, then about the carried z: both rates at once, third direction held."""
    joint = JointHinge2("j", JointAxis(X, motor=motor("a")), JointAxis(Z, motor=motor("b")))
    sim = looped(joint, TO_X, engine)
    sim.joint("a").target_velocity = 1.0
    sim.joint("b").target_velocity = 2.0
    sim.step(50)
    angle = sim.joint("j[0]").position
    assert angle == pytest.approx(50 * H, abs=0.02)
    axle = np.array((0.0, -math.sin(angle), math.cos(angle)))
    expected = np.array((1.0, 0, 0)) + 2.0 * axle
    assert sim["ball"].angular_velocity == pytest.approx(expected, abs=0.05)
    assert sim.joint("j[1]").position == pytest.approx(2.0 * 50 * H, abs=0.02)


def ball(**axis: object) -> JointBall:
    """A ball joint with axes x, y, z and the same on each of them."""
    axes = [JointAxis(v, **axis) for v in (X, Y, Z)]  # type: ignore[arg-type]
    return JointBall("j", axes[0], axes[1], axes[2])


@pytest.mark.slow
@pytest.mark.parametrize("frame", [(1.0, 0.0, 0.0, 0.0), TO_X], ids=["as the world", "turned"])
@pytest.mark.parametrize("part", [0, 1, 2])
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_ball_spring_swings_about_each_axis(engine: str, part: int, frame: Quat) -> None:
    """Set off about one axis: the implicit recurrence of a torsion spring, nothing about the others."""
    k, d = 0.5, 0.002
    spin = [0.0, 0.0, 0.0]
    spin[part] = 2.0
    sim = looped(ball(spring=k, damping=d), frame, engine, spin=(spin[0], spin[1], spin[2]))
    assert sim.compiled.diagnostics == ()
    q, v = 0.0, 2.0
    for _ in range(40):
        v = (INERTIA * v - H * k * q) / (INERTIA + H * d + H * H * k)
        q += H * v
        sim.step()
        states = sim.joint_states()
        assert states[part] == pytest.approx((q, v), abs=1e-9)
        assert np.abs(np.delete(states[:, 0], part)).max() < 1e-9


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_ball_motors_of_a_loop_reach_euler_angles(engine: str) -> None:
    """The same product of turns as in a tree."""
    axes = [JointAxis(v, motor=Motor(f"m{k}", max_effort=1e3)) for k, v in enumerate((X, Y, Z))]
    sim = looped(JointBall("j", axes[0], axes[1], axes[2]), TO_X, engine)
    for k, goal in enumerate((0.5, -0.4, 0.8)):
        sim.joint(f"m{k}").target_position = goal
    sim.run(2.0)
    turn = quat_multiply(quat_multiply(b.turned(X, 0.5), b.turned(Y, -0.4)), b.turned(Z, 0.8))
    # 10/s for 2 s leave 2e-9 of the way
    assert abs(np.dot(sim["ball"].orientation, turn)) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_ball_effort_of_a_loop_accelerates(engine: str) -> None:
    """At the start its axes are x, y and z."""
    axes = [
        JointAxis(v, motor=Motor(f"m{k}", max_effort=1e3, mode=ControlMode.EFFORT))
        for k, v in enumerate((X, Y, Z))
    ]
    sim = looped(JointBall("j", axes[0], axes[1], axes[2]), TO_X, engine)
    sim.joint("m1").effort = 0.02
    sim.step()
    assert sim["ball"].angular_velocity == pytest.approx((0, 0.02 * H / INERTIA, 0), abs=1e-9)


WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 gravity 0 physicsDisableTime 0 }}
Viewpoint {{ }}
Robot {{
  children [
    {0} {{
      jointParameters {1}
      device {2} {{ name "m" maxVelocity 50 }}
      endPoint SolidReference {{ solidName "<static environment>" }}
    }}
  ]
  boundingObject Sphere {{ radius 0.1 }}
  physics Physics {{ density -1 mass 1 }}
}}
"""


@pytest.mark.parametrize(
    ("node", "parameters", "device"),
    [
        ("HingeJoint", "HingeJointParameters { axis 0 0 1 }", "RotationalMotor"),
        ("SliderJoint", "JointParameters { axis 0 0 1 }", "LinearMotor"),
    ],
)
def test_motor_on_a_solid_reference_moves_the_robot(
    node: str, parameters: str, device: str
) -> None:
    """From a world file: a joint to the static environment with a motor."""
    scene, log = read_scene_text(WORLD.format(node, parameters, device), "loop.wbt")
    assert scene is not None
    assert not log.has_errors
    sim = Sim(scene)
    assert sim.compiled.diagnostics == ()
    sim.joint("m").target_velocity = 0.5
    sim.step(50)
    speeds = np.abs(sim.velocities()[sim.moving[0]])
    assert speeds.max() == pytest.approx(0.5, abs=1e-3)
    assert sim.joint("m").velocity == pytest.approx(0.5, abs=1e-3)
