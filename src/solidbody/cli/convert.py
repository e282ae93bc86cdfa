"""`solidbody convert`: writes a scene in another format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import LoadError, SolidbodyError
from solidbody.base.output_files import check_target, reason_of
from solidbody.base.written_files import WrittenFiles
from solidbody.cli.console import error_console, print_diagnostics, say_error
from solidbody.cli.file_arguments import shown_parts
from solidbody.cli.status import BAD_INPUT, OK

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions
    from solidbody.formats.scene_merging import SceneFile
    from solidbody.model.scene import Scene


@dataclass(frozen=True, slots=True)
class ConvertRequest:
    """What the command line asks for.

    Attributes:
        parts: The files that make up the scene.
        target: File to write.
        reading: Where PROTOs and other files come from.
        robot: Name of the one robot to write; None = all, or the only one.
    """

    parts: tuple[SceneFile, ...]
    target: Path
    reading: LoadOptions
    robot: str | None = None


def convert_files(
    parts: Sequence[SceneFile], target: Path, reading: LoadOptions, *, robot: str | None = None
) -> int:
    """Convert by the extension of `target`; return the exit status."""
    write = WRITERS.get(target.suffix.lower())
    if write is None:
        say_error(f'cannot write "{target.suffix}" files; known: {", ".join(WRITERS)}')
        return BAD_INPUT
    log = DiagnosticLog()
    try:
        check_target(target, "the file to write")
        made = write(ConvertRequest(tuple(parts), target, reading, robot), log)
    except SolidbodyError as error:
        print_diagnostics(log, error_console())
        say_error(str(error))
        return BAD_INPUT
    print_diagnostics(log, error_console())
    if made is None:
        say_error(f"{shown_parts(parts)} cannot be converted")
        return BAD_INPUT
    try:
        made.save(target)
    except (OSError, ValueError) as error:
        say_error(f"{target} cannot be written: {reason_of(error)}")
        return BAD_INPUT
    return OK


def _read(asked: ConvertRequest, log: DiagnosticLog) -> Scene | None:
    from solidbody.formats.scene_merging import read_scene_files

    scene, found = read_scene_files(asked.parts, options=asked.reading)
    log.extend(found)
    return scene


def _write_mjcf(asked: ConvertRequest, log: DiagnosticLog) -> WrittenFiles | None:
    from solidbody.compiler import compile_scene
    from solidbody.compiler.mjcf import mjcf_text
    from solidbody.formats.saving import choose_robot

    scene = _read(asked, log)
    if scene is None:
        return None
    if asked.robot is not None:
        scene = replace(scene, bodies=(choose_robot(scene, asked.robot),))
    compiled = compile_scene(scene, for_export=True)
    known = set(log.items)
    log.extend(item for item in compiled.diagnostics if item not in known)
    return WrittenFiles.of_text(mjcf_text(compiled))


def _write_world(asked: ConvertRequest, log: DiagnosticLog) -> WrittenFiles | None:
    """Return a world; one that was a world is brought to the newest release with its PROTO instances."""
    first = asked.parts[0]
    is_world = PurePath(first.path).suffix.lower() == ".wbt"
    if not is_world or len(asked.parts) > 1 or first.place is not None or asked.robot is not None:
        return _write_scene(asked, log)
    from solidbody.formats.webots.edit.document import load_world

    try:
        world = load_world(first.path, options=asked.reading)
    except LoadError as error:
        log.extend(error.diagnostics)
        return None
    log.extend(world.diagnostics)
    found = DiagnosticLog()
    text = world.modern_text(found, target=asked.target)
    known = set(log.items)
    log.extend(item for item in found if item not in known)
    return WrittenFiles.of_text(text)


def _write_scene(asked: ConvertRequest, log: DiagnosticLog) -> WrittenFiles | None:
    """Return what the writers of the common model make: a world, a PROTO, a body file or URDF."""
    from solidbody.formats.saving import scene_files

    scene = _read(asked, log)
    if scene is None:
        return None
    return scene_files(scene, str(asked.target), log, robot=asked.robot)


Writer = Callable[[ConvertRequest, DiagnosticLog], WrittenFiles | None]
"""Takes what is asked and the log; returns None if the source cannot be read."""

WRITERS: dict[str, Writer] = {
    ".xml": _write_mjcf,
    ".wbt": _write_world,
    ".proto": _write_scene,
    ".body": _write_scene,
    ".urdf": _write_scene,
}
"""Formats that can be written, by extension."""
