"""`LED` of Webots' controller API."""

from __future__ import annotations

from typing import Any

from .connection import protocol
from .device import Device


class LED(Device):
    """A lamp: off, one of its colours, or any brightness."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._value = 0

    def _reset(self) -> None:
        super()._reset()
        self._value = 0

    def set(self, value: int) -> None:
        """Set 0 (off), the number of a colour, or for a gradual lamp 0..255 or 0xRRGGBB."""
        self._value = int(value)
        self._command(protocol.LedSet, self._value)

    def get(self) -> int:
        """Return the value."""
        return self._value

    value = property(get, set)
