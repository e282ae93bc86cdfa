"""The texts that the page's editor opens: the world, and the sources of its robots' programs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solidbody.base.output_files import reason_of, write_whole
from solidbody.formats.text_files import decoded_text
from solidbody.model.scene import Scene
from solidbody.viewer.folder_files import FileFolder, FolderError
from solidbody.viewer.protocol_files import EventPrograms, WireText

TEXT_BYTES_LIMIT: Final = 4 * 2**20
"""[bytes] Of a text that is read or written: an editor in a browser takes no more."""

ENDINGS: Final = frozenset(
    {".py", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".ini", ".json", ".yaml", ".txt"}
)
"""Of files in the folder of a controller that can be edited; its Makefile can, too."""

WATCHED: Final = frozenset({".py", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".ini"})
"""Of those after whose change the program has to begin anew."""

MOST_SOURCES: Final = 50
"""Files of one controller that are listed."""

LOOK_PERIOD: Final = 1.0
"""[s] between looks at the files."""

_Stamp = tuple[tuple[str, int, int], ...]


class TextChangedError(FolderError):
    """A text was changed by others since it was read; nothing was written."""


@dataclass(frozen=True, slots=True)
class VersionedText:
    """A text with what it is known by: another version is another content."""

    text: str
    version: str


class SourceTexts:
    """Lists, reads and writes them, and sees which programs were changed since they began.

    Reading and writing may happen in any thread, all else in the player's.

    Args:
        folder: Beyond which nothing is read or written.
        writes: Whether anything may be written; else nothing is listed, read or written.
    """

    def __init__(self, folder: FileFolder, *, writes: bool = True) -> None:
        self._folder = folder
        self._writes = writes
        self._texts: tuple[WireText, ...] = ()
        self._sources: dict[str, tuple[Path, ...]] = {}
        self._stamps: dict[str, _Stamp] = {}
        self._next_look = 0.0
        self._shown: EventPrograms | None = None

    def take(self, scene: Scene) -> None:
        """Another scene is on show, or its programs begin anew: list its texts."""
        world = Path(scene.source)
        name = self._folder.name_of(world)
        texts: list[WireText] = []
        if name is not None and world.suffix.lower() == ".wbt" and world.is_file():
            texts.append(WireText(name, []))
        controllers: dict[str, list[str]] = {}
        for body in scene.bodies:
            for robot in body.robots:
                controllers.setdefault(robot.controller, []).append(robot.name)
        self._sources = {}
        for controller, robots in controllers.items():
            found = self._sources_of(world, controller)
            texts += [WireText(name, robots) for name in map(self._folder.name_of, found) if name]
            self._sources.update(dict.fromkeys(robots, found))
        self._texts = tuple(texts) if self._writes else ()
        self._stamps = {robot: _stamp(files) for robot, files in self._sources.items()}

    def look(self, now: float, scene: Scene) -> EventPrograms | None:
        """Look at the files once in a while; return what can be edited and what has changed, if new."""
        if now >= self._next_look:
            self._next_look = now + LOOK_PERIOD
            names = {robot.name for body in scene.bodies for robot in body.robots}
            if names != self._sources.keys():
                self.take(scene)
            changed = [
                robot
                for robot, files in self._sources.items()
                if _stamp(files) != self._stamps[robot]
            ]
            listed = {robot for item in self._texts for robot in item.robots}
            without = [robot for robot in self._sources if robot not in listed]
            event = EventPrograms(list(self._texts), changed, without if self._writes else [])
            if event != self._shown:
                self._shown = event
                return event
        return None

    def forget_look(self) -> None:
        """Programs were written or are others now: look at them soon, all of them."""
        self._next_look = 0.0
        self._sources = {}

    def note_start(self, robots: list[str]) -> None:
        """These programs begin with the files as they are now."""
        self._next_look = 0.0
        for robot in robots:
            if robot in self._sources:
                self._stamps[robot] = _stamp(self._sources[robot])

    def read(self, name: str) -> VersionedText:
        """Return a text of the list. Raises FolderError if it is none, or cannot be read."""
        path = self._path(name)
        try:
            if path.stat().st_size > TEXT_BYTES_LIMIT:
                raise FolderError(f"{name} is too large to be edited here")
            data = path.read_bytes()
        except OSError as error:
            raise FolderError(f"{name} cannot be read: {reason_of(error)}") from error
        return VersionedText(decoded_text(data)[0], _version(data))

    def write(self, name: str, text: str, version: str) -> str:
        """Write a text that was read with a version; return its new version.

        Raises:
            TextChangedError: The file has another content by now.
            FolderError: It is none of the list, or cannot be written.
        """
        data = text.encode("utf-8")
        if len(data) > TEXT_BYTES_LIMIT:
            raise FolderError(f"{name} has more than {TEXT_BYTES_LIMIT} bytes")
        if self.read(name).version != version:
            raise TextChangedError(f"{name} was changed by another program since it was opened")
        try:
            write_whole(self._path(name), data)
        except OSError as error:
            raise FolderError(f"{name} was not written: {reason_of(error)}") from error
        return _version(data)

    def _path(self, name: str) -> Path:
        if not any(item.name == name for item in self._texts):
            raise FolderError(f'"{name[:80]}" is no text of this world or of its programs')
        return self._folder.place(name)

    def _sources_of(self, world: Path, controller: str) -> tuple[Path, ...]:
        """Return the files of a controller that can be edited, its own source first."""
        folder = world.absolute().parent.parent / "controllers" / controller
        if controller.startswith("<") or not controller or self._folder.name_of(folder) is None:
            return ()
        try:
            files = [
                path
                for path in sorted(folder.iterdir())
                if (path.suffix in ENDINGS or path.name == "Makefile") and path.is_file()
            ]
        except OSError:
            return ()
        files.sort(key=lambda path: path.stem != folder.name)
        return tuple(path for path in files if self._folder.name_of(path))[:MOST_SOURCES]


def _stamp(files: tuple[Path, ...]) -> _Stamp:
    """Return what changes when any of some sources is written."""
    found: list[tuple[str, int, int]] = []
    for path in files:
        if path.suffix not in WATCHED:
            continue
        try:
            stat = path.stat()
        except OSError:
            continue
        found.append((path.name, stat.st_mtime_ns, stat.st_size))
    return tuple(found)


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
