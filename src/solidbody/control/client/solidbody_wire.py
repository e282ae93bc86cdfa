"""Connection of a controller to the simulator: sockets, framing, and how the two find each other.

A frame is its length (4 bytes) and a message (`solidbody_protocol.py`). Both ends belong to the same user:
the address lies in a folder that nobody else may enter, and the first message carries a secret.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import tempfile
import time
from time import perf_counter as clock
from typing import Any

HEADER = struct.Struct("<I")
RING = HEADER.pack(0)
"""A frame without a message: there is something in the mailbox."""

LIMIT = 64 << 20
"""[bytes] Longer frames are refused; images go through shared memory."""

CHUNK = 1 << 16
"""[bytes] Read or written at once. Room for more is got from the system and given back each time: 13 us."""

SPIN = 100e-6
"""[s] How long an answer is looked for before sleeping: a small world steps in less. A tenth of it is too
short for any; ten times as much would keep cores from robots that compute."""

MOST_PAUSES = 256
"""So rarely, at least, it is tried whether answers come quickly now: a hundred microseconds in 256 steps."""

PATIENCE = 30.0
"""[s] How long the other end may take to read a message that fills its buffer."""

ADDRESS = "SOLIDBODY_CONTROLLER_ADDRESS"
SECRET = "SOLIDBODY_CONTROLLER_SECRET"
"""Environment variables of a controller that the simulator has started."""

DEFAULT_PORT = 1234
"""Number by which a controller that was started by hand finds the simulator, as in Webots."""


def _sleep_not() -> None:
    time.sleep(0)


let_others_run = getattr(os, "sched_yield", _sleep_not)
"""Give the core to whoever waits for one, and come back at once if nobody does."""


def _wait_for(stream: socket.socket, timeout: float | None, *, writing: bool = False) -> bool:
    """Sleep until a socket can be read (or written), at most `timeout` seconds; return whether it can."""
    if not hasattr(select, "poll"):
        sets = ((), (stream,)) if writing else ((stream,), ())
        return any(select.select(*sets, (), timeout))
    poll = select.poll()  # select knows only the first thousand files
    poll.register(stream, select.POLLOUT if writing else select.POLLIN)
    return bool(poll.poll(None if timeout is None else timeout * 1000.0))


class Closed(ConnectionError):
    """The other end has gone."""


class Refused(Closed):
    """The other end is there, but it sends what is no frame, or does not read."""


class Connection:
    """A stream of frames.

    The socket never blocks. Whoever waits first looks again and again for a moment, letting others run in
    between: an answer that comes within that moment costs no sleep and no waking up, which are dearer than
    all the rest of a round trip, on one core as well. Where answers take longer this is given up, and tried
    again more and more rarely.

    With a mailbox (`solidbody_mailbox.py`), frames that fit go through that, and the socket takes the others.
    They stay in order: each end leaves a frame there only when it has heard the other since the last one,
    and looks there first; the simulator not before it has found something there.

    Args:
        stream: The socket.
        limit: [bytes] Longer frames are refused.
    """

    def __init__(self, stream: socket.socket, limit: int = LIMIT) -> None:
        stream.setblocking(False)
        if stream.family == socket.AF_INET:  # the loopback: short frames are not held back for more
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = stream
        self.limit = limit
        self._buffer: bytes | bytearray = b""
        self._start = 0
        """Where in the buffer the next frame begins."""
        self._unsent = b""
        self._sent = 0
        """How much of what is unsent has gone."""
        self._give_up = 0.0
        self._pauses = 0
        """Waits that go straight to sleep before the next one is spun."""
        self._in_vain = 1
        """How many of them follow when spinning was in vain once more."""
        self._mailbox: Any = None
        self._is_shared = self._may_leave = False
        """Whether the other end has the mailbox; whether the next frame may go through it."""

    def fileno(self) -> int:
        """Return the file number, for select."""
        return self._socket.fileno()

    def use_mailbox(self, mailbox: Any, *, asks: bool) -> None:
        """Let frames go through a mailbox from now on; `asks`: this end is the one that asks."""
        self._mailbox, self._is_shared, self._may_leave = mailbox, asks, asks

    def send(self, body: bytes) -> None:
        """Send a frame, and wait until it is on its way."""
        self.post(body)
        while self._unsent:
            self._push(PATIENCE)

    def post(self, body: bytes) -> None:
        """Send a frame without waiting: what the other end has no room for is sent when it has.

        Nothing is heard from it until then, so that no more than one answer waits for who does not read.
        """
        if self._may_leave and not self._unsent:
            self._may_leave = False
            fits = 0 < len(body) <= self._mailbox.room
            is_asleep = self._mailbox.leave(body if fits else b"")
            if fits:
                if is_asleep:
                    self._post(RING)
                return
        self._post(HEADER.pack(len(body)) + body)

    def _post(self, message: bytes) -> None:
        """Send bytes; those for which there is no room go later."""
        if self._unsent:
            self._unsent = self._unsent[self._sent :] + message
            self._sent = 0
            return
        try:
            sent = self._socket.send(message)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise Closed(str(error)) from error
        if sent < len(message):
            self._unsent, self._sent = message, sent
            self._give_up = time.monotonic() + PATIENCE

    def _push(self, timeout: float | None) -> bool:
        """Send what is unsent, waiting for room once; return whether all has gone."""
        left = self._give_up - time.monotonic()
        if left <= 0.0:
            raise Refused(f"it has not read its answer for {PATIENCE:g} s")
        wait = left if timeout is None else min(timeout, left)
        try:
            if wait > 0.0 and not _wait_for(self._socket, wait, writing=True):
                return False
            while self._sent < len(self._unsent):
                self._sent += self._socket.send(self._unsent[self._sent : self._sent + CHUNK])
        except BlockingIOError:
            return False
        except OSError as error:
            raise Closed(str(error)) from error
        self._unsent, self._sent = b"", 0
        return True

    def receive(self, timeout: float | None = None) -> bytes | None:
        """Return the next frame; None if `timeout` seconds pass before it is complete."""
        if self._mailbox is None:
            return self._from_socket(timeout)
        if not self._unsent and not self._buffer:
            frame = self._from_mailbox(timeout)
            if frame:
                self._is_shared = self._may_leave = True
                return frame
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            try:
                frame = self._from_socket(timeout)
            except Refused:
                raise
            except Closed:
                frame = self._from_mailbox(0.0)  # it has left that, and gone, since we looked there
                if frame:
                    return frame
                raise
            if frame is None:
                return None
            left = self._from_mailbox(0.0)  # it rang, or has left that before it sent this
            if left:
                self._is_shared = self._may_leave = True
                if frame:
                    rest = self._buffer[self._start :]
                    self._buffer, self._start = HEADER.pack(len(frame)) + frame + rest, 0
                return left
            if frame:
                self._may_leave = self._is_shared
                return frame
            if end is not None and time.monotonic() >= end:
                return None

    def _from_mailbox(self, timeout: float | None) -> bytes | None:
        """Return what is in the mailbox, after a moment; None = nothing, empty = look into the socket."""
        take = self._mailbox.take
        try:
            frame = take()
            if frame is not None or timeout == 0.0:
                return frame
            if self._pauses:
                self._pauses -= 1
                return None
            end = clock() + SPIN
            while clock() < end:
                let_others_run()
                frame = take()
                if frame is not None:
                    self._in_vain = 1
                    return frame
        except ValueError as error:
            raise Refused(str(error)) from None
        self._pauses = self._in_vain
        self._in_vain = min(2 * self._in_vain, MOST_PAUSES)
        return None

    def _from_socket(self, timeout: float | None) -> bytes | None:
        while self._unsent:
            if not self._push(timeout) and timeout is not None:
                return None
        end = 0.0
        while True:
            buffer, start = self._buffer, self._start
            size = len(buffer) - start
            if size >= 4:
                (length,) = HEADER.unpack_from(buffer, start)
                if length > self.limit:
                    raise Refused(f"a frame of {length} bytes is too long")
                if size >= 4 + length:
                    return self._read(start + 4, start + 4 + length)
            try:
                more = self._arrived(timeout)
            except OSError as error:
                raise Closed(str(error)) from error
            if more is None:
                return None
            if not more:
                raise Closed("the other end has closed the connection")
            if not size:
                if len(more) >= 4 and HEADER.unpack_from(more)[0] == len(more) - 4 <= self.limit:
                    self._buffer, self._start = b"", 0
                    return more[4:]
                self._buffer, self._start = more, 0
                continue
            if start or not isinstance(buffer, bytearray):
                buffer = bytearray(buffer[start:])
                self._buffer, self._start = buffer, 0
            buffer += more  # in place: long messages come in hundreds of pieces
            if timeout:  # one that comes byte by byte is not waited for either
                now = time.monotonic()
                if not end:
                    end = now + timeout
                elif now > end:
                    return None

    def _read(self, start: int, end: int) -> bytes:
        """Return a frame that has arrived as a whole."""
        buffer = self._buffer
        body = bytes(buffer[start:end])
        if end == len(buffer):
            self._buffer, self._start = b"", 0
        else:
            self._start = end
        return body

    def _arrived(self, timeout: float | None) -> bytes | None:
        """Return what has arrived, after waiting for it; None = nothing has, empty = the end."""
        receive = self._socket.recv
        try:  # several times quicker than contextlib.suppress, and this is once in each message
            return receive(CHUNK)
        except BlockingIOError:
            if timeout == 0.0:
                return None
        mailbox = self._mailbox
        if mailbox is not None:  # that was looked into
            mailbox.sleep(True)
            is_rung = mailbox.has_news() and not self._buffer
            if not is_rung:
                _wait_for(self._socket, timeout)
            mailbox.sleep(False)
            if is_rung:
                return RING
        elif self._pauses:
            self._pauses -= 1
        else:
            end = clock() + SPIN
            while clock() < end:
                let_others_run()
                try:
                    more = receive(CHUNK)
                except BlockingIOError:
                    continue
                self._in_vain = 1
                return more
            self._pauses = self._in_vain
            self._in_vain = min(2 * self._in_vain, MOST_PAUSES)
        if mailbox is None:
            _wait_for(self._socket, timeout)
        with contextlib.suppress(BlockingIOError):
            return receive(CHUNK)
        return None

    def close(self) -> None:
        """Close it."""
        if self._mailbox is not None:
            self._mailbox.close()
            self._mailbox, self._may_leave = None, False
        with contextlib.suppress(OSError):
            self._socket.close()


LONGEST_SOCKET_PATH = 103
"""Bytes that every system takes as the path of a socket."""


def listen(folder: str) -> tuple[socket.socket, str]:
    """Return (listening socket, address) in a private folder; on the loopback where that cannot be."""
    path = os.path.join(folder, "socket")
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(path)
        server.listen(64)
        return server, "unix:" + path
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.bind(("127.0.0.1", 0))
    server.listen(64)
    return server, "tcp:%d" % server.getsockname()[1]


def connect(address: str, timeout: float | None = None) -> Connection:
    """Return a connection to an address that `listen` returned, after `timeout` seconds at most."""
    kind, _, place = address.partition(":")
    if kind == "unix":
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.settimeout(timeout)
        try:
            stream.connect(place)
        except OSError:
            stream.close()
            raise
    else:
        stream = socket.create_connection(("127.0.0.1", int(place)), timeout)
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


def is_alive(port: int) -> bool:
    """Whether a simulator can be reached that has published this port number."""
    found = find(port)
    if found is None:
        return False
    try:
        connect(found[0], timeout=1.0).close()
    except (BlockingIOError, TimeoutError, socket.timeout):
        return True  # so many wait at its door that nobody is let in: somebody is there
    except OSError:
        return False
    return True


def ports() -> list[int]:
    """Return the port numbers of the simulators of this user that wait for controllers."""
    names = [
        name[: -len(".json")] for name in os.listdir(meeting_folder()) if name.endswith(".json")
    ]
    return sorted(port for port in map(int, filter(str.isdigit, names)) if is_alive(port))


def find(port: int) -> tuple[str, str] | None:
    """Return (address, secret) of the simulator with that port number; None if there is none."""
    try:
        with open(os.path.join(meeting_folder(), "%d.json" % port)) as file:
            found = json.load(file)
        return found["address"], found["secret"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
