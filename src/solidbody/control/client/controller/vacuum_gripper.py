"""`VacuumGripper` of Webots' controller API."""

from __future__ import annotations

from .connection import protocol
from .connector import PresenceDevice


class VacuumGripper(PresenceDevice):
    """Holds what touches it."""

    def getPresence(self) -> bool:
        """Return whether something touches it."""
        return bool(self._seen())

    def turnOn(self) -> None:
        """Hold what touches it, now or later."""
        self._state = True
        self._command(protocol.GripperOn)

    def turnOff(self) -> None:
        """Let go."""
        self._state = False
        self._command(protocol.GripperOff)

    def isOn(self) -> bool:
        """Return whether it is on."""
        return self._state

    presence = property(getPresence)
    on = property(isOn)
    is_on = property(isOn)
