"""A text made from pieces of another: places still point into the original."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from typing import ClassVar

from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.source import SourceText


class MappedSource(SourceText):
    """Text whose pieces come from places of an original text.

    A piece that was copied maps character by character; one that was made (by a template) maps to the
    place of what made it.
    """

    is_mapped: ClassVar = True

    __slots__ = ("_is_copied", "_offsets", "_original", "_starts")

    def __init__(self, original: SourceText, pieces: Iterable[tuple[str, int, bool]]) -> None:
        self._original = original
        # 17 bytes a piece in place of 80: a long fence has millions
        self._starts = array("q")
        self._offsets = array("q")
        self._is_copied = bytearray()
        parts: list[str] = []
        length = 0
        for text, offset, is_copied in pieces:
            if text:
                self._starts.append(length)
                self._offsets.append(offset)
                self._is_copied.append(is_copied)
                parts.append(text)
                length += len(text)
        super().__init__("".join(parts), original.name)

    def span(self, start: int, end: int) -> SourceSpan:
        """Return the place in the original of the characters from `start` up to `end`."""
        first = self._offset(start)
        return self._original.span(first, max(first, self._offset(max(start, end - 1)) + 1))

    def _offset(self, position: int) -> int:
        i = bisect_right(self._starts, position) - 1
        if i < 0:
            return 0
        moved = position - self._starts[i] if self._is_copied[i] else 0
        return min(self._offsets[i] + moved, len(self._original.text))
