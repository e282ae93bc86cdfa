"""Reads a world for a command: the scene if there is one, and every diagnostic."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import CompileError
from solidbody.base.span import SourceSpan
from solidbody.model.scene import Scene


def read_file(path: str) -> tuple[Scene | None, DiagnosticLog]:
    """Read a world file; a file that cannot be opened is a diagnostic like any other."""
    from solidbody.formats.loading import read_scene

    try:
        return read_scene(path)
    except OSError as error:
        log = DiagnosticLog()
        reason = error.strerror or str(error)
        log.error("unreadable-file", SourceSpan(path, 1, 1, 1, 1), f"cannot be read: {reason}")
        return None, log


def read_and_compile(path: str) -> DiagnosticLog:
    """Return what reading a world file and compiling its scene have to say."""
    scene, log = read_file(path)
    if scene is None:
        return log
    from solidbody.compiler import compile_scene

    try:
        compiled = compile_scene(scene)
    except CompileError as error:
        place = SourceSpan(path, 1, 1, 1, 1)
        log.error("not-simulable", place, str(error))
        return log
    known = set(log.items)
    log.extend(item for item in compiled.diagnostics if item not in known)
    return log
