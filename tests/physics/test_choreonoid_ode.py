"""Projects whose simulator is ODE: friction by ODE's law, with the item's number for all materials."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene
from solidbody.sim import Sim

TILT = math.radians(20.0)
GRAVITY = 9.8
"""[m/s^2] Drawn aside by TILT: the floor is a slope."""

PROJECT = """
items:
  {{ class: RootItem, name: Root, plugin: Base, children: [
    {{ class: WorldItem, name: World, plugin: Body, children: [
      {{ class: BodyItem, name: Floor, plugin: Body, data: {{
        file: "${{SHARE}}/model/misc/floor.body", initial_root_translation: [ 0, 0, -0.1 ] }} }},
      {{ class: BodyItem, name: Box, plugin: Body, data: {{
        file: "${{SHARE}}/model/misc/box4.body", initial_root_translation: [ 0, 0, 0.0499 ] }} }},
      {{ class: ODESimulatorItem, name: ODE, plugin: ODE, data: {{
        time_step: 0.001, friction: {mu}, gravity: [ {x}, 0, {z} ] }} }} ] }} ] }}
"""

SETTLING = 0.01
"""Relative: the box starts at the depth where it rests, and its weight is on it from the second step on."""


@pytest.mark.parametrize("mu", [0.1, 0.3, 0.5])
def test_box_slides_down_a_slope_with_the_friction_of_the_item(tmp_path: Path, mu: float) -> None:
    """At g*(sin - mu*cos), or not at all; by the materials it would be 0.5 on this floor."""
    path = tmp_path / "p.cnoid"
    x, z = GRAVITY * math.sin(TILT), -GRAVITY * math.cos(TILT)
    path.write_text(PROJECT.format(mu=mu, x=x, z=z), "utf-8")
    scene, log = read_scene(path)
    assert scene is not None and not log.has_errors
    sim = Sim(scene)
    sim.step(500)
    speed = max(0.0, x + mu * z) * 0.5
    assert sim.link("WAIST").linear_velocity[0] == pytest.approx(speed, rel=SETTLING, abs=1e-4)
