"""The words of the field in names of files, one class per name, one import path per name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.architecture.sources import PACKAGE, ROOT, modules, tracked_files, tree

DIALECT = {
    "busy": "progress",
    "clouds": "mesh vertices",
    "companion": "step hook",
    "corner": "ambient occlusion",
    "custody": "process registry",
    "desk": "editor",
    "fans": "ray batches",
    "feelers": "touch probes",
    "film": "tone mapping",
    "guardian": "watchdog",
    "held": "delayed collision",
    "ink": "paint",
    "inside": "in process",
    "instants": "render snapshot",
    "kept": "cache",
    "pieces": "connected components",
    "places": "transforms",
    "present": "look-ahead",
    "reception": "handshakes",
    "runge": "rk4",
    "seats": "slots",
    "strokes": "line overlay",
    "touching": "penetration depth",
    "workbench": "panel commands",
}
"""Words that nobody would search for, and what to say instead."""

SAME_NAMES = frozenset({"control/client", "control/io_body", "control/protocol", "standins"})
"""Folders whose classes have Webots' or Choreonoid's names, or those of messages: they are never imported by
name beside others."""


def _folder(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_names_of_files_are_words_of_the_field() -> None:
    """A stranger finds a file by the word that robotics or graphics has for what it does."""
    found = [
        f'{path.relative_to(ROOT)}: say "{DIALECT[word]}"'
        for path in tracked_files()
        if path.suffix in {".py", ".c", ".h", ".ts"}
        for word in path.stem.lower().removeprefix("test_").split("_")
        if word in DIALECT and path.stem != "test_runge_kutta"
    ]
    assert not found


def test_every_public_class_has_a_name_of_its_own() -> None:
    """One word, one meaning: whoever greps for a class finds one."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in modules():
        if not _folder(path).startswith(tuple(SAME_NAMES)):
            for node in tree(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(_folder(path))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_every_name_is_imported_from_where_it_is_defined() -> None:
    """One import path: only a package's `__init__` passes on names of other modules."""
    defined = {_module(path): _defined(tree(path)) for path in modules()}
    wrong: list[str] = []
    for path in modules():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module in defined and not node.level:
                if (PACKAGE.parent / node.module.replace(".", "/")).is_dir():
                    continue
                wrong += [
                    f"{_folder(path)}: {alias.name} is not defined in {node.module}"
                    for alias in node.names
                    if alias.name != "*" and alias.name not in defined[node.module]
                ]
    assert not wrong


def _module(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def _defined(module: ast.Module) -> set[str]:
    """Return the names that a module gives a value of its own."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found
