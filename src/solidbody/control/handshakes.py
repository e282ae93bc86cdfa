"""Accepts connections of controllers, and refuses those that may not come in."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from solidbody._version import __version__
from solidbody.control.client import solidbody_protocol as codec
from solidbody.control.client import solidbody_wire as wire

GREETING: Final = 30.0
"""[s] Wall time that a new connection has to say who it is."""

GREETING_SIZE: Final = 4096
"""[bytes] What it may say until then."""

MOST_STRANGERS: Final = 128
"""Connections that have not said yet who they are; of more, the oldest ones are closed."""

MOST_AT_ONCE: Final = 64
"""Connections let in at one time; the others wait at the door."""

Greeter = Callable[[wire.Connection, str, int], None]
"""Told of somebody who knows the secret: the connection, name of the robot, number of the program."""


class Handshakes:
    """Listens for controllers. One that says nothing blocks nobody; one without the secret is sent away.

    Args:
        folder: Where the address may lie: only the user may enter it.
        greet: Told of each controller that has come in.
    """

    def __init__(self, folder: str, greet: Greeter) -> None:
        self._greet = greet
        self.secret = secrets.token_hex(16)
        self._listener, self.address = wire.listen(folder)
        self._listener.setblocking(False)
        self._strangers: deque[tuple[wire.Connection, float]] = deque()

    def let_in(self) -> None:
        """Let new connections in, and hear those that have said nothing so far."""
        with contextlib.suppress(BlockingIOError, OSError):
            for _ in range(MOST_AT_ONCE):
                stream, _ = self._listener.accept()
                connection = wire.Connection(stream, GREETING_SIZE)
                self._strangers.append((connection, time.monotonic() + GREETING))
        while len(self._strangers) > MOST_STRANGERS:
            self._strangers.popleft()[0].close()
        for _ in range(len(self._strangers)):
            connection, deadline = self._strangers.popleft()
            try:
                greeting = connection.receive(0.0)
            except wire.Closed:
                connection.close()
                continue
            if greeting is not None:
                self._hear(connection, greeting)
            elif time.monotonic() > deadline:
                connection.close()
            else:
                self._strangers.append((connection, deadline))

    def _hear(self, connection: wire.Connection, frame: bytes) -> None:
        try:
            greeting = codec.parse(frame, codec.FROM_CLIENT)
        except codec.ProtocolError:
            greeting = (0,)
        match greeting:
            case (codec.Hello.number, codec.MAGIC, version, secret, name, pid) if (
                secrets.compare_digest(secret.encode(), self.secret.encode())
            ):
                connection.limit = wire.LIMIT
                try:
                    if version != codec.VERSION:
                        connection.post(codec.Refusal.pack(_other_version(version)))
                        connection.close()
                    else:
                        self._greet(connection, name, pid)
                except wire.Closed:
                    connection.close()
            case _:
                connection.close()

    def close(self) -> None:
        """Let nobody in any more."""
        self._listener.close()
        for connection, _ in self._strangers:
            connection.close()
        self._strangers.clear()


def _other_version(version: int) -> str:
    return (
        f"the controller's library speaks version {version} of the protocol, this simulator (solidbody "
        f"{__version__}) version {codec.VERSION}; use the library that `solidbody` brings along"
    )
