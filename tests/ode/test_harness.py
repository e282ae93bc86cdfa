"""The referee itself against closed forms, so that a disagreement later is not its own mistake."""

from __future__ import annotations

import ctypes
import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometrySphere,
)
from solidbody.model.joints import Stops
from solidbody.model.links import Damping
from solidbody.model.scene import RollingRule
from tests.ode import library as ode
from tests.ode.harness import OdeWorld
from tests.ode.marks import NEEDS_ODE
from tests.ode.surface import Side, combine, combine_slip, surface_parameters
from tests.physics import building as b

pytestmark = NEEDS_ODE

ROUNDING = 1e-12
"""A few thousand double operations on numbers around 1."""


def test_struct_layouts_match_the_headers() -> None:
    """Sizes of ODE 0.16's double-precision structures on 64-bit machines."""
    assert ctypes.sizeof(ode.SurfaceParameters) == 8 + 14 * 8
    assert ctypes.sizeof(ode.ContactGeom) == 9 * 8 + 2 * 8 + 8
    assert ctypes.sizeof(ode.Contact) == 120 + 96 + 32
    assert ctypes.sizeof(ode.Mass) == 8 + 32 + 96


@pytest.mark.parametrize(
    ("geometry", "function", "arguments"),
    [
        (GeometryBox((0.1, 0.2, 0.3)), "dMassSetBoxTotal", (0.1, 0.2, 0.3)),
        (GeometrySphere(0.4), "dMassSetSphereTotal", (0.4,)),
        (GeometryCylinder(0.2, 0.5), "dMassSetCylinderTotal", (3, 0.2, 0.5)),
        (GeometryCapsule(0.2, 0.5), "dMassSetCapsuleTotal", (3, 0.2, 0.5)),
    ],
)
def test_solid_masses_equal_odes(
    geometry: Geometry, function: str, arguments: tuple[float, ...]
) -> None:
    """Our inertia formulas are ODE's."""
    mass = ode.Mass()
    getattr(ode.load(), function)(ctypes.byref(mass), 2.5, *arguments)
    ours = b.solid_mass(geometry, 2.5)
    assert mass.mass == pytest.approx(2.5)
    assert [mass.I[0], mass.I[5], mass.I[10]] == pytest.approx(list(ours.inertia[:3]), rel=1e-14)


def test_free_fall_is_semi_implicit_euler() -> None:
    """After n steps: v = -g n h, z = z0 - g h^2 n (n + 1)/2."""
    scene = b.scene(b.free_body("ball", GeometrySphere(0.1), at=(0, 0, 10)), step=0.01)
    with OdeWorld(scene) as world:
        world.step(50)
        assert world.velocities()[0, 2] == pytest.approx(-9.81 * 0.5, abs=ROUNDING)
        assert world.poses()[0, 2] == pytest.approx(10 - 9.81 * 1e-4 * 50 * 51 / 2, abs=ROUNDING)


def test_rebound_speed_is_bounce_times_approach_speed() -> None:
    """One contact step gives v+ = e*v- up to the CFM's give."""
    surface = ContactProperties(bounce=0.7, soft_cfm=1e-10)
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0, 0, 0.0999), velocity=(0, 0, -2))
    with OdeWorld(b.scene(b.floor(), ball, surface=surface, gravity=(0, 0, 0))) as world:
        world.step()
        assert world.velocities()[1, 2] == pytest.approx(1.4, abs=1e-7)  # cfm*f = 1e-10*425


def test_sliding_box_loses_mu_g_h_per_step() -> None:
    """Coulomb friction of a settled box."""
    surface = ContactProperties(friction=(0.3,), bounce=0.0)
    depth = 9.81 * 0.001 / 4 * 0.008 / 0.2  # where ERP/h*depth = CFM*f_n for four contacts
    box = b.free_body("box", GeometryBox((1, 1, 0.1)), at=(0, 0, 0.05 - depth), velocity=(1, 0, 0))
    with OdeWorld(b.scene(b.floor(), box, surface=surface)) as world:
        world.step(10)
        assert len(world.points) == 4
        assert all(point.normal == (0.0, 0.0, 1.0) for point in world.points)
        # friction tips the load forward, but the four limits still sum to mu*m*g
        assert world.velocities()[1, 0] == pytest.approx(1 - 0.3 * 9.81 * 0.08, abs=1e-9)


def test_hinge_motor_turns_the_child_the_right_way() -> None:
    """Positive target: the child turns about +axis; ODE's angle step is 2*atan(h*w/2)."""
    joint = b.hinge("motor", (0, 0, 1), (0, 0, 0), motor=b.velocity_motor("m", 1000))
    link = b.jointed_link("arm", GeometryBox((0.4, 0.1, 0.1)), joint, parent=None, at=(0.2, 0, 1))
    with OdeWorld(b.scene(b.robot("arm", link), gravity=(0, 0, 0))) as world:
        world.joint("motor").target_velocity = 2.0
        world.step(25)
        assert world.velocities()[0, 5] == pytest.approx(2.0, abs=1e-4)  # CFM*torque
        assert world.joint("motor").position == pytest.approx(0.4, abs=2e-3)
        assert world.poses()[0, 1] > 0.05


def test_slider_moves_the_child_along_the_axis_and_stops() -> None:
    """A slider motor drives to its stop and is held there within CFM."""
    joint = b.slider("rail", (1, 0, 0), motor=b.velocity_motor("m", 100), stops=Stops(-0.1, 0.2))
    link = b.jointed_link("cart", GeometryBox((0.1, 0.1, 0.1)), joint, parent=None, at=(0, 0, 1))
    with OdeWorld(b.scene(b.robot("cart", link))) as world:
        world.joint("rail").target_velocity = 0.5
        world.step(20)
        assert world.joint("rail").position == pytest.approx(0.08, abs=1e-3)
        assert world.poses()[0, 0] == pytest.approx(0.08, abs=1e-3)
        world.step(100)
        assert world.joint("rail").position == pytest.approx(0.2, abs=1e-3)


def test_hinge_spring_rests_at_position_zero() -> None:
    """Static deflection of a torsion spring: k*angle = torque."""
    joint = b.hinge("spring", (0, 0, 1), (0, 0, 0), spring=2.0, damping=1.0)
    link = b.jointed_link("arm", GeometryBox((0.4, 0.1, 0.1)), joint, parent=None, at=(0, 0, 1))
    with OdeWorld(b.scene(b.robot("arm", link), gravity=(0, 0, 0))) as world:
        world.joint("spring").effort = 0.5
        world.step(2000)
        assert world.joint("spring").position == pytest.approx(0.25, abs=1e-6)


def test_spring_beside_a_motor_equals_the_spring_alone() -> None:
    """The angular motor joint that carries the spring next to a powerless motor changes nothing."""
    angles = []
    for motor in (None, b.velocity_motor("m", 1e-12)):
        joint = b.hinge("j", (0, 0, 1), (0, 0, 0), spring=2.0, damping=0.1, motor=motor)
        link = b.jointed_link(
            "arm", GeometryBox((0.4, 0.1, 0.1)), joint, parent=None, at=(0.1, 0, 1)
        )
        with OdeWorld(b.scene(b.robot("arm", link), gravity=(0, -9.81, 0))) as world:
            world.step(40)
            angles.append(world.joint("j").position)
    assert angles[0] < -0.1
    assert angles[1] == pytest.approx(angles[0], abs=1e-9)


def test_damping_is_lost_per_second() -> None:
    """Damping 0.3 leaves 0.7 of the velocity after one second."""
    ball = b.free_body(
        "ball", GeometrySphere(0.1), velocity=(1, 0, 0), spin=(0, 0, 2), damping=Damping(0.3, 0.6)
    )
    with OdeWorld(b.scene(ball, gravity=(0, 0, 0), step=0.01)) as world:
        world.step(100)
        assert world.velocities()[0, 0] == pytest.approx(0.7, abs=ROUNDING)
        assert world.velocities()[0, 5] == pytest.approx(2 * 0.4, abs=ROUNDING)


def test_centre_of_mass_off_the_origin_is_reported_at_the_origin() -> None:
    """A link whose centre is off its origin turns about the centre."""
    body = b.free_body("ball", GeometrySphere(0.1), spin=(0, 0, 1))
    link = body.links[0]
    assert link.mass is not None
    link = replace(link, mass=replace(link.mass, center=(0.5, 0.0, 0.0)))
    with OdeWorld(b.scene(replace(body, links=(link,)), gravity=(0, 0, 0))) as world:
        assert world.poses()[0, :3] == pytest.approx([0, 0, 0])
        assert world.velocities()[0] == pytest.approx([0, 0, 0, 0, 0, 1])
        world.step(125)
        position = world.poses()[0, :3]
        # centre moves with w x r = (0, 0.5, 0) for 1 s; ODE's 125 small turns fall short of 1 rad
        angle = 125 * 2 * math.atan(0.004)
        expected = [0.5 - 0.5 * math.cos(angle), 0.5 - 0.5 * math.sin(angle), 0]
        assert position == pytest.approx(expected, abs=1e-12)


def test_worlds_do_not_share_state() -> None:
    """Two worlds side by side give what one alone gives."""
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0, 0, 0.3), velocity=(1, 0, 0))
    scene = b.scene(b.floor(), ball)
    with OdeWorld(scene) as alone:
        alone.step(100)
        expected = alone.poses()
    with OdeWorld(scene) as one, OdeWorld(scene) as two:
        for _ in range(100):
            one.step()
            two.step()
        assert np.array_equal(one.poses(), expected)
        assert np.array_equal(two.poses(), expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.5], (0.5, 0.5)),
        ([0.1, 0.2], (0.1 + 0.1 * 0.6 + 0.2 * 0.8, 0.2 + 0.1 * 0.8 + 0.2 * 0.6)),
        ([0.1, 0.2, 0.3], (0.4, 0.5)),
        ([0.1, 0.2, 0.3, 0.4], (0.1 + 0.3 * 0.6 + 0.4 * 0.8, 0.2 + 0.3 * 0.8 + 0.4 * 0.6)),
    ],
)
def test_coefficients_of_both_surfaces_add_up(
    values: list[float], expected: tuple[float, float]
) -> None:
    """The table of W5.4, friction part, for an angle with cosine 0.6."""
    assert combine(values, 0.6, 0.8) == pytest.approx(expected)


def test_slip_of_one_direction_is_not_doubled() -> None:
    """Rule W5.4.4."""
    assert combine_slip([0.1, 0.0], 1.0, 0.0) == (0.1, 0.0)
    assert combine_slip([0.0, 0.1], 1.0, 0.0) == (0.0, 0.1)
    assert combine_slip([0.1, 0.2], 1.0, 0.0) == (0.2, 0.4)


def test_spheres_have_no_friction_directions() -> None:
    """An unsupported form falls back to the first values, without a direction."""
    box = b.collider(GeometryBox((1, 1, 1))).friction_axes
    surface, direction = surface_parameters(
        ContactProperties(friction=(0.2, 0.9), slip=(0.1, 0.3)),
        Side("default", (1, 0, 0, 0), None),
        Side("default", (1, 0, 0, 0), box),
        (0, 0, 1),
        RollingRule.SECOND_SAME,
    )
    assert direction is None
    assert not surface.mode & (ode.FDIR1 | ode.MU2)
    assert (surface.mu, surface.slip1, surface.slip2) == (0.2, 0.1, 0.1)


def test_friction_rotation_turns_the_first_direction_backwards() -> None:
    """D1 is turned about the normal by minus the given angle; b only through the angle between."""
    box = b.collider(GeometryBox((1, 1, 1))).friction_axes
    surface, direction = surface_parameters(
        ContactProperties(
            materials=("a", "b"), friction=(0.1, 0.5), friction_rotation=(math.pi / 2, 0.0)
        ),
        Side("a", (1, 0, 0, 0), box),
        Side("b", (1, 0, 0, 0), box),
        (0, 0, 1),
        RollingRule.SECOND_SAME,
    )
    assert direction == pytest.approx((0, -1, 0), abs=ROUNDING)
    # 90 degrees apart: first surface's 0.1 adds to second surface's 0.5
    assert (surface.mu, surface.mu2) == pytest.approx((0.6, 0.6))
