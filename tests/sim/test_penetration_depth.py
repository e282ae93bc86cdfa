"""What a shape is in now, whatever the step has found."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.model.geometry import GeometryBox, GeometrySphere
from solidbody.sim import Sim
from solidbody.sim.penetration_depth import PenetrableGeoms
from tests.physics import building as b
from tests.physics import terrain

SINGLE = 1e-7
"""[m] Vertices of meshes at 1 m in single precision."""


@pytest.mark.parametrize("x", [-0.2, 0.0, 0.2])
@pytest.mark.parametrize("y", [-0.2, 0.2])
def test_ball_is_felt_on_every_leg_of_a_hollow_mesh_that_moves(x: float, y: float) -> None:
    """One of its convex parts stands for the triangles of all; the ball is 1 cm deep in the top of a leg."""
    table = terrain.free_form("table", terrain.blocks(9), (0.0, 0.0, 1.0))
    ball = b.free_body("ball", GeometrySphere(0.03), at=(x, y, 1.12))
    sim = Sim(b.scene(table, ball))
    sim.core.refresh()
    owner = sim.compiled.binding.geom_owner[:, 0]
    around = PenetrableGeoms.of(sim, np.flatnonzero(owner == 0).tolist())
    (geom,) = np.flatnonzero(owner == 1).tolist()
    (touch,) = around.touches(sim.model, sim.data, sim.core.step, geom)
    assert touch.depth == pytest.approx(0.01, abs=SINGLE)
    assert touch.normal == pytest.approx([0.0, 0.0, 1.0])


def test_both_steps_feel_the_same_points() -> None:
    """A tilted box that is in three triangles of a hill: same points, same order, same bits."""
    hill = terrain.free_form("table", terrain.blocks(9), (0.0, 0.0, 1.0))
    box = b.free_body("box", GeometryBox((0.5, 0.5, 0.2)), at=(0.05, 0.02, 1.15))
    native, reference = (Sim(b.scene(hill, box), engine=name) for name in ("native", "reference"))
    found: list[list[list[float]]] = []
    for sim in (native, reference):
        sim["box"].set_pose((0.05, 0.02, 1.17), (0.99, 0.05, 0.1, 0.02))
        sim.core.refresh()
        rows = sim.compiled.tables.collision.terrains
        (geom,) = np.flatnonzero(sim.compiled.binding.geom_owner[:, 0] == 1).tolist()
        found.append(
            [p for k in range(len(rows)) for p in sim.core.step.terrain_points(k, geom).tolist()]
        )
    assert len(found[0]) > 1
    assert found[0] == found[1]
