"""Text generated from pieces of another file, with spans that point into the original."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.source import SourceText


class MappedSource(SourceText):
    """Text whose pieces come from places of an original text.

    A piece that was copied maps character by character; one that was made (by a template) maps to the
    place of what made it.
    """

    is_mapped: ClassVar = True

    __slots__ = ("_is_copied", "_last", "_offsets", "_original", "_spans", "_starts")

    def __init__(
        self,
        original: SourceText,
        texts: Sequence[str],
        offsets: NDArray[np.int64],
        is_copied: NDArray[np.bool_],
    ) -> None:
        """Make the text.

        Args:
            original: Where the pieces come from.
            texts: The pieces.
            offsets: Of each, its place in the original (an array: a long fence has millions).
            is_copied: Of each, whether it stands there.
        """
        self.text = "".join(texts)
        self.name = original.name
        self._original = original
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        self._starts = array("q", [0])  # and the end of the last
        self._starts.frombytes(ends.tobytes())
        self._offsets = array("q", offsets.tobytes())
        self._is_copied = is_copied.tobytes()
        self._last = 0  # the piece that was asked for last
        self._spans: dict[tuple[int, int], SourceSpan] = {}

    def span(self, start: int, end: int) -> SourceSpan:
        """Return the place in the original of the characters from `start` up to `end`."""
        first = self._offset(start)
        last = self._offset(end - 1) if end - 1 > start else first
        key = (first, max(first, last + 1))
        found = self._spans.get(key)  # a loop writes the same lines again and again
        if found is None:
            found = self._spans[key] = self._original.span(*key)
        return found

    def _offset(self, position: int) -> int:
        i = self._last
        if not self._starts[i] <= position < self._starts[i + 1]:
            i = self._last = min(bisect_right(self._starts, position), len(self._offsets)) - 1
        moved = position - self._starts[i] if self._is_copied[i] else 0
        return min(self._offsets[i] + moved, len(self._original.text))
