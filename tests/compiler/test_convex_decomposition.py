"""Hollow meshes cut into convex parts: once, kept by content, and what happens when it fails."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solidbody.base.extras import needs
from solidbody.compiler import convex_decomposition, convex_decomposition_worker
from solidbody.compiler.convex_decomposition import (
    ConvexParts,
    DecompositionError,
    DecompositionStopped,
    content_key,
    convex_parts,
    cut_meshes,
    is_nearly_convex,
)
from solidbody.compiler.convex_hulls import TOLERANCE, convex_hull, fitted_to_hull
from solidbody.compiler.geoms import is_convex, surface_of
from solidbody.compiler.mesh_components import Faces, Points, connected_components
from solidbody.model.geometry import GeometryMesh
from tests.physics import building as b
from tests.physics import terrain
from tests.waiting import wait_until

TUBE = terrain.tube(0.2, 0.3, 0.1, sides=8)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep parts in a folder of the test."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path))
    return tmp_path / "convex-parts"


def surface(mesh: GeometryMesh) -> tuple[Points, Faces]:
    """Return vertices and faces."""
    found = surface_of(mesh)
    assert found is not None
    return found


def test_parts_are_cut_once_and_read_afterwards(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two copies of one mesh are one piece of work; who comes later needs none."""
    said: list[tuple[str, int, int]] = []
    pair = TUBE, replace(TUBE)
    first, _ = cut_meshes(pair, lambda *state: said.append(state))
    assert said == [(convex_decomposition.TASK, 0, 1), (convex_decomposition.TASK, 1, 1)]
    assert len(list(cache.iterdir())) == 1
    assert len(first[id(TUBE)]) >= 3

    def fail(*_: object) -> list[Points]:
        raise AssertionError("nothing is to be cut")

    monkeypatch.setattr(convex_decomposition, "_cut", fail)
    again, _ = cut_meshes(pair, lambda *state: said.append(state))
    assert len(said) == 2
    for one, two in zip(first[id(TUBE)], again[id(TUBE)], strict=True):
        assert (one == two).all()


def test_parts_stay_within_the_mesh() -> None:
    """No part reaches into the hole by more than coacd's threshold of the size."""
    for part in convex_parts(*surface(TUBE)):
        middle = part.mean(axis=0)
        assert np.hypot(middle[0], middle[1]) > 0.15


@pytest.mark.slow
def test_parts_of_a_rough_copy_have_the_hull_of_the_mesh() -> None:
    """A tube without its end faces is cut as a coarse copy; a plane from any side meets its real corners."""
    points, faces = surface(TUBE)
    middle = points[faces].mean(axis=1)
    open_tube = faces[np.abs(middle[:, 2]) < 0.99 * np.abs(points[:, 2]).max()]
    assert 0 < len(open_tube) < len(faces)
    found = convex_parts(points, open_tube)
    assert len(found) >= 3
    directions = np.random.default_rng(1).normal(size=(200, 3))
    directions = np.vstack([directions, np.eye(3), -np.eye(3)])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    wanted = (points @ directions.T).max(axis=0)
    reached = np.max([(part @ directions.T).max(axis=0) for part in found], axis=0)
    # TOLERANCE is measured along the corners' own directions; across them it may be three times as much
    np.testing.assert_allclose(reached, wanted, atol=3 * TOLERANCE * np.ptp(points, axis=0).max())


def test_corners_that_the_parts_lack_are_added_and_points_beyond_the_hull_pushed_in() -> None:
    """A cube of which half is missing, and which is 10 % too wide."""
    cube = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    half = cube * (0.5, 1.1, 1.0)
    (found,) = fitted_to_hull([half], cube)
    assert found.min(axis=0).tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(found.max(axis=0), [1.0, 1.0, 1.0], atol=1e-6)
    for corner in cube:
        assert np.linalg.norm(found - corner, axis=1).min() < 1e-6


def test_flat_points_have_no_hull_and_stay() -> None:
    """Nothing to fit to: MuJoCo refuses hulls without volume."""
    square = np.array([(x, y, 0.0) for x in (0.0, 1.0) for y in (0.0, 1.0)])
    assert convex_hull(square) is None and convex_hull(square[:1]) is None
    (found,) = fitted_to_hull([square + 0.1], square)
    np.testing.assert_array_equal(found, square + 0.1)


@pytest.mark.slow
def test_damaged_file_in_the_cache_is_made_again(cache: Path) -> None:
    """Half a file, as after a full disk."""
    found = convex_parts(*surface(TUBE))
    (kept,) = cache.iterdir()
    kept.write_bytes(kept.read_bytes()[:100])
    again = convex_parts(*surface(TUBE))
    assert all((a == b).all() for a, b in zip(found, again, strict=True)), "same seed, same parts"


def test_key_depends_on_content_and_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other vertices, faces or settings are other parts."""
    points, faces = surface(TUBE)
    keys = {
        content_key(points, faces),
        content_key(points * 2, faces),
        content_key(points, faces[1:]),
    }
    monkeypatch.setitem(convex_decomposition.SETTINGS, "threshold", 0.1)
    keys.add(content_key(points, faces))
    assert len(keys) == 4


def test_slow_cut_is_stopped_and_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A time limit that nothing can meet; whoever opens the world next does not wait for it."""
    with pytest.raises(DecompositionError, match=r"coacd took more than 0\.01 s"):
        convex_parts(*surface(TUBE), time_limit=0.01)
    monkeypatch.setattr(convex_decomposition, "_cut", None)
    with pytest.raises(DecompositionError, match=r"coacd took more than 0\.01 s"):
        convex_parts(*surface(TUBE))


def test_second_attempt_cuts_a_rougher_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first fails, the coarse settings get their chance."""
    tried: list[object] = []

    def fail_first(points: Points, _faces: Faces, settings: dict[str, object], _limit: float):
        tried.append(settings.get("preprocess_mode"))
        if len(tried) == 1:
            raise DecompositionError("too fine")
        return [points]

    monkeypatch.setattr(convex_decomposition, "_cut", fail_first)
    assert len(convex_parts(*surface(TUBE))) == 1
    assert tried == [None, "on"]


def test_without_coacd_no_mesh_is_cut_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is met then is the hull (see test_hollow)."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert cut_meshes([TUBE]) == ({}, {id(TUBE): f"cutting meshes {needs('meshes')}"})


def test_cut_that_somebody_ends_is_not_remembered(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed worker says nothing about the mesh: no rougher parts are kept for it, and no failure."""
    ends: list[int] = []

    def killed(_command: list[str], _limit: float) -> tuple[int, str]:
        ends.append(-9)
        return -9, ""

    monkeypatch.setattr(convex_decomposition, "_run_worker", killed)
    with pytest.raises(DecompositionStopped, match="ended from outside"):
        convex_parts(*surface(TUBE))
    assert ends == [-9] and not cache.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_worker_ends_with_whoever_asked(tmp_path: Path) -> None:
    """Its parent is gone: it ends itself long before its time is up."""
    worker = Path(convex_decomposition_worker.__file__)
    code = (
        "import subprocess, sys, time\n"
        f"text = {WATCHING.format(path=str(worker))!r}\n"
        "child = subprocess.Popen([sys.executable, '-c', text], stdout=subprocess.PIPE, text=True)\n"
        "child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
    )
    asked = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    wait_until(lambda: not _is_alive(int(asked.stdout)), "the end of the worker")


WATCHING = """
import runpy, time
runpy.run_path({path!r}, run_name="worker")["limit_time"](1000.0)
print("ready", flush=True)
time.sleep(100.0)
"""


def _is_alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.is_file() and ") Z" not in state.read_text()


def test_failing_cut_names_the_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the worker says last is part of the message."""
    monkeypatch.setitem(convex_decomposition.SETTINGS, "seed", "any")
    with pytest.raises(DecompositionError, match="coacd failed: "):
        convex_parts(*surface(TUBE))


def test_separate_convex_pieces_need_no_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two boxes apart in one mesh are two exact hulls."""
    one, two = surface(terrain.block(0.1, 0.1, 0.1)), surface(terrain.block(0.2, 0.2, 0.2))
    points = np.concatenate([one[0], two[0] + [1.0, 0.0, 0.0]])
    faces = np.concatenate([one[1], two[1] + len(one[0])])
    assert not is_convex(points, faces)
    assert [len(piece[1]) for piece in connected_components(points, faces)] == [12, 12]
    monkeypatch.setattr(convex_decomposition, "convex_parts", None)
    pair = GeometryMesh(
        tuple((x, y, z) for x, y, z in points.tolist()),
        tuple((i, j, k) for i, j, k in faces.tolist()),
    )
    (found,) = cut_meshes([pair])[0].values()
    assert [len(part) for part in found] == [8, 8]


def test_copies_of_a_part_are_cut_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same tube twice in one mesh, elsewhere: one cut, parts at both places."""
    cuts: list[int] = []
    original = convex_decomposition._cut

    def counted(points: Points, faces: Faces, settings: dict[str, object], limit: float):
        cuts.append(len(points))
        return original(points, faces, settings, limit)

    monkeypatch.setattr(convex_decomposition, "_cut", counted)
    (found,) = cut_meshes([TUBE])[0].values()
    points, faces = surface(TUBE)
    shift = np.array((3.0, 0.0, 0.0))
    both = GeometryMesh(
        tuple(map(tuple, np.concatenate([points, points + shift]).tolist())),
        tuple(map(tuple, np.concatenate([faces, faces + len(points)]).tolist())),
    )
    (twice,) = cut_meshes([both])[0].values()
    assert len(cuts) == 1
    assert len(twice) == 2 * len(found)
    moved = sorted(float(part[:, 0].mean()) for part in twice)
    assert moved[len(found)] - moved[0] == pytest.approx(3.0, abs=0.5)


def test_mesh_that_nearly_fills_its_hull_is_not_cut() -> None:
    """A block with a pit of 0.7 % of its volume; with one of 10 % it is."""
    assert is_nearly_convex(*pitted_block(depth=0.02))
    assert not is_nearly_convex(*pitted_block(depth=0.3))


def pitted_block(*, depth: float) -> tuple[Points, Faces]:
    """A cube of 1 m whose top is a funnel down to `depth`: it lacks depth/3 of its volume."""
    corners = [(x, y, z) for z in (0.0, 1.0) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    points = np.array([*corners, (0.5, 0.5, 1.0 - depth)], dtype=float)
    sides = [(k, (k + 1) % 4, 4 + (k + 1) % 4) for k in range(4)]
    sides += [(k, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    top = [(4 + k, 4 + (k + 1) % 4, 8) for k in range(4)]
    return points, np.array([*sides, (0, 2, 1), (0, 3, 2), *top])


def test_equal_meshes_are_looked_at_once() -> None:
    """Copies of a robot have meshes of their own that are the same: they share their parts."""
    one, two = terrain.blocks(2), replace(terrain.blocks(2))
    bodies = [terrain.free_form(f"{k}", mesh, (k, 0, 1)) for k, mesh in enumerate((one, two, one))]
    found = cut_meshes([one, two])[0]
    assert one is not two and found[id(one)] is found[id(two)]
    assert ConvexParts.of_scene(b.scene(*bodies)).hollow == {id(one), id(two)}
