"""Four legs: a robot with a hip and a knee on each leg walks along x."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.base.vectors import unrotate
from solidbody.rl.streams import Draws
from solidbody.rl.task import CONTROLLERS, WORLDS, Floats, Rows, Task
from solidbody.rl.tasks.frames import turned, up_in_frame, yaw_of

LEGS = ("front left", "front right", "hind left", "hind right")
JOINTS = [f"{leg} {joint}" for leg in LEGS for joint in ("hip", "knee")]

STANCE = np.tile([0.45, -0.9], 4)
"""[rad] The feet are under the hips."""

REACH = np.tile([0.45, 0.55], 4)
"""[rad] How far an action of 1 takes a joint from its stance."""

HEIGHT = 0.3
"""[m] Of the trunk at the start: the feet come down by a few millimetres."""

LOWEST = 0.19
"""[m] Of the trunk; below, or tilted by more than 50 degrees, the robot has fallen."""

SPEED = 0.6
"""[m/s] Along x, beyond which nothing is gained."""

CADENCE = 2.0
"""[Hz] Of the clock that is observed; nothing but the policy ties the legs to it."""


class FourLegs(Task):
    """Observed: the upward direction, speed and rates of the trunk in its own axes, heading, joints, a clock.

    Worth the speed along x [m/s], less for going sideways, for turning away and for trembling; a fall ends
    the episode.
    """

    world = WORLDS / "four_legs.wbt"
    controller = CONTROLLERS / "four_legs.py"
    action_space = spaces.Box(-1.0, 1.0, (8,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (30,), np.float32)
    control_steps = 4
    settle_steps = 10
    max_episode_steps = 500

    def bind(self, batch: Any) -> None:
        """Take the trunk and the eight joints."""
        self._batch = batch
        self._pose = batch.bind("link.pose", ["walker"])
        self._twist = batch.bind("link.twist", ["walker"])
        self._angles = batch.bind("joint.position", JOINTS)
        self._rates = batch.bind("joint.velocity", JOINTS)
        self._targets = batch.bind("joint.target_position", JOINTS)
        self._clock = np.zeros(len(batch))
        self._was = np.zeros((len(batch), 2))
        self._actions = np.zeros((len(batch), 8))
        self._change = np.zeros(len(batch))

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Begin standing, turned a little, at any time of the clock."""
        angles = STANCE + draw.uniform(-0.05, 0.05, 8)
        self._batch.place("joint.position", angles, JOINTS, ids)
        pose = np.zeros((len(ids), 1, 7))
        pose[:, 0, 2] = HEIGHT
        pose[:, 0, 3:] = turned(draw.uniform(-0.1, 0.1))
        self._batch.place("link.pose", pose, "walker", ids)
        self._targets[ids] = angles
        self._clock[ids] = draw.uniform(0.0, 2.0 * np.pi)

    def begin(self, ids: Rows) -> None:
        """Note where the walk starts."""
        self._was[ids] = self._pose[ids, 0, :2]
        self._actions[ids] = 0.0

    def act(self, actions: Any) -> None:
        """Give the joints their targets."""
        self._was[:] = self._pose[:, 0, :2]
        self._change = np.square(actions - self._actions).mean(axis=1)
        self._actions[:] = actions
        self._targets[:] = STANCE + REACH * actions
        self._clock += 2.0 * np.pi * CADENCE * self.period

    def observe(self) -> Any:
        """Return what the trunk and the joints do."""
        turn = self._pose[:, 0, 3:]
        return np.concatenate(
            [
                up_in_frame(turn),
                unrotate(turn, self._twist[:, 0, :3]),
                0.3 * unrotate(turn, self._twist[:, 0, 3:]),
                yaw_of(turn)[:, None],
                self._pose[:, 0, 1:2],
                self._pose[:, 0, 2:3] - 0.27,
                self._angles - STANCE,
                0.1 * self._rates,
                np.sin(self._clock)[:, None],
                np.cos(self._clock)[:, None],
            ],
            axis=1,
        )

    def reward(self) -> Floats:
        """Return how fast the robot went, less what it cost."""
        moved = (self._pose[:, 0, :2] - self._was) / self.period
        astray = np.abs(moved[:, 1]) + np.abs(yaw_of(self._pose[:, 0, 3:]))
        # no gain above a walk: beyond, falling forward would pay; smooth actions make steps of trembling
        return np.minimum(moved[:, 0], SPEED) - 0.3 * astray - 0.2 * self._change + 0.1

    def terminated(self) -> NDArray[np.bool_]:
        """Tell whether the robot has fallen."""
        up = up_in_frame(self._pose[:, 0, 3:])[:, 2]
        return (self._pose[:, 0, 2] < LOWEST) | (up < 0.64)

    def info(self) -> dict[str, NDArray[Any]]:
        """Tell how far along x the robot is."""
        return {"x": self._pose[:, 0, 0]}
