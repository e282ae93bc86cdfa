"""Hollow meshes that move among primitives: what ODE cannot judge, since it throws them off at times."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solidbody.model.contacts import ContactProperties
from solidbody.model.geometry import (
    Geometry,
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometrySphere,
)
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from tests.physics import building as b
from tests.physics import terrain
from tests.physics.referee import make_sim
from tests.physics.test_meshes_against_ode import tray

HOLLOW = (tray(), tray(0.25, 0.2, 0.01), terrain.tube(0.06, 0.1, 0.15), terrain.blocks(4))
THINGS: tuple[Geometry, ...] = (
    GeometryBox((0.1, 0.12, 0.08)),
    GeometryBox((0.3, 0.04, 0.04)),
    GeometrySphere(0.05),
    GeometryCapsule(0.03, 0.1),
    GeometryCylinder(0.04, 0.12),
    GeometryCylinder(0.02, 0.4),
)
SURFACE = ContactProperties(friction=(0.5,), bounce=0.0)
TOP = 2.3
"""[m] Where the highest thing starts."""


def shaft(seed: int) -> Scene:
    """Return hollow meshes and things that fall down a shaft, one above the other."""
    random = np.random.default_rng(seed)
    bodies: list[Body] = [b.floor()]
    for name, x, y in (("e", 0.6, 0.0), ("w", -0.6, 0.0), ("n", 0.0, 0.6), ("s", 0.0, -0.6)):
        size = (0.1 if x else 1.3, 0.1 if y else 1.3, 3.0)
        bodies.append(b.static_body(name, GeometryBox(size), at=(x, y, 1.5)))
    for k in range(8):
        way = random.normal(size=4)
        w, i, j, m = (way / np.linalg.norm(way)).tolist()
        x, y = random.uniform(-0.2, 0.2, 2).tolist()
        at = (x, y, TOP + 0.25 * (k - 7))
        if k % 4 == 0:
            form = HOLLOW[int(random.integers(len(HOLLOW)))]
            bodies.append(terrain.free_form(f"hollow {k}", form, at, (w, i, j, m)))
        else:
            thing = THINGS[int(random.integers(len(THINGS)))]
            bodies.append(b.free_body(f"thing {k}", thing, at=at, rotation=(w, i, j, m)))
    return b.scene(*bodies, surface=SURFACE)


@pytest.mark.native
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_thrown_off_a_hollow_mesh(seed: int) -> None:
    """What falls is never faster than its fall made it, or what hit it (a third more, for turning bodies)."""
    sim = make_sim(shaft(seed))
    most = 0.0
    for _ in range(250):
        sim.step()
        most = max(most, float(np.abs(sim.velocities()[:, :3]).max()))
    assert most < 1.33 * math.sqrt(2 * b.GRAVITY * TOP)
    assert sim.poses()[:, :2].max() < 0.7
    assert sim.stats.not_converged == 0


@pytest.mark.parametrize("turn", [0.3, 1.0, 2.5])
def test_wall_that_does_not_touch_a_mesh_does_not_push_it(turn: float) -> None:
    """Corners of the wall are far behind faces of the tray, over which they lie."""
    wall = b.static_body("wall", GeometryBox((0.1, 1.3, 3.0)), at=(0.6, 0.0, 1.5))
    holder = terrain.free_form("tray", tray(), (0.2, 0.1, 0.5), b.turned((1.0, 0.4, 0.3), turn))
    sim = make_sim(b.scene(wall, holder, gravity=(0.0, 0.0, 0.0)))
    sim.step()
    assert sim.stats.contacts == 0


def test_ring_round_a_long_post_is_not_thrown_up() -> None:
    """The ends of the post are half a metre behind the faces of the ring that it leans against."""
    post = b.static_body("post", GeometryCylinder(0.1, 1.0), at=(0.0, 0.0, 0.5))
    ring = terrain.free_form(
        "ring",
        terrain.tube(0.2, 0.32, 0.12),
        (0.095, 0.0, 0.6),
        rotation=b.turned((0.0, 1.0, 0.0), 0.1),
        velocity=(2.0, 0.0, 0.0),
    )
    sim = make_sim(b.scene(b.floor(), post, ring, surface=SURFACE))
    highest = 0.0
    for _ in range(150):
        sim.step()
        highest = max(highest, float(sim["ring"].position[2]))
    assert highest < 0.65


def test_ring_falls_over_a_post_that_nearly_fills_its_hole() -> None:
    """The hole is as wide as its triangles leave it: a square post of 99 % of the width goes through."""
    side = 0.99 * 0.2 / math.sqrt(2) * math.cos(math.pi / 16)
    post = b.static_body("post", GeometryBox((side, side, 0.3)), at=(0.0, 0.0, 0.15))
    ring = terrain.free_form("ring", terrain.tube(0.1, 0.2, 0.05, sides=16), (0.0, 0.0, 0.4))
    surface = ContactProperties(friction=(0.0,), max_contacts=32)
    sim = make_sim(b.scene(b.floor(), post, ring, surface=surface))
    sim.step(200)
    # half its height, less the millimetre at most that it sinks in
    assert sim["ring"].position[2] == pytest.approx(0.025, abs=1e-3)
