"""Handles: links and joints of a running simulation by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.tables import MotorMode

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


class LinkHandle:
    """One link. Values are copies in the world frame, of the link's own origin."""

    __slots__ = ("_index", "_sim", "name")

    def __init__(self, sim: Sim, index: int, name: str) -> None:
        self._sim, self._index, self.name = sim, index, name

    @property
    def position(self) -> NDArray[np.float64]:
        """Position [m]."""
        return self._sim.poses()[self._index, :3]

    @property
    def orientation(self) -> NDArray[np.float64]:
        """Unit quaternion (w, x, y, z)."""
        return self._sim.poses()[self._index, 3:]

    @property
    def linear_velocity(self) -> NDArray[np.float64]:
        """Velocity of the origin [m/s]."""
        return self._sim.velocities()[self._index, :3]

    @property
    def angular_velocity(self) -> NDArray[np.float64]:
        """Angular velocity [rad/s]."""
        return self._sim.velocities()[self._index, 3:]

    def __repr__(self) -> str:
        return f"<link {self.name!r} at {np.round(self.position, 4).tolist()}>"


class JointHandle:
    """One axis of a joint; motors are commanded through it."""

    __slots__ = ("_row", "_sim", "name")

    def __init__(self, sim: Sim, row: int, name: str) -> None:
        self._sim, self._row, self.name = sim, row, name

    @property
    def position(self) -> float:
        """Position [rad] or [m]."""
        return float(self._sim.joint_states()[self._row, 0])

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
        motor = self._motor
        limit = motor.max_velocity
        self._axis["target_velocity"] = min(max(value * motor.multiplier, -limit), limit)
        self._axis["mode"] = MotorMode.VELOCITY

    @property
    def target_position(self) -> float:
        """Commanded position; setting it makes the motor go there at its speed limit."""
        return float(self._axis["target_position"])

    @target_position.setter
    def target_position(self, value: float) -> None:
        motor = self._motor
        goal = value * motor.multiplier
        if motor.range is not None:
            goal = min(max(goal, motor.range[0]), motor.range[1])
        if self._axis["mode"] != MotorMode.POSITION:
            self._axis["target_velocity"] = motor.max_velocity
        self._axis["target_position"] = goal
        self._axis["mode"] = MotorMode.POSITION

    @property
    def effort(self) -> float:
        """Commanded force or torque; setting it lets the motor push with just that."""
        return float(self._axis["target_effort"])

    @effort.setter
    def effort(self, value: float) -> None:
        motor = self._motor
        self._axis["target_effort"] = value * motor.multiplier
        self._axis["mode"] = MotorMode.EFFORT

    @property
    def _axis(self):
        return self._sim.compiled.tables.axes[self._row]

    @property
    def _motor(self):
        motor = self._sim.axis_model(self._row).motor
        if motor is None:
            raise ValueError(f'joint "{self.name}" has no motor to command')
        return motor

    def __repr__(self) -> str:
        return f"<joint {self.name!r} at {self.position:.4g}>"
