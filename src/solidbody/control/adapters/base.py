"""Base classes of adapters, which connect a device of the simulation to a controller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from solidbody.base.errors import SolidbodyError
from solidbody.control import protocol as p
from solidbody.control.node_types import NUMBERS
from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.kinds import KIND_OF, client_of

if TYPE_CHECKING:
    from solidbody.control.session import Session

Warn = str | None
"""A message for the controller's console, or nothing."""

WRONG = (TypeError, ValueError, KeyError, IndexError, SolidbodyError)
"""What a handler raises when it gets something that it cannot use."""

_Handler = TypeVar("_Handler", bound=Callable[..., Any])
_Group = TypeVar("_Group")
_Device = TypeVar("_Device")


def handles(*kinds: type[p.DeviceCommand | p.DeviceRequest]) -> Callable[[_Handler], _Handler]:
    """Let a method handle messages: its parameters are their fields after the tag.

    Commands return a message for the console, or None; requests return the answer.
    """

    def mark(method: _Handler) -> _Handler:
        names = method.__code__.co_varnames[1 : method.__code__.co_argcount]
        for kind in kinds:
            wanted = tuple(item.name for item in fields(kind))[1:]
            if names != wanted:
                raise TypeError(
                    f"{method.__qualname__} takes {names}, {kind.__name__} has {wanted}"
                )
        method.handled_kinds = kinds  # type: ignore[attr-defined]
        return method

    return mark


class Adapter(Generic[_Group, _Device]):
    """A device as its controller sees it; its group and its description are those of its row in `KINDS`.

    Attributes:
        facts: What the controller is told of it: its fields are those of `properties`.
        handlers: What handles messages (see `handles`), by their numbers.
        reports: Whether `report` may have something to say.
    """

    facts: type[p.DeviceFacts] = p.PlainFacts
    handlers: ClassVar[dict[int, Callable[..., Any]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        names = {
            kind.NUMBER: name
            for base in reversed(cls.__mro__)
            for name, method in vars(base).items()
            for kind in getattr(method, "handled_kinds", ())
        }
        cls.handlers = {number: getattr(cls, name) for number, name in names.items()}

    def __init__(self, session: Session, bound: BoundDevice, tag: int) -> None:
        self.session, self.bound, self.tag = session, bound, tag
        self.sim = session.sim
        self.device: _Device = bound.device  # type: ignore[assignment]
        self.reports = False

    @property
    def group(self) -> _Group:
        """All devices of its kind."""
        return self.sim.devices.group_of(self.bound)[0]  # type: ignore[return-value]

    @property
    def row(self) -> int:
        """Its row in the group."""
        return self.sim.devices.group_of(self.bound)[1]

    def kind(self) -> str:
        """Return the name of its node type."""
        client = client_of(KIND_OF[type(self.bound.device)])
        return "NO_NODE" if client is None else next(iter(client.node_types))

    def describe(self) -> p.DeviceFacts:
        """Return what the controller is told at the start."""
        device = self.bound.device
        return self.facts(
            self.tag,
            device.name,
            NUMBERS[self.kind()],
            getattr(device, "model", ""),
            **self.properties(),
        )

    def properties(self) -> dict[str, Any]:
        """Return what is particular to this kind: the other fields of `facts`."""
        return {}

    def obey(self, message: tuple[Any, ...]) -> Warn:
        """Carry out a command."""
        handler = self.handlers.get(message[0])
        if handler is None:
            return f'Warning: "{self.bound.name}" does not know the command {_name(message)}'
        try:
            return handler(self, *message[2:])
        except WRONG as error:
            return self.complaint(message, error)

    def complaint(self, message: tuple[Any, ...], error: Exception) -> str:
        """Return what is said of a command that its handler cannot use."""
        return f'Error: "{self.bound.name}" cannot obey {_name(message)}: {error}'

    def answer(self, message: tuple[Any, ...]) -> Any:
        """Answer a request at once."""
        handler = self.handlers.get(message[0])
        if handler is None:
            raise ValueError(f'"{self.bound.name}" does not know the request {_name(message)}')
        return handler(self, *message[2:])

    def report(self) -> Any:
        """Return what is new for the controller, numbers or a `Report`; None if nothing is."""
        return None

    def inherit(self, before: Adapter) -> None:
        """Go on as the adapter of the same device did before the scene has changed."""
        self.reports = before.reports

    def reset(self) -> None:
        """The simulation went back to its start."""


def _name(message: tuple[Any, ...]) -> str:
    return p.MESSAGES[message[0]].__name__


class SensorAdapter(Adapter[_Group, _Device]):
    """A sensor that is sampled by the device engine."""

    sent = -1
    """Step of the last value that was reported."""

    def __init__(self, session: Session, bound: BoundDevice, tag: int) -> None:
        super().__init__(session, bound, tag)
        self._clock = session.sim.devices.clock

    @handles(p.SensorEnable)
    def enable(self, period_ms: int) -> None:
        """Sample every `period_ms`; 0 = off."""
        self.sim.devices.enable(self.bound, period_ms / 1000.0)
        self.session.forget_reports()
        self.sent = self.sim.step_count
        self.reports = period_ms > 0

    def describe(self) -> p.DeviceFacts:
        """See `Adapter.describe`; a sensor with a curve has a table to tell."""
        if self.facts is p.PlainFacts and hasattr(self.bound.device, "lookup"):
            self.facts = p.LookupFacts
        return super().describe()

    def report(self) -> Any:
        """The value, if it was sampled since the last report."""
        last = self._clock.last.item(self.bound.index)
        if last <= self.sent:
            return None
        self.sent = last
        return self.value()

    def properties(self) -> dict[str, Any]:
        """The curve of a sensor that has one: its rows one after the other."""
        curve = getattr(self.bound.device, "lookup", None)
        if curve is None:
            return {}
        return {"table": [x for row in curve.rows for x in (row.input, row.output, row.noise)]}

    def value(self) -> Any:
        """The value as plain numbers."""
        group, row = self.sim.devices.group_of(self.bound)
        if group.width == 1:
            return group.values.item(row)
        return tuple(group.values[row].tolist())

    def inherit(self, before: Adapter) -> None:
        """See `Adapter.inherit`."""
        super().inherit(before)
        if isinstance(before, SensorAdapter):
            self.sent = before.sent

    def reset(self) -> None:
        """Values of before the reset are not reported again."""
        self.sent = 0
