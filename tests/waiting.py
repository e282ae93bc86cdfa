"""Waiting for what another thread or process does: the one place in the tests that sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""[s] For what happens at once on an idle machine; a busy one with one core must do, too."""


def wait_until(
    condition: Callable[[], object],
    what: str | Callable[[], str] = "it",
    *,
    patience: float = PATIENCE,
) -> None:
    """Return as soon as `condition` is true; fail with `what` if it does not become so."""
    end, pause = time.monotonic() + patience, 0.001
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what if isinstance(what, str) else what()}")
        time.sleep(pause)
        pause = min(1.5 * pause, 0.03)
