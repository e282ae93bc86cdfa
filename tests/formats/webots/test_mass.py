"""Mass properties: the Physics node's modes and checks, and the forms against mesh integrals.

Referees: closed forms, and trimesh's integral over triangle meshes of the same forms.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.formats.webots.lower.mass import geometry_mass
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryPlane,
    GeometrySphere,
)
from solidbody.model.mass import MassProperties
from tests.formats.reading import assert_warning, codes, read, read_clean

BOX = "boundingObject Box { size 1 2 3 }"
BOX_INERTIA = (6000 / 12 * 13, 6000 / 12 * 10, 6000 / 12 * 5, 0.0, 0.0, 0.0)

MESH_ERROR = 2e-3
"""Relative. A circle of 256 corners has 1e-4 less area; spheres of 128 sections about 1e-3."""


def mass_of(physics: str, bounding: str = BOX) -> tuple[MassProperties, list[str]]:
    """Return the mass of a solid, and the codes of messages."""
    scene, log = read(f"Solid {{ {bounding} physics Physics {{ {physics} }} }}")
    mass = scene.bodies[0].links[0].mass
    assert mass is not None
    return mass, codes(log)


# forms


@pytest.mark.parametrize(
    ("geometry", "mass", "inertia"),
    [
        (GeometryBox((1.0, 2.0, 3.0)), 6.0, (6.5, 5.0, 2.5)),
        (GeometrySphere(0.5), math.pi / 6, (math.pi / 60,) * 3),
        (
            GeometryCylinder(1.0, 2.0),
            2 * math.pi,
            (2 * math.pi * 7 / 12, 2 * math.pi * 7 / 12, math.pi),
        ),
        (
            GeometryCapsule(1.0, 2.0),
            10 * math.pi / 3,
            # tube (3r^2 + h^2)/12, caps 2/5 r^2 + h^2/4 + 3/8 h r
            (
                2 * math.pi * 7 / 12 + 4 * math.pi / 3 * 2.15,
                2 * math.pi * 7 / 12 + 4 * math.pi / 3 * 2.15,
                math.pi + 4 * math.pi / 3 * 0.4,
            ),
        ),
    ],
)
def test_form_has_the_closed_form_mass(
    geometry: Geometry, mass: float, inertia: tuple[float, ...]
) -> None:
    found = geometry_mass(geometry, 1.0)
    assert found is not None
    assert found.mass == pytest.approx(mass)
    assert found.inertia == pytest.approx((*inertia, 0.0, 0.0, 0.0))


def test_forms_match_the_integral_over_their_meshes() -> None:
    trimesh = pytest.importorskip("trimesh")
    creation = trimesh.creation
    pairs = [
        (GeometryBox((0.3, 0.7, 1.1)), creation.box(extents=(0.3, 0.7, 1.1))),
        (GeometrySphere(0.4), creation.uv_sphere(radius=0.4, count=[128, 128])),
        (GeometryCylinder(0.4, 1.3), creation.cylinder(radius=0.4, height=1.3, sections=256)),
        (GeometryCapsule(0.4, 1.3), creation.capsule(radius=0.4, height=1.3, count=[128, 128])),
    ]
    for geometry, mesh in pairs:
        found = geometry_mass(geometry, 500.0)
        assert found is not None
        mesh.density = 500.0
        assert mesh.center_mass == pytest.approx(found.center, abs=1e-9)
        assert mesh.mass == pytest.approx(found.mass, rel=MESH_ERROR)
        tensor = np.diag(found.inertia[:3])
        np.testing.assert_allclose(
            mesh.moment_inertia, tensor, rtol=MESH_ERROR, atol=MESH_ERROR * tensor.max()
        )


def test_plane_has_no_mass() -> None:
    assert geometry_mass(GeometryPlane((1.0, 1.0)), 1000.0) is None


# modes of the Physics node


def test_default_density_is_that_of_water() -> None:
    mass, messages = mass_of("")
    assert (mass.mass, mass.inertia, messages) == (6000.0, pytest.approx(BOX_INERTIA), [])


def test_density_scales_mass_and_inertia() -> None:
    mass, messages = mass_of("density 500")
    assert (mass.mass, messages) == (pytest.approx(3000.0), [])
    assert mass.inertia == pytest.approx([x / 2 for x in BOX_INERTIA])


def test_mass_scales_the_inertia_of_the_bounding_object() -> None:
    mass, messages = mass_of("density -1 mass 6")
    assert (mass.mass, messages) == (6.0, [])
    assert mass.inertia == pytest.approx([x / 1000 for x in BOX_INERTIA])


def test_mass_wins_over_density_with_a_warning() -> None:
    scene, log = read(f"Solid {{ {BOX} physics Physics {{ mass 6 }} }}")
    found = assert_warning(log, "mass-and-density", "both mass and density are given; mass 6 kg")
    assert found.node == "Solid > Physics"
    assert scene.bodies[0].links[0].mass is not None
    assert scene.bodies[0].links[0].mass.mass == 6.0


def test_neither_density_nor_mass_resets_the_density() -> None:
    scene, log = read(f"Solid {{ {BOX} physics Physics {{ density -1 mass -1 }} }}")
    assert_warning(log, "value-reset", "density is reset to 1000")
    assert scene.bodies[0].links[0].mass is not None
    assert scene.bodies[0].links[0].mass.mass == 6000.0


@pytest.mark.parametrize(
    ("physics", "expected", "messages"),
    [
        ("density -5 mass 6", 6.0, ["value-reset", "mass-and-density"]),
        ("density 1000 mass -5", 6000.0, ["value-reset"]),
        ("density -5 mass -7", 6000.0, ["value-reset", "value-reset"]),
    ],
)
def test_negative_values_other_than_minus_one_are_reset(
    physics: str, expected: float, messages: list[str]
) -> None:
    """A bad density becomes 1000, over which a given mass wins; a bad mass becomes -1."""
    mass, found = mass_of(physics)
    assert (mass.mass, found) == (pytest.approx(expected), messages)


def test_overlaps_count_twice() -> None:
    bounding = "boundingObject Group { children [ Box { size 1 1 1 } Box { size 1 1 1 } ] }"
    mass, _ = mass_of("", bounding)
    assert mass.mass == pytest.approx(2000.0)


def test_moved_part_moves_the_centre_and_adds_its_lever() -> None:
    pose = "Pose { translation 2 0 0 children [ Box { size 1 1 1 } ] }"
    mass, _ = mass_of("", f"boundingObject Group {{ children [ {pose} Box {{ size 1 1 1 }} ] }}")
    assert mass.center == pytest.approx((1.0, 0.0, 0.0))
    own = 2 * 1000 / 6
    assert mass.inertia == pytest.approx((own, own + 2000, own + 2000, 0.0, 0.0, 0.0))


def test_rotated_part_turns_its_inertia() -> None:
    quarter = "Pose { rotation 0 0 1 1.5707963267948966 children [ Box { size 1 2 3 } ] }"
    mass, _ = mass_of("", f"boundingObject {quarter}")
    xx, yy, zz = BOX_INERTIA[:3]
    assert mass.inertia == pytest.approx((yy, xx, zz, 0.0, 0.0, 0.0), abs=1e-9)


def test_center_of_mass_shifts_the_whole_distribution() -> None:
    mass, messages = mass_of("centerOfMass [ 0.1 0.2 0.3 ]")
    assert (mass.center, mass.inertia) == ((0.1, 0.2, 0.3), pytest.approx(BOX_INERTIA))
    assert messages == []


def test_center_of_mass_takes_one_point() -> None:
    mass, messages = mass_of("centerOfMass [ 1 0 0, 2 0 0 ]")
    assert (mass.center, messages) == ((1.0, 0.0, 0.0), ["value-reset"])


def test_custom_inertia_is_used_as_it_is() -> None:
    mass, messages = mass_of(
        "density -1 mass 2 centerOfMass [ 0 0 1 ] inertiaMatrix [ 1 2 3, 0.1 0.2 0.3 ]"
    )
    assert messages == []
    assert mass == MassProperties(2.0, (0.0, 0.0, 1.0), (1.0, 2.0, 3.0, 0.1, 0.2, 0.3))


def test_custom_inertia_needs_no_bounding_object() -> None:
    mass, messages = mass_of(
        "density -1 mass 2 centerOfMass [ 0 0 1 ] inertiaMatrix [ 1 2 3, 0 0 0 ]", ""
    )
    assert (mass.inertia[:3], messages) == ((1.0, 2.0, 3.0), [])


def test_inertia_of_one_line_gets_zero_products() -> None:
    mass, messages = mass_of("density -1 mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 2 3 ]")
    assert (mass.inertia, messages) == ((1.0, 2.0, 3.0, 0.0, 0.0, 0.0), ["value-reset"])


def test_inertia_of_three_lines_is_cut() -> None:
    mass, messages = mass_of(
        "density -1 mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 2 3, 0 0 0, 9 9 9 ]"
    )
    assert (mass.inertia[:3], messages) == ((1.0, 2.0, 3.0), ["value-reset"])


@pytest.mark.parametrize(
    "physics",
    [
        "density -1 mass 2 centerOfMass [ 0 0 1 ] inertiaMatrix [ 1 1 1, 5 0 0 ]",
        "density -1 mass 2 centerOfMass [ 0 0 1 ] inertiaMatrix [ 1 1 -1, 0 0 0 ]",
        "density -1 mass 2 inertiaMatrix [ 1 1 1, 0 0 0 ]",
        "density 1000 centerOfMass [ 0 0 1 ] inertiaMatrix [ 1 1 1, 0 0 0 ]",
    ],
)
def test_invalid_inertia_uses_the_bounding_object_at_the_origin(physics: str) -> None:
    mass, messages = mass_of(physics)
    assert messages == ["invalid-inertia"]
    assert (mass.mass, mass.center) == (6000.0, (0.0, 0.0, 0.0))


def test_without_bounding_object_the_inertia_is_one() -> None:
    mass, messages = mass_of("density -1 mass 3", "")
    assert (mass, messages) == (
        MassProperties(3.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)),
        ["default-inertia"],
    )
    mass, messages = mass_of("", "")
    assert (mass.mass, messages) == (1.0, ["default-inertia"])


@pytest.mark.parametrize("size", ["1e200", "1e-200"])
def test_sizes_beyond_all_numbers_give_the_default(size: str) -> None:
    mass, messages = mass_of("", f"boundingObject Sphere {{ radius {size} }}")
    assert (mass.mass, messages) == (1.0, ["default-inertia"])


def test_mass_without_faults_gives_no_message() -> None:
    read_clean(f"Solid {{ {BOX} physics Physics {{ density -1 mass 1 }} }}")
