"""Device tags: the devices of a robot by number, in the order of the scene tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solidbody.devices.core.device_binding import BoundDevice
from solidbody.model.links import Body, Robot

if TYPE_CHECKING:
    from solidbody.sim import Sim


@dataclass(frozen=True, slots=True)
class RobotPlace:
    """A robot and where it is in the scene.

    Attributes:
        robot: Its description.
        body: The body that it belongs to.
        link: Row of its link in `Sim.poses()`.
        number: Which of all robots of the scene it is.
    """

    robot: Robot
    body: Body
    link: int
    number: int

    @property
    def name(self) -> str:
        """Its name."""
        return self.robot.name


def robots_of(sim: Sim) -> list[RobotPlace]:
    """Return all robots of a scene, in file order."""
    found: list[RobotPlace] = []
    first = 0
    for body in sim.scene.bodies:
        for robot in body.robots:
            found.append(RobotPlace(robot, body, first + robot.link, len(found)))
        first += len(body.links)
    return found


def found_again(
    places: list[RobotPlace], present: list[RobotPlace]
) -> tuple[list[RobotPlace | None], list[RobotPlace]]:
    """Return where robots are in another scene (None = nowhere), and those of it that are new.

    They are found by name and place in the file, by name, or (those that got another name) by place.
    """
    homes: list[RobotPlace | None] = [None] * len(places)
    left = list(present)
    for is_same in (_is_unchanged, _has_same_name, _has_same_place):
        for k, place in enumerate(places):
            home = next((one for one in left if is_same(one, place)), None)
            if homes[k] is None and home is not None:
                homes[k] = home
                left.remove(home)
    return homes, left


def _has_same_name(a: RobotPlace, b: RobotPlace) -> bool:
    return a.name == b.name


def _has_same_place(a: RobotPlace, b: RobotPlace) -> bool:
    return a.robot.span == b.robot.span


def _is_unchanged(a: RobotPlace, b: RobotPlace) -> bool:
    return _has_same_name(a, b) and _has_same_place(a, b)


def devices_of(sim: Sim, place: RobotPlace) -> list[BoundDevice]:
    """Return the devices of a robot; the tag of each is its index plus one."""
    found = [bound for bound in sim.devices.devices if bound.robot_number == place.number]
    order = {name: index for index, name in reversed(list(enumerate(place.robot.device_order)))}
    return sorted(found, key=lambda bound: order.get(bound.name, len(order)))
