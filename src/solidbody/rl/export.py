"""A policy as an ordinary Webots controller: a project that Webots and `solidbody run` open."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from solidbody.base.errors import SolidbodyError
from solidbody.formats.webots.edit.document import load_world
from solidbody.model.scene import Scene
from solidbody.rl.env import task_of
from solidbody.rl.policy import Policy
from solidbody.rl.task import CONTROLLERS, Task

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def export_controller(
    policy: Policy,
    task: Task | Callable[[], Task] | str,
    folder: str | os.PathLike[str],
    *,
    robot: str = "Robot",
    arguments: Sequence[str] = (),
) -> Path:
    """Write a Webots project whose robot follows a policy; return its world.

    The program is the task's (`Task.controller`): it reads the robot's own devices. It needs nothing but
    Python and Webots' `controller` module. The folder gets `worlds/NAME.wbt`, the task's world with this
    controller, and `controllers/NAME` with the program, the policy as JSON and what evaluates it.

    Args:
        policy: What was learned.
        task: For which task.
        folder: Of the project; it may exist.
        robot: Path of the robot's node in the world.
        arguments: What the program is told, such as where the goal is.

    Raises:
        SolidbodyError: The task has no program, or its world is no file of Webots.
    """
    own = task_of(task)
    program = own.controller
    if program is None:
        raise SolidbodyError(
            f'{type(own).__name__} has no program for robots: give it one as "controller"'
        )
    if isinstance(own.world, Scene) or Path(own.world).suffix != ".wbt":
        raise SolidbodyError(f"the world of {type(own).__name__} is no file of Webots (.wbt)")
    name = Path(program).stem
    if not _NAME.fullmatch(name):
        raise SolidbodyError(f'"{name}" cannot be the name of a controller')
    world = load_world(own.world)
    world.set(f"{robot}.controller", name)
    world.set(f"{robot}.controllerArgs", list(arguments))
    place = Path(folder)
    for part in ("worlds", f"controllers/{name}"):
        (place / part).mkdir(parents=True, exist_ok=True)
    home = place / "controllers" / name
    shutil.copyfile(program, home / f"{name}.py")
    shutil.copyfile(CONTROLLERS / "policy.py", home / "policy.py")
    policy.save(home / "policy.json")
    target = place / "worlds" / f"{name}.wbt"
    world.save(target)
    return target
