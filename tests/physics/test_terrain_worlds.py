"""Worlds with meshes and height fields, from the text of the file to where things come to rest."""

from __future__ import annotations

import pytest

from solidbody.formats.loading import read_scene_text
from solidbody.sim import Sim

REST = 1e-3
"""[m] Balls sink in by h*CFM*m*g/ERP; at 8 ms and 0.5 kg that is 0.2 mm."""

WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{ basicTimeStep 8 }}
Viewpoint {{ }}
DEF GROUND Solid {{
  translation -1 -1 0
  boundingObject {ground}
}}
DEF BALL Solid {{
  translation {at}
  boundingObject Sphere {{ radius 0.1 }}
  physics Physics {{ density -1 mass 0.5 damping Damping {{ linear 0.5 angular 0.9 }} }}
}}
"""
BOWL = """ElevationGrid {
  xDimension 3 yDimension 3 xSpacing 1 ySpacing 1 height [ 1 1 1 1 0 1 1 1 1 ]
}"""
TENT = """IndexedFaceSet {
  coord Coordinate { point [ 0 0 0, 2 0 0, 2 2 0, 0 2 0, 1 1 1 ] }
  coordIndex [ 0 1 4 -1 1 2 4 -1 2 3 4 -1 3 0 4 -1 ]
}"""
PAN = """IndexedFaceSet {
  coord Coordinate { point [ 0 0 1, 2 0 1, 2 2 1, 0 2 1, 1 1 0 ] }
  coordIndex [ 0 1 4 -1 1 2 4 -1 2 3 4 -1 3 0 4 -1 ]
}"""


def run(ground: str, at: str, seconds: float = 8.0) -> Sim:
    """Return the world after some seconds."""
    scene, log = read_scene_text(WORLD.format(ground=ground, at=at))
    assert scene is not None and not log.has_errors, list(map(str, log))
    sim = Sim(scene)
    sim.step(round(seconds / 0.008))
    return sim


@pytest.mark.parametrize(
    ("ground", "slope2"),
    [
        # two of the four cells are cut across: their inner halves have slope sqrt(2)
        (BOWL, 2.0),
        (PAN, 1.0),
    ],
    ids=["heights", "mesh"],
)
def test_ball_comes_to_rest_at_the_bottom(ground: str, slope2: float) -> None:
    """Between walls of one slope a ball touches them when its centre is r*sqrt(1 + slope^2) up."""
    sim = run(ground, "0.2 0.1 1.5")
    x, y, z = sim.poses()[1, :3]
    assert z == pytest.approx(0.1 * (1 + slope2) ** 0.5, abs=REST)
    assert (x, y) == pytest.approx((0.0, 0.0), abs=0.03)


def test_ball_rolls_off_a_tent() -> None:
    """The same faces from above: outside, nothing holds it."""
    sim = run(TENT, "0.1 0.05 1.5", seconds=3.0)
    assert sim.poses()[1, 2] < -1.0


def test_y_is_up_in_old_worlds() -> None:
    """Up to R2021b heights point along y, and the grid lies in x and z."""
    world = """#VRML_SIM R2021a utf8
WorldInfo { basicTimeStep 8 coordinateSystem "NUE" }
Viewpoint { }
Solid {
  translation -1 0 -1
  boundingObject ElevationGrid {
    xDimension 3 zDimension 3 xSpacing 1 zSpacing 1 height [ 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 ]
  }
}
Solid {
  translation 0.3 1 0.2
  boundingObject Sphere { radius 0.1 }
  physics Physics { density -1 mass 0.5 }
}
"""
    scene, log = read_scene_text(world)
    assert scene is not None, list(map(str, log))
    sim = Sim(scene)
    sim.step(500)
    x, y, z = sim.poses()[1, :3]
    assert (x, y, z) == pytest.approx((0.3, 0.6, 0.2), abs=REST)
