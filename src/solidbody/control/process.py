"""One controller process: started, listened to, ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import IO

from solidbody.control.client import solidbody_wire as wire
from solidbody.control.programs import CLIENT, Program

OutputListener = Callable[[str, str, bool], None]
"""Gets (robot name, line, whether it is an error line)."""

LAST_LINES = 20


class ControllerProcess:
    """A running program and its output."""

    def __init__(
        self, robot: str, program: Program, address: str, secret: str, listener: OutputListener
    ) -> None:
        self.robot = robot
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._listener = listener
        environment = {**os.environ, **program.environment}
        path = [str(CLIENT), environment.get("PYTHONPATH", "")]
        environment |= {
            "WEBOTS_ROBOT_NAME": robot,
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
        for raw in stream:
            line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
            self.last_lines.append(line)
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
        for reader in self._readers:
            reader.join(timeout=1.0)

    def end(self, patience: float) -> None:
        """Give it `patience` seconds to end by itself, then kill it and what it has started."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=patience)
        if self.process.poll() is None:
            self._kill()
            self.process.wait()
        self.wait_for_output()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)
