"""Mass properties: defaults, both spellings of the inertia, RigidBody nodes, scale."""

from __future__ import annotations

import pytest

from solidbody.model.mass import MassProperties
from tests.formats.choreonoid.bodies import clean_link, read_body, read_clean, read_link
from tests.formats.reading import assert_error, assert_warning

ROUNDING = 1e-14
UNIT = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
NONE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def mass_of(keys: str) -> MassProperties:
    mass = clean_link(keys).mass
    assert mass is not None
    return mass


def test_a_link_without_mass_has_1_kg_and_a_unit_inertia() -> None:
    """The manual states no defaults."""
    assert mass_of("translation: [ 0, 0, 0 ]") == MassProperties(1.0, (0.0, 0.0, 0.0), UNIT)


def test_each_missing_value_takes_its_default() -> None:
    """A link with only a mass of 0.01 kg still has a unit inertia."""
    assert mass_of("mass: 0.01") == MassProperties(0.01, (0.0, 0.0, 0.0), UNIT)
    assert mass_of("center_of_mass: [ 1, 2, 3 ]") == MassProperties(1.0, (1.0, 2.0, 3.0), UNIT)
    assert mass_of("centerOfMass: [ 1, 2, 3 ]") == MassProperties(1.0, (1.0, 2.0, 3.0), UNIT)


def test_nine_numbers_of_inertia_are_row_by_row() -> None:
    assert mass_of("inertia: [ 1, 4, 5, 4, 2, 6, 5, 6, 3 ]").inertia == (1, 2, 3, 4, 5, 6)


def test_six_numbers_of_inertia_are_the_upper_triangle() -> None:
    assert mass_of("inertia: [ 1, 4, 5, 2, 6, 3 ]").inertia == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("count", [0, 3, 5, 7, 10])
def test_other_counts_of_inertia_are_an_error(count: int) -> None:
    _, log = read_link(f"inertia: {[1] * count}")
    assert_error(log, "wrong-value", f"or 6 (xx, xy, xz, yy, yz, zz), got {count}")


def test_an_asymmetric_inertia_warns() -> None:
    link, log = read_link("inertia: [ 1, 0.2, 0, 0, 1, 0, 0, 0, 1 ]")
    assert_warning(log, "asymmetric-inertia", "the mean of opposite entries is used")
    assert link.mass is not None and link.mass.inertia[3] == 0.1


def test_a_mass_that_is_not_finite_is_refused() -> None:
    """Choreonoid loads NaN."""
    link, log = read_link("mass: .nan")
    assert_error(log, "not-finite", "expected a finite number")
    assert link.mass is not None and link.mass.mass == 1.0


@pytest.mark.parametrize(
    "elements",
    [
        "{ RigidBody: { mass: 1, translation: [ 1.0e+200, 0, 0 ] } }; mass: 1",
        "{ RigidBody: { mass: 1, scale: [ 1.0e+200, 1, 1 ], inertia: [ 1, 0, 0, 1, 0, 1 ] } }",
    ],
)
def test_numbers_that_overflow_are_an_error(elements: str) -> None:
    _, log = read_link(f"elements: {elements}")
    assert_error(log, "not-finite", "this large have no sum")


def test_a_negative_mass_is_an_error() -> None:
    link, log = read_link("mass: -1")
    assert_error(log, "negative-mass", "a mass is not negative, got -1")
    assert link.mass is not None and link.mass.mass == 0.0


def test_with_a_rigid_body_missing_values_are_0() -> None:
    mass = mass_of("center_of_mass: [ 5, 5, 5 ]; elements: { RigidBody: { mass: 2 } }")
    assert mass == MassProperties(2.0, (0.0, 0.0, 0.0), NONE)


def test_link_and_rigid_bodies_add_up() -> None:
    """m = sum, c = weighted mean, I = sum of I_i + m_i (|d|^2 E - d d^T)."""
    mass = mass_of(
        "mass: 1; center_of_mass: [ 1, 0, 0 ]; inertia: [ 1, 0, 0, 1, 0, 1 ]; "
        "elements: [ { type: RigidBody, mass: 3, center_of_mass: [ -1, 0, 0 ], "
        "inertia: [ 2, 0, 0, 2, 0, 2 ] } ]"
    )
    assert mass.mass == 4.0
    assert mass.center == pytest.approx((-0.5, 0.0, 0.0), abs=ROUNDING)
    # distances 1.5 and 0.5 along x: 1*1.5^2 + 3*0.5^2 = 3 about y and z
    assert mass.inertia == pytest.approx((3.0, 6.0, 6.0, 0.0, 0.0, 0.0), abs=ROUNDING)


def test_no_mass_at_all_has_neither_centre_nor_inertia() -> None:
    mass = mass_of(
        "elements: { RigidBody: { center_of_mass: [ 1, 1, 1 ], inertia: [ 1, 0, 0, 1, 0, 1 ] } }"
    )
    assert mass == MassProperties(0.0, (0.0, 0.0, 0.0), NONE)


def test_the_centre_of_a_rigid_body_is_in_its_own_frame() -> None:
    """The manual says link coordinates; the code applies all transforms, its own included."""
    mass = mass_of(
        "elements: { Transform: { translation: [ 1, 0, 0 ], elements: { RigidBody: { "
        "rotation: [ 0, 0, 1, 90 ], mass: 1, center_of_mass: [ 1, 0, 0 ], "
        "inertia: [ 1, 0, 0, 2, 0, 3 ] } } } }"
    )
    assert mass.center == pytest.approx((1.0, 1.0, 0.0), abs=ROUNDING)
    assert mass.inertia == pytest.approx((2.0, 1.0, 3.0, 0.0, 0.0, 0.0), abs=ROUNDING)


def test_scale_changes_the_inertia_but_not_the_mass() -> None:
    """By experiment: scale 2 turns Ixx 1 into 4."""
    mass = mass_of(
        "elements: { Transform: { scale: [ 2, 1, 1 ], elements: { RigidBody: { mass: 1, "
        "center_of_mass: [ 1, 1, 1 ], inertia: [ 1, 0, 0, 1, 0, 1 ] } } } }"
    )
    assert mass == MassProperties(1.0, (2.0, 1.0, 1.0), (4.0, 1.0, 1.0, 0.0, 0.0, 0.0))


def test_shapes_do_not_add_mass() -> None:
    mass = mass_of("mass: 2; elements: { Shape: { geometry: { type: Box, size: [ 9, 9, 9 ] } } }")
    assert mass == MassProperties(2.0, (0.0, 0.0, 0.0), UNIT)


def test_moving_links_without_any_mass_are_an_error() -> None:
    """Choreonoid's simulator refuses such a body; one massless link of several is allowed."""
    _, log = read_body(
        "  - { name: A, joint_type: free, mass: 0 }\n  - { name: B, parent: A, mass: 0 }"
    )
    assert_error(log, "no-mass", '"A" and what hangs on it can move but have no mass')
    read_clean("  - { name: A, joint_type: free, mass: 0 }\n  - { name: B, parent: A, mass: 1 }")
    read_clean("  - { name: A, mass: 0 }")
