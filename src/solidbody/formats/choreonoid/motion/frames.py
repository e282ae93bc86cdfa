"""Takes the long lists of numbers out of a motion's text, before it is read as YAML.

A motion has millions of numbers, in lines of one form: `- [ 0, -0.036, 0 ]` below `frames:`. As YAML each
would be a value with a place; as lines they are arrays at once. Lists in another form stay in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solidbody.base.limits import MAX_MOTION_NUMBERS

Floats = NDArray[np.float64]

_FRAME: Final = r"-[ ]*\[[-+0-9.eE,\[\] ]*\][ ]*(?:\r?\n|\Z)"

_BLOCK: Final = re.compile(
    r"^(?P<key>[ ]*frames:)[ ]*\r?\n"
    rf"(?P<lines>(?P<indent>[ ]*){_FRAME}(?:(?P=indent){_FRAME})*+)(?!(?P=indent)-)",
    re.MULTILINE,
)
"""`frames:` and the lines below it that hold nothing but numbers."""

_BRACKETS: Final = str.maketrans("[]", "  ")


class FrameError(Exception):
    """A line of numbers cannot be read.

    Attributes:
        line: Of the text.
        text: What is wrong.
    """

    def __init__(self, line: int, text: str) -> None:
        self.line, self.text = line, text
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class FrameBlock:
    """The numbers of one list of frames.

    Attributes:
        values: (frames, numbers in each).
        line: Of the text, where it begins.
    """

    values: Floats
    line: int


def cut_frames(text: str) -> tuple[str, Mapping[int, FrameBlock]]:
    """Return the text with empty lists in place of the frames, and these by the line of their key.

    Lines of the text stay the same, so that messages name the right ones.

    Raises:
        FrameError: A list cannot be read, or there are too many numbers.
    """
    blocks: dict[int, FrameBlock] = {}
    parts: list[str] = []
    at, line, left = 0, 1, MAX_MOTION_NUMBERS
    for found in _BLOCK.finditer(text):
        line += text.count("\n", at, found.start())
        values = _values(found["lines"], line + 1, left)
        left -= values.size
        blocks[line] = FrameBlock(values, line + 1)
        parts += [text[at : found.start()], found["key"], " []"]
        lines = found["lines"].count("\n") + 1
        parts.append("\n" * lines)
        at, line = found.end(), line + lines
    parts.append(text[at:])
    return "".join(parts), blocks


def _values(text: str, first: int, left: int) -> Floats:
    """Return the numbers of lines, which must all have as many; `first` is the number of their first."""
    rows: list[Floats] = []
    width = -1
    for number, line in enumerate(text.splitlines(), first):
        words = line[line.index("[") :].translate(_BRACKETS).split(",")
        try:
            row = np.array([float(word) for word in words])
        except ValueError:
            raise FrameError(number, "expected numbers with commas between them.") from None
        if not np.isfinite(row).all():
            raise FrameError(number, "a number is too large.")
        if width < 0:
            width = len(row)
        if len(row) != width:
            text = f"this frame has {len(row)} numbers, the first one {width}."
            raise FrameError(number, text)
        left -= width
        if left < 0:
            text = f"motions of more than {MAX_MOTION_NUMBERS:,} numbers are not read."
            raise FrameError(number, text)
        rows.append(row)
    return np.array(rows)
