"""Loads files into scenes: chooses the reader by file extension and collects all diagnostics."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import LoadError
from solidbody.base.limits import MAX_FILE_BYTES, BudgetError, one_load
from solidbody.base.span import SourceSpan
from solidbody.formats.file_kinds import BODY_KINDS, MJCF_KINDS, SDF_KINDS
from solidbody.formats.gc_pause import collector_paused
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.formats.webots.lower.scene import Lowered, lower_file
from solidbody.formats.webots.lower.top_nodes import TopNodeCache
from solidbody.formats.webots.protos.instance_cache import InstanceCache
from solidbody.formats.webots.protos.proto_world import world_of_proto
from solidbody.formats.webots.write.rates import read_accelerations
from solidbody.model.scene import Scene

Reader = Callable[[str, str, LoadOptions, DiagnosticLog], Scene | None]
"""Takes text, name, options and log; returns None if nothing could be built."""


@collector_paused()
def _read_world(text: str, name: str, options: LoadOptions, log: DiagnosticLog) -> Scene | None:
    tree = parse_text(text, name, log)
    if tree is None:
        return None
    lowered = lower_world(tree, name, options, log)
    for node in lowered.nodes:
        if node is not None:
            node.forget()
    return replace(lowered.scene, start_accelerations=read_accelerations(text))


@collector_paused()
def _read_proto(text: str, name: str, options: LoadOptions, log: DiagnosticLog) -> Scene | None:
    tree = world_of_proto(text, name, log)
    return None if tree is None else lower_world(tree, name, options, log).scene


def _reader(module: str, name: str) -> Reader:
    """Return a reader that is imported when it is first used: most runs need one of them."""

    def read(text: str, file: str, options: LoadOptions, log: DiagnosticLog) -> Scene | None:
        found: Reader = getattr(import_module(f"solidbody.formats.{module}"), name)
        return found(text, file, options, log)

    return read


def lower_world(
    tree: FileSyntax,
    name: str,
    options: LoadOptions,
    log: DiagnosticLog,
    kept: CachedReading | None = None,
) -> Lowered:
    """Return the scene of a world's syntax tree, its PROTOs expanded, and the nodes behind its links.

    Args:
        tree: The world as written.
        name: Its file; urls are relative to it.
        options: Where PROTOs and other files come from.
        log: Takes all messages.
        kept: Has what the document was when it was read before; None = it is read once.
    """
    instances = kept.instances if kept else InstanceCache()
    is_new = kept is None or not kept.tops.tops
    with one_load(), collector_paused() if is_new else nullcontext():
        expanded, finder = instances.expand(tree, name, options, log)
        return lower_file(
            expanded,
            name,
            finder,
            log,
            check_images=options.check_images,
            kept=kept.tops if kept else None,
        )


@dataclass(frozen=True, slots=True)
class CachedReading:
    """What is kept of a document that is read again after each change: only what was changed is read."""

    instances: InstanceCache = field(default_factory=InstanceCache)
    tops: TopNodeCache = field(default_factory=TopNodeCache)


READERS: Final[dict[str, Reader]] = {
    ".wbt": _read_world,
    ".proto": _read_proto,
    **dict.fromkeys(BODY_KINDS, _reader("choreonoid.project.lone_body", "read_body_scene")),
    ".cnoid": _reader("choreonoid.project.reader", "read_project"),
    **dict.fromkeys(MJCF_KINDS, _reader("mjcf.scene", "read_mjcf")),
    **dict.fromkeys(SDF_KINDS, _reader("sdf.scene", "read_sdf")),
}
"""Readers by file extension, in lower case."""


def read_scene(
    path: str | os.PathLike[str], *, options: LoadOptions = DEFAULT_OPTIONS
) -> tuple[Scene | None, DiagnosticLog]:
    """Read a file; return the scene (None if it could not be built) and all diagnostics."""
    log = DiagnosticLog()
    name = os.fspath(path)
    reader = _reader_for(name, log)
    text = None if reader is None else read_text(name, log, max_bytes=MAX_FILE_BYTES)
    if reader is None or text is None:
        return None, log
    return _read(reader, text, name, options, log), log


def read_scene_text(
    text: str, name: str = "world.wbt", *, options: LoadOptions = DEFAULT_OPTIONS
) -> tuple[Scene | None, DiagnosticLog]:
    """Read a scene from a string.

    Args:
        text: What a file would hold.
        name: Its name: the extension chooses the reader, and urls in the text are relative to it.
        options: Where PROTOs and other files come from.
    """
    log = DiagnosticLog()
    reader = _reader_for(name, log)
    return (None if reader is None else _read(reader, text, name, options, log)), log


def _read(
    reader: Reader, text: str, name: str, options: LoadOptions, log: DiagnosticLog
) -> Scene | None:
    """Read a text within the budget of one load."""
    with one_load():
        try:
            return reader(text, name, options, log)
        except BudgetError as error:  # where no reader can leave out a part
            log.error("too-much", _start_of(name), f"{error}; nothing of it is read.")
            return None


def load(
    path: str | os.PathLike[str], *, strict: bool = False, options: LoadOptions = DEFAULT_OPTIONS
) -> Scene:
    """Return the scene of a file; what loading had to say stands in `Scene.diagnostics`.

    Args:
        path: The file; its extension chooses the reader.
        strict: Whether any error in the file raises, not only those that leave no scene.
        options: Where PROTOs and other files come from, and what replaces those that are missing.

    Raises:
        LoadError: No scene could be built, or `strict` and the file has errors.
    """
    scene, log = read_scene(path, options=options)
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


def _start_of(name: str) -> SourceSpan:
    return SourceSpan(name, 1, 1, 1, 1)
