"""Motors, brakes and position sensors as controllers see them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from solidbody.contact.tables import MotorMode
from solidbody.control.adapters.base import Adapter, SensorAdapter, Warn
from solidbody.devices.core.bound import Bound, JointDevice, joint_axes
from solidbody.model.joints import JointSlider, JointTrack
from solidbody.model.motors import Motor, PositionSensor

if TYPE_CHECKING:
    from solidbody.control.session import Session

POSITION = int(MotorMode.POSITION)


def is_linear(session: Session, bound: Bound) -> bool:
    """Whether a device moves along an axis, not about it (a motor of a propeller turns)."""
    link = session.links[bound.link]
    if not isinstance(link.joint, JointSlider | JointTrack):
        return False
    axis = joint_axes(link)[bound.axis_number]
    return any(device is bound.device for device in (axis.motor, axis.sensor, axis.brake))


class JointAdapter(Adapter):
    """A device on a joint: it knows the other devices on the same axis."""

    def properties(self) -> dict[str, Any]:
        """Type of joint and tags of the companions."""
        return {"linear": is_linear(self.session, self.bound), "companions": self._companions()}

    def _companions(self) -> dict[str, int]:
        return {
            type(other.device).__name__: tag
            for tag, other in self.session.tagged
            if isinstance(other.device, JointDevice) and other.axis == self.bound.axis
        }


class PositionAdapter(JointAdapter, SensorAdapter):
    """A position sensor."""

    def properties(self) -> dict[str, Any]:
        """The step of its values as well; 1 = continuous."""
        device = self.bound.device
        assert isinstance(device, PositionSensor)
        return {**super().properties(), "resolution": device.resolution or 1.0}


class BrakeAdapter(JointAdapter):
    """A brake: damping that is added to that of the joint."""

    def do_damping(self, value: float) -> Warn:
        """Brake with this damping constant."""
        if value < 0.0:
            return (
                f'Error: wb_brake_set_damping_constant(): "{self.bound.name}" got a negative value'
            )
        assert self.bound.axis is not None
        self.sim.compiled.tables.axes[self.bound.axis]["brake"] = value
        return None


class MotorAdapter(JointAdapter):
    """A motor, with the commands, limits and messages of section 7.4; coupled motors follow each other."""

    def __init__(self, session: Session, bound: Bound, tag: int) -> None:
        super().__init__(session, bound, tag)
        assert isinstance(bound.device, Motor)
        self.motor: Motor = bound.device
        self.is_effort = False
        self._is_coupled = "::" in bound.device.name
        axes = self.sim.compiled.tables.axes
        self._modes, self._speeds = axes["mode"], axes["target_velocity"]

    def kind(self) -> str:
        """See `Adapter.kind`."""
        return "LINEAR_MOTOR" if is_linear(self.session, self.bound) else "ROTATIONAL_MOTOR"

    def properties(self) -> dict[str, Any]:
        """Limits and controller."""
        m = self.motor
        low, high = m.range or (0.0, 0.0)
        return {
            **super().properties(),
            "max_velocity": m.max_velocity,
            "max_effort": m.max_effort,
            "min_position": low,
            "max_position": high,
            "acceleration": -1.0 if m.acceleration is None else m.acceleration,
            "multiplier": m.multiplier,
            "pid": (m.pid.p, m.pid.i, m.pid.d),
            "target_position": self._axis_value("target_position", 0.0),
        }

    @property
    def _axis(self) -> Any:
        return self.sim.compiled.tables.axes[self.bound.axis]

    def _axis_value(self, name: str, otherwise: float) -> float:
        return otherwise if self.bound.axis is None else float(self._axis[name])

    def _coupled(self) -> list[MotorAdapter]:
        if not self._is_coupled:
            return [self]
        base = self.motor.name.partition("::")[0] + "::"
        return [
            other
            for other in self.session.adapters
            if isinstance(other, MotorAdapter) and other.motor.name.startswith(base)
        ]

    def do_position(self, value: float) -> Warn:
        """Go to a position; an infinite one means: turn at the target velocity."""
        return _first(motor.go_to(value) for motor in self._coupled())

    def go_to(self, value: float) -> Warn:
        """The same, for this motor only."""
        if self.bound.axis is None:
            return None
        axis, motor = self._axis, self.motor
        self.is_effort = False
        if math.isinf(value):
            axis["mode"] = MotorMode.VELOCITY
            axis["target_velocity"] = self._velocity
            self.sim.wake(self.bound.link)
            return None
        goal, warning = value * motor.multiplier, None
        if motor.range is not None and not motor.range[0] <= goal <= motor.range[1]:
            low, high = motor.range
            side, limit = ("low", low) if goal < low else ("big", high)
            word = "minPosition" if goal < low else "maxPosition"
            warning = (
                f"Warning: {motor.name}: too {side} requested position: {goal:g} "
                f"{'<' if goal < low else '>'} {word} {limit:g}"
            )
            goal = limit
        if axis["target_position"] != goal or axis["mode"] != POSITION:
            self.sim.wake(self.bound.link)
        axis["target_position"] = goal
        axis["target_velocity"] = abs(self._velocity)
        axis["mode"] = MotorMode.POSITION
        return warning

    _wanted: float | None = None

    @property
    def _velocity(self) -> float:
        return self.motor.max_velocity if self._wanted is None else self._wanted

    def do_velocity(self, value: float) -> Warn:
        """Target velocity, or greatest velocity in position control."""
        if not self._is_coupled:
            return self.turn_at(value)
        return _first(motor.turn_at(value) for motor in self._coupled())

    def turn_at(self, value: float) -> Warn:
        """The same, for this motor only."""
        motor, warning = self.motor, None
        wanted = value * motor.multiplier
        if abs(wanted) > motor.max_velocity:
            warning = (
                f"Warning: {motor.name}: The requested velocity {wanted:g} exceeds 'maxVelocity' = "
                f"{motor.max_velocity:g}."
            )
            wanted = math.copysign(motor.max_velocity, wanted)
        self._wanted = wanted
        row = self.bound.axis
        if row is not None:
            speed = abs(wanted) if self._modes[row] == POSITION else wanted
            if self._speeds[row] != speed:
                self._speeds[row] = speed
                self.sim.wake(self.bound.link)
        return warning

    def do_effort(self, value: float) -> Warn:
        """Push with this force or torque."""
        return _first(motor.push(value) for motor in self._coupled())

    def push(self, value: float) -> Warn:
        """The same, for this motor only."""
        if self.bound.axis is None:
            return None
        axis, motor, warning = self._axis, self.motor, None
        raw = value * motor.multiplier
        limit = float(axis["available_effort"])
        if abs(raw) > limit:
            if len(self._coupled()) == 1:
                warning = (
                    f"Warning: {motor.name}: The requested motor force {raw:g} exceeds the available "
                    f"{limit:g}."
                )
            raw = math.copysign(limit, raw)
        axis["target_effort"] = raw
        axis["mode"] = MotorMode.EFFORT
        self.sim.wake(self.bound.link)
        self.is_effort = True
        return warning

    def do_available(self, value: float) -> Warn:
        """Greatest force or torque from now on."""
        if self.bound.axis is None:
            return None
        warning = None
        if value > self.motor.max_effort:
            warning = (
                f"Warning: {self.motor.name}: The requested available force {value:g} exceeds "
                f"{self.motor.max_effort:g}."
            )
            value = self.motor.max_effort
        self._axis["available_effort"] = max(value, 0.0)
        return warning

    def do_acceleration(self, value: float) -> Warn:
        """Limit of the change of velocity; -1 = none."""
        if self.bound.axis is not None:
            self._axis["acceleration"] = math.inf if value < 0.0 else value
        return None

    def do_pid(self, p: float, i: float, d: float) -> Warn:
        """Gains of the position controller; its memory is cleared."""
        if self.bound.axis is not None:
            axis = self._axis
            axis["p"], axis["i"], axis["d"] = p, i, d
            state = self.sim.motor_states[self.bound.axis]
            state["integral"] = state["error"] = 0.0
        return None

    feedback_period = 0
    feedback_last = 0

    def do_feedback(self, period_ms: int) -> Warn:
        """Report force or torque every `period_ms`; 0 = not."""
        step_ms = self.sim.time_step * 1000.0
        self.feedback_period = math.ceil(period_ms / step_ms - 1e-9)
        self.feedback_last = self.sim.step_count
        self.reports = self.feedback_period > 0
        return None

    def report(self) -> Any:
        """The force feedback, if it is due."""
        now = self.sim.step_count
        if self.bound.axis is None or now - self.feedback_last < self.feedback_period:
            return None
        self.feedback_last = now
        # ODE tells what its joint gives: a force that a program asks for acts beside it
        given = float(self._axis["target_effort"]) if self.is_effort else 0.0
        return float(self.sim.motor_states[self.bound.axis]["reaction"]) - given

    def inherit(self, before: Adapter) -> None:
        """See `Adapter.inherit`."""
        super().inherit(before)
        if isinstance(before, MotorAdapter):
            self._wanted, self.is_effort = before._wanted, before.is_effort
            self.feedback_period = before.feedback_period
            self.feedback_last = before.feedback_last

    def reset(self) -> None:
        """Back to the state after loading."""
        self._wanted, self.is_effort, self.feedback_last = None, False, 0


def _first(messages: Iterable[Warn]) -> Warn:
    """Run all, return the first message."""
    found = [message for message in messages if message]
    return found[0] if found else None
