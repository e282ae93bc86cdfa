"""Episodes of a policy as files: replays for the browser, films, recordings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from solidbody.rl.env import OWN_LIMIT, seeds_of, task_of
from solidbody.rl.episodes import Episodes
from solidbody.rl.pictures import CopyPhotographer
from solidbody.rl.task import Task
from solidbody.viewer.recordings import record


def record_episode(
    task: Task | Callable[[], Task] | str,
    policy: Callable[[Any], Any],
    path: str | os.PathLike[str],
    *,
    seed: int = 0,
    max_episode_steps: int | None = OWN_LIMIT,
) -> float:
    """Write an episode to a file, and return what it was worth.

    Args:
        task: The task, what makes one, or its registered name.
        policy: Maps rows of observations to actions.
        path: `.html` is a page that replays it, `.gif` and `.mp4` are films from the viewpoint, `.mcap` and
            `.csv` recordings.
        seed: Of the episode.
        max_episode_steps: After which it is cut off; by default as the task says.
    """
    own = task_of(task)
    limit = own.max_episode_steps if max_episode_steps == OWN_LIMIT else max_episode_steps
    if limit is None:
        raise ValueError("episodes must end: give max_episode_steps")
    episodes = Episodes(own, 1, max_episode_steps=limit, threads=1)
    episodes.reset(episodes.everyone, seeds_of([seed]))
    double = CopyPhotographer(episodes, (480, 360))
    double.pose(0)
    worth, is_over = 0.0, False
    with record(double.double, path, episodes.period) as recorder:
        recorder.write()
        while not is_over:
            outcome = episodes.step(np.asarray(policy(episodes.observe().reshape(1, -1))))
            worth += float(outcome.rewards[0])
            is_over = bool(outcome.terminated[0] or outcome.truncated[0])
            double.pose(0)
            recorder.write()
    return worth
