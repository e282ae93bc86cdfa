"""Writes sensor values as a CSV table: one row per record, one column per number."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from solidbody.base.output_files import GrowingFile
from solidbody.devices.core.group import Group
from solidbody.devices.imaging.lazy_rendering import ImageGroup
from solidbody.record.base import Recorder, has_value, topic_of

if TYPE_CHECKING:
    from solidbody.sim import Sim


class TableRecorder(Recorder):
    """CSV: time, joints, then every sensor of numbers; empty while it is off."""

    def __init__(self, sim: Sim, path: Path, period: float | None) -> None:
        super().__init__(sim, path, period)
        self._places = self._found()
        self._topics = {topic: group.width for topic, (group, _) in self._places.items()}
        self._joints = sim.joint_names
        self._file = GrowingFile(path)
        self._writer = csv.writer(self._file, lineterminator="\n")
        names = ["time"]
        names += [
            f"{joint}.{what}" for joint in sim.joint_names for what in ("position", "velocity")
        ]
        for topic, width in self._topics.items():
            names += [topic] if width == 1 else [f"{topic}[{k}]" for k in range(width)]
        self._writer.writerow(names)

    def _found(self) -> dict[str, tuple[Group[Any], int]]:
        """Return where the value of each sensor of numbers is."""
        engine = self.sim.devices
        found: dict[str, tuple[Group[Any], int]] = {}
        for bound in engine.devices:
            if has_value(engine, bound):
                group, row = engine.group_of(bound)
                if not isinstance(group, ImageGroup):
                    found.setdefault(topic_of(bound), (group, row))
        return found

    def scene_changed(self) -> None:
        """Columns stay: what has gone leaves its cells empty, what is new has none."""
        self._places = self._found()

    def write(self) -> None:
        """Write one row."""
        cells = [repr(round(self.sim.time, 9))]
        states = self.sim.joint_states().tolist()
        rows = dict(zip(self.sim.joint_names, states, strict=True))
        for joint in self._joints:
            cells += [repr(x) for x in rows[joint]] if joint in rows else ["", ""]
        for topic, width in self._topics.items():
            place = self._places.get(topic)
            values = [np.nan] * width if place is None else place[0].values[place[1]]
            cells += ["" if np.isnan(x) else repr(float(x)) for x in values]
        self._writer.writerow(cells)

    def finish(self) -> None:
        """Write what waits."""
        self._file.finish()

    def abandon(self) -> None:
        """Keep the rows that were written."""
        self._file.abandon()
