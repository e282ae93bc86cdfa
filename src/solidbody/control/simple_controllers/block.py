"""The shared block: the sections of a body in memory that simulator and host map."""

from __future__ import annotations

import mmap
import os
import threading
import time
from typing import Any, Final

from solidbody.control.body_copies.sections import Sections
from solidbody.control.client.solidbody_wire import let_others_run
from solidbody.control.protocol import bodies as p

ASKED, DONE, HOST_SLEEPS, SIMULATOR_SLEEPS = range(len(p.HEADER))

SPIN: Final = 100e-6
"""[s] How long it is looked for an answer before sleeping."""


class Block(Sections):
    """One block in a file that both sides map.

    Args:
        path: The file, which is made.
        links: How many links the body has.
        joints: How many of them have a joint that moves.
        devices: How many devices it has.
        controllers: How many controllers share it.
    """

    def __init__(self, path: str, links: int, joints: int, devices: int, controllers: int) -> None:
        self.path = path
        super().__init__(links, joints, devices, controllers, self._mapped)
        self._fence = threading.Lock()
        self._pauses, self._in_vain = 0, 1

    def _mapped(self, size: int) -> Any:
        with open(self.path, "wb") as file:
            os.chmod(self.path, 0o600)
            file.truncate(size)
        with open(self.path, "r+b") as file:
            return mmap.mmap(file.fileno(), size)

    def ask(self) -> bool:
        """Let the host compute; return whether it sleeps and must be woken."""
        self.header[ASKED] += 1
        with (
            self._fence
        ):  # what was written is seen before what the other side has written is looked at
            return bool(self.header[HOST_SLEEPS])

    @property
    def is_done(self) -> bool:
        """Whether the host has computed what it was asked for."""
        return bool(self.header[DONE] == self.header[ASKED])

    def spin(self) -> bool:
        """Look for the end of the computation for a moment; return whether it has come.

        Where that is in vain it is tried more and more rarely.
        """
        header = self.header
        if header[DONE] == header[ASKED]:
            return True
        if self._pauses:
            self._pauses -= 1
            return False
        end = time.perf_counter() + SPIN
        while time.perf_counter() < end:
            let_others_run()
            if header[DONE] == header[ASKED]:
                self._in_vain = 1
                return True
        self._pauses = self._in_vain
        self._in_vain = min(2 * self._in_vain, 256)
        return False

    def sleep(self, *, sleeps: bool) -> None:
        """Say whether the simulator sleeps until it is woken."""
        self.header[SIMULATOR_SLEEPS] = sleeps
        with self._fence:
            pass
