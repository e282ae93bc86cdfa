"""Pulls with the mouse: a critically damped spring for every body, however late the mouse is heard."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

import numpy as np
import pytest

from solidbody.base.transforms import Pose
from solidbody.model.geometry import GeometryBox
from solidbody.model.joints import JointAxis, JointHinge
from solidbody.model.links import Body, Link, Motion
from solidbody.sim import Sim
from solidbody.sim.pulling import ACCELERATION, FREQUENCY, Grip
from tests.physics import building as b

BOX = GeometryBox((0.4, 0.3, 0.2))
H = 0.008
WEIGHTLESS = (0.0, 0.0, 0.0)


def box(
    mass: float = 2.0, step: float = H, gravity: tuple[float, float, float] = WEIGHTLESS
) -> Sim:
    return Sim(b.scene(b.free_body("box", BOX, mass=mass), gravity=gravity, step=step))


@pytest.mark.parametrize("mass", [1e-3, 2.0, 1e5])
def test_every_mass_follows_alike(mass: float) -> None:
    """x = d (1 - (1 + w t) exp(-w t)): critically damped; steps of 1 ms are off by w h = 1 % at most."""
    sim = box(mass, step=0.001)
    grip = Grip(sim, 0, np.zeros(3))
    d, t = 0.5, 0.2
    for _ in range(round(t / 0.001)):
        grip.pull(np.array([d, 0, 0]))
        sim.step()
    w = FREQUENCY
    exact = d * (1 - (1 + w * t) * math.exp(-w * t))
    np.testing.assert_allclose(sim["box"].position, [exact, 0, 0], atol=0.01 * d)
    np.testing.assert_allclose(sim["box"].angular_velocity, 0.0, atol=1e-12)


def test_the_grip_follows_not_the_centre() -> None:
    """Gripped at a corner, the corner comes to the mouse and the box turns with it."""
    sim = box()
    corner = np.array([0.2, 0.15, 0.1])
    grip, target = Grip(sim, 0, corner), np.array([0.6, 0.5, -0.3])
    for _ in range(500):
        grip.pull(target)
        sim.step()
    np.testing.assert_allclose(grip.at, target, atol=1e-6)
    np.testing.assert_allclose(sim["box"].angular_velocity, 0.0, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.001, 0.008, 0.032, 0.064])
@pytest.mark.parametrize("delay", [0.0, 0.03, 0.05])
def test_a_mouse_that_is_heard_late_does_no_harm(step: float, delay: float) -> None:
    """A drag of 1.5 m in 0.3 s, as a hand makes it, told 60 times a second and heard later.

    The body stays within the way of the mouse (2 % beyond for the length of steps) and rests at its end.
    """
    sim = box(step=step)
    grip = Grip(sim, 0, np.array([0.2, 0.0, 0.1]))
    start = grip.at

    def mouse(time: float) -> np.ndarray:
        way = min(max(time / 0.3, 0.0), 1.0)
        return start + np.array([1.5, 0, 0]) * (3 * way**2 - 2 * way**3)  # slow at both ends

    told: deque[tuple[float, np.ndarray]] = deque()
    target, farthest, next_tell = start, 0.0, 0.0
    while sim.time < 3.0:
        while next_tell <= sim.time:
            told.append((next_tell + delay, mouse(next_tell)))
            next_tell += 1 / 60
        while told and told[0][0] <= sim.time:
            target = told.popleft()[1]
        grip.pull(target)
        sim.step()
        farthest = max(farthest, grip.at[0] - start[0])
    assert farthest < 1.5 * 1.02
    np.testing.assert_allclose(grip.at, start + np.array([1.5, 0, 0]), atol=0.02)
    assert np.linalg.norm(sim["box"].linear_velocity) < 0.05


def test_far_targets_pull_no_harder() -> None:
    """The speed ends at acceleration / (2 w)."""
    sim = box()
    grip = Grip(sim, 0, np.zeros(3))
    for _ in range(250):
        grip.pull(np.array([1e6, 0, 0]))
        sim.step()
    speed = ACCELERATION / (2 * FREQUENCY)
    np.testing.assert_allclose(sim["box"].linear_velocity, [speed, 0, 0], rtol=1e-6)


def test_weight_stretches_the_spring() -> None:
    """By g / w^2, whatever the mass."""
    sim = box(50.0, gravity=(0.0, 0.0, -9.81))
    grip = Grip(sim, 0, np.zeros(3))
    for _ in range(500):
        grip.pull(np.array([0, 0, 1.0]))
        sim.step()
    np.testing.assert_allclose(sim["box"].position[2], 1.0 - 9.81 / FREQUENCY**2, atol=1e-9)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turning_goes_about_the_drawn_line(axis: int) -> None:
    """Also about axes with other inertias: the speed ends at w d / 2 for a line of length d."""
    sim = box()
    grip, line = Grip(sim, 0, np.zeros(3), turns=True), np.zeros(3)
    line[axis] = 0.4
    for _ in range(250):
        grip.pull(line)
        sim.step()
    expected = np.zeros(3)
    expected[axis] = FREQUENCY * 0.4 / 2
    np.testing.assert_allclose(sim["box"].angular_velocity, expected, atol=1e-6)
    np.testing.assert_allclose(sim["box"].position, 0.0, atol=1e-9)


def door() -> Sim:
    """A door of 20 kg, 1 m wide, on a hinge along z."""
    size = GeometryBox((1.0, 0.05, 2.0))
    leaf = b.free_link("leaf", size, mass=20.0)
    frame = Link("frame", path="frame", motion=Motion.KINEMATIC)
    hinge = JointHinge("hinge", JointAxis((0.0, 0.0, 1.0)))
    assert leaf.mass is not None
    mass = replace(leaf.mass, center=(0.5, 0.0, 0.0))
    leaf = replace(leaf, joint=hinge, parent=0, pose=Pose(), mass=mass)
    return Sim(b.scene(Body("door", (frame, leaf)), gravity=WEIGHTLESS, step=H))


def test_what_hangs_on_a_joint_goes_as_its_joint_allows() -> None:
    """A door is pulled by its edge: it turns towards the mouse as far as it can, and does not shake."""
    sim = door()
    leaf = sim.link_names.index("leaf")
    grip = Grip(sim, leaf, np.array([1.0, 0.0, 0.0]))
    for _ in range(500):
        grip.pull(np.array([0.0, 2.0, 0.7]))
        sim.step()
    np.testing.assert_allclose(grip.at, [0.0, 1.0, 0.0], atol=1e-3)
    assert np.linalg.norm(sim["leaf"].angular_velocity) < 1e-3


def test_scales_of_the_scene_count() -> None:
    """Four times `dragForceScale` = twice the frequency: the spring gives a quarter."""
    scene = replace(
        b.scene(b.free_body("box", BOX, mass=2.0), gravity=(0.0, 0.0, -9.81), step=H),
        drag_force_scale=120.0,
    )
    sim = Sim(scene)
    grip = Grip(sim, 0, np.zeros(3))
    for _ in range(500):
        grip.pull(np.zeros(3))
        sim.step()
    np.testing.assert_allclose(sim["box"].position[2], -9.81 / (2 * FREQUENCY) ** 2, atol=1e-9)


def test_what_forces_do_not_move_is_not_gripped() -> None:
    """The message names it."""
    sim = Sim(b.scene(b.static_body("wall", BOX), gravity=WEIGHTLESS, step=H))
    with pytest.raises(ValueError, match='"wall" has no physics'):
        Grip(sim, 0, np.zeros(3))
