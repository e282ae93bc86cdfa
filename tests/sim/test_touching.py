"""What a shape is in now, whatever the step has found."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.model.geometry import GeometrySphere
from solidbody.sim import Sim
from solidbody.sim.touching import Surroundings
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
    sim.refresh()
    owner = sim.compiled.binding.geom_owner[:, 0]
    around = Surroundings.of(sim, np.flatnonzero(owner == 0).tolist())
    (geom,) = np.flatnonzero(owner == 1).tolist()
    (touch,) = around.touches(sim, sim.data, geom)
    assert touch.depth == pytest.approx(0.01, abs=SINGLE)
    assert touch.normal == pytest.approx([0.0, 0.0, 1.0])
