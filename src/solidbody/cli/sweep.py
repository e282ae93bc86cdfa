"""`solidbody sweep`: does the runs of a study, with a bar of how far it is."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solidbody.cli.console import error_console, say, say_error, say_warning
from solidbody.cli.status import BAD_INPUT, OK, SIMULATION_FAILED

if TYPE_CHECKING:
    from solidbody.formats.options import LoadOptions
    from solidbody.sweeps.preparing import PreparedStudy
    from solidbody.sweeps.results import SweepResults
    from solidbody.sweeps.sweep import ExecutorName, SweepProgress

INTERRUPTED = 130
"""Exit status after Ctrl-C, as of shells."""

TERMINATED = 143
"""Exit status after SIGTERM."""

SHOW_PERIOD = 10.0
"""[s] Wall time between lines of progress where there is no terminal."""

SHOWN_FAILURES = 5


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """What the command line asks for.

    Attributes:
        out: Folder of results; None = the name of the study and `.results`, in the working folder.
        executor: serial, process or ray.
        workers: How many; None = one per processor.
        address: Of a Ray cluster.
        resume: Go on with the study in `out`.
        retry_failed: Do failed runs again.
        keep: Of which runs files are kept; None = as the study says.
        dry_run: Only list the runs.
        as_json: Print what came out as JSON.
        reading: Where PROTOs come from.
    """

    out: Path | None
    executor: ExecutorName
    workers: int | None
    address: str | None
    resume: bool
    retry_failed: bool
    keep: str | None
    dry_run: bool
    as_json: bool
    reading: LoadOptions


class _Terminated(KeyboardInterrupt):
    """Somebody asked for the end by SIGTERM."""


def run_sweep(path: Path, options: SweepOptions) -> int:
    """Do a study; return the exit status."""
    from solidbody.base.errors import SolidbodyError
    from solidbody.sweeps.sweep import prepared_study, sweep

    folder = options.out or Path(f"{path.stem}.results")
    try:
        prepared = prepared_study(path, options=options.reading)
        for text in prepared.warnings:
            say_warning(text)
        if options.dry_run:
            _list_runs(prepared, as_json=options.as_json)
            return OK
        began = time.perf_counter()
        with _terminable(), _bar(len(prepared.jobs)) as show:
            results = sweep(
                prepared,
                executor=options.executor,
                workers=options.workers,
                address=options.address,
                out=folder,
                resume=options.resume or options.retry_failed,
                retry_failed=options.retry_failed,
                keep=options.keep,
                progress=show,
            )
    except SolidbodyError as error:
        for line in str(error).splitlines():
            say_error(line)
        return BAD_INPUT
    except KeyboardInterrupt as end:
        say_warning(f"interrupted; what is done is in {folder}, and --resume goes on")
        return TERMINATED if isinstance(end, _Terminated) else INTERRUPTED
    _report(results, folder, time.perf_counter() - began, as_json=options.as_json)
    return SIMULATION_FAILED if results.failed else OK


def _list_runs(prepared: PreparedStudy, *, as_json: bool) -> None:
    """Print the runs of a study, without doing them."""
    names = [item.name for item in prepared.study.conditions.parameters]
    runs = [
        {"run": job.run, **dict(zip(names, job.values, strict=True)), "seed": job.seed}
        for job in prepared.jobs
    ]
    if as_json:
        print(json.dumps({"runs": runs}, indent=1))
        return
    for run in runs:
        print(", ".join(f"{name} {value}" for name, value in run.items() if value is not None))


def _report(results: SweepResults, folder: Path, seconds: float, *, as_json: bool) -> None:
    failed = results.failed
    for row in failed[:SHOWN_FAILURES]:
        say_error(f"run {row['run']}: {row['message']}")
    if len(failed) > SHOWN_FAILURES:
        say_error(
            f"... and {len(failed) - SHOWN_FAILURES} more failed; the column message tells why"
        )
    say(f"{len(results)} runs, {len(failed)} failed, in {seconds:.3g} s: {folder}")
    if as_json:
        found: dict[str, Any] = {
            "runs": len(results),
            "failed": len(failed),
            "seconds": seconds,
            "folder": str(folder),
            "files": sorted(item.name for item in folder.iterdir()),
            "parameters": list(results.parameters),
            "measures": list(results.measures),
        }
        print(json.dumps(found, indent=1))


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, by which jobs are cancelled, end a study in good order."""

    def leave(_number: int, _frame: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _bar(total: int) -> Iterator[Any]:
    """Yield what shows progress: a bar on a terminal, a line now and then elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _Lines()
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.completed} of {task.total} runs"),
        BarColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}", style="red"),
    )
    with Progress(*columns, console=error_console(), transient=True) as bar:
        task = bar.add_task("", total=total, rate="", failed="")
        first: list[SweepProgress] = []

        def show(now: SweepProgress) -> None:
            first.append(now) if not first else None
            rate = _rate(first[0], now)
            told = f"{now.failed} failed" if now.failed else ""
            shown = f"{rate:.3g}/s" if rate else ""
            bar.update(task, completed=now.done, rate=shown, failed=told)

        yield show


class _Lines:
    """Says how far a study is, where nobody looks at a terminal."""

    def __init__(self) -> None:
        self._said = time.monotonic()
        self._first: SweepProgress | None = None

    def __call__(self, now: SweepProgress) -> None:
        self._first = self._first or now
        if time.monotonic() - self._said > SHOW_PERIOD:
            self._said = time.monotonic()
            rate = _rate(self._first, now)
            left = f", {rate:.3g}/s, {(now.total - now.done) / rate:.0f} s left" if rate else ""
            failed = f", {now.failed} failed" if now.failed else ""
            say(f"{now.done} of {now.total} runs{failed}{left}")


def _rate(first: SweepProgress, now: SweepProgress) -> float:
    """Return runs per second, of those done since the first one was told: workers start slowly."""
    seconds = now.seconds - first.seconds
    return (now.done - first.done) / seconds if seconds > 0.0 else 0.0
