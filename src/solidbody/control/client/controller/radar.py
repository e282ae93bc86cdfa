"""Radars."""

from __future__ import annotations

from typing import Any

from .device import Sensor


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

    def getMinRange(self) -> float:
        """Return the smallest distance [m]."""
        return self._facts["min_range"]

    def getMaxRange(self) -> float:
        """Return the largest distance [m]."""
        return self._facts["max_range"]

    def getHorizontalFov(self) -> float:
        """Return the horizontal field of view [rad]."""
        return self._facts["horizontal_fov"]

    def getVerticalFov(self) -> float:
        """Return the vertical field of view [rad]."""
        return self._facts["vertical_fov"]

    targets = property(getTargets)
    number_of_targets = property(getNumberOfTargets)
    min_range = property(getMinRange)
    max_range = property(getMaxRange)
    horizontal_fov = property(getHorizontalFov)
    vertical_fov = property(getVerticalFov)
