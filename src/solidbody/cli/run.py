"""`solidbody run`: simulates a world in the browser, or headless with a log."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.base.errors import SimulationError, SolidbodyError
from solidbody.base.output_files import reason_of
from solidbody.cli.console import (
    ProgressBar,
    print_diagnostics,
    say,
    say_error,
    say_warning,
)
from solidbody.cli.controllers import (
    ControllerChoice,
    ControllerOutcome,
    attach_body_controllers,
    controllers_of,
)
from solidbody.cli.drive import apply_drives, hold_joints, parse_drive
from solidbody.cli.file_arguments import shown_parts
from solidbody.cli.recording import RecordChoice, check_outputs, recordings_of
from solidbody.cli.status import BAD_INPUT, OK, SIMULATION_FAILED

if TYPE_CHECKING:
    from solidbody.contact.engine import EngineName
    from solidbody.formats.options import LoadOptions
    from solidbody.formats.scene_merging import SceneFile
    from solidbody.model.scene import Scene
    from solidbody.sim import Sim
    from solidbody.viewer.session import PageSession, WantedFile


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line asks for.

    Attributes:
        headless: Without the page.
        duration: Simulated time to run [s]; None = until interrupted.
        speed: Factor of real time; None = 1 with the page, as fast as possible without.
        paused: Wait on the page for the user to press play.
        port: Of the page; 0 = any free one.
        host: Address at which the page is served.
        log: File for the motion log, `-` = standard output; None = no log.
        log_period: Time between rows [s]; None = every step.
        engine: auto, native or reference.
        strict: Any error in the file is final.
        open_browser: Open one if there is a display.
        drives: Motor commands, as written.
        hold: Whether joints without a command stay where they start.
        reading: Where PROTOs come from; None = nothing special.
        controllers: How programs that drive robots are run.
        recording: What is recorded.
        cut_meshes: Whether hollow meshes that move are cut into convex parts.
    """

    headless: bool
    duration: float | None
    speed: float | None
    paused: bool
    port: int
    log: str | None
    log_period: float | None
    engine: EngineName
    strict: bool
    open_browser: bool
    drives: tuple[str, ...] = ()
    hold: bool = False
    reading: LoadOptions | None = None
    controllers: ControllerChoice = ControllerChoice()
    recording: RecordChoice = RecordChoice()
    cut_meshes: bool = True
    host: str = "127.0.0.1"


def run_files(parts: Sequence[SceneFile], options: RunOptions) -> int:
    """Read, put together, compile and run files; return the exit status."""
    if options.headless:
        return _run_parts(parts, options, None)
    from solidbody.viewer.address_cache import AddressMemory
    from solidbody.viewer.session import PageSession

    memory = AddressMemory(Path(parts[0].path))
    session = PageSession(port=options.port, host=options.host, memory=memory)
    return _run_session(parts, options, session)


def run_start(folder: Path, options: RunOptions) -> int:
    """Show the page with what can be opened in a folder; return the exit status."""
    from solidbody.formats.scene_merging import SceneFile
    from solidbody.projects.new_world import template_path
    from solidbody.viewer.folder_files import FileFolder
    from solidbody.viewer.session import PageSession

    session = PageSession(
        port=options.port, host=options.host, folder=FileFolder(folder), is_start=True
    )
    return _run_session([SceneFile(str(template_path("arena")))], options, session)


def _run_session(parts: Sequence[SceneFile], options: RunOptions, session: PageSession) -> int:
    """Run files, and then whatever users of the page open."""
    from solidbody.formats.scene_merging import SceneFile
    from solidbody.viewer.folder_files import FileFolder, project_folder
    from solidbody.viewer.shelf import note_recent

    if session.folder is None:
        session.folder = FileFolder(project_folder(Path(parts[0].path)))
    try:
        if not session.is_start:
            note_recent(Path(parts[0].path))
        status = _run_parts(parts, options, session)
        while (wanted := session.take_wanted()) is not None:
            # commands for the motors of the first file, its recordings and its end are not meant for others
            options = replace(
                options,
                duration=None,
                drives=(),
                hold=False,
                paused=False,
                controllers=replace(options.controllers, bodies=(), joystick=None),
                recording=RecordChoice(),
            )
            note_recent(wanted.path)
            status = _run_parts([SceneFile(str(wanted.path))], options, session, wanted)
    finally:
        session.close()
    return status


def _run_parts(
    parts: Sequence[SceneFile],
    options: RunOptions,
    session: PageSession | None,
    wanted: WantedFile | None = None,
) -> int:
    """Run files until the end; `wanted` is what was read of them already."""
    from solidbody.formats.options import DEFAULT_OPTIONS
    from solidbody.formats.scene_merging import read_scene_files

    path = shown_parts(parts)
    try:
        check_outputs(options.recording, options.log, [part.path for part in parts])
    except SolidbodyError as error:
        say_error(str(error))
        return BAD_INPUT
    if wanted is not None:
        scene, log = wanted.scene, wanted.log
    else:
        scene, log = read_scene_files(parts, options=options.reading or DEFAULT_OPTIONS)
    shown = [item for item in log if item.severity is not Severity.INFO]
    print_diagnostics(shown)
    if scene is None:
        say_error(f"{path} cannot be simulated")
        return BAD_INPUT
    if log.has_errors and options.strict:
        say_error(f"{path} has errors, and --strict does not let them pass")
        return BAD_INPUT
    try:
        drives = [parse_drive(text) for text in options.drives]
        sim = make_sim(scene, options.engine, cut_meshes=options.cut_meshes)
        apply_drives(sim, drives)
        if options.hold:
            hold_joints(sim)
        bodies = attach_body_controllers(
            sim, options.controllers.bodies, log_on_stdout=options.log == "-"
        )
    except SolidbodyError as error:
        say_error(str(error))
        return BAD_INPUT
    # what the file describes but the simulation does not do
    print_diagnostics(sim.compiled.diagnostics)
    status = OK
    try:
        with (
            controllers_of(
                sim,
                options.controllers,
                log_on_stdout=options.log == "-",
                reading=options.reading,
                headless=options.headless,
                speed=_headless_speed(options) if options.headless else _page_speed(options),
            ) as outcome,
            recordings_of(sim, options.recording, has_page=not options.headless),
        ):
            status = (
                _run_headless(sim, options, outcome)
                if options.headless
                else _run_page(sim, options, [*shown, *sim.compiled.diagnostics], parts, session)
            )
    except SimulationError as error:
        say_error(f"the simulation failed: {error}")
        _save_last_states(error, scene)
        return SIMULATION_FAILED
    except SolidbodyError as error:  # of recordings that cannot be made
        say_error(str(error))
        return BAD_INPUT
    finally:
        if bodies is not None:
            bodies.close()
        print_diagnostics(sim.compiled.problems)
    return outcome.status(status, fail=options.controllers.fails(headless=options.headless))


def _save_last_states(error: SimulationError, scene: Scene) -> None:
    """Write the last states before a failure to a file in the working folder."""
    from solidbody.sim.snapshot import Snapshot, save_snapshots

    states = [state for state in error.snapshots if isinstance(state, Snapshot)]
    target = Path(f"{Path(scene.source).stem or 'scene'}.failed-states")
    try:
        save_snapshots(target, states)
    except OSError as problem:
        say_warning(f"{target}: the last states could not be saved: {problem.strerror or problem}")
        return
    say_warning(f"the last {len(states)} states before it are in {target}")


def make_sim(scene: Scene, engine: EngineName, *, cut_meshes: bool = True) -> Sim:
    """Return the simulation; what it warns of (the slow step) becomes a message."""
    from solidbody.sim import Sim

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        # also of meshes that are cut when they first meet
        sim = Sim(scene, engine=engine, progress=ProgressBar(), cut_meshes=cut_meshes)
    for item in caught:
        say_warning(str(item.message))
    return sim


def _page_speed(options: RunOptions) -> float:
    return 1.0 if options.speed is None else options.speed


def _headless_speed(options: RunOptions) -> float | None:
    """Return the factor of real time without the page, where nobody could end a pause."""
    return None if options.paused else options.speed


def _run_headless(sim: Sim, options: RunOptions, outcome: ControllerOutcome) -> int:
    from solidbody.cli.headless import run_headless

    if options.paused:
        say_warning("--mode=pause has no effect without the page")
    speed = _headless_speed(options)
    try:
        run_headless(
            sim,
            duration=options.duration,
            speed=lambda: outcome.speed(speed),
            log=options.log,
            log_period=options.log_period,
        )
    except BrokenPipeError:  # whoever read the log has seen enough
        return OK
    except OSError as error:
        say_error(f"{options.log} cannot be written: {reason_of(error)}; the log has ended")
        return BAD_INPUT
    return OK


def _run_page(
    sim: Sim,
    options: RunOptions,
    messages: Sequence[Diagnostic],
    parts: Sequence[SceneFile],
    session: PageSession | None,
) -> int:
    from solidbody.formats.options import DEFAULT_OPTIONS
    from solidbody.formats.scene_merging import read_scene_files
    from solidbody.viewer.address import AddressError
    from solidbody.viewer.page_files import PageMissingError
    from solidbody.viewer.server import serve

    reading = options.reading or DEFAULT_OPTIONS
    try:
        return serve(
            sim,
            port=options.port,
            host=options.host,
            speed=_page_speed(options),
            paused=options.paused,
            open_browser=options.open_browser,
            duration=options.duration,
            announce=say,
            messages=messages,
            options=reading,
            reread=lambda: read_scene_files(parts, options=reading),
            session=session,
        )
    except PageMissingError as error:
        say_error(f"{error} (--headless runs without it)")
        return BAD_INPUT
    except AddressError as error:
        say_error(str(error))
        return BAD_INPUT
