"""Python's cyclic garbage collector, kept quiet while trees are built."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """Pause the collector: it would walk a growing tree again and again and find nothing.

    Reading a world of two megabytes takes half the time without it. What is no longer used is freed
    all the same; only cycles wait until the collector is back.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
