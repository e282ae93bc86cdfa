"""Finds the shared objects of controllers, and compiles those whose sources are beside the project.

In Choreonoid they lie in folders of plugins; here also where builds of a workspace put them. A source file
of the controller's name beside the project, or a CMakeLists.txt of the workspace that adds it, is compiled
when it is newer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from solidbody.control.simple_controllers.module_building import build_module
from solidbody.control.simple_controllers.module_sources import ModuleSources
from solidbody.model.programs import ModuleFolder, SimpleController

ENDING: Final = ".dylib" if sys.platform == "darwin" else ".so"

PLUGINS_VARIABLE: Final = "CHOREONOID_PLUGIN_PATH"
"""Folders of plugins, as in Choreonoid; each may hold a folder `simplecontroller`."""

FOREIGN: Final = (b"libCnoidBody.", b"libCnoidUtil.", b"libCnoidBase.")
"""Libraries of the real Choreonoid, which its shared objects name."""


class ModuleError(Exception):
    """There is no shared object for a controller; the text says where it was looked for."""


class ModuleFinder:
    """Finds shared objects for one project.

    Args:
        project: Its file.
        say: Told what is compiled.
    """

    def __init__(self, project: str, say: Callable[[str, str], None]) -> None:
        self._folder = Path(project).resolve().parent
        self._say = say

    def find(self, program: SimpleController) -> Path:
        """Return the shared object of a controller, compiled if need be.

        Raises:
            ModuleError: There is none, or it is none of our SDK.
            ControllerBuildError: It was not compiled.
        """
        if not program.module:
            raise ModuleError("its item names no shared object")
        name = Path(program.module)
        if name.suffix in (".so", ".dll", ".dylib"):
            name = name.with_suffix("")
        project = Path(program.span.file).resolve().parent if program.span.file else self._folder
        looked = [
            path.with_name(path.name + ENDING) for path in _places(name, program.folder, project)
        ]
        found = next((path for path in looked if path.is_file()), None)
        sources = ModuleSources.find(name.name, project)
        if sources is not None and (found is None or sources.newest() > found.stat().st_mtime):
            made = sources.made
            if not made.is_file() or made.stat().st_mtime < sources.newest():
                self._say("info", f'compiling the controller "{name.name}": {sources.place}')
                build_module(sources)
            found = made
        if found is None:
            folders = dict.fromkeys(str(path.parent) for path in looked)
            raise ModuleError(
                f'there is no shared object "{looked[0].name}" in {", ".join(folders)}, nor a source '
                f"{name.name}.cpp beside the project or a CMakeLists.txt that adds it in its workspace"
            )
        _check(found)
        return found


def _places(name: Path, folder: ModuleFolder, project: Path) -> Iterator[Path]:
    """Yield where a shared object may be, without its ending."""
    if name.is_absolute():
        yield name
        return
    if folder is ModuleFolder.CONTROLLERS:
        for plugins in filter(None, os.environ.get(PLUGINS_VARIABLE, "").split(os.pathsep)):
            yield Path(plugins) / "simplecontroller" / name
            yield Path(plugins) / name
        for above in (project, *list(project.parents)[:3]):
            for tree in ("build", "install", "devel", "."):
                for plugins in sorted((above / tree / "lib").glob("choreonoid-*"), reverse=True):
                    yield plugins / "simplecontroller" / name
    yield project / name


def _check(module: Path) -> None:
    """Refuse a shared object of the real Choreonoid, whose objects lie otherwise in memory."""
    try:
        content = module.read_bytes()
    except OSError as error:
        raise ModuleError(f"{module} cannot be read: {error.strerror or error}") from error
    if b"createSimpleController" not in content:
        raise ModuleError(f"{module} is no controller: it has no function createSimpleController")
    if b"solidbodyCnoidAbi" not in content:
        of = (
            "Choreonoid's own libraries"
            if any(name in content for name in FOREIGN)
            else "another SDK"
        )
        raise ModuleError(
            f"{module} was compiled for {of}; compile it again with solidbody's "
            "(find_package(choreonoid) with CMAKE_PREFIX_PATH=$(solidbody sdk --choreonoid))"
        )
