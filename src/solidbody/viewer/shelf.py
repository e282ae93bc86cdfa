"""What can be opened beside the file on show: files of the folder, those of lately, examples, new ones."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from solidbody.base.cache import cache_folder
from solidbody.base.errors import SolidbodyError
from solidbody.base.output_files import reason_of, write_whole
from solidbody.projects.example_files import ExampleError, examples_folder, list_examples
from solidbody.projects.new_project import ProjectError, create_project
from solidbody.projects.new_world import WORLDS, world_text
from solidbody.viewer.folder_files import FileFolder, FolderError, is_opened
from solidbody.viewer.protocol_files import (
    CommandFiles,
    CommandNew,
    CommandOpen,
    EventFiles,
    EventOpening,
    WireFile,
)

MOST_RECENT: Final = 12
"""Files opened lately that are kept."""

MOST_BYTES: Final = 65_536
"""[bytes] Of the list of them."""

Opener = Callable[[Path, bool], None]
"""Opens a file, in a pause or running; raises SolidbodyError if it cannot be read, and nothing changes."""

ShelfCommand = CommandFiles | CommandOpen | CommandNew
ShelfEvent = EventFiles | EventOpening


class Shelf:
    """Lists, makes and opens files.

    Args:
        folder: Of the page; new files come into it, and nothing else is listed or opened by name.
        opener: Opens a file.
        tell: Tells the page at once; opening takes a while.
    """

    def __init__(
        self,
        folder: FileFolder,
        opener: Opener,
        tell: Callable[[ShelfEvent], None] = lambda event: None,
    ) -> None:
        self._folder = folder
        self._opener = opener
        self.tell = tell

    def obey(self, command: ShelfCommand) -> list[ShelfEvent]:
        """Carry out a command; return what to tell the page."""
        if isinstance(command, CommandFiles):
            return [self._list()]
        try:
            if isinstance(command, CommandOpen):
                self._open(self._find(command))
            else:
                self._open(self._make(command), is_new=True)
        except (SolidbodyError, ProjectError, ExampleError) as error:
            return [EventOpening(command.name, str(error), True)]
        except OSError as error:
            return [EventOpening(command.name, f'"{command.name}": {reason_of(error)}', True)]
        return []

    def open(self, path: Path) -> None:
        """Open a file that was just written."""
        self._open(path, is_new=True)

    def _open(self, path: Path, *, is_new: bool = False) -> None:
        name = self._folder.name_of(path) or path.name
        self.tell(EventOpening(name, f"Opening {name} …", False))
        self._opener(path, is_new)

    def _list(self) -> EventFiles:
        return EventFiles(
            self._folder.name,
            [WireFile(item.name, item.path.suffix[1:].lower()) for item in self._folder.list()],
            [WireFile(str(path), path.name) for path in recent_files()],
            examples(),
        )

    def _find(self, command: CommandOpen) -> Path:
        """Return the file that a page asks for: nothing but what was listed for it."""
        if command.kind == "folder":
            return self._folder.file(command.name)
        if command.kind == "example":
            known = {example.name for example in examples()}
            if command.name not in known:
                raise FolderError(f'there is no example "{command.name[:80]}"')
            return examples_folder() / command.name
        for path in recent_files():
            if str(path) == command.name:
                return path
        raise FolderError(f'"{command.name[:80]}" is not among the files opened lately')

    def _make(self, command: CommandNew) -> Path:
        """Make a world or a project; return the world."""
        if "/" in command.name:
            raise FolderError("a new world has a name, not a path")
        if command.kind not in WORLDS:
            made = create_project(self._folder.place(command.name), command.kind, command.language)
            return next(file for file in made if file.suffix == ".wbt")
        stem = command.name.removesuffix(".wbt")
        # beside it there is room for programs, PROTOs and meshes, as in every project
        inner = "" if self._folder.path.name == "worlds" else "worlds/"
        path = self._folder.place(f"{inner}{stem}.wbt")
        if path.exists():
            raise FolderError(f'"{self._folder.name_of(path)}" is there already')
        path.parent.mkdir(exist_ok=True)
        write_whole(path, world_text(command.kind, stem).encode("utf-8"))
        return path


def examples() -> list[WireFile]:
    """Return the examples that a page can show."""
    try:
        top = examples_folder()
        known = list_examples()
    except (ExampleError, OSError):
        return []
    return [WireFile(item.name, item.what) for item in known if is_opened(top / item.name)]


# --------------------------------------------------------------------------- opened lately


def recent_files(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files that were opened lately and are still there, the last one first."""
    return [path for path in _remembered(environment) if path.is_file()]


def note_recent(path: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Remember a file that was opened; a folder that cannot be written to does no harm."""
    path = path.absolute()
    kept = [path, *(other for other in _remembered(environment) if other != path)]
    text = json.dumps({"files": [str(one) for one in kept[:MOST_RECENT]]}, indent=1)
    file = _list_file(environment)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode("utf-8"))
    except OSError:
        return


def _list_file(environment: Mapping[str, str]) -> Path:
    return cache_folder(environment, "recent") / "files.json"


def _remembered(environment: Mapping[str, str]) -> Sequence[Path]:
    file = _list_file(environment)
    try:
        if file.stat().st_size > MOST_BYTES:
            return []
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    names = data.get("files") if isinstance(data, dict) else None
    if not isinstance(names, list):
        return []
    return [Path(name) for name in names[:MOST_RECENT] if isinstance(name, str)]
