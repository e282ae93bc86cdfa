"""Reaching: an arm with four joints brings its hand to a point."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.base.vectors import rotate
from solidbody.rl.streams import Draws
from solidbody.rl.task import CONTROLLERS, WORLDS, Floats, Rows, Task
from solidbody.sim import Sim

JOINTS = ["base", "shoulder", "elbow", "wrist"]

SPEED = 2.0
"""[rad/s] Of a joint, of an action of 1."""

HAND = np.array([[0.0, 0.0, 0.1]])
"""[m] In the axes of the last link."""

REACHED = 0.05
"""[m] From the point."""


class Reach(Task):
    """Observed: joints, the hand, the way to the point. Worth minus the distance [m], and 1 there."""

    world = WORLDS / "arm.wbt"
    controller = CONTROLLERS / "reach.py"
    action_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (16,), np.float32)
    control_steps = 4
    max_episode_steps = 150

    def bind(self, batch: Any) -> None:
        """Take joints and hand."""
        self._batch = batch
        self._angles = batch.bind("joint.position", JOINTS)
        self._rates = batch.bind("joint.velocity", JOINTS)
        self._speeds = batch.bind("joint.target_velocity", JOINTS)
        self._wrist = batch.bind("link.pose", ["wrist link"])
        self._target = np.zeros((len(batch), 3))

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Begin bent anyhow, with the point anywhere within reach above the ground."""
        angles = draw.uniform(-1.0, 1.0, 4) * (1.5, 0.5, 0.8, 0.8) + (0.0, 0.4, 0.9, 0.5)
        self._batch.place("joint.position", angles, JOINTS, ids)
        around = draw.uniform(-1.8, 1.8)
        out, up = draw.uniform(0.35, 0.7), draw.uniform(0.25, 0.8)
        self._target[ids] = np.stack([out * np.cos(around), out * np.sin(around), up], axis=1)

    def act(self, actions: Any) -> None:
        """Turn the joints."""
        self._speeds[:] = SPEED * actions

    def observe(self) -> Any:
        """Return the joints, the hand and the way to go."""
        hand = self._hand()
        yaw = self._angles[:, :1]
        way = self._target - hand
        # in the plane of the arm and across it: the same for every direction of the base
        along = np.cos(yaw[:, 0]) * way[:, 0] + np.sin(yaw[:, 0]) * way[:, 1]
        across = np.cos(yaw[:, 0]) * way[:, 1] - np.sin(yaw[:, 0]) * way[:, 0]
        return np.concatenate(
            [
                self._angles,
                0.3 * self._rates,
                hand,
                along[:, None],
                across[:, None],
                way[:, 2:],
                np.sin(yaw),
                np.cos(yaw),
            ],
            axis=1,
        )

    def _hand(self) -> Floats:
        wrist = self._wrist[:, 0]
        return wrist[:, :3] + rotate(wrist[:, 3:], HAND)

    def _distance(self) -> Floats:
        return np.sqrt(np.square(self._target - self._hand()).sum(axis=1))

    def reward(self) -> Floats:
        """Return minus the distance, and 1 where it is small."""
        distance = self._distance()
        return -distance + (distance < REACHED)

    def terminated(self) -> NDArray[np.bool_]:
        """Holding the point is worth as much as finding it: episodes go on."""
        return np.zeros(len(self._target), dtype=np.bool_)

    def info(self) -> dict[str, NDArray[Any]]:
        """Tell who has arrived."""
        return {"is_success": self._distance() < REACHED}

    def show(self, sim: Sim, copy: int) -> None:
        """Put the ball where the point is."""
        sim.link("target").position = self._target[copy]
