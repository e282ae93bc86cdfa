"""What a run has told, as arrays by name: for numpy, for tables of pandas, for plots."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import NameLookupError

TIME: Final = "time"
RUN: Final = "run"
"""Column of tables whose run was reset: how often before."""

MOST_IN_NOTEBOOKS: Final = 8
"""Curves that a notebook shows by itself."""


@dataclass(frozen=True, slots=True)
class Series:
    """One number over time.

    Attributes:
        name: Such as `left motor.position` or `/robot/gps[0]`.
        time: Of each sample [s].
        values: What it was.
        runs: How often the run was reset before each sample.
        unit: Of the values, as far as it is known.
        part: What a number of several is called, such as `x`.
    """

    name: str
    time: NDArray[np.float64]
    values: NDArray[np.float64]
    runs: NDArray[np.int32]
    unit: str = ""
    part: str = ""

    @property
    def alias(self) -> str:
        """The name with the part's name: `/robot/gps.x` for `/robot/gps[0]`."""
        return f"{self.name.rpartition('[')[0]}.{self.part}" if self.part else self.name

    def _keys(self) -> NDArray[np.complex128]:
        """Return the moments in their order: complex numbers are sorted by run, then by time."""
        return self.runs + 1j * self.time


class RunSeries(Mapping[str, Series]):
    """The series of a run by their names, in the order in which it told them first."""

    def __init__(self, series: Iterable[Series]) -> None:
        self._series = {item.name: item for item in series}

    def __getitem__(self, name: str) -> Series:
        if name not in self._series:
            raise NameLookupError("series", name, self._series)
        return self._series[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._series)

    def __len__(self) -> int:
        return len(self._series)

    def __repr__(self) -> str:
        return f"<RunSeries: {len(self)} series>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all series."""
        return tuple(self._series)

    def select(self, *patterns: str) -> RunSeries:
        """Return the series that any of the patterns fits; all of them without a pattern.

        `*` stands for any text and `?` for one character; `left motor` fits all numbers of that joint, too.

        Raises:
            NameLookupError: A pattern fits nothing.
        """
        if not patterns:
            return self
        found: dict[str, Series] = {}
        for pattern in patterns:
            fits = matcher([pattern])
            chosen = [one for one in self.values() if fits(one.name) or fits(one.alias)]
            if not chosen:
                raise NameLookupError("series", pattern, self._series)
            found |= {one.name: one for one in chosen}
        return RunSeries(found.values())

    def columns(
        self, *patterns: str, period: float | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """Return a table, ready for `pandas.DataFrame`: arrays of one length by name; the first is `time`.

        There is a row for each moment at which one of the series was told. The others keep their value
        from before, and are NaN before their first. If the run was reset, a column `run` counts.

        Args:
            *patterns: What to take; all without one.
            period: Time between rows [s] instead; None = as told.

        Raises:
            NameLookupError: A pattern fits nothing.
            ValueError: The period is not above 0.
        """
        chosen = list(self.select(*patterns).values())
        if period is not None and not 0.0 < period < float("inf"):
            raise ValueError(f"period must be above 0, got {period}")
        keys = _moments(chosen)
        if period is not None:
            keys = _regular(keys, period)
        table: dict[str, NDArray[np.float64]] = {TIME: keys.imag.copy()}
        if len(keys) and keys.real.max() > 0.0:
            table[RUN] = keys.real.copy()
        for one in chosen:
            table[one.name] = _held(one, keys)
        return table

    def plot(
        self,
        path: str | os.PathLike[str],
        *patterns: str,
        size: tuple[int, int] = (1200, 800),
        start: float | None = None,
        end: float | None = None,
        title: str = "",
    ) -> Path:
        """Draw the series that the patterns fit; the extension chooses: .png, .svg or .html (a page).

        Args:
            path: The file.
            *patterns: As for `select`.
            size: Width and height [pixels].
            start: First time shown [s]; None = all.
            end: Last time shown [s]; None = all.
            title: Above the curves.

        Raises:
            NameLookupError: A pattern fits nothing.
            PlotError: It cannot be drawn, or not be written.
        """
        from solidbody.series.plot_files import write_plot

        return write_plot(
            self.select(*patterns), Path(path), size=size, start=start, end=end, title=title
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the first curves."""
        from solidbody.series.plot_files import plot_svg

        shown = RunSeries(list(self.values())[:MOST_IN_NOTEBOOKS])
        if not shown:
            return html.escape(repr(self))
        more = len(self) - len(shown)
        rest = f"<p>and {more} more: {html.escape(', '.join(self.names[len(shown) :][:20]))}</p>"
        return plot_svg(shown) + (rest if more else "")


def matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return what tells whether any of the patterns fits a name."""
    texts = (re.escape(text).replace(r"\*", ".*").replace(r"\?", ".") for text in patterns)
    # what comes after a whole name are its parts
    pattern = re.compile("|".join(rf"(?:{text})(?:[.\[].*)?" for text in texts), re.DOTALL)
    return lambda name: pattern.fullmatch(name) is not None


def _moments(series: Sequence[Series]) -> NDArray[np.complex128]:
    """Return all moments of the series, in order."""
    if not series:
        return np.empty(0, dtype=np.complex128)
    distinct = {id(one.time): one for one in series}  # series of one source share their times
    return np.unique(np.concatenate([one._keys() for one in distinct.values()]))


def _regular(keys: NDArray[np.complex128], period: float) -> NDArray[np.complex128]:
    out: list[NDArray[np.complex128]] = []
    for run in np.unique(keys.real):
        times = keys.imag[keys.real == run]
        count = int(np.floor((times[-1] - times[0]) / period + 1e-9)) + 1
        out.append(run + 1j * (times[0] + period * np.arange(count)))
    return np.concatenate(out) if out else keys


def _held(one: Series, keys: NDArray[np.complex128]) -> NDArray[np.float64]:
    """Return the last value at each moment, of the same run."""
    own = one._keys()
    # times of a regular table are multiples, which miss the moments by rounding
    rows = np.searchsorted(own, keys + 1e-9j, side="right") - 1
    found = np.where(rows >= 0, one.values[np.maximum(rows, 0)], np.nan)
    same = one.runs[np.maximum(rows, 0)] == keys.real
    return np.where(same, found, np.nan)
