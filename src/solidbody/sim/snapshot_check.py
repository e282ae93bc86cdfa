"""What a snapshot may change: a file that was damaged must not lead the step out of its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from solidbody.contact.tables import LoopKind, MotorMode
from solidbody.sim.rebuild import CHANGING_TABLES

if TYPE_CHECKING:
    from solidbody.sim.simulation import Sim

_NUMBERS: Final = "iu"
"""Kinds of whole numbers: places in arrays, counts, modes."""


def check_commands(sim: Sim, commands: bytes) -> bool:
    """Whether the whole numbers in the tables of a snapshot are ones that this simulation can have.

    Places and counts that never change must be the same; modes, grips and movers are within their ranges.
    """
    tables, allowed = sim.compiled.tables, _ranges(sim)
    start = 0
    for name in CHANGING_TABLES:
        present = getattr(tables, name)
        end = start + present.nbytes
        if end > len(commands):
            return False
        given = np.frombuffer(commands[start:end], dtype=present.dtype).reshape(present.shape)
        start = end
        for field in present.dtype.names:
            if given[field].dtype.kind not in _NUMBERS:
                continue
            low, high = allowed.get((name, field), (0, -1))
            is_same = given[field] == present[field]
            if not np.all(is_same | ((given[field] >= low) & (given[field] <= high))):
                return False
    return True


def _ranges(sim: Sim) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the range of each whole number that programs and the step change."""
    model, tables = sim.model, sim.compiled.tables
    bodies = int(model.nbody) - 1
    out: dict[tuple[str, str], Any] = {
        ("world", "movers"): (0, len(tables.movers)),
        ("world", "has_forces"): (0, 1),
        ("axes", "mode"): (min(MotorMode), max(MotorMode)),
        ("axes", "asked"): (0, 1),
        ("movers", "mocap"): (-1, int(model.nmocap) - 1),
        ("movers", "body"): (0, bodies),
        ("loops", "kind"): (min(LoopKind), max(LoopKind)),
        ("loops", "body"): (0, bodies),
        ("loops", "axis"): (-1, -1),
        ("trees", "ready"): (0, 1),
    }
    return {key: (int(low), int(high)) for key, (low, high) in out.items()}
