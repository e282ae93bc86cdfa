"""Reads a world and compiles it, for commands that want every diagnostic."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import CompileError
from solidbody.base.span import SourceSpan


def read_and_compile(path: str) -> DiagnosticLog:
    """Return what reading a world file and compiling its scene have to say."""
    from solidbody.formats.loading import read_scene

    scene, log = read_scene(path)
    if scene is None:
        return log
    from solidbody.compiler import compile_scene

    try:
        compiled = compile_scene(scene)
    except CompileError as error:
        log.error("not-simulable", SourceSpan(path, 1, 1, 1, 1), str(error))
        return log
    known = set(log.items)
    log.extend(item for item in compiled.diagnostics if item not in known)
    return log
