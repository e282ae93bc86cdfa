"""Joints, motors, stops and springs against closed forms, on every engine."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose
from solidbody.model.geometry import GeometryBox
from solidbody.model.joints import JointHinge, JointSlider, Stops
from solidbody.model.scene import RotationRule, Scene
from tests.physics import building as b
from tests.physics.referee import ALL_ENGINES, OUR_ENGINES, Engine, run

G = b.GRAVITY
H = 0.008
BAR = GeometryBox((0.4, 0.1, 0.1))
INERTIA = b.solid_mass(BAR, 1.0).inertia[2]
WEIGHTLESS = (0.0, 0.0, 0.0)


def on_joint(
    joint: JointHinge | JointSlider,
    *,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    gravity: tuple[float, float, float] = WEIGHTLESS,
    rotation: RotationRule = RotationRule.ODE,
    h: float = H,
) -> Scene:
    """Return a bar of 1 kg on one joint to the world."""
    link = b.jointed_link("bar", BAR, joint, parent=None, at=at)
    return b.scene(b.robot("bar", link), gravity=gravity, step=h, rotation=rotation)


def yaw(trace_quaternion: np.ndarray) -> float:
    """Return the angle about z of a quaternion that turns about z only."""
    return 2.0 * math.atan2(trace_quaternion[3], trace_quaternion[0])


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_motor_reaches_its_target_with_limited_torque(engine: Engine) -> None:
    """Below the target the rate grows by torque/I*h per step; then it holds, CFM*torque short."""
    torque, target = 0.05, 3.0
    joint = b.hinge("j", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), motor=b.velocity_motor("m", torque))
    trace = run(on_joint(joint), engine, 200, {"j": target})
    rate = trace.velocities[:, 0, 5]
    growing = int(target / (torque / INERTIA * H))
    expected = torque / INERTIA * H * np.arange(growing)
    assert rate[:growing] == pytest.approx(expected, abs=1e-9)
    assert rate[-1] == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_slider_motor_lifts_at_its_target_speed(engine: Engine) -> None:
    """Against gravity: v = target - CFM*m*g; too weak a motor falls with g - F/m."""
    motor = b.slider("j", (0.0, 0.0, 1.0), motor=b.velocity_motor("m", 50.0))
    trace = run(on_joint(motor, gravity=(0, 0, -G)), engine, 100, {"j": 0.25})
    assert trace.velocities[-1, 0, 2] == pytest.approx(0.25 - 1e-5 * G, abs=1e-9)

    weak = b.slider("j", (0.0, 0.0, 1.0), motor=b.velocity_motor("m", 4.0))
    trace = run(on_joint(weak, gravity=(0, 0, -G)), engine, 100, {"j": 0.25})
    assert trace.velocities[-1, 0, 2] == pytest.approx(-(G - 4.0) * 100 * H, abs=1e-9)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_dry_friction_holds_up_to_its_limit(engine: Engine) -> None:
    """A slider with dry friction above m*g creeps by CFM only, below it falls with the rest."""
    held = b.slider("j", (0.0, 0.0, 1.0), static_friction=1.01 * G)
    trace = run(on_joint(held, gravity=(0, 0, -G)), engine, 100)
    assert trace.velocities[-1, 0, 2] == pytest.approx(-1e-5 * G, abs=1e-9)
    slips = b.slider("j", (0.0, 0.0, 1.0), static_friction=0.5 * G)
    trace = run(on_joint(slips, gravity=(0, 0, -G)), engine, 100)
    assert trace.velocities[-1, 0, 2] == pytest.approx(-0.5 * G * 100 * H, abs=1e-9)


def spring_recurrence(k: float, d: float, q: float, v: float, steps: int) -> np.ndarray:
    """Return positions of the implicit spring-damper: I (v+ - v)/h = -k (q + h v+) - d v+."""
    out = [q]
    for _ in range(steps):
        v = (INERTIA * v - H * k * q) / (INERTIA + H * d + H * H * k)
        q += H * v
        out.append(q)
    return np.array(out)


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_hinge_spring_damper_follows_the_implicit_recurrence(engine: Engine) -> None:
    """Exact rotation: every step equals the implicit Euler recurrence."""
    k, d, start = 2.0, 0.01, 0.3
    joint = b.hinge("j", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), spring=k, damping=d)
    scene = on_joint(joint, rotation=RotationRule.EXACT)
    trace = run(_displaced(scene, start), engine, 300)
    angles = np.array([yaw(q) for q in trace.poses[:, 0, 3:]])
    assert angles == pytest.approx(spring_recurrence(k, d, start, 0.0, 300), abs=1e-9)


def _displaced(scene: Scene, position: float) -> Scene:
    """Return the one-hinge scene with the bar turned and the joint position saying so."""
    body = scene.bodies[0]
    link = body.links[0]
    assert isinstance(link.joint, JointHinge)
    joint = replace(link.joint, axis=replace(link.joint.axis, position=position))
    pose = Pose(link.pose.position, b.turned((0.0, 0.0, 1.0), position))
    link = replace(link, joint=joint, pose=pose)
    return replace(scene, bodies=(replace(body, links=(link,)),))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_hinge_spring_has_the_period_and_decay_of_the_oscillator(engine: Engine) -> None:
    """Period 2*pi*sqrt(I/k); decay rate (d + h*k)/(2*I): implicit steps add h*k of damping."""
    k, d, start = 20.0, 0.004, 0.2
    joint = b.hinge("j", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), spring=k, damping=d)
    h = 0.001
    trace = run(_displaced(on_joint(joint, h=h), start), engine, 2000)
    angles = np.array([yaw(q) for q in trace.poses[:, 0, 3:]])
    rate = (d + h * k) / (2 * INERTIA)
    omega = math.sqrt(k / INERTIA - rate**2)
    down = np.flatnonzero((angles[:-1] > 0) & (angles[1:] <= 0))
    crossings = [i + angles[i] / (angles[i] - angles[i + 1]) for i in down]
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1) * h
    # implicit Euler's phase error is of second order in omega*h = 0.04
    assert period == pytest.approx(2 * math.pi / omega, rel=1e-3)
    peaks = [angles[i] for i in range(1, 2000) if angles[i - 1] < angles[i] >= angles[i + 1]]
    decay = math.log(peaks[0] / peaks[-1]) / ((len(peaks) - 1) * period)
    assert decay == pytest.approx(rate, rel=1e-2)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_slider_stop_holds_within_its_softness(engine: Engine) -> None:
    """Resting on a stop: erp/h*violation = cfm*m*g."""
    joint = b.slider("j", (0.0, 0.0, 1.0), stops=Stops(-0.1, 0.1, erp=0.3, cfm=0.002))
    trace = run(on_joint(joint, gravity=(0, 0, -G)), engine, 500)
    violation = 0.002 * G * H / 0.3
    assert trace.poses[-1, 0, 2] == pytest.approx(-0.1 - violation, abs=1e-9)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_slider_stop_bounces(engine: Engine) -> None:
    """A moving slider leaves its stop with bounce times its speed, on either side."""
    joint = b.slider("j", (1.0, 0.0, 0.0), stops=Stops(-0.1, 0.1, bounce=0.6))
    for direction in (1.0, -1.0):
        scene = _with_velocity(on_joint(joint), direction)
        trace = run(scene, engine, 20)
        # stop CFM 1e-5 times the force 1.6/h of the impact
        assert trace.velocities[-1, 0, 0] == pytest.approx(-0.6 * direction, abs=4e-3)


def _with_velocity(scene: Scene, speed: float) -> Scene:
    """Return the one-slider scene with the bar moving along x."""
    body = scene.bodies[0]
    link = body.links[0]
    assert isinstance(link.joint, JointSlider)
    link = replace(link, linear_velocity=(speed, 0.0, 0.0))
    return replace(scene, bodies=(replace(body, links=(link,)),))


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_pendulum_has_the_period_of_a_physical_pendulum(engine: Engine) -> None:
    """Small swings: 2*pi*sqrt((I + m*l^2)/(m*g*l)) times (1 + a^2/16)."""
    arm, start, h = 0.5, 0.1, 0.002
    at = (0.0, arm * math.sin(start), -arm * math.cos(start))
    joint = b.hinge("j", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    scene = on_joint(joint, at=at, gravity=(0, 0, -G), rotation=RotationRule.EXACT, h=h)
    trace = run(scene, engine, 3000)
    y = trace.poses[:, 0, 1]
    down = np.flatnonzero((y[:-1] > 0) & (y[1:] <= 0))
    crossings = [i + y[i] / (y[i] - y[i + 1]) for i in down]
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1) * h
    # the bar is parallel to the axis: its inertia about x counts
    inertia = b.solid_mass(BAR, 1.0).inertia[0] + arm**2
    expected = 2 * math.pi * math.sqrt(inertia / (G * arm)) * (1 + start**2 / 16)
    assert period == pytest.approx(expected, rel=1e-5)  # (omega*h)^2/24 = 4e-6


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize(
    ("rotation", "turned"),
    [(RotationRule.EXACT, 32.0), (RotationRule.ODE, 100 * 2 * math.atan(0.16))],
)
def test_wheel_turns_what_its_rotation_rule_says(
    engine: Engine, rotation: RotationRule, turned: float
) -> None:
    """10 rad/s at 32 ms: 32 rad in 100 steps, or ODE's 31.731."""
    joint = b.hinge("j", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), motor=b.velocity_motor("m", 1000.0))
    trace = run(on_joint(joint, rotation=rotation, h=0.032), engine, 101, {"j": 10.0})
    angles = np.unwrap([yaw(q) for q in trace.poses[:, 0, 3:]])
    # the first step accelerates; CFM*torque is 0 afterwards
    assert angles[-1] - angles[1] == pytest.approx(turned, abs=1e-6)
