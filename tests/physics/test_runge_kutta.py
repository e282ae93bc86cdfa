"""Runge and Kutta's rule: on a slide, on a chain, for roots, in contact, with given motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solidbody.model.scene import IntegrationRule, Scene
from solidbody.sim import Sim
from tests.formats.choreonoid.projects import FLOOR
from tests.physics.test_choreonoid_motion import scene_of

PENDULUM = """format: ChoreonoidBody
format_version: 2.0
name: pendulum
links:
  - { name: base, joint_type: fixed }
  - { name: upper, parent: base, joint_type: revolute, joint_axis: Y, joint_id: 0, joint_displacement: 60,
      elements: [ { type: RigidBody, mass: 1, center_of_mass: [ 0, 0, -0.5 ],
                    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01 ] } ] }
  - { name: lower, parent: upper, joint_type: revolute, joint_axis: Y, joint_id: 1, translation: [ 0, 0, -1 ],
      elements: [ { type: RigidBody, mass: 2, center_of_mass: [ 0, 0, -0.4 ],
                    inertia: [ 0.03, 0, 0, 0, 0.03, 0, 0, 0, 0.01 ] } ] }
"""
SLIDE = """format: ChoreonoidBody
format_version: 2.0
name: slide
links:
  - { name: base, joint_type: fixed }
  - { name: drop, parent: base, joint_type: prismatic, joint_axis: Z, joint_id: 0,
      elements: [ { type: RigidBody, mass: 2, inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ] } ] }
"""
BALL = """format: ChoreonoidBody
format_version: 2.0
name: ball
links:
  - { name: ball, joint_type: free, translation: [ 0, 0, 1 ], elements: [
      { type: RigidBody, mass: 1, inertia: [ 0.004, 0, 0, 0, 0.004, 0, 0, 0, 0.004 ],
        elements: [ { type: Shape, geometry: { type: Sphere, radius: 0.1 } } ] } ] }
"""


def by_runge(scene: Scene, step: float) -> Scene:
    """Return a scene that integrates by the rule."""
    physics = replace(scene.physics, time_step=step, integration=IntegrationRule.RUNGE_KUTTA)
    return replace(scene, physics=physics)


def swing(step: float, engine: str = "native") -> np.ndarray:
    """Return the joints of the pendulum after a second."""
    sim = Sim(by_runge(scene_of(PENDULUM), step), engine=engine)
    sim.step(round(1.0 / step))
    return sim.joint_states()[:, 0].copy()


def test_slide_falls_as_in_choreonoid() -> None:
    """Its sum of velocities gives h v + 3/4 h^2 g a step: after n steps -g h^2 (n^2/2 + n/4)."""
    step, count = 0.001, 100
    scene = by_runge(scene_of(SLIDE), step)
    sim = Sim(scene)
    sim.step(count)
    gravity = -scene.physics.gravity[2]
    fallen = gravity * step**2 * (count**2 / 2 + count / 4)
    assert sim.joint("drop").position == pytest.approx(-fallen, abs=1e-12)
    assert sim.joint("drop").velocity == pytest.approx(-gravity * step * count, abs=1e-12)


def test_reference_step_agrees() -> None:
    """Both implementations of the rule, to rounding."""
    assert swing(0.02, "reference") == pytest.approx(swing(0.02), abs=1e-12)


def test_root_moves_with_the_velocity_of_the_start() -> None:
    """After n steps of free fall: z = -g h^2 n(n - 1)/2, half a step later than the parabola."""
    step, count = 0.001, 100
    scene = by_runge(scene_of(BALL), step)
    sim = Sim(scene)
    sim.step(count)
    gravity = -scene.physics.gravity[2]
    assert sim.poses()[0, 2] - 1.0 == pytest.approx(
        -gravity * step**2 * count * (count - 1) / 2, abs=1e-12
    )
    assert sim["ball"].linear_velocity[2] == pytest.approx(-gravity * step * count, abs=1e-12)


def test_ball_comes_to_rest_on_the_floor() -> None:
    """Forces of contacts are kept through the stages: rest at the depth of the law, 0.25 mm."""
    sim = Sim(by_runge(scene_of(BALL).add(scene_of(FLOOR), at=(0, 0, -0.1)), 0.001))
    sim.run(3.0)
    assert sim["ball"].position[2] == pytest.approx(0.1 - 0.00025, abs=2e-4)
    assert np.abs(sim["ball"].linear_velocity).max() < 1e-4


def test_given_velocity_is_kept() -> None:
    """A joint that is driven turns by what it is told, whatever swings on it."""
    sim = Sim(by_runge(scene_of(PENDULUM), 0.001))
    start = sim.joint("upper").position
    sim.joint("upper").target_velocity = 0.7
    sim.run(1.0)
    assert sim.joint("upper").position - start == pytest.approx(0.7, abs=2e-3)
