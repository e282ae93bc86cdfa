"""The repository's files, for tests that read them."""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "solidbody"


@cache
def tracked_files() -> tuple[Path, ...]:
    """Return all files under version control; skips where there is no git."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(
        path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()
    )


def modules() -> list[Path]:
    """Return all Python files of the package."""
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported_names(nodes: Iterator[ast.AST]) -> Iterator[tuple[str, int]]:
    """Yield (dotted name, line) of each import among the nodes; `from a import b` gives `a.b`."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def module_level_nodes(module: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes that run at import: not function bodies, not `if TYPE_CHECKING:`."""
    waiting: list[ast.AST] = list(module.body)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))


def is_of(name: str, packages: frozenset[str]) -> bool:
    """Whether a dotted name lies in one of the packages."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)
