"""Bodies on terrain, native and Python twin: the same contacts, number for number."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.compiler.terrain import terrain_tables
from solidbody.contact import layout
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryMesh,
    GeometrySphere,
)
from solidbody.model.links import Body
from solidbody.model.scene import RidgeRule
from solidbody.sim import Sim
from tests.physics import building as b
from tests.physics import terrain

FORMS: dict[str, Geometry] = {
    "sphere": GeometrySphere(0.15),
    "capsule": GeometryCapsule(0.1, 0.4),
    "box": GeometryBox((0.5, 0.3, 0.2)),
    "cylinder": GeometryCylinder(0.25, 0.2),
    "cone": GeometryCone(0.2, 0.3),
    "hull": terrain.block(0.4, 0.3, 0.2),
}


def rough_mesh(seed: int) -> GeometryMesh:
    """Return steps, ridges, holes and a face that joins its neighbours along half an edge only."""
    random = np.random.default_rng(seed)
    ground = terrain.heights(lambda _x, _y: float(random.choice([0.0, 0.0, 0.1, 0.25])))
    mesh = terrain.as_mesh(ground)
    faces = [face for k, face in enumerate(mesh.triangles) if k % 17]
    start = len(mesh.vertices)
    vertices = (*mesh.vertices, (0.0, 0.0, 0.05), (0.75, 0.0, 0.05), (0.0, 0.9, 0.05))
    return GeometryMesh(vertices, (*faces, (start, start + 1, start + 2)))


def contacts(sim: Sim) -> NDArray[np.float64]:
    """Return position, normal and distance of each contact that acts."""
    rows = [
        [*contact.pos, *contact.frame[:3], contact.dist]
        for contact in sim.data.contact
        if contact.efc_address >= 0
    ]
    return np.array(rows).reshape(-1, 7)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["heights", "heights as in ODE", "mesh"])
def test_native_and_python_find_the_same_contacts(kind: str, form: str) -> None:
    """At random poses just in the ground; not one number differs, so no choice turned out otherwise."""
    random = np.random.default_rng(len(form) + (kind == "mesh"))
    ground = rough_mesh(3) if kind == "mesh" else terrain.bumps()
    turn = b.turned((0.3, -0.2, 1.0), 0.4)
    low = 0.1 if kind == "mesh" else -0.05
    bodies: list[Body] = []
    for k in range(25):
        dx, dy = random.uniform(-0.2, 0.2, 2).tolist()
        axis = random.normal(size=3).tolist()
        rotation = b.turned((axis[0], axis[1], axis[2]), float(random.choice([0.0, 0.02, 1.3])))
        at = (0.9 * (k % 5) - 1.8 + dx, 0.9 * (k // 5) - 1.8 + dy, low + random.uniform(0.0, 0.25))
        bodies.append(terrain.free_form(f"body {k}", FORMS[form], at, rotation))
    sunken = terrain.free_form("sunken", FORMS[form], (0.2, 0.1, -0.7), (1.0, 0.0, 0.0, 0.0))
    scene = b.scene(terrain.placed(ground, turn), *bodies, sunken)
    if kind == "heights as in ODE":
        scene = replace(scene, physics=replace(scene.physics, ridges=RidgeRule.ODE))
    native, twin = Sim(scene, engine="native"), Sim(scene, engine="reference")
    native.step()
    twin.step()
    here, there = contacts(native), contacts(twin)
    assert here.shape == there.shape
    assert (here == there).all(), np.abs(here - there).max()
    assert len(here) >= 8, "a good part of the poses is in the ground"


@pytest.mark.parametrize("ground", ["plane", "box", "mesh", "heights", "parts"])
def test_parts_of_one_shape_share_its_contacts(ground: str) -> None:
    """Nine feet of four corners: a few outermost points remain, in both steps the same."""
    grounds: dict[str, Body] = {
        "plane": b.floor(),
        "box": b.static_body("slab", GeometryBox((2, 2, 0.2)), at=(0, 0, -0.1)),
        "mesh": terrain.placed(terrain.as_mesh(terrain.level())),
        "heights": terrain.placed(terrain.level()),
        "parts": terrain.free_form("below", terrain.blocks(9), (0.01, 0.02, -0.0998)),
    }
    table = terrain.free_form("table", terrain.blocks(9), (0.01, 0.02, 0.0999))
    scene = b.scene(grounds[ground], table, gravity=(0.0, 0.0, -1.0))
    native, twin = Sim(scene, engine="native"), Sim(scene, engine="reference")
    for sim in (native, twin):
        sim.step()
    here, there = contacts(native), contacts(twin)
    assert here.shape == there.shape and (here == there).all()
    # planes meet ten vertices, as in ODE
    assert 4 <= len(here) <= (10 if ground == "plane" else 8)
    # a box, and triangles, meet the triangles of all legs at once, which chooses its points by itself
    dropped = 0 if ground in ("box", "mesh", "heights") else 36 - len(here)
    assert native.stats.contacts_dropped == twin.stats.contacts_dropped == dropped
    assert np.ptp(here[:, 0]) == pytest.approx(0.45, abs=1e-6)
    assert np.ptp(here[:, 1]) == pytest.approx(0.45, abs=1e-6)


def test_level_and_hollow_edges_are_left_out() -> None:
    """A level grid has only its border; a valley the same, its bottom line being hollow."""
    for ground in (terrain.level(), terrain.valley()):
        mesh = terrain.as_mesh(ground)
        tables = terrain_tables(
            np.array(mesh.vertices), np.array(mesh.triangles), layout.TerrainKind.MESH
        )
        assert len(tables.edges) == 4 * (terrain.COUNT - 1)
        assert tables.edges["border"].all()


def test_ridge_is_kept_with_the_directions_between_its_faces() -> None:
    """Ridge along y with slopes of 0.3: 10 edges, bend 2*atan(0.3)."""
    mesh = terrain.as_mesh(terrain.heights(lambda x, _y: -0.3 * abs(x)))
    tables = terrain_tables(
        np.array(mesh.vertices), np.array(mesh.triangles), layout.TerrainKind.MESH
    )
    ridge = tables.edges[tables.edges["border"] == 0]
    assert len(ridge) == terrain.COUNT - 1
    assert ridge["bend"] == pytest.approx(2 * math.atan(0.3))
    up = np.array([0.0, 0.0, 1.0])
    assert (ridge["c0"] @ up > 0).all() and (ridge["c1"] @ up > 0).all()


def test_every_triangle_is_in_one_leaf_inside_its_box() -> None:
    """The tree covers all triangles once, in order, and boxes hold what is below them."""
    mesh = rough_mesh(1)
    tables = terrain_tables(
        np.array(mesh.vertices), np.array(mesh.triangles), layout.TerrainKind.MESH
    )
    leaves = tables.nodes[tables.nodes["count"] > 0]
    covered = [k for leaf in leaves for k in range(leaf["first"], leaf["first"] + leaf["count"])]
    assert covered == list(range(len(tables.triangles)))
    for at, node in enumerate(tables.nodes):
        if node["count"]:
            below = tables.triangles[node["first"] : node["first"] + node["count"]]
            lo, hi = below["lo"], below["hi"]
        else:
            children = tables.nodes[[at + 1, node["first"]]]
            lo, hi = children["lo"], children["hi"]
        assert (lo >= node["lo"]).all() and (hi <= node["hi"]).all()
