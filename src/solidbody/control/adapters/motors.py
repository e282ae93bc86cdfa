"""Motors, brakes and position sensors as controllers see them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from solidbody.contact.layout import MotorMode
from solidbody.control import protocol as p
from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn, handles
from solidbody.devices.core.device_binding import BoundDevice, JointDevice
from solidbody.model.joints import JointSlider, JointTrack, joint_axes
from solidbody.model.motors import Brake, Motor, PositionSensor
from solidbody.sim.motors import Clipped, Limit

if TYPE_CHECKING:
    from solidbody.control.session import Session

_Device = TypeVar("_Device")


def is_linear(session: Session, bound: BoundDevice) -> bool:
    """Whether a device moves along an axis, not about it (a motor of a propeller turns)."""
    link = session.sim.link_model(bound.link)
    if not isinstance(link.joint, JointSlider | JointTrack):
        return False
    axis = joint_axes(link.joint)[bound.axis_number]
    return any(device == bound.device for device in (axis.motor, axis.sensor, axis.brake))


class JointAdapter(Adapter[Any, _Device]):
    """A device on a joint: it knows the other devices on the same axis."""

    def properties(self) -> dict[str, Any]:
        """Type of joint and tags of the companions."""
        tags = {
            type(other.device): tag
            for tag, other in self.session.tagged
            if isinstance(other.device, JointDevice) and other.axis == self.bound.axis
        }
        return {
            "linear": is_linear(self.session, self.bound),
            "motor": tags.get(Motor, 0),
            "position_sensor": tags.get(PositionSensor, 0),
            "brake": tags.get(Brake, 0),
        }


class PositionAdapter(JointAdapter[PositionSensor], SensorAdapter[Any, PositionSensor]):
    """A position sensor."""

    facts = p.PositionSensorFacts

    def properties(self) -> dict[str, Any]:
        """The step of its values as well; 1 = continuous."""
        return {**super().properties(), "resolution": self.device.resolution or 1.0}


class BrakeAdapter(JointAdapter[Brake]):
    """A brake: damping that is added to that of the joint."""

    facts = p.BrakeFacts

    @handles(p.BrakeDamping)
    def brake(self, value: float) -> Warn:
        """Brake with this damping constant."""
        if value < 0.0:
            return (
                f'Error: wb_brake_set_damping_constant(): "{self.bound.name}" got a negative value'
            )
        assert self.bound.axis is not None
        self.sim.motors.set_brake(self.bound.axis, value)
        return None


class MotorAdapter(JointAdapter[Motor]):
    """A motor, with the commands and messages of W7.4 (docs/behaviour); `sim/motors.py` carries them out."""

    facts = p.MotorFacts

    def __init__(self, session: Session, bound: BoundDevice, tag: int) -> None:
        super().__init__(session, bound, tag)
        assert bound.axis is not None
        self.axis: int = bound.axis

    def kind(self) -> str:
        """See `Adapter.kind`."""
        return "LINEAR_MOTOR" if is_linear(self.session, self.bound) else "ROTATIONAL_MOTOR"

    def properties(self) -> dict[str, Any]:
        """Limits and controller."""
        m = self.device
        low, high = m.range or (0.0, 0.0)
        return {
            **super().properties(),
            "max_velocity": m.max_velocity,
            "max_effort": m.max_effort,
            "min_position": low,
            "max_position": high,
            "acceleration": -1.0 if m.acceleration is None else m.acceleration,
            "multiplier": m.multiplier,
            "target_position": float(self.sim.motor_axes[self.axis]["target_position"]),
        }

    @handles(p.MotorPosition)
    def go_to(self, value: float) -> Warn:
        """Go to a position; an infinite one means: turn at the target velocity."""
        if math.isinf(value):
            self.sim.motors.turn_as_asked(self.axis)
            return None
        return _warning(self.sim.motors.go_to(self.axis, value, as_asked=True))

    @handles(p.MotorVelocity)
    def set_velocity(self, value: float) -> Warn:
        """Target velocity, or greatest velocity in position control."""
        held = self.sim.motors.set_velocity(self.axis, value)
        return _warning(held) if held else None

    @handles(p.MotorEffort)
    def push(self, value: float) -> Warn:
        """Push with this force or torque; coupled motors do not complain."""
        held = self.sim.motors.push(self.axis, value)
        return _warning(held) if self.sim.motors.coupled(self.axis) == 1 else None

    @handles(p.MotorAvailable)
    def set_available(self, value: float) -> Warn:
        """Greatest force or torque from now on."""
        return _warning(self.sim.motors.set_available_effort(self.axis, value))

    @handles(p.MotorAcceleration)
    def set_acceleration(self, value: float) -> None:
        """Limit of the change of velocity; -1 = none."""
        self.sim.motors.set_acceleration(self.axis, math.inf if value < 0.0 else value)

    @handles(p.MotorPid)
    def set_gains(self, p: float, i: float, d: float) -> None:
        """Gains of the position controller; its memory is cleared."""
        self.sim.motors.set_gains(self.axis, p, i, d)

    feedback_period = 0
    feedback_last = 0

    @handles(p.MotorFeedback)
    def enable_feedback(self, period_ms: int) -> None:
        """Report force or torque every `period_ms`; 0 = not."""
        step_ms = self.sim.time_step * 1000.0
        self.feedback_period = math.ceil(period_ms / step_ms - 1e-9)
        self.feedback_last = self.sim.step_count
        self.reports = self.feedback_period > 0

    def report(self) -> Any:
        """The force feedback, if it is due."""
        now = self.sim.step_count
        if now - self.feedback_last < self.feedback_period:
            return None
        self.feedback_last = now
        # ODE tells what its joint gives: a force that a program asks for acts beside it
        told = self.sim.motor_axes[self.axis]
        given = float(told["target_effort"]) if told["mode"] == MotorMode.EFFORT else 0.0
        return float(self.sim.motor_states[self.axis]["reaction"]) - given

    def inherit(self, before: Adapter) -> None:
        """See `Adapter.inherit`."""
        super().inherit(before)
        if isinstance(before, MotorAdapter):
            self.feedback_period = before.feedback_period
            self.feedback_last = before.feedback_last

    def reset(self) -> None:
        """Back to the state after loading."""
        self.feedback_last = 0


def _warning(held: Sequence[Clipped]) -> Warn:
    """Return Webots' words for the first command that a limit has held back."""
    if not held:
        return None
    motor, limit, wanted, given = held[0]
    match limit:
        case Limit.LOW:
            text = f"too low requested position: {wanted:g} < minPosition {given:g}"
        case Limit.HIGH:
            text = f"too big requested position: {wanted:g} > maxPosition {given:g}"
        case Limit.VELOCITY:
            text = (
                f"The requested velocity {wanted:g} exceeds 'maxVelocity' = {motor.max_velocity:g}."
            )
        case Limit.EFFORT:
            text = f"The requested motor force {wanted:g} exceeds the available {abs(given):g}."
        case Limit.AVAILABLE:
            text = f"The requested available force {wanted:g} exceeds {given:g}."
    return f"Warning: {motor.name}: {text}"
