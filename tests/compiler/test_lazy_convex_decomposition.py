"""Hollow meshes that move are cut when they meet: not before, and with the same bytes whenever that is."""

from __future__ import annotations

import importlib.metadata
import pickle
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solidbody.base.extras import needs
from solidbody.compiler import compile_scene, convex_decomposition
from solidbody.compiler.mesh_components import Faces, Points
from solidbody.model.devices import DeviceHolder
from solidbody.model.geometry import GeometryMesh, GeometrySphere
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from solidbody.sim import Sim
from solidbody.sim.batch.batch import Batch
from tests.physics import building as b
from tests.physics import terrain

TUBE = terrain.tube(0.2, 0.3, 0.1, sides=8)
POST = terrain.block(0.1, 0.1, 0.6)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep parts in a folder of the test."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path))
    return tmp_path / "convex-parts"


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Cut tubes into their eight sectors, at once; gives how many faces each cut mesh had."""
    found: list[int] = []

    def sectors(points: Points, faces: Faces, *_: object) -> list[Points]:
        found.append(len(faces))
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        turn = np.arctan2(points[:, 1] - middle[1], points[:, 0] - middle[0])
        number = np.round(turn / (2 * np.pi / 8)).astype(int) % 8
        sides = [number == k for k in range(8)]
        return [points[one | two] for one, two in zip(sides, np.roll(sides, -1, 0), strict=True)]

    monkeypatch.setattr(convex_decomposition, "_cut", sectors)
    return found


def tubes(*places: tuple[float, float, float]) -> Scene:
    """Return tubes over a floor."""
    bodies = [terrain.free_form(f"tube {k}", TUBE, at) for k, at in enumerate(places)]
    return b.scene(b.floor(), *bodies)


def post(mesh: GeometryMesh = POST) -> Body:
    """Return a post of triangles that stands still."""
    return b.static_body("post", mesh, at=(0.0, 0.0, 0.3))


def test_meshes_that_meet_only_planes_and_primitives_are_never_cut(cuts: list[int]) -> None:
    """On a floor, under a ball, and far from each other."""
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.25, 0.0, 0.4))
    scene = tubes((0.0, 0.0, 0.1), (5.0, 0.0, 0.1))
    sim = Sim(b.scene(*scene.bodies, ball))
    sim.run(0.5)
    assert sim.link("ball").position[2] > 0.15, "it lies on the tube"
    assert cuts == []


def test_meshes_are_cut_when_their_hulls_first_overlap(cuts: list[int]) -> None:
    """One falls on another; a third, of the same form, is still alone."""
    sim = Sim(tubes((0.0, 0.0, 0.05), (0.25, 0.05, 0.5), (5.0, 0.0, 0.05)))
    sim.run(0.1)
    assert cuts == []
    sim.run(0.6)
    assert len(cuts) == 1, "both are copies of one mesh"
    assert sim.link("tube 1").position[2] > 0.1


def test_what_is_held_together_is_not_cut(cuts: list[int]) -> None:
    """A gripper's mesh and the one that it holds overlap and do not collide."""
    one, two = tubes((0.0, 0.0, 1.0), (0.25, 0.05, 1.02)).bodies[1:]
    holder = replace(one.links[0], devices=(DeviceHolder(name="grip"),))
    sim = Sim(b.scene(b.floor(), replace(one, links=(holder,)), two))
    sim.attach_links(1, 2)
    sim.step(20)
    assert cuts == []


def test_tube_falls_around_a_post_of_triangles_uncut(cuts: list[int]) -> None:
    """Its hull would land on top."""
    sim = Sim(b.scene(b.floor(), post(), terrain.free_form("tube", TUBE, (0.0, 0.0, 0.8))))
    sim.run(3.0)
    assert cuts == []
    assert sim.link("tube").position[2] == pytest.approx(0.05, abs=2e-3)


def test_bytes_do_not_depend_on_what_was_cut_before(cuts: list[int], cache: Path) -> None:
    """An empty cache, a full one, a second run of the same simulation, a copy, one of many."""
    scene = tubes((0.0, 0.0, 0.05), (0.25, 0.05, 0.4), (-0.2, 0.0, 0.7))
    scene = b.scene(*scene.bodies, post())
    sim = Sim(scene)
    start = sim.snapshot()

    def run(other: Sim) -> bytes:
        other.run(0.7)
        return other.snapshot().qpos + other.snapshot().solver

    first = run(sim)
    assert cuts and list(cache.iterdir())
    kept = Sim(scene)
    assert run(kept) == first
    sim.restore(start)
    assert run(sim) == first
    sim.reset()
    assert run(sim) == first
    assert run(sim.copy()) == first
    batch = kept.batch(3, threads=3)
    batch.step(sim.step_count)
    assert [one.snapshot().qpos + one.snapshot().solver for one in batch] == [first] * 3


def test_native_and_reference_step_agree(cuts: list[int]) -> None:
    """Parts against parts, and triangles against triangles that stand still."""
    bodies = tubes((0.0, 0.0, 0.65), (0.25, 0.05, 0.8)).bodies
    sims = [Sim(b.scene(*bodies, post()), engine=name) for name in ("native", "reference")]
    for sim in sims:
        sim.run(0.35)
    assert cuts
    np.testing.assert_allclose(sims[0].poses(), sims[1].poses(), atol=1e-9)
    assert sims[0].stats.contacts == sims[1].stats.contacts > 0


def lying_and_falling() -> tuple[Body, Body]:
    """Return a tube on the floor and a ring that would fit into it, above."""
    ring = terrain.tube(0.05, 0.1, 0.1, sides=8)
    return (
        terrain.free_form("tube", TUBE, (0.0, 0.0, 0.05)),
        terrain.free_form("ring", ring, (0.0, 0.0, 0.3)),
    )


def test_mesh_that_cannot_be_cut_stays_a_hull_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The simulation goes on."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    sim = Sim(b.scene(tubes((0.0, 0.0, 0.05)).bodies[0], *lying_and_falling()))
    assert sim.compiled.problems == ()
    sim.run(0.6)
    assert sim.link("ring").position[2] > 0.1, "on the hull of the tube, not in it"
    said, _ = sim.compiled.problems
    assert said.code == "collision-form" and said.text == (
        f"this hollow mesh meets other meshes as its convex hull: cutting meshes {needs('meshes')}"
    )


@pytest.mark.parametrize("made", [lambda sim: sim, lambda sim: sim.batch(2, threads=2)])
def test_what_stops_cutting_ends_the_step(
    monkeypatch: pytest.MonkeyPatch, made: Callable[[Sim], Sim | Batch]
) -> None:
    """Ctrl-C while a mesh is cut, in one simulation and in one of several."""

    def interrupted(*_: object) -> list[Points]:
        raise KeyboardInterrupt

    monkeypatch.setattr(convex_decomposition, "_cut", interrupted)
    sim = made(Sim(tubes((0.0, 0.0, 0.05), (0.25, 0.05, 0.1))))
    with pytest.raises(KeyboardInterrupt):
        sim.step(5)


def test_checking_a_scene_knows_no_parts() -> None:
    """Who only wants diagnostics gets hulls."""
    compiled = compile_scene(tubes((0.0, 0.0, 1.0)), cut_meshes=False)
    assert len(compiled.tables.collision.hulls) == 1
    assert compiled.tables.collision.parts is None


def test_a_pickle_carries_what_was_cut(cuts: list[int], cache: Path) -> None:
    """A simulation goes on in another process without cutting again; one pickled before cuts there."""
    sim = Sim(tubes((0.0, 0.0, 0.05), (0.25, 0.05, 0.5)))
    early = pickle.dumps(sim)
    sim.run(0.6)
    assert len(cuts) == 1
    shutil.rmtree(cache)
    late = pickle.loads(pickle.dumps(sim))
    late.run(0.3)
    assert len(cuts) == 1
    again = pickle.loads(early)
    again.run(0.6)
    assert len(cuts) == 2
    again.run(0.3)
    sim.run(0.3)
    assert late.snapshot() == sim.snapshot() == again.snapshot()
