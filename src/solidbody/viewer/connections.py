"""Limits on connections to the page's server: their number, and timeouts."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS: Final = 128
"""Open at a time, streams included. A tab needs one, and up to six more while it loads."""

REQUEST_TIME: Final = 10.0
"""[s] Wall time in which a connection must have sent the head of a request, the first or the next one."""

STALL_TIME: Final = 30.0
"""[s] Wall time after which one is closed that takes nothing of what is sent to it."""

LOOK: Final = 1.0
"""[s] Longest wall time between two looks at a connection."""


class Tally:
    """A transport that counts what is written to it.

    Args:
        transport: The transport itself; it does everything.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._written = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._written += len(data)
        self._transport.write(data)

    def writelines(self, pieces: list[bytes]) -> None:
        """Send pieces."""
        self.write(b"".join(pieces))

    @property
    def taken(self) -> int:
        """[bytes] What has gone to the system so far."""
        return self._written - self._transport.get_write_buffer_size()


class BoundedProtocol(H11Protocol):
    """HTTP on one connection (and what it becomes: a stream), which is closed when it keeps us waiting."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin; if there are too many, the one that has asked for nothing for the longest time has to go."""
        self._tally = Tally(transport)
        super().connection_made(self._tally)  # type: ignore[arg-type]
        now = self.loop.time()
        self._idle_since = self._taken_at = now
        self._taken = 0
        self._last_cycle: object = None
        if len(self.connections) > MOST_CONNECTIONS:
            idle = [
                one for one in self.connections if isinstance(one, BoundedProtocol) and one.is_idle
            ]
            oldest = min(idle, key=lambda one: one._idle_since)
            oldest.transport.abort()
            self.connections.discard(oldest)
        self._plan()

    @property
    def is_idle(self) -> bool:
        """Whether it has asked for nothing that is not answered, and has taken the answers."""
        is_answered = self.cycle is None or self.cycle.response_complete
        return is_answered and self._tally.get_write_buffer_size() == 0

    def _plan(self) -> None:
        self.loop.call_later(min(LOOK, REQUEST_TIME / 4.0, STALL_TIME / 4.0), self._look)

    def _look(self) -> None:
        """Close the connection if it has kept us waiting for too long."""
        tally, now = self._tally, self.loop.time()
        waits_for_it = tally.get_write_buffer_size() > 0
        if tally.is_closing() and not waits_for_it:
            return
        if tally.taken != self._taken or not waits_for_it:
            self._taken, self._taken_at = tally.taken, now
        if self.cycle is not self._last_cycle or not self.is_idle:
            self._last_cycle, self._idle_since = self.cycle, now
        # a stream is no request any more: pings tell whether somebody is there
        is_late = tally.get_protocol() is self and now - self._idle_since > REQUEST_TIME
        if is_late or now - self._taken_at > STALL_TIME:
            tally.abort()
            return
        self._plan()
