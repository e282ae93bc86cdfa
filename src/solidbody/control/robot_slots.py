"""Seats: one per robot, with the controller program that is connected to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solidbody.control.programs import EXTERN

if TYPE_CHECKING:
    from solidbody.control.client import solidbody_wire as wire
    from solidbody.control.device_tags import RobotPlace
    from solidbody.control.process import ControllerProcess
    from solidbody.control.session import Session


class RobotSlot:
    """A robot's place for a controller: the program, the connection and the session, while there is one."""

    def __init__(self, place: RobotPlace) -> None:
        self.place = place
        self.process: ControllerProcess | None = None
        self.connection: wire.Connection | None = None
        self.session: Session | None = None
        self.waiting_since: float | None = None
        self.was_slow = False
        self.failure: str | None = None
        self.left_data: str | None = None
        """The customData that its last controller left; None = there was none yet."""
        self.is_ours = False
        """Whether code in our own process drives the robot: no program is started or awaited."""

    @property
    def custom_data(self) -> str | None:
        """The robot's customData as controllers have made it; None = as in the file."""
        return self.left_data if self.session is None else self.session.custom_data

    @property
    def is_extern(self) -> bool:
        """Whether its controller is started by somebody else."""
        return self.place.robot.controller == EXTERN and not self.is_ours

    @property
    def is_expected(self) -> bool:
        """Whether somebody may still come to take it."""
        return self.process is not None or self.is_extern

    @property
    def is_ready(self) -> bool:
        """Whether its controller waits for the simulation to advance."""
        return self.session is not None and self.session.is_ready()


def free_slot(slots: list[RobotSlot], name: str, pid: int) -> tuple[RobotSlot | None, str]:
    """Return the place of a program: the one it was started for, or the first free one of its robot.

    Args:
        slots: All places.
        name: Name of the robot that the program wants to drive; empty = the first extern one.
        pid: Number of the program.

    Returns:
        The place, or None and why there is none.
    """
    for slot in slots:  # robots may have the same name
        if slot.process is not None and slot.process.pid == pid and slot.connection is None:
            return slot, ""
    named = [slot for slot in slots if slot.place.name == name]
    if not name:
        named = [slot for slot in slots if slot.is_extern]
    free = [slot for slot in named if slot.connection is None]
    if free:
        return free[0], ""
    if named:
        return None, f'the robot "{name}" has a controller already'
    robots = ", ".join(slot.place.name for slot in slots)
    return None, f'no robot is named "{name}"; there are: {robots}'
