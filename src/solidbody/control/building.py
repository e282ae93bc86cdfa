"""Builds controllers in C and C++: by their own Makefile, or all sources of the folder.

The executable goes where Webots puts it, `controllers/NAME/NAME`, and objects to our cache. Where the folder
cannot be written to, the executable goes to the cache as well. Makefiles find `resources/Makefile.include`,
headers and libraries below WEBOTS_HOME: our SDK, or, for a world of a Webots tree, one with its `projects`.
Where a project of Visual Studio lists the sources and no Makefile does, those of the list are compiled.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.cache import cache_folder
from solidbody.contact.build import SDK, controller_path, find_compiler
from solidbody.control.header_names import HEADERS, write_forwarding_headers

BUILD_TIME: Final = 600.0
"""[s] Wall time after which a build is ended."""

MAKEFILES: Final = ("GNUmakefile", "makefile", "Makefile")

C_ENDINGS: Final = (".c",)
CPP_ENDINGS: Final = (".cpp", ".cc", ".c++", ".cxx")

_SOURCE_OF_PROJECT: Final = re.compile(r'<ClCompile\s+Include="([^"]+)"')

_OWN_SOURCES: Final = re.compile(r"^\s*C(XX)?_SOURCES\s*[+:?]?=", re.MULTILINE)

_OWN_SETTINGS: Final = re.compile(
    r"^\s*(?:\w*_SOURCES|CFLAGS|INCLUDE|LIBRARIES|LFLAGS|EXTRA_TARGETS)\s*[+:?]?=", re.MULTILINE
)
"""Lines of a Makefile that say more than what all of them have."""

_SYSTEMS: Final[dict[bytes, str]] = {
    b"\x7fELF": "Linux",
    b"MZ": "Windows",
    b"\xcf\xfa\xed\xfe": "macOS",
    b"\xca\xfe\xba\xbe": "macOS",
}
"""How executables begin."""

_HERE: Final = {"linux": "Linux", "win32": "Windows", "darwin": "macOS"}

LONGEST: Final = 20_000
"""Characters that are shown of what a compiler says."""

FLAGS: Final = ("-O2", "-Wall", "-I.")

INCLUDED: Final = tuple(SDK / "include" / "controller" / language for language in ("c", "cpp"))

WINDOWS: Final = SDK / "include" / "windows"
"""Headers for programs that were written on Windows."""


class ControllerBuildError(Exception):
    """A program was not built; the text says why, with the compiler's own words."""


class MissingTool(ControllerBuildError):
    """There is no compiler, or no make."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a controller in C or C++ is built of.

    Attributes:
        name: Name of the controller.
        folder: Its folder.
        makefile: Its Makefile, or None.
        files: Its sources.
    """

    name: str
    folder: Path
    makefile: Path | None
    files: tuple[Path, ...]

    @property
    def has_cpp(self) -> bool:
        """Whether any of its sources is C++."""
        return any(path.suffix in CPP_ENDINGS for path in self.files)

    @property
    def cache(self) -> Path:
        """Where its objects are kept, and its executable if the folder is not writable."""
        key = hashlib.sha256(str(self.folder.resolve()).encode()).hexdigest()[:16]
        return cache_folder(os.environ, "controllers") / f"{self.name}-{key}"

    @property
    def output(self) -> Path:
        """Folder of the executable."""
        return self.folder if os.access(self.folder, os.W_OK) else self.cache

    def parts(self) -> list[Path]:
        """Return sources and headers, those in folders below as well."""
        endings = (*C_ENDINGS, *CPP_ENDINGS, *HEADERS)
        return [*(path for path in self.folder.rglob("*") if path.suffix in endings), *self.files]

    def newest(self) -> float:
        """Return when sources, headers or the Makefile have changed last."""
        parts = [*self.parts(), *([self.makefile] if self.makefile else [])]
        return max((path.stat().st_mtime for path in parts if path.is_file()), default=0.0)

    def forwarding(self) -> Path | None:
        """Return a folder of headers under the names that the sources have for them; None = of none."""
        place = self.cache / "headers"
        folders = (self.folder, *INCLUDED)
        is_any = write_forwarding_headers(self.parts(), folders, place, hidden=(WINDOWS,))
        return place if is_any else None


def sources_of(name: str, folder: Path) -> Sources | None:
    """Return what the executable of a controller is built of; None = it has no sources in C or C++."""
    endings = (*C_ENDINGS, *CPP_ENDINGS)
    files = tuple(sorted(path for path in folder.iterdir() if path.suffix in endings))
    makefile = next((folder / made for made in MAKEFILES if (folder / made).is_file()), None)
    listed = _listed_sources(folder, endings)
    if listed and (makefile is None or not _OWN_SETTINGS.search(_text(makefile))):
        return Sources(name, folder, None, listed)
    if makefile is not None and not files and not _OWN_SOURCES.search(_text(makefile)):
        return None  # neither in folders below: a Makefile of Java, MATLAB or Python
    return Sources(name, folder, makefile, files) if files or makefile else None


def _text(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(LONGEST * 10)


def _listed_sources(folder: Path, endings: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the sources that a project of Visual Studio lists, without those of Webots' own library."""
    projects = sorted(folder.glob("*.vcxproj"))
    if len(projects) != 1:
        return ()
    named = (name.replace("\\", "/") for name in _SOURCE_OF_PROJECT.findall(_text(projects[0])))
    files = tuple(folder / name for name in named if "$(" not in name and name.endswith(endings))
    return files if all(path.is_file() for path in files) else ()


def foreign_system(path: Path) -> str:
    """Return for what else than this machine an executable was built; empty = it can be started here."""
    first = _start(path)
    if first.startswith(b"#!"):
        return ""
    system = next((system for magic, system in _SYSTEMS.items() if first.startswith(magic)), None)
    if system is None:
        return "no machine"
    ours = _start(Path(sys.executable))
    if system == "Linux" and sys.platform == "linux" and ours.startswith(b"\x7fELF"):
        # bits, the order of bytes and the processor
        return "" if (first[4:6], first[18:20]) == (ours[4:6], ours[18:20]) else "another processor"
    return "" if system == _HERE.get(sys.platform, system) else system


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(20)


def executables(name: str, folder: Path) -> Iterator[Path]:
    """Yield the places of a controller's executable, as Webots looks for it."""
    yield folder / name
    yield folder / f"{name}.exe"
    yield folder / "build" / "release" / name


def wants_webots_cpp(executable: Path) -> bool:
    """Whether an executable takes classes from Webots' own C++ library, which ours has in headers alone."""
    command = ["nm", "-u" if sys.platform == "darwin" else "-Du", str(executable)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=10.0, check=False)
    except (OSError, subprocess.SubprocessError):
        return False  # without binutils nobody knows
    return "N6webots" in run.stdout


def unmet_needs(executable: Path, environment: Mapping[str, str]) -> str:
    """Return which library an executable wants that is not here, in the loader's words; empty = none."""
    if not sys.platform.startswith("linux") or not _start(executable).startswith(b"\x7fELF"):
        return ""
    libraries = [environment.get("LD_LIBRARY_PATH", ""), str(controller_path().parent)]
    libraries.append(os.environ.get("LD_LIBRARY_PATH", ""))
    return _unmet(executable, executable.stat().st_mtime_ns, ":".join(filter(None, libraries)))


@functools.lru_cache(maxsize=256)
def _unmet(executable: Path, _stamp: int, libraries: str) -> str:
    """Ask the loader; `_stamp` says which executable it is, where one has taken the place of another."""
    try:
        run = subprocess.run(
            ["ldd", str(executable)],
            cwd=executable.parent,
            env={**os.environ, "LD_LIBRARY_PATH": libraries, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10.0,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""  # nobody knows; the loader says it when the program starts
    lines = f"{run.stderr}\n{run.stdout}".splitlines()
    return next((line.strip() for line in lines if "not found" in line), "")


def build(sources: Sources, webots: Path | None = None) -> Path:
    """Build a controller and return its executable.

    Args:
        sources: What it is built of.
        webots: The Webots tree whose `projects` its Makefile may use; None = none.

    Raises:
        ControllerBuildError: There is no compiler, or it has refused the sources.
    """
    place = sources.makefile or sources.folder
    if sys.platform == "win32":
        raise ControllerBuildError(f"{place}: programs in C and C++ are not built on Windows")
    _check_tools(sources, place)
    try:
        with hold_alone(sources.cache):
            if sources.makefile:
                _make(sources, webots)
            else:
                _compile(sources)
    except OSError as error:
        raise ControllerBuildError(f"{place} was not built: {error}") from error
    made = sources.output / sources.name
    if not (made.is_file() and os.access(made, os.X_OK)):
        raise ControllerBuildError(f"{place} was built, but there is no executable {made}")
    os.utime(made)  # make leaves a program as it is whose objects have not changed
    return made


def _check_tools(sources: Sources, place: Path) -> None:
    if not controller_path().exists():
        raise MissingTool(
            f"{place}: programs in C and C++ need libController, which was not built when solidbody was "
            "installed; install a C compiler, then run: python -m solidbody.contact.build"
        )
    needed = {
        "C compiler (cc, gcc or clang)": find_compiler() is None,
        "C++ compiler (c++, g++ or clang++)": sources.has_cpp and cpp_compiler() is None,
        "make": sources.makefile is not None and shutil.which("make") is None,
    }
    missing = [tool for tool, is_missing in needed.items() if is_missing]
    if missing:
        how = (
            "xcode-select --install"
            if sys.platform == "darwin"
            else "apt install build-essential, on Debian and Ubuntu"
        )
        raise MissingTool(
            f"{place} is to be compiled, and there is no {' and no '.join(missing)} here ({how})"
        )


def cpp_compiler() -> list[str] | None:
    """Return the C++ compiler's command ($CXX, else c++, g++ or clang++ on the PATH), or None."""
    named = shlex.split(os.environ.get("CXX", ""))
    if named:
        return named if shutil.which(named[0]) else None
    found = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    return [found] if found else None


@contextlib.contextmanager
def hold_alone(folder: Path) -> Iterator[None]:
    """Hold a folder of the cache, so that two simulators do not build the same program at once."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(sources: Sources, webots: Path | None) -> None:
    assert sources.makefile is not None
    compilers = {"CC": find_compiler(), "CXX": cpp_compiler()}
    variables = {name: shlex.join(found) for name, found in compilers.items() if found}
    home = str(build_home(webots))
    variables |= {
        "WEBOTS_HOME": home,
        # older Makefiles make this of it by a variable `space`, which make 4.3 and later leave empty
        "WEBOTS_HOME_PATH": home.replace(" ", "\\ "),
        "BUILD_DIR": str(sources.cache),
        "SOLIDBODY_OUTPUT": str(sources.output),
        "SOLIDBODY_HEADERS": str(sources.forwarding() or ""),
    }
    given = [f"{name}={value}" for name, value in variables.items()]
    run_tool(["make", "-f", sources.makefile.name, *given], sources.folder, sources.makefile)


def _compile(sources: Sources) -> None:
    """Compile all sources of a folder, and link them."""
    objects: list[str] = []
    forwarding = sources.forwarding()
    places = [f"-I{place}" for place in (*INCLUDED, *([forwarding] if forwarding else []))]
    compiler = find_compiler() or ["cc"]
    cpp = cpp_compiler() or ["c++"]
    for number, path in enumerate(sources.files):
        made = sources.cache / f"{number}-{path.stem}.o"
        first = cpp if path.suffix in CPP_ENDINGS else compiler
        place = os.path.relpath(path, sources.folder)
        command = [*first, "-c", *FLAGS, *places, place, "-o", str(made)]
        run_tool(command, sources.folder, path)
        objects.append(str(made))
    library = controller_path().parent
    linker = cpp if sources.has_cpp else compiler
    made = sources.output / f".{sources.name}.new"
    command = [*linker, "-o", str(made), *objects, f"-L{library}", f"-Wl,-rpath,{library}"]
    command += ["-lCppController", "-lController", "-lm", "-pthread"]
    try:
        run_tool(command, sources.folder, sources.folder)
        os.replace(made, sources.output / sources.name)
    finally:
        made.unlink(missing_ok=True)


def run_tool(command: list[str], folder: Path, place: Path) -> None:
    """Run a compiler or make in a folder; `place` heads what it says if it fails."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=BUILD_TIME)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise ControllerBuildError(f"{place} was not built in {BUILD_TIME:g} s") from error
        raise
    if process.returncode:
        raise ControllerBuildError(f"{place} does not compile:\n{said.strip()[:LONGEST]}")


def build_home(webots: Path | None) -> Path:
    """Return what Makefiles find as WEBOTS_HOME: our SDK, with the `projects` of a Webots tree if given."""
    if webots is None or not (webots / "projects").is_dir():
        return SDK
    key = hashlib.sha256(f"{webots}\0{SDK}".encode()).hexdigest()[:16]
    home = cache_folder(os.environ, "controllers") / f"home-{key}"
    home.mkdir(parents=True, exist_ok=True)
    for name, target in {
        "include": SDK / "include",
        "lib": SDK / "lib",
        "resources": SDK / "resources",
        "projects": webots / "projects",
    }.items():
        with contextlib.suppress(FileExistsError):
            (home / name).symlink_to(target)
    return home
