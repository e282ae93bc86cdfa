"""Runs templates in a process of their own, and ends it when one does not come back."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from typing import Any, Final

from solidbody.formats.webots.protos.engine import CLOCK_TIME, TOO_LONG

START_TIME: Final = 20.0
"""Seconds in which the process must be ready; it takes 0.1 s on an idle machine."""

GRACE: Final = 0.5
"""Seconds beyond the time limit of one evaluation, which JavaScript keeps by itself."""

ALL_TIME: Final = 20.0
"""Seconds of computing for all templates of one world."""

# -P: a file in the current folder must not be taken for a module of Python.
_PROGRAM = "from solidbody.formats.webots.protos.engine import main; main()"


MAX_KEPT: Final = 16_000_000
"""[characters] Of requests and answers that are kept: a house of templates has some 100,000."""


class Answers:
    """What scripts wrote, oldest first: a template sees no files and no time, so it writes the same again.

    Without them each change that a supervisor makes to a world would run all templates of that world anew.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], str] = {}
        self._size = 0

    def get(self, language: str, request: str) -> str | None:
        """Return the answer to a request; None if it is not kept."""
        return self._kept.get((language, request))

    def keep(self, language: str, request: str, answer: str) -> None:
        """Keep an answer, and forget the oldest ones where they are too many."""
        self._kept[language, request] = answer
        self._size += len(request) + len(answer)
        while self._size > MAX_KEPT:
            first = next(iter(self._kept))
            self._size -= len(first[1]) + len(self._kept.pop(first))


_answers = Answers()


class EngineProcess:
    """A process that evaluates scripts of one language; started when first needed."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()

    def evaluate(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of the engine: `result`, or `error` and `line`."""
        text = json.dumps(request)
        kept = _answers.get(self._language, text)
        if kept is not None:
            return {"result": kept, "seconds": 0.0}
        answer = self.run(text)
        if "result" in answer:
            _answers.keep(self._language, text, answer["result"])
        return answer

    def run(self, request: str) -> dict[str, Any]:
        """Return what the process answers to a request, whether it is known or not."""
        if self._process is None:
            problem = self._start()
            if problem:
                return {"error": problem, "line": 0}
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
            answer = self._answers.get(timeout=CLOCK_TIME + GRACE)
        except queue.Empty:
            self.close()
            return {"error": TOO_LONG, "line": 0}
        except OSError:
            answer = ""
        if not answer:
            if self._has_run_too_long():
                return {"error": TOO_LONG, "line": 0}
            return {"error": "its process ended, probably for lack of memory", "line": 0}
        return json.loads(answer)

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

    def _start(self) -> str:
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
                text=True,
                encoding="utf-8",
                env=environment,
            )
        except OSError as error:
            return f"the template engine cannot be started: {error}"
        self._answers = queue.Queue()
        threading.Thread(
            target=_read_lines, args=(self._process, self._answers), daemon=True
        ).start()
        try:
            ready = self._answers.get(timeout=START_TIME)
        except queue.Empty:
            ready = ""
        if not ready:
            self.close()
            package = "mini-racer" if self._language == "javascript" else "lupa"
            return f"the template engine did not start (it needs the package {package})"
        return ""


def _read_lines(process: subprocess.Popen[str], answers: queue.Queue[str]) -> None:
    assert process.stdout is not None
    try:
        for line in process.stdout:
            answers.put(line)
    except (OSError, ValueError):  # closed while reading
        pass
    answers.put("")
