"""Gathers numbers as they come, name by name, and makes series of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from solidbody.record import RecordError
from solidbody.series.run_series import RunSeries, Series

MOST_SERIES: Final = 50_000
"""Names that a recording may have."""

MOST_SAMPLES: Final = 50_000_000
"""Numbers that are held at once: 1 GB."""


@dataclass(slots=True)
class _Growing:
    unit: str
    part: str
    time: array[float] = field(default_factory=lambda: array("d"))
    values: array[float] = field(default_factory=lambda: array("d"))
    runs: array[int] = field(default_factory=lambda: array("i"))


class Collector:
    """Takes samples in the order of a recording; times that go back begin another run.

    Args:
        wants: Whether a name is wanted; others are left out.
    """

    def __init__(self, wants: Callable[[str], bool]) -> None:
        self._wants = wants
        self._found: dict[str, _Growing | None] = {}
        self._run = 0
        self._now = -float("inf")
        self._count = 0

    def at(self, time: float) -> None:
        """Say when the next samples are [s]."""
        if time < self._now:
            self._run += 1
        self._now = time

    def add(self, name: str, value: float, unit: str = "", part: str = "") -> None:
        """Take a sample.

        Raises:
            RecordError: There are too many.
        """
        try:
            series = self._found[name]
        except KeyError:
            series = self._found[name] = self._begin(name, unit, part)
        if series is None:
            return
        self._count += 1
        if self._count > MOST_SAMPLES:
            raise RecordError(
                f"it holds more than {MOST_SAMPLES:,} numbers; ask for fewer names by a pattern"
            )
        series.time.append(self._now)
        series.values.append(value)
        series.runs.append(self._run)

    def _begin(self, name: str, unit: str, part: str) -> _Growing | None:
        if len(self._found) >= MOST_SERIES:
            raise RecordError(f"it holds more than {MOST_SERIES:,} names of numbers")
        alias = f"{name.rpartition('[')[0]}.{part}" if part else name
        return _Growing(unit, part) if self._wants(name) or self._wants(alias) else None

    def know(self, names: Iterable[str]) -> None:
        """Say which names there are, before their samples."""
        for name in names:
            if name not in self._found:
                self._found[name] = self._begin(name, "", "")

    @property
    def known(self) -> tuple[str, ...]:
        """All names that came, wanted or not."""
        return tuple(self._found)

    def finish(self) -> RunSeries:
        """Return what came."""
        return RunSeries(
            Series(
                name,
                np.frombuffer(one.time) if one.time else np.empty(0),
                np.frombuffer(one.values) if one.values else np.empty(0),
                np.frombuffer(one.runs, dtype=np.int32) if one.runs else np.empty(0, np.int32),
                one.unit,
                one.part,
            )
            for name, one in self._found.items()
            if one is not None
        )
