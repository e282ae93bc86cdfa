"""Names that must be unique, and the paths made of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NUMBER_AT_END = re.compile(r"\(\d+\)$")


@dataclass(slots=True)
class UniqueNames:
    """Hands out each name once; a clash gets `(1)`, `(2)`, ... appended (in place of its own)."""

    _taken: set[str] = field(default_factory=set[str])
    _counts: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, name: str) -> str:
        """Return `name`, or the first free `name(i)`."""
        unique = name
        base = _NUMBER_AT_END.sub("", name)
        while unique in self._taken:
            self._counts[base] = self._counts.get(base, 0) + 1
            unique = f"{base}({self._counts[base]})"
        self._taken.add(unique)
        return unique


def joined_path(upper: str | None, name: str) -> str:
    r"""Return the unique path of a solid: names joined with `:`, `\` and `:` inside them escaped."""
    escaped = name.replace("\\", "\\\\").replace(":", "\\:")
    return escaped if upper is None else f"{upper}:{escaped}"
