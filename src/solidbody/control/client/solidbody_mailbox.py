"""Mailbox: memory that simulator and controller share, in which each leaves the other one frame at a time.

It lies beside the socket, which takes what does not fit and wakes up who sleeps: a frame costs no system call
while the other end is looking. It has two halves: the controller writes the first one, the simulator the
second. A half begins with three numbers (U32): how many frames have been left in it, the size of the last one
(0 = it comes through the socket) and whether its reader sleeps; the frame follows after 64 bytes. The number
is written last.
"""

from __future__ import annotations

import mmap
import os
import sys
import threading

try:
    from .solidbody_protocol import MAILBOX, MAILBOX_HEAD, MAILBOX_NAME
except ImportError:  # in a program of a robot
    from solidbody_protocol import MAILBOX, MAILBOX_HEAD, MAILBOX_NAME

ROOM = MAILBOX - MAILBOX_HEAD
"""[bytes] Longer frames go through the socket."""

_NUMBER, _SIZE, _SLEEPS = range(3)

_fence = threading.Lock()
"""Between a write and a read of what the other end does in the opposite order: taking a lock orders them."""


def _is_ordered() -> bool:
    """Whether the other end sees writes in the order of this one: not so on all processors without fences."""
    return sys.platform == "linux" and os.uname().machine == "x86_64"


class Mailbox:
    """One end of a mailbox.

    Args:
        file: What holds the memory; it is closed with the simulator's end.
        asks: Whether this end is the controller's.
    """

    room = ROOM

    def __init__(self, file: int, asks: bool) -> None:
        self._memory = memory = mmap.mmap(file, 2 * MAILBOX)
        self._file = -1 if asks else file
        self._bytes = memoryview(memory)
        self._numbers = self._bytes.cast("I")
        self._write, self._read = (0, MAILBOX) if asks else (MAILBOX, 0)
        self._writes, self._reads = self._write // 4, self._read // 4
        self._left = self._taken = 0

    @property
    def path(self) -> str:
        """Where a controller finds the memory."""
        return "/proc/%d/fd/%d" % (os.getpid(), self._file)

    def leave(self, frame: bytes) -> bool:
        """Leave a frame (empty: it comes through the socket); return whether the other end sleeps."""
        numbers, at = self._numbers, self._writes
        size = len(frame)
        start = self._write + MAILBOX_HEAD
        self._bytes[start : start + size] = frame
        numbers[at + _SIZE] = size
        self._left = numbers[at] = (self._left + 1) & 0xFFFFFFFF
        with _fence:
            return numbers[at + _SLEEPS] != 0

    def has_news(self) -> bool:
        """Whether something was left that has not been taken."""
        return self._numbers[self._reads] != self._taken

    def take(self) -> bytes | None:
        """Return what was left since the last time (empty: it comes through the socket); None = nothing was.

        Raises:
            ValueError: It claims to be longer than there is room.
        """
        numbers, at = self._numbers, self._reads
        number = numbers[at]
        if number == self._taken:
            return None
        self._taken = number
        size = numbers[at + _SIZE]
        if size > ROOM:
            raise ValueError(f"a frame of {size} bytes is too long for a mailbox")
        start = self._read + MAILBOX_HEAD
        return bytes(self._bytes[start : start + size])

    def sleep(self, is_asleep: bool) -> None:
        """Tell the other end whether it has to wake this one."""
        self._numbers[self._reads + _SLEEPS] = is_asleep
        with _fence:
            pass

    def close(self) -> None:
        """Give the memory back."""
        self._numbers.release()
        self._bytes.release()
        self._memory.close()
        if self._file >= 0:
            os.close(self._file)


def make_mailbox() -> Mailbox | None:
    """Return the simulator's end of a new mailbox; None where there can be none: the socket will do."""
    if not (_is_ordered() and hasattr(os, "memfd_create")):
        return None
    import fcntl

    try:
        number = os.memfd_create(MAILBOX_NAME, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except OSError:
        return None
    try:
        os.ftruncate(number, 2 * MAILBOX)
        # a program that cut the memory off would crash who looks at it
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(number, fcntl.F_ADD_SEALS, seals)
        return Mailbox(number, False)
    except OSError:
        os.close(number)
        return None


def open_mailbox(path: str) -> Mailbox | None:
    """Return the controller's end of a mailbox; None where it cannot be reached: the socket will do."""
    if not (path and _is_ordered()):
        return None
    try:
        if os.readlink(path) != "/memfd:%s (deleted)" % MAILBOX_NAME:
            return None
        with open(path, "r+b", buffering=0) as file:
            return Mailbox(file.fileno(), True)
    except (OSError, ValueError):
        return None
