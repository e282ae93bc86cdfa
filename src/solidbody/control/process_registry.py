"""Tracks the processes of a run, so that none of them outlives the simulator."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

WATCHDOG: Final = Path(__file__).with_name("watchdog.py")

FAREWELL: Final = 5.0
"""[s] Wall time that the watchdog has to end what is left; it needs a few hundredths where nothing is."""


class ProcessRegistry:
    """The simulator's side of the watchdog, which is started with the first controller.

    Windows has no process groups: there the programs of a controller are ended with it (`ControllerProcess`).

    Args:
        secret: What all programs of the run have in their environment.
        folder: Removed at the end.
    """

    def __init__(self, secret: str, folder: str) -> None:
        self._first = [f"secret {secret}", f"folder {folder}"]
        self._watchdog: subprocess.Popen[bytes] | None = None

    def begun(self, pid: int) -> None:
        """A controller was started, as the first of a process group."""
        if self._watchdog is None:
            self._start()
        self._tell(f"+ {pid}")

    def ended(self, pid: int) -> None:
        """A controller has ended; programs that it has started may go on until the end of the run."""
        self._tell(f"- {pid}")

    def published(self, path: str) -> None:
        """There is a file to be removed at the end."""
        self._tell(f"file {path}")

    def close(self) -> None:
        """End all programs that are left."""
        watchdog, self._watchdog = self._watchdog, None
        if watchdog is None or watchdog.stdin is None:
            return
        with contextlib.suppress(OSError):
            watchdog.stdin.write(b"hurry\n")
        with contextlib.suppress(OSError):
            watchdog.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            watchdog.wait(timeout=FAREWELL)

    def _start(self) -> None:
        if sys.platform == "win32" or not sys.executable:
            return
        with contextlib.suppress(OSError):
            self._watchdog = subprocess.Popen(
                # isolated, without site-packages: it is there in 20 ms
                [sys.executable, "-I", "-S", str(WATCHDOG)],
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # what ends the simulator's group does not end it
            )
        first, self._first = self._first, []
        for line in first:
            self._tell(line)

    def _tell(self, line: str) -> None:
        watchdog = self._watchdog
        if watchdog is None or watchdog.stdin is None:
            self._first.append(line)
            return
        with contextlib.suppress(OSError):
            watchdog.stdin.write(os.fsencode(line) + b"\n")
