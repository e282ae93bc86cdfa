"""The commands and their options. Each body imports what it needs, so that `--help` is quick."""

from __future__ import annotations

import errno
import gc
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from solidbody.cli import arguments
from solidbody.cli import options as option
from solidbody.cli.arguments import Argument, Command, Option
from solidbody.cli.options import (
    Engine,
    Executor,
    Language,
    MissingProtos,
    Mode,
    ProjectRobot,
    parse_speed,
)
from solidbody.cli.status import BAD_INPUT, INTERRUPTED, SIMULATION_FAILED, UsageError

if TYPE_CHECKING:
    import typer

    app: typer.Typer

COMMANDS: Final[list[Command]] = []
"""All commands, in the order in which help lists them."""

GROUPS: Final = {
    "protos": "Our own stand-ins for Webots' standard PROTOs, and where a world's PROTOs come from."
}
"""First words of commands of two words -> what they have in common."""


def command(
    *path: str, passes_on: bool = False
) -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """Make a function a command; without words its own name is the command's."""

    def add(run: Callable[..., int | None]) -> Callable[..., int | None]:
        COMMANDS.append(Command(path or (run.__name__,), run, passes_on))
        return run

    return add


@command("open")
def open_page(
    folder: Annotated[
        Path,
        Argument(
            help="What can be opened, and where new worlds and saved ones go.",
            exists=True,
            file_okay=False,
        ),
    ] = Path(),
    port: option.PagePort = 8080,
    host: option.PageHost = "127.0.0.1",
) -> int | None:
    """Open the page to choose a world, an example or a new one; `solidbody` alone does this, too."""
    from solidbody.cli.run import RunOptions, run_start

    options = RunOptions(
        headless=False,
        duration=None,
        speed=None,
        paused=True,
        port=port,
        host=host,
        log=None,
        log_period=None,
        engine="auto",
        strict=False,
        open_browser=True,
    )
    return run_start(folder, options)


@command()
def run(
    files: option.RunFiles,
    headless: option.Headless = False,
    duration: option.Duration = None,
    speed: option.Speed = None,
    port: option.PagePort = 8080,
    host: option.PageHost = "127.0.0.1",
    log: option.Log = None,
    log_period: option.LogPeriod = None,
    drive: option.Drives = None,
    hold: option.Hold = False,
    record: option.Records = None,
    record_period: option.RecordPeriod = None,
    record_all_sensors: option.RecordAllSensors = False,
    foxglove: option.FoxglovePort = None,
    ros2: option.Ros2File = None,
    sound: option.Sound = None,
    video: option.Video = None,
    video_camera: option.VideoCamera = None,
    video_size: option.VideoSize = "640x480",
    video_fps: option.VideoFps = 30.0,
    photo: option.Photo = None,
    photo_size: option.PhotoSize = "1280x720",
    photo_samples: option.PhotoSamples = 64,
    cut_meshes: option.CutMeshes = True,
    engine: option.EngineChoice = Engine.AUTO,
    strict: option.Strict = False,
    controllers: option.Controllers = True,
    python: option.ControllerPython = None,
    controller_port: option.ControllerPort = 1234,
    body_controller: option.BodyControllers = None,
    joystick: option.JoystickFile = None,
    fail_on_controller_error: option.FailOnControllerError = None,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
    missing_protos: option.MissingChoice = MissingProtos.ERROR,
    share: option.Share = None,
    package_path: option.PackagePath = None,
    package: option.Packages = None,
    xacro_arg: option.XacroArgs = None,
    keyframe: option.Keyframe = "",
    mode: option.WebotsMode = None,
    no_rendering: option.NoRendering = False,
    batch: option.Batch = False,
    minimize: option.Minimize = False,
    stdout: option.ShowOutput = False,
    stderr: option.ShowErrors = False,
) -> int | None:
    """Simulate a world, in the browser or headless."""
    from solidbody.cli.controllers import ControllerChoice
    from solidbody.cli.file_arguments import parse_parts
    from solidbody.cli.reading import load_options
    from solidbody.cli.recording import RecordChoice, bridge_settings
    from solidbody.cli.run import RunOptions, run_files

    factor = None if speed is None else parse_speed(speed)
    if factor is None and mode is not None:
        factor = math.inf if mode is Mode.FAST else 1.0
    bridge = None if ros2 is None else bridge_settings(ros2)
    if factor is None and bridge is not None:
        factor = 1.0  # peers have clocks of their own
    options = RunOptions(
        headless=headless or no_rendering,
        duration=duration,
        speed=factor,
        paused=mode is Mode.PAUSE,
        port=port,
        host=host,
        log=log,
        log_period=log_period,
        engine=engine.value,
        strict=strict,
        open_browser=not (batch or minimize),
        drives=tuple(drive or ()),
        hold=hold,
        reading=load_options(
            proto_path,
            allow_download,
            missing_protos.value,
            share,
            package_path,
            package,
            keyframe,
            xacro_arg,
        ),
        controllers=ControllerChoice(
            controllers,
            python,
            controller_port,
            fail_on_controller_error,
            tuple(body_controller or ()),
            joystick,
            bridge is None or bridge.extern_controllers,
        ),
        cut_meshes=cut_meshes,
        recording=RecordChoice(
            tuple(record or ()),
            record_period,
            record_all_sensors,
            video,
            video_camera,
            video_size,
            video_fps,
            sound,
            foxglove,
            bridge,
            photo,
            photo_size,
            photo_samples,
        ),
    )
    if log is not None and not options.headless:
        raise UsageError("needs --headless", "--log")
    if log_period is not None and log is None:
        raise UsageError("needs --log", "--log-period")
    return run_files(parse_parts(files, "FILE"), options)


@command(passes_on=True)
def controller(
    program: Annotated[Path, Argument(help="Python program or executable.", show_default=False)],
    robot_name: Annotated[
        str, Option(("--robot-name",), help="Robot to drive; by default the only free one.")
    ] = "",
    port: Annotated[int, Option(min=1, help="Of the simulation.")] = 1234,
    python: Annotated[
        str | None,
        Option(metavar="INTERPRETER", help="Python to use.", show_default=False),
    ] = None,
    wait: Annotated[
        float, Option(min=0.0, metavar="S", help="How long a simulation is waited for.")
    ] = 50.0,
    more: Sequence[str] = (),
) -> int | None:
    """Drive a robot whose controller is "<extern>" with a program of yours."""
    from solidbody.cli.extern import run_extern

    return run_extern(program, more, robot_name, port, python, wait)


@command()
def check(
    files: Annotated[
        list[str],
        Argument(help="World and robot files, or folders of them.", show_default=False),
    ],
    json: option.AsJson = False,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
    missing_protos: option.MissingChoice = MissingProtos.ERROR,
    share: option.Share = None,
    package_path: option.PackagePath = None,
    package: option.Packages = None,
    xacro_arg: option.XacroArgs = None,
    keyframe: option.Keyframe = "",
) -> int | None:
    """Report what is wrong with world files, without running them; for folders, a table."""
    from solidbody.cli.check import check_files, import_numpy_alone
    from solidbody.cli.file_arguments import parse_parts
    from solidbody.cli.reading import load_options

    import_numpy_alone()
    reading = load_options(
        proto_path,
        allow_download,
        missing_protos.value,
        share,
        package_path,
        package,
        keyframe,
        xacro_arg,
    )
    paths = [part.path for part in parse_parts(files, "FILE")]
    return check_files(paths, reading, as_json=json)


@command()
def info(
    files: Annotated[
        list[str],
        option.files_argument(
            "World or robot file; further ones are added to it.", metavar="FILE[@PLACE]..."
        ),
    ],
    json: Annotated[bool, Option(("--json",), help="Print everything as JSON.")] = False,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
    missing_protos: option.MissingChoice = MissingProtos.ERROR,
    share: option.Share = None,
    package_path: option.PackagePath = None,
    package: option.Packages = None,
    xacro_arg: option.XacroArgs = None,
    keyframe: option.Keyframe = "",
) -> int | None:
    """Show what a world file describes: bodies, joints, shapes, devices, contact properties."""
    from solidbody.cli.file_arguments import parse_parts
    from solidbody.cli.info import show_info
    from solidbody.cli.reading import load_options

    reading = load_options(
        proto_path,
        allow_download,
        missing_protos.value,
        share,
        package_path,
        package,
        keyframe,
        xacro_arg,
    )
    return show_info(parse_parts(files, "FILE"), reading, as_json=json)


@command()
def convert(
    files: Annotated[
        list[str],
        Argument(
            metavar="IN[@PLACE]... OUT",
            help="World or robot files, then the file to write: .xml (MJCF), .wbt (Webots world), "
            ".proto (Webots robot), .body (Choreonoid robot), .urdf (with its meshes beside it), "
            ".glb or .gltf (what it looks like), .usda, .usd or .usdc (with physics).",
            show_default=False,
        ),
    ],
    robot: Annotated[
        str | None,
        Option(metavar="NAME", help="Write this robot only.", show_default=False),
    ] = None,
    duration: option.MotionDuration = None,
    period: option.MotionPeriod = None,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
    missing_protos: option.MissingChoice = MissingProtos.ERROR,
    share: option.Share = None,
    package_path: option.PackagePath = None,
    package: option.Packages = None,
    xacro_arg: option.XacroArgs = None,
    keyframe: option.Keyframe = "",
) -> int | None:
    """Write a world in another format, chosen by the extension of OUT."""
    from solidbody.cli.convert import ConvertRequest, convert_files
    from solidbody.cli.file_arguments import parse_parts
    from solidbody.cli.reading import load_options

    if len(files) < 2:
        raise UsageError("needs a file to read and one to write", "OUT")
    reading = load_options(
        proto_path,
        allow_download,
        missing_protos.value,
        share,
        package_path,
        package,
        keyframe,
        xacro_arg,
    )
    if period is not None and duration is None:
        raise UsageError("needs --duration", "--period")
    parts = tuple(parse_parts(files[:-1], "IN"))
    target = Path(files[-1])
    return convert_files(ConvertRequest(parts, target, reading, robot, duration, period))


@command()
def plot(
    recording: Annotated[
        Path,
        Argument(
            help="Recording: .mcap, .csv (also of --log), or the folder of a bag.",
            show_default=False,
        ),
    ],
    patterns: option.SeriesPatterns = None,
    out: option.PlotFile = None,
    size: option.PlotSize = "1200x800",
    start: option.PlotStart = None,
    end: option.PlotEnd = None,
    period: option.TablePeriod = None,
    json: option.AsJson = False,
) -> int | None:
    """Draw numbers of a recording over time, or list what it holds."""
    from solidbody.cli.plot import PlotOptions, plot_recording

    options = PlotOptions(tuple(patterns or ()), out, size, start, end, period, json)
    return plot_recording(recording, options)


@command()
def sweep(
    study: Annotated[Path, Argument(help="Study (TOML).", show_default=False)],
    out: option.SweepOut = None,
    executor: option.ExecutorChoice = Executor.PROCESS,
    workers: option.Workers = None,
    address: option.Address = None,
    resume: option.Resume = False,
    retry_failed: option.RetryFailed = False,
    keep: option.KeepRuns = None,
    dry_run: option.DryRun = False,
    json: option.AsJson = False,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
    missing_protos: option.MissingChoice = MissingProtos.ERROR,
    share: option.Share = None,
    package_path: option.PackagePath = None,
) -> int | None:
    """Do many runs of a scene with other parameters: on all cores, or on a cluster of Ray."""
    from solidbody.cli.reading import load_options
    from solidbody.cli.sweep import SweepOptions, run_sweep

    options = SweepOptions(
        out=out,
        executor=executor.value,
        workers=workers,
        address=address,
        resume=resume,
        retry_failed=retry_failed,
        keep=keep,
        dry_run=dry_run,
        as_json=json,
        reading=load_options(proto_path, allow_download, missing_protos.value, share, package_path),
    )
    return run_sweep(study, options)


@command()
def sdk(
    choreonoid: Annotated[
        bool,
        Option(("--choreonoid",), help="The one of Choreonoid's controllers (SimpleController)."),
    ] = False,
) -> int | None:
    """Print the folder of headers, libraries and make rules for controllers in C and C++."""
    from solidbody.contact.build import SDK

    print(SDK / "choreonoid" if choreonoid else SDK)
    return None


@command()
def new(
    folder: Annotated[
        Path, Argument(help="Folder to make; its name is the project's.", show_default=False)
    ],
    robot: Annotated[ProjectRobot, Option(help="Robot to begin with.")] = ProjectRobot.WHEELS,
    language: Annotated[Language, Option(help="Of its program.")] = Language.PYTHON,
) -> int | None:
    """Begin a project: a world with a robot, its program, a test, a workflow for CI."""
    from solidbody.cli.projects import new_project

    return new_project(folder, robot.value, language.value)


@command()
def examples(
    name: Annotated[
        str | None,
        Argument(help="Example to copy; without it all are listed.", show_default=False),
    ] = None,
    into: Annotated[
        Path, Option(metavar="FOLDER", help="Where the copy goes.", show_default=False)
    ] = Path(),
    run_it: Annotated[bool, Option(("--run",), help="Run the copy in the browser.")] = False,
    json: option.AsJson = False,
) -> int | None:
    """List the examples that come with solidbody, or copy one and run it."""
    from solidbody.cli.projects import show_examples, take_example

    if name is None:
        return show_examples(as_json=json)
    copy = take_example(name, into)
    if copy is None:
        return BAD_INPUT
    print(copy)
    if run_it:
        return run([str(copy)])
    return None


@command()
def explain(
    code: Annotated[
        str | None,
        Argument(help="Of a diagnostic; without it all are listed.", show_default=False),
    ] = None,
    json: option.AsJson = False,
) -> int | None:
    """Tell what the code of a diagnostic means, why it comes, what to do."""
    from solidbody.cli.explain import explain_code, list_codes

    if code is None:
        return list_codes(as_json=json)
    return explain_code(code, as_json=json)


@command()
def doctor(
    json: option.AsJson = False,
) -> int | None:
    """Tell what is installed and what is missing here, and what to do."""
    from solidbody.cli.doctor import show_health

    return show_health(as_json=json)


@command("protos", "list")
def protos_list(
    json: option.AsJson = False,
) -> int | None:
    """List the PROTOs that come with solidbody."""
    from solidbody.cli.protos import list_protos

    return list_protos(as_json=json)


@command("protos", "show")
def protos_show(
    name: Annotated[str, Argument(help="Name of a PROTO.", show_default=False)],
) -> int | None:
    """Print the text of a PROTO that comes with solidbody."""
    from solidbody.cli.protos import show_proto

    return show_proto(name)


@command("protos", "where")
def protos_where(
    world: Annotated[str, Argument(help="World file.", show_default=False)],
    json: option.AsJson = False,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
) -> int | None:
    """Tell where each PROTO of a world comes from, and what is missing."""
    from solidbody.cli.protos import show_places
    from solidbody.cli.reading import load_options

    reading = load_options(proto_path, allow_download, "error")
    return show_places(world, reading, as_json=json)


FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What the system says where no more can be written."""


COMPLETING: Final = "_SOLIDBODY_COMPLETE"
"""Set by shells that ask what could be written next."""

YOUNG_OBJECTS: Final = 50_000
"""New objects after which rubbish is looked for. Python's own number makes it look through all modules again
and again while they are imported, for a tenth of a short command's time."""


def __getattr__(name: str) -> Any:
    if name == "app":
        from solidbody.cli.typer_app import app

        return app
    raise AttributeError(f'module "{__name__}" has no attribute "{name}"')


def run_line(words: Sequence[str]) -> int:
    """Do what a line says; return the exit status.

    What is not plainly right is left to Typer, which ends the program.
    """
    found = None if COMPLETING in os.environ else arguments.find(COMMANDS, words)
    if found is not None:
        wanted, told = found
        try:
            return wanted.run(**told) or 0
        except UsageError:
            pass  # nothing has been done yet; Typer finds the mistake again, and tells it
        except KeyboardInterrupt:
            return INTERRUPTED
        except OSError as error:
            if error.errno != errno.EPIPE:
                raise
            # whoever read it has gone: nothing more is said, at the end neither
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return SIMULATION_FAILED
    from solidbody.cli.typer_app import app as program

    program(list(words), prog_name="solidbody")
    return 0


def main() -> None:
    """Run the command line; standard output on a full disk is told, too."""
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])
    try:
        try:
            status = run_line(option.with_default_ports(sys.argv[1:]))
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.errno not in FULL:
            raise
        from solidbody.cli.console import say_error

        say_error(f"the output cannot be written: {error.strerror}")
        # or Python would try again, and say so, when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BAD_INPUT)
    sys.exit(status)
