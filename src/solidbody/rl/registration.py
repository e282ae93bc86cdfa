"""Names of the tasks for `gymnasium.make` and `gymnasium.make_vec`."""

from __future__ import annotations

import importlib
from typing import Any, Final

import gymnasium

from solidbody.rl.task import Task

TASKS: Final = {
    "solidbody/Pole-v0": ("solidbody.rl.tasks.pole:Pole", 500),
    "solidbody/Goal-v0": ("solidbody.rl.tasks.goal:Goal", 200),
    "solidbody/FourLegs-v0": ("solidbody.rl.tasks.four_legs:FourLegs", 500),
    "solidbody/Reach-v0": ("solidbody.rl.tasks.reach:Reach", 150),
    "solidbody/Hover-v0": ("solidbody.rl.tasks.hover:Hover", 300),
    "solidbody/Line-v0": ("solidbody.rl.tasks.line:Line", 600),
    "solidbody/Biped-v0": ("solidbody.rl.tasks.biped:Biped", 400),
}
"""Names of the ready tasks: where each is, and after how many actions its episodes are cut off."""


_ENTRY_POINT: Final = "solidbody.rl.registration:make_env"


def register(
    name: str, task: type[Task] | str, *, max_episode_steps: int | None = None, **kwargs: Any
) -> None:
    """Let `gymnasium.make(name)` and `make_vec(name, num_envs=...)` make environments of a task.

    Args:
        name: "namespace/Name-v0".
        task: The class, or where it is: "module:Class".
        max_episode_steps: Actions after which episodes are cut off; None = as the class says.
        kwargs: Arguments for the class; `make` may give others.
    """
    if max_episode_steps is None:
        max_episode_steps = task_class(task).max_episode_steps
    gymnasium.register(
        name,
        entry_point=_ENTRY_POINT,
        vector_entry_point="solidbody.rl.registration:make_vector_env",
        max_episode_steps=max_episode_steps,
        kwargs={"task": task, **kwargs},
    )


def task_class(task: type[Task] | str) -> type[Task]:
    """Return the class of a task."""
    if not isinstance(task, str):
        return task
    module, _, name = task.partition(":")
    return getattr(importlib.import_module(module), name)


def registered_task(name: str) -> Task:
    """Return a new task of those that are registered, with the length of episodes that it has there.

    Raises:
        gymnasium.error.Error: Nothing is registered under it.
        ValueError: It is no task of ours.
    """
    spec = gymnasium.spec(name)
    kwargs = dict(spec.kwargs)
    if spec.entry_point != _ENTRY_POINT:
        raise ValueError(f"{name} is no task of solidbody.rl")
    made = TaskMaker(kwargs.pop("task"), kwargs)()
    made.max_episode_steps = spec.max_episode_steps
    return made


_OF_ENV = ("render_mode", "width", "height")
_OF_VECTOR = (*_OF_ENV, "autoreset_mode", "max_episode_steps", "threads", "device")


def make_env(*, task: type[Task] | str, **kwargs: Any) -> Any:
    """Return an `Env`; Gymnasium itself cuts its episodes off."""
    from solidbody.rl.env import Env

    own = {name: kwargs.pop(name) for name in _OF_ENV if name in kwargs}
    return Env(TaskMaker(task, kwargs), max_episode_steps=None, **own)


def make_vector_env(*, task: type[Task] | str, num_envs: int = 1, **kwargs: Any) -> Any:
    """Return a `VectorEnv`."""
    from solidbody.rl.vector_env import VectorEnv

    own = {name: kwargs.pop(name) for name in _OF_VECTOR if name in kwargs}
    return VectorEnv(TaskMaker(task, kwargs), num_envs, **own)


class TaskMaker:
    """Makes a task with its arguments; pickles, as a closure would not."""

    def __init__(self, task: type[Task] | str, kwargs: dict[str, Any]) -> None:
        self._task, self._kwargs = task, kwargs

    def __call__(self) -> Task:
        """Return a new task."""
        return task_class(self._task)(**self._kwargs)


def register_tasks() -> None:
    """Register the tasks that come with solidbody, once."""
    for name, (place, limit) in TASKS.items():
        if name not in gymnasium.registry:
            register(name, place, max_episode_steps=limit)
