"""Workers: in this process, in processes of this machine, or (`ray_crew.py`) on a cluster.

All have one face: `start` gives a worker some jobs, `wait` returns what has been done and who is gone.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Pipe, wait
from pathlib import Path
from typing import Any, Final, Protocol

from solidbody.sweeps.bench import BenchData
from solidbody.sweeps.jobs import Job, Lost, RunOutcome
from solidbody.sweeps.run import Workplace
from solidbody.sweeps.study import StudyError

Report = tuple[int, list[RunOutcome] | Lost]
"""A worker, and what it has done, or that it is gone."""

START_TRIES: Final = 3
"""Workers that may end before they have begun, one after the other, until a study is given up."""

LAST_WORDS: Final = 2_000
"""Bytes of what a worker wrote before it ended that are told."""

MOST_AT_ONCE: Final = 50
"""Jobs that go to a worker together."""

PATIENCE: Final = 5.0
"""[s] That workers have to end after they were told to."""


class Crew(Protocol):
    """Workers, by their numbers from 0.

    Attributes:
        size: How many there are.
        at_once: How many jobs one of them may get at once.
    """

    size: int
    at_once: int

    def ready(self) -> Iterable[int]:
        """Return the workers that can be given jobs, or have some."""
        ...

    def start(self, worker: int, jobs: Sequence[Job]) -> None:
        """Give a free worker jobs to do."""
        ...

    def has_begun(self, worker: int) -> bool:
        """Tell whether a worker with jobs has begun to do them, or still starts."""
        ...

    def wait(self, timeout: float) -> list[Report]:
        """Return what has been done since; wait up to `timeout` [s] for something."""
        ...

    def kill(self, worker: int) -> None:
        """End a worker, whatever it does; `wait` tells that it is gone."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


class SerialCrew:
    """One worker, this process: an interruption loses no run that is done."""

    size = at_once = 1

    def __init__(self, data: BenchData) -> None:
        self._place = Workplace(data)
        self._jobs: list[Job] = []

    def ready(self) -> Iterable[int]:
        """Return the number of this process."""
        return (0,)

    def start(self, worker: int, jobs: Sequence[Job]) -> None:
        """Note the jobs."""
        self._jobs = list(jobs)

    def has_begun(self, worker: int) -> bool:
        """Tell that it has."""
        return True

    def wait(self, timeout: float) -> list[Report]:
        """Do them."""
        jobs, self._jobs = self._jobs, []
        return [(0, [self._place.do(job) for job in jobs])] if jobs else []

    def kill(self, worker: int) -> None:
        """This process stays."""

    def close(self) -> None:
        """Nothing is left to end."""


class _Process:
    """A worker in a process of its own, from its start on."""

    def __init__(self, payload: bytes, folder: Path, number: int) -> None:
        self.pipe, theirs = Pipe()
        self.log = folder / f"worker{number}.txt"
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "solidbody.sweeps.worker", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                process_group=0,  # Ctrl-C is for the one who started it
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        theirs.close()
        self.has_begun = False
        with contextlib.suppress(OSError):  # it is gone already: `wait` tells
            self.pipe.send_bytes(payload)

    def ending(self) -> str:
        """Return how it has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        status = self.process.poll()
        if status is not None and status < 0:
            return f"its worker was ended by {_signal_name(-status)}"
        return f"its worker ended with status {status}"

    def last_words(self) -> str:
        """Return the end of what it wrote."""
        with contextlib.suppress(OSError):
            return self.log.read_bytes()[-LAST_WORDS:].decode("utf-8", "replace").strip()
        return ""


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


class ProcessCrew:
    """Workers in processes of this machine.

    Args:
        data: What they need.
        size: How many.

    Raises:
        StudyError: Something of it cannot go to another process.
    """

    def __init__(self, data: BenchData, size: int) -> None:
        self.size, self.at_once = size, MOST_AT_ONCE
        self._payload = payload_of(data)
        self._folder = tempfile.TemporaryDirectory(prefix="solidbody-sweep-")
        self._workers: dict[int, _Process] = {}
        self._started = 0
        self._failed_starts = 0

    def ready(self) -> Iterable[int]:
        """Return the numbers of all: they are started when there is something to do."""
        return range(self.size)

    def start(self, worker: int, jobs: Sequence[Job]) -> None:
        """Send jobs to a worker, which is started if it does not run."""
        if worker not in self._workers:
            self._started += 1
            self._workers[worker] = _Process(self._payload, Path(self._folder.name), self._started)
        with contextlib.suppress(OSError):
            self._workers[worker].pipe.send(list(jobs))

    def has_begun(self, worker: int) -> bool:
        """Tell whether a worker has said so."""
        return self._workers[worker].has_begun

    @property
    def pids(self) -> dict[int, int]:
        """The numbers of the processes, by worker."""
        return {number: item.process.pid for number, item in self._workers.items()}

    def wait(self, timeout: float) -> list[Report]:
        """Return what workers have sent, and who is gone.

        Raises:
            StudyError: Workers cannot start here.
        """
        by_pipe: dict[Any, int] = {item.pipe: k for k, item in self._workers.items()}
        reports: list[Report] = []
        for pipe in wait(list(by_pipe), timeout):
            worker = by_pipe[pipe]
            try:
                message = self._workers[worker].pipe.recv()
            except (EOFError, OSError, pickle.UnpicklingError):
                reports.append((worker, self._gone(worker)))
                continue
            self._failed_starts = 0
            self._workers[worker].has_begun = True
            if isinstance(message, str):  # it could not begin
                raise StudyError(f"a worker could not begin: {message}")
            if message:  # an empty list says that it has begun
                reports.append((worker, message))
        return reports

    def _gone(self, worker: int) -> Lost:
        gone = self._workers.pop(worker)
        gone.pipe.close()
        reason = gone.ending()
        if not gone.has_begun:
            self._failed_starts += 1
            if self._failed_starts >= START_TRIES:
                raise StudyError(f"workers do not start: {reason}: {gone.last_words()}")
        return Lost(reason)

    def kill(self, worker: int) -> None:
        """End a process."""
        if worker in self._workers:
            self._workers[worker].process.kill()

    def close(self) -> None:
        """End all processes: they do so when nobody is at the other end any more."""
        for item in self._workers.values():
            item.pipe.close()
            with contextlib.suppress(OSError):
                item.process.terminate()
        for item in self._workers.values():
            try:
                item.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                item.process.kill()
                item.process.wait()
        self._workers.clear()
        self._folder.cleanup()


def payload_of(data: BenchData) -> bytes:
    """Return what workers elsewhere need, as bytes. Raises StudyError if something does not travel."""
    from dataclasses import replace

    conditions = data.conditions
    for source in conditions.functions:
        if not source.text:
            raise StudyError(
                f'the function "{source.name}" cannot go to another process: write it at the top level of'
                " a file, or use the executor serial"
            )

    def sent(source: Any) -> Any:
        return None if source is None else replace(source, here=None)

    conditions = replace(
        conditions,
        prepare=sent(conditions.prepare),
        measures=tuple(replace(m, function=sent(m.function)) for m in conditions.measures),
        stops=tuple(replace(s, function=sent(s.function)) for s in conditions.stops),
    )
    return pickle.dumps(replace(data, conditions=conditions), protocol=5)
