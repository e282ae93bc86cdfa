"""Diagnostics: warnings and errors about input files, collected while loading and all reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum

from solidbody.base.span import NOWHERE, SourceSpan


class Severity(Enum):
    """How bad a diagnostic is. Only errors stop a file from being simulated."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message: where, about what, and what is wrong.

    Attributes:
        severity: Error, warning or info.
        code: Stable short name of the kind of problem, such as `unknown-field`.
        span: Place in the source file.
        text: What is wrong and what is allowed.
        node: Path of the node concerned, such as `DEF BOX Solid > Physics`; may be empty.
        field: Field concerned; may be empty.
    """

    severity: Severity
    code: str
    span: SourceSpan
    text: str
    node: str = ""
    field: str = ""

    def __str__(self) -> str:
        subject = ".".join(part for part in (self.node, self.field) if part)
        return f"{self.span}: {self.severity.value}: {subject + ': ' if subject else ''}{self.text}"


@dataclass(slots=True)
class DiagnosticLog:
    """Collects diagnostics in the order they are found."""

    items: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def error(
        self, code: str, span: SourceSpan, text: str, *, node: str = "", field: str = ""
    ) -> None:
        """Record something that makes the input unusable as it stands."""
        self.items.append(Diagnostic(Severity.ERROR, code, span, text, node, field))

    def warning(
        self, code: str, span: SourceSpan, text: str, *, node: str = "", field: str = ""
    ) -> None:
        """Record something that was changed, ignored or is likely a mistake."""
        self.items.append(Diagnostic(Severity.WARNING, code, span, text, node, field))

    def info(
        self, code: str, span: SourceSpan, text: str, *, node: str = "", field: str = ""
    ) -> None:
        """Record something worth knowing that changes nothing."""
        self.items.append(Diagnostic(Severity.INFO, code, span, text, node, field))

    def extend(self, items: Iterable[Diagnostic]) -> None:
        """Append diagnostics found elsewhere."""
        self.items.extend(items)

    @property
    def has_errors(self) -> bool:
        """Whether any diagnostic is an error."""
        return any(item.severity is Severity.ERROR for item in self.items)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean "x"?` for the closest known word, or an empty string."""
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=0.6)
    return f' Did you mean "{by_lower[close[0]]}"?' if close else ""


__all__ = ["NOWHERE", "Diagnostic", "DiagnosticLog", "Severity", "did_you_mean"]
