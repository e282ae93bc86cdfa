"""Contact law against closed forms, on every engine. h is the step, g gravity, mu friction."""

from __future__ import annotations

import math

import pytest

from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.model.links import Damping
from tests.physics import building as b
from tests.physics.referee import ALL_ENGINES, Engine, run

G = b.GRAVITY
H = 0.008
SLAB = GeometryBox((1.0, 1.0, 0.1))
"""Wide and flat: friction shifts its load by less than 1 %."""


def settled_height(half: float, *, points: int = 4, h: float = H, g: float = G) -> float:
    """Return the height of a 1 kg body at rest, where erp/h*depth = cfm*f_n at each point."""
    return half - g / points * 0.001 * h / 0.2


def slab_on_floor(
    surface: ContactProperties,
    *,
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    slope: float = 0.0,
    h: float = H,
) -> b.Scene:
    """Return a settled slab on the floor; gravity is tilted by `slope` so that +x is downhill."""
    height = settled_height(0.05, h=h, g=G * math.cos(slope))
    body = b.free_body("slab", SLAB, at=(0.0, 0.0, height), velocity=velocity)
    return b.scene(b.floor(), body, surface=surface, step=h, gravity=b.tilted_gravity(slope))


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_free_fall_is_semi_implicit_euler(engine: Engine) -> None:
    """After n steps v = -g n h and z = z0 - g h^2 n (n + 1)/2, to rounding."""
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.0, 0.0, 10.0), velocity=(1.0, 0.0, 0.0))
    trace = run(b.scene(ball), engine, 100)
    assert trace.velocities[-1, 0, :3] == pytest.approx([1.0, 0.0, -G * 100 * H], abs=1e-12)
    fallen = G * H * H * 100 * 101 / 2
    assert trace.poses[-1, 0, :3] == pytest.approx([100 * H, 0.0, 10.0 - fallen], abs=1e-12)


@pytest.mark.parametrize("engine", ALL_ENGINES)
@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_sliding_box_stops_after_v2_over_2_mu_g(engine: Engine, mu: float) -> None:
    """Semi-implicit Euler loses mu*g*h per step before it moves: v*h/2 short of v^2/(2*mu*g)."""
    v = 1.0
    steps = math.ceil(v / (mu * G * H)) + 5
    scene = slab_on_floor(ContactProperties(friction=(mu,), bounce=0.0), velocity=(v, 0.0, 0.0))
    trace = run(scene, engine, steps)
    sliding = math.floor(v / (mu * G * H))
    discrete = sum(H * (v - mu * G * H * k) for k in range(1, sliding + 1))
    travelled = trace.poses[-1, 1, 0]
    # creep of CFM*f per second over the five steps after the stop, and load shift
    assert travelled == pytest.approx(discrete, abs=2e-5)
    assert travelled == pytest.approx(v * v / (2 * mu * G), abs=v * H / 2 + mu * G * H * H)
    assert abs(trace.velocities[-1, 1, 0]) < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL_ENGINES)
@pytest.mark.parametrize("mu", [0.3, 1.0])
def test_box_slides_on_slopes_steeper_than_the_friction_angle(engine: Engine, mu: float) -> None:
    """Half a degree below atan(mu) it creeps by CFM only; half a degree above it slides."""
    surface = ContactProperties(friction=(mu,), bounce=0.0)
    half_degree = math.radians(0.5)
    below, above = math.atan(mu) - half_degree, math.atan(mu) + half_degree
    held = run(slab_on_floor(surface, slope=below), engine, 125)
    # four friction rows of softness 1e-5 carry g*sin: creep 1e-5*g*sin/4 m/s
    creep = 1e-5 * G * math.sin(below) / 4
    assert held.velocities[-1, 1, 0] == pytest.approx(creep, rel=1e-3)

    slid = run(slab_on_floor(surface, slope=above), engine, 125)
    acceleration = G * (math.sin(above) - mu * math.cos(above))
    # the vertical settles differently from level ground during the first steps: 1 % of the speed
    assert slid.velocities[-1, 1, 0] == pytest.approx(acceleration * 125 * H, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_force_dependent_slip_moves_at_k_times_force(engine: Engine) -> None:
    """Below the friction limit n points with slip k share the force: v = k*F/n."""
    slip, slope = 0.02, 0.3
    surface = ContactProperties(friction=(5.0,), bounce=0.0, slip=(slip,))
    trace = run(slab_on_floor(surface, slope=slope), engine, 250)
    # approached exponentially with rate n/(k*m) = 200 1/s
    assert trace.velocities[-1, 1, 0] == pytest.approx(slip * G * math.sin(slope) / 4, rel=1e-6)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_axes_of_asymmetric_friction_act_independently(engine: Engine) -> None:
    """Two values on both surfaces, aligned: 2*f0 along x and 2*f1 along y, each on its own."""
    surface = ContactProperties(friction=(0.05, 0.2), bounce=0.0)
    scene = slab_on_floor(surface, velocity=(2.0, 2.0, 0.0))
    trace = run(scene, engine, 25)
    time = 25 * H
    expected = [2.0 - 0.1 * G * time, 2.0 - 0.4 * G * time]
    # load shift under friction: far below 1e-4 of the speed
    assert trace.velocities[-1, 1, :2] == pytest.approx(expected, abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL_ENGINES)
@pytest.mark.parametrize("bounce", [0.3, 0.8, 1.0])
def test_ball_rebounds_to_e2_of_its_height(engine: Engine, bounce: float) -> None:
    """A ball dropped from height z rebounds to e^2*z, within one step's fall at impact speed."""
    h, drop = 0.002, 0.5
    surface = ContactProperties(bounce=bounce, soft_cfm=1e-6)
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.0, 0.0, 0.1 + drop))
    fall = math.sqrt(2 * drop / G)
    steps = round(fall * (1 + bounce) / h)
    trace = run(b.scene(b.floor(), ball, surface=surface, step=h), engine, steps)
    rebound = trace.poses[round(fall / h) + 5 :, 1, 2].max() - 0.1
    # a step of travel before the contact is seen: height error up to v*h*(1 + e)*e
    assert rebound == pytest.approx(bounce**2 * drop, abs=2 * math.sqrt(2 * G * drop) * h)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_slow_impacts_do_not_bounce(engine: Engine) -> None:
    """Below the bounce velocity the ball is caught."""
    surface = ContactProperties(bounce=1.0, bounce_velocity=0.5)
    ball = b.free_body(
        "ball", GeometrySphere(0.1), at=(0.0, 0.0, 0.0999), velocity=(0.0, 0.0, -0.4)
    )
    scene = b.scene(b.floor(), ball, surface=surface, gravity=(0.0, 0.0, 0.0))
    # leaves with erp/h*depth (push-out) at most: 0.2/0.008*1e-4 = 2.5 mm/s; cfm*f is negative
    assert run(scene, engine, 1).velocities[-1, 1, 2] < 0.0025


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_sliding_ball_ends_rolling_with_five_sevenths(engine: Engine) -> None:
    """A ball set off without spin rolls at 5/7 of its first speed."""
    z = settled_height(0.1, points=1)
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.0, 0.0, z), velocity=(1.0, 0.0, 0.0))
    surface = ContactProperties(friction=(0.4,), bounce=0.0)
    trace = run(b.scene(b.floor(), ball, surface=surface), engine, 100)
    v, w = trace.velocities[-1, 1, 0], trace.velocities[-1, 1, 4]
    # the contact point is on the ball, r below its centre, so both hold to the friction row's CFM
    assert v == pytest.approx(5 / 7, abs=1e-9)
    assert v == pytest.approx(w * 0.1, abs=1e-9)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_rolling_friction_slows_a_ball_as_a_torque(engine: Engine) -> None:
    """Rolling ball under torque rho*m*g: deceleration rho*g/(r*(1 + 2/5))."""
    rho, r = 0.01, 0.1
    z = settled_height(r, points=1)
    ball = b.free_body(
        "ball",
        GeometrySphere(r),
        at=(0.0, 0.0, z),
        velocity=(1.0, 0.0, 0.0),
        spin=(0.0, 1.0 / r, 0.0),
    )
    surface = ContactProperties(bounce=0.0, rolling_friction=(rho, 0.0, 0.0))
    trace = run(b.scene(b.floor(), ball, surface=surface), engine, 100)
    deceleration = rho * G / r / (1 + 0.4)
    # the friction row's CFM 1e-5 lets the first step lag by CFM*f
    assert trace.velocities[-1, 1, 0] == pytest.approx(1 - deceleration * 100 * H, abs=1e-4)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_spinning_friction_slows_a_top(engine: Engine) -> None:
    """Ball spinning in place under rhoN: angular deceleration rhoN*m*g/I."""
    ball = b.free_body(
        "ball",
        GeometrySphere(0.1),
        at=(0.0, 0.0, settled_height(0.1, points=1)),
        spin=(0.0, 0.0, 20.0),
    )
    surface = ContactProperties(bounce=0.0, rolling_friction=(0.0, 0.0, 0.001))
    trace = run(b.scene(b.floor(), ball, surface=surface), engine, 100)
    expected = 20.0 - 0.001 * G / 0.004 * 100 * H
    assert trace.velocities[-1, 1, 5] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_damping_is_lost_per_second(engine: Engine) -> None:
    """Damping 0.3 leaves 0.7 of the velocity after one second, whatever the step."""
    ball = b.free_body(
        "ball",
        GeometrySphere(0.1),
        velocity=(1.0, 0.0, 0.0),
        spin=(0.0, 0.0, 2.0),
        damping=Damping(0.3, 0.6),
    )
    trace = run(b.scene(ball, gravity=(0.0, 0.0, 0.0), step=0.01), engine, 100)
    assert trace.velocities[-1, 0, 0] == pytest.approx(0.7, abs=1e-12)
    assert trace.velocities[-1, 0, 5] == pytest.approx(0.8, abs=1e-12)


@pytest.mark.parametrize("engine", ALL_ENGINES)
def test_world_damping_holds_for_links_without_their_own(engine: Engine) -> None:
    """The scene's damping is the default, a link's own replaces it."""
    own = b.free_body(
        "own", GeometrySphere(0.1), velocity=(1.0, 0.0, 0.0), damping=Damping(0.5, 0.0)
    )
    default = b.free_body("default", GeometrySphere(0.1), at=(0, 5, 0), velocity=(1.0, 0.0, 0.0))
    scene = b.scene(own, default, gravity=(0, 0, 0), step=0.01, damping=Damping(0.2, 0.2))
    trace = run(scene, engine, 100)
    assert trace.velocities[-1, :, 0] == pytest.approx([0.5, 0.8], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL_ENGINES)
@pytest.mark.parametrize("h", [0.002, 0.032])
def test_resting_box_sinks_to_cfm_times_force(engine: Engine, h: float) -> None:
    """At rest erp/h*depth = cfm*f_n at each of the four points."""
    surface = ContactProperties(bounce=0.0)
    body = b.free_body("slab", SLAB, at=(0.0, 0.0, 0.05))
    trace = run(b.scene(b.floor(), body, surface=surface, step=h), engine, round(2 / h))
    assert trace.poses[-1, 1, 2] == pytest.approx(settled_height(0.05, h=h), abs=1e-9)
