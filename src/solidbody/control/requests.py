"""What a controller can ask of the simulator beside steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from solidbody.control.supervisor.operations import ask, command
from solidbody.control.urdf import robot_urdf
from solidbody.devices.core.errors import DeviceError

if TYPE_CHECKING:
    from solidbody.control.hub import ControllerHub
    from solidbody.control.session import RequestHandler, Session


def robot_command(
    hub: ControllerHub, session: Session, name: str, arguments: tuple[Any, ...]
) -> str | None:
    """Obey a command to the robot itself; return a message for its console, or None."""
    match name, arguments:
        case "custom_data", (str() as text,):
            session.custom_data = text
        case "supervisor", (str() as operation, *rest):
            return command(session, operation, tuple(rest))
        case "input", (str() as kind, int() as period):
            return session.inputs.enable(kind, period, session)
        case "window", (str() as text,):
            for listener in hub.window_listeners:
                listener(session.place.name, text)
        case "battery", (int() as period,):
            session.battery.enable(period, session)
        case "joystick_force", (str(), int() | float()):
            return _once(session, "joystick_force", "forces on a joystick are not felt")
        case _:
            return f"Warning: the robot does not know the command {name}"
    return None


def _once(session: Session, key: str, text: str) -> str | None:
    """Return a warning the first time only."""
    if key in session.said:
        return None
    session.said.add(key)
    return f"Warning: {text}"


def _device(session: Session, arguments: tuple[Any, ...]) -> Any:
    tag, name, *rest = arguments
    if not 0 < tag <= len(session.adapters):
        raise ValueError(f"there is no device with the tag {tag}")
    try:
        return session.adapters[tag - 1].request(name, tuple(rest))
    except (DeviceError, OSError) as error:  # a device without values, a disk that is full
        raise ValueError(str(error)) from error


def _urdf(session: Session, arguments: tuple[Any, ...]) -> str:
    (prefix,) = arguments
    return robot_urdf(session.place, prefix)


def _device_count(session: Session, arguments: tuple[Any, ...]) -> int:
    return len(session.adapters)


REQUESTS: Final[dict[str, RequestHandler]] = {
    "device": _device,
    "device_count": _device_count,
    "supervisor": ask,
    "urdf": _urdf,
}
"""Immediate requests by name."""
