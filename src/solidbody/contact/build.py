"""The recipe that compiles the native step: used by the package build and by hand.

    python -m solidbody.contact.build

The library is compiled against the headers inside the installed mujoco package and not linked with
libmujoco: its `mj_*` symbols are found at load time in the copy that Python has already loaded.
This file imports nothing of ours, because the build hook runs it before the package is installed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

NATIVE = Path(__file__).resolve().parent / "native"

FLAGS = (
    "-O3",
    "-fno-tree-vectorize",
    "-ftree-slp-vectorize",
    "-std=c11",
    "-fPIC",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
)
"""No -march=native, no -ffast-math, no fused multiply-add: the same bytes on every machine of a kind.
Loops here are 6 long or as long as a joint chain: vectorising them costs more than it gains (5 %).
Straight code is vectorised. Written as two flags because clang knows no -fno-tree-loop-vectorize.
"""

COMPILE_TIMEOUT = 300.0
"""[s] Ten times what a slow machine needs; a hung compiler must not hang an install."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What became of a build.

    Attributes:
        ok: The library is there and belongs to the present sources.
        library: Where it is (or would be).
        message: One or more lines for a person.
        rebuilt: False when the library was up to date already.
    """

    ok: bool
    library: Path
    message: str
    rebuilt: bool = False


class BuildError(Exception):
    """The native step cannot be built here; the text says why."""


def library_path() -> Path:
    """Return where the compiled library lives in the package."""
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    return NATIVE / f"libsolidbody_step{suffix}"


def find_compiler() -> list[str] | None:
    """Return the C compiler's command ($CC, else cc, gcc or clang on the PATH), or None."""
    named = shlex.split(os.environ.get("CC", ""))
    if named:
        return named if shutil.which(named[0]) else None
    for name in ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return [found]
    return None


def need_compiler() -> list[str]:
    """Return the C compiler's command, or raise with what was looked for."""
    compiler = find_compiler()
    if compiler is None:
        named = os.environ.get("CC")
        raise BuildError(
            f'the compiler "{named}" named by $CC was not found'
            if named
            else "no C compiler (cc, gcc or clang) on the PATH"
        )
    return compiler


def find_mujoco() -> tuple[Path, str]:
    """Return (include folder, version) of the installed mujoco package, without importing it."""
    spec = importlib.util.find_spec("mujoco")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError("the mujoco package is not installed")
    include = Path(next(iter(spec.submodule_search_locations))) / "include"
    if not (include / "mujoco" / "mujoco.h").is_file():
        raise BuildError(f"no mujoco headers in {include}")
    return include, importlib.metadata.version("mujoco")


def fingerprint(mujoco_version: str, flags: Sequence[str]) -> str:
    """Return a hash of all that determines the library, the compiler's release apart."""
    digest = hashlib.sha256()
    digest.update(
        f"{mujoco_version} {' '.join(flags)} {sys.platform} {platform.machine()}".encode()
    )
    for path in sorted([*NATIVE.glob("*.c"), *NATIVE.glob("*.h")]):
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def build_native(
    *, output: Path | None = None, extra_flags: Sequence[str] = (), force: bool = False
) -> BuildResult:
    """Compile the library unless it is up to date; never raises for a missing or failing compiler.

    Args:
        output: Where to write it; None = its place in the package, with the record `build.json`.
        extra_flags: Added after the standard ones, for example sanitizers.
        force: Compile even if nothing has changed.
    """
    library = output or library_path()
    record = library.with_name("build.json") if output is None else None
    try:
        if not library.exists():
            need_compiler()  # without one, package builds do not ask for mujoco either
        include, version = find_mujoco()
        flags = (*FLAGS, *extra_flags)
        key = fingerprint(version, flags)
        if not force and record is not None and library.exists() and _recorded(record) == key:
            return BuildResult(True, library, f"{library.name} is up to date (MuJoCo {version})")
        if record is not None:
            # a library of other sources would be worse than none
            record.unlink(missing_ok=True)
            library.unlink(missing_ok=True)
        _compile(library, include, flags)
    except BuildError as error:
        return BuildResult(False, library, str(error))
    if record is not None:
        content = {"fingerprint": key, "mujoco": version, "flags": list(flags)}
        record.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return BuildResult(True, library, f"built {library.name} for MuJoCo {version}", rebuilt=True)


def _recorded(record: Path) -> str | None:
    try:
        return json.loads(record.read_text(encoding="utf-8")).get("fingerprint")
    except (OSError, ValueError, AttributeError):
        return None


def _compile(library: Path, include: Path, flags: Sequence[str]) -> None:
    """Compile all sources at once into `library`, replacing it in one move."""
    sources = sorted(NATIVE.glob("*.c"))
    if not sources:
        raise BuildError(f"no C sources in {NATIVE}")
    if sys.platform == "win32":
        raise BuildError("the native step is not built on Windows yet")
    compiler = need_compiler()
    link = ["-shared"]
    if sys.platform == "darwin":
        link = ["-dynamiclib", "-undefined", "dynamic_lookup"]
    library.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=library.parent, prefix=".build-") as folder:
        result = Path(folder) / library.name
        command = [*compiler, *flags, *link, f"-I{include}", f"-I{NATIVE}"]
        command += [*map(str, sources), "-o", str(result), "-lm"]
        try:
            run = subprocess.run(
                command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BuildError(f"{compiler[0]} did not run: {error}") from error
        if run.returncode != 0 or not result.exists():
            raise BuildError(f"{shlex.join(command)}\n{run.stderr.strip()}")
        # a running simulation keeps the old file; nobody ever sees half of the new one
        os.replace(result, library)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build from the command line; 0 = there is a library, 1 = there is none (unless --optional)."""
    parser = argparse.ArgumentParser(
        prog="python -m solidbody.contact.build", description="Compile the native step."
    )
    parser.add_argument("--force", action="store_true", help="compile even if nothing has changed")
    parser.add_argument("--optional", action="store_true", help="a failure is only a warning")
    options = parser.parse_args(arguments)
    result = build_native(force=options.force)
    if result.ok:
        sys.stdout.write(f"solidbody: {result.message}\n")
        return 0
    sys.stderr.write(
        f"solidbody: warning: native step not built: {result.message}\n"
        "solidbody: warning: simulations will use the Python reference step, which is much slower\n"
    )
    return 0 if options.optional else 1


if __name__ == "__main__":
    sys.exit(main())
