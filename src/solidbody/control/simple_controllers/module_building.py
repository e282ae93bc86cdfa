"""Compiles a controller of Choreonoid's to a shared object: by its CMakeLists.txt, or its one source file."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.cache import cache_folder
from solidbody.control.building import (
    CPP_ENDINGS,
    ControllerBuildError,
    MissingTool,
    cpp_compiler,
    hold_alone,
    run_tool,
)
from solidbody.control.header_names import HEADERS
from solidbody.control.simple_controllers.host_program import CNOID_SDK, INCLUDE, eigen_folder

STANDARD: Final = "-std=c++20"

FLAGS: Final = ("-O2", "-fPIC", "-shared", "-Wno-deprecated-declarations")

_ADDS: Final = (
    r"(?:choreonoid_add_simple_controller|add_cnoid_simple_controller)\s*\(\s*{name}\s([^)]*)\)"
)

_PROJECT: Final = re.compile(r"^\s*project\s*\(", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModuleSources:
    """What a shared object is compiled of.

    Attributes:
        name: Of the controller.
        place: Its source file, or the CMakeLists.txt that adds it.
        files: Its source files, where they are compiled without CMake.
    """

    name: str
    place: Path
    files: tuple[str, ...] = ()

    @classmethod
    def find(cls, name: str, project: Path) -> ModuleSources | None:
        """Return the sources of a controller beside a project, in the folders below or the two above.

        A CMakeLists.txt is obeyed if it is a project of its own; from one of Choreonoid's tree the names
        of the sources are taken.
        """
        pattern = re.compile(_ADDS.format(name=re.escape(name)))
        folders = [*_near(project)]
        for folder in folders:
            lists = folder / "CMakeLists.txt"
            text = lists.read_text("utf-8", errors="replace") if lists.is_file() else ""
            added = pattern.search(text)
            if added is None:
                continue
            if _PROJECT.search(text) and shutil.which("cmake"):
                return cls(name, lists)
            files = tuple(word for word in added[1].split() if word.endswith(CPP_ENDINGS))
            if files and all((folder / file).is_file() for file in files):
                return cls(name, lists, files)
        for folder in folders:
            for ending in CPP_ENDINGS:
                if (folder / (name + ending)).is_file():
                    return cls(name, folder / (name + ending), (name + ending,))
        return None

    @property
    def cache(self) -> Path:
        """Where it is compiled."""
        key = hashlib.sha256(str(self.place.resolve()).encode()).hexdigest()[:16]
        return cache_folder(os.environ, "cnoid") / f"{self.place.parent.name}-{key}"

    @property
    def made(self) -> Path:
        """The shared object."""
        if not self.files:
            return self.cache / "lib" / f"{self.name}.so"
        return self.cache / f"{self.name}.so"

    def newest(self) -> float:
        """Return when sources or headers of the folder, or those of the SDK, have changed last."""
        endings = (*CPP_ENDINGS, *HEADERS, ".txt")
        folder = self.place.parent
        files = [path for path in folder.iterdir() if path.suffix in endings and path.is_file()]
        files += (INCLUDE / "cnoid" / "src").iterdir()
        return max(path.stat().st_mtime for path in files)


def _near(project: Path) -> Iterator[Path]:
    """Yield the folders in which sources are looked for, nearest first."""
    names = ("src", "controller", "controllers", "simplecontroller", "sample")
    for above in (project, *list(project.parents)[:2]):
        yield above
        for name in names:
            if (above / name).is_dir():
                yield above / name


def build_module(sources: ModuleSources) -> Path:
    """Compile a shared object and return it.

    Raises:
        ControllerBuildError: There is no compiler, or it has refused the sources.
    """
    compiler = cpp_compiler()
    if compiler is None:
        raise MissingTool(
            f"{sources.place} is to be compiled, and there is no C++ compiler here "
            "(apt install build-essential, on Debian and Ubuntu)"
        )
    eigen = eigen_folder()
    try:
        with hold_alone(sources.cache):
            if sources.files:
                _compile(sources, compiler, eigen)
            else:
                _by_cmake(sources, compiler, eigen)
    except OSError as error:
        raise ControllerBuildError(f"{sources.place} was not built: {error}") from error
    if not sources.made.is_file():
        raise ControllerBuildError(
            f"{sources.place} was built, but there is no {sources.made.name}"
        )
    os.utime(sources.made)
    return sources.made


def _compile(sources: ModuleSources, compiler: list[str], eigen: Path) -> None:
    made = sources.cache / f".{sources.name}.new"
    command = [*compiler, STANDARD, *FLAGS, f"-I{INCLUDE}", "-isystem", str(eigen)]
    run_tool([*command, *sources.files, "-o", str(made)], sources.place.parent, sources.place)
    os.replace(made, sources.made)


def _by_cmake(sources: ModuleSources, compiler: list[str], eigen: Path) -> None:
    folder, build = sources.place.parent, sources.cache / "build"
    given = {
        "CMAKE_PREFIX_PATH": CNOID_SDK,
        "choreonoid_DIR": CNOID_SDK / "lib" / "cmake" / "choreonoid",
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_COMPILER": compiler[0],
        "SOLIDBODY_EIGEN": eigen,
        "SOLIDBODY_OUTPUT": sources.cache / "lib",
    }
    settings = [f"-D{name}={value}" for name, value in given.items()]
    run_tool(["cmake", "-S", str(folder), "-B", str(build), *settings], folder, sources.place)
    command = ["cmake", "--build", str(build), "--target", sources.name]
    run_tool(command, folder, sources.place)
