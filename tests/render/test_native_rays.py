"""Rays without Warp meet the same: the native library against Warp's kernels, ray by ray."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import solidbody as sb
from solidbody.contact.native import NativeUnavailable, load_library
from solidbody.contact.ray_casting import RayMesh
from solidbody.render.device import NATIVE
from solidbody.render.ray_engine import Clipping, RayEngine

pytest.importorskip("warp")
try:
    load_library()
except NativeUnavailable as reason:
    pytest.skip(str(reason), allow_module_level=True)

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { } Viewpoint { }
DEF FLOOR Solid { name "floor" children [ Shape { appearance PBRAppearance { baseColor 0.2 0.6 0.3 }
  geometry Plane { size 8 8 } } ] boundingObject Plane { size 8 8 } }
Solid { name "box" translation 1.5 0 0.5 rotation 0.3 0.5 0.8 0.7 children [ DEF B Shape {
  geometry Box { size 0.6 0.8 0.4 } } ] boundingObject USE B }
Solid { name "ball" translation -1.2 1 0.4 children [ DEF S Shape { geometry Sphere { radius 0.4
  subdivision 3 } } ] boundingObject USE S }
Solid { name "can" translation 0.5 1.6 0.5 rotation 1 0 0 0.4 children [ DEF C Shape {
  geometry Cylinder { radius 0.3 height 0.9 } } ] boundingObject USE C }
Solid { name "pill" translation -1.5 -1 0.5 rotation 0 1 0 0.5 children [ DEF P Shape {
  geometry Capsule { radius 0.25 height 0.6 } } ] boundingObject USE P }
Solid { name "hat" translation 0 -1.6 0.5 children [ Shape {
  geometry Cone { bottomRadius 0.4 height 0.8 } } ] }
Solid { name "roof" translation 2 2 0.5 children [ DEF M Shape { appearance PBRAppearance { transparency 0.5 }
  geometry IndexedFaceSet { coord Coordinate { point [
    -0.5 -0.5 0, 0.5 -0.5 0, 0.5 0.5 0, -0.5 0.5 0, 0 0 0.8 ] }
  coordIndex [ 0 1 4 -1 1 2 4 -1 2 3 4 -1 3 0 4 -1 3 2 1 0 -1 ] } } ] boundingObject USE M }
Solid { name "hills" translation -3 -3 0 children [ DEF E Shape { geometry ElevationGrid {
  xDimension 5 yDimension 5 xSpacing 0.4 ySpacing 0.4
  height [ 0 .1 .2 .1 0 .1 .3 .4 .3 .1 .2 .4 .6 .4 .2 .1 .3 .4 .3 .1 0 .1 .2 .1 0 ] } } ]
  boundingObject USE E }
"""

EDGES = 0.01
"""Share of rays that may differ: those that pass an edge by less than 32-bit numbers tell apart."""

NEAR = 2.0e-4
"""[m] The two round in other orders, over some metres."""


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> tuple[RayEngine, RayEngine]:
    """Return Warp's engine and the native one of a scene with every form."""
    file = tmp_path_factory.mktemp("rays") / "forms.wbt"
    file.write_text(WORLD, encoding="utf-8")
    sim = sb.Sim(sb.load(file))
    both = RayEngine(sim.scene, device="cpu"), RayEngine(sim.scene, device=NATIVE)
    for engine in both:
        engine.update(sim.poses())
    return both


def rays(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return starts above the floor, and directions all around."""
    random = np.random.default_rng(1)
    starts = random.uniform([-4, -4, 0.05], [4, 4, 2.0], (count, 3))
    ways = random.normal(size=(count, 3))
    return starts, ways / np.linalg.norm(ways, axis=1)[:, None]


@pytest.mark.parametrize(("drawn", "opaque_only"), [(True, False), (False, False), (True, True)])
def test_single_rays_meet_what_warps_meet(
    engines: tuple[RayEngine, RayEngine], drawn: bool, opaque_only: bool
) -> None:
    """Distances, shapes, cosines and normals, of what is drawn and of what collides."""
    starts, ways = rays(3000)
    n = len(starts)
    found = []
    for engine in engines:
        batch = engine.ray_batch(
            np.full(n, -1),
            starts,
            ways,
            np.full(n, 6.0),
            skip=np.where(np.arange(n) % 3 == 0, 1, -1).astype(np.int32),
            drawn=drawn,
            opaque_only=opaque_only,
        )
        distance, shape, facing = (np.array(part) for part in batch.cast())
        found.append((distance, shape, facing, np.array(batch.normals)))
    warp, native = found
    same = warp[1] == native[1]
    assert same.mean() > 1.0 - EDGES
    assert len(set(warp[1].tolist())) > 6  # every form is met
    assert np.abs(warp[0] - native[0])[same].max() < NEAR
    hit = same & (warp[1] >= 0)
    turned = np.abs(warp[3] - native[3])[hit].max(axis=1)  # at edges of forms either side counts
    assert (turned > 1.0e-3).mean() < EDGES
    assert (np.abs(warp[2] - native[2])[hit] > 1.0e-3).mean() < EDGES


@pytest.mark.parametrize("clipping", Clipping)
def test_bundles_of_eyes_meet_the_same(
    engines: tuple[RayEngine, RayEngine], clipping: Clipping
) -> None:
    """Depths that begin late and end early, inf where nothing is."""
    _, ways = rays(4000)
    if clipping is Clipping.PLANE:  # a planar picture looks ahead only
        ways = ways[ways[:, 0] > 0.1]
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    place = np.array([0.2, 0.1, 0.7])
    (a, b), (c, d) = (
        (
            np.array(part)
            for part in engine.scan(
                engine.bundle(ways), place, turn, near=0.6, far=3.0, clipping=clipping
            )
        )
        for engine in engines
    )
    same = b == d
    assert same.mean() > 1.0 - EDGES
    assert np.isinf(a[b < 0]).all() and np.isinf(c[d < 0]).all()
    hit = same & (b >= 0)
    assert hit.any() and np.abs(a[hit] - c[hit]).max() < NEAR


def test_places_on_textures_and_paint_are_the_same(engines: tuple[RayEngine, RayEngine]) -> None:
    """What sensors of light see of colours on a surface."""
    starts, ways = rays(3000)
    warp, native = (engine.texels_under(starts, ways, reach=6.0, skip=-1) for engine in engines)
    hit = (warp[0] == native[0]) & (warp[0] >= 0)
    assert hit.sum() > 1000
    for k in (1, 2):
        apart = np.abs(np.array(warp[k]) - np.array(native[k]))[hit]
        apart = np.minimum(apart, np.abs(apart - 1.0))  # where a picture begins anew
        assert (apart.max(axis=1) > 2.0e-3).mean() < EDGES


def test_trees_of_many_triangles_find_the_nearest(engines: tuple[RayEngine, RayEngine]) -> None:
    """A cloud of triangles, against a look at each of them."""
    random = np.random.default_rng(2)
    points = random.uniform(-1, 1, (600, 1, 3)) + random.normal(scale=0.1, size=(600, 3, 3))
    corners = np.arange(1800, dtype=np.int32).reshape(-1, 3)
    mesh = RayMesh(points.reshape(-1, 3).astype(np.float32), corners)
    assert mesh.id
    sphere = engines[1]
    assert sphere.native is not None
    from solidbody.contact.ray_casting import RayCaster

    one = {
        "kind": np.array([6], np.int32),
        "inverse": np.eye(3, dtype=np.float32)[None],
        "origin": np.zeros((1, 3), np.float32),
        "size": np.ones((1, 3), np.float32),
        "flags": np.array([1], np.int32),
        "group": np.zeros(1, np.int32),
        "low": np.full((1, 3), -2.0, np.float32),
        "high": np.full((1, 3), 2.0, np.float32),
        "clear": np.zeros(1, np.uint8),
        "mesh": np.array([mesh.id], np.uint64),
        "corner": np.zeros(1, np.int32),
        "has_normals": np.zeros(1, np.int32),
        "corner_normal": np.zeros((1, 3), np.float32),
    }
    starts = random.uniform(-1.5, 1.5, (1000, 3))
    ways = random.normal(size=(1000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    n = len(starts)
    hits = RayCaster(one).cast(
        starts.astype(np.float32),
        ways.astype(np.float32),
        np.zeros(n, np.float32),
        np.full(n, 9.0, np.float32),
        np.full(n, -1, np.int32),
        mask=1,
        all_sides=True,
        opaque_only=False,
    )
    a, e, f = points[:, 0], points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    p = np.cross(ways[:, None], f[None])
    scale = np.einsum("tj,ntj->nt", e, p)
    s = starts[:, None] - a[None]
    u = np.einsum("ntj,ntj->nt", s, p) / scale
    q = np.cross(s, e[None])
    v = np.einsum("nj,ntj->nt", ways, q) / scale
    t = np.einsum("tj,ntj->nt", f, q) / scale
    t = np.where((u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0), t, np.inf).min(axis=1)
    expected = np.where(np.isinf(t), 9.0, t)
    assert (np.abs(hits.distance - expected) > NEAR).mean() < EDGES
    assert (hits.shape >= 0).sum() > 100


def test_pictures_are_plain_colours(engines: tuple[RayEngine, RayEngine]) -> None:
    """The green floor is green from above, and the sky is what Warp draws."""
    down = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    place = np.array([3.5, -3.5, 1.0])
    both = [
        engine.picture(
            engine.bundle(down), place, np.eye(3), near=0.01, far=50.0, clipping=Clipping.SPHERE
        )[0]
        for engine in engines
    ]
    floor, sky = both[1]
    assert floor.argmax() == 1 and floor[1] > 2.0 * floor[0] > 0.0
    assert np.allclose(sky, both[0][1], atol=1.0e-3)


def test_a_file_without_warp_runs(tmp_path: Path) -> None:
    """tests/base/test_extras.py runs whole worlds so; here the engine is chosen by its name."""
    file = tmp_path / "forms.wbt"
    file.write_text(WORLD, encoding="utf-8")
    scene = sb.load(file)
    assert RayEngine(scene, device=NATIVE).is_plain
    assert not RayEngine(scene, device="cpu").is_plain
