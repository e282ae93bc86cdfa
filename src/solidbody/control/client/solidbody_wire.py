"""Messages between the simulator and a controller: framing, connecting, finding each other.

A message is a length (4 bytes) and a value made of numbers, texts, bytes, tuples, lists and
dictionaries, in Python's marshal format of version 2, which every Python 3 reads. Both ends belong to
the same user: the address lies in a folder that nobody else may enter, and the first message
carries a secret.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import socket
import struct
import tempfile
from typing import Any

HEADER = struct.Struct("<I")
FORMAT = 2
LIMIT = 64 << 20
"""[bytes] Larger messages are refused; images go through shared memory."""

ADDRESS = "SOLIDBODY_CONTROLLER_ADDRESS"
SECRET = "SOLIDBODY_CONTROLLER_SECRET"
"""Environment variables of a controller that the simulator has started."""

PROTOCOL = 1
DEFAULT_PORT = 1234
"""Number by which a controller that was started by hand finds the simulator, as in Webots."""


class Closed(ConnectionError):
    """The other end has gone."""


class Connection:
    """A stream of messages."""

    def __init__(self, stream: socket.socket) -> None:
        self._socket = stream
        self._buffer = b""
        self._timeout = stream.gettimeout()

    def fileno(self) -> int:
        """Return the file number, for select."""
        return self._socket.fileno()

    def send(self, value: Any) -> None:
        """Send a value."""
        body = marshal.dumps(value, FORMAT)
        try:
            self._socket.sendall(HEADER.pack(len(body)) + body)
        except OSError as error:
            raise Closed(str(error)) from error

    def receive(self, timeout: float | None = None) -> Any:
        """Return the next value; None if `timeout` seconds pass before it is complete."""
        while True:
            buffer = self._buffer
            if len(buffer) >= 4:
                (length,) = HEADER.unpack_from(buffer)
                if length > LIMIT:
                    raise Closed("a message is too long")
                if len(buffer) >= 4 + length:
                    self._buffer = buffer[4 + length :]
                    try:
                        return marshal.loads(buffer[4 : 4 + length])
                    except (ValueError, EOFError, TypeError) as error:
                        raise Closed("a message is broken") from error
            try:
                if timeout != self._timeout:  # setting it costs a call of the system
                    self._socket.settimeout(timeout)
                    self._timeout = timeout
                more = self._socket.recv(1 << 18)
            except (TimeoutError, BlockingIOError):
                return None
            except OSError as error:
                raise Closed(str(error)) from error
            if not more:
                raise Closed("the other end has closed the connection")
            self._buffer = buffer + more if buffer else more

    def close(self) -> None:
        """Close it."""
        with contextlib.suppress(OSError):
            self._socket.close()


def listen(folder: str) -> tuple[socket.socket, str]:
    """Return (listening socket, address) in a private folder, or on the loopback without such sockets."""
    if hasattr(socket, "AF_UNIX"):
        path = os.path.join(folder, "socket")
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(path)
        server.listen(64)
        return server, "unix:" + path
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.bind(("127.0.0.1", 0))
    server.listen(64)
    return server, "tcp:%d" % server.getsockname()[1]


def connect(address: str) -> Connection:
    """Return a connection to an address that `listen` returned."""
    kind, _, place = address.partition(":")
    if kind == "unix":
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.connect(place)
    else:
        stream = socket.create_connection(("127.0.0.1", int(place)))
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Connection(stream)


def meeting_folder() -> str:
    """Return the folder of this user in which running simulators can be found; only the user may enter it."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    folder = os.path.join(base, f"solidbody-{user}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and os.stat(folder).st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user")
    os.chmod(folder, 0o700)
    return folder


def publish(port: int, address: str, secret: str) -> str:
    """Let controllers that are started by hand find this simulator; return the file to remove at the end."""
    path = os.path.join(meeting_folder(), "%d.json" % port)
    temporary = path + ".%d" % os.getpid()
    with open(temporary, "w") as file:
        json.dump({"address": address, "secret": secret, "pid": os.getpid()}, file)
    os.chmod(temporary, 0o600)
    os.replace(temporary, path)
    return path


def find(port: int) -> tuple[str, str] | None:
    """Return (address, secret) of the simulator with that port number; None if there is none."""
    try:
        with open(os.path.join(meeting_folder(), "%d.json" % port)) as file:
            found = json.load(file)
        return found["address"], found["secret"]
    except (OSError, ValueError, KeyError):
        return None
