"""Pole balancing: a cart on a rail keeps a pole upright."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.rl.streams import Draws
from solidbody.rl.task import CONTROLLERS, WORLDS, Floats, Rows, Task

JOINTS = ["cart", "pole"]

FORCE = 15.0
"""[N] Of an action of 1; the pole weighs 3 N."""

MOST_ANGLE = 0.35
"""[rad] From the vertical, at which an episode ends."""

MOST_WAY = 2.4
"""[m] From the middle of the rail, at which an episode ends."""


class Pole(Task):
    """Observed: place and speed of the cart, angle and rate of the pole. Worth 1 for each action upright."""

    world = WORLDS / "pole.wbt"
    controller = CONTROLLERS / "pole.py"
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (4,), np.float32)
    control_steps = 2
    max_episode_steps = 500

    def bind(self, batch: Any) -> None:
        """Take the two joints and the motor."""
        self._batch = batch
        self._position = batch.bind("joint.position", JOINTS)
        self._velocity = batch.bind("joint.velocity", JOINTS)
        self._force = batch.bind("joint.target_effort", ["cart motor"])

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Begin near the middle, nearly upright."""
        position = draw.uniform(-0.05, 0.05, 2)
        velocity = draw.uniform(-0.05, 0.05, 2)
        self._batch.place("joint.position", position, JOINTS, ids)
        self._batch.place("joint.velocity", velocity, JOINTS, ids)

    def act(self, actions: Any) -> None:
        """Push the cart."""
        self._force[:] = FORCE * actions

    def observe(self) -> Any:
        """Return cart, pole, and their rates."""
        return np.concatenate([self._position, self._velocity], axis=1)

    def reward(self) -> Floats:
        """Return 1 for each action."""
        return np.ones(len(self._position))

    def terminated(self) -> NDArray[np.bool_]:
        """Tell whether the pole has fallen or the rail has ended."""
        way, angle = np.abs(self._position).T
        return (way > MOST_WAY) | (angle > MOST_ANGLE)
