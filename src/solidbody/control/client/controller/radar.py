"""`Radar` of Webots' controller API."""

from __future__ import annotations

from typing import Any

from .device import Sensor
from .facts import fact


class RadarTarget:
    """An echo.

    Attributes:
        distance: [m].
        received_power: [dBm].
        speed: Radial, positive when it moves away [m/s].
        azimuth: To the right of the axis [rad].
    """

    def __init__(
        self, distance: float, received_power: float, speed: float, azimuth: float
    ) -> None:
        self.distance = distance
        self.received_power = received_power
        self.speed = speed
        self.azimuth = azimuth

    @property
    def receiver_power(self) -> float:
        """The same as `received_power`, as Webots' Python library calls it."""
        return self.received_power


class Radar(Sensor):
    """Echoes of solids with a radar cross-section."""

    _blank = ()

    def _report(self, message: Any) -> None:
        self._update(message[2])

    def getTargets(self) -> list[RadarTarget]:
        """Return the echoes."""
        return [RadarTarget(*values) for values in self._read("getTargets")]

    def getNumberOfTargets(self) -> int:
        """Return how many echoes there are."""
        return len(self._read("getNumberOfTargets"))

    getMinRange = fact("min_range", float, "The smallest distance [m].")
    getMaxRange = fact("max_range", float, "The largest distance [m].")
    getHorizontalFov = fact("horizontal_fov", float, "The horizontal field of view [rad].")
    getVerticalFov = fact("vertical_fov", float, "The vertical field of view [rad].")

    targets = property(getTargets)
    number_of_targets = property(getNumberOfTargets)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)
    horizontal_fov = property(getHorizontalFov)
    vertical_fov = property(getVerticalFov)
