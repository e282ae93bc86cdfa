"""Looks at messages of controllers before they are read.

Python's marshal believes what a message claims: five bytes that announce a list of two thousand million
items cost it sixteen gigabytes. It also reads things that no controller sends: code, and references by
which a few bytes stand for a structure without end. So each message is walked through first.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import Final

MOST_VALUES: Final = 1 << 20
"""Values in one message: numbers, texts, lists."""

MOST_LEVELS: Final = 64
"""Lists within lists."""

MOST_DIGITS: Final = 256
"""Length of a whole number, in digits of 15 bits: 3,840 bits."""

_SHORT_FRAME: Final = 4096
"""[bytes] Up to here a list may claim 255 items that are not there: 1.6 MB at most."""

_SHORT_TEXT: Final = 40

_short_texts = rb"|".join(
    re.escape(bytes([length])) + rb"\0\0\0.{%d}" % length for length in range(_SHORT_TEXT)
)
_PLAIN: Final = re.compile(
    rb"(?s)(?:[NTF]|i.{4}|g.{8}|[(\[].\0\0\0|[ust](?:" + _short_texts + rb"))*+"
)
"""What nearly all messages are made of: numbers, short texts, short lists. Found three times quicker."""

_FIXED: Final = {ord("N"): 1, ord("T"): 1, ord("F"): 1, ord("i"): 5, ord("g"): 9, ord("y"): 17}
"""[bytes] Length of values whose length does not vary: None, truth values, numbers."""

_LISTS: Final = b"(["
_TEXTS: Final = b"ust"
_LONG: Final = ord("l")

_count_at = Struct("<I").unpack_from
_signed_at = Struct("<i").unpack_from


def inspect_frame(body: bytes) -> None:
    """Raise ValueError unless `body` is one value made of numbers, texts, bytes, tuples and lists."""
    if (
        len(body) <= _SHORT_FRAME
        and _PLAIN.fullmatch(body)
        and body.count(b"(") + body.count(b"[") <= MOST_LEVELS
    ):
        return
    _walk(body)


def _walk(body: bytes) -> None:
    at, size, values = 0, len(body), 0
    left: list[int] = [1]
    """How many values are still to come, level by level."""
    while left:
        if left[-1] == 0:
            left.pop()
            continue
        left[-1] -= 1
        values += 1
        if values > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES} values")
        if at >= size:
            raise ValueError("it ends too early")
        kind = body[at]
        length = _FIXED.get(kind)
        if length is None:
            length, items = _claimed(body, at, kind, size)
            if items:
                left.append(items)
                if len(left) > MOST_LEVELS:
                    raise ValueError(f"more than {MOST_LEVELS} lists within each other")
        at += length
    if at != size:
        raise ValueError("it is longer than its value")


def _claimed(body: bytes, at: int, kind: int, size: int) -> tuple[int, int]:
    """Return (length in bytes, number of items) of a value whose length varies."""
    if at + 5 > size:
        raise ValueError("it ends too early")
    (count,) = _count_at(body, at + 1)
    if kind in _LISTS:
        if count > size - at - 5:  # each item takes a byte at least
            raise ValueError("a list claims more than there is")
        return 5, count
    if kind in _TEXTS:
        if count > size - at - 5:
            raise ValueError("a text claims more than there is")
        return 5 + count, 0
    if kind == _LONG:
        digits = abs(_signed_at(body, at + 1)[0])
        if digits > MOST_DIGITS:
            raise ValueError(f"a number of more than {MOST_DIGITS} digits")
        return 5 + 2 * digits, 0
    raise ValueError(f"no value of a message begins with {kind}")
