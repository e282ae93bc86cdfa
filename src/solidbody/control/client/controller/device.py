"""Base classes of all devices in Webots' controller API."""

from __future__ import annotations

import struct
import sys
from typing import Any

from .connection import protocol
from .facts import fact

NAN = float("nan")

_robots: list[Any] = []
"""The robot of this program, once there is one."""


def complain(text: str) -> None:
    """Write a message as Webots' library does."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def set_robot(robot: Any) -> None:
    """Make a robot the one whose devices are found by name."""
    _robots[:] = [robot]


def the_robot() -> Any:
    """Return the robot of this program; None before it is made."""
    return _robots[0] if _robots else None


class DecodedText(str):
    """Text that was bytes until R2022a, which programs of that time decode or compare with bytes."""

    def __eq__(self, other: object) -> bool:
        """Whether it is the same text, be it given as bytes."""
        return str(self) == (other.decode(errors="replace") if isinstance(other, bytes) else other)

    def __ne__(self, other: object) -> bool:
        """Whether it is another text."""
        return not self == other

    __hash__ = str.__hash__

    def split(self, sep: Any = None, maxsplit: Any = -1) -> Any:
        """Return the words; parts between bytes are bytes."""
        whole = self.encode() if isinstance(sep, bytes) else str(self)
        return whole.split(sep, maxsplit)  # type: ignore[arg-type]

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the text itself."""
        return str(self)


class _FoundByName(type):
    """`Motor("left")` is the robot's own device of that name, not a second one beside it."""

    def __call__(cls, name: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(name, (str, int)):
            return super().__call__(name, *arguments, **named)
        robot = the_robot()
        if robot is None:
            complain(f'Error: {cls.__name__}("{name}") needs a Robot to be made first')
            return None
        device = robot.getDevice(name) if isinstance(name, str) else robot._sb_by_tag(name)
        if isinstance(device, Sensor) and isinstance(name, str):
            period = arguments[0] if arguments else named.get("sampling_period")
            device.enable(int(robot.getBasicTimeStep()) if period is None else period)
        return device


class Device(metaclass=_FoundByName):
    """A device of the robot, by name."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        self._robot = robot
        self._facts = facts
        self._tag: int = facts["tag"]
        self._initial = dict(facts)
        self._told = self._initial

    def _command(self, kind: protocol.Message, *arguments: Any) -> None:
        """Order something; it is done with the next step."""
        robot = self._robot
        try:
            robot._sb_commands.append(kind.pack(self._tag, *arguments))
        except (struct.error, TypeError):
            complain(f"Error: {kind.explain((self._tag, *arguments))}; nothing is sent")

    def _ask(self, kind: protocol.Message, *arguments: Any) -> Any:
        """Ask the simulator for something at once."""
        return self._robot._sb_ask(kind, self._tag, *arguments)

    def _tell(self, facts: dict[str, Any]) -> None:
        """A supervisor has changed some facts; those that a program has set since are kept."""
        told, self._told = self._told, facts
        self._facts.update({key: facts[key] for key in facts if facts[key] != told[key]})

    def _error(self, function: str, text: str) -> None:
        complain(f'Error: {type(self).__name__}.{function}() of "{self.getName()}": {text}')

    getName = fact("name", str, "Its name.")

    def getModel(self) -> str:
        """Return the text of its model field."""
        return self._facts.get("model", "")

    getNodeType = fact("type", int, "The number of its node type.")

    @property
    def tag(self) -> int:
        """Its number in the robot."""
        return self._tag

    name = property(getName)
    model = property(getModel)
    node_type = property(getNodeType)

    def _update(self, value: Any) -> None:
        """The simulator has reported a new value."""

    def _report(self, message: Any) -> None:
        """The simulator has reported something of this device alone."""
        values = message[2]
        self._update(values[0] if len(values) == 1 else values)

    def _reset(self) -> None:
        """The simulation went back to its start: what was set does not hold any more; it stays enabled."""
        self._facts.update(self._initial)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.getName()!r}>"


class Sensor(Device):
    """A device that is sampled."""

    _blank: Any = NAN

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._period = 0
        self._value: Any = self._blank

    def enable(self, samplingPeriod: float) -> None:
        """Sample every `samplingPeriod` milliseconds; the first value comes one period later."""
        period = int(samplingPeriod)
        if period < 0:
            self._error("enable", "the sampling period must not be negative")
            return
        self._period = period
        self._command(protocol.SensorEnable, period)

    def disable(self) -> None:
        """Stop sampling; the last value stays."""
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        """Return the sampling period [ms]; 0 = off."""
        return self._period

    def _set_period(self, samplingPeriod: int | None) -> None:
        self.enable(samplingPeriod or 0)

    sampling_period = property(getSamplingPeriod, _set_period)

    def _is_on(self, function: str) -> bool:
        """Whether it is on; says so if it is not."""
        if not self._period:
            kind = type(self).__name__
            complain(
                f'Error: {kind}.{function}() called for the disabled device "{self.getName()}"; '
                "call enable() first"
            )
        return bool(self._period)

    def _read(self, function: str) -> Any:
        self._is_on(function)
        return self._value

    def _update(self, value: Any) -> None:
        self._value = value

    def _reset(self) -> None:
        super()._reset()
        self._value = self._blank
