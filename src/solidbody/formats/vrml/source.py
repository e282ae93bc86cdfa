"""Turns character offsets of a source text into lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, ClassVar, cast

from solidbody.base.span import SourceSpan

if TYPE_CHECKING:
    from collections.abc import Callable

_new = cast(
    "Callable[[type[SourceSpan], tuple[str, int, int, int, int]], SourceSpan]",
    tuple.__new__,  # pyright: ignore[reportUnknownMemberType]
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE_FEED = re.compile(r"\n")  # ten times as fast where it is enough


class SourceText:
    """The text of one file, with the offset of every line start.

    Offsets count characters from 0; a byte order mark at the start is dropped first.
    """

    is_mapped: ClassVar = False
    """Whether places point into another text, so that they do not follow from each other."""

    __slots__ = ("_line_starts", "name", "text")

    def __init__(self, text: str, name: str) -> None:
        self.text = text.removeprefix("\ufeff")
        self.name = name
        ends = _LINE_END if "\r" in text else _LINE_FEED
        self._line_starts = [0, *[match.end() for match in ends.finditer(self.text)]]

    def span(self, start: int, end: int) -> SourceSpan:
        """Return the place of the characters from `start` up to, not including, `end`."""
        starts = self._line_starts
        line = bisect_right(starts, start)
        before = starts[line - 1] - 1
        if line == len(starts) or end < starts[line]:  # most pieces lie in one line
            # not SourceSpan(...), which takes twice as long: there is one for every value
            return _new(SourceSpan, (self.name, line, start - before, line, end - before))
        end_line = bisect_right(starts, end)
        return SourceSpan(self.name, line, start - before, end_line, end - starts[end_line - 1] + 1)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place in the text."""
        return self._line_starts[line - 1] + column - 1
