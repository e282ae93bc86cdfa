"""Cylinders against closed forms: standing, lying, rolling, sliding, tipping. On planes and boxes."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest

from solidbody.base.transforms import IDENTITY, Pose, Quat, Vec3, quat_multiply
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryCylinder
from solidbody.model.links import Body
from solidbody.model.scene import RotationRule, Scene
from tests.physics import building as b
from tests.physics.referee import OUR_ENGINES, Engine, Trace, run

G = b.GRAVITY
R, HEIGHT = 0.1, 0.3
POST = GeometryCylinder(R, HEIGHT)
LYING: Quat = b.turned((1, 0, 0), math.pi / 2)
Ground = Literal["plane", "box"]
GROUNDS: tuple[Ground, ...] = ("plane", "box")
RULES = (RotationRule.EXACT, RotationRule.ODE)


def ground(kind: Ground) -> Body:
    """Return a static floor whose top is at z = 0."""
    if kind == "plane":
        return b.floor()
    return b.static_body("floor", GeometryBox((10, 10, 1)), at=(0, 0, -0.5))


def on_ground(
    kind: Ground,
    at: Vec3,
    rotation: Quat = IDENTITY,
    *,
    velocity: Vec3 = (0.0, 0.0, 0.0),
    spin: Vec3 = (0.0, 0.0, 0.0),
    h: float = 0.008,
    mu: float = 1.0,
    gravity: Vec3 = (0.0, 0.0, -G),
    rule: RotationRule = RotationRule.EXACT,
) -> Scene:
    """Return a post of 4.7 kg (water's half density) on the ground."""
    post = b.free_body(
        "post", POST, mass=4.7, at=at, rotation=rotation, velocity=velocity, spin=spin
    )
    surface = ContactProperties(friction=(mu,))
    return b.scene(ground(kind), post, surface=surface, step=h, gravity=gravity, rotation=rule)


def speeds(trace: Trace) -> tuple[float, float]:
    """Return the last speed [m/s] and spin [rad/s] of the post."""
    v = trace.velocities[-1, 1]
    return float(np.linalg.norm(v[:3])), float(np.linalg.norm(v[3:]))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("h", [0.008, 0.032])
@pytest.mark.parametrize("kind", GROUNDS)
def test_lying_cylinder_stays_at_rest(kind: Ground, h: float, rule: RotationRule) -> None:
    """Nothing sets it rolling, whichever way it lies."""
    rotation = quat_multiply(b.turned((0, 0, 1), 0.3), LYING)
    trace = run(on_ground(kind, (0.3, 0.2, R), rotation, h=h, rule=rule), "native", round(10 / h))
    speed, spin = speeds(trace)
    assert speed < 1e-9
    assert spin < 1e-8


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("h", [0.008, 0.032])
@pytest.mark.parametrize("kind", GROUNDS)
def test_upright_cylinder_stands_still(kind: Ground, h: float, rule: RotationRule) -> None:
    """Set down exactly, it stands for 10 s."""
    rotation = b.turned((0, 0, 1), 0.3)
    scene = on_ground(kind, (0.3, 0.2, HEIGHT / 2), rotation, h=h, rule=rule)
    speed, spin = speeds(run(scene, "native", round(10 / h)))
    assert speed < 1e-7
    assert spin < 1e-6


@pytest.mark.parametrize("h", [0.008, 0.032])
@pytest.mark.parametrize("kind", GROUNDS)
@pytest.mark.parametrize("case", ["dropped tilted", "sliding", "sliding and turning"])
def test_disturbed_upright_cylinder_comes_to_rest(kind: Ground, h: float, case: str) -> None:
    """It rights itself; with ODE's depths (see sb_colliders.c) it would tremble on a box for good."""
    up = HEIGHT / 2
    scene = {
        "dropped tilted": on_ground(kind, (0, 0, 0.25), b.turned((1, 0, 0), 0.2), h=h),
        "sliding": on_ground(kind, (0, 0, up), velocity=(0.8, 0, 0), h=h, mu=0.4),
        "sliding and turning": on_ground(
            kind, (0, 0, up), velocity=(0.8, 0, 0), spin=(0, 0, 3), h=h, mu=0.4
        ),
    }[case]
    trace = run(scene, "native", round(10 / h))
    speed, spin = speeds(trace)
    assert speed < 1e-7
    assert spin < 1e-6
    x, y = trace.poses[-1, 1, 4:6]
    assert math.hypot(x, y) < 1e-6  # upright


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("kind", GROUNDS)
def test_cylinder_rolls_down_with_two_thirds_of_g_sin(engine: Engine, kind: Ground) -> None:
    """a = g*sin(alpha)/(1 + I/(m r^2)) = 2/3*g*sin(alpha)."""
    alpha, h, steps = 0.2, 0.008, 100
    # two points of depth cfm*f*h/erp share the weight
    sunk = 4.7 * G * math.cos(alpha) / 2 * 0.001 * h / 0.2
    at = (0.0, 0.0, R - sunk)
    scene = on_ground(kind, at, LYING, gravity=b.tilted_gravity(alpha))
    trace = run(scene, engine, steps)
    expected = 2 / 3 * G * math.sin(alpha) * steps * h
    # the friction rows' CFM lets the contact slip by CFM*f = 1e-5*m*g*sin/6 m/s
    assert trace.velocities[-1, 1, 0] == pytest.approx(expected, abs=1e-4)
    assert trace.velocities[-1, 1, 4] * R == pytest.approx(expected, abs=1e-4)


def test_cylinder_rolls_down_a_tilted_box() -> None:
    """The same with the box turned instead of gravity."""
    alpha, h, steps = 0.2, 0.008, 100
    turn = b.turned((0, 1, 0), alpha)
    slope = Pose((0, 0, 0), turn)
    sunk = 4.7 * G * math.cos(alpha) / 2 * 0.001 * h / 0.2
    post = b.free_body(
        "post",
        POST,
        mass=4.7,
        at=(slope * Pose((0, 0, R - sunk))).position,
        rotation=quat_multiply(turn, LYING),
    )
    box = b.static_body(
        "box", GeometryBox((10, 10, 1)), at=(slope * Pose((0, 0, -0.5))).position, rotation=turn
    )
    trace = run(b.scene(box, post, step=h, rotation=RotationRule.EXACT), "native", steps)
    expected = 2 / 3 * G * math.sin(alpha) * steps * h
    assert np.linalg.norm(trace.velocities[-1, 1, :3]) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize("kind", GROUNDS)
@pytest.mark.parametrize("lying", [False, True])
def test_cylinder_slides_to_rest_in_v2_over_2_mu_g(
    engine: Engine, kind: Ground, lying: bool
) -> None:
    """Upright, or lying and pushed along its axis: v^2/(2*mu*g), less v*h/2 of the Euler step."""
    v, mu, h = 0.5, 0.25, 0.008
    plate = GeometryCylinder(0.3, 0.05)
    geometry = POST if lying else plate
    rotation = b.turned((0, 1, 0), math.pi / 2) if lying else IDENTITY
    height = R if lying else 0.025
    # at rest in z: depth cfm*f*h/erp under 2 or 4 (plane) or 8 (box) points
    points = 2 if lying else 4 if kind == "plane" else 8
    at = (0.0, 0.0, height - G / points * 0.001 * h / 0.2)
    body = b.free_body("body", geometry, at=at, rotation=rotation, velocity=(v, 0, 0))
    surface = ContactProperties(friction=(mu,), bounce=0.0)
    scene = b.scene(ground(kind), body, surface=surface, step=h, rotation=RotationRule.EXACT)
    steps = math.ceil(v / (mu * G * h)) + 10
    trace = run(scene, engine, steps)
    expected = v * v / (2 * mu * G) - v * h / 2
    # friction tilts the body, which lowers its front by up to 1e-4 m and so shifts its origin
    assert trace.poses[-1, 1, 0] == pytest.approx(expected, abs=1e-3)
    assert abs(trace.velocities[-1, 1, 0]) < 2e-4


@pytest.mark.slow
@pytest.mark.parametrize("engine", OUR_ENGINES)
@pytest.mark.parametrize(("beyond", "falls"), [(-0.03, False), (0.03, True)])
def test_cylinder_over_the_border_of_a_box_tips(engine: Engine, beyond: float, falls: bool) -> None:
    """It stays while its centre is above the box, and tips over the edge otherwise."""
    at = (5.0 + beyond, 0.2, HEIGHT / 2)
    trace = run(on_ground("box", at), engine, 125)
    tilt = 2 * abs(trace.poses[-1, 1, 5])
    assert (tilt > 0.3) == falls
    if not falls:
        assert speeds(trace)[1] < 1e-3


def test_tipping_about_the_edge_keeps_energy() -> None:
    """I*w^2/2 about the edge grows by what the centre falls, as long as the edge carries it."""
    beyond, h, start, end = 0.05, 0.001, 30, 100
    scene = on_ground("box", (5.0 + beyond, 0.2, HEIGHT / 2), h=h)
    trace = run(scene, "native", end)
    arm2 = HEIGHT * HEIGHT / 4 + beyond * beyond
    inertia = (3 * R * R + HEIGHT * HEIGHT) / 12 + arm2
    spin, tilt = trace.velocities[:, 1, 4], 2 * np.arcsin(trace.poses[:, 1, 5])
    angle = math.atan2(beyond, HEIGHT / 2) + tilt
    fallen = math.sqrt(arm2) * (math.cos(angle[start]) - math.cos(angle[end]))
    gained = inertia * (spin[end] ** 2 - spin[start] ** 2) / 2
    # the point of contact gives by cfm*f*h/erp and swings a little: 1 %
    assert gained == pytest.approx(G * fallen, rel=0.01)
