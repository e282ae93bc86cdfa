"""Compiles a controller of Choreonoid's to a shared object: by CMake, or its source files alone."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

from solidbody.control.building import (
    ControllerBuildError,
    MissingTool,
    cpp_compiler,
    hold_alone,
    run_tool,
)
from solidbody.control.simple_controllers.host_program import CNOID_SDK, INCLUDE, eigen_folder
from solidbody.control.simple_controllers.module_sources import ModuleSources, stands_alone

STANDARD: Final = "-std=c++20"

FLAGS: Final = ("-O2", "-fPIC", "-shared", "-Wno-deprecated-declarations")

_TREE: Final = """cmake_minimum_required(VERSION 3.10)
project(workspace C CXX)
find_package(choreonoid REQUIRED)
set(CMAKE_CXX_STANDARD ${{CHOREONOID_CXX_STANDARD}})
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include_directories(${{CHOREONOID_INCLUDE_DIRS}})
add_subdirectory("{folder}" tree)
"""
"""What stands in for Choreonoid's own tree above a folder that is written to stand in it."""


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
            _build(sources, compiler, eigen)
    except OSError as error:
        raise ControllerBuildError(f"{sources.place} was not built: {error}") from error
    if not sources.made.is_file():
        raise ControllerBuildError(
            f"{sources.place} was built, but there is no {sources.made.name}"
        )
    os.utime(sources.made)
    return sources.made


def _build(sources: ModuleSources, compiler: list[str], eigen: Path) -> None:
    """Build by the first way that works; what the first has to say counts."""
    refused: ControllerBuildError | None = None
    for root in sources.roots:
        for is_project in stands_alone(root):
            try:
                _by_cmake(sources, root, is_project, compiler, eigen)
                return
            except ControllerBuildError as error:
                refused = refused or error
    if sources.files:
        try:
            _compile(sources, compiler, eigen)
        except ControllerBuildError as error:
            raise refused or error from None
    elif refused is not None:
        raise refused


def _compile(sources: ModuleSources, compiler: list[str], eigen: Path) -> None:
    made = sources.cache / f".{sources.name}.new"
    command = [*compiler, STANDARD, *FLAGS, f"-I{INCLUDE}", "-isystem", str(eigen)]
    run_tool([*command, *sources.files, "-o", str(made)], sources.place.parent, sources.place)
    os.replace(made, sources.made)


def _by_cmake(
    sources: ModuleSources, root: Path, is_project: bool, compiler: list[str], eigen: Path
) -> None:
    """Let CMake build one target, of a project or of a folder that stands in Choreonoid's tree."""
    key = hashlib.sha256(f"{root}\0{is_project}".encode()).hexdigest()[:8]
    folder, build = root, sources.cache / f"build-{key}"
    if not is_project:
        folder = sources.cache / f"tree-{key}"
        folder.mkdir(exist_ok=True)
        quoted = root.as_posix().replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
        (folder / "CMakeLists.txt").write_text(_TREE.format(folder=quoted), encoding="utf-8")
    given = {
        "CMAKE_PREFIX_PATH": CNOID_SDK,
        "choreonoid_DIR": CNOID_SDK / "lib" / "cmake" / "choreonoid",
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_COMPILER": compiler[0],
        "SOLIDBODY_EIGEN": eigen,
        "SOLIDBODY_OUTPUT": sources.cache,
    }
    settings = [f"-D{name}={value}" for name, value in given.items()]
    quiet = ["--log-level=WARNING", "-Wno-dev"]
    run_tool(["cmake", *quiet, "-S", str(folder), "-B", str(build), *settings], root, sources.place)
    command = ["cmake", "--build", str(build), "--target", sources.name]
    run_tool(command, root, sources.place)
