"""`solidbody convert`: writes a scene in another format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.errors import LoadError, SolidbodyError
from solidbody.base.output_files import check_target, reason_of
from solidbody.base.written_files import WrittenFiles
from solidbody.cli.console import print_diagnostics, say_error
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
        duration: Simulated time whose motion is written, too [s]; None = as it stands at the start.
        period: Time between frames of the motion [s]; None = the usual.
    """

    parts: tuple[SceneFile, ...]
    target: Path
    reading: LoadOptions
    robot: str | None = None
    duration: float | None = None
    period: float | None = None


def convert_files(asked: ConvertRequest) -> int:
    """Convert by the extension of the target; return the exit status."""
    parts, target = asked.parts, asked.target
    extension = target.suffix.lower()
    write = WRITERS.get(extension)
    if write is None:
        say_error(f'cannot write "{target.suffix}" files; known: {", ".join(WRITERS)}')
        return BAD_INPUT
    if asked.duration is not None and extension not in MOVING:
        say_error(f'--duration: "{target.suffix}" files hold no motion; {", ".join(MOVING)} do')
        return BAD_INPUT
    log = DiagnosticLog()
    try:
        check_target(target, "the file to write")
        made = write(asked, log)
    except SolidbodyError as error:
        print_diagnostics(log)
        say_error(str(error))
        return BAD_INPUT
    print_diagnostics(log)
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
    """Return what is written of the common model."""
    from solidbody.exports.saving import scene_files

    scene = _read(asked, log)
    if scene is None:
        return None
    return scene_files(scene, str(asked.target), log, robot=asked.robot)


def _write_gltf(asked: ConvertRequest, log: DiagnosticLog) -> WrittenFiles | None:
    """Return what a scene looks like, with the motion that its programs make if that is asked for."""
    if asked.duration is None:
        return _write_scene(asked, log)
    from solidbody.cli.controllers import ControllerChoice, controllers_of
    from solidbody.cli.headless import run_headless
    from solidbody.cli.run import make_sim
    from solidbody.record.gltf_file import GltfRecorder

    scene = _read(asked, log)
    if scene is None:
        return None
    sim = make_sim(scene, "auto")
    recorder = GltfRecorder(sim, asked.target, asked.period, robot=asked.robot)
    sim.attach(recorder)
    choice = ControllerChoice(awaits_extern=False)
    with controllers_of(
        sim, choice, log_on_stdout=False, reading=asked.reading, headless=True
    ) as outcome:
        run_headless(
            sim,
            duration=asked.duration,
            speed=lambda: outcome.speed(None),
            log=None,
            log_period=None,
        )
    sim.detach(recorder)
    made = recorder.files()
    log.extend(recorder.log)
    return made


Writer = Callable[[ConvertRequest, DiagnosticLog], WrittenFiles | None]
"""Takes what is asked and the log; returns None if the source cannot be read."""

WRITERS: dict[str, Writer] = {
    ".xml": _write_scene,
    ".wbt": _write_world,
    ".proto": _write_scene,
    ".body": _write_scene,
    ".urdf": _write_scene,
    ".glb": _write_gltf,
    ".gltf": _write_gltf,
    ".usda": _write_scene,
    ".usd": _write_scene,
    ".usdc": _write_scene,
}
"""Formats that can be written, by extension."""

MOVING: Final = (".glb", ".gltf")
"""Those that can hold the motion of a run."""
