"""Compiles the host of Choreonoid's controllers, once for each release of its sources, into the cache.

The host holds the library that controllers are compiled against (`control/cnoid`); their shared objects
find it there when they are loaded. It needs a C++ compiler and Eigen, as they do.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from solidbody.base.cache import cache_folder
from solidbody.contact.build import SDK, find_compiler
from solidbody.control.building import (
    ControllerBuildError,
    MissingTool,
    cpp_compiler,
    hold_alone,
    run_tool,
)

SOURCES: Final = Path(__file__).parents[1] / "cnoid"
C_FOLDER: Final = SOURCES.with_name("c")
C_SOURCES: Final = ("wire.c", "wire_messages.c", "link.c")
"""What the host shares with libController: the connection."""

CNOID_SDK: Final = SDK / "choreonoid"
INCLUDE: Final = CNOID_SDK / "include"

FLAGS: Final = ("-O2", "-fPIC", "-ffp-contract=off", "-w")
EIGEN_FOLDERS: Final = (
    "/usr/include/eigen3",
    "/usr/local/include/eigen3",
    "/opt/homebrew/include/eigen3",
)
NO_EIGEN: Final = (
    "Choreonoid's controllers need the headers of Eigen 3 (apt install libeigen3-dev, on Debian and Ubuntu); "
    "EIGEN3_INCLUDE_DIR may say where they are"
)


def eigen_folder() -> Path:
    """Return the folder of Eigen's headers.

    Raises:
        MissingTool: There are none.
    """
    named = os.environ.get("EIGEN3_INCLUDE_DIR", "")
    for place in (*((named,) if named else ()), *EIGEN_FOLDERS):
        if (Path(place) / "Eigen" / "Core").is_file():
            return Path(place)
    raise MissingTool(NO_EIGEN)


def host_program() -> Path:
    """Return the host's executable, compiled if need be.

    Raises:
        ControllerBuildError: It could not be compiled.
    """
    eigen = eigen_folder()
    cpp, c = cpp_compiler(), find_compiler()
    if cpp is None or c is None:
        raise MissingTool(
            "Choreonoid's controllers need a C and a C++ compiler (apt install build-essential, on Debian "
            "and Ubuntu)"
        )
    made = cache_folder(os.environ, "cnoid") / _fingerprint(eigen, cpp) / "solidbody-cnoid-host"
    if made.is_file():
        return made
    try:
        with hold_alone(made.parent):
            if not made.is_file():
                _compile(made, eigen, cpp, c)
    except OSError as error:
        raise ControllerBuildError(f"the host of controllers was not built: {error}") from error
    return made


def _fingerprint(eigen: Path, cpp: list[str]) -> str:
    digest = hashlib.sha256()
    digest.update(f"{eigen} {cpp} {FLAGS} {sys.platform} {platform.machine()}".encode())
    files = [*SOURCES.iterdir(), *C_FOLDER.glob("*.h"), *INCLUDE.rglob("*")]
    files += [C_FOLDER / name for name in C_SOURCES]
    for path in sorted(file for file in files if file.is_file()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _compile(made: Path, eigen: Path, cpp: list[str], c: list[str]) -> None:
    includes = [f"-I{INCLUDE}", f"-I{C_FOLDER}", "-isystem", str(eigen)]
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:
        jobs: list[list[str]] = []
        for path in sorted(SOURCES.glob("*.cpp")):
            jobs.append([*cpp, "-std=c++17", *FLAGS, *includes, "-c", str(path)])
        for name in C_SOURCES:
            jobs.append(
                [*c, "-std=c11", "-D_GNU_SOURCE", *FLAGS, *includes, "-c", str(C_FOLDER / name)]
            )
        objects = [str(Path(folder) / f"{k}.o") for k in range(len(jobs))]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(
                pool.map(
                    lambda job, to: run_tool([*job, "-o", to], SOURCES, SOURCES), jobs, objects
                )
            )
        target = str(Path(folder) / made.name)
        run_tool([*cpp, "-rdynamic", "-o", target, *objects, "-pthread", "-ldl"], SOURCES, SOURCES)
        shutil.move(target, made)
