"""Sampling plan: which devices are read in one native call and which by their groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.devices.core.device_frames import Floats, MotionSource, Rows
from solidbody.devices.core.group import Group
from solidbody.devices.core.plain import Plain, PlainReader


@dataclass(frozen=True, slots=True)
class PlainLane:
    """All plain sensors of a simulation.

    Attributes:
        reader: Reads them; None = there are none, or there is no native library.
        row_of: Row in the reader by device; only plain ones are in it.
    """

    reader: PlainReader | None
    row_of: dict[int, int]

    @classmethod
    def of(
        cls, groups: Sequence[Group], members: Sequence[Rows], source: MotionSource
    ) -> PlainLane:
        """Find the plain sensors."""
        plains: list[Plain] = []
        outputs: list[Floats] = []
        row_of: dict[int, int] = {}
        for group, devices in zip(groups, members, strict=True):
            for row, device in enumerate(devices.tolist()):
                plain = group.plain(row)
                if plain is not None and source.can_sense(plain):
                    row_of[device] = len(plains)
                    plains.append(plain)
                    outputs.append(group.values[row])
        reader = source.plain_reader(plains, outputs) if plains else None
        return cls(reader, row_of if reader is not None else {})


@dataclass(frozen=True, slots=True)
class SampledPart:
    """Devices of one group that are due: their rows there, their places in the list of all that are."""

    group: Group
    rows: Rows
    places: NDArray[np.intp]

    def sample(self, elapsed: Floats) -> None:
        """Give them new values."""
        self.group.sample(self.rows, elapsed[self.places])


class SamplingPlan:
    """What to do when a certain set of devices is due.

    Groups that need forces come first: forces of the last step are gone once poses are known.
    """

    def __init__(
        self,
        due: Rows,
        groups: Sequence[Group],
        members: Sequence[Rows],
        lane: PlainLane,
    ) -> None:
        place_of = {device: place for place, device in enumerate(due.tolist())}
        self._first: list[SampledPart] = []
        self._rest: list[SampledPart] = []
        self._plain: list[SampledPart] = []
        plain_rows: list[int] = []
        plain_places: list[int] = []
        for group, devices in zip(groups, members, strict=True):
            mine = [(row, d) for row, d in enumerate(devices.tolist()) if d in place_of]
            fast = [(row, d) for row, d in mine if d in lane.row_of]
            slow = [(row, d) for row, d in mine if d not in lane.row_of]
            plain_rows += [lane.row_of[d] for _, d in fast]
            plain_places += [place_of[d] for _, d in fast]
            for pairs, parts in (
                (fast, self._plain),
                (slow, self._first if group.needs_forces else self._rest),
            ):
                if pairs:
                    rows = np.array([row for row, _ in pairs], dtype=np.intp)
                    places = np.array([place_of[d] for _, d in pairs], dtype=np.intp)
                    parts.append(SampledPart(group, rows, places))
        self._reader = lane.reader if plain_rows else None
        self._places = np.array(plain_places, dtype=np.intp)
        self._read_plan = (
            self._reader.plan(np.array(plain_rows, dtype=np.int32)) if self._reader else None
        )

    @classmethod
    def nothing(cls) -> SamplingPlan:
        """Return the plan of no device."""
        return cls(np.zeros(0, dtype=np.intp), (), (), PlainLane(None, {}))

    def sample(self, elapsed: Floats) -> None:
        """Give all devices new values; `elapsed` is the time since their last ones [s]."""
        for part in self._first:
            part.sample(elapsed)
        if self._reader is not None and self._read_plan is not None:
            elapsed.take(self._places, out=self._read_plan.elapsed)
            if not self._reader.read(self._read_plan):
                for part in self._plain:
                    part.sample(elapsed)
        for part in self._rest:
            part.sample(elapsed)
