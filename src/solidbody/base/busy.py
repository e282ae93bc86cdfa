"""Long work that nobody asked for by name says what it does; whoever talks to the user shows it.

with busy("preparing the ray kernels"): ...
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

Listener = Callable[[str], None]
"""Gets the text when work begins, and an empty text when it ends."""

_listeners: list[Listener] = []


def add_listener(listener: Listener) -> None:
    """Tell `listener` about long work from now on."""
    _listeners.append(listener)


def remove_listener(listener: Listener) -> None:
    """Do not tell it any more."""
    _listeners.remove(listener)


@contextmanager
def busy(text: str) -> Generator[None]:
    """Tell the listeners that long work goes on, until the block ends."""
    for listener in _listeners:
        listener(text)
    try:
        yield
    finally:
        for listener in _listeners:
            listener("")
