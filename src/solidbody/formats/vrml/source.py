"""A source text that turns character offsets into lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right

from solidbody.base.span import SourceSpan

_LINE_END = re.compile(r"\r\n|\n|\r")


class SourceText:
    """The text of one file, with the offset of every line start.

    Offsets count characters from 0; a byte order mark at the start is dropped first.
    """

    __slots__ = ("_line_starts", "name", "text")

    def __init__(self, text: str, name: str) -> None:
        self.text = text.removeprefix("\ufeff")
        self.name = name
        self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def span(self, start: int, end: int) -> SourceSpan:
        """Return the place of the characters from `start` up to, not including, `end`."""
        line, column = self._place(start)
        end_line, end_column = self._place(end)
        return SourceSpan(self.name, line, column, end_line, end_column)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1
