"""`Connector` of Webots' controller API, and what it shares with vacuum grippers."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .device import Device


class PresenceDevice(Device):
    """Reports `presence` when it is asked to, and a state that a program switches."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._presence_period = 0
        self._presence: int = 0
        self._state: bool = facts["is_on"]

    def _report(self, message: Any) -> None:
        self._presence = message[2]

    def _reset(self) -> None:
        super()._reset()
        self._presence, self._state = 0, self._facts["is_on"]

    def enablePresence(self, samplingPeriod: int) -> None:
        """Look every `samplingPeriod` milliseconds whether something is there; 0 = not."""
        self._presence_period = int(samplingPeriod)
        self._command(protocol.PresenceEnable, self._presence_period)

    def disablePresence(self) -> None:
        """Look no more."""
        self.enablePresence(0)

    def getPresenceSamplingPeriod(self) -> int:
        """Return the period [ms]; 0 = off."""
        return self._presence_period

    def _seen(self) -> int:
        if not self._presence_period:
            self._error("getPresence", "call enablePresence() first")
        return self._presence

    presence_sampling_period = property(getPresenceSamplingPeriod, enablePresence)


class Connector(PresenceDevice):
    """Docks to another connector."""

    def getPresence(self) -> int:
        """Return 1 if a peer is near, 0 if not, -1 for a passive connector."""
        return self._seen()

    def lock(self) -> None:
        """Lock: attach to a peer that is there."""
        if self._facts["kind"] == "passive":
            self._error("lock", "a passive connector cannot lock")
            return
        self._state = True
        self._command(protocol.ConnectorLock)

    def unlock(self) -> None:
        """Let go."""
        self._state = False
        self._command(protocol.ConnectorUnlock)

    def isLocked(self) -> bool:
        """Return whether it is locked."""
        return self._state

    presence = property(getPresence)
    locked = property(isLocked)
    is_locked = property(isLocked)
