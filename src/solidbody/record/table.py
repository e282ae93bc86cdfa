"""Sensor values as a table: one row per record, one column per number."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from solidbody.devices.vision import ImageGroup
from solidbody.record.base import Recorder, has_value, topic_of

if TYPE_CHECKING:
    from solidbody.sim import Sim


class TableRecorder(Recorder):
    """CSV: time, joints, then every sensor of numbers; empty while it is off."""

    def __init__(self, sim: Sim, path: Path, period: float | None) -> None:
        super().__init__(sim, period)
        engine = sim.devices
        self._columns = [
            (topic_of(bound), *engine.group_of(bound))
            for bound in engine.devices
            if has_value(engine, bound) and not isinstance(engine.group_of(bound)[0], ImageGroup)
        ]
        self._stream = path.open("w", newline="", encoding="utf-8")
        self._writer = csv.writer(self._stream, lineterminator="\n")
        names = ["time"]
        names += [
            f"{joint}.{what}" for joint in sim.joint_names for what in ("position", "velocity")
        ]
        for topic, group, _ in self._columns:
            names += [topic] if group.width == 1 else [f"{topic}[{k}]" for k in range(group.width)]
        self._writer.writerow(names)

    def write(self) -> None:
        """Write one row."""
        cells = [repr(round(self.sim.time, 9))]
        cells += [repr(float(x)) for x in self.sim.joint_states().ravel()]
        for _, group, row in self._columns:
            cells += ["" if np.isnan(x) else repr(float(x)) for x in group.values[row]]
        self._writer.writerow(cells)

    def close(self) -> None:
        """Finish the file."""
        if not self.is_closed:
            super().close()
            self._stream.close()
