"""`DifferentialWheels`, the two-wheeled robot of old Webots releases."""

from __future__ import annotations

from typing import Any

from .device import NAN, complain
from .robot import Robot

SIDES = ("left", "right")


class DifferentialWheels(Robot):
    """A robot whose solids "left wheel" and "right wheel" are driven, with the calls of before R2018."""

    def __init__(self) -> None:
        super().__init__()
        self._sb_wheels = [self._sb_names.get(f"{side} wheel motor") for side in SIDES]
        self._sb_encoders = [self._sb_names.get(f"{side} wheel sensor") for side in SIDES]
        self._sb_offsets = [0.0, 0.0]
        self._sb_speeds = [0.0, 0.0]
        if None in self._sb_wheels:
            complain(
                "Error: DifferentialWheels() needs a robot with solids named"
                ' "left wheel" and "right wheel"'
            )
        for motor in self._sb_wheels:
            if motor is not None:
                motor.setPosition(float("inf"))
                motor.setVelocity(0.0)

    def setSpeed(self, left: float, right: float) -> None:
        """Let the wheels turn, in units of the field speedUnit; not faster than maxSpeed."""
        limit, unit = self.getMaxSpeed(), self.getSpeedUnit()
        for side, (motor, speed) in enumerate(zip(self._sb_wheels, (left, right))):
            self._sb_speeds[side] = float(speed)
            if motor is not None:
                motor.setVelocity(min(max(float(speed) * unit, -limit), limit))

    def getLeftSpeed(self) -> float:
        """Return the speed that was set for the left wheel."""
        return self._sb_speeds[0]

    def getRightSpeed(self) -> float:
        """Return the speed that was set for the right wheel."""
        return self._sb_speeds[1]

    def getMaxSpeed(self) -> float:
        """Return the greatest speed of a wheel [rad/s]."""
        motor = self._sb_wheels[0]
        return 0.0 if motor is None else motor.getMaxVelocity()

    def getSpeedUnit(self) -> float:
        """Return the speed that 1 stands for [rad/s]."""
        return self._sb_facts["speed_unit"]

    def enableEncoders(self, samplingPeriod: int) -> None:
        """Measure how far the wheels have turned."""
        for sensor in self._sb_encoders:
            if sensor is not None:
                sensor.enable(samplingPeriod)

    def disableEncoders(self) -> None:
        """Measure no more."""
        self.enableEncoders(0)

    def getEncodersSamplingPeriod(self) -> int:
        """Return the period [ms]; 0 = off."""
        sensor = self._sb_encoders[0]
        return 0 if sensor is None else sensor.getSamplingPeriod()

    def getLeftEncoder(self) -> float:
        """Return how far the left wheel has turned, in steps of the encoder."""
        return self._sb_counts(0) - self._sb_offsets[0]

    def getRightEncoder(self) -> float:
        """Return how far the right wheel has turned, in steps of the encoder."""
        return self._sb_counts(1) - self._sb_offsets[1]

    def setEncoders(self, left: float, right: float) -> None:
        """Let the encoders count from these numbers."""
        for side, value in enumerate((left, right)):
            counts = self._sb_counts(side)
            self._sb_offsets[side] = (counts if counts == counts else 0.0) - value

    def _sb_counts(self, side: int) -> float:
        sensor: Any = self._sb_encoders[side]
        return NAN if sensor is None else sensor.getValue() / sensor._facts["resolution"]
