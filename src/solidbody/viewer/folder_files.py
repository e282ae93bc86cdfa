"""The folder that the page was given: names in it that pages may ask for, and what can be opened.

Names come from web clients. They lead to nothing outside the folder, also not by links.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.errors import SolidbodyError
from solidbody.formats.loading import READERS

NAME: Final = re.compile(r"[^\\/:*?\"<>|\x00-\x1f]{1,128}")
"""A part of a name, on all systems."""

MOST_PARTS: Final = 16
"""Parts of a name."""

MOST_LISTED: Final = 500
"""Files that are listed."""

MOST_LOOKED_AT: Final = 20_000
"""Files and folders that are looked at for the list, so that a large disk takes no longer than a moment."""

DEPTH: Final = 6
"""Folders within folders that are looked at."""

SKIPPED: Final = frozenset({"node_modules", "__pycache__", "site-packages", "build"})

NOT_OPENED: Final = frozenset({".proto"})
"""What can be read, but is a part of something."""

MJCF_MARK: Final = b"<mujoco"
"""Somewhere at the begin of an XML file of MuJoCo; there are many others."""

LOOKED_AT: Final = 4096
"""[bytes]"""


class FolderError(SolidbodyError):
    """A file cannot be read or written here; the text says why."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that can be opened: its name below the folder."""

    name: str
    path: Path


class FileFolder:
    """A folder, beyond which nothing is read or written for the page."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    @property
    def name(self) -> str:
        """What the page calls it."""
        return self.path.name or str(self.path)

    def name_of(self, path: Path) -> str | None:
        """Return the name of a file below the folder; None = it is elsewhere."""
        try:
            return path.resolve().relative_to(self.path).as_posix()
        except (ValueError, OSError):
            return None

    def place(self, name: str) -> Path:
        """Return the place of a name, whether there is a file or not.

        Raises:
            FolderError: The name is none, or leads out of the folder.
        """
        parts = name.split("/")
        is_plain = all(NAME.fullmatch(part) and not part.startswith(".") for part in parts)
        if not is_plain or len(parts) > MOST_PARTS or name != name.strip():
            raise FolderError(
                f'"{name[:80]}" is no name for a file: words with / between them, without .. and hidden parts'
            )
        try:
            path = (self.path / name).resolve()
        except (OSError, RuntimeError) as error:  # a circle of links
            raise FolderError(f'"{name}" leads nowhere: {error}') from error
        if not path.is_relative_to(self.path):
            raise FolderError(f'"{name}" leads out of the folder "{self.name}"')
        return path

    def file(self, name: str) -> Path:
        """Return the file of a name that can be opened. Raises FolderError if there is none."""
        path = self.place(name)
        if not path.is_file() or path.suffix.lower() not in READERS:
            raise FolderError(f'there is no world or robot "{name}" in the folder "{self.name}"')
        return path

    def files(self) -> Iterator[Path]:
        """Yield the files below the folder, but for hidden ones and as far as is looked."""
        return _files(self.path)

    def list(self) -> list[FoundFile]:
        """Return what can be opened, by name; worlds first."""
        found = [
            FoundFile(path.relative_to(self.path).as_posix(), path)
            for path in _files(self.path)
            if is_opened(path)
        ]
        found.sort(key=lambda item: (item.path.suffix.lower() != ".wbt", item.name.lower()))
        return found[:MOST_LISTED]


def project_folder(file: Path) -> Path:
    """Return the folder of a world's project, or the folder of any other file."""
    folder = file.absolute().parent
    return folder.parent if folder.name == "worlds" and folder.parent.name else folder


def is_opened(path: Path) -> bool:
    """Whether a file is a world or a robot, by its name and for XML by its begin."""
    suffix = path.suffix.lower()
    if suffix not in READERS or suffix in NOT_OPENED:
        return False
    if suffix != ".xml":
        return True
    try:
        with path.open("rb") as file:
            return MJCF_MARK in file.read(LOOKED_AT)
    except OSError:
        return False


def _files(top: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, names in os.walk(top):
        depth = len(Path(folder).relative_to(top).parts)
        wanted = (name for name in folders if name not in SKIPPED and not name.startswith("."))
        folders[:] = sorted(wanted) if depth < DEPTH else []
        for name in sorted(names):
            count += 1
            if not name.startswith(".") and not (path := Path(folder, name)).is_symlink():
                yield path
        count += len(folders)
        if count > MOST_LOOKED_AT:
            return
