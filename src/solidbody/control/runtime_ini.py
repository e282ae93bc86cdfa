"""Reads `runtime.ini` beside a controller: environment variables, and the interpreter that it wants.

| section                                    | what it holds                                      |
|--------------------------------------------|----------------------------------------------------|
| environment variables with paths           | paths, between which are colons                    |
| environment variables with relative paths  | the same, under the name that it had until R2020   |
| environment variables                      | other variables                                    |
| environment variables for Linux            | on this system only; also macOS (once Mac OS X), Windows |
| environment variables for Linux 32, ... 64 | the same, by the size of addresses                 |
| python, java, matlab                       | COMMAND and OPTIONS of the interpreter             |

Entries count one after the other: `$(NAME)` is a variable as it is by then, or nothing. Paths stay as they
are written: a program runs in its own folder. A semicolon begins a comment, except inside double quotes.
Names of sections may be written in capitals or not.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_PATHS: Final = (
    "environment variables with paths",
    "environment variables with relative paths",
)
_VARIABLES: Final = "environment variables"
_SYSTEMS: Final = {
    "linux": ("linux",),
    "darwin": ("macos", "mac os x"),
    "win32": ("windows",),
}
_LANGUAGES: Final = ("python", "java", "matlab")
LIBRARY_PATH: Final = {"darwin": "DYLD_LIBRARY_PATH", "win32": "PATH"}.get(
    sys.platform, "LD_LIBRARY_PATH"
)
"""Where the system looks for libraries; WEBOTS_LIBRARY_PATH is put in front of it."""

MAX_VALUE: Final = 100_000
"""Characters of a variable: Linux starts no program with more, and values that name others grow quickly."""

_NAMED: Final = re.compile(r"\$\(([^)]*)\)")
"""How a variable is named."""


@dataclass
class RuntimeSettings:
    """What runtime.ini says.

    Attributes:
        environment: Variables, WEBOTS_HOME among them.
        command: The Python that is wanted; empty = none.
        options: Options of that Python.
        problem: What is wrong with the file; empty = nothing.
    """

    environment: dict[str, str] = field(default_factory=dict[str, str])
    command: str = ""
    options: tuple[str, ...] = ()
    problem: str = ""


def read_runtime_settings(folder: Path, known: Mapping[str, str]) -> RuntimeSettings:
    """Return what runtime.ini in a controller's folder says, as far as it can be understood.

    Args:
        folder: The controller's folder; there need not be such a file.
        known: The environment so far, with WEBOTS_HOME.
    """
    out = RuntimeSettings({"WEBOTS_HOME": known["WEBOTS_HOME"]})
    path = folder / "runtime.ini"
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        return out
    except OSError as error:
        out.problem = f"{path}: {error.strerror or error}"
        return out
    here = {f"{_VARIABLES} for {name}{size}" for name in _system() for size in ("", _size())}
    for number, section, key, value in _entries(text):
        variables = {**known, **out.environment}
        value = _NAMED.sub(lambda found, v=variables: v.get(found[1], ""), value)
        if len(value) > MAX_VALUE:
            out.problem = f"{path}:{number}: {key} has more than {MAX_VALUE} characters; left out"
            continue
        if section in _PATHS:
            parts = [part for part in value.split(":" if os.pathsep == ":" else ";") if part]
            out.environment[key] = os.pathsep.join(parts)
        elif section == _VARIABLES or section in here:
            out.environment[key] = value
        elif section in _LANGUAGES:
            if key not in ("COMMAND", "OPTIONS"):
                out.problem = (
                    f"{path}:{number}: [{section}] has no {key}; it takes COMMAND and OPTIONS"
                )
            elif section == "python" and key == "COMMAND":
                out.command = value
            elif section == "python":
                out.options = tuple(value.split())
        elif not section:
            out.problem = f"{path}:{number}: {key} is in no section"
    libraries = {**known, **out.environment}.get("WEBOTS_LIBRARY_PATH")
    if libraries:
        before = {**known, **out.environment}.get(LIBRARY_PATH)
        out.environment[LIBRARY_PATH] = f"{libraries}{os.pathsep}{before}" if before else libraries
    return out


def _system() -> tuple[str, ...]:
    return _SYSTEMS.get(sys.platform, ("linux",))


def _size() -> str:
    return " 64" if sys.maxsize > 2**32 else " 32"


def _entries(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield (number of the line, section in small letters, key, value) of each entry."""
    section = ""
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.replace("\0", "").strip()
        if not line or line[0] in ";#":
            continue
        if line.startswith("["):
            section = line.partition(";")[0].strip().strip("[]").strip().lower()
            continue
        key, _, value = line.partition("=")
        value = value.strip()
        if value.startswith('"') and value.count('"') > 1:
            value = value[1 : value.rindex('"')]
        else:
            key, value = key.partition(";")[0], value.partition(";")[0]
        if os.name == "nt" and section in _PATHS:
            value = value.replace(":", ";").replace("/", "\\")
        if key.strip():
            yield number, section, key.strip(), value.strip()
