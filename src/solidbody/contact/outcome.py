"""How a call of the step ended."""

from __future__ import annotations

from enum import IntEnum


class StepOutcome(IntEnum):
    """Return value of a step; the numbers are those of sb_step.h."""

    OK = 0
    NOT_FINITE = 1
    NO_MEMORY = 2
    STOPPED = 3
    MUJOCO = 4
    """MuJoCo met an error; the step's `error_text` says which."""
