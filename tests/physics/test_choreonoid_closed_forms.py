"""Choreonoid scenes against closed forms: rebounds, slopes, the depth of rest."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.sim import Sim
from tests.formats.choreonoid.projects import body, item, project, read, world

GRAVITY = 9.80665
STEP = 0.001

LINK = """
format: ChoreonoidBody
format_version: 2.0
links:
  - name: PART
    joint_type: free
    material: %s
    mass: 1
    inertia: [ 0.004, 0, 0, 0.004, 0, 0.004 ]
    elements: { Shape: { geometry: %s } }
"""
BALL = LINK % ("Ball", "{ type: Sphere, radius: 0.1 }")
CUBE = LINK % ("Default", "{ type: Box, size: [ 0.1, 0.1, 0.1 ] }")


def heights_of(folder: Path, text: str, start: float, steps: int) -> NDArray[np.float64]:
    """Return the heights of a body dropped on the ground, step by step."""
    (folder / "part.body").write_text(text)
    items = (
        body("Part", "part.body", f"initial_root_translation: [ 0, 0, {start} ]"),
        body("Floor", "floor.body", "initial_root_translation: [ 0, 0, -0.1 ]"),
        item("AISTSimulatorItem", "AIST"),
    )
    scene, messages = read(folder, project(world(*items)))
    assert messages == []
    sim = Sim(scene)
    heights = np.empty(steps)
    for k in range(steps):
        sim.step()
        heights[k] = sim["PART"].position[2]
    return heights


def test_a_ball_rebounds_to_the_square_of_its_restitution(tmp_path: Path) -> None:
    """Ball on Ground has 0.8: from 1 m to 0.64 m, 0.41 m, 0.26 m above the ground.

    An impact is found up to one step late, up to v*h = 4.4 mm deep.
    """
    z = heights_of(tmp_path, BALL, 1.1, 2200)
    peaks = [z[k] - 0.1 for k in range(1, len(z) - 1) if z[k - 1] < z[k] >= z[k + 1]]
    expected = [0.64, 0.64**2, 0.64**3]
    assert len(peaks) == len(expected)
    assert peaks == pytest.approx(expected, abs=0.0044)


def test_a_cube_comes_to_rest_at_the_correction_depth(tmp_path: Path) -> None:
    """0.25 mm deep, whichever speed it came with; 3 s at 5/s leave exp(-15/1.75) of a millimetre."""
    z = heights_of(tmp_path, CUBE, 0.25, 3500)
    assert z[-1] == pytest.approx(0.05 - 0.00025, abs=1e-6)


def test_a_cube_slides_down_a_slope_as_coulomb_has_it(tmp_path: Path) -> None:
    """At 30 degrees with 0.5: g (sin - mu cos) t = 0.657 m/s after a second, downhill only.

    The slope is made by gravity; the start is at the depth of rest, so that nothing else moves.
    """
    slope = math.radians(30)
    (tmp_path / "part.body").write_text(CUBE)
    down = [GRAVITY * math.sin(slope) * math.sqrt(0.5)] * 2
    gravity = [*down, -GRAVITY * math.cos(slope)]
    items = (
        body("Part", "part.body", "initial_root_translation: [ 0, 0, 0.04975 ]"),
        body("Floor", "floor.body", "initial_root_translation: [ 0, 0, -0.1 ]"),
        item("AISTSimulatorItem", "AIST", f"gravity: {gravity}"),
    )
    scene, _ = read(tmp_path, project(world(*items)))
    sim = Sim(scene)
    sim.step(1000)
    speed = GRAVITY * (math.sin(slope) - 0.5 * math.cos(slope))
    velocity = sim["PART"].linear_velocity
    # along the diagonal between the tangents that ODE would take, where its pyramid would stick
    assert velocity[:2] == pytest.approx([speed * math.sqrt(0.5)] * 2, rel=1e-4)
    assert speed == pytest.approx(0.657, abs=1e-3)
