"""Hovering: a drone with four propellers keeps its place in the air."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.base.vectors import unrotate
from solidbody.rl.streams import Draws
from solidbody.rl.task import CONTROLLERS, WORLDS, Floats, Rows, Task
from solidbody.rl.tasks.frames import tilted, up_in_frame

ROTORS = [f"{place} motor" for place in ("front left", "front right", "rear left", "rear right")]

PLACE = np.array([0.0, 0.0, 1.5])
"""[m] Where to be."""

HOVER = 110.74
"""[rad/s] At which four rotors of 0.0002 N s2 carry 1 kg: sqrt(9.81 / (4 * 0.0002))."""

SPAN = 40.0
"""[rad/s] How much faster or slower an action of 1 turns a rotor."""

ASTRAY = 2.0
"""[m] From the place, at which an episode ends; so does turning over."""


class Hover(Task):
    """Observed in the drone's own axes: the way to its place, speed, upward direction, rates of turning.

    Worth 1 for each action, less for being away, turned or fast.
    """

    world = WORLDS / "drone.wbt"
    controller = CONTROLLERS / "hover.py"
    action_space = spaces.Box(-1.0, 1.0, (4,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (12,), np.float32)
    control_steps = 2
    max_episode_steps = 300

    def bind(self, batch: Any) -> None:
        """Take the drone and its rotors."""
        self._batch = batch
        self._pose = batch.bind("link.pose", ["drone"])
        self._twist = batch.bind("link.twist", ["drone"])
        self._speeds = batch.bind("joint.target_velocity", ROTORS)

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Begin near the place, tilted and moving."""
        count = len(ids)
        pose = np.zeros((count, 1, 7))
        pose[:, 0, :3] = PLACE + draw.uniform(-0.5, 0.5, 3)
        pose[:, 0, 3:] = tilted(*draw.uniform(-0.3, 0.3, 3).T)
        self._batch.place("link.pose", pose, "drone", ids)
        self._batch.place("link.twist", draw.uniform(-0.4, 0.4, (1, 6)), "drone", ids)
        self._speeds[ids] = HOVER

    def act(self, actions: Any) -> None:
        """Turn the rotors."""
        self._speeds[:] = HOVER + SPAN * actions

    def observe(self) -> Any:
        """Return what the drone would feel."""
        turn = self._pose[:, 0, 3:]
        return np.concatenate(
            [
                unrotate(turn, PLACE - self._pose[:, 0, :3]),
                unrotate(turn, self._twist[:, 0, :3]),
                up_in_frame(turn),
                unrotate(turn, self._twist[:, 0, 3:]),
            ],
            axis=1,
        )

    def _away(self) -> Floats:
        return np.sqrt(np.square(self._pose[:, 0, :3] - PLACE).sum(axis=1))

    def reward(self) -> Floats:
        """Return 1, less for what is not hovering."""
        turning = np.sqrt(np.square(self._twist[:, 0, 3:]).sum(axis=1))
        up = up_in_frame(self._pose[:, 0, 3:])[:, 2]
        return 1.0 - self._away() - 0.5 * (1.0 - up) - 0.05 * turning

    def terminated(self) -> NDArray[np.bool_]:
        """Tell whether the drone is lost."""
        up = up_in_frame(self._pose[:, 0, 3:])[:, 2]
        low = self._pose[:, 0, 2] < 0.1
        return (self._away() > ASTRAY) | (up < 0.0) | low

    def info(self) -> dict[str, NDArray[Any]]:
        """Tell how far each is from its place."""
        return {"distance": self._away()}
