"""Exit statuses, the same for all commands."""

from __future__ import annotations

OK = 0
SIMULATION_FAILED = 1
BAD_INPUT = 2
