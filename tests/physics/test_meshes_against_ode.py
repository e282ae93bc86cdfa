"""Moving meshes against ODE, whose trimeshes they are in Webots."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Vec3
from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import GeometryMesh
from tests.ode.marks import NEEDS_ODE
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.referee import deviation, run

pytestmark = NEEDS_ODE

SAME_LAW = 1e-9
"""Same vertices, same depths, same unique answer (tests/physics/twins.py). Measured: 2e-12 m."""
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
