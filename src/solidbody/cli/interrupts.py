"""Ends a run by Ctrl-C also where a library swallowed the exception that says so."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def noticed_interrupts() -> Iterator[Callable[[], None]]:
    """Yield a check that raises `KeyboardInterrupt` if Ctrl-C came and nobody heard of it.

    Python raises the exception wherever the main thread happens to be, and numpy clears whatever is raised
    while it looks an attribute up. What ignores Ctrl-C (`nohup`) or handles it in its own way is left alone.
    """
    pressed = False

    def note(number: int, frame: object) -> None:
        nonlocal pressed
        pressed = True
        raise KeyboardInterrupt

    def check() -> None:
        if pressed:
            raise KeyboardInterrupt

    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield check
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
