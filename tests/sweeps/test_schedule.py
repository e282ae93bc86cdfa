"""Which worker gets what, and when it is given up; with workers that only pretend."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from solidbody.sweeps import schedule
from solidbody.sweeps.crews import Report
from solidbody.sweeps.jobs import Job, Lost, RunOutcome
from solidbody.sweeps.schedule import GRACE, START_TIME, Schedule

LIMIT = 5.0
"""[s] Of a run."""


class SlowCrew:
    """One worker, which takes a time to begin, and another for its job.

    Attributes:
        now: The time [s].
        killed: When it was ended.
    """

    size = at_once = 1

    def __init__(self, begins: float, takes: float) -> None:
        self.now = 0.0
        self.killed: list[float] = []
        self._begins, self._takes = begins, takes
        self._jobs: Sequence[Job] = ()
        self._since = self._due = 0.0

    def ready(self) -> tuple[int, ...]:
        return (0,)

    def start(self, worker: int, jobs: Sequence[Job]) -> None:
        self._jobs, self._since = jobs, self.now
        self._due = self.now + self._begins + self._takes

    def has_begun(self, worker: int) -> bool:
        return self.now >= self._since + self._begins

    def wait(self, timeout: float) -> list[Report]:
        self.now += timeout
        if self.killed and self.killed[-1] >= self._since:
            return [(0, Lost("its worker was ended"))]
        if self.now < self._due:
            return []
        return [(0, [RunOutcome(job.run, "ok", "", seed=job.seed) for job in self._jobs])]

    def kill(self, worker: int) -> None:
        self.killed.append(self.now)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("begins", "takes", "killed", "status"),
    [
        (100.0, 4.0, None, "ok"),  # slow to begin, as on a busy machine
        (0.0, LIMIT + GRACE - 1.0, None, "ok"),
        (100.0, 100.0, 100.0 + LIMIT + GRACE, "failed"),  # its own run takes too long
        (2.0 * START_TIME, 1.0, START_TIME, "failed"),  # never begins
    ],
)
def test_time_limits_begin_with_the_run(
    begins: float,
    takes: float,
    killed: float | None,
    status: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a worker needs to begin is not counted; but nobody waits for ever."""
    crew = SlowCrew(begins, takes)
    monkeypatch.setattr(schedule, "time", SimpleNamespace(monotonic=lambda: crew.now))
    found: list[RunOutcome] = []
    plan = Schedule(crew, time_limit=LIMIT, retries=0)
    plan.go([Job(0, ())], found.append)
    assert [outcome.status for outcome in found] == [status]
    assert crew.killed == ([] if killed is None else [pytest.approx(killed, abs=1.0)])
