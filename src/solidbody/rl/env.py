"""`Env`: one copy of a task as a Gymnasium environment."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from solidbody.rl.episodes import Episodes
from solidbody.rl.rendering import RENDER_MODES, Rendering, check_render_mode
from solidbody.rl.task import Task

OWN_LIMIT = -1
"""As `max_episode_steps`: the task's own."""


class Env(gymnasium.Env[Any, Any]):
    """A task in one copy of its world.

    Args:
        task: The task, what makes one (its class), or the name of one that is registered
            ("solidbody/Pole-v0"); the environment has one of its own.
        render_mode: "rgb_array" (`render` returns pictures of the viewpoint), "human" (a page in the browser
            follows), or None.
        width: Of pictures [pixels].
        height: Of pictures [pixels].
        max_episode_steps: Actions after which episodes are cut off; None = never; else as the task says.

    Pickling carries the arguments: a copy of an environment starts anew.
    """

    def __init__(
        self,
        task: Task | Callable[[], Task] | str,
        *,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
        max_episode_steps: int | None = OWN_LIMIT,
    ) -> None:
        check_render_mode(render_mode)
        self._made_of = (task, render_mode, width, height, max_episode_steps)
        own = task_of(task)
        limit = own.max_episode_steps if max_episode_steps == OWN_LIMIT else max_episode_steps
        self._episodes = Episodes(own, 1, max_episode_steps=limit, threads=1)
        self.render_mode = render_mode
        self.metadata = metadata_of(self._episodes)
        self.action_space = own.action_space
        self.observation_space = own.observation_space
        self._rendering = rendering_of(self._episodes, render_mode, (width, height))
        self._is_begun = False

    @property
    def task(self) -> Task:
        """What is learned here."""
        return self._episodes.task

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode: the first one under `seed`, or the next one under the last seed."""
        super().reset(seed=seed)
        seeds = None
        if seed is not None or not self._is_begun:
            seeds = seeds_of([self.np_random_seed or 0])
        self._episodes.reset(self._episodes.everyone, seeds)
        self._is_begun = True
        self._rendering.follow()
        return self._observed(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out one action."""
        if not self._is_begun:
            raise gymnasium.error.ResetNeeded("call reset before the first step")
        outcome = self._episodes.step(np.asarray(action)[None])
        self._rendering.follow()
        return (
            self._observed(),
            float(outcome.rewards[0]),
            bool(outcome.terminated[0]),
            bool(outcome.truncated[0]),
            self._info(),
        )

    def render(self) -> NDArray[np.uint8] | None:
        """Return a picture (height, width, 3); None in the mode "human"."""
        return self._rendering.picture(0)

    def close(self) -> None:
        """Close the page, if there is one; may be called more than once."""
        self._rendering.close()

    def _observed(self) -> Any:
        return first_of(self._episodes.observe())

    def _info(self) -> dict[str, Any]:
        info = {name: _plain(value[0]) for name, value in self.task.info().items()}
        if self._episodes.batch.failed[0]:
            info["failed"] = True
        return info

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), *self._made_of)


def _make(
    kind: type[Env],
    task: Task | Callable[[], Task] | str,
    render_mode: str | None,
    width: int,
    height: int,
    max_episode_steps: int | None,
) -> Env:
    return kind(
        task,
        render_mode=render_mode,
        width=width,
        height=height,
        max_episode_steps=max_episode_steps,
    )


def task_of(task: Task | Callable[[], Task] | str) -> Task:
    """Return a task that belongs to nobody yet: another one like it, or a new one."""
    if isinstance(task, str):
        from solidbody.rl.registration import registered_task

        return registered_task(task)
    made = copy.copy(task) if isinstance(task, Task) else task()
    if not isinstance(made, Task):
        raise TypeError(f"expected a Task or what makes one, got {type(made).__name__}")
    return made


def rendering_of(episodes: Episodes, mode: str | None, size: tuple[int, int]) -> Rendering:
    """Return what shows these copies."""

    def hire() -> Any:
        from solidbody.rl.pictures import CopyPhotographer

        return CopyPhotographer(episodes, size)

    return Rendering(hire, episodes.period, mode, size)


def metadata_of(episodes: Episodes) -> dict[str, Any]:
    """Return what Gymnasium wants to know of an environment."""
    return {"render_modes": list(RENDER_MODES), "render_fps": max(1, round(1.0 / episodes.period))}


def seeds_of(seeds: list[int]) -> NDArray[np.uint64]:
    """Return seeds as words; of long ones the lowest 64 bits."""
    return np.array([seed % 2**64 for seed in seeds], dtype=np.uint64)


def first_of(observations: Any) -> Any:
    """Return the observation of the first copy."""
    if isinstance(observations, dict):
        return {name: first_of(value) for name, value in observations.items()}
    if isinstance(observations, tuple):
        return tuple(first_of(value) for value in observations)
    return observations[0]


def _plain(value: Any) -> Any:
    return value.item() if np.ndim(value) == 0 else np.array(value)
