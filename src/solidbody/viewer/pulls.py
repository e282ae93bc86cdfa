"""Pulls of the page's user: what is held, where the mouse is, and the way back of a body that has left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.sim.handles import LinkHandle
from solidbody.sim.pulling import Grip
from solidbody.viewer.protocol_work import CommandPull

if TYPE_CHECKING:
    from solidbody.sim import Sim

Floats = NDArray[np.float64]

FAR: Final = 1000.0
"""[m] A body this far beyond all that is in the scene has left it."""

LOOK_PERIOD: Final = 0.1
"""[s] of simulated time between looks at where a body is that was let go."""


class Pulls:
    """Holds one link at a time, and remembers how its tree stood before."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self.forget()

    def forget(self) -> None:
        """Nobody pulls, and nothing is to be undone: the scene is another one, or begins anew."""
        self._grip: Grip | None = None
        self._key: tuple[int, tuple[float, ...], bool] | None = None
        self._target: Floats = np.zeros(3)
        self._watched: int | None = None
        self._before: tuple[Floats, Floats] | None = None
        self._left = False

    @property
    def can_undo(self) -> bool:
        """Whether a body has left the scene that was pulled before."""
        return self._left and self._watched is not None and self._is_there(self._watched)

    def obey(self, command: CommandPull) -> None:
        """Hold, pull elsewhere or let go. ValueError if forces do not move the link."""
        if not command.is_held:
            self._grip, self._key = None, None
            return
        if command.link >= len(self._sim.link_names):
            raise ValueError(f"There is no body number {command.link}.")
        key = (command.link, command.grip, command.turns)
        if key != self._key:
            grip = Grip(self._sim, command.link, np.array(command.grip), turns=command.turns)
            self._grip, self._key = grip, key
            if not self._left:
                self._remember(command.link)
        self._target = np.array(command.target)

    def before_step(self) -> None:
        """Add the force of the next step."""
        if self._watched is not None and not self._is_there(self._watched):
            self.forget()
        if self._grip is not None:
            self._grip.pull(self._target)

    @property
    def steps_until_due(self) -> int | None:
        """How many steps may go by until the next look: one while somebody pulls."""
        if self._grip is not None:
            return 1
        if self._watched is None or self._left:
            return None
        return max(1, round(LOOK_PERIOD / self._sim.time_step))

    def lost(self) -> str | None:
        """Return the name of a pulled body that has just left the scene; told once."""
        if self._watched is None or self._left or not self._is_there(self._watched):
            return None
        place = self._sim.pose(self._watched)[:3]
        if float(np.linalg.norm(place - self._middle)) < self._reach:
            return None
        self._left = True
        self._grip, self._key = None, None
        return self._sim.link_names[self._watched]

    def undo(self) -> str:
        """Put the body that has left, and what hangs on it, where it was before it was pulled."""
        assert self._watched is not None
        assert self._before is not None
        places, speeds = self._tree(self._watched)
        link = LinkHandle(self._sim, self._watched, self._sim.link_names[self._watched])
        link.reset_physics()
        self._sim.data.qpos[places] = self._before[0]
        self._sim.data.qvel[speeds] = self._before[1]
        self._sim.core.state_changed(self._watched)
        self.forget()
        return link.name

    def _remember(self, link: int) -> None:
        places, speeds = self._tree(link)
        data = self._sim.data
        self._name = self._sim.link_names[link]
        self._watched, self._before = link, (data.qpos[places].copy(), data.qvel[speeds].copy())
        poses = self._sim.poses()[:, :3]
        self._middle = poses.mean(axis=0)
        self._reach = FAR + float(np.linalg.norm(poses - self._middle, axis=1).max())

    def _is_there(self, link: int) -> bool:
        """Whether the link is the one that was pulled: programs add and remove bodies."""
        names = self._sim.link_names
        return link < len(names) and names[link] == self._name

    def _tree(self, link: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where positions and velocities of the link's whole tree are."""
        m = self._sim.model
        root = m.body_rootid[self._sim.compiled.binding.body[link]]
        joints = np.flatnonzero(m.body_rootid[m.jnt_bodyid] == root)
        ends = np.append(m.jnt_qposadr[1:], m.nq)
        places = [np.arange(m.jnt_qposadr[k], ends[k]) for k in joints]
        speeds = np.flatnonzero(m.body_rootid[m.dof_bodyid] == root)
        return np.concatenate(places or [np.zeros(0, np.int64)]).astype(np.int64), speeds
