"""`Task`: what is to be learned in a world, written once for one copy or for many thousands.

A task sees its copies as arrays: `bind` asks the batch for live arrays, one row per copy; the other methods
read and write them. Nothing in a task loops over copies.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solidbody.rl.streams import Draws

if TYPE_CHECKING:
    from gymnasium import Space

    from solidbody.model.scene import Scene
    from solidbody.sim import Sim

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

WORLDS = Path(__file__).parent / "worlds"
"""Where the worlds of the tasks that come with solidbody are."""

CONTROLLERS = Path(__file__).parent / "controllers"
"""Where the programs of their robots are, which follow a policy."""


class Task:
    """A world, what is commanded and observed in it, and what it is worth.

    Attributes:
        world: The file, or the scene.
        action_space: Of one copy.
        observation_space: Of one copy.
        control_steps: Steps of the simulation for each action.
        settle_steps: Steps without an action at the start of an episode, after which sensors have measured.
        max_episode_steps: Actions after which an episode is cut off (truncated); None = never.
        period: Simulated time between actions [s]; known when `bind` is called.
        controller: The program of the robot that `export_controller` writes: it finds the policy beside
            itself, and reads the robot's own devices; None = there is none.
    """

    world: str | Path | Scene
    action_space: Space[Any]
    observation_space: Space[Any]
    control_steps: int = 1
    settle_steps: int = 1
    max_episode_steps: int | None = 1000
    period: float = 0.0
    controller: str | Path | None = None

    def bind(self, batch: Any) -> None:
        """Take the live arrays that the task needs; `len(batch)` is the number of copies."""
        raise NotImplementedError

    def reset(self, ids: Rows, draw: Draws) -> None:
        """Give the copies `ids`, which stand as the file says, a start of their own.

        `draw` has a row for each of them.
        """

    def begin(self, ids: Rows) -> None:
        """Note what later steps compare with: the copies `ids` have settled."""

    def act(self, actions: Any) -> None:
        """Command all copies; actions are within their space."""
        raise NotImplementedError

    def observe(self) -> Any:
        """Return the observations of all copies: a new array, or a dict of new arrays."""
        raise NotImplementedError

    def reward(self) -> Floats:
        """Return (copies,): what the last action was worth. Called once per action, before `terminated`."""
        raise NotImplementedError

    def terminated(self) -> NDArray[np.bool_]:
        """Return (copies,): whether the episode has come to its end, good or bad."""
        raise NotImplementedError

    def info(self) -> dict[str, NDArray[Any]]:
        """Return what else is known, an array (copies, ...) for each name."""
        return {}

    def show(self, sim: Sim, copy: int) -> None:
        """Put what only pictures need (a marker) in its place; `sim` is a double of one of the copies."""
