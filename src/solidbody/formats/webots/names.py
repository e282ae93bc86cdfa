"""Names that must be unique, and the paths made of them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class UniqueNames:
    """Hands out each name once; a clash gets `(1)`, `(2)`, ... appended."""

    _taken: set[str] = field(default_factory=set[str])
    _counts: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, name: str) -> str:
        """Return `name`, or the first free `name(i)`."""
        unique = name
        while unique in self._taken:
            self._counts[name] = self._counts.get(name, 0) + 1
            unique = f"{name}({self._counts[name]})"
        self._taken.add(unique)
        return unique


def joined_path(upper: str | None, name: str) -> str:
    """Return the unique path of a solid: names joined with `:`, `\\` and `:` inside them escaped."""
    escaped = name.replace("\\", "\\\\").replace(":", "\\:")
    return escaped if upper is None else f"{upper}:{escaped}"
