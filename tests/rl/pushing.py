"""A task of the tests: a ball on a slider is pushed along x."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.rl import Draws, Task

WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 10 }
Robot {
  children [
    SliderJoint {
      jointParameters JointParameters { axis 1 0 0 }
      device [ LinearMotor { name "push" maxForce 10 } PositionSensor { name "where" } ]
      endPoint Solid {
        name "ball"
        boundingObject Sphere { radius 0.1 }
        physics Physics { density -1 mass 1 }
      }
    }
  ]
  name "robot"
}
"""


class Pushed(Task):
    """Observed: place, speed and what was drawn at the start; ends beyond 1 m."""

    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (3,), np.float32)
    control_steps = 2
    max_episode_steps = 20

    def __init__(self, world: Path, start: float = 0.0) -> None:
        self.world, self._start = world, start

    def bind(self, batch: Any) -> None:
        self._batch = batch
        self._place = batch.bind("joint.position", "ball")
        self._speed = batch.bind("joint.velocity", "ball")
        self._force = batch.bind("joint.target_effort", "push")
        self._drawn = np.zeros((len(batch), 1))
        self.told = np.zeros((len(batch), 1))

    def reset(self, ids: NDArray[np.intp], draw: Draws) -> None:
        self._drawn[ids] = draw.uniform(-1.0, 1.0, 1)
        self._batch.place("joint.position", self._start + 0.01 * self._drawn[ids], "ball", ids)

    def act(self, actions: Any) -> None:
        self.told = np.array(actions)
        self._force[:] = 10.0 * actions

    def observe(self) -> Any:
        return np.concatenate([self._place, self._speed, self._drawn], axis=1)

    def reward(self) -> NDArray[np.float64]:
        return self._place[:, 0].copy()

    def terminated(self) -> NDArray[np.bool_]:
        return np.abs(self._place[:, 0]) > 1.0

    def info(self) -> dict[str, NDArray[Any]]:
        return {"place": self._place[:, 0]}
