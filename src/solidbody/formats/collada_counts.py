"""Checks counts in COLLADA files before memory is allocated for them."""

from __future__ import annotations

from contextlib import suppress
from xml.parsers import expat


def claims_too_much(data: bytes) -> bool:
    """Whether lists of polygons claim more corners than a file of this size can hold.

    `<vcount>` has the corners of each polygon. Readers make room for all of them before they look for their
    numbers, of which each takes a byte at least.
    """
    if b"vcount" not in data and b"\0" not in data:  # wide letters have null bytes between them
        return False
    parser = expat.ParserCreate()
    pieces: list[str] = []
    corners = 0.0

    def start(tag: str, _: dict[str, str]) -> None:
        if tag.rpartition(":")[2] == "vcount":
            pieces.clear()
            parser.CharacterDataHandler = pieces.append

    def end(tag: str) -> None:
        nonlocal corners
        if tag.rpartition(":")[2] == "vcount":
            parser.CharacterDataHandler = None
            corners += sum(abs(float(word)) for word in "".join(pieces).split())

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    # whoever reads it says what is wrong with it; what stands before the fault counts
    with suppress(expat.ExpatError, ValueError):
        parser.Parse(data, True)
    return not corners <= len(data)
