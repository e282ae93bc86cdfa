"""Keeps what a run tells in memory: joints, moving links, sensors of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.core.group import Group
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.devices.kinds import KIND_OF
from solidbody.model.joints import JointSlider, JointTrack
from solidbody.record.base import Recorder, has_value, topic_of, turn_on_sensors
from solidbody.series.run_series import RunSeries, Series

if TYPE_CHECKING:
    from solidbody.sim import Sim

JOINT_UNITS: Final = {
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "effort": ("N*m", "N"),
}
"""Numbers of an axis, with their units where it turns and where it slides."""

POSE_PARTS: Final = ("x", "y", "z", "qw", "qx", "qy", "qz")


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    unit: str = ""
    part: str = ""


class RunLog(Recorder):
    """Goes along with a simulation and keeps numbers, as arrays by name; its columns are those of its start.

    Args:
        sim: The simulation.
        patterns: Which numbers; none = all.
        period: Time between rows [s]; None = 0.01, or each step if steps are longer.
        all_sensors: Whether sensors are turned on that nobody has turned on.

    Raises:
        NameLookupError: A pattern fits nothing.
    """

    def __init__(
        self, sim: Sim, patterns: Sequence[str], period: float | None, *, all_sensors: bool
    ) -> None:
        super().__init__(sim, Path("log"), period)
        if all_sensors:
            turn_on_sensors(sim)
        self._sources = _sources_of(sim)
        columns = [column for column, _ in self._sources]
        known = RunSeries(_series(columns, np.empty((0, 2 + len(columns)))))
        wanted = known.select(*patterns)
        self._columns = [column for column in columns if column.name in wanted]
        self._rows: list[NDArray[np.float64]] = []
        self._run = 0
        self._series: RunSeries | None = None
        self._pick()
        sim.attach(self)

    def _pick(self) -> None:
        """Find where the columns are in what `_now` returns; -1 = they have gone."""
        places = {column.name: k for k, (column, _) in enumerate(self._sources)}
        self._places = np.array([places.get(one.name, -1) for one in self._columns], dtype=np.intp)
        groups: dict[int, tuple[Group[Any], list[int]]] = {}
        for _, (group, row) in self._sources[_fixed_count(self.sim) :]:
            rows = groups.setdefault(id(group), (group, []))[1]
            if row not in rows:
                rows.append(row)
        self._groups = [(group, np.array(rows)) for group, rows in groups.values()]

    def scene_changed(self) -> None:
        """Columns stay: what has gone is NaN, what is new has none."""
        self._sources = _sources_of(self.sim)
        self._pick()

    def _now(self) -> NDArray[np.float64]:
        sim = self.sim
        joints = np.column_stack((sim.joint_states(), sim.joint_efforts()))
        sensors = [group.values[rows].ravel() for group, rows in self._groups]
        return np.concatenate((joints.ravel(), sim.poses()[sim.moving].ravel(), *sensors))

    def write(self) -> None:
        """Keep a row."""
        row = np.full(2 + len(self._columns), np.nan)
        row[:2] = self._run, round(self.sim.time, 9)
        there = self._places >= 0
        row[2:][there] = self._now()[self._places[there]]
        self._rows.append(row)
        self._series = None

    def reset(self) -> None:
        """Times begin again; what was kept stays."""
        super().reset()
        self._run += bool(self._rows)

    def finish(self) -> None:
        """Nothing is left to do: it can still be read."""

    def abandon(self) -> None:
        """The same."""

    # ------------------------------------------------------------------ what was kept

    @property
    def series(self) -> RunSeries:
        """What was told until now."""
        if self._series is None:
            rows = np.array(self._rows) if self._rows else np.empty((0, 2 + len(self._columns)))
            self._series = RunSeries(_series(self._columns, rows))
        return self._series

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns."""
        return self.series.names

    def __getitem__(self, name: str) -> Series:
        return self.series[name]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<RunLog: {len(self._columns)} columns, {len(self)} rows>"

    def columns(
        self, *patterns: str, period: float | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """Return a table, as `RunSeries.columns` does."""
        return self.series.columns(*patterns, period=period)

    def plot(self, path: str | Path, *patterns: str, **how: Any) -> Path:
        """Draw it, as `RunSeries.plot` does."""
        return self.series.plot(path, *patterns, **how)

    def _repr_html_(self) -> str:
        return self.series._repr_html_()


def _fixed_count(sim: Sim) -> int:
    """Return how many numbers joints and links have."""
    return len(JOINT_UNITS) * len(sim.joint_names) + len(POSE_PARTS) * len(sim.moving)


def _sources_of(sim: Sim) -> list[tuple[_Column, Any]]:
    """Return what there is to tell, in the order of `RunLog._now`; for sensors with their place."""
    out: list[tuple[_Column, Any]] = []
    for name, link in zip(sim.joint_names, sim.axis_links, strict=True):
        slides = link >= 0 and isinstance(sim.link_model(link).joint, JointSlider | JointTrack)
        out += [
            (_Column(f"{name}.{key}", units[slides]), None) for key, units in JOINT_UNITS.items()
        ]
    for row in sim.moving.tolist():
        name = sim.link_names[row]
        out += [
            (_Column(f"{name}.{part}", "m" if len(part) == 1 else ""), None) for part in POSE_PARTS
        ]
    engine = sim.devices
    groups: dict[int, list[tuple[_Column, Any]]] = {}
    names: set[str] = set()
    for bound in engine.devices:
        if not has_value(engine, bound) or topic_of(bound) in names:
            continue
        group, row = engine.group_of(bound)
        if isinstance(group, ImageGroup):
            continue
        names.add(topic_of(bound))
        parts = KIND_OF[type(bound.device)].parts
        for k in range(group.width):
            many = group.width > 1
            part = parts[k] if k < len(parts) else None
            column = _Column(
                f"{topic_of(bound)}[{k}]" if many else topic_of(bound),
                part.unit if part else "",
                part.name if part and many else "",
            )
            groups.setdefault(id(group), []).append((column, (group, row)))
    for items in groups.values():
        out += items
    return out


def _series(columns: Sequence[_Column], rows: NDArray[np.float64]) -> list[Series]:
    runs, time = rows[:, 0].astype(np.int32), rows[:, 1].copy()
    return [
        Series(one.name, time, rows[:, 2 + k].copy(), runs, one.unit, one.part)
        for k, one in enumerate(columns)
    ]


def log_run(
    sim: Sim, patterns: Sequence[str], period: float | None, *, all_sensors: bool
) -> RunLog:
    """Return a log that goes along with `sim`."""
    if period is not None and not 0.0 < period < float("inf"):
        raise ValueError(f"period must be above 0, got {period}")
    return RunLog(sim, patterns, period, all_sensors=all_sensors)
