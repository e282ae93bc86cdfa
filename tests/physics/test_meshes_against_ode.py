"""Moving meshes against ODE, whose trimeshes they are in Webots."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometryMesh,
    GeometrySphere,
)
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.referee import deviation, run

pytestmark = NEEDS_ODE

SAME_LAW = 1e-9
"""Same vertices, same depths, same unique answer (tests/physics/twins.py). Measured: 2e-12 m."""
SAME_REST = 2e-4
"""[m] Contact points are others (ODE's at seams, of zero depth, several of one corner), so loads are shared
otherwise: bodies of 1 kg sink in by 4e-4 m on one point and by 4e-5 m on ten. Measured: 1.2e-4 m."""
STEPS = 125


def brick(cells: int, size: Vec3 = (0.2, 0.2, 0.2)) -> GeometryMesh:
    """Return a box whose top and bottom have (cells + 1)^2 vertices each."""
    n = cells + 1
    vertices: list[Vec3] = []
    faces: list[tuple[int, int, int]] = []
    for z in (-0.5, 0.5):
        start = len(vertices)
        for y in range(n):
            for x in range(n):
                at = (x / cells - 0.5, y / cells - 0.5, z)
                vertices.append((at[0] * size[0], at[1] * size[1], at[2] * size[2]))
        for y in range(cells):
            for x in range(cells):
                a = start + y * n + x
                both = (a, a + 1, a + n + 1), (a, a + n + 1, a + n)
                faces += both if z > 0 else [(k, j, i) for i, j, k in both]
    rim = [*range(n - 1), *range(n - 1, n * n - 1, n), *range(n * n - 1, n * (n - 1), -1)]
    rim += range(n * (n - 1), 0, -n)
    for a, c in zip(rim, [*rim[1:], rim[0]], strict=True):
        faces += [(a, c, c + n * n), (a, c + n * n, a + n * n)]
    return GeometryMesh(tuple(vertices), tuple(faces))


def bowl(sides: int = 12) -> GeometryMesh:
    """Return an open shell: a dish of two rings around its bottom, one skin thick."""
    rings = ((0.05, 0.0), (0.1, 0.03), (0.13, 0.08))
    vertices: list[Vec3] = [
        (radius * math.cos(angle), radius * math.sin(angle), height - 0.03)
        for radius, height in rings
        for angle in (2 * math.pi * k / sides for k in range(sides))
    ]
    vertices.append((0.0, 0.0, -0.03))
    faces: list[tuple[int, int, int]] = []
    for k in range(sides):
        after = (k + 1) % sides
        faces.append((len(vertices) - 1, after, k))
        for ring in range(2):
            a, c, up = ring * sides + k, ring * sides + after, sides
            faces += [(a, c, c + up), (a, c + up, a + up)]
    return GeometryMesh(tuple(vertices), tuple(faces))


def tray(size: float = 0.4, height: float = 0.1, wall: float = 0.02) -> GeometryMesh:
    """Return a box without lid, with walls of that thickness."""
    outer, inner, top, floor = size / 2, size / 2 - wall, height / 2, wall - height / 2
    vertices: list[Vec3] = []
    for r, z in ((outer, -top), (outer, top), (inner, top), (inner, floor)):
        vertices += [(-r, -r, z), (r, -r, z), (r, r, z), (-r, r, z)]
    faces = [(0, 2, 1), (0, 3, 2), (12, 13, 14), (12, 14, 15)]
    for ring in (0, 4, 8):
        for k in range(4):
            a, c = ring + k, ring + (k + 1) % 4
            faces += [(a, c, c + 4), (a, c + 4, a + 4)]
    return GeometryMesh(tuple(vertices), tuple(faces))


def mug(sides: int = 24, radius: float = 0.04, height: float = 0.1) -> GeometryMesh:
    """Return a pot with walls of 4 mm."""
    wall, half = 0.004, height / 2
    profile = (
        (radius, -half),
        (radius, half),
        (radius - wall, half),
        (radius - wall, wall - half),
    )
    vertices: list[Vec3] = [
        (r * math.cos(angle), r * math.sin(angle), z)
        for angle in (2 * math.pi * k / sides for k in range(sides))
        for r, z in profile
    ]
    below, above = len(vertices), len(vertices) + 1
    vertices += [(0.0, 0.0, -half), (0.0, 0.0, wall - half)]
    faces: list[tuple[int, int, int]] = []
    for k in range(sides):
        one, two = 4 * k, 4 * ((k + 1) % sides)
        for i in range(3):
            faces += [(one + i, two + i, two + i + 1), (one + i, two + i + 1, one + i + 1)]
        faces += [(below, two, one), (above, one + 3, two + 3)]
    return GeometryMesh(tuple(vertices), tuple(faces))


def turned_inside_out(mesh: GeometryMesh) -> GeometryMesh:
    """Return the mesh with the corners of its faces in the other order."""
    return GeometryMesh(mesh.vertices, tuple((k, j, i) for i, j, k in mesh.triangles))


MESHES = {
    "brick of 4 vertices below": brick(1),
    "brick of 9": brick(2),
    "brick of 16": brick(3),
    "brick of 25": brick(4),
    "tube": terrain.tube(0.06, 0.1, 0.15),
    "bowl": bowl(),
    "nine legs": terrain.blocks(9),
}


@pytest.mark.parametrize("name", MESHES)
def test_mesh_dropped_on_a_plane_moves_as_in_ode(name: str) -> None:
    """A second of falling, landing and sliding: every vertex counts, also inside of faces."""
    body = terrain.free_form(
        "mesh",
        MESHES[name],
        (0.0, 0.0, 0.16),
        rotation=b.turned((1.0, 0.3, 0.0), 0.05),
        velocity=(0.2, 0.0, 0.0),
    )
    scene = b.scene(b.floor(), body, surface=ContactProperties(friction=(0.5,)))
    apart = deviation(run(scene, "native", STEPS), run(scene, "ode", STEPS))
    assert apart.position <= SAME_LAW, apart


def test_tube_rolls_over_its_vertices_as_in_ode() -> None:
    """Sixteen sides roll as sixteen sides, not as the hulls of convex parts."""
    body = terrain.free_form(
        "tube",
        terrain.tube(0.08, 0.1, 0.15),
        (0.0, 0.0, 0.1),
        rotation=b.turned((1.0, 0.0, 0.0), math.pi / 2),
        velocity=(1.0, 0.0, 0.0),
    )
    link = replace(body.links[0], angular_velocity=(0.0, 10.0, 0.0))
    scene = b.scene(b.floor(), replace(body, links=(link,)))
    ours, odes = run(scene, "native", STEPS), run(scene, "ode", STEPS)
    apart = deviation(ours, odes)
    assert apart.position <= SAME_LAW, apart
    assert np.ptp(ours.positions(1)[:, 0]) > 0.5


THINGS: dict[str, tuple[Geometry, float]] = {
    "box": (GeometryBox((0.1, 0.12, 0.08)), 0.04),
    "sphere": (GeometrySphere(0.05), 0.05),
    "capsule": (GeometryCapsule(0.04, 0.1), 0.04),
    "cylinder": (GeometryCylinder(0.05, 0.1), 0.05),
    "convex mesh": (terrain.block(0.1, 0.12, 0.08), 0.04),
}


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.parametrize("moves", [True, False])
def test_thing_in_a_tray_lies_on_its_floor_as_in_ode(name: str, moves: bool) -> None:
    """Thrown into a box without lid that lies on the floor, or is fixed to it."""
    form, half = THINGS[name]
    at, turn = (0.02, 0.03, 0.2), b.turned((1.0, 0.4, 0.2), 0.3)
    holder = terrain.free_form("tray", tray(), (0.0, 0.0, 0.0499))
    if not moves:
        holder = b.static_body("tray", tray(), at=(0.0, 0.0, 0.0499))
    if isinstance(form, GeometryMesh):
        thing = terrain.free_form("thing", form, at, turn)
    else:
        thing = b.free_body("thing", form, at=at, rotation=turn)
    surface = ContactProperties(friction=(0.5,), bounce=0.0)
    scene = b.scene(b.floor(), holder, thing, surface=surface)
    ours, odes = run(scene, "native", 200), run(scene, "ode", 200)
    heights = [trace.positions(2)[-1, 2] for trace in (ours, odes)]
    assert heights[0] == pytest.approx(heights[1], abs=SAME_REST)
    assert heights[0] == pytest.approx(0.0199 + half, abs=1e-3)


@pytest.mark.parametrize("inside_out", [False, True])
def test_ball_falls_into_a_shell_or_through_it_as_in_ode(inside_out: bool) -> None:
    """A bowl one skin thick stops what comes from in front of its faces, and nothing else."""
    dish = turned_inside_out(bowl()) if inside_out else bowl()
    holder = terrain.free_form("bowl", dish, (0.0, 0.0, 0.03))
    ball = b.free_body("ball", GeometrySphere(0.03), at=(0.02, 0.01, 0.12))
    surface = ContactProperties(friction=(0.5,), bounce=0.0)
    scene = b.scene(b.floor(), holder, ball, surface=surface)
    ours, odes = run(scene, "native", STEPS), run(scene, "ode", STEPS)
    heights = [trace.positions(2)[:, 2].min() for trace in (ours, odes)]
    assert heights[0] == pytest.approx(heights[1], abs=1e-3)


@pytest.mark.parametrize("height", [0.2, 0.04])
def test_box_stands_on_the_back_of_faces_as_in_ode(height: float) -> None:
    """Level ground whose faces look down holds boxes and nothing else: a ball falls through."""
    ground = terrain.placed(turned_inside_out(terrain.as_mesh(terrain.level())))
    box = b.free_body("box", GeometryBox((1.5 * height, height, height)), at=(0.13, 0.21, 0.3))
    ball = b.free_body("ball", GeometrySphere(0.1), at=(1.13, 0.21, 0.3))
    scene = b.scene(ground, box, ball, surface=ContactProperties(friction=(0.5,), bounce=0.0))
    ours, odes = run(scene, "native", STEPS), run(scene, "ode", STEPS)
    assert ours.positions(1)[-1, 2] == pytest.approx(odes.positions(1)[-1, 2], abs=SAME_REST)
    assert ours.positions(1)[-1, 2] == pytest.approx(height / 2, abs=1e-3)
    assert max(ours.positions(2)[-1, 2], odes.positions(2)[-1, 2]) < -1.0


def test_box_behind_faces_is_pushed_alike_by_both_steps() -> None:
    """The reference's twin of that rule."""
    ground = terrain.placed(turned_inside_out(terrain.as_mesh(terrain.bumps())))
    turn = b.turned((1.0, 0.4, 0.2), 0.1)
    box = b.free_body("box", GeometryBox((0.3, 0.25, 0.2)), at=(0.13, 0.21, 0.12), rotation=turn)
    scene = b.scene(ground, box, surface=ContactProperties(friction=(0.5,)))
    apart = deviation(run(scene, "native", 20), run(scene, "reference", 20))
    assert apart.worst <= 1e-9, apart


RESTING: dict[str, tuple[GeometryMesh, float]] = {
    "tray": (tray(), 0.05),
    "bowl": (bowl(), 0.03),
    "mug": (mug(), 0.05),
}


@pytest.mark.parametrize("form", RESTING)
@pytest.mark.parametrize("step", [0.008, 0.016, 0.032])
def test_hollow_mesh_rests_on_triangles_as_high_as_in_ode(form: str, step: float) -> None:
    """ODE's trimeshes: many points, which sink in less than four or, where they tremble, more.

    Four points carry 1 kg at 0.1 mm of depth at 8 ms, ten at 0.04; ODE's mug trembles 1.3 mm deep at 32 ms.
    """
    mesh, half = RESTING[form]
    top = b.static_body("top", terrain.block(2.0, 2.0, 0.05), at=(0.0, 0.0, -0.025))
    body = terrain.free_form("thing", mesh, (0.13, 0.21, half + 0.01))
    surface = ContactProperties(friction=(0.5,), bounce=0.0)
    scene = b.scene(top, body, surface=surface, step=step)
    ours, odes = run(scene, "native", 200), run(scene, "ode", 200)
    mine, theirs = (trace.positions(1)[-50:, 2] for trace in (ours, odes))
    depth = 1e-4 * step / 0.008
    assert np.ptp(mine) <= np.ptp(theirs) + 1e-9
    assert half - mine[-1] <= depth
    assert -depth < mine[-1] - theirs[-1] < depth + 1.5e-3 * step / 0.032


def test_pipe_on_heights_moves_as_in_ode() -> None:
    """There both meet every vertex of the mesh, each under the face that it is under.

    ODE rounds vertices of meshes to single precision (1e-8 m), which half a second of rolling makes larger.
    """
    turn = b.turned((1.0, 0.0, 0.0), math.pi / 2)
    body = terrain.free_form("pipe", terrain.tube(0.06, 0.1, 0.3), (0.13, 0.21, 0.12), turn)
    scene = b.scene(terrain.placed(terrain.level()), body)
    apart = deviation(run(scene, "native", 60), run(scene, "ode", 60))
    assert apart.position < 1e-6, apart
