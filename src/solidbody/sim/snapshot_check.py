"""Checks snapshots from files, so that a damaged one cannot make the step leave its arrays."""

from __future__ import annotations

from typing import Final

import numpy as np

from solidbody.compiler import Compiled
from solidbody.contact.layout import LoopKind, MotorMode
from solidbody.contact.state import PARTS, StepState

ANYTHING: Final = range(-(2**63), 2**64)

_NUMBERS: Final = "iu"
"""Kinds of whole numbers: places in arrays, counts, modes."""


def check_state(compiled: Compiled, now: StepState, saved: bytes) -> bool:
    """Whether the whole numbers in the row of a snapshot are ones that this simulation can have.

    Modes, grips and movers are among what they can be; all others must be the same as now.
    """
    if len(saved) != now.rows.nbytes:
        return False
    given = StepState(np.frombuffer(saved, dtype=now.rows.dtype))
    allowed = _allowed(compiled, now)
    for part in PARTS:
        new, old = getattr(given, part), getattr(now, part)
        for field in new.dtype.names:
            if new[field].dtype.kind not in _NUMBERS:
                continue
            values = allowed.get((part, field), range(0))
            if values is ANYTHING:
                continue
            fits = (new[field] >= values.start) & (new[field] < values.stop)
            if not np.all(fits | (new[field] == old[field])):
                return False
    if not np.isin(given.grips["kind"], (LoopKind.NONE, LoopKind.GRIP)).all():
        return False
    moved = given.moving
    return bool(np.array_equal(compiled.model.body_mocapid[moved["body"]], moved["mocap"]))


def _allowed(compiled: Compiled, now: StepState) -> dict[tuple[str, str], range]:
    """Return the range of each whole number that programs and the step change."""
    bodies, mocaps = range(compiled.model.nbody), range(-1, compiled.model.nmocap)
    return {
        ("flags", "movers"): range(len(now.movers) + 1),
        ("flags", "has_forces"): range(2),
        ("commands", "mode"): range(max(MotorMode) + 1),
        ("commands", "asked"): range(2),
        ("movers", "mocap"): mocaps,
        ("movers", "body"): bodies,
        ("grips", "kind"): range(max(LoopKind) + 1),
        ("grips", "body"): bodies,
        ("trees", "ready"): range(2),
        ("random", "words"): ANYTHING,
        ("random", "has_rest"): range(2),
        ("random", "rest"): ANYTHING,
    }
