"""Programs in C, compiled for small projects."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from solidbody.contact.build import SDK, controller_path, find_compiler
from tests.control.projects import Project

INCLUDE = SDK / "include" / "controller" / "c"

HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""


def need_c() -> list[str]:
    """Return the compiler; skips the test where there is none, or no library."""
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    if not controller_path().exists():
        pytest.skip("libController is not built: python -m solidbody.contact.build")
    return compiler


def headers() -> list[str]:
    """Return all headers, as programs include them."""
    return sorted(
        path.relative_to(INCLUDE).as_posix() for path in (INCLUDE / "webots").rglob("*.h")
    )


@dataclass
class Options:
    """How programs are compiled.

    Attributes:
        flags: For the compiler beside the usual ones.
        library: Another libController than the one of the package.
    """

    flags: tuple[str, ...] = ()
    library: Path | None = None


OPTIONS = Options()


def compiled(source: Path) -> Path:
    """Compile a program beside its source, and return it."""
    made = source.with_suffix("")
    place = (OPTIONS.library or controller_path()).parent
    warnings = ["-Wall", "-Werror", "-Wno-deprecated-declarations", "-Wno-unused-function"]
    command = [*need_c(), "-std=c11", "-D_GNU_SOURCE", *warnings, *OPTIONS.flags, f"-I{INCLUDE}"]
    command += [str(source), "-o", str(made), f"-L{place}", "-lController", "-lm", "-pthread"]
    if OPTIONS.library is not None:  # found before the one of the package
        command += [f"-Wl,--disable-new-dtags,-rpath,{place}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return made


def write_c(project: Project, text: str, *, name: str = "exercise") -> Path:
    """Write a controller in C, which includes all headers, and compile it."""
    home = project.folder / "controllers" / name
    home.mkdir(parents=True, exist_ok=True)
    source = home / f"{name}.c"
    included = "".join(f"#include <{header}>\n" for header in headers())
    source.write_text(HEAD + included + dedent(text), encoding="utf-8")
    return compiled(source)


def environment(library: Path) -> dict[str, str]:
    """Return variables with which programs take a library that is elsewhere."""
    return {**os.environ, "LD_LIBRARY_PATH": str(library.parent)}
