"""Dispatches commands and requests of controllers to their handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from solidbody.control import protocol as p
from solidbody.control.supervisor import operations
from solidbody.control.urdf import robot_urdf
from solidbody.devices.core.errors import DeviceError

if TYPE_CHECKING:
    from solidbody.control.session import Session

Message = tuple[Any, ...]
"""A message as its reader gives it: its number, then its fields."""


def _set_data(session: Session, text: str) -> None:
    session.custom_data = text


def _tell_window(session: Session, text: str) -> None:
    for listener in session.hub.window_listeners:
        listener(session.place.name, text)


def _enable_input(session: Session, kind: str, period_ms: int) -> None:
    session.inputs.enable(kind, period_ms, session)


def _enable_battery(session: Session, period_ms: int) -> None:
    session.battery.enable(period_ms, session)


def _push_joystick(session: Session, kind: str, value: float) -> str | None:
    if "joystick_force" in session.said:
        return None
    session.said.add("joystick_force")
    return "Warning: forces on a joystick are not felt"


ROBOT_HANDLERS: Final[dict[type[p.Message], Callable[..., Any]]] = {
    p.RobotCustomData: _set_data,
    p.RobotWindowText: _tell_window,
    p.RobotInput: _enable_input,
    p.RobotBattery: _enable_battery,
    p.RobotJoystickForce: _push_joystick,
    p.RobotUrdf: lambda session, prefix: robot_urdf(session.place, prefix),
}
"""What is done with messages to the robot itself: (session, fields)."""

_ROBOT: Final = {kind.NUMBER: handler for kind, handler in ROBOT_HANDLERS.items()}
DEVICE_MESSAGES: Final = {
    kind.NUMBER for kind in (*p.members(p.DeviceCommand), *p.members(p.DeviceRequest))
}


def obey(session: Session, message: Message) -> str | None:
    """Carry out an order; return what there is to say."""
    number = message[0]
    if number in DEVICE_MESSAGES:
        tag, adapters = message[1], session.adapters
        if not 0 < tag <= len(adapters):
            return f"Error: there is no device with the tag {tag}"
        return adapters[tag - 1].obey(message)
    handler = _ROBOT.get(number)
    return operations.obey(session, message) if handler is None else handler(session, *message[1:])


def answer(session: Session, message: Message) -> tuple[Any, list[str]]:
    """Answer a request; return the answer and what there is to say beside it."""
    number = message[0]
    if number in DEVICE_MESSAGES:
        tag = message[1]
        if not 0 < tag <= len(session.adapters):
            raise ValueError(f"there is no device with the tag {tag}")
        try:
            return session.adapters[tag - 1].answer(message), []
        except (DeviceError, OSError) as error:  # a device without values, a disk that is full
            raise ValueError(str(error)) from error
    handler = _ROBOT.get(number)
    if handler is None:
        return operations.answer(session, message)
    return handler(session, *message[1:]), []
