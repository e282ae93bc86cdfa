"""Gives runs to workers, tries those again whose worker is gone, and never loses one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from solidbody.sweeps.crews import Crew
from solidbody.sweeps.jobs import FAILED, Job, Lost, RunOutcome

CHUNK_TIME: Final = 0.1
"""[s] Wall time aimed at for the jobs that a worker gets at once: passing jobs on costs a millisecond."""

GRACE: Final = 10.0
"""[s] Beyond its time limit after which a run that does not come back is ended with its worker: reading,
programs that end, functions that hang."""

START_TIME: Final = 300.0
"""[s] After which a worker that has not begun is given up."""

POLL: Final = 0.25
"""[s] How often time limits are looked at."""


@dataclass(slots=True)
class _Given:
    """What a worker has to do.

    Attributes:
        jobs: Its runs.
        since: When they were sent.
        at: When it could begin them.
        is_late: Whether it was ended because it took too long.
    """

    jobs: list[Job]
    since: float
    at: float
    is_late: bool = False


class Schedule:
    """Does all jobs on a crew.

    Args:
        crew: The workers.
        time_limit: Wall time of a run [s].
        retries: How often a run is tried again whose worker is gone.
    """

    def __init__(self, crew: Crew, *, time_limit: float, retries: int) -> None:
        self._crew, self._limit, self._retries = crew, time_limit, retries
        self._waiting: deque[Job] = deque()
        self._suspects: deque[Job] = deque()
        self._given: dict[int, _Given] = {}
        self._tries: dict[int, int] = {}
        self._cost = 0.0

    def go(self, jobs: Iterable[Job], done: Callable[[RunOutcome], None]) -> None:
        """Do jobs, in order as far as workers go; `done` is told of each outcome."""
        self._waiting.extend(jobs)
        while self._waiting or self._suspects or self._given:
            for worker in self._crew.ready():
                if worker not in self._given:
                    chunk = self._chunk()
                    if chunk:
                        now = time.monotonic()
                        self._given[worker] = _Given(chunk, now, now)
                        self._crew.start(worker, chunk)
            for worker, answer in self._crew.wait(POLL):
                given = self._given.pop(worker)
                if isinstance(answer, Lost):
                    self._lost(given, answer, done)
                    continue
                took = time.monotonic() - given.at
                self._cost = took / len(given.jobs)
                for outcome in answer:
                    done(outcome)
            self._end_late_ones()

    def _chunk(self) -> list[Job]:
        """Return what the next free worker does: suspects alone, others so many that it takes a while."""
        if self._suspects:
            return [self._suspects.popleft()]
        count = 1
        if self._cost > 0.0:
            fair = len(self._waiting) // (2 * self._crew.size)  # the end comes for all at once
            count = max(1, min(int(CHUNK_TIME / self._cost), fair, self._crew.at_once))
        return [self._waiting.popleft() for _ in range(min(count, len(self._waiting)))]

    def _lost(self, given: _Given, lost: Lost, done: Callable[[RunOutcome], None]) -> None:
        """A worker is gone: of several jobs nobody knows which one ended it, so each is done alone."""
        if len(given.jobs) > 1:
            self._suspects.extend(given.jobs)
            return
        (job,) = given.jobs
        if given.is_late:
            text = f"took longer than {self._limit:g} s and did not end by itself: it was ended"
            done(RunOutcome(job.run, FAILED, text, seed=job.seed))
            return
        tries = self._tries[job.run] = self._tries.get(job.run, 0) + 1
        if tries <= self._retries:
            self._suspects.append(job)
            return
        text = f"{lost.reason}, {tries} times: given up"
        done(RunOutcome(job.run, FAILED, text, seed=job.seed))

    def _end_late_ones(self) -> None:
        now = time.monotonic()
        for worker, given in self._given.items():
            if not self._crew.has_begun(worker):
                # time limits are for runs: on a busy machine a worker may take long to start
                given.at = now
                if now - given.since > START_TIME:
                    self._crew.kill(worker)
                continue
            if not given.is_late and now - given.at > self._limit * len(given.jobs) + GRACE:
                given.is_late = len(given.jobs) == 1
                self._crew.kill(worker)
