"""What all devices have between them and their controllers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from solidbody.base.errors import SolidbodyError
from solidbody.control.node_types import NUMBERS
from solidbody.devices.core.bound import Bound
from solidbody.devices.kinds import KIND_OF, client_of

if TYPE_CHECKING:
    from solidbody.control.session import Session

Warn = str | None
"""A message for the controller's console, or nothing."""

_WRONG = (TypeError, ValueError, KeyError, IndexError, SolidbodyError)
"""What a handler raises when it gets something that it cannot use."""


class Adapter:
    """A device as its controller sees it.

    Commands (`do_...`) return a message for the console, or None; requests (`ask_...`) return the answer.

    Attributes:
        reports: Whether `report` may have something to say.
    """

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        self.session, self.bound, self.tag = session, bound, tag
        self.sim = session.sim
        self.reports = False
        self._handlers: dict[str, Callable[..., Warn]] = {}

    def kind(self) -> str:
        """Return the name of its node type."""
        client = client_of(KIND_OF[type(self.bound.device)])
        return "NO_NODE" if client is None else next(iter(client.node_types))

    def describe(self) -> dict[str, Any]:
        """Return what the controller is told at the start."""
        device, kind = self.bound.device, self.kind()
        return {
            "tag": self.tag,
            "name": device.name,
            "type": NUMBERS[kind],
            "class": kind,
            "model": getattr(device, "model", ""),
            **self.properties(),
        }

    def properties(self) -> dict[str, Any]:
        """Return what is particular to this kind."""
        return {}

    def command(self, name: str, arguments: tuple[Any, ...]) -> Warn:
        """Obey a command."""
        handler = self._handlers.get(name)
        if handler is None:
            handler = getattr(self, f"do_{name}", None)
            if handler is None:
                return f'Warning: "{self.bound.name}" does not know the command {name}'
            self._handlers[name] = handler
        try:
            return handler(*arguments)
        except _WRONG as error:
            return f'Error: "{self.bound.name}" cannot {name}: {error}'

    def request(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Answer a request at once."""
        handler = getattr(self, f"ask_{name}", None)
        if handler is None:
            raise ValueError(f'"{self.bound.name}" does not know the request {name}')
        return handler(*arguments)

    def report(self) -> Any:
        """Return the present value for the controller; None if there is no new one."""
        return None

    def inherit(self, before: Adapter) -> None:
        """Go on as the adapter of the same device did before the scene has changed."""
        self.reports = before.reports

    def reset(self) -> None:
        """The simulation went back to its start."""


class SensorAdapter(Adapter):
    """A sensor that is sampled by the device engine."""

    sent = -1
    """Step of the last value that was reported."""

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        super().__init__(session, bound, tag)
        self._clock = session.sim.devices.clock

    def do_enable(self, period_ms: int) -> Warn:
        """Sample every `period_ms`; 0 = off."""
        self.sim.devices.enable(self.bound, period_ms / 1000.0)
        self.sent = self.sim.step_count
        self.reports = period_ms > 0
        self.session.forget_reports()
        return None

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
