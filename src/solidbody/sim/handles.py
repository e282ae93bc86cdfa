"""Handles: links and joints of a running simulation by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.layout import AxisKind, MotorMode
from solidbody.contact.tables import Record
from solidbody.model.links import Link, Motion
from solidbody.sim import moving
from solidbody.sim.attaching import attach, detach

if TYPE_CHECKING:
    from solidbody.sim.motors import MotorWriter
    from solidbody.sim.simulation import Sim

Floats = NDArray[np.float64]


class LinkHandle:
    """One link. Values are copies in the world frame, of the link's own origin."""

    __slots__ = ("_index", "_sim", "name")

    def __init__(self, sim: Sim, index: int, name: str) -> None:
        self._sim, self._index, self.name = sim, index, name

    @property
    def model(self) -> Link:
        """What the file says about it."""
        return self._sim.link_model(self._index)

    @property
    def position(self) -> Floats:
        """Position [m]. Setting it moves the link and all that hangs on it; velocities stay."""
        return self._sim.pose(self._index)[:3]

    @position.setter
    def position(self, value: Sequence[float] | Floats) -> None:
        self.set_pose(value, self.orientation)

    @property
    def orientation(self) -> Floats:
        """Unit quaternion (w, x, y, z). Setting it turns the link; world velocities stay."""
        return self._sim.pose(self._index)[3:]

    @orientation.setter
    def orientation(self, value: Sequence[float] | Floats) -> None:
        self.set_pose(self.position, value)

    def set_pose(
        self, position: Sequence[float] | Floats, orientation: Sequence[float] | Floats
    ) -> None:
        """Put the link somewhere, with all links below it; velocities and joint positions stay.

        A joint above the link keeps its anchor, axis and position: the pose at position 0 changes.
        """
        where = _finite("position", position, 3)
        turn = _finite("orientation", orientation, 4)
        length = float(np.linalg.norm(turn))
        if length == 0.0:
            raise ValueError("orientation must not be a null quaternion")
        moving.set_pose(self._sim, self._index, where, turn / length)

    @property
    def linear_velocity(self) -> Floats:
        """Velocity of the origin [m/s]."""
        return self._sim.velocity(self._index)[:3]

    @linear_velocity.setter
    def linear_velocity(self, value: Sequence[float] | Floats) -> None:
        self.set_velocity(value, self.angular_velocity)

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity [rad/s]."""
        return self._sim.velocity(self._index)[3:]

    @angular_velocity.setter
    def angular_velocity(self, value: Sequence[float] | Floats) -> None:
        self.set_velocity(self.linear_velocity, value)

    def set_velocity(
        self, linear: Sequence[float] | Floats, angular: Sequence[float] | Floats
    ) -> None:
        """Set the velocity of the origin [m/s] and the angular velocity [rad/s], world axes.

        A link without physics keeps moving at it. One on a joint takes what its joint allows.
        """
        moving.set_velocity(
            self._sim, self._index, _finite("velocity", linear, 3), _finite("velocity", angular, 3)
        )

    def reset_physics(self) -> None:
        """Stop the link and all links below it: velocities, forces, speeds of motors."""
        moving.stop(self._sim, self._index)

    def add_force(
        self,
        force: Sequence[float] | Floats,
        *,
        at: Sequence[float] | Floats | None = None,
        offset: Sequence[float] | Floats | None = None,
        relative: bool = False,
    ) -> None:
        """Push with a force [N] during the next step.

        Args:
            force: In world axes, or in the link's if `relative`.
            at: Point of attack in the world [m]; None = the centre of mass.
            offset: Point of attack in the link's frame instead of `at`.
            relative: Whether the force is given in the link's axes.
        """
        if at is not None and offset is not None:
            raise ValueError("give either `at` or `offset`, not both")
        moving.add_force(
            self._sim,
            self._index,
            _finite("force", force, 3),
            None if at is None else _finite("at", at, 3),
            None if offset is None else _finite("offset", offset, 3),
            relative=relative,
        )

    def add_torque(self, torque: Sequence[float] | Floats, *, relative: bool = False) -> None:
        """Turn with a torque [N*m] during the next step; in the link's axes if `relative`."""
        moving.add_torque(self._sim, self._index, _finite("torque", torque, 3), relative=relative)

    def drag(self, by: Sequence[float] | Floats, *, at: Sequence[float] | Floats) -> None:
        """Pull at a world point with the force of a mouse drag by the vector `by` [m].

        F = scale * mass * |by|^3 along it, with the scene's scale; it acts during the next step.
        """
        vector = _finite("by", by, 3)
        mass = moving.mass_of(self._sim, self._index)
        scale = self._sim.scene.drag_force_scale * mass * float(vector @ vector)
        self.add_force(scale * vector, at=at)

    def twist(self, by: Sequence[float] | Floats) -> None:
        """Turn with the torque of a mouse drag by the vector `by`: scale * mass * |by|^3 along it."""
        vector = _finite("by", by, 3)
        mass = moving.mass_of(self._sim, self._index)
        scale = self._sim.scene.drag_torque_scale * mass * float(vector @ vector)
        self.add_torque(scale * vector)

    def attach(self, other: LinkHandle) -> int:
        """Hold this link and another together as they stand; returns a number for `detach`."""
        return attach(self._sim, self._index, other._index)

    def detach(self, number: int) -> None:
        """Let go of what `attach` holds under that number."""
        detach(self._sim, number)

    @property
    def is_dynamic(self) -> bool:
        """Whether forces move it."""
        return self.model.motion is Motion.DYNAMIC

    def __repr__(self) -> str:
        return f"<link {self.name!r} at {np.round(self.position, 4).tolist()}>"


class JointHandle:
    """One axis of a joint (or of a track, or the shaft of a propeller); motors are commanded here.

    Commands go to all motors coupled with this one, each times its own multiplier.
    """

    __slots__ = ("_row", "_sim", "name")

    def __init__(self, sim: Sim, row: int, name: str) -> None:
        self._sim, self._row, self.name = sim, row, name

    @property
    def row(self) -> int:
        """Its row in `Sim.joint_states()`."""
        return self._row

    @property
    def kind(self) -> AxisKind:
        """What the axis moves."""
        return self._sim.compiled.binding.axes[self._row].kind

    @property
    def waits(self) -> bool:
        """Whether it has a motor that leaves it free as long as nothing commands it."""
        return self.has_motor and self._axis["mode"] == MotorMode.NONE

    @property
    def position(self) -> float:
        """Position [rad] or [m], not wrapped. Setting it moves the links below and stops them."""
        return float(self._sim.joint_states()[self._row, 0])

    @position.setter
    def position(self, value: float) -> None:
        moving.set_joint_position(self._sim, self._row, _number("position", value))

    @property
    def velocity(self) -> float:
        """Velocity [rad/s] or [m/s]."""
        return float(self._sim.joint_states()[self._row, 1])

    @property
    def target_velocity(self) -> float:
        """Commanded velocity; setting it drives the motor at that speed."""
        return float(self._axis["target_velocity"])

    @target_velocity.setter
    def target_velocity(self, value: float) -> None:
        self._writer.turn(self._row, _number("target_velocity", value))

    @property
    def target_position(self) -> float:
        """Commanded position; setting it makes the motor go there at its speed limit."""
        return float(self._axis["target_position"])

    @target_position.setter
    def target_position(self, value: float) -> None:
        self._writer.go_to(self._row, _number("target_position", value))

    @property
    def effort(self) -> float:
        """Commanded force or torque; setting it lets the motor push with just that."""
        return float(self._axis["target_effort"])

    @effort.setter
    def effort(self, value: float) -> None:
        self._writer.push(self._row, _number("effort", value))

    @property
    def speed_limit(self) -> float:
        """Greatest speed in position control [rad/s] or [m/s]; setting it keeps the control mode."""
        return abs(float(self._axis["target_velocity"]))

    @speed_limit.setter
    def speed_limit(self, value: float) -> None:
        self._writer.limit_speed(self._row, _number("speed_limit", value))

    @property
    def available_effort(self) -> float:
        """Greatest effort of the motor [N*m] or [N]; at most what it is built for."""
        return float(self._axis["available_effort"])

    @available_effort.setter
    def available_effort(self, value: float) -> None:
        self._writer.set_available_effort(self._row, _number("available_effort", value))

    @property
    def acceleration(self) -> float:
        """Limit on the change of speed [rad/s^2] or [m/s^2]; inf = none."""
        return float(self._axis["acceleration"])

    @acceleration.setter
    def acceleration(self, value: float) -> None:
        self._sim.motors.set_acceleration(self._row, value)

    @property
    def gains(self) -> tuple[float, float, float]:
        """Gains p, i, d of the position controller; setting them clears its memory."""
        axis = self._axis
        return float(axis["p"]), float(axis["i"]), float(axis["d"])

    @gains.setter
    def gains(self, value: tuple[float, float, float]) -> None:
        self._sim.motors.set_gains(self._row, *_finite("gains", value, 3).tolist())

    def hold(self) -> None:
        """Let the motor be as after loading, except that it keeps the position that the axis has now."""
        self._writer.hold(self._row, self.position)

    @property
    def brake(self) -> float:
        """Damping that the brake adds [N*m*s/rad] or [N*s/m]."""
        return float(self._axis["brake"])

    @brake.setter
    def brake(self, value: float) -> None:
        self._sim.motors.set_brake(self._row, _number("brake", value))

    @property
    def measured_effort(self) -> float:
        """What the motor and dry friction gave in the last step [N*m] or [N]."""
        return float(self._state["effort"])

    @property
    def feedback(self) -> float:
        """What the joint transmitted about its axis in the last step: the motor's effort and stops."""
        return float(self._state["reaction"])

    @property
    def has_motor(self) -> bool:
        """Whether it can be commanded."""
        return self._sim.axis_model(self._row).motor is not None

    @property
    def _axis(self) -> Record:
        return self._sim.motor_axes[self._row]

    @property
    def _state(self) -> Record:
        return self._sim.motor_states[self._row]

    @property
    def _writer(self) -> MotorWriter:
        if not self.has_motor:
            raise ValueError(f'joint "{self.name}" has no motor to command')
        return self._sim.motors

    def __repr__(self) -> str:
        return f"<joint {self.name!r} at {self.position:.4g}>"


def _number(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value}")
    return float(value)


def _finite(name: str, value: Sequence[float] | Floats, size: int) -> Floats:
    out = np.array(value, dtype=np.float64)
    if out.shape != (size,) or not np.isfinite(out).all():
        raise ValueError(f"{name} takes {size} finite numbers, got {value!r}")
    return out
