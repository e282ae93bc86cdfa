"""Results of a study: a row per run, as lists, CSV, Parquet. The same bytes wherever the runs were done."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from solidbody.base.errors import NameLookupError
from solidbody.base.output_files import reason_of, write_whole
from solidbody.sweeps.jobs import FAILED, RunOutcome
from solidbody.sweeps.preparing import PreparedStudy, versions
from solidbody.sweeps.study import StudyError

CSV, PARQUET = "results.csv", "results.parquet"


class SweepResults:
    """What came out of a study, in the order of its runs.

    Attributes:
        rows: One per finished run: column to value, None where there is no value.
        planned: Runs that the study has.
        parameters: Names of the columns that were varied.
        measures: Names of the columns that were measured.
        folder: Where the files are; None = nothing was written.
    """

    def __init__(
        self, prepared: PreparedStudy, outcomes: Mapping[int, RunOutcome], folder: Path | None
    ) -> None:
        self.folder = folder
        self.planned = len(prepared.jobs)
        conditions = prepared.study.conditions
        self.parameters = tuple(item.name for item in conditions.parameters)
        done = [(job, outcomes[job.run]) for job in prepared.jobs if job.run in outcomes]
        wanted = [item.name for item in conditions.measures]
        found = {name for _, outcome in done for name in outcome.measured}
        self.measures = tuple(
            name
            for measure in wanted
            for name in ([measure] if measure in found or not _parts_of(measure, found) else [])
            + _parts_of(measure, found)
        )
        self.versions = {f"version.{name}": text for name, text in versions().items()}
        self.rows: list[dict[str, Any]] = [
            {
                "run": job.run,
                **dict(zip(self.parameters, job.values, strict=True)),
                "seed": outcome.seed,
                "status": outcome.status,
                **{name: outcome.measured.get(name) for name in self.measures},
                "ended_by": outcome.ended_by or None,
                "exit_status": outcome.exit_status,
                "simulated": outcome.simulated,
                "steps": outcome.steps,
                "digest": outcome.digest or None,
                "message": outcome.message or None,
                **self.versions,
            }
            for job, outcome in done
        ]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The rows of runs that failed; `message` says why."""
        return [row for row in self.rows if row["status"] == FAILED]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        inner = ("ended_by", "exit_status", "simulated", "steps", "digest", "message")
        return (
            *("run", *self.parameters, "seed", "status"),
            *(*self.measures, *inner, *self.versions),
        )

    def column(self, name: str) -> list[Any]:
        """Return the values of a column. Raises NameLookupError if there is none of that name."""
        if name not in self.columns:
            raise NameLookupError("column", name, self.columns)
        return [row[name] for row in self.rows]

    def csv(self) -> str:
        """Return the rows as CSV; numbers read back without loss, lists are JSON."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow([_cell(row[name]) for name in self.columns])
        return out.getvalue()

    def parquet(self) -> bytes:
        """Return the rows as Parquet. Raises ImportError without pyarrow."""
        import pyarrow
        import pyarrow.parquet

        arrays = [_array(pyarrow, self.column(name)) for name in self.columns]
        table = pyarrow.table(arrays, names=list(self.columns))
        sink = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(table, sink, compression="zstd")
        return sink.getvalue().to_pybytes()

    def save(self, folder: Path) -> list[Path]:
        """Write the tables to a folder; return the files. Raises StudyError."""
        files = {CSV: self.csv().encode()}
        with contextlib.suppress(ImportError):  # the CSV says the same
            files[PARQUET] = self.parquet()
        try:
            for name, data in files.items():
                write_whole(folder / name, data)
        except OSError as error:
            raise StudyError(f"{folder} cannot be written: {reason_of(error)}") from error
        return [folder / name for name in files]


def _parts_of(measure: str, found: set[str]) -> list[str]:
    """Return the columns of a function that returns several values."""
    return sorted(name for name in found if name.startswith(f"{measure}."))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value) if isinstance(value, list | tuple) else str(value)


def _array(pyarrow: Any, values: Sequence[Any]) -> Any:
    """Return a column of one type: numbers where all are numbers, else text of JSON."""
    there = [value for value in values if value is not None]
    kinds = {type(value) for value in there}
    if kinds <= {float, int} and float in kinds:
        return pyarrow.array(
            [None if value is None else float(value) for value in values], pyarrow.float64()
        )
    for kind, made in (
        (bool, pyarrow.bool_()),
        (int, pyarrow.int64()),
        (str, pyarrow.string()),
    ):
        if kinds == {kind} and not (kind is int and max(map(abs, there)) >= 2**63):
            return pyarrow.array(values, made)
    is_numbers = [
        isinstance(value, list | tuple) and all(type(item) in (int, float) for item in value)
        for value in there
    ]
    if there and all(is_numbers):
        lists = [None if value is None else [float(x) for x in value] for value in values]
        return pyarrow.array(lists, pyarrow.list_(pyarrow.float64()))
    texts = [None if value is None else json.dumps(value) for value in values]
    return pyarrow.array(texts, pyarrow.string())
