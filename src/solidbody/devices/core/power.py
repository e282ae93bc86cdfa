"""Batteries of robots: what runs on them, what empties them, and the chargers that fill them (rules W9.6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.devices.core.device_frames import DeviceFrames, DeviceWorld, Rows
from solidbody.model.appearance import Color
from solidbody.model.devices import DeviceCharger
from solidbody.model.joints import JointTrack
from solidbody.model.links import Robot
from solidbody.model.motors import Motor
from solidbody.model.scene import Scene

_ONE: Rows = np.zeros(1, dtype=np.intp)


@dataclass(slots=True)
class RobotPower:
    """The battery of one robot.

    Attributes:
        body: Name of its body.
        robot: What the file says.
        link: Row of the robot's link.
        devices: Rows of its devices, which are dead while there is no charge.
        motors: Row of the axis and power per effort [W/N or W/(N*m)] of its motors.
        charge: [J].
        capacity: [J].
        intake: Rate at which a charger fills it [W].
        cut: What the motors could do before the battery ran out: (axis, available effort).
    """

    body: str
    robot: Robot
    link: int
    devices: tuple[int, ...]
    motors: tuple[tuple[int, float], ...]
    charge: float
    capacity: float
    intake: float
    cut: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    is_empty: bool = False


@dataclass(slots=True)
class ChargerPower:
    """A charger, the row of its link, and what it holds [J]."""

    place: DeviceFrames
    device: DeviceCharger
    link: int
    charge: float

    @property
    def glow(self) -> Color:
        """What its lamp shows, in the 256 levels of a screen."""
        battery = self.device.battery
        assert battery is not None
        share = self.charge / battery.capacity if battery.capacity > 0.0 else 0.0
        if not self.device.gradual:
            share = float(share >= 1.0)
        share = round(255.0 * min(share, 1.0)) / 255.0
        r, g, b = self.device.emissive
        return r * share, g * share, b * share


class Power:
    """All batteries and chargers of a simulation.

    A robot needs `cpu_consumption` and, for each motor, |effort through the joint| times its
    consumption factor [W]. Without charge its devices keep their last values and its motors have no effort.
    """

    def __init__(self, devices: Sequence[BoundDevice], world: DeviceWorld) -> None:
        self.world = world
        self.robots = _robots(devices, world.scene)
        self.chargers = _chargers(world.scene)
        self.is_dead = np.zeros(len(devices), dtype=bool)
        """Devices that get no power."""
        self._show_chargers()

    def _show_chargers(self) -> None:
        """Let the lamps of chargers show what they hold."""
        for charger in self.chargers:
            for shape in charger.device.shapes:
                self.world.surfaces.set_glow((charger.link, shape), charger.glow)

    def charge(self, body: str, robot: str) -> float:
        """Return what is left in a robot's battery [J]; NaN if it has none."""
        for one in self.robots:
            if (one.body, one.robot.name) == (body, robot):
                return one.charge
        return math.nan

    def set_charge(self, body: str, robot: str, charge: float) -> None:
        """Fill or empty a battery [J]."""
        for one in self.robots:
            if (one.body, one.robot.name) == (body, robot):
                one.charge = min(max(charge, 0.0), one.capacity)

    def resume(self, before: Power) -> None:
        """Go on from the batteries of a scene that was changed."""
        for one in self.robots:
            charge = before.charge(one.body, one.robot.name)
            if not math.isnan(charge):
                one.charge = min(charge, one.capacity)
        for charger, old in zip(self.chargers, before.chargers, strict=False):
            if charger.device.name == old.device.name:
                charger.charge = old.charge
        self._show_chargers()

    def describe_anew(self, devices: Sequence[BoundDevice], scene: Scene) -> None:
        """Motors may take other power now."""
        for one, new in zip(self.robots, _robots(devices, scene), strict=True):
            one.motors = new.motors

    def reset(self) -> None:
        """As in the file (motors get their effort back by the simulation's own reset)."""
        for one in self.robots:
            assert one.robot.battery is not None
            one.charge = one.robot.battery[0]
            one.cut.clear()
            one.is_empty = False
        for charger in self.chargers:
            assert charger.device.battery is not None
            charger.charge = charger.device.battery.charge
        self.is_dead[:] = False
        self._show_chargers()

    def is_busy(self) -> bool:
        """Whether anything is stored anywhere."""
        return bool(self.robots or self.chargers)

    def act(self) -> None:
        """Count what the last step gave (before the physics, in Webots) and took (after it)."""
        step = self.world.source.time_step
        for charger in self.chargers:
            self._serve(charger, step)
        self._show_chargers()
        for one in self.robots:
            self._follow(one)
            one.charge = max(one.charge - step * self.consumption(one), 0.0)
            self._follow(one)

    def _follow(self, one: RobotPower) -> None:
        """Switch a robot off if its battery is empty, on if it is not."""
        if (one.charge <= 0.0) != one.is_empty:
            self._switch(one, is_empty=not one.is_empty)

    def consumption(self, one: RobotPower) -> float:
        """Return the power that a robot takes now [W]; one without charge takes none."""
        if one.is_empty:
            return 0.0
        efforts = self.world.source.motor_states["reaction"]
        return one.robot.cpu_consumption + sum(
            abs(float(efforts[axis])) * factor for axis, factor in one.motors
        )

    def _serve(self, charger: ChargerPower, step: float) -> None:
        """Fill the battery of a robot that stands near, else the charger itself."""
        battery = charger.device.battery
        assert battery is not None
        here = charger.place.positions(self.world, _ONE)[0]
        near = [
            one
            for one in self.robots
            if np.linalg.norm(self.world.poses[one.link, :3] - here) <= charger.device.radius
        ]
        if not near:
            charger.charge = min(charger.charge + battery.power * step, battery.capacity)
            return
        for one in near[:1]:
            given = min(one.intake * step, charger.charge, one.capacity - one.charge)
            one.charge += given
            charger.charge -= given

    def _switch(self, one: RobotPower, *, is_empty: bool) -> None:
        one.is_empty = is_empty
        self.is_dead[list(one.devices)] = is_empty
        motors = self.world.source.motors
        if not is_empty:
            motors.switch_on(one.cut)
            one.cut.clear()
            return
        one.cut[:] = motors.switch_off(axis for axis, _ in one.motors)
        time = self.world.source.step_count * self.world.source.time_step
        self.world.log.info(
            "battery-empty",
            one.robot.span,
            f"the battery is empty at t = {time:.6g} s; its devices are off and its motors without force.",
            node=f'Robot "{one.robot.name}"',
        )


def _robots(devices: Sequence[BoundDevice], scene: Scene) -> list[RobotPower]:
    """Return all robots with a battery."""
    found: list[RobotPower] = []
    first = robot_count = 0
    links = list(scene.links())
    for body in scene.bodies:
        for number, robot in enumerate(body.robots, robot_count):
            if robot.battery is None:
                continue
            own = [b for b in devices if b.robot_number == number]
            motors = tuple(
                (b.axis, b.device.consumption)
                for b in own
                if isinstance(b.device, Motor)
                and b.axis is not None
                and not isinstance(links[b.link].joint, JointTrack)
            )
            charge, capacity, intake = robot.battery
            found.append(
                RobotPower(
                    body.name,
                    robot,
                    first + robot.link,
                    tuple(b.index for b in own),
                    motors,
                    charge,
                    capacity,
                    intake,
                )
            )
        first += len(body.links)
        robot_count += len(body.robots)
    return found


def _chargers(scene: Scene) -> list[ChargerPower]:
    return [
        ChargerPower(DeviceFrames.at(row, device.pose), device, row, device.battery.charge)
        for row, link in enumerate(scene.links())
        for device in link.devices
        if isinstance(device, DeviceCharger) and device.battery is not None
    ]
