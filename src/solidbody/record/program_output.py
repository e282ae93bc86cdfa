"""What programs print while a run is recorded: heard in threads of theirs, written between steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from solidbody.sim import Sim

MOST_LINES: Final = 10_000
"""That wait for the next record; of more the oldest are lost."""


class ProgramOutput:
    """Collects the lines of a simulation's programs, and what is said of them."""

    def __init__(self) -> None:
        self._lines: deque[tuple[str, str, str]] = deque(maxlen=MOST_LINES)
        self._heard: list[object] = []

    def take(self, sim: Sim) -> Iterator[tuple[str, str, str]]:
        """Yield level, who said it and the line, of all that is new; lines that come later wait."""
        for hook in sim.step_hooks:
            listen = getattr(hook, "listen_to_output", None)
            if listen is not None and not any(hook is one for one in self._heard):
                self._heard.append(hook)
                listen(self._printed, self._said)
        for _ in range(len(self._lines)):
            yield self._lines.popleft()

    def _printed(self, robot: str, line: str, is_error: bool) -> None:
        self._lines.append(("error" if is_error else "output", robot, line))

    def _said(self, level: str, text: str) -> None:
        self._lines.append((level, "solidbody", text))
