"""The connection between a controller program and the simulator."""

from __future__ import annotations

import atexit
import mmap
import os
import sys
from typing import Any, Callable
from urllib.parse import unquote, urlparse

try:
    import solidbody_protocol as protocol
    import solidbody_turns as turns
    import solidbody_wire as wire
    from solidbody_mailbox import open_mailbox
except ImportError:  # the package was put on the path without its neighbours
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import solidbody_protocol as protocol
    import solidbody_turns as turns
    import solidbody_wire as wire
    from solidbody_mailbox import open_mailbox

__all__ = ["SocketLink", "open_link", "protocol", "turns", "use_link", "wire"]


class SocketLink:
    """A link to a simulator in another process."""

    def __init__(self, connection: Any, introduction: bytes) -> None:
        self._connection = connection
        self._introduction = introduction
        self._maps: dict[str, mmap.mmap] = {}
        self._process = os.getpid()
        atexit.register(connection.close)

    def introduce(self) -> bytes:
        """Return what the simulator said of the robot: a `Welcome`."""
        return self._introduction

    def before_end(self, farewell: Callable[[], None]) -> None:
        """Call something when the program ends, while the simulator can still hear."""
        atexit.register(farewell)

    def leave(self, said: list[bytes]) -> None:
        """Send the last commands; a copy of the program that it has forked has none of its own."""
        if os.getpid() == self._process:
            self.begin(said)

    def begin(self, said: list[bytes]) -> None:
        """Send commands and, in the end, a request; `finish` returns the answer."""
        for frame in turns.frames_of(said):
            self._connection.send(frame)

    def finish(self) -> bytes:
        """Wait for the answer to what `begin` has sent."""
        return self._connection.receive()

    def exchange(self, said: list[bytes]) -> bytes:
        """Send commands and a request; return the answer."""
        self.begin(said)
        return self._connection.receive()

    def image(self, key: Any, memory: str) -> bytes:
        """Return the bytes of an image that the simulator has put into shared memory."""
        found = self._maps.get(memory)
        if found is None:
            with open(memory, "rb") as file:
                found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._maps[memory] = found
        return found[:]


_inside: list[Any] = []


def use_link(link: Any) -> None:
    """Use this link instead of connecting: for controllers in the simulator's own process."""
    _inside[:] = [] if link is None else [link]


def is_over(link: Any) -> bool:
    """Whether a link belongs to a run in this process that has ended, or to none."""
    return link is None or (not isinstance(link, SocketLink) and link not in _inside)


def open_link() -> Any:
    """Return a link to the simulator; ends the program with a message if there is none."""
    if _inside:
        return _inside[0]
    address, secret, robot = _target()
    try:
        connection = wire.connect(address)
        greeting = (protocol.MAGIC, protocol.VERSION, secret, robot, os.getpid())
        connection.send(protocol.Hello.pack(*greeting))
        frame = connection.receive() or b""
    except (OSError, wire.Closed) as error:
        sys.exit(f"Error: cannot reach the simulator: {error}")
    try:
        answer = protocol.parse(frame, protocol.FROM_SIMULATOR)
    except protocol.ProtocolError as error:
        sys.exit(f"Error: the simulator speaks another version of the protocol: {error}")
    if answer[0] == protocol.Refusal.number:
        sys.exit(f"Error: {answer[1]}")
    mailbox = open_mailbox(protocol.Welcome.facts(answer)["mailbox"])
    if mailbox is not None:
        connection.use_mailbox(mailbox, asks=True)
    return SocketLink(connection, frame)


def _target() -> tuple[str, str, str]:
    """Return (address, secret, robot name), from the simulator that started us or the user's variables."""
    robot = os.environ.get("WEBOTS_ROBOT_NAME", "")
    # a controller that starts another one for another robot clears the name and gives it a URL
    if wire.ADDRESS in os.environ and (robot or not os.environ.get("WEBOTS_CONTROLLER_URL")):
        return os.environ[wire.ADDRESS], os.environ.get(wire.SECRET, ""), robot
    port, robot = _url()
    found = wire.find(port)
    if found is None:
        others = ", ".join(map(str, wire.ports()))
        sys.exit(
            "Error: no simulator is running on port %d%s; start `solidbody run` with a world whose robot"
            ' has the controller "<extern>"'
            % (port, f" (there are some on {others})" if others else "")
        )
    return found[0], found[1], robot


def _url() -> tuple[int, str]:
    """Return (port, robot name) of WEBOTS_CONTROLLER_URL, or of the older variables."""
    text = os.environ.get("WEBOTS_CONTROLLER_URL", "")
    if not text:
        return wire.DEFAULT_PORT, os.environ.get("WEBOTS_ROBOT_NAME", "")
    if "://" not in text:
        return wire.DEFAULT_PORT, unquote(text)
    parts = urlparse(text)
    robot = unquote(parts.path.lstrip("/"))
    if parts.scheme == "ipc":
        return int(parts.netloc or wire.DEFAULT_PORT), robot
    if parts.hostname not in ("localhost", "127.0.0.1", None):
        sys.exit(
            f"Error: controllers run on the simulator's own machine; {parts.hostname} is another one"
        )
    return parts.port or wire.DEFAULT_PORT, robot
