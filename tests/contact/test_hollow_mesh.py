"""Hollow meshes on still triangles, native and Python twin: the same contacts, number for number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.compiler.terrain import terrain_tables
from solidbody.contact import layout
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import Geometry, GeometryMesh
from solidbody.model.scene import RidgeRule
from solidbody.sim import Sim
from tests.contact.test_terrain_colliders import contacts, rough_mesh
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.test_meshes_against_ode import bowl, tray

FORMS = {
    "tray": tray(0.4, 0.2, 0.03),
    "tube": terrain.tube(0.15, 0.25, 0.2, sides=8),
    "bowl": bowl(),
    "legs": terrain.blocks(4),
}
GROUNDS: dict[str, Geometry] = {
    "heights": terrain.bumps(),
    "heights as in ODE": terrain.bumps(),
    "mesh": rough_mesh(3),
    "plate": terrain.block(3.0, 3.0, 0.1),
}
MANY = ContactProperties(max_contacts=64)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", GROUNDS)
def test_native_and_python_find_the_same_contacts(kind: str, form: str) -> None:
    """At random poses just in the ground; not one number differs, so no choice turned out otherwise."""
    random = np.random.default_rng(len(form) + len(kind))
    turn = b.turned((0.3, -0.2, 1.0), 0.4)
    ground = b.static_body("ground", GROUNDS[kind], rotation=turn)
    if kind != "plate":
        ground = terrain.placed(GROUNDS[kind], turn)
    low = 0.1 if kind == "mesh" else -0.05
    bodies = [ground]
    for k in range(9):
        dx, dy = random.uniform(-0.2, 0.2, 2).tolist()
        x, y, z = random.normal(size=3).tolist()
        rotation = b.turned((x, y, z), float(random.choice([0.0, 0.02, 1.3])))
        at = (1.2 * (k % 3) - 1.2 + dx, 1.2 * (k // 3) - 1.2 + dy, low + random.uniform(0.0, 0.25))
        bodies.append(terrain.free_form(f"body {k}", FORMS[form], at, rotation))
    sunken = terrain.free_form("sunken", FORMS[form], (0.6, 0.6, -0.7))
    scene = b.scene(*bodies, sunken, surface=MANY)
    if kind == "heights as in ODE":
        scene = replace(scene, physics=replace(scene.physics, ridges=RidgeRule.ODE))
    native, twin = Sim(scene, engine="native"), Sim(scene, engine="reference")
    native.step()
    twin.step()
    here, there = contacts(native), contacts(twin)
    assert here.shape == there.shape
    assert (here == there).all(), np.abs(here - there).max()
    assert len(here) >= 8, "a good part of the poses is in the ground"


def points_of(*bodies: b.Body) -> NDArray[np.float64]:
    """Return position, normal and distance of the contacts of one step, in which nothing moves."""
    sim = Sim(b.scene(*bodies, surface=MANY, gravity=(0.0, 0.0, 0.0)))
    sim.step()
    return contacts(sim)


def test_corners_of_a_tray_are_its_points_on_a_seamed_floor() -> None:
    """It lies across the seams of nine triangles: four points, all straight up, none at a seam."""
    floor = terrain.placed(terrain.as_mesh(terrain.level()))
    found = points_of(floor, terrain.free_form("tray", tray(), (0.1, 0.2, 0.049)))
    assert len(found) == 4
    assert found[:, 3:6] == pytest.approx(np.tile([0.0, 0.0, 1.0], (4, 1)))
    assert found[:, 6] == pytest.approx(-1e-3)
    assert sorted(found[:, 0].round(9)) == pytest.approx([-0.1, -0.1, 0.3, 0.3])


def test_edges_that_cross_meet_where_they_cross() -> None:
    """The lower edges of a tray over the border of a table, and its two corners inside."""
    top = b.static_body("top", terrain.block(2.0, 2.0, 0.1), at=(0.0, 0.0, -0.05))
    turn = b.turned((0.0, 0.0, 1.0), 0.1)
    found = points_of(top, terrain.free_form("tray", tray(), (0.95, 0.0, 0.049), turn))
    assert len(found) == 4
    assert found[:, 3:6] == pytest.approx(np.tile([0.0, 0.0, 1.0], (4, 1)), abs=1e-9)
    assert found[:, 6] == pytest.approx(-1e-3)
    assert np.isclose(found[:, 0], 1.0).sum() == 2, "at the border"


def test_corner_of_the_ground_in_a_face_pushes_the_mesh_off_it() -> None:
    """A spike under the floor of a tray: its tip, a millimetre in, and nothing else."""
    corners = ((-0.05, -0.05, -0.2), (0.05, -0.05, -0.2), (0.0, 0.05, -0.2), (0.0, 0.0, 0.0))
    spike = GeometryMesh(corners, ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)))
    found = points_of(
        b.static_body("spike", spike), terrain.free_form("tray", tray(), (0.02, 0.03, 0.049))
    )
    (point,) = found
    assert point == pytest.approx([0.0, 0.0, -1e-3, 0.0, 0.0, 1.0, -1e-3], abs=1e-9)


def test_post_beside_the_wall_of_a_ring_is_not_felt() -> None:
    """Far vertices of the ring are behind faces of the post, over which they lie, and beyond it."""
    post = b.static_body("post", terrain.block(0.1, 0.1, 0.6))
    ring = terrain.free_form("ring", terrain.tube(0.2, 0.3, 0.1), (0.12, 0.0, 0.0))
    assert len(points_of(post, ring)) == 0


def test_sides_of_triangles_name_the_edges_that_stick_out() -> None:
    """Of a block all sides but the diagonals, of a level sheet its border only."""
    block, level = terrain.block(1.0, 2.0, 3.0), terrain.as_mesh(terrain.level())
    for mesh, named in ((block, 2 * 12), (level, 4 * (terrain.COUNT - 1))):
        vertices, faces = np.array(mesh.vertices), np.array(mesh.triangles)
        tables = terrain_tables(vertices, faces, layout.TerrainKind.MESH)
        ridge = tables.triangles["ridge"]
        assert (ridge >= 0).sum() == named
        assert set(ridge[ridge >= 0].tolist()) == set(range(len(tables.edges)))
        for triangle in tables.triangles:
            for side, row in enumerate(triangle["ridge"]):
                if row < 0:
                    continue
                edge, ends = tables.edges[row], triangle["corner"][[side, (side + 1) % 3]]
                both = np.array([edge["start"], edge["start"] + edge["step"]])
                assert np.allclose(both, ends) or np.allclose(both, ends[::-1])
