"""Saves accelerations in a world file as a comment, since Webots has no field for them.

The forces of a step depend on the acceleration of the step before
(`CoriolisRule.MIDDLE`). A world that is saved in motion goes on as it would have only if it is known.
"""

from __future__ import annotations

import math
from typing import Any, Final

from solidbody.model.scene import CoriolisRule

MARK: Final = "# solidbody accelerations:"


def accelerations_remark(sim: Any) -> str:
    """Return the line that keeps the accelerations of a simulation; empty where nothing depends on them."""
    if sim.scene.physics.coriolis is not CoriolisRule.MIDDLE or not hasattr(sim, "accelerations"):
        return ""
    values = [float(value) for value in sim.accelerations()]
    if not any(values):
        return ""
    return f"{MARK} {' '.join(repr(value) for value in values)}\n"


def read_accelerations(text: str) -> tuple[float, ...]:
    """Return the accelerations that the last line of a world keeps; empty for none."""
    line = text.rstrip().rpartition("\n")[2]
    if not line.startswith(MARK):
        return ()
    try:
        values = tuple(float(word) for word in line[len(MARK) :].split())
    except ValueError:
        return ()
    return values if all(math.isfinite(value) for value in values) else ()
