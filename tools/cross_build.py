"""Compiles our libraries in C for other machines, to see that they compile and link there.

    python -m pip install ziglang
    python tools/cross_build.py [--out build/cross] [TARGET...]

Zig (`ziglang` on the package index) is a C compiler with the headers of all systems. What it makes is not
shipped: wheels are built on the machines themselves (.github/workflows/wheels.yml).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from solidbody.contact.build import CONTROLLER, STEP, Library

ZIG: Final = (sys.executable, "-m", "ziglang")

TARGETS: Final = {
    "linux-x86_64": "x86_64-linux-gnu.2.28",
    "linux-aarch64": "aarch64-linux-gnu.2.28",
    "macos-arm64": "aarch64-macos.11.0",
    "macos-x86_64": "x86_64-macos.11.0",
    "windows-x86_64": "x86_64-windows-gnu",
}
"""Our name -> Zig's. glibc 2.28 is that of manylinux_2_28."""

ENDINGS: Final = {"linux": ".so", "macos": ".dylib", "windows": ".dll"}

OF_MUJOCO: Final = re.compile(r"\bmj(?:u|cb)?_\w+")

NOT_PORTED: Final = {
    (CONTROLLER.title, "windows"): "shares memory by POSIX; programs in Python run"
}
"""Library and system -> why it is not built there."""

PATIENCE: Final = 600.0
"""[s] For one library."""


class CrossBuildError(Exception):
    """A library does not compile or link for a target; the text has the compiler's words."""


def link_flags(made: Library, system: str) -> list[str]:
    """Return what the linker is told on a system."""
    if system == "windows":
        return ["-shared"]
    return list(made.linked[system == "macos"])


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the compiler."""
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def mujoco_import_library(sources: list[Path], folder: Path) -> Path:
    """Return a library by which Windows finds functions of MuJoCo, which is a DLL there."""
    symbols = {name for path in sources for name in OF_MUJOCO.findall(path.read_text("utf-8"))}
    listed = folder / "mujoco.def"
    lines = [f"{name} DATA" if name.startswith("mjcb") else name for name in sorted(symbols)]
    listed.write_text("\n".join(["LIBRARY mujoco.dll", "EXPORTS", *lines, ""]), "utf-8")
    out = folder / "libmujoco.a"
    done = run([*ZIG, "dlltool", "-m", "i386:x86-64", "-d", str(listed), "-l", str(out)])
    if done.returncode != 0:
        raise CrossBuildError(done.stderr)
    return out


def build(made: Library, target: str, out: Path) -> Path:
    """Compile a library for a target; return the file.

    Raises:
        CrossBuildError: It does not compile or link.
    """
    system = target.partition("-")[0]
    made.prepare()
    include, _ = made.needs()
    library = out / target / made.path.with_suffix(ENDINGS[system]).name
    library.parent.mkdir(parents=True, exist_ok=True)
    sources = sorted(made.sources.rglob("*.c"))
    headers = [f"-I{include}", f"-I{made.sources}"]
    flags = [flag for flag in made.flags if not flag.startswith("-ftree")]
    command = [*ZIG, "cc", "-target", TARGETS[target], *flags, *link_flags(made, system), *headers]
    command += [*map(str, sources), "-lm", "-o", str(library)]
    with tempfile.TemporaryDirectory() as folder:
        if system == "windows":  # where a library leaves no symbol open
            command.append(str(mujoco_import_library(sources, Path(folder))))
        done = run(command)
    if done.returncode != 0:
        raise CrossBuildError(done.stderr.strip())
    return library


def main() -> int:
    """Build what is asked for; 0 = all of it compiles and links."""
    parser = argparse.ArgumentParser(description="Compile the libraries for other machines.")
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; by default all")
    parser.add_argument("--out", type=Path, default=Path("build/cross"), help="folder for them")
    options = parser.parse_args()
    if unknown := set(options.targets) - TARGETS.keys():
        parser.error(f"no target is named {', '.join(sorted(unknown))}")
    failed = 0
    for target in options.targets or TARGETS:
        for made in (STEP, CONTROLLER):
            if reason := NOT_PORTED.get((made.title, target.partition("-")[0])):
                print(f"{target:15} {made.title:14} not ported: {reason}")
                continue
            try:
                library = build(made, target, options.out)
            except CrossBuildError as error:
                failed += 1
                print(f"{target:15} {made.title:14} FAILED\n{error}")
            else:
                print(f"{target:15} {made.title:14} {library} ({library.stat().st_size} bytes)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
