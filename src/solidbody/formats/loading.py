"""Files to scenes: chooses the reader by file extension and collects everything it has to say."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import LoadError
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.webots.lower import lower_file
from solidbody.model.scene import Scene

MAX_BYTES: Final = 200_000_000
"""Larger files are refused: their tree would need tens of gigabytes."""

Reader = Callable[[str, str, DiagnosticLog], Scene | None]
"""Takes text, name and log; returns None if nothing could be built."""


def _read_world(text: str, name: str, log: DiagnosticLog) -> Scene | None:
    tree = parse_text(text, name, log)
    return None if tree is None else lower_file(tree, name, log)


READERS: Final[dict[str, Reader]] = {".wbt": _read_world}
"""Readers by file extension, in lower case."""


def read_scene(path: str | os.PathLike[str]) -> tuple[Scene | None, DiagnosticLog]:
    """Read a file; return the scene (None if it could not be built) and all diagnostics."""
    log = DiagnosticLog()
    name = os.fspath(path)
    reader = _reader_for(name, log)
    text = None if reader is None else _read_text(Path(path), name, log)
    if reader is None or text is None:
        return None, log
    return reader(text, name, log), log


def read_scene_text(text: str, name: str = "world.wbt") -> tuple[Scene | None, DiagnosticLog]:
    """Read a scene from a string; the extension of `name` chooses the reader."""
    log = DiagnosticLog()
    reader = _reader_for(name, log)
    return (None if reader is None else reader(text, name, log)), log


def load(path: str | os.PathLike[str], *, strict: bool = False) -> Scene:
    """Return the scene of a file; what loading had to say stands in `Scene.diagnostics`.

    Args:
        path: The file; its extension chooses the reader.
        strict: Whether any error in the file raises, not only those that leave no scene.

    Raises:
        LoadError: No scene could be built, or `strict` and the file has errors.
    """
    scene, log = read_scene(path)
    if scene is None or (strict and log.has_errors):
        raise LoadError(os.fspath(path), log.items)
    return scene


def _reader_for(name: str, log: DiagnosticLog) -> Reader | None:
    extension = PurePath(name).suffix.lower()
    reader = READERS.get(extension)
    if reader is None:
        log.error(
            "unknown-extension",
            _start_of(name),
            f'cannot read files with the extension "{extension}"; known: {", ".join(READERS)}.',
        )
    return reader


def _read_text(path: Path, name: str, log: DiagnosticLog) -> str | None:
    place = _start_of(name)
    try:
        if path.is_dir():
            log.error("unreadable-file", place, "this is a directory, not a file.")
            return None
        size = path.stat().st_size
        if size > MAX_BYTES:
            log.error(
                "file-too-large",
                place,
                f"the file has {size} bytes; at most {MAX_BYTES} are read.",
            )
            return None
        data = path.read_bytes()
    except FileNotFoundError:
        log.error("missing-file", place, "no such file.")
        return None
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = error.strerror if isinstance(error, OSError) else str(error)
        log.error("unreadable-file", place, f"cannot be read: {reason}.")
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        log.error(
            "bad-encoding",
            SourceSpan(name, line, column, line, column),
            f"the file is not UTF-8: byte 0x{data[error.start]:02x} cannot be decoded.",
        )
        return None


def _start_of(name: str) -> SourceSpan:
    return SourceSpan(name, 1, 1, 1, 1)
