"""Compiles our C libraries: used by the package build and by hand.

    python -m solidbody.contact.build

There are two libraries. The native step is compiled against the headers inside the installed mujoco package
and not linked with libmujoco: its `mj_*` symbols are found at load time in the copy that Python has already
loaded. On Windows, where no symbol may stay open, it is linked with the names in mujoco.dll. libController is
what robots' programs in C and C++ are linked with.
The build hook runs this file before the package is installed, so nothing of ours is imported at its top.
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
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NATIVE = Path(__file__).resolve().parent / "native"
CONTROL = Path(__file__).resolve().parents[1] / "control"
LAYOUT = NATIVE / "base" / "sb_layout.h"
"""The header of the tables that Python shares with the native step: made from `layout.py` at every build."""

SDK = CONTROL / "sdk"
"""Headers and libraries for programs, in the folders in which Webots has them."""

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

CONTROLLER_FLAGS = (
    "-O2",
    "-std=c11",
    "-fPIC",
    "-fvisibility=hidden",
    "-D_GNU_SOURCE",
    "-Wall",
    "-Wextra",
    "-Wno-deprecated-declarations",
)
"""Programs see only what the headers declare."""

ENDINGS = {"linux": ".so", "darwin": ".dylib", "win32": ".dll"}
"""Of libraries, by system."""

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


@dataclass(frozen=True, slots=True)
class Library:
    """A library of ours.

    Attributes:
        title: What it is called in messages.
        without: What is so without it.
        sources: Folder of its C files.
        path: Where it lives in the package, without the ending.
        flags: For the compiler.
        linked: For the linker, by system; a library that is not ported to a system has no entry.
        needs: Returns the folder of the headers that it needs, and which release they are of.
        others: Libraries that programs name as well; they only lead to this one.
        prepare: Writes the sources that are made from others.
    """

    title: str
    without: str
    sources: Path
    path: Path
    flags: tuple[str, ...]
    linked: Mapping[str, tuple[str, ...]]
    needs: Callable[[], tuple[Path, str]]
    others: tuple[str, ...] = ()
    prepare: Callable[[], None] = lambda: None

    @property
    def file(self) -> Path:
        """Where it lives in the package."""
        return self.path.with_suffix(ENDINGS.get(sys.platform, ".so"))


def library_path() -> Path:
    """Return where the compiled native step lives in the package."""
    return STEP.file


def controller_path() -> Path:
    """Return where libController lives in the package."""
    return CONTROLLER.file


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
    for package in ("mujoco-core", "mujoco"):  # the bindings alone, or with MuJoCo's own programs
        try:
            return include, f"MuJoCo {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    raise BuildError("the mujoco package has no version")


def write_layout() -> None:
    """Write the header of the tables, unless it is as it should be."""
    top = str(NATIVE.parents[2])
    sys.path.insert(0, top)
    try:
        from solidbody.contact.c_header import render
    except ImportError as error:
        raise BuildError(f"the header of the tables cannot be made: {error}") from error
    finally:
        sys.path.remove(top)
    text = render()
    if LAYOUT.exists() and LAYOUT.read_text(encoding="utf-8") == text:
        return
    with tempfile.TemporaryDirectory(dir=NATIVE, prefix=".build-") as folder:
        made = Path(folder) / LAYOUT.name
        made.write_text(text, encoding="utf-8")
        os.replace(made, LAYOUT)


def _our_headers() -> tuple[Path, str]:
    """Return (include folder, release) of what programs are compiled with."""
    return SDK / "include" / "controller" / "c", "programs"


STEP = Library(
    "native step",
    "simulations will use the Python reference step, which is much slower",
    NATIVE,
    NATIVE / "libsolidbody_step",
    FLAGS,
    {
        "linux": ("-shared",),
        "darwin": ("-dynamiclib", "-undefined", "dynamic_lookup"),
        "win32": ("-shared",),
    },
    find_mujoco,
    prepare=write_layout,
)
CONTROLLER = Library(
    "libController",
    "robots' programs in C and C++ will not run",
    CONTROL / "c",
    SDK / "lib" / "controller" / "libController",
    CONTROLLER_FLAGS,
    {
        "linux": ("-shared", "-pthread", "-Wl,-soname,libController.so"),
        "darwin": (
            "-dynamiclib",
            "-install_name",
            "@rpath/Contents/lib/controller/libController.dylib",
        ),
    },
    _our_headers,
    ("CppController", "car", "driver", "CppCar", "CppDriver"),
)


def fingerprint(library: Library, include: Path, version: str, flags: Sequence[str]) -> str:
    """Return a hash of all that determines the library, the compiler's release apart."""
    digest = hashlib.sha256()
    digest.update(
        f"{version} {' '.join((*flags, *library.others))} {sys.platform} {platform.machine()}".encode()
    )
    files = [*library.sources.rglob("*.[ch]")]
    if SDK in include.parents:
        files += include.rglob("*.h")
    for path in sorted(files):
        digest.update(f"\0{path.relative_to(library.sources.parents[1]).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def build_native(
    made: Library = STEP,
    *,
    output: Path | None = None,
    extra_flags: Sequence[str] = (),
    force: bool = False,
) -> BuildResult:
    """Compile a library unless it is up to date; never raises for a missing or failing compiler.

    Args:
        made: The library.
        output: Where to write it; None = its place in the package, with the record `build.json`.
        extra_flags: Added after the standard ones, for example sanitizers.
        force: Compile even if nothing has changed.
    """
    library = output or made.file
    record = library.with_name("build.json") if output is None else None
    try:
        if not library.exists():
            need_compiler()  # without one, package builds do not ask for mujoco either
        include, version = made.needs()
        made.prepare()
        flags = (*made.flags, *extra_flags)
        key = fingerprint(made, include, version, flags)
        if not force and record is not None and library.exists() and _recorded(record) == key:
            return BuildResult(True, library, f"{library.name} is up to date ({version})")
        if record is not None:
            record.unlink(missing_ok=True)
        try:  # programs that start meanwhile have the library of before
            _compile(made, library, include, flags)
        except BuildError:
            if record is not None:  # a library of other sources would be worse than none
                library.unlink(missing_ok=True)
            raise
    except BuildError as error:
        return BuildResult(False, library, str(error))
    if record is not None:
        content = {"fingerprint": key, "for": version, "flags": list(flags)}
        record.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return BuildResult(True, library, f"built {library.name} for {version}", rebuilt=True)


def _recorded(record: Path) -> str | None:
    try:
        return json.loads(record.read_text(encoding="utf-8")).get("fingerprint")
    except (OSError, ValueError, AttributeError):
        return None


def _compile(made: Library, library: Path, include: Path, flags: Sequence[str]) -> None:
    """Compile all sources at once into `library`, replacing it in one move."""
    sources = sorted(made.sources.rglob("*.c"))
    if not sources:
        raise BuildError(f"no C sources in {made.sources}")
    link = made.linked.get(sys.platform)
    if link is None:
        raise BuildError(f"{made.title} is not ported to this system ({sys.platform})")
    compiler = need_compiler()
    library.parent.mkdir(parents=True, exist_ok=True)
    everything = [*map(str, sources), "-lm"]
    with tempfile.TemporaryDirectory() as folder:
        if sys.platform == "win32":
            dll = include.parent / MUJOCO_DLL
            everything.append(str(import_library(dll, Path(folder), find_dlltool(compiler))))
        _link([*compiler, *flags, *link, f"-I{include}", f"-I{made.sources}", *everything], library)
    for name in made.others:
        other = library.with_stem(f"lib{name}")
        led = [part.replace(made.file.stem, other.stem) for part in link]
        needed = () if sys.platform == "darwin" else ("-Wl,--no-as-needed",)
        there = [f"-L{library.parent}", *needed, f"-l{made.file.stem.removeprefix('lib')}"]
        _link([*compiler, *led, "-x", "c", os.devnull, *there], other)


MUJOCO_DLL = "mujoco.dll"
"""MuJoCo's library on Windows, in its Python package."""


def find_dlltool(compiler: Sequence[str]) -> list[str]:
    """Return the command that makes import libraries: Zig's own, else that of MinGW or LLVM on the PATH."""
    if len(compiler) > 1 and compiler[-1] == "cc":  # python -m ziglang cc
        return [*compiler[:-1], "dlltool"]
    for name in ("dlltool", "llvm-dlltool"):
        found = shutil.which(name)
        if found:
            return [found]
    raise BuildError("no dlltool on the PATH: MinGW and LLVM have one, and so has ziglang")


def exported_names(dll: Path) -> dict[str, bool]:
    """Return the names that a 64-bit DLL of Windows exports, and which of them are functions.

    Raises:
        BuildError: It is no such file.
    """
    content = dll.read_bytes()

    def numbers(form: str, place: int) -> tuple[int, ...]:
        return struct.unpack_from("<" + form, content, place)

    try:
        (head,) = numbers("I", 0x3C)
        (machine_and_count,) = numbers("I", head + 4)
        if content[:2] != b"MZ" or content[head : head + 4] != b"PE\0\0":
            raise BuildError(f"{dll.name} is no library of Windows")
        (size,) = numbers("H", head + 20)
        optional = head + 24
        if numbers("H", optional) != (0x20B,):
            raise BuildError(f"{dll.name} is no 64-bit library")
        sections = [
            (*numbers("IIII", place + 8), numbers("I", place + 36)[0])
            for place in range(
                optional + size, optional + size + 40 * (machine_and_count >> 16), 40
            )
        ]

        def found(address: int) -> int:
            for room, start, length, place, _ in sections:
                if start <= address < start + max(room, length):
                    return address - start + place
            raise BuildError(f"{dll.name} is damaged")

        def is_code(address: int) -> bool:
            return any(
                start <= address < start + max(room, length) and kind & 0x20
                for room, start, length, _, kind in sections
            )

        (where,) = numbers("I", optional + 112)
        if where == 0:  # nothing is exported
            return {}
        directory = found(where)
        count, functions, names, places = numbers("IIII", directory + 24)
        exported: dict[str, bool] = {}
        for number in range(count):
            start = found(numbers("I", found(names) + 4 * number)[0])
            name = content[start : content.index(b"\0", start)].decode("ascii")
            (place,) = numbers("H", found(places) + 2 * number)
            exported[name] = is_code(numbers("I", found(functions) + 4 * place)[0])
    except (struct.error, ValueError) as error:
        raise BuildError(f"{dll.name} is damaged") from error
    return exported


def import_library(dll: Path, folder: Path, dlltool: Sequence[str]) -> Path:
    """Write the library by which a linker of Windows finds what a DLL exports; return it."""
    names = exported_names(dll)
    lines = [name if code else f"{name} DATA" for name, code in sorted(names.items())]
    listed, out = folder / f"{dll.stem}.def", folder / f"lib{dll.stem}.a"
    listed.write_text("\n".join([f"LIBRARY {dll.name}", "EXPORTS", *lines, ""]), "utf-8")
    command = [*dlltool, "-m", "i386:x86-64", "-d", str(listed), "-l", str(out)]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT, check=False
    )
    if run.returncode != 0:
        raise BuildError(f"{shlex.join(command)}\n{run.stderr.strip()}")
    return out


def _link(command: Sequence[str], library: Path) -> None:
    """Run the compiler for a library, which is replaced in one move."""
    with tempfile.TemporaryDirectory(dir=library.parent, prefix=".build-") as folder:
        result = Path(folder) / library.name
        command = [*command, "-o", str(result)]
        try:
            run = subprocess.run(
                command, capture_output=True, text=True, timeout=COMPILE_TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BuildError(f"{command[0]} did not run: {error}") from error
        if run.returncode != 0 or not result.exists():
            raise BuildError(f"{shlex.join(command)}\n{run.stderr.strip()}")
        # a running simulation keeps the old file; nobody ever sees half of the new one
        os.replace(result, library)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build from the command line; 0 = they are there, 1 = one is not (unless --optional)."""
    parser = argparse.ArgumentParser(
        prog="python -m solidbody.contact.build", description="Compile the libraries in C."
    )
    parser.add_argument("--force", action="store_true", help="compile even if nothing has changed")
    parser.add_argument("--optional", action="store_true", help="a failure is only a warning")
    options = parser.parse_args(arguments)
    failed = False
    for library in (STEP, CONTROLLER):
        result = build_native(library, force=options.force)
        if result.ok:
            sys.stdout.write(f"solidbody: {result.message}\n")
            continue
        failed = True
        sys.stderr.write(
            f"solidbody: warning: {library.title} not built: {result.message}\n"
            f"solidbody: warning: {library.without}\n"
        )
    return 1 if failed and not options.optional else 0


if __name__ == "__main__":
    sys.exit(main())
