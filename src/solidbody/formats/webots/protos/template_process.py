"""Starts the template process, sends it work, and ends it when it takes too long.

A process that is well is passed on to the next load: starting one takes as long as reading a small
world. Each evaluation has a context of its own, so it finds nothing of the loads before.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import Final

from solidbody.base.extras import missing_modules, needs
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


class _Worker:
    """One process, and what it has been told."""

    def __init__(self, language: str) -> None:
        self.answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.is_fresh = True
        """Nothing has been asked of it."""
        self._sent: dict[str, int] = {}  # programs that the process has
        self._room = MAX_PROGRAMS  # for further ones
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM, language],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=PIPE_SIZE,
                env=environment,
            )
        except OSError as error:
            raise TemplateProcessError(f"the template engine cannot be started: {error}") from error
        threading.Thread(
            target=_read_lines, args=(self._process, self.answers), daemon=True
        ).start()
        try:
            ready = self.answers.get(timeout=START_TIME)
        except queue.Empty:
            ready = b""
        if not ready:
            self.end()
            if language != "javascript" and missing_modules("protos"):
                raise TemplateProcessError(f"a template in Lua {needs('protos')}")
            package = "mini-racer" if language == "javascript" else "lupa"
            raise TemplateProcessError(
                f"the template engine did not start (it needs the package {package})"
            )

    @property
    def is_well(self) -> bool:
        """Whether it runs and has said nothing that it was not asked."""
        return self._process.poll() is None and self.answers.empty()

    def ask(self, program: str, values: str) -> str:
        """Return its answer; "" = it has ended.

        Raises:
            queue.Empty: It has taken too long.
        """
        self.is_fresh = False
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(self._request(program, values).encode())
            self._process.stdin.flush()
            return self.answers.get(timeout=CLOCK_TIME + GRACE).decode()
        except (OSError, UnicodeError):
            return ""

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

    def has_run_too_long(self) -> bool:
        """Whether the system has ended it for the time it has computed."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # it is about to end
            self._process.wait(1.0)
        return sys.platform != "win32" and self._process.poll() == -signal.SIGXCPU

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # it has ended before all was written
                    stream.close()


_idle: dict[str, _Worker] = {}
"""Processes without work, one per language at most; they end by themselves after a while (`IDLE_TIME`)."""

if hasattr(os, "register_at_fork"):  # both would talk to one process
    os.register_at_fork(after_in_child=_idle.clear)


class TemplateProcess:
    """A process that evaluates scripts of one language; found or started when first needed."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._worker: _Worker | None = None

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
        worker = self._worker = self._worker or self._found() or _Worker(self._language)
        was_fresh = worker.is_fresh
        try:
            answer = worker.ask(program, values)
        except queue.Empty:
            self.close()
            raise TemplateProcessError(TOO_LONG) from None
        if answer.endswith("\n"):
            return answer
        too_long = not answer and worker.has_run_too_long()
        self.close()
        if too_long:
            raise TemplateProcessError(TOO_LONG)
        if answer:
            raise TemplateProcessError(TOO_MUCH_SAID)
        if not was_fresh:  # it had no work for a while, or others have left it too little memory
            self._worker = _Worker(self._language)
            return self.run(program, values)
        room = TEMPLATE_PROCESS_MEMORY // 1_000_000
        raise TemplateProcessError(
            f"its process ended, probably for lack of memory (it has {room} MB)"
        )

    def _found(self) -> _Worker | None:
        """Take the process that waits for work, if there is one that is well."""
        worker = _idle.pop(self._language, None)
        if worker is None or worker.is_well:
            return worker
        worker.end()
        return None

    def release(self) -> None:
        """Leave the process to the next load."""
        worker, self._worker = self._worker, None
        if worker is not None:
            unneeded = _idle.setdefault(self._language, worker) is not worker
            if unneeded or not worker.is_well:
                worker.end()

    def close(self) -> None:
        """End the process."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()


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
    process.wait()  # leave nothing of a process that ends by itself
