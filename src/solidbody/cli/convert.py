"""`solidbody convert`: writes a world in another format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import LoadError, SolidbodyError
from solidbody.cli.console import error_console, print_diagnostics, say_error
from solidbody.cli.mjcf_losses import report_mjcf_losses
from solidbody.cli.status import BAD_INPUT, OK

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions


def convert_file(source: str, target: Path, reading: LoadOptions) -> int:
    """Convert by the extension of `target`; return the exit status."""
    from solidbody.formats.webots.write_file import write_atomically

    write = WRITERS.get(target.suffix.lower())
    if write is None:
        say_error(f'cannot write "{target.suffix}" files; known: {", ".join(WRITERS)}')
        return BAD_INPUT
    log = DiagnosticLog()
    try:
        text = write(source, reading, log)
    except SolidbodyError as error:
        print_diagnostics(log, error_console())
        say_error(str(error))
        return BAD_INPUT
    print_diagnostics(log, error_console())
    if text is None:
        say_error(f"{source} cannot be converted")
        return BAD_INPUT
    try:
        write_atomically(target, text)
    except OSError as error:
        say_error(f"{target}: {error.strerror or error}")
        return BAD_INPUT
    return OK


def _write_mjcf(source: str, reading: LoadOptions, log: DiagnosticLog) -> str | None:
    from solidbody.compiler import compile_scene
    from solidbody.compiler.mjcf import mjcf_text
    from solidbody.formats.loading import read_scene

    scene, found = read_scene(source, options=reading)
    log.extend(found)
    if scene is None:
        return None
    compiled = compile_scene(scene, for_export=True)
    known = set(log.items)
    log.extend(item for item in compiled.diagnostics if item not in known)
    report_mjcf_losses(scene, log)
    return mjcf_text(compiled)


def _write_world(source: str, reading: LoadOptions, log: DiagnosticLog) -> str | None:
    """Return a world in the form of the newest release, its PROTO instances as they are."""
    from solidbody.formats.webots.document import load_world

    try:
        world = load_world(source, options=reading)
    except LoadError as error:
        log.extend(error.diagnostics)
        return None
    log.extend(world.diagnostics)
    found = DiagnosticLog()
    text = world.modern_text(found)
    known = set(log.items)
    log.extend(item for item in found if item not in known)
    return text


Writer = Callable[[str, "LoadOptions", DiagnosticLog], str | None]
"""Takes the source file, what is asked of loading, and the log; returns None if it cannot be read."""

WRITERS: dict[str, Writer] = {".xml": _write_mjcf, ".wbt": _write_world}
"""Formats that can be written, by extension."""
