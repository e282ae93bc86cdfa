"""Frames of the protocol (hello, turn, answer ...), and messages about the robot as a whole."""

from __future__ import annotations

from typing import Annotated, Final

from solidbody.control.protocol.fields import (
    I32,
    U8,
    U32,
    Choice,
    Data,
    Finite,
    Message,
    Most,
    Name,
    Number,
    Path,
    Text,
    Vector3,
    family,
    message,
    part,
)

VERSION: Final = 2
"""Raised with every change that another version could not read."""

MAGIC: Final = 0x50434253
"""First bytes of a greeting: "SBCP"."""

MOST_SAID: Final = 1 << 18
"""Messages in one turn; a client that has more takes several."""

MAILBOX: Final = 1 << 16
"""[bytes] Half of a mailbox: what one end leaves there for the other (`client/solidbody_mailbox.py`)."""

MAILBOX_HEAD: Final = 64
"""[bytes] What comes before the frame in it: a line of the processors' caches."""

MAILBOX_NAME: Final = "solidbody-mailbox"
"""Of its memory: in a container, its path may lead to a file of another program."""

INPUTS: Final = ("keyboard", "mouse", "joystick")
FORCES: Final = ("constant", "duration", "centering", "resistance", "axis")
"""What can be set on a joystick that pushes back."""

# ---------------------------------------------------------------------- families


@family
class Said(Message):
    """What a program says in its turn."""


@family
class Command(Said):
    """What a program orders; it is carried out with the next request and not answered."""


@family
class DeviceCommand(Command):
    """An order to the device with this tag."""

    tag: U32


@family
class RobotCommand(Command):
    """An order to the robot itself."""


@family
class Order(Command):
    """An order of a supervisor."""


@family
class Request(Said):
    """What a program asks for, and waits until it is answered."""


@family
class DeviceRequest(Request):
    """A question to the device with this tag."""

    tag: U32


@family
class Question(Request):
    """A question of a supervisor."""


@family
class Result(Message):
    """What an answer holds."""


@family
class DeviceFacts(Message):
    """What a program is told of a device: its tag, name, number of its node type, and model field."""

    tag: U32
    name: Name
    type: U8
    model: Text


@family
class Told(Message):
    """What a program is told with the answer to a step."""


@family
class Report(Told):
    """What devices tell after a step."""


@family
class News(Told):
    """What else has happened until the end of a step."""


# ---------------------------------------------------------------------- frames


@message(1)
class Hello(Message):
    """First frame of a program. Its layout stays the same in all versions."""

    magic: U32
    version: U32
    secret: Name
    robot: Name
    pid: U32


@message(2)
class Refusal(Message):
    """Last frame of the simulator: why it does not go on. Its layout stays the same in all versions."""

    text: Text


@message(3)
class Welcome(Message):
    """The simulator's answer to a greeting: the robot, its devices, and the path of a mailbox, if any."""

    name: Name
    controller: Name
    model: Text
    supervisor: bool
    synchronization: bool
    is_old: bool
    mode: I32
    basic_time_step: Number
    time: Number
    speed_unit: Number
    custom_data: Text
    project_path: Path
    world_path: Path
    mailbox: Path
    devices: list[DeviceFacts]


@message(4)
class Turn(Message):
    """A program's orders since its last frame and, after them, what it asks for, if anything."""

    said: Annotated[list[Said], Most(MOST_SAID)]


@message(5)
class Answer(Message):
    """The answer to a request that is no step: what is wrong, what was asked for, what to print."""

    problem: Text
    result: Result | None
    notes: list[Text]


@message(6)
class StepAnswer(Message):
    """The answer to a step: -1 at the end, else the delay [ms]; the time [s], and what is new."""

    status: I32
    time: Number
    told: Annotated[list[Told], Most(1 << 20)]


# ---------------------------------------------------------------------- what answers hold


@message(10)
class AnswerBool(Result):
    """Yes or no."""

    value: bool


@message(11)
class AnswerInt(Result):
    """A whole number."""

    value: I32


@message(12)
class AnswerText(Result):
    """A text."""

    value: Text


@message(13)
class AnswerNumbers(Result):
    """Numbers."""

    value: list[Number]


# ---------------------------------------------------------------------- the robot


@message(20)
class Step(Request):
    """Let the simulation advance by this many milliseconds; the answer is a `StepAnswer`."""

    milliseconds: Finite


@message(21, answer=AnswerText)
class RobotUrdf(Request):
    """The robot as URDF, with this before all names."""

    prefix: Name


@message(30)
class RobotCustomData(RobotCommand):
    """Set the field customData."""

    text: Text


@message(31)
class RobotWindowText(RobotCommand):
    """Send text to the robot's window."""

    text: Text


@message(32)
class RobotInput(RobotCommand):
    """Sample keyboard, mouse or joystick every so many milliseconds; 0 = not."""

    kind: Annotated[str, Choice(INPUTS)]
    period_ms: I32


@message(33)
class RobotBattery(RobotCommand):
    """Measure the battery every so many milliseconds; 0 = not."""

    period_ms: I32


@message(34)
class RobotJoystickForce(RobotCommand):
    """Push the joystick."""

    kind: Annotated[str, Choice(FORCES)]
    value: Number


# ---------------------------------------------------------------------- news


@message(39)
class Note(Told):
    """A line for the program's console."""

    text: Text


@message(40)
class NewsReset(News):
    """The simulation went back to its start."""


@message(41)
class NewsRobot(News):
    """A supervisor has changed the robot."""

    model: Text
    supervisor: bool


@message(42)
class NewsCustomData(News):
    """A supervisor has set the field customData."""

    text: Text


@message(43)
class NewsDevice(News):
    """A device that is new, or one whose fields a supervisor has changed."""

    device: DeviceFacts


@message(44)
class NewsWindowText(News):
    """The robot's window has sent text."""

    text: Text


@message(45)
class NewsBattery(News):
    """What is left in the battery [J]; -1 without one."""

    charge: Number


@message(46)
class NewsEvents(News):
    """What users have done, as flags."""

    events: U32


@message(47)
class NewsKeyboard(News):
    """Keys that are down."""

    keys: list[I32]


@message(48)
class NewsMouse(News):
    """Where the mouse is: in the view (0..1), over which point; what is pressed."""

    u: Number
    v: Number
    x: Number
    y: Number
    z: Number
    left: bool
    middle: bool
    right: bool


@message(49)
class NewsJoystick(News):
    """How the joystick stands."""

    model: Name
    axes: list[I32]
    povs: list[I32]
    buttons: list[I32]


# ---------------------------------------------------------------------- reports


@message(60)
class ReportBlock(Report):
    """From now on the block of this number holds the numbers of these sensors, `width` for each."""

    block: U32
    width: U32
    tags: list[U32]


@message(68)
class ReportNumbers(Report):
    """New numbers of all sensors of a block, one sensor after the other."""

    block: U32
    values: Annotated[list[Number], Most(1 << 20)]


@message(69)
class ReportValue(Report):
    """New numbers of one sensor."""

    tag: U32
    values: list[Number]


@message(61)
class ReportImage(Report):
    """There is a new image, the one with this number."""

    tag: U32
    number: U32


@message(62)
class ReportCamera(Report):
    """What is new of a camera: the numbers of its image, recognition and segmentation."""

    tag: U32
    image: U32 | None
    objects: U32 | None
    segments: U32 | None


@part
class Packet(Message):
    """A packet that a receiver got; channel -1 = all, the direction is seen from the receiver."""

    data: Data
    channel: I32
    signal: Number
    direction: Vector3


@message(63)
class ReportPackets(Report):
    """New packets of a receiver."""

    tag: U32
    packets: list[Packet]


@message(64)
class ReportWaiting(Report):
    """How many bytes wait in an emitter."""

    tag: U32
    count: U32


@part
class Echo(Message):
    """An echo of a radar: [m], [dBm], [m/s], [rad]."""

    distance: Number
    power: Number
    speed: Number
    azimuth: Number


@message(65)
class ReportEchoes(Report):
    """The echoes of a radar."""

    tag: U32
    echoes: list[Echo]


@message(66)
class ReportPresence(Report):
    """Whether something is there: 1, 0, or -1 for who cannot tell."""

    tag: U32
    presence: I32


@message(67)
class ReportPlaying(Report):
    """The sounds that a speaker plays, and whether it speaks."""

    tag: U32
    sounds: list[Name]
    speaks: bool
