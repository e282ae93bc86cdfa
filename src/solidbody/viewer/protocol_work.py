"""Commands and events of the panels: part of the wire protocol of the page."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field, fields
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from solidbody.viewer.protocol_files import FileCommand, FileEvent
from solidbody.viewer.protocol_photo import EventPhoto, PhotoCommand
from solidbody.viewer.protocol_scene import Quaternion, Vector3

WATCH_LIMIT: Final = 64
"""Most scalars, and most pictures, that one tab may watch at a time."""

TEXT_LIMIT: Final = 16_384
"""Longest text in a command [characters]."""

LongText = Annotated[str, "string"]
"""A text that may be `LONG_TEXT_LIMIT` long."""

LONG_TEXT_LIMIT: Final = 49_152
"""Longest text that a robot window says at once [characters]; a command has 64 KiB in all."""

PICTURE_MAGIC: Final = 0x31504253
"""First four bytes of a picture message: "SBP1"; its device, its time and a JPEG follow."""

PICTURE_HEADER: Final = struct.Struct("<IId")
"""Magic, device, simulated time [s]."""

PICTURE_HEADER_BYTES: Final = PICTURE_HEADER.size

# --- page to server -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommandJoint:
    """Drive the motor of a joint axis; while time stands still, put the axis there."""

    joint: int
    mode: Literal["position", "velocity"]
    value: float
    command: Literal["joint"] = "joint"


@dataclass(frozen=True, slots=True)
class CommandWatch:
    """What this tab wants to be told from now on: all joints, contacts, scalars and pictures by key."""

    joints: bool
    contacts: bool
    scalars: list[str]
    pictures: list[int]
    command: Literal["watch"] = "watch"


@dataclass(frozen=True, slots=True)
class CommandKeys:
    """Keys that are held down, as codes that controllers know; none = all let go."""

    keys: list[int]
    command: Literal["keys"] = "keys"


@dataclass(frozen=True, slots=True)
class CommandMouse:
    """Where the mouse is in the picture (0..1 to the right and down), what is under it, what is pressed.

    `point` is a place in the world [m], and means something only if the mouse `hits` a body.
    """

    u: float
    v: float
    hits: bool
    point: Vector3
    left: bool
    middle: bool
    right: bool
    command: Literal["mouse"] = "mouse"


@dataclass(frozen=True, slots=True)
class CommandJoystick:
    """How a joystick stands: axes from -1 to 1, directions of hats, numbers of pressed buttons."""

    model: str
    axes: list[float]
    povs: list[int]
    buttons: list[int]
    command: Literal["joystick"] = "joystick"


@dataclass(frozen=True, slots=True)
class CommandWindowText:
    """Say something to a robot, as its window would."""

    robot: str
    text: LongText
    command: Literal["window"] = "window"


@dataclass(frozen=True, slots=True)
class CommandSelect:
    """The user has selected the node at a path of the file; empty = nothing that is in the file."""

    path: str
    command: Literal["select"] = "select"


@dataclass(frozen=True, slots=True)
class CommandReload:
    """Read the file again and begin anew."""

    command: Literal["reload"] = "reload"


@dataclass(frozen=True, slots=True)
class CommandPose:
    """Put a link somewhere, with all that hangs on it, and stop it; `is_last` ends a drag."""

    link: int
    position: Vector3
    rotation: Quaternion
    is_last: bool
    command: Literal["pose"] = "pose"


@dataclass(frozen=True, slots=True)
class CommandPull:
    """Pull a link, gripped at a point of its frame, to a world point, or turn it about the way there.

    It acts until `is_held` is false.
    """

    link: int
    grip: Vector3
    target: Vector3
    turns: bool
    is_held: bool
    command: Literal["pull"] = "pull"


@dataclass(frozen=True, slots=True)
class CommandReach:
    """While time stands still: bring a link, gripped at a point of its frame, to a world point by its joints.

    With `holds` the other ends of its tree stay where they are. It goes on until `is_held` is false.
    """

    link: int
    grip: Vector3
    target: Vector3
    holds: bool
    is_held: bool
    command: Literal["reach"] = "reach"


@dataclass(frozen=True, slots=True)
class CommandFields:
    """Ask for the fields of the node at a path of the file."""

    path: str
    command: Literal["fields"] = "fields"


@dataclass(frozen=True, slots=True)
class CommandEdit:
    """Set a field of the file; `value` is written as in the file."""

    path: str
    value: str
    command: Literal["edit"] = "edit"


@dataclass(frozen=True, slots=True)
class CommandChoices:
    """Ask what can be put into the node at a path; empty = at the top of the file."""

    path: str
    command: Literal["choices"] = "choices"


@dataclass(frozen=True, slots=True)
class CommandInsert:
    """Put something into a field (empty = the top of the file): a name of `WireSlot`, or nodes as in a file.

    At the top, what can be somewhere is put `at` a point of the world [m].
    """

    path: str
    what: str
    at: Vector3
    command: Literal["insert"] = "insert"


@dataclass(frozen=True, slots=True)
class CommandImport:
    """Take a file of the folder into the world, `at` a point: a robot or a PROTO, or a mesh as a body."""

    name: str
    at: Vector3
    command: Literal["import"] = "import"


@dataclass(frozen=True, slots=True)
class CommandRemove:
    """Take the node at a path out of the file."""

    path: str
    command: Literal["remove"] = "remove"


@dataclass(frozen=True, slots=True)
class CommandCopy:
    """Put a copy of the node at a path beside it."""

    path: str
    command: Literal["copy"] = "copy"


@dataclass(frozen=True, slots=True)
class CommandClip:
    """Take the node at a path to be pasted; the answer has it as text."""

    path: str
    command: Literal["clip"] = "clip"


@dataclass(frozen=True, slots=True)
class CommandPaste:
    """Put nodes at the top of the file, near a point of the world [m]; empty text = what was taken last."""

    text: str
    at: Vector3
    command: Literal["paste"] = "paste"


@dataclass(frozen=True, slots=True)
class CommandMove:
    """Move the node at a path: before or after the item at another, or into the node there."""

    path: str
    target: str
    where: Literal["before", "after", "into"]
    command: Literal["move"] = "move"


@dataclass(frozen=True, slots=True)
class CommandUndo:
    """Take the last change of the file back."""

    command: Literal["undo"] = "undo"


@dataclass(frozen=True, slots=True)
class CommandRedo:
    """Make the change again that was taken back last."""

    command: Literal["redo"] = "redo"


@dataclass(frozen=True, slots=True)
class CommandSave:
    """Ask for the file with the present state; the answer carries the same ticket."""

    ticket: str
    command: Literal["save"] = "save"


WorkCommand = (
    CommandJoint
    | CommandWatch
    | CommandKeys
    | CommandMouse
    | CommandJoystick
    | CommandWindowText
    | CommandSelect
    | CommandReload
    | CommandPose
    | CommandPull
    | CommandReach
    | CommandFields
    | CommandEdit
    | CommandChoices
    | CommandInsert
    | CommandImport
    | CommandRemove
    | CommandCopy
    | CommandClip
    | CommandPaste
    | CommandMove
    | CommandUndo
    | CommandRedo
    | CommandSave
    | FileCommand
    | PhotoCommand
)

_COMMANDS: Final[dict[str, type]] = {
    str(next(item.default for item in fields(cls) if item.name == "command")): cls
    for cls in get_args(WorkCommand)
}

WORK_COMMANDS: Final = tuple(_COMMANDS)
"""Their names."""

# --- server to page -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EventReadings:
    """What a tab watches, at simulated `time`; NaN (a value that is not there yet) travels as null.

    Attributes:
        time: [s].
        joints: Positions of all axes, empty if no tab watches them.
        keys: Scalars that somebody watches.
        values: Their values, in the same order.
        contacts: x y z of each contact point, then its force; six numbers each.
    """

    time: float
    joints: list[float]
    keys: list[str]
    values: list[float | None]
    contacts: list[float]
    event: Literal["readings"] = "readings"


@dataclass(frozen=True, slots=True)
class EventMessage:
    """A line for the console: `source` is a robot, or empty; `path` names the node it is about."""

    level: Literal["output", "info", "warning", "error"]
    source: str
    text: str
    path: str
    event: Literal["message"] = "message"


@dataclass(frozen=True, slots=True)
class WireField:
    """One field of a node: its value as in the file, or which nodes it holds.

    Attributes:
        name: As in the file.
        type: VRML type.
        value: As in the file; for nodes, their types.
        default: As in the file.
        unit: Of its numbers; empty = none.
        allowed: Which values are allowed, in words; empty = all of the type.
        doc: What it is for, in one line.
        editable: Whether its value can be written here.
        choices: All values that are allowed, as in the file; empty = they cannot be listed.
    """

    name: str
    type: str
    value: str
    default: str
    unit: str
    allowed: str
    doc: str
    editable: bool
    choices: list[str]


@dataclass(frozen=True, slots=True)
class EventFields:
    """The fields of the node at `path`."""

    path: str
    title: str
    fields: list[WireField]
    event: Literal["fields"] = "fields"


@dataclass(frozen=True, slots=True)
class WireSlot:
    """A field that takes nodes, and what fits: things ready to use, node types and PROTOs by name."""

    field: str
    is_full: bool
    ready: list[str]
    nodes: list[str]
    protos: list[str]


@dataclass(frozen=True, slots=True)
class WireThing:
    """What there is to say of something that can be added: its group, and one line."""

    name: str
    group: str
    what: str


@dataclass(frozen=True, slots=True)
class EventChoices:
    """What can be put into the node at `path`, field by field, and what there is to say of it.

    `models` are files of the folder that can be taken into the world: robots, meshes, PROTOs.
    """

    path: str
    title: str
    slots: list[WireSlot]
    things: list[WireThing]
    models: list[str]
    event: Literal["choices"] = "choices"


@dataclass(frozen=True, slots=True)
class EventEdited:
    """The file has changed (or could not): what was done, and what can be undone and done again.

    `path` is the node to select now; empty = as before.
    """

    text: str
    is_error: bool
    undo: str
    redo: str
    path: str
    event: Literal["edited"] = "edited"


@dataclass(frozen=True, slots=True)
class EventLost:
    """A body has left the scene after it was pulled, and time was stopped; undo brings it back."""

    text: str
    event: Literal["lost"] = "lost"


@dataclass(frozen=True, slots=True)
class EventClipped:
    """A node was taken to be pasted, here or elsewhere as text."""

    name: str
    text: str
    event: Literal["clipped"] = "clipped"


@dataclass(frozen=True, slots=True)
class EventReload:
    """The scene is another one now, to be loaded again."""

    event: Literal["reload"] = "reload"


@dataclass(frozen=True, slots=True)
class EventSaved:
    """The file that was asked for with a ticket."""

    ticket: str
    name: str
    text: str
    event: Literal["saved"] = "saved"


@dataclass(frozen=True, slots=True)
class EventInputs:
    """What controllers want to be told of their users: some of keyboard, mouse, joystick."""

    kinds: list[str]
    event: Literal["inputs"] = "inputs"


@dataclass(frozen=True, slots=True)
class WireLabel:
    """A text over the picture: place and size as shares of it, sRGB colour (0xRRGGBB), opacity 0..1."""

    text: str
    x: float
    y: float
    size: float
    color: int
    opacity: float
    font: str


@dataclass(frozen=True, slots=True)
class EventLabels:
    """All texts that supervisors have written over the picture."""

    labels: list[WireLabel]
    event: Literal["labels"] = "labels"


@dataclass(frozen=True, slots=True)
class EventWindowText:
    """A robot has sent a text to its window."""

    robot: str
    text: str
    event: Literal["window"] = "window"


WorkEvent = (
    EventReadings
    | EventMessage
    | EventFields
    | EventChoices
    | EventEdited
    | EventLost
    | EventClipped
    | EventReload
    | EventSaved
    | EventInputs
    | EventLabels
    | EventWindowText
    | EventPhoto
    | FileEvent
)

DeskCommand = (
    CommandFields
    | CommandEdit
    | CommandChoices
    | CommandInsert
    | CommandImport
    | CommandRemove
    | CommandCopy
    | CommandClip
    | CommandPaste
    | CommandMove
    | CommandUndo
    | CommandRedo
    | CommandSave
)
"""Commands of editors of files."""

DeskEvent = EventFields | EventChoices | EventEdited | EventClipped | EventSaved
"""What editors answer."""

# --- what the panels show -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WireJoint:
    """One joint axis; `low` and `high` bound its slider, `speed` that of its motor.

    Anchor and axis are given in the frame of the link `parent` (null = the world), at the start.
    """

    name: str
    body: str
    link: int | None
    parent: int | None
    anchor: Vector3
    axis: Vector3
    turns: bool
    motor: bool
    endless: bool
    low: float
    high: float
    speed: float


@dataclass(frozen=True, slots=True)
class WireMass:
    """Mass properties of a link: about its centre of mass, in its axes (xx, yy, zz, xy, xz, yz)."""

    link: int
    mass: float
    center: Vector3
    inertia: list[float]


@dataclass(frozen=True, slots=True)
class WireHandle:
    """A link that users move by hand, in steps (-1 = continuously), unless it is locked."""

    link: int
    locked: bool
    translation_step: float
    rotation_step: float


@dataclass(frozen=True, slots=True)
class WireDevice:
    """A device that can be watched: a picture, or `parts` numbers."""

    index: int
    name: str
    kind: str
    owner: str
    link: int
    picture: bool
    parts: list[str]


@dataclass(frozen=True, slots=True)
class WireWindow:
    """The window of a robot: an HTML page at `address` of the server, or the generic one (empty address).

    `remark` says why a window that the robot names is not there.
    """

    robot: str
    body: str
    address: str
    remark: str


@dataclass(frozen=True, slots=True)
class WireNode:
    """One node of the file as written (or a link, for files of other formats).

    `parent` is its row in the list, null at the top; `link` is the link that it became, null = none.
    """

    title: str
    kind: str
    path: str
    parent: int | None
    link: int | None


@dataclass(frozen=True, slots=True)
class WireOutline:
    """Everything that can be shown, driven and selected beside the picture."""

    revision: str
    editable: bool
    joints: list[WireJoint]
    masses: list[WireMass]
    handles: list[WireHandle]
    devices: list[WireDevice]
    nodes: list[WireNode]
    robots: list[str]
    windows: list[WireWindow] = field(default_factory=list[WireWindow])


# --- reading commands -----------------------------------------------------------------------------


def parse_work(data: dict[str, Any]) -> WorkCommand | None:
    """Return the command of a panel in a JSON object; None if it names another command.

    Raises:
        ValueError: A field is missing or has a wrong value; the text says which.
    """
    name = data.get("command")
    cls = _COMMANDS.get(name) if isinstance(name, str) else None
    if cls is None:
        return None
    hints = get_type_hints(cls, include_extras=True)
    values = {
        item.name: _checked(f"{name}: {item.name}", hints[item.name], data.get(item.name))
        for item in fields(cls)
        if item.name != "command"
    }
    return cls(**values)


def _checked(where: str, hint: Any, value: Any) -> Any:
    """Return `value` if it is what an annotation of a command says."""
    if hint == LongText and isinstance(value, str) and len(value) <= LONG_TEXT_LIMIT:
        return value
    origin = get_origin(hint)
    if origin is Annotated:
        return _checked(where, get_args(hint)[0], value)
    if origin is Literal:
        if value not in get_args(hint):
            raise ValueError(f"{where} must be one of {', '.join(map(str, get_args(hint)))}")
        return value
    if origin in (Union, UnionType):
        raise TypeError(f"commands have no unions, see {where}")
    if origin is list:
        if not isinstance(value, list) or len(value) > WATCH_LIMIT:
            raise ValueError(f"{where} must be a list of at most {WATCH_LIMIT}")
        return [_checked(where, get_args(hint)[0], item) for item in value]
    if origin is tuple:
        kinds = get_args(hint)
        if not isinstance(value, list) or len(value) != len(kinds):
            raise ValueError(f"{where} must be a list of {len(kinds)} numbers")
        return tuple(_checked(where, kind, item) for kind, item in zip(kinds, value, strict=True))
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) > 1e30 or math.isnan(value):
            raise ValueError(f"{where} must be a finite number")
        return float(value)
    if hint is str and isinstance(value, str) and len(value) <= TEXT_LIMIT:
        return value
    if hint is bool and isinstance(value, bool):
        return value
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value < 2**31:
            raise ValueError(f"{where} must be a whole number from 0")
        return value
    raise ValueError(f"{where} must be a {hint.__name__}")
