"""Joints that close a loop with motors, springs and stops of their own."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose, Quat, Vec3, quat_from_axis_angle
from solidbody.formats.loading import read_scene_text
from solidbody.model.geometry import GeometrySphere
from solidbody.model.joints import (
    JointAxis,
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
    joint: JointHinge | JointSlider | JointHinge2,
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
