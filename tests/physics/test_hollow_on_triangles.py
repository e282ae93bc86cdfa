"""Hollow meshes that move, on triangles that stand still: skin against skin, nothing is cut."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from solidbody.compiler import convex_decomposition
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryBox, GeometryMesh
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.referee import deviation, make_sim, record, run
from tests.physics.test_meshes_against_ode import bowl, brick, mug, tray

SURFACE = ContactProperties(friction=(0.5,), bounce=0.0)
STEPS_OF_TIME = (0.008, 0.016, 0.032)


@pytest.fixture(autouse=True)
def no_cutting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to cut a mesh fail loudly."""

    def cut(*_: object) -> None:
        raise AssertionError("a mesh is being cut")

    monkeypatch.setattr(convex_decomposition, "_cut", cut)


def plate(thickness: float = 0.05, size: float = 2.0) -> Body:
    """Return a table top of triangles, whose upper side is at z = 0."""
    return b.static_body("top", terrain.block(size, size, thickness), at=(0, 0, -thickness / 2))


GROUNDS: dict[str, Callable[[], Body]] = {
    "mesh": lambda: terrain.placed(terrain.as_mesh(terrain.level())),
    "heights": lambda: terrain.placed(terrain.level()),
    "plate": plate,
}
FORMS: dict[str, tuple[GeometryMesh, float]] = {
    "tray": (tray(), 0.05),
    "bowl one skin thick": (bowl(), 0.03),
    "mug": (mug(), 0.05),
    "pipe on end": (terrain.tube(0.06, 0.1, 0.15), 0.075),
}


def dropped(form: GeometryMesh, height: float, ground: Body, step: float) -> Scene:
    """Return a mesh that falls by 1 cm."""
    body = terrain.free_form("thing", form, (0.13, 0.21, height + 0.01))
    return b.scene(ground, body, surface=SURFACE, step=step)


def rest_depth(scene: Scene, points: int) -> float:
    """Return how deep 1 kg lies on that many points: what the push of a step takes back, softness gives."""
    surface = scene.contacts.default
    load = b.GRAVITY / points
    return surface.soft_cfm * load * scene.physics.time_step / surface.soft_erp


@pytest.mark.native
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("form", FORMS)
def test_mesh_rests_at_the_depth_of_its_points_and_stays_there(form: str, ground: str) -> None:
    """Ten seconds at 8, 16 and 32 ms: the height to 1e-9 m, and not a nanometre between 5 and 10 s.

    Rounding moves it by 1e-13 m. The last shallowing decays by a fifth in each step, to nothing in 5 s.
    """
    mesh, half = FORMS[form]
    for step in STEPS_OF_TIME:
        scene = dropped(mesh, half, GROUNDS[ground](), step)
        sim = make_sim(scene)
        sim.run(5.0)
        middle = sim.poses()[1].copy()
        sim.run(5.0)
        assert sim.stats.contacts in (4, 8), "outermost points"
        depth = rest_depth(scene, sim.stats.contacts)
        assert sim.poses()[1, 2] == pytest.approx(half - depth, abs=1e-9)
        assert np.abs(sim.poses()[1] - middle).max() < 1e-9
        assert sim.stats.not_converged == 0
        assert sim.stats.contacts_dropped == 0


def test_mesh_and_heights_of_one_surface_are_the_same_to_a_mesh() -> None:
    """A pipe rolls over bumps: every vertex is found on either."""
    turn = b.turned((1.0, 0.0, 0.0), math.pi / 2)
    body = terrain.free_form("pipe", terrain.tube(0.06, 0.1, 0.3), (0.13, 0.21, 0.25), turn)
    traces = [
        run(b.scene(terrain.placed(ground), body, surface=SURFACE), "native", 40)
        for ground in (terrain.valley(), terrain.as_mesh(terrain.valley()))
    ]
    # sides of the triangles of a mesh are square to them, those of heights upright: rounding
    assert deviation(*traces).position < 1e-9


@pytest.mark.native
@pytest.mark.parametrize("friction", [0.0, 0.2])
@pytest.mark.parametrize("kind", ["mesh", "heights"])
def test_tray_slides_down_as_fast_as_a_box(kind: str, friction: float) -> None:
    """Acceleration g (sin - mu cos) over the seams of a hundred triangles, as a box of the same mass has."""
    rise = 0.3
    form = terrain.heights(lambda x, _y: rise * x)
    ground = terrain.placed(terrain.as_mesh(form) if kind == "mesh" else form)
    angle = math.atan(rise)
    turn = b.turned((0.0, 1.0, 0.0), -angle)
    at = (2.0 - 0.05 * math.sin(angle), 0.03, rise * 2.0 + 0.05 * math.cos(angle))
    surface = ContactProperties(friction=(friction,), bounce=0.0)
    speeds: list[float] = []
    for shape in (tray(), GeometryBox((0.4, 0.4, 0.1))):
        body = terrain.free_form("thing", shape, at, turn)
        sim = make_sim(b.scene(ground, body, surface=surface, step=0.004))
        sim.run(0.2)
        before = sim.velocities()[1, :3].copy()
        sim.run(0.5)
        gained = sim.velocities()[1, :3] - before
        assert abs(gained[1]) < 1e-6, "it goes straight"
        speeds.append(float(np.linalg.norm(gained)))
    wanted = 0.5 * b.GRAVITY * (math.sin(angle) - friction * math.cos(angle))
    # the box lies in its four corners, the tray as well: what is left is settling, 1e-6 m/s
    assert speeds == pytest.approx([wanted, wanted], abs=1e-5)


def test_fine_mesh_slides_straight_over_seams() -> None:
    """A brick with a hole and a bottom full of vertices, over a floor of 200 triangles: level all the way."""
    fine = brick(4)
    hole = GeometryMesh(fine.vertices, tuple(f for k, f in enumerate(fine.triangles) if k != 40))
    body = terrain.free_form("brick", hole, (-0.5, 0.03, 0.0999), velocity=(1.0, 0.0, 0.0))
    surface = ContactProperties(friction=(0.0,), bounce=0.0)
    sim = make_sim(b.scene(GROUNDS["mesh"](), body, surface=surface))
    trace = record(sim, 125)
    assert trace.positions(1)[-1, 0] == pytest.approx(0.5, abs=1e-6)
    # once it has settled, by 1 um, it moves as on a plane
    assert np.ptp(trace.positions(1)[80:, 2]) < 1e-8
    assert np.abs(trace.velocities[-1, 1, 3:]).max() < 1e-6


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_tray_stays_on_the_border_of_a_table(turn: float) -> None:
    """A quarter, or half a corner, of it hangs over: the table's edges meet those of the tray."""
    y = 0.9 if turn else 0.0
    body = terrain.free_form("tray", tray(), (0.9, y, 0.06), b.turned((0.0, 0.0, 1.0), turn))
    scene = b.scene(plate(), body, surface=SURFACE)
    sim = make_sim(scene)
    sim.run(3.0)
    x, y_now, z = sim.poses()[1, :3].tolist()
    # the landing, from 1 cm, moves it by a hundredth of a millimetre
    assert (x, y_now) == pytest.approx((0.9, y), abs=1e-4)
    # two points near the border carry most of it
    assert z == pytest.approx(0.05, abs=2 * rest_depth(scene, 4))


def test_tray_that_overhangs_too_far_falls() -> None:
    """Its middle is a centimetre beyond the border."""
    body = terrain.free_form("tray", tray(), (1.01, 0.0, 0.0499))
    sim = make_sim(b.scene(plate(), body, surface=SURFACE))
    sim.run(1.5)
    assert sim.poses()[1, 2] < -1.0


@pytest.mark.parametrize("step", STEPS_OF_TIME)
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_mug_that_falls_on_a_thin_plate_lands_on_it(tilt: float, step: float) -> None:
    """From half a metre on 1 cm: it goes through the lower side too before it is found, and comes back."""
    turn = b.turned((1.0, 0.4, 0.2), tilt)
    body = terrain.free_form("mug", mug(), (0.13, 0.21, 0.6), turn)
    sim = make_sim(b.scene(plate(0.01), body, surface=SURFACE, step=step))
    sim.run(4.0)
    assert sim.poses()[1, 2] == pytest.approx(0.05, abs=1e-3)
    assert np.abs(sim.velocities()[1]).max() < 1e-6


def test_ring_is_stopped_by_the_post_in_it() -> None:
    """Its middle is inside the post, behind all faces of it; the inner wall comes to lie at the post."""
    post = b.static_body("post", terrain.block(0.1, 0.1, 0.6), at=(0.0, 0.0, 0.3))
    ring = terrain.free_form(
        "ring", terrain.tube(0.2, 0.3, 0.1), (0.0, 0.0, 0.05), velocity=(1.5, 0.0, 0.0)
    )
    surface = ContactProperties(friction=(0.0,), bounce=0.0)
    sim = make_sim(b.scene(b.floor(), post, ring, surface=surface))
    places = record(sim, 125).positions(2)[:, 0]
    # an inner corner of the 16-gon on the x axis at 0.2 m; the post's side at 0.05 m; a step's way
    assert 0.14 < places.max() < 0.15 + 1.5 * 0.008 + 0.005
    assert np.abs(sim.velocities()[2, 0]) < 0.2


SCATTERED: dict[str, Callable[[], Body]] = {
    "bumps": lambda: terrain.placed(terrain.as_mesh(terrain.bumps())),
    "posts": lambda: b.static_body("posts", terrain.blocks(9)),
    "tray": lambda: b.static_body("tray", tray(1.0, 0.3, 0.05)),
    "small table": lambda: plate(0.05, 0.6),
}


@pytest.mark.native
@pytest.mark.parametrize("ground", SCATTERED)
def test_nothing_is_thrown_off(ground: str) -> None:
    """Meshes that tumble onto edges and corners are never faster than their fall made them (a tenth more)."""
    for seed, form in enumerate((tray(0.4, 0.2, 0.03), terrain.tube(0.15, 0.25, 0.2), mug())):
        random = np.random.default_rng(seed)
        w, i, j, k = (lambda q: q / np.linalg.norm(q))(random.normal(size=4)).tolist()
        x, y = random.uniform(-0.3, 0.3, 2).tolist()
        body = terrain.free_form("thing", form, (x, y, 0.9), (w, i, j, k))
        floor = b.static_body("floor", b.GeometryPlane((20.0, 20.0)), at=(0.0, 0.0, -0.3))
        sim = make_sim(b.scene(floor, SCATTERED[ground](), body, surface=SURFACE))
        fastest = np.abs(record(sim, 200).velocities[:, 2, :3]).max()
        assert fastest < 1.1 * math.sqrt(2 * b.GRAVITY * 1.2)
        assert sim.stats.not_converged == 0


def test_what_comes_from_behind_is_let_through() -> None:
    """A sheet of triangles that look down holds nothing that falls, and does not throw it either."""
    ground = terrain.as_mesh(terrain.level())
    upside_down = GeometryMesh(ground.vertices, tuple((k, j, i) for i, j, k in ground.triangles))
    body = terrain.free_form("mug", mug(), (0.13, 0.21, 0.3))
    sim = make_sim(b.scene(terrain.placed(upside_down), body, surface=SURFACE))
    sim.run(0.6)
    z, speed = float(sim.poses()[1, 2]), float(sim.velocities()[1, 2])
    assert z < -0.5
    # pushed on by 1/8 of its thickness at most (SB_GENTLY), once
    assert abs(speed) < 1.1 * math.sqrt(2 * b.GRAVITY * (0.3 - z))


@pytest.mark.native
def test_warm_start_finds_the_points_again() -> None:
    """At rest the same points come in the same order, so that the solver begins with the answer."""
    scene = dropped(mug(), 0.05, plate(), 0.008)
    sim = make_sim(scene)
    sim.run(4.0)
    points = [contact.pos.copy() for contact in sim.data.contact]
    sim.step(50)
    again = [contact.pos.copy() for contact in sim.data.contact]
    np.testing.assert_allclose(again, points, atol=1e-9)


def test_native_and_reference_agree_on_a_tumbling_mesh() -> None:
    """Both find the same points in every step (tests/contact/test_hollow_mesh.py), and solve them alike."""
    body = terrain.free_form("tray", tray(), (0.85, 0.1, 0.15), b.turned((1.0, 0.4, 0.2), 0.4))
    scene = b.scene(plate(), body, surface=SURFACE)
    apart = deviation(run(scene, "native", 40), run(scene, "reference", 40))
    assert apart.worst < 1e-9, apart


def test_snapshots_go_on_with_the_same_bytes() -> None:
    """What the collider keeps between steps is scratch."""
    sim = make_sim(dropped(tray(), 0.05, plate(), 0.008))
    sim.step(20)
    kept = sim.snapshot()
    sim.step(30)
    last = sim.snapshot().qpos
    sim.restore(kept)
    sim.step(30)
    assert sim.snapshot().qpos == last
