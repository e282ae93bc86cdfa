"""Source spans: file, line and column that diagnostics point to."""

from __future__ import annotations

from typing import NamedTuple


class SourceSpan(NamedTuple):
    """A range of characters in one file; lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def until(self, other: SourceSpan) -> SourceSpan:
        """Return the span from the start of this one to the end of `other` (same file)."""
        return SourceSpan(self.file, self.line, self.column, other.end_line, other.end_column)


NOWHERE = SourceSpan("<memory>", 1, 1, 1, 1)
"""The span of things that were built by a program, not read from a file."""
