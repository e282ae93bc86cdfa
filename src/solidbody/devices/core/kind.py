"""Columns of the table of device kinds (`devices/kinds.py`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from solidbody.devices.core.group import Group


@dataclass(frozen=True, slots=True)
class NumberPart:
    """One number of a value: its name on the page and in recordings, and its unit."""

    name: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Channel:
    """What recordings have of a device: a schema of `record/foxglove_messages.py`, the end of its topic."""

    schema: str
    ending: str = ""


class ValueForm(Enum):
    """Sensors whose class in the client nobody writes: its base in `sensors.py` there, methods, facts."""

    NUMBER = ("NumberSensor", "getValue", "PlainFacts")
    CURVE = ("CurveSensor", "getValue getLookupTable", "LookupFacts")
    VECTOR = ("VectorSensor", "getValues getLookupTable", "LookupFacts")


@dataclass(frozen=True, slots=True)
class Client:
    """A device as programs of robots know it.

    Attributes:
        name: Of its class in Python, C++, Java and Matlab's documentation.
        number: Of its node type in the R2023b headers; by name, if it has several.
        form: What the client's class is made of; None = it is written by hand.
        about: What it reads, in a line, for a class that is made.
        module: File of the client that has the class written by hand; empty = it is called as the class.
        adapter: What stands between it and its programs: module and class in `control/adapters/`.
        own: Methods that Webots' manual lists beside those of every device, every sensor and its form.
        is_sensor: Whether it has `enable`, `disable` and `getSamplingPeriod`.
        facts: The message of `control/protocol/` that tells programs of it; empty = that of its form.
        orders: Messages that it takes, beside the one that turns a sensor on: commands and requests (each
            names its answer).
        report: The messages that bring what is new of it to programs.
    """

    name: str
    number: int | Mapping[str, int]
    form: ValueForm | None = None
    about: str = ""
    module: str = ""
    adapter: str = "base.SensorAdapter"
    own: str = ""
    is_sensor: bool = True
    facts: str = ""
    orders: str = ""
    report: str = "ReportNumbers ReportValue"

    @property
    def told(self) -> str:
        """The message that tells programs of it."""
        return self.facts or (self.form.value[2] if self.form else "PlainFacts")

    @property
    def taken(self) -> tuple[str, ...]:
        """Messages that it takes."""
        return (*(("SensorEnable",) if self.is_sensor else ()), *self.orders.split())

    @property
    def word(self) -> str:
        """Its name in C and Matlab (`wb_distance_sensor_enable`) and in Python's modules."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()

    @property
    def node_types(self) -> Mapping[str, int]:
        """Numbers of its node types by name."""
        return {self.word.upper(): self.number} if isinstance(self.number, int) else self.number

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods that Webots' manual lists for its class."""
        common = "enable disable getSamplingPeriod" if self.is_sensor else ""
        return (
            *common.split(),
            *(self.form.value[1] if self.form else "").split(),
            *self.own.split(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceKind:
    """A kind of device.

    Attributes:
        model: Its description.
        group: What samples it or holds its state; None = there is nothing to read.
        client: How programs know it; None = by its name only.
        seen_as: The kind (its description) whose node type and class programs get, if it has none of its own.
        seen_through: The adapter that tells programs what that class reads; module and class.
        parts: The numbers of its value, one per column of its group.
        channels: What recordings have of it; none = it is not recorded.
        is_picture: Whether its value is a picture, not numbers.
    """

    model: type
    group: type[Group] | None = None
    client: Client | None = None
    seen_as: type | None = None
    seen_through: str = ""
    parts: tuple[NumberPart, ...] = ()
    channels: tuple[Channel, ...] = ()
    is_picture: bool = False
