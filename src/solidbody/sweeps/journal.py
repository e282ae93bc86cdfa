"""The folder of a study: what it was, a line per finished run, kept files, from which it can go on."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from solidbody.base.output_files import reason_of, write_whole
from solidbody.sweeps.jobs import RunOutcome
from solidbody.sweeps.preparing import PreparedStudy
from solidbody.sweeps.study import StudyError

STUDY, JOURNAL, RUNS = "study.json", "journal.jsonl", "runs"

FORMAT: Final = 1

_FREE: Final = ("keep", "retries", "time_limit", "name")
"""What may be different when a study goes on: it changes no number."""


class Journal:
    """Writes what has been done, run by run; a process that is killed loses no finished run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stream: Any = None

    def begin(self, prepared: PreparedStudy) -> None:
        """Make the folder of a new study.

        Raises:
            StudyError: It cannot be written, or there are results of another study in it.
        """
        if (self.folder / JOURNAL).exists():
            raise StudyError(
                f"{self.folder} has results of a study: --resume goes on with it, --out names another folder"
            )
        with self._guarded():
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(record_of(prepared), indent=1, sort_keys=True)
            write_whole(self.folder / STUDY, f"{text}\n".encode())
            self._stream = (self.folder / JOURNAL).open("ab")

    def resume(self, prepared: PreparedStudy) -> dict[int, RunOutcome]:
        """Go on with the study of the folder; return what was done, by number.

        Raises:
            StudyError: It is another study; the text says what differs.
        """
        if not (self.folder / STUDY).exists():
            raise StudyError(f"{self.folder} holds no study to go on with")
        try:
            before = json.loads((self.folder / STUDY).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise StudyError(f"{self.folder / STUDY} cannot be read: {reason_of(error)}") from None
        now = json.loads(json.dumps(record_of(prepared)))
        differing = list(_differences(before, now))
        if differing:
            raise StudyError(f"{self.folder} is of another study", *differing[:20])
        done = dict(self._finished(len(prepared.jobs)))
        with self._guarded():
            self._stream = (self.folder / JOURNAL).open("ab")
            self._end_torn_line()
        return done

    def _finished(self, count: int) -> Iterator[tuple[int, RunOutcome]]:
        path = self.folder / JOURNAL
        if path.exists() and not path.is_file():
            raise StudyError(f"{path} is no file")
        try:
            lines = path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StudyError(f"{path} cannot be read: {reason_of(error)}") from None
        for line in lines:
            with contextlib.suppress(
                ValueError, RecursionError
            ):  # cut off when the process was killed
                outcome = RunOutcome.of_line(line.decode("utf-8"))
                if 0 <= outcome.run < count:
                    yield outcome.run, outcome

    def _end_torn_line(self) -> None:
        """Let the next line begin at its beginning."""
        path = self.folder / JOURNAL
        if path.stat().st_size:
            with path.open("rb") as stream:
                stream.seek(-1, os.SEEK_END)
                if stream.read(1) != b"\n":
                    self._stream.write(b"\n")

    def note(self, outcome: RunOutcome) -> None:
        """Write what became of a run. Raises StudyError if that fails."""
        with self._guarded():
            if outcome.files:
                folder = self.folder / RUNS / f"{outcome.run:06d}"
                folder.mkdir(parents=True, exist_ok=True)
                for name, data in outcome.files.items():
                    # whatever a worker sends stays in this folder
                    write_whole(folder / Path(name).name, data)
            self._stream.write(outcome.line().encode() + b"\n")
            self._stream.flush()

    def close(self) -> None:
        """Nothing more will be done."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
            self._stream = None

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StudyError(
                f"{self.folder} cannot be written: {reason_of(error)}; what was done before is kept"
            ) from error


def record_of(prepared: PreparedStudy) -> dict[str, Any]:
    """Return what a study was: as written, its runs in number, and digests of all it depends on."""
    return {
        "format": FORMAT,
        "study": prepared.study.plain,
        "runs": len(prepared.jobs),
        "inputs": prepared.inputs,
    }


def _differences(before: Any, now: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield where two records differ, in words."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            if path == ("study",) and key in _FREE:
                continue
            if key not in before or key not in now:
                yield f"{_shown((*path, key))}: only {'before' if key in before else 'now'}"
            else:
                yield from _differences(before[key], now[key], (*path, key))
    elif before != now and path[:1] != ("runs",):
        name = _shown(path)
        if name.startswith("file "):
            yield f"{name} has changed"
        else:
            yield f"{name}: was {json.dumps(before)[:100]}, is {json.dumps(now)[:100]}"


def _shown(path: tuple[str, ...]) -> str:
    return ".".join(path[1:] if path[:1] in (("study",), ("inputs",)) else path)
