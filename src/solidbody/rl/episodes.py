"""Episodes of a task in n copies of its world: what `Env` and `VectorEnv` have in common."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from solidbody.formats.loading import load
from solidbody.model.scene import Scene
from solidbody.rl.streams import Draws, stream_keys
from solidbody.rl.task import Rows, Task
from solidbody.sim import Sim

if TYPE_CHECKING:
    from solidbody.rl.card_copies import CardCopies
    from solidbody.sim.batch.batch import Batch

Flags = NDArray[np.bool_]


@dataclass(slots=True)
class ActionOutcome:
    """What an action has led to, in arrays over copies."""

    rewards: NDArray[np.float64]
    terminated: Flags
    truncated: Flags


class Episodes:
    """Copies of a task's world, each in an episode of its own.

    Args:
        task: The task, which belongs to these copies from now on.
        copies: How many.
        max_episode_steps: Actions after which episodes are cut off; None = never.
        threads: How many may step them; None = one per processor.
        device: "cuda", ...: the copies are on a graphics card (docs/gpu.md); None = on the processor.
    """

    def __init__(
        self,
        task: Task,
        copies: int,
        *,
        max_episode_steps: int | None,
        threads: int | None = None,
        device: str | None = None,
    ) -> None:
        if copies < 1:
            raise ValueError(f"there must be at least one copy, got {copies}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps must be at least 1, got {max_episode_steps}")
        self.task, self.copies, self.limit = task, copies, max_episode_steps
        scene = task.world if isinstance(task.world, Scene) else load(Path(task.world))
        self.sim = Sim(scene)
        self.batch: Batch | CardCopies
        if device is None:
            self.batch = self.sim.batch(copies, threads=threads)
        else:
            if threads is not None:
                raise ValueError("threads are a matter of the processor, not of a device")
            from solidbody.rl.card_copies import CardCopies

            self.batch = CardCopies(self.sim.batch(copies, device=device))
        self.everyone: Rows = np.arange(copies)
        self._seeds = np.zeros(copies, dtype=np.uint64)
        self._episodes = np.zeros(copies, dtype=np.uint64)
        self._elapsed = np.zeros(copies, dtype=np.int64)
        self._bounds = _bounds(task.action_space)
        task.period = self.period
        task.bind(self.batch)

    @property
    def period(self) -> float:
        """Simulated time between actions [s]."""
        return self.sim.time_step * self.task.control_steps

    def reset(self, ids: Rows, seeds: NDArray[np.uint64] | None = None) -> None:
        """Start an episode in the copies `ids`: the first one of new seeds, or the next one."""
        if seeds is None:
            self._episodes[ids] += np.uint64(1)
        else:
            self._seeds[ids], self._episodes[ids] = seeds, 0
        keys = stream_keys(self._seeds[ids], self._episodes[ids])
        self.batch.reset(ids, seeds=keys)
        self.task.reset(ids, Draws(keys))
        if self.task.settle_steps:
            self.batch.step(self.task.settle_steps, ids)
        self._elapsed[ids] = 0
        self.task.begin(ids)

    def step(self, actions: Any, ids: Rows | None = None) -> ActionOutcome:
        """Carry out one action in all copies, or in the copies `ids`; `actions` has a row for each copy."""
        task, batch = self.task, self.batch
        task.act(self.checked(actions))
        if ids is None:
            batch.step(task.control_steps, on_error="mask")
            self._elapsed += 1
        else:
            batch.step(task.control_steps, ids, on_error="mask")
            self._elapsed[ids] += 1
        rewards = np.array(task.reward(), dtype=np.float64)
        terminated = np.array(task.terminated(), dtype=np.bool_)
        if batch.failed.any():
            rewards[batch.failed] = 0.0
            terminated |= batch.failed
        if self.limit is None:
            truncated = np.zeros(self.copies, dtype=np.bool_)
        else:
            truncated = self._elapsed >= self.limit
        if ids is not None:
            others = np.ones(self.copies, dtype=np.bool_)
            others[ids] = False
            rewards[others], terminated[others], truncated[others] = 0.0, False, False
        return ActionOutcome(rewards, terminated, truncated)

    def observe(self) -> Any:
        """Return what is observed in all copies, in the types of the observation space."""
        found = _typed(self.task.observation_space, self.task.observe(), self.copies)
        if self.batch.failed.any():
            _without_nan(found, self.batch.failed)
        return found

    def checked(self, actions: Any) -> Any:
        """Return actions as the task may have them: finite, within bounds, one row for each copy.

        Raises:
            ValueError: They are no numbers, or not as many as there should be.
        """
        if self._bounds is None:
            return actions
        low, high = self._bounds
        is_choice = isinstance(self.task.action_space, spaces.Discrete)
        values = np.asarray(actions, dtype=low.dtype)
        if values.shape != (self.copies, *low.shape):
            raise ValueError(
                f"expected actions of shape {(self.copies, *low.shape)}, got {values.shape}"
            )
        if low.dtype.kind == "f" and not math.isfinite(float(values.sum())):
            bad = ~np.isfinite(values)
            if bad.any():
                copy = int(np.argwhere(bad)[0][0])
                raise ValueError(f"actions must be finite; those of copy {copy} are {values[copy]}")
        clipped = np.clip(values, low, high)
        if is_choice and (clipped != values).any():
            wrong = int(values[clipped != values][0])
            raise ValueError(f"action {wrong} is none of {int(low)} to {int(high)}")
        return clipped


def _bounds(space: spaces.Space[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the least and the greatest action; None for spaces that are no boxes and no choices."""
    if isinstance(space, spaces.Box):
        return space.low, space.high
    if isinstance(space, spaces.Discrete):
        first = np.asarray(space.start)
        return first, first + space.n - 1
    return None


def _typed(space: spaces.Space[Any], values: Any, copies: int) -> Any:
    """Return arrays of the space's type and shape, which nobody else has."""
    if isinstance(space, spaces.Dict):
        return {name: _typed(part, values[name], copies) for name, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_typed(part, value, copies) for part, value in zip(space, values, strict=True))
    found = np.array(values, dtype=space.dtype)
    if found.shape != (copies, *(space.shape or ())):
        raise ValueError(
            f"the task observes an array of shape {found.shape};"
            f" its space wants {(copies, *(space.shape or ()))}"
        )
    return found


def _without_nan(values: Any, rows: Flags) -> None:
    """Let the last observation of a simulation that broke down be numbers."""
    if isinstance(values, dict):
        for part in values.values():
            _without_nan(part, rows)
    elif isinstance(values, tuple):
        for part in values:
            _without_nan(part, rows)
    elif values.dtype.kind == "f":
        values[rows] = np.nan_to_num(values[rows], nan=0.0, posinf=0.0, neginf=0.0)
