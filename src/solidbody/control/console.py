"""Collects what controllers print, and messages about them, for the terminal and the page."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from solidbody.base.texts import shortened
from solidbody.control.process import OutputListener

LINES_KEPT: Final = 500
"""Lines that a listener gets which comes after they were written."""

LINE_KEPT: Final = 10_000
"""Characters of each of them."""

SayListener = Callable[[str, str], None]
"""Gets (level, text): "error", "warning" or "info", and what the hub has to say about controllers."""


class Console:
    """Passes lines on to listeners, and keeps the last ones for those that come later."""

    def __init__(self, output: OutputListener | None, say: SayListener | None) -> None:
        self._output_listeners: list[OutputListener] = [output] if output else []
        self._say_listeners: list[SayListener] = [say] if say else []
        self._lines: deque[tuple[str, str, bool]] = deque(maxlen=LINES_KEPT)
        self._said: deque[tuple[str, str]] = deque(maxlen=LINES_KEPT)

    def output(self, robot: str, line: str, is_error: bool) -> None:
        """A controller has printed a line."""
        self._lines.append((robot, shortened(line, LINE_KEPT), is_error))
        for listener in tuple(self._output_listeners):
            listener(robot, line, is_error)

    def say(self, level: str, text: str) -> None:
        """There is something to say: an error, a warning, information."""
        self._said.append((level, shortened(text, LINE_KEPT)))
        for listener in tuple(self._say_listeners):
            listener(level, text)

    def listen(self, output: OutputListener, say: SayListener) -> None:
        """Hear everything from now on, the last lines so far included."""
        for level, text in tuple(self._said):
            say(level, text)
        for line in tuple(self._lines):
            output(*line)
        self._output_listeners.append(output)
        self._say_listeners.append(say)
