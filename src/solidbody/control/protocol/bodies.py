"""Messages between the simulator and the host of Choreonoid's controllers (`control/simple_controllers/`).

A host greets with `Hello`, is told with a `BodyWelcome` what its body and its controllers are, and answers
each `BodyOrder` with a `Turn` that holds a `BodyReport`. What goes back and forth in each step lies in a
block of memory that both map: whole numbers first (HEADER), then floats (SECTIONS). The simulator writes the
step into `asked`, the host writes it into `done` when its controllers have computed. Who sleeps meanwhile has
said so in the header, and is woken by an order `control`, or by a turn that says nothing.
"""

from __future__ import annotations

from typing import Annotated, Final

from solidbody.control.protocol.fields import (
    I32,
    U8,
    U32,
    Choice,
    Message,
    Most,
    Name,
    Number,
    Path,
    Reals,
    Text,
    Vector3,
    message,
    part,
)
from solidbody.control.protocol.frames import Command

PHASES: Final = ("configure", "initialize", "start", "control", "stop", "end")
"""What a controller is told to do; `end` ends the host."""

HEADER: Final = ("asked", "done", "host_sleeps", "simulator_sleeps")
"""Whole numbers of 64 bits at the beginning of the block."""

HEADER_BYTES: Final = 64

SECTIONS: Final = (
    "time",  # 1
    "joystick",  # 1 + 8 + 11: whether there is one, axes, buttons
    "q", "dq", "ddq", "u",  # of joints
    "pose", "twist", "acceleration", "wrench",  # of links: 7, 6, 6, 6
    "contacts",  # their number, then MOST_CONTACTS of CONTACT_WIDTH
    "device_changes", "device_state",  # of devices: 1, DEVICE_WIDTH
    "q_target", "dq_target", "ddq_out", "u_out", "pose_out", "twist_out", "wrench_out",
    "device_changes_out", "device_state_out",
    "results",  # of controllers: 1 if `control` has returned true
)  # fmt: skip
"""Parts of the block, in the order of their offsets; up to `device_state` the simulator writes them."""

MOST_CONTACTS: Final = 256
CONTACT_WIDTH: Final = 14
"""Row of the link, position, normal, force, velocity, depth."""

DEVICE_WIDTH: Final = 8

Pose7 = Annotated[tuple[float, ...], Reals(7)]
Matrix3 = Annotated[tuple[float, ...], Reals(9)]


@part
class LinkFacts(Message):
    """A link; poses are x y z qw qx qy qz. `offset` is its place in its parent at joint position 0."""

    name: Name
    joint_name: Name
    material: Name
    parent: I32
    joint_id: I32
    joint_type: U8
    joint: I32
    offset: Pose7
    pose: Pose7
    axis: Vector3
    q: Number
    q_lower: Number
    q_upper: Number
    dq_upper: Number
    u_upper: Number
    rotor: Number
    mass: Number
    com: Vector3
    inertia: Matrix3


@part
class BodyDeviceFacts(Message):
    """A device: its class, its link, what its class knows of it, its state, the file of its pictures."""

    name: Name
    kind: Name
    link: U32
    id: I32
    pose: Pose7
    numbers: list[Number]
    state: list[Number]
    pictures: Path


@part
class BodyControllerFacts(Message):
    """A controller; `parent` is the place of the one whose sub-controller it is, -1 = none."""

    name: Name
    module: Path
    options: Text
    simulator_options: Text
    parent: I32
    no_delay: bool
    reloads: bool
    exports: bool
    old_targets: bool


@message(7)
class BodyWelcome(Message):
    """The simulator's answer to the greeting of a host."""

    name: Name
    model: Name
    time_step: Number
    has_joystick: bool
    block: Path
    block_size: U32
    offsets: list[U32]
    links: Annotated[list[LinkFacts], Most(1 << 16)]
    devices: list[BodyDeviceFacts]
    controllers: list[BodyControllerFacts]


@message(8)
class BodyOrder(Message):
    """Something to do for a controller; `modes` are the actuation modes of the links, before `initialize`."""

    phase: Annotated[str, Choice(PHASES)]
    controller: U32
    modes: list[I32]


@message(480)
class BodyReport(Command):
    """How it went: 1 = true, 0 = false, -1 = it cannot go on, and why. Flags are those of links.

    `inputs`, `outputs` and `modes` have a row for each link, `senses` one for each device.
    """

    result: I32
    problem: Text
    no_delay: bool
    inputs: list[I32]
    outputs: list[I32]
    modes: list[I32]
    senses: list[U8]
