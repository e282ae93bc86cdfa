"""Standing: a Choreonoid body on two legs is pushed, and keeps standing."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.base.vectors import unrotate
from solidbody.rl.streams import Draws
from solidbody.rl.task import WORLDS, Floats, Rows, Task
from solidbody.rl.tasks.frames import up_in_frame

JOINTS = [
    f"{side}_{name}"
    for side in ("R", "L")
    for name in ("HIP_ROLL", "HIP_PITCH", "KNEE", "ANKLE_PITCH", "ANKLE_ROLL")
]

STANCE = np.tile([0.0, -0.35, 0.7, -0.35, 0.0], 2)
"""[rad] Knees bent, soles flat."""

REACH = np.tile([0.3, 0.6, 0.6, 0.4, 0.3], 2)
"""[rad] How far an action of 1 takes a joint from its stance."""

STIFFNESS, DAMPING = 400.0, 10.0
"""[N m/rad], [N m s/rad] With which joints are driven to where an action wants them."""

MOST_EFFORT = 100.0
"""[N m] Of a joint."""

HEIGHT = 0.787
"""[m] Of the trunk's origin with the soles on the ground: 0.03 + 2 * 0.37 cos 0.35 + 0.06, and 2 mm."""

JOLT = 0.6
"""[m/s] By which the hardest push changes the speed of the body, level: 16 N s."""

PAUSE_STEPS = 120
"""Actions from one push to the next: 1.2 s."""


class Biped(Task):
    """Observed: upward direction, speed and rates of the trunk in its own axes, joints.

    Worth 1 for each action, less for moving and for effort; a fall ends the episode.
    """

    world = WORLDS / "biped.cnoid"
    action_space = spaces.Box(-1.0, 1.0, (10,), np.float32)
    observation_space = spaces.Box(-np.inf, np.inf, (30,), np.float32)
    control_steps = 2
    settle_steps = 1
    max_episode_steps = 800

    def bind(self, batch: Any) -> None:
        """Take the trunk, the ten joints and the pushes."""
        self._batch = batch
        self._pose = batch.bind("link.pose", ["TRUNK"])
        self._twist = batch.bind("link.twist", ["TRUNK"])
        self._angles = batch.bind("joint.position", JOINTS)
        self._rates = batch.bind("joint.velocity", JOINTS)
        self._efforts = batch.bind("joint.target_effort", JOINTS)
        count = len(batch)
        self._pushes = np.zeros((count, 8, 2))
        self._elapsed = np.zeros(count, dtype=np.int64)
        self._home = np.zeros((count, 2))
        self._effort = np.zeros(count)

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Begin standing; the pushes of the whole episode are drawn."""
        angles = STANCE + draw.uniform(-0.02, 0.02, 10)
        self._batch.place("joint.position", angles, JOINTS, ids)
        pose = np.zeros((len(ids), 1, 7))
        pose[:, 0, 2], pose[:, 0, 3] = HEIGHT, 1.0
        self._batch.place("link.pose", pose, "TRUNK", ids)
        angle = draw.uniform(0.0, 2.0 * np.pi, 8)
        jolt = draw.uniform(0.3 * JOLT, JOLT, 8)
        self._pushes[ids] = np.stack([jolt * np.cos(angle), jolt * np.sin(angle)], axis=2)

    def begin(self, ids: Rows) -> None:
        """Note where each stands."""
        self._elapsed[ids] = 0
        self._home[ids] = self._pose[ids, 0, :2]
        self._effort[ids] = 0.0

    def act(self, actions: Any) -> None:
        """Give the joints their targets, and push."""
        wanted = STIFFNESS * (STANCE + REACH * actions - self._angles) - DAMPING * self._rates
        self._efforts[:] = np.clip(wanted, -MOST_EFFORT, MOST_EFFORT)
        self._effort = np.square(actions).mean(axis=1)
        number, since = np.divmod(self._elapsed, PAUSE_STEPS)
        pushed = np.flatnonzero(since == PAUSE_STEPS // 2)
        if len(pushed):
            twist = self._twist[pushed].copy()
            twist[:, 0, :2] += self._pushes[pushed, number[pushed] % 8]
            self._batch.place("link.twist", twist, "TRUNK", pushed)
        self._elapsed += 1

    def observe(self) -> Any:
        """Return what the trunk and the joints do."""
        turn = self._pose[:, 0, 3:]
        return np.concatenate(
            [
                up_in_frame(turn),
                unrotate(turn, self._twist[:, 0, :3]),
                0.3 * unrotate(turn, self._twist[:, 0, 3:]),
                self._pose[:, 0, 2:3] - HEIGHT,
                self._angles - STANCE,
                0.1 * self._rates,
            ],
            axis=1,
        )

    def reward(self) -> Floats:
        """Return 1, less for what is not standing."""
        speed = np.sqrt(np.square(self._twist[:, 0, :3]).sum(axis=1))
        up = up_in_frame(self._pose[:, 0, 3:])[:, 2]
        return 1.0 - 0.5 * speed - (1.0 - up) - 0.1 * self._effort

    def terminated(self) -> NDArray[np.bool_]:
        """Tell whether the robot has fallen."""
        up = up_in_frame(self._pose[:, 0, 3:])[:, 2]
        return (self._pose[:, 0, 2] < 0.55) | (up < 0.7)
