"""How commands end: exit statuses, the same for all of them, and mistakes of usage."""

from __future__ import annotations

OK = 0
SIMULATION_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130


class UsageError(Exception):
    """A command cannot be meant like this; raised before anything has been done.

    Attributes:
        where: The option or argument that it is about; None = that which is being read.
    """

    def __init__(self, text: str, where: str | None = None) -> None:
        super().__init__(text)
        self.where = where
