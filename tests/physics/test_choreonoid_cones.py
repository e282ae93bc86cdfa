"""Choreonoid's friction as a cone: of what sticks, and under joints that go where they are told."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody.contact.engine import EngineName
from solidbody.sim import Sim
from tests.formats.choreonoid.projects import body, item, project, read, world

GRAVITY = 9.80665
STEP = 0.001
FRICTION = 0.5
REST = 0.00025
ENGINES: tuple[EngineName, ...] = ("native", "reference")

CUBE = """
format: ChoreonoidBody
format_version: 2.0
links:
  - name: PART
    joint_type: free
    mass: 1
    inertia: [ 0.004, 0, 0, 0.004, 0, 0.004 ]
    elements: { Shape: { geometry: { type: Box, size: [ 0.2, 0.2, 0.1 ] } } }
"""
ROLLER = """
format: ChoreonoidBody
format_version: 2.0
links:
  - name: PART
    joint_type: free
    mass: 1
    inertia: [ 0.01, 0, 0, 0.01, 0, 0.01 ]
  - name: WHEEL
    parent: PART
    joint_type: revolute
    joint_axis: Y
    joint_id: 0
    actuation_mode: %s
    mass: 0.1
    inertia: [ 0.001, 0, 0, 0.001, 0, 0.001 ]
    elements: { Shape: { geometry: { type: Sphere, radius: 0.1 } } }
"""


def on_ground(folder: Path, text: str, height: float, engine: EngineName) -> Sim:
    """Return the simulation of a body whose centre is this high above the ground."""
    (folder / "part.body").write_text(text)
    items = (
        body("Part", "part.body", f"initial_root_translation: [ 0, 0, {height} ]"),
        body("Floor", "floor.body", "initial_root_translation: [ 0, 0, -0.1 ]"),
        item("AISTSimulatorItem", "AIST"),
    )
    scene, messages = read(folder, project(world(*items)))
    assert messages == []
    return Sim(scene, engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("angle", [0, 30, 45, 70])
@pytest.mark.parametrize("share", [0.95, 1.2])
def test_what_rests_resists_alike_in_all_directions(
    tmp_path: Path, engine: EngineName, angle: float, share: float
) -> None:
    """A push by a share of mu m g moves a cube by what exceeds 1; bounds along two axes hold up to 1.41.

    Static friction gives way by at most 2.5 um/s. Corners that come to slide at different moments, and a
    force that may stick out of the cone by 0.1 %, leave 2 % of the speed.
    """
    sim = on_ground(tmp_path, CUBE, 0.05 - REST, engine)
    push = share * FRICTION * GRAVITY
    along = np.array((math.cos(math.radians(angle)), math.sin(math.radians(angle)), 0.0))
    steps = 100
    for _ in range(steps):
        sim["PART"].add_force(tuple((push * along).tolist()))
        sim.step()
    speed = sim["PART"].linear_velocity
    expected = max(share - 1.0, 0.0) * FRICTION * GRAVITY * steps * STEP
    assert speed @ along == pytest.approx(expected, rel=0.02, abs=3e-6)
    assert np.linalg.norm(speed - (speed @ along) * along) < 0.02 * expected + 3e-6


def sliding(sim: Sim) -> NDArray[np.float64]:
    """Return the velocity of the wheel where it touches the ground."""
    wheel = sim["WHEEL"]
    turn = np.cross(wheel.angular_velocity, (0.0, 0.0, -0.1))
    return (wheel.linear_velocity + turn)[:2]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("mode", "moment"), [("joint_velocity", 0.011), ("joint_effort", 0.001)])
def test_friction_under_a_driven_wheel(
    tmp_path: Path, engine: EngineName, mode: str, moment: float
) -> None:
    """A wheel that is told how fast to turn gives way no more along its rolling than across it.

    A skidding ball of radius r in the middle of a body is braked along (u_x/a_x, u_y/a_y). Bodies of mass
    m and moment I give way by a = 1/m + r^2/I, here 1/1.1 + 0.01/0.011 across, and the same along if the
    wheel's speed is given; else its own moment counts along it.
    """
    a = 1 / 1.1 + 0.01 / np.array((moment, 0.011))
    sim = on_ground(tmp_path, ROLLER % mode, 0.1 - REST, engine)
    if mode == "joint_velocity":
        sim.joint("WHEEL").target_velocity = 20.0
        sim.step()
    sim["PART"].linear_velocity = (0.5, 1.5, 0.0)
    slide = sliding(sim)
    before = sim.velocities()[[1, 2], :2].copy()
    sim.step()
    masses = np.array((1.0, 0.1))
    gained = masses @ (sim.velocities()[[1, 2], :2] - before)
    wanted = -slide / a / np.linalg.norm(slide / a)
    # the point is REST above the lowest one of the ball, 0.25 % of the radius
    assert gained / np.linalg.norm(gained) == pytest.approx(wanted, abs=3e-3)
