"""Messages about one file of a body: each is said once, and what was meant is not guessed for ever."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity, did_you_mean
from solidbody.base.span import SourceSpan

MOST_GUESSES: Final = 200_000
"""Words that one file's slips are compared with, at 10 microseconds each."""


@dataclass(slots=True)
class Messages:
    """Takes the messages about one file.

    Attributes:
        log: Where they go.
    """

    log: DiagnosticLog
    _guesses_left: int = field(default=MOST_GUESSES, kw_only=True)
    _said: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]], kw_only=True)

    def say(
        self,
        severity: Severity,
        code: str,
        span: SourceSpan,
        text: str,
        *,
        node: str = "",
        key: str = "",
    ) -> None:
        """Record a message once, whatever ways lead there: a value that aliases share is read often."""
        said = (severity, code, span, text, key)
        if said not in self._said:
            self._said.add(said)
            self.log.items.append(Diagnostic(severity, code, span, text, node, key))

    def guess(self, word: str, known: Collection[str]) -> str:
        """Return ` Did you mean "x"?` or nothing, as long as this file has not used up its guesses."""
        self._guesses_left -= len(known)
        return did_you_mean(word, known) if self._guesses_left > 0 else ""


@dataclass(frozen=True, slots=True)
class Spot:
    """Something in a file that messages are about."""

    messages: Messages
    span: SourceSpan
    node: str = ""
    field: str = ""

    def error(self, code: str, text: str) -> None:
        """Record an error."""
        self.messages.say(Severity.ERROR, code, self.span, text, node=self.node, key=self.field)

    def warning(self, code: str, text: str) -> None:
        """Record a warning."""
        self.messages.say(Severity.WARNING, code, self.span, text, node=self.node, key=self.field)

    def info(self, code: str, text: str) -> None:
        """Record a remark."""
        self.messages.say(Severity.INFO, code, self.span, text, node=self.node, key=self.field)
