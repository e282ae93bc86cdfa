"""The link between this program and the simulator."""

import mmap
import os
import sys
from urllib.parse import unquote, urlparse

try:
    import solidbody_wire as wire
except ImportError:  # the package was put on the path without its neighbour
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import solidbody_wire as wire


class SocketLink:
    """A link to a simulator in another process."""

    def __init__(self, connection, introduction):
        self._connection = connection
        self._introduction = introduction
        self._maps = {}

    def introduce(self):
        """Return what the simulator said of the robot."""
        return self._introduction

    def exchange(self, commands, request):
        """Send commands and a request; return the answer."""
        self._connection.send((commands, request))
        return self._connection.receive()

    def image(self, tag, memory):
        """Return the bytes of an image that the simulator has put into shared memory."""
        found = self._maps.get(memory)
        if found is None:
            with open(memory, "rb") as file:
                found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._maps[memory] = found
        return found[:]


_inside = None


def use_link(link):
    """Use this link instead of connecting: for controllers in the simulator's own process."""
    global _inside
    _inside = link


def open_link():
    """Return a link to the simulator; ends the program with a message if there is none."""
    if _inside is not None:
        return _inside
    address, secret, robot = _target()
    try:
        connection = wire.connect(address)
        connection.send((secret, robot, os.getpid()))
        answer = connection.receive()
    except (OSError, wire.Closed) as error:
        sys.exit(f"Error: cannot reach the simulator: {error}")
    if answer[0] != "ok":
        sys.exit(f"Error: {answer[1]}")
    return SocketLink(connection, answer[1])


def _target():
    """Return (address, secret, robot name), from the simulator that started us or the user's variables."""
    if wire.ADDRESS in os.environ:
        robot = os.environ.get("WEBOTS_ROBOT_NAME", "")
        return os.environ[wire.ADDRESS], os.environ.get(wire.SECRET, ""), robot
    port, robot = _url()
    found = wire.find(port)
    if found is None:
        sys.exit(
            "Error: no simulator is running on port %d; start `solidbody run` with a world whose robot has"
            ' the controller "<extern>"' % port
        )
    return found[0], found[1], robot


def _url():
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
