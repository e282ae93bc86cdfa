"""What Choreonoid's contacts need of the law: a depth to rest at, friction as a cone, lost depths."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.contact import law
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometrySphere
from tests.physics import building as b
from tests.physics.referee import Engine, run

STEP = 0.001
RATIO = 5.0
REST = 2.5e-4
SURFACE = ContactProperties(
    friction=(0.5,),
    bounce=0.0,
    soft_erp=RATIO * STEP,
    soft_cfm=1e-9,
    rest_depth=REST,
    depth_scale=4 * REST,
    follows_sliding=True,
)
ENGINES = ("native", "reference")
BOX = GeometryBox((0.2, 0.2, 0.1))


def test_push_out_speed_is_zero_at_the_rest_depth_and_saturates() -> None:
    """V = r e below, r e/(1 + e/4d0) above, never more than 4 r d0 = 5 mm/s."""
    arguments = (RATIO * STEP, REST, 4 * REST)
    assert law.push_out(STEP, REST, *arguments) == 0.0
    assert law.push_out(STEP, 0.0, *arguments) == pytest.approx(-RATIO * REST, rel=1e-12)
    assert law.push_out(STEP, 2 * REST, *arguments) == pytest.approx(RATIO * REST / 1.25)
    assert law.push_out(STEP, 1.0, *arguments) < 4 * RATIO * REST == pytest.approx(0.005)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", [0.0, 4 * REST])
def test_a_box_settles_at_the_rest_depth_from_either_side(engine: Engine, start: float) -> None:
    """Started shallower or deeper, it ends where pushing out and sinking in balance."""
    scene = b.scene(
        b.floor(), b.free_body("box", BOX, at=(0, 0, 0.05 - start)), surface=SURFACE, step=STEP
    )
    steps = 2000 if engine == "native" else 60
    trace = run(scene, engine, steps)
    left = abs(0.05 - trace.poses[-1, 1, 2] - REST)
    # both laws approach at 5/s or (saturated) less than 1.75 times slower: over t seconds the
    # error falls below exp(-5 t/1.75) of the first; softness adds 1e-9*2.5 N/5 s = 5e-10 m
    assert left <= abs(start - REST) * math.exp(-RATIO * steps * STEP / 1.75) + 1e-9


@pytest.mark.parametrize("engine", ENGINES)
def test_a_long_box_is_braked_by_the_response_of_its_corners(engine: Engine) -> None:
    """Choreonoid's sweeps leave friction along (u_x/a_xx, u_y/a_yy), a: velocity per impulse at a corner.

    All four corners of a box along the axes have the same: with half sides (x, y, z), mass m and moments I,
    a_xx = 1/m + y^2/I_z + z^2/I_y and a_yy = 1/m + x^2/I_z + z^2/I_x.
    """
    x, y, z = 0.3, 0.05, 0.02
    long_box = b.free_body(
        "box", GeometryBox((2 * x, 2 * y, 2 * z)), at=(0, 0, z - REST), velocity=(1.0, 1.0, 0.0)
    )
    trace = run(b.scene(b.floor(), long_box, surface=SURFACE, step=STEP), engine, 5)
    lost = np.array((1.0, 1.0)) - trace.velocities[-1, 1, :2]
    # moments per mass, and responses times the mass
    turn_x, turn_y, turn_z = (y**2 + z**2) / 3, (x**2 + z**2) / 3, (x**2 + y**2) / 3
    along = 1 + y**2 / turn_z + z**2 / turn_y
    across = 1 + x**2 / turn_z + z**2 / turn_x
    assert across / along > 2  # far from what plain friction would do: 1
    # both velocities fall by 1 % meanwhile, by other shares; friction across is 2e-5 of the whole
    assert lost[0] / lost[1] == pytest.approx(across / along, rel=0.02)
    assert np.hypot(*lost) == pytest.approx(0.5 * b.GRAVITY * 5 * STEP, rel=1e-3)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("angle", [0.0, 0.3, 0.25 * math.pi])
def test_sliding_friction_is_the_same_in_every_direction(engine: Engine, angle: float) -> None:
    """A box loses mu*g of speed per second whichever way it slides, without turning aside."""
    velocity = (math.cos(angle), math.sin(angle), 0.0)
    box = b.free_body("box", BOX, at=(0, 0, 0.05 - REST), velocity=velocity)
    scene = b.scene(b.floor(), box, surface=SURFACE, step=STEP)
    trace = run(scene, engine, 50)
    lost = np.array(velocity) - trace.velocities[-1, 1, :3]
    # the braking torque loads the front edge; the total normal force stays m*g
    assert np.hypot(*lost[:2]) == pytest.approx(0.5 * b.GRAVITY * 0.05, rel=1e-6)
    assert math.atan2(lost[1], lost[0]) == pytest.approx(angle, abs=1e-6)


def test_the_box_bound_alone_brakes_harder_on_the_diagonal() -> None:
    """The contrast that makes the test above mean something: sqrt(2) along the diagonal."""
    box = b.free_body("box", BOX, at=(0, 0, 0.05 - REST), velocity=(0.7, 0.7, 0.0))
    scene = b.scene(b.floor(), box, surface=replace(SURFACE, follows_sliding=False), step=STEP)
    lost = 0.7 - run(scene, "native", 50).velocities[-1, 1, :2]
    assert np.hypot(*lost) == pytest.approx(math.sqrt(2) * 0.5 * b.GRAVITY * 0.05, rel=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_static_friction_holds_what_slips_once_it_slides(engine: Engine) -> None:
    """On a slope between both coefficients a resting box stays and a moving one speeds up."""
    slope = 0.4  # tan = 0.42, between 0.3 and 0.6
    gravity = (b.GRAVITY * math.sin(slope), 0.0, -b.GRAVITY * math.cos(slope))
    surface = replace(SURFACE, friction=(0.3,), static_friction=0.6)
    resting = b.free_body("box", BOX, at=(0, 0, 0.05 - REST))
    sliding = b.free_body("box", BOX, at=(0, 0, 0.05 - REST), velocity=(0.1, 0, 0))
    speeds = [
        float(
            run(
                b.scene(b.floor(), body, surface=surface, step=STEP, gravity=gravity), engine, 40
            ).velocities[-1, 1, 0]
        )
        for body in (resting, sliding)
    ]
    gain = b.GRAVITY * (math.sin(slope) - 0.3 * math.cos(slope)) * 0.04
    assert abs(speeds[0]) < law.SLIDING
    assert speeds[1] == pytest.approx(0.1 + gain, rel=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_points_deeper_than_the_greatest_depth_are_left_out(engine: Engine) -> None:
    """A ball started 6 cm deep falls on freely where 5 cm is the limit."""
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0, 0, 0.04))
    scene = b.scene(b.floor(), ball, surface=replace(SURFACE, max_depth=0.05), step=STEP)
    trace = run(scene, engine, 10)
    assert trace.velocities[-1, 1, 2] == pytest.approx(-b.GRAVITY * 10 * STEP, rel=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_four_points_far_apart_carry_a_box_on_a_box(engine: Engine) -> None:
    """Turned by 45 degrees two faces meet in eight points; four of them still carry evenly."""
    plate = b.free_body("plate", GeometryBox((0.2, 0.2, 0.1)), mass=100.0, at=(0, 0, 0.05 - REST))
    turned = b.free_body(
        "box",
        GeometryBox((0.2, 0.2, 0.1)),
        at=(0, 0, 0.15 - 2 * REST),
        rotation=b.turned((0, 0, 1), 0.25 * math.pi),
    )
    surface = replace(SURFACE, max_contacts=4, keeps_spread=True)
    scene = b.scene(b.floor(), plate, turned, surface=surface, step=STEP)
    trace = run(scene, engine, 20)
    # starts at the depth of rest: the softness lets the plate's four points, with 248 N each, give
    # way at 1e-9*248 m/s; a lopsided choice of points would tip the box at g/0.1 m = 98 rad/s^2
    assert abs(trace.velocities[-1, 2, 2]) < 3e-7
    assert np.abs(trace.velocities[-1, 2, 3:]).max() < 1e-9


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shares", [True, False])
def test_a_box_that_stands_askew_is_levelled_unless_depths_are_shared(
    engine: Engine, shares: bool
) -> None:
    """Tilted by 1 mrad at 0.35 mm: corners are 0.25 and 0.45 mm deep.

    All rise as the deepest does, at r e/(1 + e/4d0) with e = 0.2 mm; or it alone does, and the box turns.
    """
    tilt, depth = 1e-3, 3.5e-4
    scene = b.scene(
        b.static_body("ground", GeometryBox((2.0, 2.0, 1.0)), at=(0, 0, -0.5)),
        b.free_body("box", BOX, at=(0, 0, 0.05 - depth), rotation=b.turned((0, 1, 0), tilt)),
        surface=replace(SURFACE, keeps_spread=True, max_contacts=4, shares_depth=shares),
        step=STEP,
    )
    trace = run(scene, engine, 1)
    e = depth + 0.1 * tilt - REST
    deepest = RATIO * e / (1.0 + e / (4.0 * REST))
    if shares:
        assert trace.velocities[-1, 1, 2] == pytest.approx(deepest, rel=1e-3)
        assert np.abs(trace.velocities[-1, 1, 3:]).max() < 1e-6
    else:
        assert trace.velocities[-1, 1, 2] == pytest.approx(0.5 * deepest, rel=2e-2)
        assert trace.velocities[-1, 1, 4] == pytest.approx(-0.5 * deepest / 0.1, rel=2e-2)
