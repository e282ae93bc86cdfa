"""Compiles our libraries in C for other machines, to see that they compile and link there.

    python -m pip install ziglang
    python tools/cross_build.py [--out build/cross] [TARGET...]

Zig (`ziglang` on the package index) is a C compiler with the headers of all systems. For Windows the library
is linked with what MuJoCo's own package for Windows exports, which pip fetches. What is made is not shipped:
wheels are built on the machines themselves (.github/workflows/wheels.yml).
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from solidbody.contact.build import (
    CONTROLLER,
    ENDINGS,
    MUJOCO_DLL,
    STEP,
    BuildError,
    Library,
    exported_names,
    import_library,
)

PYTHON: Final = Path(__file__).resolve().parents[1] / "src/solidbody/contact"

ZIG: Final = (sys.executable, "-m", "ziglang")

TARGETS: Final = {
    "linux-x86_64": "x86_64-linux-gnu.2.28",
    "linux-aarch64": "aarch64-linux-gnu.2.28",
    "macos-arm64": "aarch64-macos.11.0",
    "macos-x86_64": "x86_64-macos.11.0",
    "windows-x86_64": "x86_64-windows-gnu",
}
"""Our name -> Zig's. glibc 2.28 is that of manylinux_2_28."""

SYSTEMS: Final = {"linux": "linux", "macos": "darwin", "windows": "win32"}
"""First word of a target -> the system as Python calls it."""

CALLED: Final = re.compile(r"\.(sb_[a-z0-9_]+)\(")
"""How Python calls functions of the native step."""

PATIENCE: Final = 600.0
"""[s] For one library."""


class CrossBuildError(Exception):
    """A library does not compile or link for a target; the text has the compiler's words."""


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the compiler."""
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def mujoco_dll(folder: Path) -> Path:
    """Fetch MuJoCo's package for Windows, of the release that is installed here; return its library."""
    release = importlib.metadata.version("mujoco-core")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        str(folder),
    ]
    command += ["--only-binary=:all:", "--platform", "win_amd64", "--python-version", python]
    done = run([*command, f"mujoco-core=={release}"])
    if done.returncode != 0:
        raise CrossBuildError(done.stderr.strip())
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        return Path(packed.extract(f"mujoco/{MUJOCO_DLL}", folder))


def check_exports(library: Path) -> None:
    """Refuse a DLL without a function that Python calls.

    Raises:
        CrossBuildError: One is missing.
    """
    sources = "".join(path.read_text("utf-8") for path in PYTHON.glob("*.py"))
    missing = set(CALLED.findall(sources)) - exported_names(library).keys()
    if missing:
        raise CrossBuildError(f"not exported: {', '.join(sorted(missing))}")


def build(made: Library, target: str, out: Path) -> Path:
    """Compile a library for a target; return the file.

    Raises:
        CrossBuildError: It does not compile or link.
    """
    system = target.partition("-")[0]
    made.prepare()
    include, _ = made.needs()
    library = out / target / made.path.with_suffix(ENDINGS[SYSTEMS[system]]).name
    library.parent.mkdir(parents=True, exist_ok=True)
    sources = sorted(made.sources.rglob("*.c"))
    headers = [f"-I{include}", f"-I{made.sources}"]
    flags = [flag for flag in made.flags if not flag.startswith("-ftree")]
    command = [
        *ZIG,
        "cc",
        "-target",
        TARGETS[target],
        *flags,
        *made.linked[SYSTEMS[system]],
        *headers,
    ]
    command += [*map(str, sources), "-lm", "-o", str(library)]
    with tempfile.TemporaryDirectory() as folder:
        if system == "windows":  # where a library leaves no symbol open
            tool = [*ZIG, "dlltool"]
            command.append(str(import_library(mujoco_dll(Path(folder)), Path(folder), tool)))
        done = run(command)
    if done.returncode != 0:
        raise CrossBuildError(done.stderr.strip())
    if system == "windows":
        check_exports(library)
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
            if SYSTEMS[target.partition("-")[0]] not in made.linked:
                print(f"{target:15} {made.title:14} not ported")
                continue
            try:
                library = build(made, target, options.out)
            except (CrossBuildError, BuildError) as error:
                failed += 1
                print(f"{target:15} {made.title:14} FAILED\n{error}")
            else:
                print(f"{target:15} {made.title:14} {library} ({library.stat().st_size} bytes)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
