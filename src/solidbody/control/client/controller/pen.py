"""`Pen` of Webots' controller API."""

from __future__ import annotations

from .connection import protocol
from .device import Device


class Pen(Device):
    """Paints on what is below it."""

    def write(self, write: bool) -> None:
        """Begin or stop writing."""
        self._command(protocol.PenWrite, bool(write))

    def setInkColor(self, color: int, density: float) -> None:
        """Set the colour, 0xRRGGBB, and how much it covers, 0 to 1."""
        if not 0 <= color <= 0xFFFFFF:
            self._error("setInkColor", f"{color} is not a colour 0xRRGGBB")
        elif not 0.0 <= density <= 1.0:
            self._error("setInkColor", f"the density {density:g} is outside of 0 to 1")
        else:
            self._command(protocol.PenInk, int(color), float(density))
