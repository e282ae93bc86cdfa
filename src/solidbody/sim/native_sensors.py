"""Reads the plain sensors of a simulation in one native call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from solidbody.contact.layout import SENSE, AxisKind, SenseKind
from solidbody.contact.native import NativeUnavailable
from solidbody.contact.sensing import SensePlan, Senses
from solidbody.devices.core.plain import Plain, PlainKind

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim


Floats = NDArray[np.float64]


def can_sense(sim: Sim, plain: Plain) -> bool:
    """Whether the native call can read it: axes of loops, tracks and belts have no position of their own."""
    if sim.engine_name != "native":
        return False
    if plain.kind is not PlainKind.AXIS:
        return True
    return plain.link >= 0 and sim.compiled.binding.axes[plain.link].kind is AxisKind.JOINT


class NativeSensorReader:
    """Reads the plain sensors of a simulation; see `devices/core/plain.py`."""

    def __init__(self, sim: Sim, table: NDArray[Any], keep: tuple[Any, ...]) -> None:
        self._sim = sim
        self._table, self._keep = table, keep
        self._model = sim.model
        self._senses = Senses(sim.model, sim.data, table, keep)
        self._has_joints = bool(sim.compiled.tables.world["kinematics"][0])

    def plan(self, rows: NDArray[np.int32]) -> SensePlan:
        """Return a plan to read these again and again."""
        return SensePlan(rows)

    def read(self, plan: SensePlan) -> bool:
        """Read them; False (nothing is read) while links move that MuJoCo takes for static."""
        sim = self._sim
        if self._has_joints or sim.state.flags["movers"][0]:
            return False
        if sim.model is not self._model:  # it has taken over another one
            self._model = sim.model
            self._senses = Senses(sim.model, sim.data, self._table, self._keep)
        self._senses.read(plan, sim.core.poses_are_fresh)
        sim.core.poses_are_fresh = True
        return True


def make_reader(
    sim: Sim, plains: Sequence[Plain], outputs: Sequence[NDArray[np.float64]]
) -> NativeSensorReader | None:
    """Return a reader of sensors that write to `outputs`; None where there is no native library."""
    binding = sim.compiled.binding
    table = np.zeros(len(plains), dtype=SENSE)
    for row, plain, out in zip(table, plains, outputs, strict=True):
        row["kind"] = SenseKind[plain.kind.name]
        row["out"] = out.ctypes.data
        if plain.kind is PlainKind.AXIS:
            row["body"] = binding.axes[plain.link].qpos
            continue
        row["body"] = binding.body[plain.link]
        row["position"] = np.array(plain.position) + binding.offset_position[plain.link]
        row["rotation"], row["extra"], row["offset"] = plain.rotation, plain.extra, plain.offset
        if plain.memory is not None:
            row["memory"] = plain.memory.ctypes.data
    try:
        return NativeSensorReader(sim, table, (*outputs, *(plain.memory for plain in plains)))
    except NativeUnavailable:
        return None
