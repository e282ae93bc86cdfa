"""Finds what a controller of Choreonoid's is compiled of: a source file, or a CMakeLists.txt that adds it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.cache import cache_folder
from solidbody.control.building import CPP_ENDINGS
from solidbody.control.header_names import HEADERS
from solidbody.control.simple_controllers.host_program import INCLUDE

LISTS: Final = "CMakeLists.txt"

FOLDERS: Final = ("src", "controller", "controllers", "simplecontroller", "sample")
"""Folders beside a project, and beside the two above it, in which sources are looked for first."""

LEVELS: Final = 4
"""How far above a project its workspace may begin."""

MOST_FOLDERS: Final = 5000
"""Folders of a workspace that are looked into."""

LONGEST: Final = 1_000_000
"""Characters of a CMakeLists.txt that are read."""

_MADE_FOLDERS: Final = frozenset(("build", "install", "devel", "log", "node_modules"))

_ADDS: Final = (
    r"(?:choreonoid_add_simple_controller|add_cnoid_simple_controller)\s*\(\s*{name}\s([^)]*)\)"
)
_PROJECT: Final = re.compile(r"^\s*project\s*\(", re.MULTILINE | re.IGNORECASE)
_DESCENDS: Final = re.compile(r"\badd_subdirectory\s*\(([^)]*)\)", re.IGNORECASE)
_LINKS: Final = r"\btarget_(?:link_libraries|sources)\s*\(\s*{name}\s"
_CHOREONOID: Final = re.compile(r"^\s*project\s*\(\s*choreonoid\b", re.MULTILINE | re.IGNORECASE)
_IF: Final = re.compile(r"^\s*if\s*\(", re.MULTILINE | re.IGNORECASE)
_END_IF: Final = re.compile(r"^\s*endif\s*\(", re.MULTILINE | re.IGNORECASE)
_NEEDS: Final = re.compile(
    r"\b(?:target_link_libraries|target_sources|(?:target_)?include_directories|(?:target_)?compile_definitions"
    r"|add_definitions|add_compile_definitions)\s*\(",
    re.IGNORECASE,
)
"""What a compiler would have to be told beside the names of source files."""


@dataclass(frozen=True, slots=True)
class ModuleSources:
    """What a shared object is compiled of.

    Attributes:
        name: Of the controller.
        place: Its source file, or the CMakeLists.txt that adds it.
        files: Its source files, if they are all that there is; compiled without `roots`, or if CMake fails,
            as it often does for others of a folder.
        roots: Folders with which CMake may begin, the first choice first; none = it is not needed.
    """

    name: str
    place: Path
    files: tuple[str, ...] = ()
    roots: tuple[Path, ...] = ()

    @classmethod
    def find(cls, name: str, project: Path) -> ModuleSources | None:
        """Return the sources of a controller: near a project, else anywhere in its workspace."""
        adds = re.compile(_ADDS.format(name=re.escape(name)))
        near = list(_near(project))
        for folder in near:
            if found := cls._added(name, folder / LISTS, adds):
                return found
        for folder in near:
            for ending in CPP_ENDINGS:
                if (folder / (name + ending)).is_file():
                    return cls(name, folder / (name + ending), (name + ending,))
        top = _workspace(project)
        for folder in () if top is None else _folders(top):
            if found := cls._added(name, folder / LISTS, adds):
                return found
        return None

    @classmethod
    def _added(cls, name: str, lists: Path, adds: re.Pattern[str]) -> ModuleSources | None:
        """Return the sources of a controller if a CMakeLists.txt adds it."""
        text = _text(lists)
        added = adds.search(text)
        if added is None:
            return None
        folder = lists.parent
        files = tuple(word for word in added[1].split() if word.endswith(CPP_ENDINGS))
        if any("$" in file for file in files):
            files = ()
        elif not all((folder / file).is_file() for file in files):
            return None  # a copy of another folder's
        is_plain = files and not _PROJECT.search(text) and not _NEEDS.search(text)
        if is_plain or not shutil.which("cmake"):
            return cls(name, lists, files) if files else None
        if re.search(_LINKS.format(name=re.escape(name)), text, re.IGNORECASE):
            files = ()  # they are not all of it
        return cls(name, lists, files, _roots(folder, text))

    @property
    def cache(self) -> Path:
        """Where it is compiled."""
        key = hashlib.sha256(str(self.place.resolve()).encode()).hexdigest()[:16]
        return cache_folder(os.environ, "cnoid") / f"{self.place.parent.name}-{key}"

    @property
    def made(self) -> Path:
        """The shared object."""
        return self.cache / f"{self.name}.so"

    def newest(self) -> float:
        """Return when sources or headers, those of the SDK included, have changed last."""
        endings = (*CPP_ENDINGS, *HEADERS, ".txt")
        folders = _folders(self.roots[0]) if self.roots else iter((self.place.parent,))
        files = [
            path
            for folder in folders
            for path in folder.iterdir()
            if path.suffix in endings and path.is_file()
        ]
        files += (INCLUDE / "cnoid" / "src").iterdir()
        return max(path.stat().st_mtime for path in files)


def stands_alone(folder: Path) -> tuple[bool, ...]:
    """Return whether a folder's CMakeLists.txt is a project of its own, or stands in Choreonoid's tree.

    One that is a project under a condition may be both; what it may be comes in the order of trying.
    """
    text = _text(folder / LISTS)
    found = _PROJECT.search(text)
    if found is None:
        return (False,)
    before = text[: found.start()]
    return (False, True) if len(_IF.findall(before)) > len(_END_IF.findall(before)) else (True,)


def _roots(folder: Path, text: str) -> tuple[Path, ...]:
    """Return the folder from which CMake comes down to a folder, and the folder itself."""
    top = below = folder
    for above in () if _PROJECT.search(text) else list(folder.parents)[:LEVELS]:
        lists = _text(above / LISTS)
        if _CHOREONOID.search(lists):
            break  # its own tree, in which the workspace stands
        if any("$" in what or below.name in what for what in _DESCENDS.findall(lists)):
            top = above
        below = above
    return (top,) if top == folder else (top, folder)


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST)
    except OSError:
        return ""


def _near(project: Path) -> Iterator[Path]:
    """Yield the folders in which sources are looked for first, nearest first."""
    for above in (project, *list(project.parents)[:2]):
        yield above
        for name in FOLDERS:
            if (above / name).is_dir():
                yield above / name


def _workspace(project: Path) -> Path | None:
    """Return where a project's workspace begins: the highest folder with a CMakeLists.txt, or a checkout."""
    top = None
    for above in (project, *list(project.parents)[:LEVELS]):
        if (above / LISTS).is_file():
            top = above
        if (above / ".git").exists():
            return above
    return top


def _folders(top: Path) -> Iterator[Path]:
    """Yield a folder and those below, builds left out."""
    for count, (place, names, _) in enumerate(os.walk(top)):
        if count >= MOST_FOLDERS:
            return
        names[:] = sorted(n for n in names if n not in _MADE_FOLDERS and not n.startswith("."))
        yield Path(place)
