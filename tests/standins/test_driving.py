"""Robots of our own PROTOs do what their controllers ask for, within stated bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import solidbody as sb
from tests.standins.driving import Drive

ARENA = """
RectangleArena { floorSize 1 1 }
Solid { translation 0.25 0.15 0.05 name "block" boundingObject DEF BLOCK Box { size 0.1 0.1 0.1 }
  children [ Shape { appearance PBRAppearance { baseColor 1 1 1 roughness 1 } geometry USE BLOCK } ] }
"""


def test_epuck_avoids_obstacles(tmp_path: Path) -> None:
    """It drives about an arena and its body touches neither the walls nor the block."""
    drive = Drive(tmp_path, ARENA + 'E-puck { controller "driver" translation -0.2 -0.2 0 }')
    touched: set[str] = set()
    places: list[np.ndarray] = []

    def watch(sim: sb.Sim) -> None:
        found = sim.contacts()
        names = sim.link_names
        sides = np.abs(found.normal[:, 2]) < 0.5
        touched.update(names[k] for k in found.link[sides].ravel())
        places.append(sim["e-puck"].position)

    drive.run(
        """
        ps = sensors(*[f"ps{i}" for i in range(8)])
        left, right = wheels("left wheel motor", "right wheel motor")
        turning = 0
        while robot.step(step) != -1:
            near = [sensor.getValue() for sensor in ps]
            blocked = max(near[0], near[1], near[2] - 100, near[6], near[7], near[5] - 100) > 90
            if blocked and not turning:
                turning = 1 if near[5] + near[6] + near[7] > near[0] + near[1] + near[2] else -1
            elif not blocked:
                turning = 0
            left.setVelocity(3 * turning if turning else 5)
            right.setVelocity(-3 * turning if turning else 5)
        """,
        30,
        watch,
    )
    assert touched == set()
    path = np.array(places)[:, :2]
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).sum() > 0.5
    assert (path.max(axis=0) - path.min(axis=0)).max() > 0.4
