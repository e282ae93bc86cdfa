"""To the goal: a robot on two wheels finds its way among obstacles by distance sensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.rl.streams import Draws
from solidbody.rl.task import CONTROLLERS, WORLDS, Floats, Rows, Task
from solidbody.rl.tasks.frames import turned, yaw_of
from solidbody.sim import Sim

SPEED = 8.0
"""[rad/s] Of a wheel, of an action of 1: 0.56 m/s on the ground."""

RANGE = 2.0
"""[m] Of the distance sensors."""

REACHED = 0.25
"""[m] From the goal."""

TOUCHING = 0.03
"""[m] Least distance that a sensor measures before the robot counts as run into something."""

PLACES = np.array(
    [
        *[(-2.3, -2.3), (2.3, -2.3), (-2.3, 2.3), (2.3, 2.3), (0.8, -2.3), (-0.6, 2.4)],
        *[(-2.3, 0.2), (2.4, -0.2), (0.9, 1.2), (-0.9, -0.9)],
    ]
)
"""[m] Where there is room: starts and goals are near these, half a metre from obstacles."""

SPREAD = 0.15
"""[m] How far from them."""


class Goal(Task):
    """Observed: roots of eight distances, direction and distance of the goal, speeds of the wheels.

    Worth ten times the way nearer to the goal [m], 20 for arriving, -5 for running into something, and a
    little less for every action.
    """

    world = WORLDS / "goal.wbt"
    controller = CONTROLLERS / "goal.py"
    action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (13,), np.float32)
    control_steps = 8
    max_episode_steps = 200

    def bind(self, batch: Any) -> None:
        """Take sensors, wheels and the robot's pose."""
        self._batch = batch
        self._distances = batch.bind("sensor.distance", ["ds*"])
        self._pose = batch.bind("link.pose", ["robot"])
        self._wheels = batch.bind("joint.velocity", ["left motor", "right motor"])
        self._speeds = batch.bind("joint.target_velocity", ["left motor", "right motor"])
        self._goal = np.zeros((len(batch), 2))
        self._way = np.zeros(len(batch))
        self._was = np.zeros(len(batch))

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Begin at one place, turned anyhow, with the goal at another one."""
        count = len(PLACES)
        start = draw.integers(0, count)
        goal = (start + draw.integers(1, count)) % count
        spread = draw.uniform(-SPREAD, SPREAD, 4)
        self._goal[ids] = PLACES[goal] + spread[:, :2]
        at = PLACES[start] + spread[:, 2:]
        pose = np.zeros((len(ids), 1, 7))
        pose[:, 0, :2] = at
        pose[:, 0, 3:] = turned(draw.uniform(-np.pi, np.pi))
        self._batch.place("link.pose", pose, "robot", ids)

    def begin(self, ids: Rows) -> None:
        """Note how far the goal is."""
        self._measure()

    def act(self, actions: Any) -> None:
        """Turn the wheels."""
        self._was = self._way
        self._speeds[:] = SPEED * actions

    def _measure(self) -> None:
        away = self._goal - self._pose[:, 0, :2]
        self._way = np.hypot(*away.T)
        self._angle = np.arctan2(away[:, 1], away[:, 0]) - yaw_of(self._pose[:, 0, 3:])

    def observe(self) -> Any:
        """Return distances, the goal as seen from the robot, and the wheels.

        Of distances the roots: what is near tells more than what is far.
        """
        goal = np.stack([np.cos(self._angle), np.sin(self._angle), self._way / 3.0], axis=1)
        distances = np.sqrt(np.maximum(self._distances / RANGE, 0.0))
        return np.concatenate([distances, goal, self._wheels / SPEED], axis=1)

    def reward(self) -> Floats:
        """Return what came nearer."""
        self._measure()
        nearer = 10.0 * (self._was - self._way)
        return nearer - 0.1 + 20.0 * self._has_arrived() - 5.0 * self._has_hit()

    def terminated(self) -> NDArray[np.bool_]:
        """Tell whether the robot has arrived or run into something."""
        return self._has_arrived() | self._has_hit()

    def _has_arrived(self) -> NDArray[np.bool_]:
        return self._way < REACHED

    def _has_hit(self) -> NDArray[np.bool_]:
        return self._distances.min(axis=1) < TOUCHING

    def info(self) -> dict[str, NDArray[Any]]:
        """Tell who has arrived."""
        return {"is_success": self._has_arrived()}

    def show(self, sim: Sim, copy: int) -> None:
        """Put the disc where the goal is."""
        sim.link("goal").position = (*self._goal[copy], 0.005)
