"""The commands and their options. Each body imports what it needs, so that `--help` is quick."""

from __future__ import annotations

import errno
import math
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from solidbody._version import __version__
from solidbody.cli import options as option
from solidbody.cli.options import (
    Engine,
    Executor,
    Language,
    MissingProtos,
    Mode,
    ProjectRobot,
    parse_speed,
)

app = typer.Typer(
    name="solidbody",
    help="Simulate robots: opens Webots worlds and Choreonoid bodies as they are.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 fine, 1 the simulation failed, 2 bad input or usage.",
)


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        print(f"solidbody {__version__}")
        raise typer.Exit


@app.callback()
def solidbody(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Simulate robots: opens Webots worlds and Choreonoid bodies as they are."""
    if context.invoked_subcommand is not None:
        return
    if sys.stdin.isatty() and sys.stdout.isatty():  # somebody is there to choose
        open_page()
    print(context.get_help())
    raise typer.Exit(2)


@app.command("open")
def open_page(
    folder: Annotated[
        Path,
        typer.Argument(
            help="What can be opened, and where new worlds and saved ones go.",
            exists=True,
            file_okay=False,
        ),
    ] = Path(),
    port: option.PagePort = 8080,
    host: option.PageHost = "127.0.0.1",
) -> None:
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
    raise typer.Exit(run_start(folder, options))


@app.command()
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
) -> None:
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
        ),
    )
    if log is not None and not options.headless:
        raise typer.BadParameter("needs --headless", param_hint="--log")
    if log_period is not None and log is None:
        raise typer.BadParameter("needs --log", param_hint="--log-period")
    raise typer.Exit(run_files(parse_parts(files, "FILE"), options))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def controller(
    context: typer.Context,
    program: Annotated[
        Path, typer.Argument(help="Python program or executable.", show_default=False)
    ],
    robot_name: Annotated[
        str, typer.Option("--robot-name", help="Robot to drive; by default the only free one.")
    ] = "",
    port: Annotated[int, typer.Option(min=1, help="Of the simulation.")] = 1234,
    python: Annotated[
        str | None,
        typer.Option(metavar="INTERPRETER", help="Python to use.", show_default=False),
    ] = None,
    wait: Annotated[
        float, typer.Option(min=0.0, metavar="S", help="How long a simulation is waited for.")
    ] = 50.0,
) -> None:
    """Drive a robot whose controller is "<extern>" with a program of yours."""
    from solidbody.cli.extern import run_extern

    raise typer.Exit(run_extern(program, context.args, robot_name, port, python, wait))


@app.command()
def check(
    files: Annotated[
        list[str],
        typer.Argument(help="World and robot files, or folders of them.", show_default=False),
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
) -> None:
    """Report what is wrong with world files, without running them; for folders, a table."""
    from solidbody.cli.check import check_files
    from solidbody.cli.file_arguments import parse_parts
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
    paths = [part.path for part in parse_parts(files, "FILE")]
    raise typer.Exit(check_files(paths, reading, as_json=json))


@app.command()
def info(
    files: Annotated[
        list[str],
        option.files_argument(
            "World or robot file; further ones are added to it.", metavar="FILE[@PLACE]..."
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
    missing_protos: option.MissingChoice = MissingProtos.ERROR,
    share: option.Share = None,
    package_path: option.PackagePath = None,
    package: option.Packages = None,
    xacro_arg: option.XacroArgs = None,
    keyframe: option.Keyframe = "",
) -> None:
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
    raise typer.Exit(show_info(parse_parts(files, "FILE"), reading, as_json=json))


@app.command()
def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="IN[@PLACE]... OUT",
            help="World or robot files, then the file to write: .xml (MJCF), .wbt (Webots world), "
            ".proto (Webots robot), .body (Choreonoid robot), .urdf (with its meshes beside it), "
            ".glb or .gltf (what it looks like), .usda, .usd or .usdc (with physics).",
            show_default=False,
        ),
    ],
    robot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Write this robot only.", show_default=False),
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
) -> None:
    """Write a world in another format, chosen by the extension of OUT."""
    from solidbody.cli.convert import ConvertRequest, convert_files
    from solidbody.cli.file_arguments import parse_parts
    from solidbody.cli.reading import load_options

    if len(files) < 2:
        raise typer.BadParameter("needs a file to read and one to write", param_hint="OUT")
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
        raise typer.BadParameter("needs --duration", param_hint="--period")
    parts = tuple(parse_parts(files[:-1], "IN"))
    target = Path(files[-1])
    raise typer.Exit(convert_files(ConvertRequest(parts, target, reading, robot, duration, period)))


@app.command()
def plot(
    recording: Annotated[
        Path,
        typer.Argument(
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
) -> None:
    """Draw numbers of a recording over time, or list what it holds."""
    from solidbody.cli.plot import PlotOptions, plot_recording

    options = PlotOptions(tuple(patterns or ()), out, size, start, end, period, json)
    raise typer.Exit(plot_recording(recording, options))


@app.command()
def sweep(
    study: Annotated[Path, typer.Argument(help="Study (TOML).", show_default=False)],
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
) -> None:
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
    raise typer.Exit(run_sweep(study, options))


@app.command()
def sdk(
    choreonoid: Annotated[
        bool,
        typer.Option(
            "--choreonoid", help="The one of Choreonoid's controllers (SimpleController)."
        ),
    ] = False,
) -> None:
    """Print the folder of headers, libraries and make rules for controllers in C and C++."""
    from solidbody.contact.build import SDK

    print(SDK / "choreonoid" if choreonoid else SDK)


@app.command()
def new(
    folder: Annotated[
        Path, typer.Argument(help="Folder to make; its name is the project's.", show_default=False)
    ],
    robot: Annotated[ProjectRobot, typer.Option(help="Robot to begin with.")] = ProjectRobot.WHEELS,
    language: Annotated[Language, typer.Option(help="Of its program.")] = Language.PYTHON,
) -> None:
    """Begin a project: a world with a robot, its program, a test, a workflow for CI."""
    from solidbody.cli.projects import new_project

    raise typer.Exit(new_project(folder, robot.value, language.value))


@app.command()
def examples(
    name: Annotated[
        str | None,
        typer.Argument(help="Example to copy; without it all are listed.", show_default=False),
    ] = None,
    into: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the copy goes.", show_default=False)
    ] = Path(),
    run_it: Annotated[bool, typer.Option("--run", help="Run the copy in the browser.")] = False,
    json: option.AsJson = False,
) -> None:
    """List the examples that come with solidbody, or copy one and run it."""
    from solidbody.cli.projects import show_examples, take_example
    from solidbody.cli.status import BAD_INPUT

    if name is None:
        raise typer.Exit(show_examples(as_json=json))
    copy = take_example(name, into)
    if copy is None:
        raise typer.Exit(BAD_INPUT)
    print(copy)
    if run_it:
        run([str(copy)])


@app.command()
def explain(
    code: Annotated[
        str | None,
        typer.Argument(help="Of a diagnostic; without it all are listed.", show_default=False),
    ] = None,
    json: option.AsJson = False,
) -> None:
    """Tell what the code of a diagnostic means, why it comes, what to do."""
    from solidbody.cli.explain import explain_code, list_codes

    if code is None:
        raise typer.Exit(list_codes(as_json=json))
    raise typer.Exit(explain_code(code, as_json=json))


@app.command()
def doctor(
    json: option.AsJson = False,
) -> None:
    """Tell what is installed and what is missing here, and what to do."""
    from solidbody.cli.doctor import show_health

    raise typer.Exit(show_health(as_json=json))


protos = typer.Typer(
    help="Our own stand-ins for Webots' standard PROTOs, and where a world's PROTOs come from.",
    no_args_is_help=True,
)
app.add_typer(protos, name="protos")


@protos.command("list")
def protos_list(
    json: option.AsJson = False,
) -> None:
    """List the PROTOs that come with solidbody."""
    from solidbody.cli.protos import list_protos

    raise typer.Exit(list_protos(as_json=json))


@protos.command("show")
def protos_show(
    name: Annotated[str, typer.Argument(help="Name of a PROTO.", show_default=False)],
) -> None:
    """Print the text of a PROTO that comes with solidbody."""
    from solidbody.cli.protos import show_proto

    raise typer.Exit(show_proto(name))


@protos.command("where")
def protos_where(
    world: Annotated[str, typer.Argument(help="World file.", show_default=False)],
    json: option.AsJson = False,
    proto_path: option.ProtoPath = None,
    allow_download: option.AllowDownload = False,
) -> None:
    """Tell where each PROTO of a world comes from, and what is missing."""
    from solidbody.cli.protos import show_places
    from solidbody.cli.reading import load_options

    reading = load_options(proto_path, allow_download, "error")
    raise typer.Exit(show_places(world, reading, as_json=json))


FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What the system says where no more can be written."""


def main() -> None:
    """Run the command line; standard output on a full disk is told, too."""
    try:
        try:
            app(option.with_default_ports(sys.argv[1:]), prog_name="solidbody")
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.errno not in FULL:
            raise
        from solidbody.cli.console import say_error
        from solidbody.cli.status import BAD_INPUT

        say_error(f"the output cannot be written: {error.strerror}")
        # or Python would try again, and say so, when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(BAD_INPUT)
