"""Reinforcement learning: tasks in worlds, as Gymnasium environments.

    import gymnasium, solidbody.rl                       # registers the tasks

    env = gymnasium.make("solidbody/Pole-v0")
    envs = gymnasium.make_vec("solidbody/Goal-v0", num_envs=64)

The extra `solidbody[rl]` brings Gymnasium. The names below are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

try:
    from solidbody.rl.registration import register, register_tasks
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise ModuleNotFoundError(
        'solidbody.rl needs Gymnasium: pip install "solidbody[rl]"', name="gymnasium"
    ) from error

if TYPE_CHECKING:
    from solidbody.rl.controller_env import ControllerEnv
    from solidbody.rl.env import Env
    from solidbody.rl.export import export_controller
    from solidbody.rl.policy import Policy, dense_policy
    from solidbody.rl.random_search import evaluate, search
    from solidbody.rl.recording import record_episode
    from solidbody.rl.streams import Draws
    from solidbody.rl.task import Task
    from solidbody.rl.vector_env import VectorEnv

__all__ = [
    "ControllerEnv",
    "Draws",
    "Env",
    "Policy",
    "Task",
    "VectorEnv",
    "dense_policy",
    "evaluate",
    "export_controller",
    "record_episode",
    "register",
    "register_tasks",
    "search",
]

_HOMES = {
    "ControllerEnv": "solidbody.rl.controller_env",
    "Policy": "solidbody.rl.policy",
    "dense_policy": "solidbody.rl.policy",
    "evaluate": "solidbody.rl.random_search",
    "export_controller": "solidbody.rl.export",
    "record_episode": "solidbody.rl.recording",
    "search": "solidbody.rl.random_search",
    "Draws": "solidbody.rl.streams",
    "Env": "solidbody.rl.env",
    "Task": "solidbody.rl.task",
    "VectorEnv": "solidbody.rl.vector_env",
}

register_tasks()


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f'module "solidbody.rl" has no attribute "{name}"')
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value
