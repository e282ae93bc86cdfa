"""Propellers, and spinning bodies under both gyroscopic rules."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose, Vec3
from solidbody.contact.reference import forces as reference_forces
from solidbody.model.devices import DevicePropeller, DeviceRotor
from solidbody.model.geometry import GeometryBox, GeometryCylinder
from solidbody.model.joints import JointAxis, JointBall
from solidbody.model.links import Body, Link
from solidbody.model.mass import MassProperties
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.scene import GyroRule, RotationRule, Scene
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics import conserving
from tests.physics.referee import OUR_ENGINES

G = b.GRAVITY
BOX = GeometryBox((0.4, 0.3, 0.2))
INERTIA = b.solid_mass(BOX, 1.0).inertia


def drone(
    *, constants: tuple[float, float], torque: tuple[float, float], max_torque: float = 10.0
) -> Scene:
    """A box of 1 kg with one propeller that pushes up, 0.1 m to the right of its centre."""
    motor = Motor("prop", max_velocity=1e4, max_effort=max_torque, mode=ControlMode.VELOCITY)
    motor = replace(motor, acceleration=None)
    device = DevicePropeller(
        name="propeller",
        shaft_axis=(0.0, 0.0, 1.0),
        center_of_thrust=(0.1, 0.0, 0.0),
        thrust_constants=constants,
        torque_constants=torque,
        motor=motor,
    )
    link = replace(b.free_link("drone", BOX), devices=(device,))
    return b.scene(Body("drone", (link,)), gravity=(0, 0, 0), step=0.001)


@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_propeller_thrust_and_torque_accelerate_its_body(engine: str) -> None:
    """T = t1 |w| w at the centre of thrust, -q1 |w| w about the shaft."""
    sim = Sim(drone(constants=(0.02, 0.0), torque=(0.001, 0.0)), engine=engine)  # type: ignore[arg-type]
    joint = sim.joint("prop")
    joint.target_velocity = 10.0
    # the shaft speeds up at the available torque: 10 rad/s^2
    joint.acceleration = 10.0
    rates = 10.0 * 0.001 * np.arange(1, 101)
    sim.step(100)
    impulse = float(np.sum(rates**2)) * 0.001
    assert joint.velocity == pytest.approx(1.0, abs=1e-12)
    assert sim["drone"].linear_velocity[2] == pytest.approx(0.02 * impulse, rel=1e-6)
    assert sim["drone"].angular_velocity[2] == pytest.approx(
        -0.001 * impulse / INERTIA[2], rel=1e-6
    )
    # lever arm 0.1 m along x: the nose goes up about -y
    assert sim["drone"].angular_velocity[1] == pytest.approx(
        -0.1 * 0.02 * impulse / INERTIA[1], rel=1e-5
    )
    assert joint.feedback == pytest.approx(0.02 + 0.001, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_advance_reduces_the_thrust(engine: str) -> None:
    """T = t1 w^2 - t2 |w| V vanishes at the speed V = t1 w/t2."""
    scene = drone(constants=(0.02, 0.4), torque=(0.0, 0.0))
    link = scene.bodies[0].links[0]
    device = link.devices[0]
    assert isinstance(device, DevicePropeller)
    centred = replace(device, center_of_thrust=(0.0, 0.0, 0.0))
    body = replace(scene.bodies[0], links=(replace(link, devices=(centred,)),))
    sim = Sim(replace(scene, bodies=(body,)), engine=engine)  # type: ignore[arg-type]
    sim.joint("prop").target_velocity = 50.0
    sim.joint("prop").acceleration = 1e9
    # as fast as the available effort (10) lets it: 5 s to 50 rad/s
    sim.run(5.0 if engine == "native" else 0.5)
    if engine == "native":
        sim.run(2.0)
        assert sim["drone"].linear_velocity[2] == pytest.approx(0.02 * 50.0 / 0.4, rel=1e-3)


def test_torque_is_cut_at_the_motors_limit() -> None:
    """q1 w^2 = 4 N*m, but the motor has 0.5."""
    sim = Sim(drone(constants=(0.0, 0.0), torque=(0.01, 0.0), max_torque=0.5))
    sim.motor_states["velocity"][0] = 20.0
    sim.joint("prop").target_velocity = 20.0
    sim.step(1)
    assert sim["drone"].angular_velocity[2] == pytest.approx(-0.5 * 0.001 / INERTIA[2], rel=1e-9)


def test_rotor_pushes_with_the_force_it_is_given() -> None:
    """Choreonoid's rotor: 9.81 N upwards hold 1 kg."""
    rotor = DeviceRotor(name="rotor", direction=(0, 0, 1), force=G)
    link = replace(b.free_link("drone", BOX), devices=(rotor,))
    sim = Sim(b.scene(Body("drone", (link,))))
    sim.step(100)
    assert np.abs(sim["drone"].linear_velocity).max() < 1e-12


def brick(spin: Vec3, gyro: GyroRule, *, step: float = 0.008) -> Scene:
    """A tumbling brick without gravity."""
    body = b.free_body("brick", GeometryBox((0.4, 0.2, 0.1)), spin=spin)
    scene = b.scene(body, gravity=(0, 0, 0), step=step, rotation=RotationRule.EXACT)
    return replace(scene, physics=replace(scene.physics, gyro=gyro))


def energy(sim: Sim) -> float:
    """Return the rotational energy of the brick."""
    w = sim["brick"].angular_velocity
    q = sim["brick"].orientation
    local = np.array(Pose(rotation=tuple(q)).inverse().direction(tuple(w)))
    inertia = b.solid_mass(GeometryBox((0.4, 0.2, 0.1)), 1.0).inertia[:3]
    return 0.5 * float(np.sum(np.array(inertia) * local**2))


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_implicit_gyroscopic_torque_never_adds_energy(engine: str) -> None:
    """About the middle axis, 25 rad/s at 8 ms: explicit gains energy each tumble, implicit only loses."""
    before = energy(Sim(brick((0.1, 25.0, -0.1), GyroRule.IMPLICIT)))
    results: dict[GyroRule, float] = {}
    for gyro in GyroRule:
        sim = Sim(brick((0.1, 25.0, -0.1), gyro), engine=engine)  # type: ignore[arg-type]
        highest = before
        for _ in range(250):
            sim.step()
            highest = max(highest, energy(sim))
        results[gyro] = highest
    assert results[GyroRule.IMPLICIT] <= before * (1 + 1e-9)
    assert results[GyroRule.EXPLICIT] > before * 1.01


def test_both_gyro_rules_agree_at_small_steps() -> None:
    """They differ by terms of first order in the step."""
    states = []
    for gyro in GyroRule:
        sim = Sim(brick((1.0, 3.0, 0.5), gyro, step=0.0001))
        sim.step(5000)
        states.append(sim["brick"].angular_velocity)
    assert states[0] == pytest.approx(states[1], abs=5e-3)


def test_spinning_top_precesses_at_the_textbook_rate() -> None:
    """A fast top on its tip, leaning by 0.3 rad: Omega = m g l/(I3 w3) (1 + small), no falling over."""
    disc, arm, spin, lean = GeometryCylinder(0.1, 0.02), 0.1, 300.0, 0.3
    solid = b.solid_mass(disc, 1.0)
    turn = b.turned((1, 0, 0), lean)
    centre = Pose(rotation=turn).direction((0.0, 0.0, arm))
    axes = [JointAxis(v) for v in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))]
    inertia = solid.inertia
    i1, i3 = inertia[0] + arm**2, inertia[2]
    # the steady rate solves i3 w3 O - i1 O^2 cos(lean) = m g l, w3 the whole spin about its axis
    a, h, c = i1 * math.cos(lean), i3 * spin, G * arm
    rate = (h - math.sqrt(h * h - 4 * a * c)) / (2 * a)
    axis = np.array(Pose(rotation=turn).direction((0.0, 0.0, 1.0)))
    whole = (spin - rate * math.cos(lean)) * axis + np.array((0.0, 0.0, rate))
    link = Link(
        "top",
        "top",
        pose=Pose(centre, turn),
        joint=JointBall("tip", axes[0], axes[1], axes[2], anchor=(0.0, 0.0, 0.0)),
        mass=MassProperties(1.0, (0.0, 0.0, 0.0), inertia),
        angular_velocity=tuple(whole),
    )
    scene = b.scene(Body("top", (link,)), step=0.0001, rotation=RotationRule.EXACT)
    sim = Sim(scene)
    start = math.atan2(sim["top"].position[1], sim["top"].position[0])
    seconds = 1.0
    sim.run(seconds)
    x, y, z = sim["top"].position
    turned = math.atan2(y, x) - start
    assert turned % (2 * math.pi) == pytest.approx((rate * seconds) % (2 * math.pi), rel=5e-3)
    # the explicit step nods by a little: 5 mrad at 0.03 rad of spin per step
    assert math.acos(z / arm) == pytest.approx(lean, abs=5e-3)


ROD = GeometryCylinder(0.02, 0.5)


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("spin", [(0.5, 0, 20.0), (0, 1.0, 200.0), (30.0, 30.0, 30.0)])
@pytest.mark.parametrize("step", [0.008, 0.032])
def test_rod_that_spins_fast_does_not_blow_up(engine: str, spin: Vec3, step: float) -> None:
    """Under the explicit torque it has 50,000 to 20 million times its energy after five seconds."""
    scene = b.scene(b.free_body("rod", ROD, spin=spin), step=step, gravity=(0, 0, 0))
    sim = Sim(scene, engine=engine)  # pyright: ignore[reportArgumentType]
    start = conserving.energy(sim, scene)
    sim.step(round((5.0 if engine == "native" else 0.5) / step))
    assert 0.9 * start < conserving.energy(sim, scene) < 1.6 * start


@pytest.mark.parametrize("spin", [(1.0, -2.0, 3.0), (3.0, 2.0, 8.0)])
def test_ordinary_spins_have_the_explicit_torque_to_the_last_bit(
    spin: Vec3, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in ODE: at 8 rad/s and 32 ms the rule is still the same."""
    scene = b.scene(b.free_body("box", BOX, spin=spin), step=0.032, gravity=(0, 0, 0))
    ours = Sim(scene, engine="reference")
    ours.step(20)
    monkeypatch.setattr(reference_forces, "GYRO_GAIN", np.inf)
    explicit = Sim(scene, engine="reference")
    explicit.step(20)
    assert (ours.velocities() == explicit.velocities()).all()
    native = Sim(scene, engine="native")
    native.step(20)
    np.testing.assert_allclose(native.velocities(), explicit.velocities(), rtol=0.0, atol=1e-12)
