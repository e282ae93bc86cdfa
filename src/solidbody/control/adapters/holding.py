"""Connectors and vacuum grippers as controllers see them."""

from __future__ import annotations

from typing import Any

from solidbody.control import protocol as p
from solidbody.control.adapters.base import SensorAdapter, Warn, handles
from solidbody.devices.actuators.connectors import Connectors
from solidbody.devices.actuators.grippers import VacuumGrippers
from solidbody.model import devices as d


class PresenceAdapter(SensorAdapter):
    """Tells whether something is there, when it is asked to."""

    @handles(p.PresenceEnable)
    def enable_presence(self, period_ms: int) -> Warn:
        """Look every `period_ms`; 0 = not."""
        return self.enable(period_ms)

    def value(self) -> Any:
        """What is there."""
        return p.ReportPresence(self.tag, int(super().value()))


class ConnectorAdapter(PresenceAdapter):
    """A connector."""

    facts = p.ConnectorFacts

    def _group(self) -> tuple[Connectors, int]:
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, Connectors)
        return group, row

    def properties(self) -> dict[str, Any]:
        """Kind, and whether it is locked now."""
        device = self.bound.device
        assert isinstance(device, d.DeviceConnector)
        group, row = self._group()
        return {"kind": device.kind.value, "is_on": group.states[row].is_locked}

    @handles(p.ConnectorLock)
    def lock(self) -> Warn:
        """Lock, and attach if a peer is there."""
        group, row = self._group()
        return self._warning(group.lock(row))

    @handles(p.ConnectorUnlock)
    def unlock(self) -> Warn:
        """Unlock, and let go if that is allowed."""
        group, row = self._group()
        return self._warning(group.unlock(row))

    def _warning(self, problem: str) -> Warn:
        return f'Warning: "{self.bound.name}": {problem}' if problem else None


class GripperAdapter(PresenceAdapter):
    """A vacuum gripper."""

    facts = p.GripperFacts

    def _group(self) -> tuple[VacuumGrippers, int]:
        group, row = self.sim.devices.group_of(self.bound)
        assert isinstance(group, VacuumGrippers)
        return group, row

    def properties(self) -> dict[str, Any]:
        """Whether it is on now."""
        group, row = self._group()
        return {"is_on": group.states[row].is_on}

    @handles(p.GripperOn)
    def turn_on(self) -> Warn:
        """Hold what touches it."""
        group, row = self._group()
        group.turn_on(row)
        return None

    @handles(p.GripperOff)
    def turn_off(self) -> Warn:
        """Let go."""
        group, row = self._group()
        group.turn_off(row)
        return None
