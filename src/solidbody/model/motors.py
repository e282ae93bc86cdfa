"""Motors, brakes and position sensors: the devices that sit on a joint axis."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from solidbody.base.span import NOWHERE, SourceSpan


class ControlMode(Enum):
    """What a motor does before anybody commands it."""

    POSITION = "position"
    VELOCITY = "velocity"
    EFFORT = "effort"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Pid:
    """Gains of the position controller: velocity = p*e + i*integral(e) + d*de/dt."""

    p: float = 10.0
    i: float = 0.0
    d: float = 0.0


@dataclass(frozen=True, slots=True)
class Servo:
    """A motor that pulls as a spring and damper do: effort = stiffness*(target - q) + damping*(w - q').

    In position mode the target velocity w is 0; in velocity mode the stiffness counts as 0.

    Attributes:
        stiffness: [N*m/rad] or [N/m].
        damping: [N*m*s/rad] or [N*s/m].
    """

    stiffness: float
    damping: float


@dataclass(frozen=True, slots=True)
class Motor:
    """A velocity source with a limited effort, on one axis of a joint.

    Attributes:
        name: Device name; motors of one robot whose names share the part before `::` are coupled.
        max_velocity: [rad/s] or [m/s].
        max_effort: [N*m] or [N].
        range: Soft limits of target positions [rad] or [m]; None = unlimited.
        acceleration: Limit on the change of commanded velocity; None = unlimited.
        pid: Position controller.
        multiplier: Factor on every command (mimic joints).
        consumption: Electric power per effort.
        mode: What the motor does at the start; POSITION holds the initial position.
        sound: Address of its sound; empty = silent.
        rigid: Commands of position and velocity are met whatever effort it takes, at once.
        servo: How it pulls towards its target, where it is no velocity source; None = it is one.
        target: Position, velocity or effort that it is told at the start, by its mode; None = where it
            stands, and at rest.
    """

    name: str
    max_velocity: float = 10.0
    max_effort: float = 10.0
    range: tuple[float, float] | None = None
    acceleration: float | None = None
    pid: Pid = Pid()
    multiplier: float = 1.0
    consumption: float = 10.0
    mode: ControlMode = ControlMode.POSITION
    sound: str = ""
    span: SourceSpan = NOWHERE
    rigid: bool = False
    servo: Servo | None = None
    target: float | None = None


@dataclass(frozen=True, slots=True)
class PositionSensor:
    """Reads the position of a joint axis."""

    name: str
    noise: float = 0.0
    resolution: float | None = None
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class Brake:
    """Adds damping to a joint axis on command."""

    name: str
    span: SourceSpan = NOWHERE
