"""`Motor`, `PositionSensor` and `Brake` of Webots' controller API."""

from __future__ import annotations

import math
from typing import Any

from .connection import protocol
from .device import NAN, Device, Sensor, complain
from .facts import fact


class _JointDevice(Device):
    """Knows the other devices on its axis."""

    ROTATIONAL, LINEAR = 0, 1

    def getType(self) -> int:
        """Return ROTATIONAL or LINEAR."""
        return self.LINEAR if self._facts["linear"] else self.ROTATIONAL

    def _companion(self, kind: str) -> Any:
        return self._robot._sb_by_tag(self._facts[kind])

    type = property(getType)


class PositionSensor(Sensor, _JointDevice):
    """Position of a joint."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._sampled = NAN
        self._velocity = NAN

    def getValue(self) -> float:
        """Return the position [rad] or [m]."""
        return self._read("getValue")

    def getVelocity(self) -> float:
        """Return the velocity between the last two samples [rad/s] or [m/s]."""
        self._read("getVelocity")
        return self._velocity

    def getMotor(self) -> Any:
        """Return the motor of the joint."""
        return self._companion("motor")

    def getBrake(self) -> Any:
        """Return the brake of the joint."""
        return self._companion("brake")

    def _reset(self) -> None:
        super()._reset()
        self._sampled = self._velocity = NAN

    def _update(self, value: Any) -> None:
        now = self._robot._sb_time
        elapsed = now - self._sampled
        self._velocity = (value - self._value) / elapsed if elapsed > 0.0 else 0.0
        self._value, self._sampled = value, now

    value = property(getValue)
    velocity = property(getVelocity)
    motor = property(getMotor)
    brake = property(getBrake)


class Brake(_JointDevice):
    """Damping on command."""

    def setDampingConstant(self, dampingConstant: float) -> None:
        """Add this damping to that of the joint."""
        self._command(protocol.BrakeDamping, float(dampingConstant))

    def getMotor(self) -> Any:
        """Return the motor of the joint."""
        return self._companion("motor")

    def getPositionSensor(self) -> Any:
        """Return the position sensor of the joint."""
        return self._companion("position_sensor")

    motor = property(getMotor)
    position_sensor = property(getPositionSensor)


class Motor(_JointDevice):
    """A motor in position, velocity or force control."""

    def __init__(self, robot: Any, facts: dict[str, Any]) -> None:
        super().__init__(robot, facts)
        self._feedback_period = 0
        self._reset()

    def _reset(self) -> None:
        super()._reset()
        facts = self._facts
        self._target: float = facts["target_position"]
        self._velocity: float = facts["max_velocity"]
        self._acceleration: float = facts["acceleration"]
        self._available: float = facts["max_effort"]
        self._feedback = NAN

    def setPosition(self, position: float) -> None:
        """Go to a position; infinity = turn at the target velocity."""
        value = float(position)
        if value != value:
            complain("Error: Motor.setPosition() called with NaN")
            return
        for motor in self._coupled():
            motor._target = value if math.isinf(value) else motor._share(self, value)
        self._command(protocol.MotorPosition, value)

    def _share(self, told: Motor, value: float) -> float:
        """Return what a motor tells of a command: its own as it was given, one to a coupled motor multiplied.

        Limits do not show in it, though they hold: so in Webots' library.
        """
        return value if told is self else value * self._facts["multiplier"]

    def _coupled(self) -> list[Motor]:
        """Return the motors that follow its commands, itself among them."""
        base, mark, _ = self._facts["name"].partition("::")
        if not mark:
            return [self]
        return [
            device
            for device in self._robot._sb_devices
            if isinstance(device, Motor) and device._facts["name"].startswith(base + mark)
        ]

    def setVelocity(self, velocity: float) -> None:
        """Set the target velocity."""
        value = float(velocity)
        if value != value:
            complain("Error: Motor.setVelocity() called with NaN")
            return
        if value < 0.0 and not math.isinf(self._target):
            complain(
                f"Error: Motor.setVelocity() called with a negative velocity ({value:g}) while the motor goes"
                f" to a position ({self._target:g}); nothing is set"
            )
            return
        for motor in self._coupled():
            motor._velocity = motor._share(self, value)
        self._command(protocol.MotorVelocity, value)

    def setAcceleration(self, acceleration: float) -> None:
        """Limit the change of velocity; -1 = no limit."""
        value = float(acceleration)
        if value < 0.0 and value != -1.0:
            complain("Error: Motor.setAcceleration() called with a negative value")
            return
        self._acceleration = value
        self._command(protocol.MotorAcceleration, value)

    def setAvailableForce(self, availableForce: float) -> None:
        """Limit the force or torque."""
        value = float(availableForce)
        if value < 0.0:
            complain("Error: Motor.setAvailableForce() called with a negative value")
            return
        self._available = value
        self._command(protocol.MotorAvailable, value)

    def setForce(self, force: float) -> None:
        """Push with this force or torque."""
        self._command(protocol.MotorEffort, float(force))

    def setControlPID(self, p: float, i: float, d: float) -> None:
        """Set the gains of the position controller."""
        if p <= 0.0:
            complain("Error: Motor.setControlPID() called with a P that is not positive")
            return
        if i < 0.0 or d < 0.0:
            complain("Error: Motor.setControlPID() called with a negative I or D")
            return
        self._command(protocol.MotorPid, float(p), float(i), float(d))

    def getTargetPosition(self) -> float:
        """Return the target position that was asked for, be it beyond the limits."""
        return self._target

    getMinPosition = fact("min_position", float, "The soft lower limit.")
    getMaxPosition = fact("max_position", float, "The soft upper limit.")

    def getVelocity(self) -> float:
        """Return the target velocity that was asked for."""
        return self._velocity

    getMaxVelocity = fact("max_velocity", float, "The greatest velocity.")

    def getAcceleration(self) -> float:
        """Return the limit of acceleration."""
        return self._acceleration

    def getAvailableForce(self) -> float:
        """Return the present limit of the force or torque."""
        return self._available

    getMaxForce = fact("max_effort", float, "The greatest force or torque.")
    getMultiplier = fact("multiplier", float, "The factor on commands.")

    def enableForceFeedback(self, samplingPeriod: int) -> None:
        """Report force or torque every `samplingPeriod` milliseconds."""
        self._feedback_period = int(samplingPeriod)
        self._command(protocol.MotorFeedback, self._feedback_period)

    def disableForceFeedback(self) -> None:
        """Stop reporting."""
        self.enableForceFeedback(0)

    def getForceFeedbackSamplingPeriod(self) -> int:
        """Return the period of reports [ms]."""
        return self._feedback_period

    def getForceFeedback(self) -> float:
        """Return the last report."""
        if not self._feedback_period:
            complain("Error: Motor.getForceFeedback() called before enableForceFeedback()")
        return self._feedback

    def getBrake(self) -> Any:
        """Return the brake of the joint."""
        return self._companion("brake")

    def getPositionSensor(self) -> Any:
        """Return the position sensor of the joint."""
        return self._companion("position_sensor")

    def _update(self, value: Any) -> None:
        self._feedback = value

    # the same with torques
    setAvailableTorque = setAvailableForce
    setTorque = setForce
    getAvailableTorque = getAvailableForce
    getMaxTorque = getMaxForce
    enableTorqueFeedback = enableForceFeedback
    disableTorqueFeedback = disableForceFeedback
    getTorqueFeedbackSamplingPeriod = getForceFeedbackSamplingPeriod
    getTorqueFeedback = getForceFeedback

    target_position = property(getTargetPosition, setPosition)
    min_position = property(getMinPosition)
    max_position = property(getMaxPosition)
    target_velocity = property(getVelocity, setVelocity)
    velocity = property(getVelocity, setVelocity)
    max_velocity = property(getMaxVelocity)
    target_acceleration = property(getAcceleration, setAcceleration)
    acceleration = property(getAcceleration, setAcceleration)
    force = property(fset=setForce)
    torque = force
    available_force = property(getAvailableForce, setAvailableForce)
    available_torque = available_force
    max_force = property(getMaxForce)
    max_torque = max_force
    multiplier = property(getMultiplier)
    force_feedback = property(getForceFeedback)
    torque_feedback = force_feedback
    force_feedback_sampling_period = property(getForceFeedbackSamplingPeriod, enableForceFeedback)
    torque_feedback_sampling_period = force_feedback_sampling_period
    brake = property(getBrake)
    position_sensor = property(getPositionSensor)


INFINITY = math.inf
