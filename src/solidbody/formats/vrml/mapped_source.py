"""A text made from pieces of another: places still point into the original."""

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

    __slots__ = ("_is_copied", "_offsets", "_original", "_starts")

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
        self._original = original
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        self._starts = array("q", [0])  # and the end of the last
        self._starts.frombytes(ends.tobytes())
        self._offsets = array("q", offsets.tobytes())
        self._is_copied = is_copied.tobytes()
        super().__init__("".join(texts), original.name)

    def span(self, start: int, end: int) -> SourceSpan:
        """Return the place in the original of the characters from `start` up to `end`."""
        first = self._offset(start)
        return self._original.span(first, max(first, self._offset(max(start, end - 1)) + 1))

    def _offset(self, position: int) -> int:
        i = min(bisect_right(self._starts, position), len(self._offsets)) - 1
        if i < 0:
            return 0
        moved = position - self._starts[i] if self._is_copied[i] else 0
        return min(self._offsets[i] + moved, len(self._original.text))
