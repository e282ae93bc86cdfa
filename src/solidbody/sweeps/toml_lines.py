"""Finds the lines of keys in a TOML text: the reader of Python's library tells none."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any, Final

LONGEST: Final = 2_000
"""Lines that one value may go over and still be found; others are taken for the line of their table."""

_QUOTED: Final = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)'
    r"|'''.*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*",
    re.DOTALL,
)
"""Quoted texts and comments, in which brackets mean nothing."""


class TomlLines:
    """Lines of keys, by their paths."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, ...], int] = {}
        table: tuple[str, ...] = ()
        lines = text.splitlines()
        at = 0
        while at < len(lines):
            number, line = at + 1, lines[at].strip()
            at += 1
            if not line or line.startswith("#"):
                continue
            if line.startswith("["):
                found = _keys(line)
                if found:
                    table = found[0]
                    self._note(table, number)
                continue
            end = _end_of(lines, at - 1)
            for keys in _keys("\n".join(lines[at - 1 : end])):
                self._note((*table, *keys), number)
            at = end

    def line(self, keys: Sequence[str]) -> int | None:
        """Return the line of a key, or of the nearest table around it; None = there is none."""
        for length in range(len(keys), 0, -1):
            found = self._lines.get(tuple(keys[:length]))
            if found is not None:
                return found
        return None

    def _note(self, keys: tuple[str, ...], number: int) -> None:
        for length in range(1, len(keys) + 1):
            self._lines.setdefault(keys[:length], number)


def _end_of(lines: list[str], first: int) -> int:
    """Return the line after a statement: of a value in brackets or long quotes, the one that closes it."""
    text = lines[first]
    for end in range(first + 1, min(first + LONGEST, len(lines)) + 1):
        bare = _QUOTED.sub(_as_brackets, text)
        is_open = bare.count("[") > bare.count("]") or bare.count("{") > bare.count("}")
        if not is_open or end == len(lines):
            return end
        text += "\n" + lines[end]
    return first + 1


def _as_brackets(quoted: re.Match[str]) -> str:
    """Return what a quoted text counts for: an open bracket, where it goes on in the next line."""
    text = quoted.group()
    mark = text[:3]
    is_long = mark in ('"""', "'''")
    return "[" if is_long and (len(text) < 6 or not text.endswith(mark)) else ""


def _keys(statement: str) -> list[tuple[str, ...]]:
    """Return the paths of keys that a piece of TOML sets; none if it is no whole piece."""
    try:
        tree = tomllib.loads(statement)
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    return list(_paths(tree))


def _paths(tree: dict[str, Any]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for key, value in tree.items():
        inner = value[0] if isinstance(value, list) and value else value
        below = _paths(inner) if isinstance(inner, dict) else []
        found += [(key, *path) for path in below] or [(key,)]
    return found
