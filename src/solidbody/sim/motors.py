"""The one writer of motor commands, with couplings and limits.

Handles, programs of robots, the page, `--drive`, batches and batteries all come this way. A command goes to
all motors that are coupled with the one that it is for; each takes it times its own multiplier and within its
own limits, and wakes what it moves. What limits have held back is returned, for whoever warns of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.layout import MotorMode
from solidbody.model.motors import Motor
from solidbody.sim.waking import wake_tree

if TYPE_CHECKING:
    from solidbody.sim.core import Core

_POSITION, _VELOCITY, _EFFORT = (
    int(mode) for mode in (MotorMode.POSITION, MotorMode.VELOCITY, MotorMode.EFFORT)
)


class Limit(Enum):
    """What can hold a command back."""

    VELOCITY = "greatest velocity"
    LOW = "lowest position"
    HIGH = "highest position"
    EFFORT = "available effort"
    AVAILABLE = "greatest effort"


class Clipped(NamedTuple):
    """A command that a limit has held back: what it was (times the multiplier), and what is left of it."""

    motor: Motor
    limit: Limit
    wanted: float
    given: float


class Driven(NamedTuple):
    """A motor that commands go to: its row, and the trees of bodies that it moves."""

    row: int
    motor: Motor
    trees: tuple[int, ...]


class AxisOrders:
    """Commands of many axes in one mode, given in one go (`MotorWriter.take`)."""

    def __init__(
        self, values: NDArray[np.float64], rows: NDArray[np.intp], wake: Callable[[], None]
    ) -> None:
        self._values, self._wake = values, wake
        first, count = int(rows[0]), len(rows)
        is_run = bool((rows == np.arange(first, first + count)).all())
        self._rows = slice(first, first + count) if is_run else rows

    def give(self, values: NDArray[np.float64]) -> None:
        """Command positions, velocities or efforts, all of them finite."""
        self._values[self._rows] = values
        self._wake()


class MotorWriter:
    """Writes the commands of one simulation's motors; rows are those of `Sim.joint_states()`.

    Values are in SI units, before multipliers. ValueError where there is no motor, and for what is no number.
    """

    def __init__(self, core: Core, axis_links: Sequence[int]) -> None:
        """Write into the state of `core`; `axis_links` are the links that named axes move, -1 for loops."""
        self._core = core
        self._commands = commands = core.state.commands
        self._modes, self._asked = commands["mode"], commands["asked"]
        self._goals, self._velocities = commands["target_position"], commands["target_velocity"]
        self._efforts, self._available = commands["target_effort"], commands["available_effort"]
        self._trees = _trees(core, axis_links)
        self._motors = [axis.motor for axis in core.compiled.axes[: len(self._trees)]]
        self._groups = [
            tuple(
                Driven(row, found, self._trees[row])
                for row in rows
                if motor is not None and (found := self._motors[row]) is not None
            )
            for motor, rows in zip(self._motors, core.compiled.binding.coupled, strict=True)
        ]

    # ------------------------------------------------------------------ to all coupled motors

    def turn(self, row: int, velocity: float) -> tuple[Clipped, ...]:
        """Turn (or slide) at a velocity."""
        return self._set_velocity(row, velocity, turns=True)

    def turn_as_asked(self, row: int) -> None:
        """Turn at the velocity that a program has set; at the greatest if none has."""
        for one in self._of(row):
            self._take_asked(one)
            self._modes[one.row] = _VELOCITY
            self._wake(one.trees)

    def set_velocity(self, row: int, velocity: float) -> tuple[Clipped, ...]:
        """Set the velocity of velocity control, the greatest speed of position control; the mode stays."""
        return self._set_velocity(row, velocity, is_asked=True)

    def limit_speed(self, row: int, speed: float) -> tuple[Clipped, ...]:
        """Do the same, but not as something that `turn_as_asked` and `go_to` come back to."""
        return self._set_velocity(row, speed)

    def go_to(self, row: int, position: float, *, as_asked: bool = False) -> tuple[Clipped, ...]:
        """Go to a position.

        Args:
            row: Of the axis.
            position: [rad] or [m].
            as_asked: At the velocity that a program has set, if one has. Otherwise at the speed limit if the
                motor is in position control already, at its greatest velocity if not.
        """
        goals, held = self._goals, ()
        for one in self._of(row):
            goal = _number(position) * one.motor.multiplier
            if one.motor.range is not None:
                low, high = one.motor.range
                if not low <= goal <= high:
                    limit, given = (Limit.LOW, low) if goal < low else (Limit.HIGH, high)
                    held = (*held, Clipped(one.motor, limit, goal, given))
                    goal = given
            is_new = self._modes[one.row] != _POSITION
            if as_asked:
                self._take_asked(one)
            elif is_new:
                self._velocities[one.row] = one.motor.max_velocity
            if is_new or goals[one.row] != goal:
                goals[one.row], self._modes[one.row] = goal, _POSITION
                self._wake(one.trees)
        return held

    def push(self, row: int, effort: float) -> tuple[Clipped, ...]:
        """Push with a force or torque."""
        held = ()
        for one in self._of(row):
            wanted = given = _number(effort) * one.motor.multiplier
            available = self._available.item(one.row)
            if abs(wanted) > available:
                given = math.copysign(available, wanted)
                held = (*held, Clipped(one.motor, Limit.EFFORT, wanted, given))
            self._efforts[one.row], self._modes[one.row] = given, _EFFORT
            self._wake(one.trees)
        return held

    # ------------------------------------------------------------------ to many axes

    def take(self, rows: NDArray[np.intp], mode: MotorMode) -> AxisOrders:
        """Let one program command many axes at once, in one mode, from now on.

        No motor is coupled with another and none has limits then: what is given is what happens, as in
        Choreonoid.
        """
        if any(self._motors[row] is None for row in rows.tolist()):
            raise ValueError("there is no motor to command")
        values = {_POSITION: self._goals, _VELOCITY: self._velocities, _EFFORT: self._efforts}[mode]
        self._modes[rows] = mode
        self._available[rows] = math.inf
        self._commands["acceleration"][rows] = math.inf
        sleeps = self._core.compiled.scene.physics.sleeping is not None
        trees = {tree for row in rows.tolist() for tree in self._trees[row]} if sleeps else ()
        return AxisOrders(values, rows, lambda: self._wake(tuple(trees)))

    # ------------------------------------------------------------------ to one axis

    def prescribe(self, rows: Sequence[int], positions: Sequence[float]) -> None:
        """Let rigid motors be at these positions after the next step, whatever ranges they are meant for."""
        for row, position in zip(rows, positions, strict=True):
            if self._modes[row] != _POSITION or self._goals[row] != position:
                motor = self._motor(row)
                self._goals[row], self._modes[row] = _number(position), _POSITION
                self._velocities[row] = motor.max_velocity
                self._wake(self._trees[row])

    def set_available_effort(self, row: int, effort: float) -> tuple[Clipped, ...]:
        """Set the greatest effort from now on, at most what the motor is built for."""
        motor, wanted = self._motor(row), _positive("available_effort", effort)
        self._change(row, available_effort=min(wanted, motor.max_effort))
        if wanted <= motor.max_effort:
            return ()
        return (Clipped(motor, Limit.AVAILABLE, wanted, motor.max_effort),)

    def set_acceleration(self, row: int, acceleration: float) -> None:
        """Limit the change of velocity; infinite = not."""
        self._change(row, acceleration=_positive("acceleration", acceleration))

    def set_gains(self, row: int, p: float, i: float, d: float) -> None:
        """Set the gains of the position controller and clear its memory."""
        self._change(row, p=_number(p), i=_number(i), d=_number(d))
        self._forget(row)

    def set_brake(self, row: int, damping: float) -> None:
        """Add damping to that of the joint; there need be no motor."""
        self._change(row, brake=_positive("brake", damping))

    def hold(self, row: int, position: float) -> None:
        """Let a motor be as after loading, but hold this position."""
        motor = self._motor(row)
        self._change(
            row,
            mode=_POSITION,
            asked=0,
            target_position=position,
            target_velocity=motor.max_velocity,
            available_effort=motor.max_effort,
        )
        self._forget(row)

    def switch_off(self, rows: Iterable[int]) -> list[tuple[int, float]]:
        """Take all effort from motors; returns what `switch_on` gives back: rows and efforts."""
        found = [(row, self._available.item(row)) for row in rows]
        for row, _ in found:
            self._change(row, available_effort=0.0, target_effort=0.0)
        return found

    def switch_on(self, efforts: Iterable[tuple[int, float]]) -> None:
        """Give back what `switch_off` has taken."""
        for row, effort in efforts:
            self._change(row, available_effort=effort)

    def group(self, row: int) -> tuple[Driven, ...]:
        """Return the motors that a command for this one goes to, for batches: native code writes those."""
        return self._of(row)

    def coupled(self, row: int) -> int:
        """Return how many motors a command for this one goes to."""
        return len(self._of(row))

    # ------------------------------------------------------------------ inside

    def _of(self, row: int) -> tuple[Driven, ...]:
        group = self._groups[row]
        if not group:
            raise ValueError("there is no motor to command")
        return group

    def _motor(self, row: int) -> Motor:
        motor = self._motors[row]
        if motor is None:
            raise ValueError("there is no motor to command")
        return motor

    def _set_velocity(
        self, row: int, velocity: float, *, turns: bool = False, is_asked: bool = False
    ) -> tuple[Clipped, ...]:
        velocities, held = self._velocities, ()
        for number, motor, trees in self._of(row):
            wanted, limit = velocity * motor.multiplier, motor.max_velocity
            if not -limit <= wanted <= limit:
                given = math.copysign(limit, _number(wanted))
                held = (*held, Clipped(motor, Limit.VELOCITY, wanted, given))
                wanted = given
            if is_asked:
                self._asked[number] = 1
            if turns:
                self._modes[number] = _VELOCITY
            if turns or velocities.item(number) != wanted:
                velocities[number] = wanted
                self._wake(trees)
        return held

    def _take_asked(self, one: Driven) -> None:
        if not self._asked[one.row]:
            self._velocities[one.row] = one.motor.max_velocity

    def _change(self, row: int, **values: float) -> None:
        """Write some columns of one axis; wake what it moves if one of them gets another value."""
        record = self._commands[row]
        if any(record[name] != value for name, value in values.items()):
            for name, value in values.items():
                record[name] = value
            self._wake(self._trees[row])

    def _forget(self, row: int) -> None:
        memory = self._core.state.motors[row]
        memory["integral"] = memory["error"] = 0.0

    def _wake(self, trees: tuple[int, ...]) -> None:
        for tree in trees:
            wake_tree(self._core, tree)


def _trees(core: Core, axis_links: Sequence[int]) -> list[tuple[int, ...]]:
    """Return for each named axis the trees of bodies that move with it: those at both ends of a loop."""
    binding = core.compiled.binding
    links = list(axis_links)
    for (link, _), row in binding.axis_of_propeller.items():
        links[row] = link
    bodies = [[int(binding.body[link])] if link >= 0 else [] for link in links]
    for loop in core.compiled.tables.scene_loops:
        first = int(loop["axis"])
        for row in range(max(first, 0), min(first + 3, len(links)) if first >= 0 else 0):
            if binding.axes[row].joint == binding.axes[first].joint:
                bodies[row] = loop["body"].tolist()
    tree_of = core.model.body_treeid
    return [tuple({int(tree_of[body]) for body in ends} - {-1}) for ends in bodies]


def _number(value: float) -> float:
    if math.isnan(value):
        raise ValueError(f"a command must be a number, got {value}")
    return value


def _positive(name: str, value: float) -> float:
    if not value >= 0.0:
        raise ValueError(f"{name} must be >= 0, got {value:g}")
    return value
