"""Problems in which rounds of sweeps and exact solves go in circles: light wheels between wall and ground."""

from __future__ import annotations

import numpy as np
import pytest

from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 32 }
Viewpoint { }
RectangleArena { floorSize 1.2 1.2 }
WoodenBox { translation 0.25 0.25 0.05 size 0.1 0.1 0.1 }
WoodenBox { translation -0.25 0.2 0.05 rotation 0 0 1 0.5 name "other" size 0.1 0.1 0.1 }
E-puck { translation -0.4 -0.4 0 rotation 0 0 1 0.8 name "a" controller "<none>" }
E-puck { translation 0.4 -0.4 0 rotation 0 0 1 2.2 name "b" controller "<none>" }
E-puck { translation 0 0.4 0 rotation 0 0 1 -1 name "c" controller "<none>" }
"""


@pytest.mark.parametrize("seed", [1, 5])
def test_robots_that_push_against_walls_are_solved_in_every_step(seed: int) -> None:
    """Without the last resort of the solver up to four steps of these runs stay unsolved, by 0.02 m/s."""
    scene, _ = read_scene_text(WORLD)
    assert scene is not None
    sim = Sim(scene, engine="native")
    wheels = [
        sim.joint(f"{side} wheel motor{mark}")
        for mark in ("", "(1)", "(2)")
        for side in ("left", "right")
    ]
    random = np.random.default_rng(seed)
    for _ in range(120):
        for wheel in wheels:
            wheel.target_velocity = float(random.uniform(-2.0, 6.0))
        sim.step(25)
    assert sim.stats.not_converged == 0
    assert sim.stats.worst_residual < 1e-9
