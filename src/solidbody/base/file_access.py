"""File access check: which files on this machine a world, body or mesh file may refer to.

A world, a body or a mesh is written by somebody else. What it names is read only inside the folders that
the reader of the file has allowed, symbolic links followed. A path that is not even written as one of
these folders is refused before the disk is touched: asking for `//host/share` would already be a visit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from solidbody.base.errors import SolidbodyError


class FileError(SolidbodyError):
    """A name gives no file: the text says why; `is_refused` tells not allowed from not there."""

    def __init__(self, text: str, *, is_refused: bool = False) -> None:
        self.is_refused = is_refused
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class FileAccess:
    """The folders that may be read.

    Attributes:
        roots: The folders, each as it is called and with its symbolic links followed; None = every file,
            for scenes that a program has built itself.
        named: What a message calls them, with how to allow more.
        cache: Folder of downloaded files; empty = the usual one.
    """

    roots: tuple[Path, ...] | None = None
    named: str = ""
    cache: str = ""

    def check(self, path: Path) -> Path:
        """Return `path`, as short as it can be written, if it is a file that may be read.

        Raises:
            FileError: It may not be read, or there is no such file.
        """
        try:
            path = Path(os.path.normpath(path))
            if not self._allows(Path(os.path.abspath(path))):
                raise FileError(self.refusal, is_refused=True)
            if self.roots is not None and not self._allows(path.resolve()):
                raise FileError(f"{self.refusal}; a symbolic link leads there", is_refused=True)
            if path.is_file():
                return path
        except (OSError, RuntimeError, ValueError) as error:  # a circle of links, a null character
            raise FileError(f"the path cannot be followed ({error})") from error
        raise FileError("there is no such file")

    @property
    def refusal(self) -> str:
        """Why a path outside is refused, and how to allow it."""
        return f"the path leads out of the folders that may be read ({self.named})"

    def joined(self, other: FileAccess) -> FileAccess:
        """Return what is allowed to a scene that was put together of two.

        A scene that a program built brings no folders: what a file describes stays confined beside it.
        """
        if self.roots is None or other.roots is None:
            return self if other.roots is None else other
        named = self.named if self.named == other.named else f"{self.named}; {other.named}"
        roots = tuple(dict.fromkeys((*self.roots, *other.roots)))
        return FileAccess(roots, named, self.cache or other.cache)

    def _allows(self, path: Path) -> bool:
        return self.roots is None or any(path.is_relative_to(root) for root in self.roots)


def access_to(folders: Iterable[Path], named: str, cache: str = "") -> FileAccess:
    """Return the access to some folders and all that is in them."""
    roots: list[Path] = []
    for folder in folders:
        roots.append(Path(os.path.abspath(folder)))
        try:
            roots.append(folder.resolve())
        except (OSError, RuntimeError):  # a circle of links: there is nothing to be found in it
            continue
    return FileAccess(tuple(dict.fromkeys(roots)), named, cache)


EVERY_FILE = FileAccess()
"""For what the user or a program of the user names."""
