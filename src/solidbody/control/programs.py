"""Finds the program that drives a robot, and the command that starts it (docs/behaviour, W10.1)."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from solidbody.base.webots_home import extra_projects, own_projects, webots_home
from solidbody.contact.build import SDK
from solidbody.control.building import (
    ControllerBuildError,
    MissingTool,
    Sources,
    build,
    executables,
    foreign_system,
    sources_of,
    unmet_needs,
    wants_webots_cpp,
)
from solidbody.control.interpreters import InterpreterError, interpreter
from solidbody.control.runtime_ini import read_runtime_settings

CLIENT: Final = Path(__file__).with_name("client")
"""Folder of the `controller` package."""

NO_PROGRAM: Final = ("", "void", "<none>", "<generic>")
"""Names that start nothing: the generic controller only serves a robot window."""

EXTERN: Final = "<extern>"

_NAME: Final = re.compile(r"[^/\\:\0]+")
"""A controller is a folder of its own in `controllers`: no path, drive or share."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to be started.

    Attributes:
        command: What is started.
        folder: Its working folder.
        environment: Additions to the environment.
        remark: What the user should know about the choice; empty = nothing.
    """

    command: tuple[str, ...]
    folder: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])
    remark: str = ""


class ProgramError(Exception):
    """No program for a robot; the text says where it was looked for."""


def find_program(
    name: str,
    arguments: tuple[str, ...],
    folders: tuple[Path, ...],
    python: str | None = None,
    home: Path | None = None,
) -> Program:
    """Return the program of a controller.

    Args:
        name: Name of the controller.
        arguments: Its arguments.
        folders: `controllers` folders, in the order in which they are searched.
        python: Interpreter for Python programs, see `interpreters.py`; None = what runtime.ini says, if
            it says something, and else the user's.
        home: What the program finds as WEBOTS_HOME, see `webots_home`; None = a folder of ours.

    Raises:
        ProgramError: There is no such folder, or no program in it that can be started here.
    """
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise ProgramError(f'"{name}" is no name of a controller: it would lead to another folder')
    looked = [folder / name for folder in folders]
    folder = next((place for place in looked if place.is_dir()), None)
    if folder is None:
        places = ", ".join(str(place) for place in looked) or "no folder"
        raise ProgramError(f'the controller "{name}" was not found; looked for {places}')
    settings = read_runtime_settings(folder, {**os.environ, "WEBOTS_HOME": str(home or SDK)})
    environment, remark = settings.environment, settings.problem
    if (folder / "Dockerfile").is_file():
        raise ProgramError(f'the controller "{name}" wants Docker, which solidbody does not start')
    script = folder / f"{name}.py"
    executable, problem = _executable(name, folder, home, environment, has_script=script.is_file())
    if executable:
        return Program((str(executable), *arguments), folder, environment, problem or remark)
    if script.is_file():
        given = "" if python else settings.command
        options = settings.options
        try:
            usual = interpreter(python)
        except InterpreterError as error:
            raise ProgramError(str(error)) from error
        if given and shutil.which(given) is None and not _is_file(folder / given):
            remark = (
                f'"{given}", the interpreter that runtime.ini of "{name}" asks for, is not on this '
                f"machine; {usual} is used"
            )
            given = ""
        command = (given or usual, "-u", *options, script.name, *arguments)
        return Program(command, folder, environment, remark)
    foreign = _foreign(name, folder)
    if foreign:
        raise ProgramError(foreign)
    others = [name + end for end in (".class", ".jar", ".m", ".bsg", ".java")]
    found = [other for other in others if (folder / other).exists()]
    if found:
        raise ProgramError(
            f'the controller "{name}" is {found[0]}; only programs in Python, C and C++ are started'
        )
    raise ProgramError(f'the folder {folder} has no program "{name}" or "{name}.py"')


def _executable(
    name: str, folder: Path, home: Path | None, environment: Mapping[str, str], *, has_script: bool
) -> tuple[Path | None, str]:
    """Return the executable of a controller, built if its sources are newer, and what is wrong with it."""
    places = [path for path in executables(name, folder) if _is_program(path)]
    sources = sources_of(name, folder)
    if sources is None or (has_script and not places):
        return (places[0] if places else None), ""
    kept = sources.output / name
    if not places and _is_program(kept):
        places = [kept]
    newest = sources.newest()
    fresh = [path for path in places if path.stat().st_mtime >= newest]
    if fresh and not _must_be_built_anew(sources, fresh[0], environment):
        return fresh[0], ""
    try:
        return build(sources, home), ""
    except MissingTool as error:
        if not places:
            raise ProgramError(str(error)) from error
        return places[0], f"{error}; the executable that is there is older than its sources"
    except ControllerBuildError as error:
        raise ProgramError(str(error)) from error


def _must_be_built_anew(sources: Sources, executable: Path, environment: Mapping[str, str]) -> bool:
    """Whether an executable that is as new as its sources was built where there are other libraries."""
    if sources.has_cpp and wants_webots_cpp(executable):
        return True
    return bool(unmet_needs(executable, environment))


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK) and not foreign_system(path)


def _foreign(name: str, folder: Path) -> str:
    """Return a message about an executable that was built for something else."""
    for path in executables(name, folder):
        if path.is_file() and (system := foreign_system(path)):
            return f"{path} was built for {system}, and there is no source to build it anew from"
    return ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def controller_folders(
    world: str, robot: str = "", more: tuple[Path, ...] = ()
) -> tuple[Path, ...]:
    """Return the folders in which the controller of a robot is looked for.

    Args:
        world: File of the world; its project comes first: the folder above its own, or above the
            nearest one that is called `worlds`; after these the world's own folder.
        robot: File that describes the robot; a PROTO's project comes second.
        more: Folders that come after these, before those of extra projects, Webots and our own PROTOs.
    """
    found = [project / "controllers" for project in own_projects(world, robot)]
    found += more
    found += [project / "controllers" for project in extra_projects()]
    if webots := webots_home(world):
        found.append(webots / "projects" / "default" / "controllers")
    found.append(Path(__file__).parents[1] / "standins" / "controllers")
    return tuple(dict.fromkeys(found))
