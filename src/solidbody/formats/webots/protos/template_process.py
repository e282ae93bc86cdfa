"""Starts the template process, sends it work, and ends it when it takes too long."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import Final

from solidbody.base.limits import MAX_ANSWER, TEMPLATE_PROCESS_MEMORY
from solidbody.base.sized_store import SizedStore
from solidbody.formats.webots.protos.template_engine import CLOCK_TIME, TOO_LONG

START_TIME: Final = 20.0
"""Seconds in which the process must be ready; it takes 0.1 s on an idle machine."""

GRACE: Final = 0.5
"""Seconds beyond the time limit of one evaluation, which JavaScript keeps by itself."""

MAX_PROGRAMS: Final = 20_000_000
"""[characters] Of programs that the process keeps: the 50 templates of a city have 1,000,000."""

PIPE_SIZE: Final = 65_536
"""Bytes that are read from the process at once."""

# -P: a file in the current folder must not be taken for a module of Python.
_PROGRAM = "from solidbody.formats.webots.protos.template_engine import main; main()"


MAX_KEPT: Final = 16_000_000
"""[characters] Of requests and answers that are kept: a house of templates has some 100,000."""

TOO_MUCH_SAID: Final = "its process said more than can be read"

_answers = SizedStore[tuple[str, str, str], str](MAX_KEPT)
"""What scripts wrote: a template sees no files and no time, so it writes the same again.

Without them each change that a supervisor makes to a world would run all templates of that world anew.
"""


class TemplateProcessError(Exception):
    """There is no answer: the process did not start, ended or took too long; the text says which."""


class TemplateProcess:
    """A process that evaluates scripts of one language; started when first needed."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._sent: dict[str, int] = {}  # programs that the process has
        self._room = MAX_PROGRAMS  # for further ones

    def evaluate(self, program: str, values: str) -> tuple[str, bool]:
        """Return the answer of the engine as it came, for `answers.read_answer`, and whether it is new.

        Args:
            program: What evaluations of the template have in common, in JSON (see `engine`).
            values: What this one has: members of an object of JSON.

        Raises:
            EngineError: There is none.
        """
        kept = _answers.get((self._language, program, values))
        return (self.run(program, values), True) if kept is None else (kept, False)

    def keep(self, program: str, values: str, answer: str) -> None:
        """Remember an answer that was good."""
        size = len(program) + len(values) + len(answer)
        _answers.keep((self._language, program, values), answer, size)

    def run(self, program: str, values: str) -> str:
        """Return what the process answers to a request, whether it is known or not.

        Raises:
            EngineError: It does not answer.
        """
        if self._process is None:
            self._start()
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(self._request(program, values).encode())
            self._process.stdin.flush()
            answer = self._answers.get(timeout=CLOCK_TIME + GRACE).decode()
        except queue.Empty:
            self.close()
            raise TemplateProcessError(TOO_LONG) from None
        except (OSError, UnicodeError):
            answer = ""
        if not answer:
            if self._has_run_too_long():
                raise TemplateProcessError(TOO_LONG)
            room = TEMPLATE_PROCESS_MEMORY // 1_000_000
            raise TemplateProcessError(
                f"its process ended, probably for lack of memory (it has {room} MB)"
            )
        if not answer.endswith("\n"):
            self.close()
            raise TemplateProcessError(TOO_MUCH_SAID)
        return answer

    def _request(self, program: str, values: str) -> str:
        """Return a line for the process, which is told each program once, as long as it has room."""
        number = self._sent.get(program)
        if number is not None:
            return f'{{"number": {number}, {values}}}\n'
        if len(program) > self._room:
            return f'{{"program": {program}, {values}}}\n'
        self._room -= len(program)
        number = self._sent[program] = len(self._sent)
        return f'{{"number": {number}, "program": {program}, {values}}}\n'

    def _has_run_too_long(self) -> bool:
        """Whether the system ended the process for the time it has computed; there is none any more."""
        assert self._process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):  # it is about to end
            self._process.wait(1.0)
        status = self._process.poll()
        self.close()
        return sys.platform != "win32" and status == -signal.SIGXCPU

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # it has ended before all was written
                    stream.close()

    def _start(self) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, self._language],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=PIPE_SIZE,
                env=environment,
            )
        except OSError as error:
            raise TemplateProcessError(f"the template engine cannot be started: {error}") from error
        self._answers = queue.SimpleQueue()
        self._sent, self._room = {}, MAX_PROGRAMS
        threading.Thread(
            target=_read_lines, args=(self._process, self._answers), daemon=True
        ).start()
        try:
            ready = self._answers.get(timeout=START_TIME)
        except queue.Empty:
            ready = b""
        if not ready:
            self.close()
            package = "mini-racer" if self._language == "javascript" else "lupa"
            raise TemplateProcessError(
                f"the template engine did not start (it needs the package {package})"
            )


def _read_lines(process: subprocess.Popen[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    assert process.stdout is not None
    try:
        while line := process.stdout.readline(MAX_ANSWER):
            answers.put(line)
            if not line.endswith(b"\n"):
                break  # nobody reads the rest
    except (OSError, ValueError, MemoryError):  # closed while reading
        pass
    answers.put(b"")
