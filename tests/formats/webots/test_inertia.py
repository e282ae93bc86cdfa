"""Inertia of every legal bounding object, against closed forms and an independent mesh integral.

Referees: closed formulas of mechanics; trimesh's own integral over fine meshes of the same forms;
MuJoCo's compiler for assemblies of the same geoms.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh

from solidbody.base.transforms import Pose, Vec3, quat_from_axis_angle
from solidbody.formats.webots.lower.mesh_mass import mesh_mass
from solidbody.model.geometry import GeometryMesh
from solidbody.model.mass import MassProperties
from tests.formats.reading import codes, read, the

FINE = 2e-3
"""Relative error of forms made of some 20,000 triangles."""

EXACT = 1e-12

CUBE = (
    "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 1 1 0, 0 1 0, 0 0 1, 1 0 1, 1 1 1, 0 1 1 ] } "
    "coordIndex [ 0 3 2 1 -1 4 5 6 7 -1 0 1 5 4 -1 1 2 6 5 -1 2 3 7 6 -1 3 0 4 7 -1 ] }"
)


def mass_of(bounding: str, physics: str = "") -> MassProperties:
    """Return the mass of a solid with that bounding object."""
    scene, log = read(f"Solid {{ boundingObject {bounding} physics Physics {{ {physics} }} }}")
    assert codes(log) == []
    mass = scene.bodies[0].links[0].mass
    assert mass is not None
    return mass


def tensor(mass: MassProperties) -> np.ndarray[Any, Any]:
    """Return the inertia about the centre of mass as a matrix."""
    xx, yy, zz, xy, xz, yz = mass.inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def capsule_moments(r: float, h: float) -> tuple[float, float, float]:
    """Mass at 1000 kg/m^3 and moments (across, along) from integrals over slices, by Simpson's rule."""
    z = np.linspace(-h / 2 - r, h / 2 + r, 20_001)
    beyond = np.maximum(np.abs(z) - h / 2, 0.0)
    square = np.maximum(r * r - beyond * beyond, 0.0)
    weights = np.ones_like(z)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    weights *= (z[1] - z[0]) / 3.0
    area = math.pi * square
    mass = 1000.0 * float(weights @ area)
    along = 1000.0 * float(weights @ (area * square / 2.0))
    across = 1000.0 * float(weights @ (area * (square / 4.0 + z * z)))
    return mass, across, along


def test_box_cylinder_sphere_and_capsule_against_closed_forms() -> None:
    box = mass_of("Box { size 1 2 3 }")
    assert (box.mass, box.inertia[0]) == pytest.approx((6000.0, 500.0 * 13.0))
    ball = mass_of("Sphere { radius 0.5 }")
    assert ball.inertia[0] == pytest.approx(0.4 * ball.mass * 0.25)
    tube = mass_of("Cylinder { radius 0.5 height 2 }")
    assert tube.inertia[2] == pytest.approx(0.5 * tube.mass * 0.25)
    assert tube.inertia[0] == pytest.approx(tube.mass * (3 * 0.25 + 4) / 12)
    capsule = mass_of("Capsule { radius 0.5 height 2 }")
    mass, across, along = capsule_moments(0.5, 2.0)
    assert capsule.mass == pytest.approx(mass, rel=1e-6)
    assert capsule.inertia[0] == pytest.approx(across, rel=1e-6)
    assert capsule.inertia[2] == pytest.approx(along, rel=1e-6)


FORMS: list[tuple[str, Any]] = [
    ("Box { size 1 2 3 }", trimesh.creation.box((1, 2, 3))),
    ("Sphere { radius 0.5 }", trimesh.creation.icosphere(5, 0.5)),
    ("Cylinder { radius 0.5 height 2 }", trimesh.creation.cylinder(0.5, 2.0, sections=256)),
    (
        "Capsule { radius 0.5 height 2 }",
        trimesh.creation.capsule(height=2.0, radius=0.5, count=[128, 128]),
    ),
    (CUBE, trimesh.creation.box((1, 1, 1), np.eye(4) + np.outer((1, 1, 1, 0), (0, 0, 0, 0.5)))),
]
for _, mesh in FORMS[:4]:
    mesh.apply_translation(-mesh.center_mass)  # round forms of triangles are a little off


@pytest.mark.parametrize(("text", "mesh"), FORMS, ids=[row[0].split()[0] for row in FORMS])
def test_form_against_an_independent_mesh_integral(text: str, mesh: Any) -> None:
    mesh.density = 1000.0
    found = mass_of(text)
    assert found.mass == pytest.approx(mesh.mass, rel=FINE)
    np.testing.assert_allclose(
        tensor(found), mesh.moment_inertia, rtol=FINE, atol=1e-9 * found.mass
    )


@pytest.mark.parametrize("seed", range(5))
def test_mesh_integral_against_trimesh(seed: int) -> None:
    """Convex hulls of random points, far from the origin too."""
    random = np.random.default_rng(seed)
    hull: Any = trimesh.creation.icosphere(1, 1.0)
    hull.vertices = hull.vertices * random.uniform(0.3, 2.0, 3) + random.uniform(-50, 50, 3)
    hull.apply_transform(trimesh.transformations.random_rotation_matrix(random.uniform(size=3)))
    hull.density = 1000.0
    mesh = GeometryMesh(
        tuple(map(tuple, hull.vertices.tolist())), tuple(map(tuple, hull.faces.tolist()))
    )
    found = mesh_mass(mesh, 1000.0)
    assert found is not None
    assert found.mass == pytest.approx(hull.mass, rel=1e-9)
    np.testing.assert_allclose(found.center, hull.center_mass, rtol=1e-9)
    np.testing.assert_allclose(tensor(found), hull.moment_inertia, rtol=1e-6, atol=1e-6 * hull.mass)


def test_face_set_of_a_cube_is_exactly_a_box() -> None:
    found = mass_of(CUBE)
    assert found.mass == pytest.approx(1000.0, rel=EXACT)
    assert found.center == pytest.approx((0.5, 0.5, 0.5), rel=EXACT)
    np.testing.assert_allclose(tensor(found), np.eye(3) * 1000.0 / 6.0, atol=1e-9)


def test_given_mass_scales_the_inertia_of_a_mesh() -> None:
    found = mass_of(CUBE, "density -1 mass 6")
    assert (found.mass, found.inertia[0]) == pytest.approx((6.0, 1.0))


OPEN = "IndexedFaceSet { coord Coordinate { point [ 0 0 0, 1 0 0, 0 1 0 ] } coordIndex [ 0 1 2 ] }"
INSIDE_OUT = CUBE.replace("IndexedFaceSet {", "IndexedFaceSet { ccw FALSE")


@pytest.mark.parametrize("bad", [INSIDE_OUT, OPEN], ids=["inside out", "open"])
@pytest.mark.parametrize(
    ("physics", "mass"),
    [("", 1.0), ("density 500", 0.5), ("density -1 mass 3", 3.0)],
    ids=["default", "density", "mass"],
)
def test_mesh_without_inside_counts_as_one_kilogram(bad: str, physics: str, mass: float) -> None:
    """It stands for 1 kg with a unit inertia at 1000 kg/m^3; both scale as any reference mass."""
    scene, log = read(f"Solid {{ boundingObject {bad} physics Physics {{ {physics} }} }}")
    assert codes(log) == ["mesh-without-mass"]
    assert "encloses no volume" in log.items[0].text
    assert "1 kg with a unit inertia matrix stands for it" in log.items[0].text
    found = scene.bodies[0].links[0].mass
    assert found is not None
    assert (found.mass, *found.inertia[:3]) == pytest.approx((mass, mass, mass, mass))


def test_mesh_without_inside_adds_its_kilogram_to_a_group() -> None:
    group = f"Group {{ children [ Box {{ size 1 1 1 }} Pose {{ translation 1 0 0 children {OPEN} }} ] }}"
    scene, log = read(f"Solid {{ boundingObject {group} physics Physics {{ }} }}")
    assert codes(log) == ["mesh-without-mass"]
    found = scene.bodies[0].links[0].mass
    assert found is not None
    assert found.mass == pytest.approx(1001.0)
    assert found.center == pytest.approx((1.0 / 1001.0, 0.0, 0.0))
    assert found.inertia[0] == pytest.approx(1000.0 / 6.0 + 1.0)


def test_elevation_grid_adds_no_mass() -> None:
    grid = "ElevationGrid { xDimension 2 yDimension 2 height [ 0 0 0 0 ] }"
    group = f"Group {{ children [ {grid} Box {{ size 1 1 1 }} ] }}"
    scene, log = read(f"Solid {{ boundingObject {group} physics Physics {{ }} }}")
    assert (
        "the inertia of an ElevationGrid cannot be computed" in the(log, "grid-without-mass").text
    )
    link = scene.bodies[0].links[0]
    assert link.mass is not None and link.mass.mass == pytest.approx(1000.0)
    assert len(link.shapes) == 2  # but it collides


def test_plane_adds_no_mass() -> None:
    group = "Group { children [ Plane { } Box { size 1 1 1 } ] }"
    scene, log = read(f"Solid {{ boundingObject {group} physics Physics {{ }} }}")
    assert codes(log) == ["plane-with-physics"]
    mass = scene.bodies[0].links[0].mass
    assert mass is not None and mass.mass == pytest.approx(1000.0)


PLACE = "translation 1 2 3 rotation 1 2 2 0.7"
PLACED = np.eye(4)
PLACED[:3, :3] = trimesh.transformations.rotation_matrix(0.7, (1, 2, 2))[:3, :3]
PLACED[:3, 3] = (1.0, 2.0, 3.0)
WRAPPINGS = [
    ("{0}", False),
    ("Shape {{ geometry {0} }}", False),
    (f"Pose {{{{ {PLACE} children {{0}} }}}}", True),
    (f"Pose {{{{ {PLACE} children Shape {{{{ geometry {{0}} }}}} }}}}", True),
    ("Group {{ children {0} }}", False),
    ("Group {{ children Shape {{ geometry {0} }} }}", False),
    (f"Group {{{{ children Pose {{{{ {PLACE} children {{0}} }}}} }}}}", True),
    (
        f"Group {{{{ children Pose {{{{ {PLACE} children Shape {{{{ geometry {{0}} }}}} }}}} }}}}",
        True,
    ),
]


@pytest.mark.parametrize(("wrapping", "is_placed"), WRAPPINGS, ids=[row[0] for row in WRAPPINGS])
@pytest.mark.parametrize(("text", "mesh"), FORMS, ids=[row[0].split()[0] for row in FORMS])
def test_form_in_every_legal_wrapping_against_an_independent_mesh_integral(
    text: str, mesh: Any, wrapping: str, is_placed: bool
) -> None:
    found = mass_of(wrapping.format(text))
    referee: Any = mesh.copy()
    referee.density = 1000.0
    if is_placed:
        referee.apply_transform(PLACED)
    assert found.mass == pytest.approx(referee.mass, rel=FINE)
    np.testing.assert_allclose(found.center, referee.center_mass, atol=FINE)
    np.testing.assert_allclose(
        tensor(found), referee.moment_inertia, rtol=FINE, atol=FINE * found.mass
    )


def test_used_forms_count_wherever_they_stand() -> None:
    group = (
        "Group { children [ DEF B Box { size 1 1 1 } "
        "Pose { translation 3 0 0 children USE B } Shape { geometry USE B } ] }"
    )
    found = mass_of(group)
    assert (found.mass, found.center[0]) == pytest.approx((3000.0, 1.0))
    # two at 1 m from the common centre and one at 2 m
    assert found.inertia[1] == pytest.approx(3 * 1000.0 / 6.0 + 1000.0 * (1 + 1 + 4))


def test_transform_of_an_old_release_scales_and_places_its_form() -> None:
    text = "Transform { translation 0 0 1 scale 1 2 3 children Box { size 1 1 1 } }"
    scene, log = read(f"Solid {{ boundingObject {text} physics Physics {{ }} }}", release="R2023a")
    assert codes(log) == []
    mass = scene.bodies[0].links[0].mass
    assert mass is not None
    assert (mass.mass, mass.center) == (pytest.approx(6000.0), pytest.approx((0.0, 0.0, 1.0)))
    assert mass.inertia[:3] == pytest.approx((6500.0, 5000.0, 2500.0))


def test_group_is_the_sum_of_its_parts_by_steiners_theorem() -> None:
    pair = " ".join(
        f"Pose {{ translation {x} 0 0 children [ Box {{ size 1 1 1 }} ] }}" for x in (-2, 2)
    )
    found = mass_of(f"Group {{ children [ {pair} ] }}")
    own = 2 * 1000.0 / 6.0
    assert found.inertia[:3] == pytest.approx((own, own + 2 * 4000.0, own + 2 * 4000.0))


# merged assemblies against MuJoCo

PARTS: list[tuple[str, str, tuple[float, ...], Vec3, Vec3, float]] = [
    ("Box { size 0.2 0.4 0.6 }", "box", (0.1, 0.2, 0.3), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.0),
    ("Sphere { radius 0.2 }", "sphere", (0.2,), (0.5, 0.1, 0.0), (1.0, 0.0, 0.0), 0.4),
    ("Cylinder { radius 0.1 height 0.6 }", "cylinder", (0.1, 0.3), (0, 0.4, 0.2), (1, 0, 0), 1.1),
    ("Capsule { radius 0.1 height 0.5 }", "capsule", (0.1, 0.25), (-0.3, 0, 0.5), (1, 1, 0), 0.7),
    (CUBE, "mesh", (), (0.2, -0.6, 0.1), (0.0, 1.0, 1.0), 0.9),
]


def mujoco_mass() -> tuple[float, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return (mass, centre, tensor about it in body axes) of the same geoms in one MuJoCo body."""
    spec: Any = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="b")
    body.add_freejoint()
    corners = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
    spec.add_mesh(name="cube", uservert=np.ravel(corners))
    for _, kind, size, position, axis, angle in PARTS:
        body.add_geom(
            type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}"),
            size=(*size, 0.0, 0.0)[:3],
            pos=position,
            quat=quat_from_axis_angle(axis, angle),
            density=1000.0,
            **({"meshname": "cube"} if kind == "mesh" else {}),
        )
    model = spec.compile()
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    axes = turn.reshape(3, 3)
    inertia = axes @ np.diag(model.body_inertia[1]) @ axes.T
    return float(model.body_mass[1]), model.body_ipos[1], inertia


def posed(text: str, position: Vec3, axis: Vec3, angle: float, *, kind: str) -> str:
    """Return a part as a Pose of a bounding object, or as a solid that is merged."""
    pose = f"translation {' '.join(map(str, position))} rotation {' '.join(map(str, axis))} {angle}"
    if kind == "Pose":
        return f"Pose {{ {pose} children [ {text} ] }}"
    return f'Solid {{ name "{text}" {pose} boundingObject {text} physics Physics {{ }} }}'


@pytest.mark.parametrize("way", ["one bounding object", "merged solids", "nested solids"])
def test_assembly_against_mujoco(way: str) -> None:
    if way == "one bounding object":
        parts = " ".join(posed(t, p, a, w, kind="Pose") for t, _, _, p, a, w in PARTS)
        world = f"Solid {{ boundingObject Group {{ children [ {parts} ] }} physics Physics {{ }} }}"
    else:
        first, *rest = (posed(t, p, a, w, kind="Solid") for t, _, _, p, a, w in PARTS)
        inner = " ".join(rest)
        if way == "nested solids":
            inner = 'Pose { children Solid { name "n" physics Physics { density -1 mass 1e-9 '
            inner += "centerOfMass [ 0 0 0 ] inertiaMatrix [ 1e-12 1e-12 1e-12, 0 0 0 ] } "
            inner += f"children [ {' '.join(rest)} ] }} }}"
        world = f"{first[:-1]} children [ {inner} ] }}"
    scene, _ = read(world)
    (link,) = scene.links()
    assert link.mass is not None
    mass, center, inertia = mujoco_mass()
    assert link.mass.mass == pytest.approx(mass, rel=1e-9)
    np.testing.assert_allclose(link.mass.center, center, atol=1e-9)
    np.testing.assert_allclose(tensor(link.mass), inertia, atol=1e-8 * mass)


def test_placing_a_mesh_turns_its_inertia() -> None:
    pose = Pose((1.0, 0.0, 0.0), quat_from_axis_angle((0.0, 0.0, 1.0), math.pi / 2))
    long = GeometryMesh(
        tuple((x * 2.0, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)),
        (
            *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)),
            *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
        ),
    )
    found = mesh_mass(long, 1.0)
    assert found is not None
    placed = found.placed(pose)
    assert placed.center == pytest.approx((0.5, 1.0, 0.5))
    assert placed.inertia[:3] == pytest.approx(
        (found.inertia[1], found.inertia[0], found.inertia[2])
    )
