"""`sweep`: does a study and returns its results."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from solidbody.contact.engine import processors
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.sweeps.crews import Crew, ProcessCrew, SerialCrew
from solidbody.sweeps.jobs import FAILED, RunOutcome
from solidbody.sweeps.journal import Journal
from solidbody.sweeps.preparing import PreparedStudy, prepare
from solidbody.sweeps.results import SweepResults
from solidbody.sweeps.schedule import Schedule
from solidbody.sweeps.study import Study, StudyError
from solidbody.sweeps.study_file import parse_kept, read_study, study_of
from solidbody.sweeps.worker import IN_WORKER

ExecutorName = Literal["serial", "process", "ray"]

EXECUTORS: Final = ("serial", "process", "ray")

MOST_WORKERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class SweepProgress:
    """How far a study is: runs done (of them failed), runs in all, wall time since it began [s]."""

    done: int
    failed: int
    total: int
    seconds: float


def sweep(
    study: str | os.PathLike[str] | Mapping[str, Any] | Study | PreparedStudy,
    *,
    executor: ExecutorName = "serial",
    workers: int | None = None,
    address: str | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    retry_failed: bool = False,
    keep: str | None = None,
    options: LoadOptions = DEFAULT_OPTIONS,
    progress: Callable[[SweepProgress], None] | None = None,
) -> SweepResults:
    """Do all runs of a study; the results are the same bytes for every executor.

    Args:
        study: A TOML file, or a mapping with the same keys.
        executor: Where runs are done: in this process, in processes of this machine, on Ray.
        workers: How many; None = one per processor.
        address: Of a Ray cluster; None = one that is started here for the study.
        out: Folder of results; None = nothing is written.
        resume: Go on with the study in `out`.
        retry_failed: Do runs again that failed before.
        keep: Of which runs files are kept: failed, all, none, or numbers such as `0,5-7`; None = as the study
            says.
        options: Where PROTOs and other files come from.
        progress: Told after each run.

    Raises:
        StudyError: The study cannot be made, or its results cannot be written.
    """
    prepared = study if isinstance(study, PreparedStudy) else prepared_study(study, options=options)
    if keep is not None:
        prepared = _keeping(prepared, keep)
    folder = None if out is None else Path(out)
    done: dict[int, RunOutcome] = {}
    journal = None if folder is None else Journal(folder)
    if journal is not None:
        if resume:
            done = journal.resume(prepared)
        else:
            journal.begin(prepared)
    elif resume:
        raise StudyError("a study goes on in its folder: say which by out")
    if retry_failed:
        done = {run: outcome for run, outcome in done.items() if outcome.status != FAILED}
    try:
        _do(
            prepared, done, journal, progress, lambda: crew_of(prepared, executor, workers, address)
        )
    finally:
        if journal is not None:
            journal.close()
        if folder is not None and done:
            SweepResults(prepared, done, folder).save(folder)
    results = SweepResults(prepared, done, folder)
    if folder is not None:
        from solidbody.sweeps.chart import save_chart

        save_chart(results, folder, prepared.study.name)
    return results


def prepared_study(
    study: str | os.PathLike[str] | Mapping[str, Any] | Study,
    *,
    options: LoadOptions = DEFAULT_OPTIONS,
) -> PreparedStudy:
    """Return a study that can be run. Raises StudyError with everything that is wrong with it."""
    if os.environ.get(IN_WORKER):
        raise StudyError(
            "a worker of a study has come upon another study: put the call of sweep below"
            ' `if __name__ == "__main__":`'
        )
    if isinstance(study, Mapping):
        study = study_of(study, options=options)
    elif not isinstance(study, Study):
        study = read_study(study, options=options)
    return prepare(study)


def crew_of(
    prepared: PreparedStudy, executor: str, workers: int | None, address: str | None
) -> Crew:
    """Return the workers that are asked for. Raises StudyError if there are none such."""
    if executor not in EXECUTORS:
        raise StudyError(f'no executor is named "{executor}"; known: {", ".join(EXECUTORS)}')
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise StudyError(f"expected 1 to {MOST_WORKERS:,} workers, got {workers}")
    if address is not None and executor != "ray":
        raise StudyError("an address is for the executor ray")
    if executor == "serial":
        return SerialCrew(prepared.data)
    if executor == "process":
        return ProcessCrew(prepared.data, workers or processors())
    from solidbody.sweeps.ray_crew import RayCrew

    return RayCrew(prepared.data, workers, address)


def _keeping(prepared: PreparedStudy, keep: str) -> PreparedStudy:
    try:
        runs = parse_kept(keep)
    except ValueError as error:
        raise StudyError(f"keep: {error}") from None
    conditions = prepared.data.conditions
    conditions = replace(conditions, keep=replace(conditions.keep, runs=runs))
    return replace(prepared, data=replace(prepared.data, conditions=conditions))


def _do(
    prepared: PreparedStudy,
    done: dict[int, RunOutcome],
    journal: Journal | None,
    progress: Callable[[SweepProgress], None] | None,
    make_crew: Callable[[], Crew],
) -> None:
    """Do what is not done yet."""
    began = time.monotonic()
    failed = sum(outcome.status == FAILED for outcome in done.values())

    def finished(outcome: RunOutcome) -> None:
        nonlocal failed
        if journal is not None:
            journal.note(outcome)
            outcome.files = {}
        done[outcome.run] = outcome
        failed += outcome.status == FAILED
        if progress is not None:
            elapsed = time.monotonic() - began
            progress(SweepProgress(len(done), failed, len(prepared.jobs), elapsed))

    left = [job for job in prepared.jobs if job.run not in done]
    if not left:
        return
    crew = make_crew()
    try:
        schedule = Schedule(
            crew,
            time_limit=prepared.data.conditions.time_limit,
            retries=prepared.study.retries,
        )
        schedule.go(left, finished)
    finally:
        crew.close()
