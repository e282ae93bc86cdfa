"""Keeps count of messages that are said once in a world, so that they can be said again after an edit."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog

Event = tuple[Any, ...]
"""What a message is about: its kind first."""


class OnceSaid:
    """What was said once, and which part of a world was told.

    Args:
        log: Takes the messages.
    """

    def __init__(self, log: DiagnosticLog) -> None:
        self._log = log
        self._said: set[Event] = set()
        self._texts: dict[Event, list[Diagnostic]] = {}
        self.begin()

    def begin(self) -> None:
        """Another part of the world comes."""
        self.heard: set[Event] = set()
        """What it came by that is said once, now or before."""
        self.told: set[Event] = set()
        """What it was the first to hear."""
        self.messages: list[Diagnostic] = []
        """What it was told by that."""

    def is_new(self, event: Event) -> bool:
        """Whether nobody has heard of something; from now on somebody has."""
        self.heard.add(event)
        is_new = event not in self._said
        if is_new:
            self._said.add(event)
            self.told.add(event)
        return is_new

    @contextmanager
    def telling(self) -> Generator[None]:
        """Take what is said in the block as said once."""
        first = len(self._log)
        yield
        self.messages += self._log.items[first:]

    @contextmanager
    def keeping(self, event: Event) -> Generator[None]:
        """The same, for what `repeat` says again; nothing has happened if nothing is said."""
        first = len(self._log)
        with self.telling():
            yield
        if len(self._log) > first:
            self._texts[event] = self._log.items[first:]
            self.is_new(event)

    def repeat(self, event: Event) -> None:
        """Come by something that was looked at before: say of it what nobody has heard any more."""
        if event in self._texts and self.is_new(event):
            with self.telling():
                self._log.extend(self._texts[event])

    def forget(self, events: Iterable[Event]) -> None:
        """Those who heard of something first are gone."""
        self._said.difference_update(events)
