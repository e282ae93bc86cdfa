"""Bodies on ground made of triangles: as on a plane where it is level, held by ridges and borders."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.base.transforms import Pose, Quat
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCone,
    GeometryCylinder,
    GeometryHeightField,
    GeometrySphere,
)
from solidbody.model.links import Body
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.referee import OUR_ENGINES, make_sim, run

SAME_PLANE = 1e-9
"""[m] The plane of each triangle differs from z = 0 by rounding only. Measured: 1e-13."""

SURFACE = ContactProperties(friction=(0.5,))
TILTED = b.turned((1.0, 0.3, 0.0), 0.7)
LYING = b.turned((1.0, 0.0, 0.0), 0.5 * math.pi)
FORMS: dict[str, Geometry] = {
    "sphere": GeometrySphere(0.1),
    "box": GeometryBox((0.2, 0.3, 0.1)),
    "cylinder": GeometryCylinder(0.1, 0.2),
    "capsule": GeometryCapsule(0.1, 0.2),
}


STARTS: list[tuple[str, Quat]] = [
    ("box", TILTED),
    ("box", b.turned((0, 0, 1), 0.3)),
    ("cylinder", TILTED),
    ("cylinder", (1.0, 0.0, 0.0, 0.0)),
    ("cylinder", LYING),
    ("capsule", LYING),
]


@pytest.mark.parametrize(
    ("kind", "form", "rotation"),
    [
        # on a mesh a ball's point is on the mesh, on a plane it is under it: another lever
        ("heights", "sphere", TILTED),
        *((kind, *start) for kind in ("heights", "mesh") for start in STARTS),
    ],
)
def test_level_triangles_are_a_plane(kind: str, form: str, rotation: Quat) -> None:
    """Rolling and sliding over 20 seams is as on one plane: no seam catches."""
    ground: Geometry = terrain.level()
    if kind == "mesh":
        ground = terrain.as_mesh(terrain.level())
    body = b.free_body(
        "body", FORMS[form], at=(-2.0, -1.0, 0.2), rotation=rotation, velocity=(2.5, 1.3, 0)
    )
    on_ground = run(b.scene(terrain.placed(ground), body, surface=SURFACE), "native", 150)
    on_plane = run(b.scene(b.floor(), body, surface=SURFACE), "native", 150)
    apart = np.abs(on_ground.positions(1) - on_plane.positions(1)).max()
    assert apart <= SAME_PLANE, apart


def test_ball_rolls_straight_over_level_triangles_of_a_mesh() -> None:
    """Across 16 seams at all angles; it neither turns aside nor hops."""
    ground = terrain.placed(terrain.as_mesh(terrain.level()))
    ball = b.free_body("ball", terrain.BALL, at=(-2.0, 0.21, 0.0996), velocity=(2.0, 0, 0))
    trace = run(b.scene(ground, ball, surface=SURFACE), "native", 200)
    path = trace.positions(1)
    assert np.abs(path[:, 1] - 0.21).max() < SAME_PLANE
    # at rest the row's c = ERP/h*depth holds the weight: depth = h*CFM*m*g/ERP
    depth = 0.008 * 1e-3 * 9.81 / 0.2
    assert path[-1, 2] == pytest.approx(0.1 - depth, abs=1e-6)


RIDGES = terrain.heights(lambda x, _y: -0.3 * abs(abs(x) - 0.5))
"""Two ridges along y, at x = -0.5 and 0.5."""
ACROSS = b.turned((0.0, 1.0, 0.0), 0.5 * math.pi)
SINKS = 5e-4
"""[m] Weight on one point: h*CFM*m*g/ERP = 0.4 mm; less on several."""


@pytest.mark.parametrize("kind", ["heights", "mesh"])
@pytest.mark.parametrize(
    ("form", "rotation", "height"),
    [
        (GeometryBox((1.4, 0.3, 0.1)), (1.0, 0.0, 0.0, 0.0), 0.05),
        (GeometryCapsule(0.1, 1.2), ACROSS, 0.1),
        (GeometryCylinder(0.1, 1.4), ACROSS, 0.1),
        (GeometryCylinder(0.7, 0.2), (1.0, 0.0, 0.0, 0.0), 0.1),
        (GeometryCylinder(0.7, 0.2), b.turned((0, 0, 1), 0.3), 0.1),
        (terrain.block(1.4, 0.3, 0.1), (1.0, 0.0, 0.0, 0.0), 0.05),
    ],
    ids=["box", "capsule", "log", "plate", "turned plate", "mesh"],
)
def test_ridges_carry_a_body(kind: str, form: Geometry, rotation: Quat, height: float) -> None:
    """Across two ridges; a collider that only sees faces would let it sink between them."""
    ground = RIDGES if kind == "heights" else terrain.as_mesh(RIDGES)
    body = terrain.free_form("body", form, (0.03, 0.05, height + 0.1), rotation)
    trace = run(b.scene(terrain.placed(ground), body), "native", 250)
    assert np.abs(trace.velocities[-1, 1]).max() < 1e-3, "it is at rest"
    assert height - SINKS <= trace.positions(1)[-1, 2] <= height


@pytest.mark.parametrize("kind", ["heights", "mesh"])
def test_ball_is_pushed_off_a_ridge_sideways(kind: str) -> None:
    """Beside the crest the normal goes from the crest to the centre, between those of the slopes."""
    ridge = terrain.heights(lambda x, _y: -0.8 * abs(x))
    ground = ridge if kind == "heights" else terrain.as_mesh(ridge)
    ball = b.free_body("ball", terrain.BALL, at=(0.03, 0.21, 0.09))
    sim = make_sim(b.scene(terrain.placed(ground), ball))
    sim.step()
    assert sim.stats.contacts == 1
    contact = sim.data.contact[0]
    distance = math.hypot(0.03, 0.09)
    assert contact.frame[:3] == pytest.approx((0.03 / distance, 0.0, 0.09 / distance), abs=1e-12)
    assert -contact.dist == pytest.approx(0.1 - distance, abs=1e-12)


def test_box_over_the_border_of_a_mesh_stands_on_its_edge() -> None:
    """Two corners on the table and two points where its edge leaves the box: nothing tips."""
    table = b.static_body("table", terrain.block(2.0, 2.0, 0.02), at=(0, 0, -0.01))
    box = b.free_body("box", GeometryBox((0.4, 0.3, 0.1)), at=(0.9, 0.1, 0.05))
    sim = make_sim(b.scene(table, box))
    sim.step(200)
    x, _, z = sim.poses()[1, :3]
    assert (x, z) == pytest.approx((0.9, 0.05), abs=1e-3)
    assert sim.stats.contacts == 4


def test_box_beyond_the_border_of_a_mesh_tips_off() -> None:
    """Its centre is not over the table."""
    table = b.static_body("table", terrain.block(2.0, 2.0, 0.02), at=(0, 0, -0.01))
    box = b.free_body("box", GeometryBox((0.4, 0.3, 0.1)), at=(1.02, 0.1, 0.05))
    sim = make_sim(b.scene(table, box))
    sim.step(200)
    assert sim.poses()[1, 2] < -1.0


def test_ground_is_solid_below_a_height_field() -> None:
    """A ball that starts 0.4 m under the surface is pushed up, one below the bottom falls on."""
    inside = b.free_body("inside", terrain.BALL, at=(0.1, 0.0, -0.4))
    below = b.free_body("below", terrain.BALL, at=(1.0, 1.0, -1.2))
    sim = make_sim(b.scene(terrain.placed(terrain.level()), inside, below))
    sim.step(250)
    assert sim.poses()[1, 2] > 0.09
    assert sim.poses()[2, 2] < -10.0


def test_mesh_holds_from_outside_only() -> None:
    """A ball under a single face goes its way upwards through it: meshes are skins."""
    ground = terrain.placed(terrain.as_mesh(terrain.level()))
    ball = b.free_body("ball", terrain.BALL, at=(0.1, 0.2, -0.5), velocity=(0, 0, 5.0))
    sim = make_sim(b.scene(ground, ball))
    sim.step(25)
    assert sim.poses()[1, 2] > 0.2


def test_ball_settles_in_a_hollow_of_a_mesh() -> None:
    """It touches both slopes of a valley with slope 0.3: centre at r/cos(atan 0.3)."""
    ground = terrain.placed(terrain.as_mesh(terrain.valley()))
    ball = b.free_body("ball", terrain.BALL, at=(0.05, 0.21, 0.2))
    surface = ContactProperties(friction=(0.2,), rolling_friction=(0.005, 0.0, 0.0), bounce=0.0)
    sim = make_sim(b.scene(ground, ball, surface=surface))
    sim.step(500)
    x, _, z = sim.poses()[1, :3]
    assert sim.stats.contacts == 2
    assert (x, z) == pytest.approx((0.0, 0.1 * math.sqrt(1 + 0.3**2)), abs=SINKS)


@pytest.mark.parametrize("ground", ["plane", "box", "heights", "mesh"])
@pytest.mark.parametrize("form", [GeometryCone(0.1, 0.2), terrain.block(0.2, 0.3, 0.2)])
def test_convex_form_rests_on_its_base(ground: str, form: Geometry) -> None:
    """A cone (a hull of 48 sides) and a convex mesh, dropped flat, stand still on any ground."""
    grounds: dict[str, Body] = {
        "plane": b.floor(),
        "box": b.static_body("slab", GeometryBox((2, 2, 0.2)), at=(0, 0, -0.1)),
        "heights": terrain.placed(terrain.level()),
        "mesh": terrain.placed(terrain.as_mesh(terrain.level())),
    }
    body = terrain.free_form("body", form, (0.11, 0.23, 0.11))
    # cones are Choreonoid's, whose contacts keep points far apart
    surface = ContactProperties(keeps_spread=isinstance(form, GeometryCone))
    sim = make_sim(b.scene(grounds[ground], body, surface=surface))
    sim.step(250)
    assert 0.1 - SINKS < sim.poses()[1, 2] < 0.1
    assert np.abs(sim.velocities()[1]).max() < 1e-4


def test_parts_of_a_tube_leave_its_hole_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A falling ring slides down a post that goes through it; its hull would stop on top."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path))
    post = b.static_body("post", GeometryCylinder(0.1, 0.6), at=(0, 0, 0.3))
    ring = terrain.free_form("ring", terrain.tube(0.2, 0.3, 0.1), (0.0, 0.0, 0.7))
    # all 32 vertices below: on the ten deepest it would tremble, as in ODE
    sim = make_sim(b.scene(b.floor(), post, ring, surface=ContactProperties(max_contacts=32)))
    sim.step(250)
    assert sim.poses()[2, 2] == pytest.approx(0.05, abs=2e-3)


@pytest.mark.parametrize("base", ["plane", "mesh", "heights"])
@pytest.mark.parametrize("engine", OUR_ENGINES)
def test_moving_ground_rests_on_what_is_below_it(engine: str, base: str) -> None:
    """A level field of 1 m, solid for 1 m below: its bottom stands deep by the law.

    On triangles it stands on its four corners, on a plane on the nine points below those of its grid.

    A ball that falls on it stays on top.
    """
    below = {"plane": b.floor(), "mesh": table(), "heights": terrain.placed(terrain.level())}
    field = b.free_body("field", GeometryBox((1.0, 1.0, 1.0)), at=(0.0, 0.0, 1.0))
    shape = b.collider(small_field(), pose=Pose((-0.5, -0.5, 0.0)))
    field = replace(field, links=(replace(field.links[0], shapes=(shape,)),))
    ball = b.free_body("ball", GeometrySphere(0.1), at=(0.0, 0.0, 1.12), mass=0.1)
    scene = b.scene(below[base], field, ball, surface=ContactProperties(bounce=0.0))
    sim = make_sim(scene, engine)  # type: ignore[arg-type]
    sim.run(1.5 if engine == "native" else 0.3)
    # 1.1 kg on these points, and 0.1 kg on one point above; settled to 1e-4 m in 0.3 s
    depth = 0.001 * 0.008 / 0.2 * 1.1 * b.GRAVITY / (9 if base == "plane" else 4)
    tolerance = 1e-6 if engine == "native" else 1e-4
    assert sim["field"].position[2] == pytest.approx(1.0 - depth, abs=tolerance)
    on_top = 1.1 - depth - 0.001 * 0.008 / 0.2 * 0.1 * b.GRAVITY
    assert sim["ball"].position[2] == pytest.approx(on_top, abs=5 * tolerance)
    assert sim.stats.not_converged == 0


def small_field() -> GeometryHeightField:
    """Return level ground of 1 m x 1 m, solid for 1 m."""
    return GeometryHeightField(3, 3, 0.5, 0.5, (0.0,) * 9, thickness=1.0)


def table() -> Body:
    """Return a block of triangles whose top is z = 0."""
    return b.static_body("table", terrain.block(3.0, 3.0, 0.5), at=(0.0, 0.0, -0.25))


@pytest.mark.parametrize("step", [0.008, 0.032])
@pytest.mark.parametrize("kind", ["heights", "mesh"])
def test_heap_of_all_forms_settles_in_a_bowl(kind: str, step: float) -> None:
    """Four seconds of 16 bodies of six forms: every step converges and none is lost."""
    bowl = terrain.heights(lambda x, y: 0.15 * (x * x + y * y) + 0.05 * math.sin(5 * x))
    ground = bowl if kind == "heights" else terrain.as_mesh(bowl)
    forms = [*FORMS.values(), GeometryCone(0.12, 0.25), terrain.block(0.25, 0.2, 0.15)]
    bodies = [
        terrain.free_form(
            f"body {k}",
            forms[k % 6],
            (0.5 * (k % 4) - 0.75, 0.5 * (k // 4) - 0.75, 0.4),
            b.turned((math.sin(k), math.cos(2 * k), math.sin(3 * k)), 0.7 * k),
        )
        for k in range(16)
    ]
    sim = make_sim(b.scene(terrain.placed(ground), *bodies, step=step))
    sim.step(round(4.0 / step))
    assert sim.stats.not_converged == 0
    positions = sim.poses()[1:, :3]
    assert np.abs(positions[:, :2]).max() < 2.5, "in the bowl"
    assert positions[:, 2].min() > 0.0, "on the ground"


@pytest.mark.parametrize("height", [0.01, 0.03])
@pytest.mark.parametrize(
    ("form", "rotation"),
    [("sphere", (1.0, 0.0, 0.0, 0.0)), ("cylinder", LYING), ("box", (1.0, 0.0, 0.0, 0.0))],
)
def test_step_of_triangles_is_climbed_as_one_of_a_box(
    form: str, rotation: Quat, height: float
) -> None:
    """A wheel, ball or box runs against a step at 1.5 m/s, up or to a halt.

    Both give the same normals; a ball's point is on the mesh and on the box alike, a wheel's edge points
    are on the wheel here and on the box there, apart by the depth (1 mm), which shifts impacts by 1 %.
    """
    low = {"box": 0.0499}.get(form, 0.0999)
    ends: list[NDArray[np.float64]] = []
    for step in (GeometryBox((1.0, 1.0, height)), terrain.block(1.0, 1.0, height)):
        body = b.free_body(
            "body", FORMS[form], at=(0.2, 0.0, low), rotation=rotation, velocity=(1.5, 0.0, 0.0)
        )
        scene = b.scene(
            b.floor(),
            b.static_body("step", step, at=(1.0, 0.0, height / 2)),
            body,
            surface=ContactProperties(friction=(0.8,), bounce=0.0),
        )
        ends.append(run(scene, "native", 100).positions(2)[-1])
    assert ends[0] == pytest.approx(ends[1], abs=5e-3)
