"""`solidbody convert`: writes a world in another format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import SolidbodyError
from solidbody.cli.console import error_console, print_diagnostics, say_error
from solidbody.cli.mjcf_losses import report_mjcf_losses
from solidbody.cli.status import BAD_INPUT, OK
from solidbody.model.scene import Scene

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions


def convert_file(source: str, target: Path, reading: LoadOptions) -> int:
    """Convert by the extension of `target`; return the exit status."""
    from solidbody.formats.loading import read_scene

    write = WRITERS.get(target.suffix.lower())
    if write is None:
        say_error(f'cannot write "{target.suffix}" files; known: {", ".join(WRITERS)}')
        return BAD_INPUT
    scene, log = read_scene(source, options=reading)
    try:
        text = None if scene is None else write(scene, log)
    except SolidbodyError as error:
        print_diagnostics(log, error_console())
        say_error(str(error))
        return BAD_INPUT
    print_diagnostics(log, error_console())
    if text is None:
        say_error(f"{source} cannot be converted")
        return BAD_INPUT
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        say_error(f"{target}: {error.strerror or error}")
        return BAD_INPUT
    return OK


def _write_mjcf(scene: Scene, log: DiagnosticLog) -> str:
    from solidbody.compiler import compile_scene
    from solidbody.compiler.mjcf import mjcf_text

    compiled = compile_scene(scene, for_export=True)
    known = set(log.items)
    log.extend(item for item in compiled.diagnostics if item not in known)
    report_mjcf_losses(scene, log)
    return mjcf_text(compiled)


WRITERS: dict[str, Callable[[Scene, DiagnosticLog], str]] = {".xml": _write_mjcf}
"""Formats that can be written, by extension."""
