"""The ready tasks: who knows how to do them is worth much, who does nothing or anything is not.

What each knows is a rule of thumb, written here; the worlds carry them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solidbody import rl
from solidbody.rl.tasks.biped import Biped
from solidbody.rl.tasks.four_legs import FourLegs
from solidbody.rl.tasks.goal import Goal
from solidbody.rl.tasks.hover import Hover
from solidbody.rl.tasks.line import Line
from solidbody.rl.tasks.pole import Pole
from solidbody.rl.tasks.reach import Reach

Floats = NDArray[np.float64]
GRAVITY = 9.81


def returns(task: type[rl.Task], policy: Callable[[Any], Any], episodes: int = 8) -> Floats:
    return rl.evaluate(task, policy, episodes=episodes, seed=0)


def balance(o: Floats) -> Floats:
    """Push after the pole, and a little more to come back."""
    return 0.3 * o[:, :1] + 0.5 * o[:, 2:3] + 3.0 * o[:, 1:2] + 0.8 * o[:, 3:]


def test_pole_is_balanced_by_feedback() -> None:
    """All 500 actions, each worth 1; nobody pushing, it falls within 2 s."""
    assert returns(Pole, balance).tolist() == [500.0] * 8
    assert returns(Pole, lambda o: 0.0 * o[:, :1]).max() < 100.0


def test_pole_falls_as_mechanics_say() -> None:
    """A cart that is left alone: the angle grows with the rate w of the linear equations.

    (M + m) x" + m l a" = 0 and m l x" + I a" = m g l a with I = m L^2 / 12 + m l^2 about the hinge, of a
    capsule of length 1.05: what is not linear is below 1 % at 0.1 rad.
    """
    envs = rl.VectorEnv(Pole, 8)
    observations, _ = envs.reset(seed=0)
    angles = [observations[:, 1]]
    for _ in range(12):
        angles.append(envs.step(np.zeros((8, 1), np.float32))[0][:, 1])
    mass, cart, arm, radius, height = 0.3, 1.0, 0.5, 0.025, 1.0
    # of a capsule across its axis: a cylinder and two half balls
    volume = np.pi * radius**2 * height, 4.0 / 3.0 * np.pi * radius**3
    shaft, balls = (mass * part / sum(volume) for part in volume)
    own = shaft * (height**2 / 12 + radius**2 / 4)
    own += balls * (0.4 * radius**2 + height**2 / 4 + 0.375 * height * radius)
    inertia = own + mass * arm**2 - (mass * arm) ** 2 / (mass + cart)
    rate = np.sqrt(mass * GRAVITY * arm / inertia)
    time = 0.02 * np.arange(13)
    start, speed = observations[:, 1], observations[:, 3]
    expected = start * np.cosh(rate * time[:, None]) + speed / rate * np.sinh(rate * time[:, None])
    # Euler's steps of 10 ms: of the order of w h / 2 = 2 % of what has grown
    assert np.array(angles) == pytest.approx(expected, abs=0.03 * np.abs(expected).max())


TURNS = np.array([0.0, 0.5, 1.1, 1.9, np.pi, -1.9, -1.1, -0.5])
"""[rad] Of the distance sensors of the robot."""


def steer(o: Floats) -> Floats:
    """Turn to the goal and away from what is near; slower where something is ahead."""
    distances, turn = o[:, :8] ** 2, np.arctan2(o[:, 9], o[:, 8])
    near = np.clip(0.25 - distances, 0.0, None) * 4.0 * np.clip(np.cos(TURNS) + 0.3, 0.0, None)
    avoid = -(near * np.sign(np.sin(TURNS) + 1e-3)).sum(axis=1)
    ahead = distances[:, np.abs(TURNS) < 0.8].min(axis=1)
    around = np.clip(1.2 * turn, -1.0, 1.0) * np.clip(4.0 * ahead, 0.1, 1.0) + 1.2 * avoid
    on = np.clip(4.0 * ahead - 0.1, 0.1, 1.0) * np.clip(np.cos(turn), 0.2, 1.0)
    return np.stack([on - 0.5 * around, on + 0.5 * around], axis=1)


@pytest.mark.slow
def test_goal_is_found_by_steering() -> None:
    """Arriving is worth 20 and ten a metre; straight on ends at an obstacle or a wall."""
    found = returns(Goal, steer, 16)
    assert (found > 20.0).mean() >= 0.75
    assert returns(Goal, lambda o: np.ones((len(o), 2)), 16).mean() < 5.0


@pytest.mark.slow
def test_goal_sensors_see_what_is_there() -> None:
    """Distances along each sensor to the nearest wall or obstacle, computed from the world's plan."""
    envs = rl.VectorEnv(Goal, 16)
    observations, _ = envs.reset(seed=3)
    batch = envs.task._batch  # type: ignore[attr-defined]
    pose = batch.bind("link.pose", ["robot"])[:, 0]
    yaw = 2.0 * np.arctan2(pose[:, 6], pose[:, 3])
    # places are 0.5 m from obstacles at least, and a sensor is 0.14 m from the middle
    assert observations[:, :8].min() > 0.1 and observations[:, :8].max() <= 1.0
    way = envs.task._goal - pose[:, :2]  # type: ignore[attr-defined]
    angle = np.arctan2(way[:, 1], way[:, 0]) - yaw
    expected = np.stack([np.cos(angle), np.sin(angle), np.hypot(*way.T) / 3.0], axis=1)
    assert observations[:, 8:11] == pytest.approx(expected, abs=1e-6)


def trot(o: Floats) -> Floats:
    """Legs across from each other swing together, by the clock that is observed."""
    clock = np.arctan2(o[:, 28], o[:, 29])
    out = np.zeros((len(o), 8))
    for leg, late in enumerate((0.0, np.pi, np.pi, 0.0)):
        out[:, 2 * leg] = 0.5 * np.cos(clock + late)
        out[:, 2 * leg + 1] = -0.9 * np.clip(np.sin(clock + late), 0.0, None)
    return out


@pytest.mark.slow
def test_four_legs_stand_and_trot() -> None:
    """Standing is worth 0.1 an action; a trot without any feedback gets on at 0.4 m/s."""
    still = returns(FourLegs, lambda o: np.zeros((len(o), 8)))
    assert still == pytest.approx(np.full(8, 50.0), abs=25.0)  # nobody falls; some stand askew
    assert returns(FourLegs, trot).mean() > still.mean() + 30.0


LENGTHS = np.array([0.4, 0.32, 0.18])
"""[m] From the shoulder to the elbow, the wrist, the hand."""


def reach(o: Floats) -> Floats:
    """Go down the slope of the distance: the Jacobian's transpose, in the plane of the arm."""
    bends = np.cumsum(o[:, 1:4], axis=1)
    along, up = LENGTHS * np.cos(bends), -LENGTHS * np.sin(bends)
    pulls = 12.0 * (along * o[:, 11:12] + up * o[:, 13:14])
    out = np.maximum(np.hypot(o[:, 8], o[:, 9]), 0.1)
    turned = np.cumsum(pulls[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([(3.0 * o[:, 12] / out)[:, None], turned], axis=1)


def test_arm_reaches_by_its_jacobian() -> None:
    """Most of 150 actions at the point are worth 1 each; resting is worth the distance, below 0."""
    assert returns(Reach, reach).min() > 90.0
    assert returns(Reach, lambda o: np.zeros((len(o), 4))).max() < 0.0


def hover(o: Floats) -> Floats:
    """Lean where to go, hold back what turns; front left, front right, rear left, rear right."""
    way, speed, up, rate = (o[:, k : k + 3] for k in (0, 3, 6, 9))
    wish = np.clip(0.3 * way - 0.24 * speed, -0.4, 0.4)
    lift = 0.4 * way[:, 2] - 0.3 * speed[:, 2]
    pitch = 0.8 * (wish[:, 0] + up[:, 0]) - 0.25 * rate[:, 1]
    roll = -0.8 * (wish[:, 1] + up[:, 1]) - 0.25 * rate[:, 0]
    yaw = -0.3 * rate[:, 2]
    return np.stack(
        [
            lift + roll - pitch - yaw,
            lift - roll - pitch + yaw,
            lift + roll + pitch + yaw,
            lift - roll + pitch - yaw,
        ],
        axis=1,
    )


def test_drone_hovers_by_feedback() -> None:
    """300 actions, each worth nearly 1; four rotors that turn alike carry it away."""
    assert returns(Hover, hover).min() > 200.0
    assert returns(Hover, lambda o: np.zeros((len(o), 4))).max() < 150.0


def follow(o: Floats) -> Floats:
    """Steer to where the lower half of the picture is dark."""
    below = o.reshape(-1, 12, 24)[:, 6:]
    dark = np.clip(150.0 - below, 0.0, None).sum(axis=1)
    side = (dark * np.linspace(1.0, -1.0, 24)).sum(axis=1) / np.maximum(dark.sum(axis=1), 1.0)
    return np.stack([0.35 - 0.35 * side, 0.35 + 0.35 * side], axis=1)


@pytest.mark.slow
def test_line_is_followed_by_what_the_camera_sees() -> None:
    """More than 1.5 m of it in 600 actions, worth 10 a metre; straight on loses it."""
    assert returns(Line, follow, 4).min() > 15.0
    assert returns(Line, lambda o: np.full((len(o), 2), 0.35), 4).max() < 10.0


def lean(o: Floats) -> Floats:
    """Press the soles down on the side to which the trunk goes."""
    up, speed, rate = o[:, :3], o[:, 3:6], o[:, 6:9] / 0.3
    out = np.zeros((len(o), 10))
    out[:, 3::5] = (-up[:, 0] + 0.35 * speed[:, 0] + 0.1 * rate[:, 1])[:, None]
    out[:, 4::5] = (up[:, 1] - 0.35 * speed[:, 1] + 0.1 * rate[:, 0])[:, None]
    return out


@pytest.mark.slow
def test_biped_stands_and_is_pushed_over() -> None:
    """Ankles that give way to no push let it stand longer; the wrong way round it falls at once."""
    leaning = returns(Biped, lean)
    assert leaning.mean() > returns(Biped, lambda o: np.zeros((len(o), 10))).mean()
    assert leaning.mean() > 3.0 * returns(Biped, lambda o: -lean(o)).mean()


def test_biped_stands_still_until_the_first_push() -> None:
    """60 actions, 0.6 s: the joints carry it, nothing slides."""
    envs = rl.VectorEnv(Biped, 4)
    envs.reset(seed=0)
    pose = envs.task._batch.bind("link.pose", ["TRUNK"])[:, 0]  # type: ignore[attr-defined]
    for _ in range(60):
        ended = envs.step(np.zeros((4, 10), np.float32))[2]
        assert not ended.any()
    assert np.abs(pose[:, :2]).max() < 0.05 and np.abs(pose[:, 2] - 0.787).max() < 0.02
