"""One controller process: starts it, reads its output, ends it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO, Final

from solidbody.base.texts import shortened
from solidbody.contact.build import SDK
from solidbody.control.client import solidbody_wire as wire
from solidbody.control.programs import CLIENT, Program
from solidbody.control.runtime_ini import LIBRARY_PATH

OutputListener = Callable[[str, str, bool], None]
"""Gets (robot name, line, whether it is an error line)."""

LAST_LINES: Final = 20

LAST_LINE: Final = 1000
"""Characters of each of them."""

LINE: Final = 1 << 20
"""[bytes] Longer lines are cut off, with a word; programs may write without end and without a new line."""

OUTPUT_TIME: Final = 1.0
"""[s] Wall time in which the last lines of a process that has ended arrive."""

KILL_TIME: Final = 5.0
"""[s] Wall time after which a process that was killed and still runs is left."""

ASKED: Final = 0.3
"""[s] Wall time that programs which a controller left behind have to end when they are asked to."""


class ControllerProcess:
    """A running program and its output."""

    def __init__(
        self,
        robot: str,
        program: Program,
        address: str,
        secret: str,
        listener: OutputListener,
        key: str = "",
    ) -> None:
        """Start a program; `key` is what it greets with, the robot's name if empty."""
        self.robot = robot
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._listener = listener
        environment = {**os.environ, **program.environment}
        path = [str(CLIENT), environment.get("PYTHONPATH", "")]
        # our libController takes the place of Webots' own in programs that were linked with that
        libraries = [str(SDK / "lib" / "controller"), environment.get(LIBRARY_PATH, "")]
        environment |= {
            LIBRARY_PATH: os.pathsep.join(part for part in libraries if part),
            "WEBOTS_ROBOT_NAME": key or robot,
            "WEBOTS_SERVER": address,  # until R2022b; programs of that time look whether it is there
            "PYTHONPATH": os.pathsep.join(part for part in path if part),
            "PYTHONIOENCODING": "UTF-8",
            "PYTHONUNBUFFERED": "1",
            wire.ADDRESS: address,
            wire.SECRET: secret,
        }
        # a session of its own: Ctrl-C goes to the simulator, which ends its controllers itself
        self.process = subprocess.Popen(
            program.command,
            cwd=program.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=sys.platform != "win32",
        )
        self._readers = [
            threading.Thread(target=self._pump, args=(stream, is_error), daemon=True)
            for stream, is_error in ((self.process.stdout, False), (self.process.stderr, True))
        ]
        for reader in self._readers:
            reader.start()

    def _pump(self, stream: IO[bytes] | None, is_error: bool) -> None:
        if stream is None:
            return
        while raw := stream.readline(LINE):
            cut = 0
            while not raw.endswith(b"\n") and (more := stream.readline(LINE)):
                cut += len(more)
                if more.endswith(b"\n"):
                    break
            line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
            if cut:
                line += f" ... ({cut} more bytes without a new line)"
            self.last_lines.append(shortened(line, LAST_LINE))
            self._listener(self.robot, line, is_error)

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid

    @property
    def status(self) -> int | None:
        """Exit status; None while it runs."""
        return self.process.poll()

    def wait_for_output(self) -> None:
        """Let the last lines arrive, after the process has ended."""
        deadline = time.monotonic() + OUTPUT_TIME
        for reader in self._readers:
            reader.join(timeout=max(deadline - time.monotonic(), 0.0))

    def end(self, patience: float, *, whole: bool) -> None:
        """Give it `patience` seconds to end by itself, then kill it and what it has started.

        Args:
            patience: Wall time [s].
            whole: Whether to end what it has started also if it has ended by itself.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=patience)
        if self.process.poll() is None:
            self._kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=KILL_TIME)
        elif whole and sys.platform != "win32":
            self._end_group()
        self.wait_for_output()

    def _end_group(self) -> None:
        """End the programs of its group that it has left behind."""
        with contextlib.suppress(OSError):  # there are none
            os.killpg(self.pid, signal.SIGTERM)
            deadline = time.monotonic() + ASKED
            while time.monotonic() < deadline:
                time.sleep(0.01)
                os.killpg(self.pid, 0)
            os.killpg(self.pid, signal.SIGKILL)

    def _kill(self) -> None:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                tree = ["taskkill", "/T", "/F", "/PID", str(self.pid)]
                subprocess.run(tree, capture_output=True, check=False, timeout=KILL_TIME)
                self.process.kill()
            else:
                os.killpg(self.pid, signal.SIGKILL)
