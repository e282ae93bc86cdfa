"""`solidbody plot`: curves and tables of recordings."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solidbody.base.errors import SolidbodyError
from solidbody.base.output_files import check_target, reason_of, write_whole
from solidbody.cli.console import say_error
from solidbody.cli.recording import size_of
from solidbody.cli.status import BAD_INPUT, OK

if TYPE_CHECKING:
    from solidbody.series.run_series import RunSeries, Series


@dataclass(frozen=True, slots=True)
class PlotOptions:
    """What the command line says.

    Attributes:
        patterns: Which series; none = list them.
        out: File to write; None = a picture named as the recording.
        size: Of the picture, as `WIDTHxHEIGHT`.
        start: First time drawn [s]; None = all.
        end: Last time drawn [s]; None = all.
        period: Time between rows of a table [s]; None = as recorded.
        as_json: Whether the list is for programs.
    """

    patterns: tuple[str, ...]
    out: Path | None
    size: str
    start: float | None
    end: float | None
    period: float | None
    as_json: bool


def plot_recording(recording: Path, options: PlotOptions) -> int:
    """Draw a recording, or list what it holds; return the exit status."""
    from solidbody.series.reading import read_recording

    try:
        if options.out is None and not options.patterns:
            _list(read_recording(recording), as_json=options.as_json)
            return OK
        path = options.out or Path(f"{recording.stem}.png")
        size = size_of(options.size)
        check_target(path, "--out")
        series = read_recording(recording, *options.patterns)
        if path.suffix.lower() == ".csv":
            _write_table(series, path, options)
        else:
            title = f"{recording.name}: {', '.join(options.patterns)}".removesuffix(": ")
            series.plot(path, size=size, start=options.start, end=options.end, title=title)
    except SolidbodyError as error:
        say_error(str(error))
        return BAD_INPUT
    print(json.dumps({"file": str(path), "series": list(series)}) if options.as_json else path)
    return OK


def _facts(series: Series) -> dict[str, Any]:
    values = [value for value in series.values.tolist() if math.isfinite(value)]
    low, high = (min(values), max(values)) if values else (None, None)
    times = series.time
    return {
        "name": series.name,
        "unit": series.unit,
        "part": series.part,
        "samples": len(times),
        "start": float(times[0]) if len(times) else None,
        "end": float(times[-1]) if len(times) else None,
        "min": low,
        "max": high,
    }


def _list(series: RunSeries, *, as_json: bool) -> None:
    facts = [_facts(one) for one in series.values()]
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    names = [one.alias for one in series.values()]
    width = max(map(len, names), default=4)
    print(f"{'series':{width}}  {'unit':10} {'samples':>8} {'min':>12} {'max':>12}")
    for name, fact in zip(names, facts, strict=True):
        low, high = (
            "" if fact[key] is None or math.isnan(fact[key]) else f"{fact[key]:.6g}"
            for key in ("min", "max")
        )
        print(f"{name:{width}}  {fact['unit']:10} {fact['samples']:8} {low:>12} {high:>12}")


def _write_table(series: RunSeries, path: Path, options: PlotOptions) -> None:
    table = series.columns(period=options.period)
    time = table["time"]
    first = -math.inf if options.start is None else options.start
    rows = (time >= first) & (time <= (math.inf if options.end is None else options.end))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*(column[rows].tolist() for column in table.values()), strict=True):
        writer.writerow(["" if math.isnan(x) else repr(x) for x in row])
    try:
        write_whole(path, text.getvalue().encode())
    except OSError as error:
        raise SolidbodyError(f"{path} cannot be written: {reason_of(error)}") from error
