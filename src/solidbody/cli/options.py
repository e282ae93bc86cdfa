"""Types, names and help texts of the command line options."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

from solidbody.cli.arguments import Argument, Option
from solidbody.cli.status import UsageError

WEBOTS: Final = "Webots' own words"
FILES: Final = "Where files come from"
PROGRAMS: Final = "Programs that drive robots"
RECORDING: Final = "Recording"


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


class Executor(StrEnum):
    """Where the runs of a study are done."""

    SERIAL = "serial"
    PROCESS = "process"
    RAY = "ray"


class ProjectRobot(StrEnum):
    """What a new project begins with."""

    WHEELS = "wheels"
    ARM = "arm"
    DRONE = "drone"


class Language(StrEnum):
    """What the program of a new project is written in."""

    PYTHON = "python"
    C = "c"
    CPP = "cpp"


def parse_speed(text: str) -> float:
    """Return a factor of real time; "max" is infinity."""
    if text == "max":
        return math.inf
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not speed > 0.0:
        raise UsageError(f'expected a number above 0, or "max", got "{text}"')
    return speed


def require_positive(value: float | None) -> float | None:
    """Refuse zero, negative and non-finite seconds."""
    if value is not None and not (value > 0.0 and math.isfinite(value)):
        raise UsageError(f"expected seconds above 0, got {value:g}")
    return value


def require_not_negative(value: float | None) -> float | None:
    """Refuse negative and non-finite seconds."""
    if value is not None and not (value >= 0.0 and math.isfinite(value)):
        raise UsageError(f"expected seconds, not below 0, got {value:g}")
    return value


def optional(
    help: str, *, panel: str | None = None, metavar: str | None = None, **more: Any
) -> Any:
    """Return an option that may be left away and has no default worth showing."""
    return Option(help=help, metavar=metavar, panel=panel, show_default=False, **more)


def flag(names: str, help: str, *, panel: str | None = None) -> Any:
    """Return an option that is there or not; `names` holds also that of the contrary, after a slash."""
    return Option((names,), help=help, panel=panel)


def files_argument(help: str, *, metavar: str | None = None) -> Any:
    """Return the argument that takes the files of a command."""
    return Argument(metavar=metavar, help=help, show_default=False)


AsJson = Annotated[bool, flag("--json", "Print a JSON list.")]

# ------------------------------------------------------------------- where files come from

ProtoPath = Annotated[
    list[Path] | None,
    optional("Folder with PROTOs; may be given several times.", panel=FILES, metavar="FOLDER"),
]
AllowDownload = Annotated[
    bool, flag("--allow-download", "Fetch missing files from the web.", panel=FILES)
]
MissingChoice = Annotated[
    MissingProtos,
    Option(("--missing-protos",), help="What a missing PROTO becomes.", panel=FILES),
]
Share = Annotated[
    Path | None,
    optional("Folder that ${SHARE} stands for in Choreonoid files.", panel=FILES, metavar="FOLDER"),
]
PackagePath = Annotated[
    list[Path] | None,
    optional(
        "Folder with the packages of package:// addresses; may be given several times.",
        panel=FILES,
        metavar="FOLDER",
    ),
]
Packages = Annotated[
    list[str] | None,
    optional(
        "Folder of one package of package:// addresses; may be given several times.",
        panel=FILES,
        metavar="NAME=FOLDER",
    ),
]
XacroArgs = Annotated[
    list[str] | None,
    optional(
        "Argument of a xacro file; may be given several times.", panel=FILES, metavar="NAME=VALUE"
    ),
]
Keyframe = Annotated[
    str,
    optional(
        'Keyframe of an MJCF file that is the start; its first one if none is named, "none" for none.',
        panel=FILES,
        metavar="NAME",
    ),
]

# ------------------------------------------------------------------------------- a run

RunFiles = Annotated[
    list[str],
    files_argument(
        "World or robot file (.wbt, .proto, .body, .urdf, .xacro, .xml, .sdf, .cnoid); further ones are "
        "added, at x,y,z[,yaw | ,roll,pitch,yaw | ,axis,angle].",
        metavar="FILE[@PLACE]...",
    ),
]
Headless = Annotated[bool, flag("--headless", "Without the browser page.")]
MotionDuration = Annotated[
    float | None,
    optional(
        "Run the scene with its programs and write its motion, too [s] (.glb, .gltf).",
        metavar="SECONDS",
        callback=require_positive,
    ),
]
MotionPeriod = Annotated[
    float | None,
    optional(
        "Time between frames of the motion; 1/30 if not given [s].",
        metavar="SECONDS",
        callback=require_positive,
    ),
]
Duration = Annotated[
    float | None,
    optional("End after S simulated seconds.", metavar="S", callback=require_not_negative),
]
Speed = Annotated[
    str | None,
    optional("Factor of real time; by default 1 with the page, max without.", metavar="X|max"),
]
PagePort = Annotated[int, Option(min=0, max=65535, help="Port of the page; 0 = any.")]
PageHost = Annotated[
    str,
    Option(
        help="Let other machines reach the page, too: an address of this one, or 0.0.0.0 for all.",
        metavar="ADDRESS",
    ),
]
Log = Annotated[str | None, optional('Write all motion; "-" = standard output.', metavar="OUT.csv")]
LogPeriod = Annotated[
    float | None,
    optional("Time between rows; by default every step.", metavar="S", callback=require_positive),
]
Drives = Annotated[
    list[str] | None,
    optional(
        "Command a motor at the start; may be given several times.",
        metavar="JOINT=VALUE[:velocity|position|effort]",
    ),
]
Hold = Annotated[bool, flag("--hold", "Let joints that wait for a program stay where they start.")]
CutMeshes = Annotated[
    bool,
    flag(
        "--cut-meshes/--no-cut-meshes",
        "Cut hollow meshes that meet into convex parts (once, seconds each), or take hulls.",
    ),
]
EngineChoice = Annotated[Engine, Option(help="Which step to use.")]
Strict = Annotated[bool, flag("--strict", "Any error in the file ends it with status 2.")]

# ---------------------------------------------------------------------------- bridges

FOXGLOVE_PORT: Final = 8765
"""Where Foxglove looks first."""

FoxglovePort = Annotated[
    int | None,
    optional(
        "Send the run to Foxglove, live, at this port (8765 if none is given).",
        panel=RECORDING,
        metavar="[PORT]",
        min=0,
        max=65535,
    ),
]


Ros2File = Annotated[
    str | None,
    optional(
        "Send the run to ROS 2 and obey it, as a file says (docs/ros2.md) or by default.",
        panel=RECORDING,
        metavar="[BRIDGE.yaml]",
    ),
]


def with_default_ports(arguments: list[str]) -> list[str]:
    """Return the arguments with what is usual where `--foxglove` and `--ros2` stand alone."""
    out: list[str] = []
    for argument, after in zip(arguments, [*arguments[1:], ""], strict=False):
        out.append(argument)
        if argument == "--foxglove" and not after.isdecimal():
            out.append(str(FOXGLOVE_PORT))
        if argument == "--ros2" and not after.endswith((".yaml", ".yml")):
            out.append("")
    return out


# --------------------------------------------------------------------------- recording

Records = Annotated[
    list[Path] | None,
    optional(
        "Record motion and sensors; may be given several times. A folder is a bag of ROS 2.",
        panel=RECORDING,
        metavar="OUT.mcap|OUT.csv|OUT.html|FOLDER",
    ),
]
RecordPeriod = Annotated[
    float | None,
    optional(
        "Time between records; by default 0.01.",
        panel=RECORDING,
        metavar="S",
        callback=require_positive,
    ),
]
RecordAllSensors = Annotated[
    bool,
    flag(
        "--record-all-sensors",
        "Turn on sensors that no program has turned on.",
        panel=RECORDING,
    ),
]
Sound = Annotated[
    Path | None,
    optional(
        "Write what is heard: contacts, motors, speakers.", panel=RECORDING, metavar="OUT.wav"
    ),
]
Video = Annotated[
    Path | None,
    optional("Film the run from the viewpoint.", panel=RECORDING, metavar="OUT.gif|OUT.mp4"),
]
VideoCamera = Annotated[
    str | None, optional("Film through a camera.", panel=RECORDING, metavar="ROBOT/CAMERA")
]
VideoSize = Annotated[str, Option(metavar="WxH", help="Of the film.", panel=RECORDING)]
VideoFps = Annotated[
    float,
    Option(min=0.1, max=240.0, help="Pictures per simulated second.", panel=RECORDING),
]

Photo = Annotated[
    Path | None,
    optional(
        "Take a path-traced photo from the viewpoint at the end of the run.",
        panel=RECORDING,
        metavar="OUT.png",
    ),
]
PhotoSize = Annotated[str, Option(metavar="WxH", help="Of the photo.", panel=RECORDING)]
PhotoSamples = Annotated[
    int,
    Option(min=1, max=4096, help="Paths of light per pixel of the photo.", panel=RECORDING),
]

# ------------------------------------------------------------- programs that drive robots

Controllers = Annotated[
    bool,
    flag("--controllers/--no-controllers", "Start the programs that drive robots.", panel=PROGRAMS),
]
ControllerPython = Annotated[
    str | None,
    optional(
        "Python of the controllers; by default the one that runs solidbody.",
        panel=PROGRAMS,
        metavar="INTERPRETER",
    ),
]
ControllerPort = Annotated[
    int,
    Option(min=1, help="Number by which extern controllers find us.", panel=PROGRAMS),
]
BodyControllers = Annotated[
    list[str] | None,
    optional(
        "Drive a body with a BodyController, or those of a .yaml file of such lines.",
        panel=PROGRAMS,
        metavar="[BODY=]FILE.py[:Class]",
    ),
]
JoystickFile = Annotated[
    Path | None,
    optional(
        "What a joystick does: a list of events in JSON (docs/choreonoid-programs.md).",
        panel=PROGRAMS,
        metavar="FILE.json",
    ),
]
FailOnControllerError = Annotated[
    bool | None,
    Option(
        ("--fail-on-controller-error/--ignore-controller-errors",),
        help="End with status 1 if a controller failed; the default with --headless.",
        panel=PROGRAMS,
        show_default=False,
    ),
]

# ------------------------------------------------------------------------ Webots' own words

WebotsMode = Annotated[Mode | None, optional("fast = as fast as possible.", panel=WEBOTS)]
NoRendering = Annotated[bool, flag("--no-rendering", "Same as --headless.", panel=WEBOTS)]
Batch = Annotated[bool, flag("--batch", "Open no browser.", panel=WEBOTS)]
Minimize = Annotated[bool, flag("--minimize", "Open no browser.", panel=WEBOTS)]
ShowOutput = Annotated[
    bool, flag("--stdout", "Output of controllers is shown anyway.", panel=WEBOTS)
]
ShowErrors = Annotated[
    bool, flag("--stderr", "Output of controllers is shown anyway.", panel=WEBOTS)
]

# ------------------------------------------------------------------------- runs of a study

SweepOut = Annotated[
    Path | None,
    optional("Folder of results; by default STUDY.results here.", metavar="FOLDER"),
]
ExecutorChoice = Annotated[Executor, Option(("--executor",), help="Where runs are done.")]
Workers = Annotated[int | None, optional("How many; by default one per processor.", min=1)]
Address = Annotated[
    str | None,
    optional(
        "Of a cluster of Ray; by default one of its own on this machine.", metavar="HOST:PORT"
    ),
]
Resume = Annotated[bool, flag("--resume", "Go on with the study in the folder of results.")]
RetryFailed = Annotated[bool, flag("--retry-failed", "Go on, and do failed runs again.")]
KeepRuns = Annotated[
    str | None,
    optional("Keep files of these runs: failed, all, none or numbers.", metavar="RUNS"),
]
DryRun = Annotated[bool, flag("--dry-run", "Only list the runs.")]

# ---------------------------------------------------------------------------- plots, tables

SeriesPatterns = Annotated[
    list[str] | None,
    Argument(
        metavar="[PATTERN]...",
        help='What to draw, such as "left motor.*"; without one, what there is is listed.',
        show_default=False,
    ),
]
PlotFile = Annotated[
    Path | None,
    Option(
        ("--out", "-o"),
        metavar="OUT.png|.svg|.html|.csv",
        help="File to write: a picture, a page, or a table; by default RECORDING.png here.",
        show_default=False,
    ),
]
PlotSize = Annotated[str, Option(metavar="WxH", help="Of the picture [pixels].")]
PlotStart = Annotated[float | None, optional("First time drawn.", metavar="S")]
PlotEnd = Annotated[float | None, optional("Last time drawn.", metavar="S")]
TablePeriod = Annotated[
    float | None,
    optional(
        "Time between rows of a table; by default a row for each moment that was recorded.",
        metavar="S",
        callback=require_positive,
    ),
]
