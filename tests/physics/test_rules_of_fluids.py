"""Forces in fluids (docs/behaviour, W8.1), formula by formula: what one step makes of a known motion.

A box of 0.2 x 0.3 x 0.4 m with moments of inertia 1, 1, 1 (so that nothing precesses) moves and turns in
water of density 1000, viscosity 2. Forces are those of the start of the step: v+ = v + h F/m, w+ = w + h T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.base.transforms import quat_rotate
from tests.devices.worlds import sim_of
from tests.physics import building as b

H = 0.001
MASS = 12.0
RHO, VISCOSITY = 1000.0, 2.0
AREA = 2 * (0.06 + 0.08 + 0.12)
SEEN = np.array([0.12, 0.08, 0.06])
"""[m^2] Areas that the box shows along its axes."""
SPEED, SPIN = np.array([0.8, -0.5, 0.3]), np.array([1.5, 0.7, -2.0])
STREAM = np.array([0.1, 0.4, -0.2])
TURN = b.turned((0.6, 0.0, 0.8), 0.9)

ROUNDING = 1e-11
"""[m/s], [rad/s] Changes are below 0.1; positions of 1 m carry 1e-16 into areas and centres."""


@dataclass(frozen=True, slots=True)
class Case:
    """Fields of ImmersionProperties and the force and torque they make of speed u and spin w."""

    fields: str
    force: NDArray[np.float64]
    torque: NDArray[np.float64]


def in_body_axes(v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a world vector in the axes of the turned box."""
    back = (TURN[0], -TURN[1], -TURN[2], -TURN[3])
    return np.array(quat_rotate(back, (float(v[0]), float(v[1]), float(v[2]))))


def in_world_axes(v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a vector of the turned box in the world."""
    return np.array(quat_rotate(TURN, (float(v[0]), float(v[1]), float(v[2]))))


def squares(v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sign(v) v^2 of each component."""
    return np.sign(v) * v * v


NONE = np.zeros(3)
U = SPEED - STREAM
FORCE_XYZ, TORQUE_XYZ = np.array([0.5, 0.2, 0.9]), np.array([0.04, 0.07, 0.02])
CASES = {
    "drag on the wetted area": Case(
        "dragForceCoefficients 0.3 7 8",
        -RHO * AREA * 0.3 * float(np.linalg.norm(U)) * U,
        NONE,
    ),
    "drag torque on the wetted area": Case(
        "dragTorqueCoefficients 0.02 7 8",
        NONE,
        -RHO * AREA * 0.02 * float(np.linalg.norm(SPIN)) * SPIN,
    ),
    "drag on projected areas": Case(
        'referenceArea "xyz-projected area" dragForceCoefficients 0.5 0.2 0.9',
        in_world_axes(-RHO * FORCE_XYZ * SEEN * squares(in_body_axes(U))),
        NONE,
    ),
    "drag torque on projected areas": Case(
        'referenceArea "xyz-projected area" dragTorqueCoefficients 0.04 0.07 0.02',
        NONE,
        in_world_axes(-RHO * TORQUE_XYZ * (SEEN.sum() - SEEN) * squares(in_body_axes(SPIN))),
    ),
    "viscous force": Case("viscousResistanceForceCoefficient 40", -VISCOSITY * 40.0 * U, NONE),
    "viscous torque": Case("viscousResistanceTorqueCoefficient 3", NONE, -VISCOSITY * 3.0 * SPIN),
}


def world(fields: str, *, at: str, turn: str, speed: str, spin: str) -> str:
    """The box in a pool whose surface is z = 0."""
    x, y, z = STREAM
    return (
        f"Fluid {{ translation 0 0 -5 density {RHO} viscosity {VISCOSITY} streamVelocity {x} {y} {z} "
        "boundingObject Box { size 10 10 10 } } "
        f'Solid {{ name "box" translation {at} rotation {turn} linearVelocity {speed} '
        f"angularVelocity {spin} boundingObject Box {{ size 0.2 0.3 0.4 }} "
        f'immersionProperties ImmersionProperties {{ fluidName "fluid" {fields} }} '
        f"physics Physics {{ density -1 mass {MASS} centerOfMass 0 0 0 "
        "inertiaMatrix [ 1 1 1, 0 0 0 ] } }"
    )


def text(v: NDArray[np.float64]) -> str:
    """Return a vector as a field."""
    return " ".join(repr(float(x)) for x in v)


@pytest.mark.parametrize("name", CASES)
def test_box_under_water_is_slowed_as_the_formula_says(name: str) -> None:
    """Turned, moving against a stream, without gravity: each coefficient on its own."""
    case = CASES[name]
    sim = sim_of(
        world(case.fields, at="0 0 -2", turn="0.6 0 0.8 0.9", speed=text(SPEED), spin=text(SPIN)),
        step_ms=1,
        world="gravity 0",
    )
    sim.step()
    v, w = sim["box"].linear_velocity, sim["box"].angular_velocity
    assert v == pytest.approx(SPEED + H * case.force / MASS, abs=ROUNDING)
    assert w == pytest.approx(SPIN + H * case.torque, abs=ROUNDING)


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
def test_forces_act_on_the_wet_part_at_its_centre(share: float) -> None:
    """Upright with a share below the surface: volume, area and lever are those of that part."""
    wet = share * 0.4
    at = 0.2 - wet
    fields = "dragForceCoefficients 0.3 0 0 viscousResistanceForceCoefficient 40"
    sim = sim_of(
        world(fields, at=f"0 0 {at}", turn="0 0 1 0", speed="0.9 0.4 -0.2", spin="0 0 0"),
        step_ms=1,
    )
    u = np.array([0.9, 0.4, -0.2]) - STREAM
    sides, ends = 2 * (0.2 + 0.3) * wet, 0.06 * (2 if share == 1.0 else 1)
    area = sides + ends
    force = -RHO * area * 0.3 * float(np.linalg.norm(u)) * u - area / AREA * VISCOSITY * 40.0 * u
    force += np.array([0.0, 0.0, 9.81 * RHO * 0.06 * wet])
    lever = np.array([0.0, 0.0, -at - wet / 2])
    sim.step()
    weight = np.array([0.0, 0.0, -9.81 * MASS])
    expected = np.array([0.9, 0.4, -0.2]) + H * (force + weight) / MASS
    assert sim["box"].linear_velocity == pytest.approx(expected, abs=ROUNDING)
    assert sim["box"].angular_velocity == pytest.approx(H * np.cross(lever, force), abs=ROUNDING)


def test_spin_above_a_thousand_drags_no_more() -> None:
    """2000 rad/s are slowed like 1000 rad/s by the viscous torque."""
    fields = "viscousResistanceTorqueCoefficient 3"
    sim = sim_of(
        world(fields, at="0 0 -2", turn="0 0 1 0", speed=text(STREAM), spin="0 0 2000"),
        step_ms=1,
        world="gravity 0",
    )
    sim.step()
    # the rotation of 2 rad per step leaves 1e-13 of the spin across
    expected = 2000.0 - H * VISCOSITY * 3.0 * 1000.0
    assert sim["box"].angular_velocity[2] == pytest.approx(expected, abs=1e-8)


def test_forces_act_also_in_a_step_in_which_the_body_was_moved() -> None:
    """In Webots they are left out then."""
    sim = sim_of(world("", at="0 0 5", turn="0 0 1 0", speed="0 0 0", spin="0 0 0"), step_ms=1)
    sim["box"].set_pose((0.0, 0.0, -2.0), (1.0, 0.0, 0.0, 0.0))
    sim.step()
    lift = 9.81 * RHO * 0.2 * 0.3 * 0.4
    assert sim["box"].linear_velocity[2] == pytest.approx(H * (lift / MASS - 9.81), abs=ROUNDING)
