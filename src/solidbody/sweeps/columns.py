"""Columns of the motion log (`run --log`) of a simulation: `WHEEL.x`, `motor.dq`, read as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.errors import NameLookupError
from solidbody.record.motion_log import BODY_COLUMNS, JOINT_COLUMNS
from solidbody.sweeps.study import Reduction

if TYPE_CHECKING:
    from solidbody.sim import Sim

MAX_NUMBERS: Final = 20_000_000
"""Of all columns of a run that functions get: 160 MB."""


def column_names(sim: Sim) -> list[str]:
    """Return the columns that there are."""
    names = ["time"]
    names += [f"{body}.{column}" for body in sim.link_names for column in BODY_COLUMNS]
    return names + [f"{joint}.{column}" for joint in sim.joint_names for column in JOINT_COLUMNS]


class Columns:
    """Some columns of a simulation, by name.

    Args:
        sim: The simulation.
        names: The columns.

    Raises:
        NameLookupError: There is no such column.
    """

    def __init__(self, sim: Sim, names: tuple[str, ...]) -> None:
        self.names = names
        self._poses, self._velocities, self._joints = [], [], []
        self._time: list[int] = []
        links = {name: k for k, name in enumerate(sim.link_names)}
        joints = {name: k for k, name in enumerate(sim.joint_names)}
        self._known = sim.link_names, sim.joint_names
        for at, name in enumerate(names):
            owner, _, word = name.rpartition(".")
            if name == "time":
                self._time.append(at)
            elif owner in links and word in BODY_COLUMNS:
                k = BODY_COLUMNS.index(word)
                place = self._poses if k < 7 else self._velocities
                place.append((at, links[owner], k % 7))
            elif owner in joints and word in JOINT_COLUMNS:
                self._joints.append((at, joints[owner], JOINT_COLUMNS.index(word)))
            else:
                raise NameLookupError("column of the log", name, column_names(sim))

    def read(self, sim: Sim, out: NDArray[np.float64]) -> None:
        """Write the present values to `out`; nan where what a column tells of has gone."""
        if self._known != (sim.link_names, sim.joint_names):
            self._read_changed(sim, out)
            return
        out[self._time] = sim.time
        for places, read in (
            (self._poses, sim.poses),
            (self._velocities, sim.velocities),
            (self._joints, sim.joint_states),
        ):
            if places:
                to, row, column = zip(*places, strict=True)
                out[list(to)] = read()[list(row), list(column)]

    def _read_changed(self, sim: Sim, out: NDArray[np.float64]) -> None:
        known = set(column_names(sim))
        there = [k for k, name in enumerate(self.names) if name in known]
        out[:] = np.nan
        inner = np.empty(len(there))
        Columns(sim, tuple(self.names[k] for k in there)).read(sim, inner)
        out[there] = inner


class ColumnLog:
    """Rows of columns as a run goes on: all of them, or what reductions need."""

    def __init__(self, columns: Columns, *, keeps_rows: bool) -> None:
        self.columns, self._keeps_rows = columns, keeps_rows
        width = len(columns.names)
        self.row = np.empty(width)
        """The latest values."""
        self._rows: list[NDArray[np.float64]] = []
        self._count = 0
        self._first = np.full(width, np.nan)
        self._sum = np.zeros(width)
        self._least, self._most = np.full(width, np.inf), np.full(width, -np.inf)

    def add(self, sim: Sim) -> None:
        """Take a row of now.

        Raises:
            MemoryError: Functions ask for more rows than are kept.
        """
        self.columns.read(sim, self.row)
        if self._count == 0:
            self._first[:] = self.row
        self._count += 1
        self._sum += self.row
        np.minimum(self._least, self.row, out=self._least)
        np.maximum(self._most, self.row, out=self._most)
        if self._keeps_rows:
            if self._count * self.row.size > MAX_NUMBERS:
                raise MemoryError(
                    f"the columns that functions ask for have more than {MAX_NUMBERS:,} numbers;"
                    " choose a longer period"
                )
            self._rows.append(self.row.copy())

    def reduced(self, name: str, reduction: Reduction) -> float:
        """Return what a column comes to."""
        k = self.columns.names.index(name)
        match reduction:
            case Reduction.LAST:
                return float(self.row[k])
            case Reduction.FIRST:
                return float(self._first[k])
            case Reduction.MIN:
                return float(self._least[k])
            case Reduction.MAX:
                return float(self._most[k])
            case Reduction.MEAN:
                return float(self._sum[k] / self._count)
            case Reduction.RANGE:
                return float(self._most[k] - self._least[k])

    def arrays(self, names: tuple[str, ...]) -> dict[str, NDArray[np.float64]]:
        """Return the rows of some columns."""
        rows = np.array(self._rows) if self._rows else np.empty((0, len(self.columns.names)))
        return {name: rows[:, self.columns.names.index(name)].copy() for name in names}
