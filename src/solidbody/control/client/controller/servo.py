"""`Servo` of old Webots releases: a motor and a position sensor in one."""

from __future__ import annotations

from typing import Any

from .motor import Motor, PositionSensor


class Servo:
    """A motor and the position sensor of the same joint, under the names of before Webots 8."""

    INFINITY = float("inf")
    ROTATIONAL, LINEAR = 0, 1

    def __init__(self, motor: Motor, sensor: PositionSensor | None) -> None:
        self._motor, self._sensor = motor, sensor

    def __getattr__(self, name: str) -> Any:
        """What is the same in the motor."""
        return getattr(self._motor, name)

    def setMotorForce(self, force: float) -> None:
        """Limit the force or torque."""
        self._motor.setAvailableForce(force)

    def enablePosition(self, samplingPeriod: int) -> None:
        """Measure the position."""
        if self._sensor is not None:
            self._sensor.enable(samplingPeriod)

    def disablePosition(self) -> None:
        """Measure no more."""
        self.enablePosition(0)

    def getPositionSamplingPeriod(self) -> int:
        """Return the period [ms]; 0 = off."""
        return 0 if self._sensor is None else self._sensor.getSamplingPeriod()

    def getPosition(self) -> float:
        """Return the position [rad] or [m]."""
        return float("nan") if self._sensor is None else self._sensor.getValue()

    def enableMotorForceFeedback(self, samplingPeriod: int) -> None:
        """Measure the force or torque."""
        self._motor.enableForceFeedback(samplingPeriod)

    def disableMotorForceFeedback(self) -> None:
        """Measure no more."""
        self._motor.disableForceFeedback()

    def getMotorForceFeedback(self) -> float:
        """Return the force or torque."""
        return self._motor.getForceFeedback()

    def getMotorForceFeedbackSamplingPeriod(self) -> int:
        """Return the period [ms]; 0 = off."""
        return self._motor.getForceFeedbackSamplingPeriod()
