"""Line follower: a robot on two wheels follows a line by what its camera sees."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.rl.streams import Draws
from solidbody.rl.task import CONTROLLERS, WORLDS, Floats, Rows, Task
from solidbody.rl.tasks.frames import turned

WIDTH, HEIGHT = 24, 12
"""Of the camera [pixels]."""

SPEED = 10.0
"""[rad/s] Of a wheel, of an action of 1: 0.4 m/s on the ground."""

LOST = 0.2
"""[m] From the line, at which an episode ends."""


def line_points(count: int = 720) -> Floats:
    """Return points of the line in the world: r = 1.1 + 0.22 cos 3t, stretched by 1.25 along x."""
    t = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    r = 1.1 + 0.22 * np.cos(3.0 * t)
    return np.stack([1.25 * r * np.cos(t), r * np.sin(t)], axis=1)


class Line(Task):
    """Observed: the grey picture of the camera, nothing else. Worth the way along the line."""

    world = WORLDS / "line.wbt"
    controller = CONTROLLERS / "line.py"
    action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
    observation_space = spaces.Box(0, 255, (HEIGHT, WIDTH), np.uint8)
    control_steps = 2
    max_episode_steps = 600

    def bind(self, batch: Any) -> None:
        """Take camera, wheels and the robot's pose."""
        self._batch = batch
        self._picture = batch.bind("sensor.camera", ["camera"])
        self._pose = batch.bind("link.pose", ["robot"])
        self._speeds = batch.bind("joint.target_velocity", ["left motor", "right motor"])
        self._line = line_points()
        self._at = np.zeros(len(batch), dtype=np.intp)
        self._was = np.zeros(len(batch), dtype=np.intp)
        self._off = np.zeros(len(batch))
        steps = np.diff(self._line, axis=0, append=self._line[:1])
        self._heading = np.arctan2(steps[:, 1], steps[:, 0])
        self._spacing = float(np.hypot(*steps.T).mean())

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Begin anywhere on the line, a little beside it and turned a little."""
        at = draw.integers(0, len(self._line))
        pose = np.zeros((len(ids), 1, 7))
        pose[:, 0, :2] = self._line[at] + draw.uniform(-0.03, 0.03, 2)
        pose[:, 0, 3:] = turned(self._heading[at] + draw.uniform(-0.25, 0.25))
        self._batch.place("link.pose", pose, "robot", ids)

    def begin(self, ids: Rows) -> None:
        """Note where on the line each is."""
        self._measure()

    def act(self, actions: Any) -> None:
        """Turn the wheels."""
        self._was = self._at
        self._speeds[:] = SPEED * actions

    def _measure(self) -> None:
        apart = self._line[None] - self._pose[:, 0, None, :2]
        squares = np.square(apart).sum(axis=2)
        self._at = squares.argmin(axis=1)
        self._off = np.sqrt(squares.min(axis=1))

    def observe(self) -> Any:
        """Return the mean of red, green and blue."""
        return self._picture[:, 0].mean(axis=3)

    def reward(self) -> Floats:
        """Return the way along the line [dm], less for being off it."""
        self._measure()
        count = len(self._line)
        gone = (self._at - self._was + count // 2) % count - count // 2
        return 10.0 * gone * self._spacing - self._off

    def terminated(self) -> NDArray[np.bool_]:
        """Tell whether the line is lost."""
        return self._off > LOST

    def info(self) -> dict[str, NDArray[Any]]:
        """Tell how far each is from the line."""
        return {"off": self._off}
