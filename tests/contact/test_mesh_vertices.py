"""Moving meshes on planes: the vertices that count, native and Python twin alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solidbody.compiler.geoms import vertices_of
from solidbody.compiler.mesh_vertices import LEAF, far_apart, vertex_tree
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryMesh, GeometryPlane
from solidbody.sim import Sim
from tests.contact.test_terrain_colliders import contacts
from tests.physics import building as b
from tests.physics import terrain

SINGLE = 2e-8
"""[m] Half the last digit of vertices within 0.25 m in single precision."""


SMOOTH = ContactProperties(friction=(0.0,))
"""One row per contact: the reference's solver is slow."""


def lump(count: int = 500) -> GeometryMesh:
    """Return a ball of 20 cm with dents, as triangles between any three vertices of it."""
    random = np.random.default_rng(3)
    way = random.normal(size=(count, 3))
    points = (
        way / np.linalg.norm(way, axis=1, keepdims=True) * random.uniform(0.15, 0.2, (count, 1))
    )
    faces = np.arange(count - count % 3).reshape(-1, 3)
    vertices = tuple((x, y, z) for x, y, z in points.tolist())
    return GeometryMesh(vertices, tuple((i, j, k) for i, j, k in faces.tolist()))


def table(legs: int = 9) -> GeometryMesh:
    """Return legs of four corners each, whose pieces are convex: nothing to cut."""
    return terrain.blocks(legs)


@pytest.mark.parametrize("turn", [0.0, 1e-10, 0.02, 0.4])
@pytest.mark.parametrize(
    "surface",
    [
        SMOOTH,
        replace(SMOOTH, max_contacts=3),
        replace(SMOOTH, max_contacts=2_000_000_000),
        replace(SMOOTH, min_depth=1e-3, max_depth=2e-2),
        replace(SMOOTH, keeps_spread=True, max_contacts=6),
        replace(SMOOTH, keeps_spread=True, max_contacts=300),
    ],
    ids=["usual", "few", "all", "between depths", "spread", "all spread"],
)
def test_native_and_python_find_the_same_vertices(surface: ContactProperties, turn: float) -> None:
    """The tree leaves out nothing: depth, order and number of those left out are the same."""
    body = terrain.free_form(
        "table", table(), (0.01, 0.02, 0.095), rotation=b.turned((0.6, 1.0, 0.1), turn)
    )
    scene = b.scene(b.floor(), body, surface=surface, gravity=(0.0, 0.0, -1.0))
    native, twin = Sim(scene, engine="native"), Sim(scene, engine="reference")
    for sim in (native, twin):
        sim.step()
    here, there = contacts(native), contacts(twin)
    assert len(here) and here.shape == there.shape
    assert (here == there).all()
    assert native.stats.contacts_dropped == twin.stats.contacts_dropped
    assert native.stats.dropped_pair == twin.stats.dropped_pair


def test_deepest_vertices_of_the_mesh_are_kept() -> None:
    """Points and depths are those of the mesh itself, at most `max_contacts` of them."""
    mesh, height = lump(), 0.12
    body = terrain.free_form("lump", mesh, (0.0, 0.0, height))
    sim = Sim(b.scene(b.floor(), body), cut_meshes=False)
    sim.step()
    found = contacts(sim)
    depths = np.sort(-(np.array(mesh.vertices)[:, 2] + height))[::-1][:10]
    np.testing.assert_allclose(np.sort(-found[:, 6])[::-1], depths, atol=SINGLE)
    assert sim.stats.contacts_dropped > 0
    pair = sim.stats.dropped_pair
    assert pair is not None
    assert (pair.names, pair.kept) == (("floor", "lump"), 10)
    assert pair.found == 10 + sim.stats.contacts_dropped


def test_vertices_at_one_depth_are_kept_far_apart() -> None:
    """A table set down flat stands on legs at all its corners, and stands still."""
    body = terrain.free_form("table", table(), (0.0, 0.0, 0.0999))
    sim = Sim(b.scene(b.floor(), body))
    sim.step()
    corners = np.array([[x, y] for x in (-0.225, 0.225) for y in (-0.225, 0.225)])
    apart = np.linalg.norm(contacts(sim)[:, None, :2] - corners, axis=2)
    assert apart.min(axis=0).max() < 1e-6
    sim.step(250)
    assert np.abs(sim.velocities()[1]).max() < 1e-9


def test_every_plane_meets_the_mesh() -> None:
    """In the corner between floor and wall a block touches both, with four vertices each."""
    side = b.turned((0.0, 1.0, 0.0), np.pi / 2)
    wall = b.static_body("wall", GeometryPlane((9, 9)), at=(-0.1, 0.0, 0.0), rotation=side)
    body = terrain.free_form("block", terrain.block(0.2, 0.2, 0.2), (-0.0005, 0.0, 0.0995))
    sim = Sim(b.scene(b.floor(), wall, body))
    sim.step()
    normals = contacts(sim)[:, 3:6].round(6)
    assert sorted(map(tuple, normals.tolist())) == [(0.0, 0.0, 1.0)] * 4 + [(1.0, 0.0, 0.0)] * 4


def test_links_that_ignore_the_floor_go_through_it() -> None:
    """Filters hold for vertices as for hulls."""
    body = terrain.free_form("block", terrain.block(0.2, 0.2, 0.2), (0.0, 0.0, 0.05))
    blind = replace(body.collision, disabled_links=("block",))
    sim = Sim(b.scene(b.floor(), replace(body, collision=blind)))
    sim.step()
    assert not len(contacts(sim))


def test_triangles_that_share_no_vertices_have_one_per_corner_and_normal() -> None:
    """A box as STL files have it: of 36 corners of triangles 24 are different, as in Webots' reader."""
    block = terrain.block(0.2, 0.2, 0.2)
    corners = np.array(block.vertices)[np.array(block.triangles)]
    steps = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.repeat(np.cross(*steps), 3, axis=0) / 0.2**2
    soup = GeometryMesh(
        tuple((x, y, z) for x, y, z in corners.reshape(-1, 3).tolist()),
        tuple((3 * k, 3 * k + 1, 3 * k + 2) for k in range(12)),
        tuple((x, y, z) for x, y, z in normals.tolist()),
    )
    assert len(vertices_of(soup)) == 24
    assert len(vertices_of(replace(soup, normals=()))) == len(vertices_of(block)) == 8
    body = terrain.free_form("soup", soup, (0.0, 0.0, 0.0999))
    sim = Sim(b.scene(b.floor(), body, surface=ContactProperties(max_contacts=100)))
    sim.step()
    assert len(contacts(sim)) == 12


def test_tree_holds_every_vertex_once() -> None:
    """Leaves follow each other, and each box is as large as its points."""
    points = np.array(lump().vertices)
    ordered, nodes = vertex_tree(points)
    leaves = nodes[nodes["right"] == 0]
    assert leaves["count"].max() <= LEAF
    assert leaves["first"].tolist() == [0, *np.cumsum(leaves["count"]).tolist()[:-1]]
    np.testing.assert_allclose(np.sort(ordered, axis=0), np.sort(points, axis=0), atol=SINGLE)
    for node in nodes:
        part = ordered[node["first"] : node["first"] + node["count"]]
        assert (part.min(axis=0) == node["lo"]).all() and (part.max(axis=0) == node["hi"]).all()


def test_ranks_are_a_permutation_that_begins_at_the_ends() -> None:
    """The first two of a row of points are its ends; many points are all ranked."""
    row = np.column_stack([np.arange(600.0), np.zeros(600), np.zeros(600)])
    rank = far_apart(row)
    assert sorted(rank.tolist()) == list(range(600))
    assert {rank[0], rank[-1]} == {0, 1}
