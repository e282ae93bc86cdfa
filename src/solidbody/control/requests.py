"""What a controller can ask of the simulator beside steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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
        case "quit", (int() as status,):
            if not session.place.robot.is_supervisor:
                return _not_supervisor("simulationQuit")
            hub.quit(status)
        case _:
            return f"Warning: the robot does not know the command {name}"
    return None


def _not_supervisor(function: str) -> str:
    return f'Error: {function}() needs a robot with its "supervisor" field set to TRUE'


def _device_count(session: Session, arguments: tuple[Any, ...]) -> int:
    return len(session.adapters)


REQUESTS: Final[dict[str, RequestHandler]] = {"device_count": _device_count}
"""Immediate requests by name."""
