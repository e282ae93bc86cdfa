"""The commands and their options. Each body imports what it needs, so that `--help` is quick."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from solidbody._version import __version__

app = typer.Typer(
    name="solidbody",
    help="Simulate robots: opens Webots worlds and Choreonoid bodies as they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit status: 0 fine, 1 the simulation failed, 2 bad input or usage.",
)


class Mode(StrEnum):
    """Webots' words for how fast to run."""

    REALTIME = "realtime"
    FAST = "fast"
    PAUSE = "pause"


class MissingProtos(StrEnum):
    """What a PROTO that cannot be found becomes."""

    ERROR = "error"
    PLACEHOLDER = "placeholder"


class Engine(StrEnum):
    """Which implementation of the step runs."""

    AUTO = "auto"
    NATIVE = "native"
    REFERENCE = "reference"


def parse_speed(text: str) -> float:
    """Return a factor of real time; "max" is infinity."""
    if text == "max":
        return math.inf
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not speed > 0.0:
        raise typer.BadParameter(f'expected a number above 0, or "max", got "{text}"')
    return speed


def require_positive(value: float | None) -> float | None:
    """Refuse zero, negative and non-finite seconds."""
    if value is not None and not (value > 0.0 and math.isfinite(value)):
        raise typer.BadParameter(f"expected seconds above 0, got {value:g}")
    return value


def require_not_negative(value: float | None) -> float | None:
    """Refuse negative and non-finite seconds."""
    if value is not None and not (value >= 0.0 and math.isfinite(value)):
        raise typer.BadParameter(f"expected seconds, not below 0, got {value:g}")
    return value


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        print(f"solidbody {__version__}")
        raise typer.Exit


@app.callback()
def solidbody(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Simulate robots: opens Webots worlds and Choreonoid bodies as they are."""


WEBOTS = "Webots' own words"
FILES = "Where files come from"
PROGRAMS = "Programs that drive robots"
RECORDING = "Recording"

ProtoPath = Annotated[
    list[Path] | None,
    typer.Option(
        "--proto-path",
        metavar="FOLDER",
        help="Folder with PROTOs; may be given several times.",
        rich_help_panel=FILES,
        show_default=False,
    ),
]
AllowDownload = Annotated[
    bool,
    typer.Option(
        "--allow-download", help="Fetch missing files from the web.", rich_help_panel=FILES
    ),
]
MissingChoice = Annotated[
    MissingProtos,
    typer.Option("--missing-protos", help="What a missing PROTO becomes.", rich_help_panel=FILES),
]
Share = Annotated[
    Path | None,
    typer.Option(
        "--share",
        metavar="FOLDER",
        help="Folder that ${SHARE} stands for in Choreonoid files.",
        rich_help_panel=FILES,
        show_default=False,
    ),
]
PackagePath = Annotated[
    list[Path] | None,
    typer.Option(
        "--package-path",
        metavar="FOLDER",
        help="Folder with the packages of package:// addresses; may be given several times.",
        rich_help_panel=FILES,
        show_default=False,
    ),
]


@app.command()
def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE[@PLACE]...",
            help="World or robot file (.wbt, .proto, .body, .cnoid); further ones are added, "
            "at x,y,z[,yaw | ,roll,pitch,yaw | ,axis,angle].",
            show_default=False,
        ),
    ],
    headless: Annotated[bool, typer.Option("--headless", help="Without the browser page.")] = False,
    duration: Annotated[
        float | None,
        typer.Option(
            callback=require_not_negative, metavar="S", help="End after S simulated seconds."
        ),
    ] = None,
    speed: Annotated[
        str | None,
        typer.Option(
            metavar="X|max",
            help="Factor of real time; by default 1 with the page, max without.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page on this machine; 0 = any.")
    ] = 8080,
    log: Annotated[
        str | None, typer.Option(metavar="OUT.csv", help='Write all motion; "-" = standard output.')
    ] = None,
    log_period: Annotated[
        float | None,
        typer.Option(
            callback=require_positive, metavar="S", help="Time between rows; by default every step."
        ),
    ] = None,
    drive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="JOINT=VALUE[:velocity|position|effort]",
            help="Command a motor at the start; may be given several times.",
        ),
    ] = None,
    record: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="OUT.mcap|OUT.csv",
            help="Record motion and sensors; may be given several times.",
            rich_help_panel=RECORDING,
            show_default=False,
        ),
    ] = None,
    record_period: Annotated[
        float | None,
        typer.Option(
            callback=require_positive,
            metavar="S",
            help="Time between records; by default 0.01.",
            rich_help_panel=RECORDING,
            show_default=False,
        ),
    ] = None,
    record_all_sensors: Annotated[
        bool,
        typer.Option(
            "--record-all-sensors",
            help="Turn on sensors that no program has turned on.",
            rich_help_panel=RECORDING,
        ),
    ] = False,
    sound: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.wav",
            help="Write what is heard: contacts, motors, speakers.",
            rich_help_panel=RECORDING,
            show_default=False,
        ),
    ] = None,
    video: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.gif|OUT.mp4",
            help="Film the run from the viewpoint.",
            rich_help_panel=RECORDING,
            show_default=False,
        ),
    ] = None,
    video_camera: Annotated[
        str | None,
        typer.Option(
            metavar="ROBOT/CAMERA",
            help="Film through a camera.",
            rich_help_panel=RECORDING,
            show_default=False,
        ),
    ] = None,
    video_size: Annotated[
        str, typer.Option(metavar="WxH", help="Of the film.", rich_help_panel=RECORDING)
    ] = "640x480",
    video_fps: Annotated[
        float,
        typer.Option(
            min=0.1, max=240.0, help="Pictures per simulated second.", rich_help_panel=RECORDING
        ),
    ] = 30.0,
    cut_meshes: Annotated[
        bool,
        typer.Option(
            "--cut-meshes/--no-cut-meshes",
            help="Cut hollow meshes that move into convex parts (once, seconds each), or take hulls.",
        ),
    ] = True,
    engine: Annotated[Engine, typer.Option(help="Which step to use.")] = Engine.AUTO,
    strict: Annotated[
        bool, typer.Option("--strict", help="Any error in the file ends it with status 2.")
    ] = False,
    controllers: Annotated[
        bool,
        typer.Option(
            "--controllers/--no-controllers",
            help="Start the programs that drive robots.",
            rich_help_panel=PROGRAMS,
        ),
    ] = True,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="INTERPRETER",
            help="Python of the controllers; by default the one that runs solidbody.",
            rich_help_panel=PROGRAMS,
            show_default=False,
        ),
    ] = None,
    controller_port: Annotated[
        int,
        typer.Option(
            min=1, help="Number by which extern controllers find us.", rich_help_panel=PROGRAMS
        ),
    ] = 1234,
    body_controller: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[BODY=]FILE.py[:Class]",
            help="Drive a body with a BodyController, or those of a .yaml file of such lines.",
            rich_help_panel=PROGRAMS,
            show_default=False,
        ),
    ] = None,
    fail_on_controller_error: Annotated[
        bool | None,
        typer.Option(
            "--fail-on-controller-error/--ignore-controller-errors",
            help="End with status 1 if a controller failed; the default with --headless.",
            rich_help_panel=PROGRAMS,
            show_default=False,
        ),
    ] = None,
    proto_path: ProtoPath = None,
    allow_download: AllowDownload = False,
    missing_protos: MissingChoice = MissingProtos.ERROR,
    share: Share = None,
    package_path: PackagePath = None,
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="fast = as fast as possible.", rich_help_panel=WEBOTS, show_default=False
        ),
    ] = None,
    no_rendering: Annotated[
        bool, typer.Option("--no-rendering", help="Same as --headless.", rich_help_panel=WEBOTS)
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Open no browser.", rich_help_panel=WEBOTS)
    ] = False,
    minimize: Annotated[
        bool, typer.Option("--minimize", help="Open no browser.", rich_help_panel=WEBOTS)
    ] = False,
    stdout: Annotated[
        bool,
        typer.Option(
            "--stdout", help="Output of controllers is shown anyway.", rich_help_panel=WEBOTS
        ),
    ] = False,
    stderr: Annotated[
        bool,
        typer.Option(
            "--stderr", help="Output of controllers is shown anyway.", rich_help_panel=WEBOTS
        ),
    ] = False,
) -> None:
    """Simulate a world, in the browser or headless."""
    from solidbody.cli.controllers import ControllerChoice
    from solidbody.cli.parts import parse_parts
    from solidbody.cli.reading import load_options
    from solidbody.cli.recording import RecordChoice
    from solidbody.cli.run import RunOptions, run_files

    factor = None if speed is None else parse_speed(speed)
    if factor is None and mode is not None:
        factor = math.inf if mode is Mode.FAST else 1.0
    options = RunOptions(
        headless=headless or no_rendering,
        duration=duration,
        speed=factor,
        paused=mode is Mode.PAUSE,
        port=port,
        log=log,
        log_period=log_period,
        engine=engine.value,
        strict=strict,
        open_browser=not (batch or minimize),
        drives=tuple(drive or ()),
        reading=load_options(proto_path, allow_download, missing_protos.value, share, package_path),
        controllers=ControllerChoice(
            controllers,
            python,
            controller_port,
            fail_on_controller_error,
            tuple(body_controller or ()),
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
) -> None:
    """Drive a robot whose controller is "<extern>" with a program of yours."""
    from solidbody.cli.extern import run_extern

    raise typer.Exit(run_extern(program, context.args, robot_name, port, python))


@app.command()
def check(
    files: Annotated[
        list[str],
        typer.Argument(help="World and robot files, or folders of them.", show_default=False),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
    proto_path: ProtoPath = None,
    allow_download: AllowDownload = False,
    missing_protos: MissingChoice = MissingProtos.ERROR,
    share: Share = None,
    package_path: PackagePath = None,
) -> None:
    """Report what is wrong with world files, without running them; for folders, a table."""
    from solidbody.cli.check import check_files
    from solidbody.cli.parts import parse_parts
    from solidbody.cli.reading import load_options

    reading = load_options(proto_path, allow_download, missing_protos.value, share, package_path)
    paths = [part.path for part in parse_parts(files, "FILE")]
    raise typer.Exit(check_files(paths, reading, as_json=json))


@app.command()
def info(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE[@PLACE]...",
            help="World or robot file; further ones are added to it.",
            show_default=False,
        ),
    ],
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    proto_path: ProtoPath = None,
    allow_download: AllowDownload = False,
    missing_protos: MissingChoice = MissingProtos.ERROR,
    share: Share = None,
    package_path: PackagePath = None,
) -> None:
    """Show what a world file describes: bodies, joints, shapes, devices, contact properties."""
    from solidbody.cli.info import show_info
    from solidbody.cli.parts import parse_parts
    from solidbody.cli.reading import load_options

    reading = load_options(proto_path, allow_download, missing_protos.value, share, package_path)
    raise typer.Exit(show_info(parse_parts(files, "FILE"), reading, as_json=json))


@app.command()
def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="IN[@PLACE]... OUT",
            help="World or robot files, then the file to write: .xml (MJCF), .wbt (Webots world), "
            ".proto (Webots robot) or .body (Choreonoid robot).",
            show_default=False,
        ),
    ],
    robot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Write this robot only.", show_default=False),
    ] = None,
    proto_path: ProtoPath = None,
    allow_download: AllowDownload = False,
    missing_protos: MissingChoice = MissingProtos.ERROR,
    share: Share = None,
    package_path: PackagePath = None,
) -> None:
    """Write a world in another format, chosen by the extension of OUT."""
    from solidbody.cli.convert import convert_files
    from solidbody.cli.parts import parse_parts
    from solidbody.cli.reading import load_options

    if len(files) < 2:
        raise typer.BadParameter("needs a file to read and one to write", param_hint="OUT")
    reading = load_options(proto_path, allow_download, missing_protos.value, share, package_path)
    parts = parse_parts(files[:-1], "IN")
    raise typer.Exit(convert_files(parts, Path(files[-1]), reading, robot=robot))


protos = typer.Typer(
    help="Our own stand-ins for Webots' standard PROTOs, and where a world's PROTOs come from.",
    no_args_is_help=True,
)
app.add_typer(protos, name="protos")


@protos.command("list")
def protos_list(
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
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
    json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
    proto_path: ProtoPath = None,
    allow_download: AllowDownload = False,
) -> None:
    """Tell where each PROTO of a world comes from, and what is missing."""
    from solidbody.cli.protos import show_places
    from solidbody.cli.reading import load_options

    reading = load_options(proto_path, allow_download, "error")
    raise typer.Exit(show_places(world, reading, as_json=json))


def main() -> None:
    """Run the command line."""
    app(prog_name="solidbody")
