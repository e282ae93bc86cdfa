"""Plays recorded motions: tells joints, step by step, where their frame has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


@dataclass(frozen=True, slots=True, eq=False)
class BoundMotion:
    """A motion in a simulation. It has no memory: the number of the step is that of the frame.

    Attributes:
        rows: Axes of its joints.
        frames: (frames, joints) positions.
    """

    sim: Sim
    rows: tuple[int, ...]
    frames: NDArray[np.float64]

    def command(self, step: int) -> bool:
        """Give the commands of a step; False = it has come to its end."""
        if step >= len(self.frames):
            return False
        self.sim.motors.prescribe(self.rows, self.frames[step].tolist())
        return True


def bound_motions(sim: Sim) -> tuple[BoundMotion, ...]:
    """Return the motions of all bodies of a scene."""
    found: list[BoundMotion] = []
    first = 0
    for body in sim.scene.bodies:
        motion = body.motion
        if motion is not None:
            rows = tuple(sim.axis_row(first + link, 0) for link in motion.links)
            frames = np.frombuffer(motion.positions).reshape(-1, len(rows))
            found.append(BoundMotion(sim, rows, frames))
        first += len(body.links)
    return tuple(found)
