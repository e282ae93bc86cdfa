"""Finds the project folders of a world, and a Webots installation whose files it may use."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PARTS: Final = ("default", "humans", "languages", "robots", "samples", "vehicles")
"""Folders of Webots' own `projects` that hold worlds, PROTOs or controllers."""

_BESIDE: Final = ("resources", "lib/controller")
"""Folders beside `projects` in a source tree or an installation of Webots."""


def home_folders() -> frozenset[Path]:
    """Return the home of the user and all folders above it; none for a user without one (in containers)."""
    try:
        home = Path.home()
    except RuntimeError:
        return frozenset()
    return frozenset({home, *home.parents})


def webots_home(file: str, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the Webots that a world or another file belongs to, None for those of other people.

    It is what the user says with WEBOTS_HOME, and else the source tree or installation that the file
    lies in.
    """
    given = environment.get("WEBOTS_HOME", "")
    return Path(os.path.abspath(given)) if given else webots_tree(file)


def extra_projects(environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the projects whose PROTOs and controllers every world may use (WEBOTS_EXTRA_PROJECT_PATH)."""
    parts = environment.get("WEBOTS_EXTRA_PROJECT_PATH", "").split(os.pathsep)
    return tuple(Path(os.path.abspath(part)) for part in parts if part)


def own_projects(world: str, robot: str = "") -> tuple[Path, ...]:
    """Return the project folders that a world's controllers and plugins are looked for in, first ones first.

    Args:
        world: File of the world; its project comes first: the folder above its own, or above the
            nearest one that is called `worlds`; after these the world's own folder.
        robot: File that describes the robot; a PROTO's project comes last.
    """
    home = Path(world).resolve().parent
    found = [home.parent, *(part.parent for part in home.parents if part.name == "worlds"), home]
    if robot.lower().endswith(".proto"):
        found.append(Path(robot).resolve().parent.parent)
    return tuple(dict.fromkeys(found))


def webots_tree(file: str) -> Path | None:
    """Return the source tree or installation of Webots that a file lies in, or None.

    It has `projects` beside `resources` or `lib/controller`; a part of it is known by the names of
    the folders around the file, such as `projects/samples`. The home of the user and what is above it
    do not count, since people have folders of these names for their own things.
    """
    homes = home_folders()
    inner = ""
    for folder in Path(os.path.abspath(file)).parents:
        if folder in homes:
            return None
        if folder.name == "projects" and inner in _PARTS and folder.parent not in homes:
            return folder.parent
        if (folder / "projects").is_dir() and any((folder / part).is_dir() for part in _BESIDE):
            return folder
        inner = folder.name
    return None
