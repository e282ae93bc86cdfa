"""Connectors and vacuum grippers as controllers see them."""

from __future__ import annotations

from typing import Any, TypeVar

from solidbody.control import protocol as p
from solidbody.control.adapters.base import SensorAdapter, Warn, handles
from solidbody.devices.actuators.connectors import Connectors
from solidbody.devices.actuators.grippers import VacuumGrippers
from solidbody.model import devices as d

_Group = TypeVar("_Group")
_Device = TypeVar("_Device")


class PresenceAdapter(SensorAdapter[_Group, _Device]):
    """Tells whether something is there, when it is asked to."""

    @handles(p.PresenceEnable)
    def enable_presence(self, period_ms: int) -> None:
        """Look every `period_ms`; 0 = not."""
        self.enable(period_ms)

    def value(self) -> Any:
        """What is there."""
        return p.ReportPresence(self.tag, int(super().value()))


class ConnectorAdapter(PresenceAdapter[Connectors, d.DeviceConnector]):
    """A connector."""

    facts = p.ConnectorFacts

    def properties(self) -> dict[str, Any]:
        """Kind, and whether it is locked now."""
        return {
            "kind": self.device.kind.value,
            "is_on": self.group.states[self.row].is_locked,
        }

    @handles(p.ConnectorLock)
    def lock(self) -> Warn:
        """Lock, and attach if a peer is there."""
        return self._warning(self.group.lock(self.row))

    @handles(p.ConnectorUnlock)
    def unlock(self) -> Warn:
        """Unlock, and let go if that is allowed."""
        return self._warning(self.group.unlock(self.row))

    def _warning(self, problem: str) -> Warn:
        return f'Warning: "{self.bound.name}": {problem}' if problem else None


class GripperAdapter(PresenceAdapter[VacuumGrippers, d.DeviceVacuumGripper]):
    """A vacuum gripper."""

    facts = p.GripperFacts

    def properties(self) -> dict[str, Any]:
        """Whether it is on now."""
        return {"is_on": self.group.states[self.row].is_on}

    @handles(p.GripperOn)
    def turn_on(self) -> None:
        """Hold what touches it."""
        self.group.turn_on(self.row)

    @handles(p.GripperOff)
    def turn_off(self) -> None:
        """Let go."""
        self.group.turn_off(self.row)
