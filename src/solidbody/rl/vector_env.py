"""`VectorEnv`: many copies of a task that step together, as Gymnasium's vector environments do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from solidbody.rl.env import OWN_LIMIT, metadata_of, rendering_of, seeds_of, task_of
from solidbody.rl.episodes import Episodes, Flags
from solidbody.rl.rendering import check_render_mode
from solidbody.rl.task import Rows, Task


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A task in many copies of its world.

    Copy number k under seed s does what `Env` does under seed s + k, to the byte, whatever the others do.

    Args:
        task: The task, what makes one (its class), or the name of one that is registered; an environment has
            a task of its own.
        num_envs: How many copies.
        autoreset_mode: When episodes that have ended start again: with the next step, in the same step
            (`infos["final_obs"]` then has the last observation), or when `reset` is asked to
            (`options={"reset_mask": ...}`).
        render_mode: "rgb_array" (a picture of each copy), "human" (a page shows copy 0), or None.
        width: Of pictures [pixels].
        height: Of pictures [pixels].
        max_episode_steps: Actions after which episodes are cut off; None = never; else as the task says.
        threads: How many may step the copies; None = one per processor. Results do not depend on it.
        device: "cuda", "cuda:1", ...: the copies are on a graphics card (docs/gpu.md), the task is the same;
            None = on the processor.

    Pickling carries the arguments: a copy of an environment starts anew.
    """

    def __init__(
        self,
        task: Task | Callable[[], Task] | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 360,
        max_episode_steps: int | None = OWN_LIMIT,
        threads: int | None = None,
        device: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        super().__init__()
        self._made_of = {
            "task": task,
            "num_envs": num_envs,
            "autoreset_mode": autoreset_mode,
            "render_mode": render_mode,
            "width": width,
            "height": height,
            "max_episode_steps": max_episode_steps,
            "threads": threads,
            "device": device,
        }
        own = task_of(task)
        limit = own.max_episode_steps if max_episode_steps == OWN_LIMIT else max_episode_steps
        self._episodes = Episodes(
            own, num_envs, max_episode_steps=limit, threads=threads, device=device
        )
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.render_mode = render_mode
        self.metadata = {
            **metadata_of(self._episodes),
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_action_space = own.action_space
        self.single_observation_space = own.observation_space
        self.action_space = batch_space(own.action_space, num_envs)
        self.observation_space = batch_space(own.observation_space, num_envs)
        self._rendering = rendering_of(self._episodes, render_mode, (width, height))
        self._is_over = np.zeros(num_envs, dtype=np.bool_)
        self._is_begun = False

    @property
    def task(self) -> Task:
        """What is learned here."""
        return self._episodes.task

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes in all copies, or in those of `options["reset_mask"]`.

        Args:
            seed: One for each copy; of a single one, copy k gets seed + k; None = the next episodes under
                the last seeds.
            options: `reset_mask` (num_envs,) of booleans; the others are the task's own affair.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        mask = _reset_mask(options, self.num_envs)
        if not self._is_begun:
            if mask is not None and not mask.all():
                raise gymnasium.error.ResetNeeded("the first reset must be one of all copies")
            if seed is None:
                seed = int(self.np_random_seed or 0)
        wanted = np.ones(self.num_envs, dtype=np.bool_) if mask is None else mask
        for ids, seeds in self._seeds(wanted, seed):
            self._episodes.reset(ids, seeds)
        self._is_begun = True
        self._is_over[wanted] = False
        self._rendering.follow()
        return self._episodes.observe(), self._infos(wanted)

    def _seeds(
        self, wanted: Flags, seed: int | Sequence[int | None] | None
    ) -> list[tuple[Rows, NDArray[np.uint64] | None]]:
        """Return which copies start, and under which new seeds."""
        ids = np.flatnonzero(wanted)
        if seed is None:
            return [(ids, None)]
        if isinstance(seed, int | np.integer):
            return [(ids, seeds_of([int(seed)]) + ids.astype(np.uint64))]
        each = list(seed) if isinstance(seed, Iterable) else [seed]
        if not all(one is None or (isinstance(one, int | np.integer) and one >= 0) for one in each):
            raise ValueError(f"seeds must be whole numbers, not negative, or None; got {seed!r}")
        if len(each) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} seeds, got {len(each)}")
        new = np.array([number is not None for number in each])
        given, others = np.flatnonzero(wanted & new), np.flatnonzero(wanted & ~new)
        if len(others) and not self._is_begun:
            raise gymnasium.error.ResetNeeded(
                "the first reset must give seeds to all copies or none"
            )
        out: list[tuple[Rows, NDArray[np.uint64] | None]] = []
        if len(given):
            out.append((given, seeds_of([int(each[k] or 0) for k in given])))
        if len(others):
            out.append((others, None))
        return out

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Carry out one action in each copy; what has ended starts again as `autoreset_mode` says."""
        if not self._is_begun:
            raise gymnasium.error.ResetNeeded("call reset before the first step")
        if self._is_over.any():
            if self.autoreset_mode is AutoresetMode.DISABLED:
                copies = ", ".join(map(str, np.flatnonzero(self._is_over)))
                raise gymnasium.error.ResetNeeded(
                    f"the episodes of copies {copies} are over: reset them with"
                    ' options={"reset_mask": terminated | truncated}'
                )
            return self._step_and_start(actions)
        outcome = self._episodes.step(actions)
        over = outcome.terminated | outcome.truncated
        infos: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and over.any():
            infos = self._final(over)
            self._episodes.reset(np.flatnonzero(over))
        else:
            self._is_over = over
        self._rendering.follow()
        observations = self._episodes.observe()
        infos.update(self._infos(np.ones(self.num_envs, dtype=np.bool_)))
        return observations, outcome.rewards, outcome.terminated, outcome.truncated, infos

    def _step_and_start(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Start the episodes of copies whose last one has ended; the others carry out their actions."""
        ending = self._is_over
        going = np.flatnonzero(~ending)
        actions = np.array(actions)
        actions[ending] = self._idle(actions)
        # the step comes first: rewards compare with the state before it
        outcome = self._episodes.step(actions, going)
        self._episodes.reset(np.flatnonzero(ending))
        self._is_over = outcome.terminated | outcome.truncated
        self._rendering.follow()
        infos = self._infos(np.ones(self.num_envs, dtype=np.bool_))
        return (
            self._episodes.observe(),
            outcome.rewards,
            outcome.terminated,
            outcome.truncated,
            infos,
        )

    def _idle(self, actions: NDArray[Any]) -> Any:
        """Return an action that is allowed, for copies that take none."""
        space = self.single_action_space
        if isinstance(space, gymnasium.spaces.Box):
            return np.clip(np.zeros(space.shape, dtype=space.dtype), space.low, space.high)
        return np.asarray(getattr(space, "start", 0), dtype=actions.dtype)

    def _infos(self, which: Flags) -> dict[str, Any]:
        """Return what is known of copies, with a mask of those for which it holds."""
        infos: dict[str, Any] = {}
        for name, values in self.task.info().items():
            infos[name], infos[f"_{name}"] = np.array(values), which.copy()
        failed = self._episodes.batch.failed
        if failed.any():
            infos["failed"], infos["_failed"] = failed.copy(), failed.copy()
        return infos

    def _final(self, over: Flags) -> dict[str, Any]:
        """Return the last observations and infos of episodes that have just ended."""
        observations = self._episodes.observe()
        final = np.full(self.num_envs, None, dtype=object)
        final[over] = _rows(observations, over)
        return {
            "final_obs": final,
            "_final_obs": over.copy(),
            "final_info": self._infos(over),
            "_final_info": over.copy(),
        }

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture (height, width, 3) of each copy; None in the mode "human"."""
        if self.render_mode != "rgb_array":
            self._rendering.picture(0)
            return None
        return tuple(self._rendering.picture(k) for k in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the page, if there is one."""
        self._rendering.close()

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of the task, once for each copy, as Gymnasium's own vector environments do."""
        return (getattr(self.task, name),) * self.num_envs

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (type(self), self._made_of)


def _make(kind: type[VectorEnv], made_of: dict[str, Any]) -> VectorEnv:
    return kind(**made_of)


def _rows(observations: Any, which: Flags) -> NDArray[Any]:
    """Return an array of the observations of some copies, each an object, as Gymnasium's `final_obs` are."""
    count = int(which.sum())
    if isinstance(observations, dict):
        columns = [_rows(value, which) for value in observations.values()]
        rows: Any = (
            dict(zip(observations, row, strict=True)) for row in zip(*columns, strict=True)
        )
    elif isinstance(observations, tuple):
        rows = zip(*(_rows(value, which) for value in observations), strict=True)
    else:
        rows = iter(observations[which])
    return np.fromiter(rows, dtype=object, count=count)


def _reset_mask(options: dict[str, Any] | None, copies: int) -> Flags | None:
    """Return which copies `reset` is asked to start; None = all."""
    if not options or "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError('options["reset_mask"] must be a numpy array of booleans')
    if mask.shape != (copies,):
        raise ValueError(f'options["reset_mask"] must have the shape ({copies},), got {mask.shape}')
    if not mask.any():
        raise ValueError('options["reset_mask"] must name at least one copy')
    return mask
