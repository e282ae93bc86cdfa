"""Makes names of solids and devices unique, and builds the paths made of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

_NUMBER_AT_END = re.compile(r"\(\d+\)$")


@dataclass(slots=True)
class UniqueNames:
    """Hands out each name once; a clash gets `(1)`, `(2)`, ... appended (in place of its own)."""

    _taken: set[str] = field(default_factory=set[str])
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    tries: int = 0
    """Names that were not free, the last time."""

    def take(self, name: str) -> str:
        """Return `name`, or the first free `name(i)`."""
        unique = name
        self.tries = 0
        if name in self._taken:
            base = _NUMBER_AT_END.sub("", name)
            while unique in self._taken:
                self._counts[base] = self._counts.get(base, 0) + 1
                unique = f"{base}({self._counts[base]})"
                self.tries += 1
        self._taken.add(unique)
        return unique

    def give_back(self, name: str, unique: str, tries: int) -> None:
        """Be as before a name was taken, the last one that was."""
        self._taken.discard(unique)
        if tries:
            self._counts[_NUMBER_AT_END.sub("", name)] -= tries


class NameKind(Enum):
    """What has names that are unique in a scene."""

    LINK = "link"
    TOP = "solid at the top"
    JOINT = "joint"


class NameTaken(NamedTuple):
    """A name that was asked for, and the one that was given."""

    kind: NameKind
    asked: str
    given: str


class NameLedger:
    """Hands out the names of a scene, and keeps the record of it."""

    def __init__(self) -> None:
        self._names = {kind: UniqueNames() for kind in NameKind}
        self.taken: list[NameTaken] = []
        self._tries: list[int] = []

    def take(self, kind: NameKind, name: str) -> str:
        """Return a name of a kind that nobody has."""
        names = self._names[kind]
        given = names.take(name)
        self.taken.append(NameTaken(kind, name, given))
        self._tries.append(names.tries)
        return given

    def repeat(self, taken: Sequence[NameTaken]) -> bool:
        """Hand out names as a record has it; whether they are still the same. If not, none is taken."""
        first = len(self.taken)
        for kind, asked, given in taken:
            if self.take(kind, asked) != given:
                break
        else:
            return True
        while len(self.taken) > first:
            kind, asked, given = self.taken.pop()
            self._names[kind].give_back(asked, given, self._tries.pop())
        return False


class OtherNamesError(Exception):
    """Names are asked for that the record does not have there."""


class NameRecital(NameLedger):
    """Hands out names as a record has them, to who asks for the same ones."""

    def __init__(self, taken: Sequence[NameTaken]) -> None:
        super().__init__()
        self._expected = taken

    def take(self, kind: NameKind, name: str) -> str:
        """Return the name of the record. Raises OtherNamesError if it has none for that question."""
        at = len(self.taken)
        if at >= len(self._expected) or self._expected[at][:2] != (kind, name):
            raise OtherNamesError
        self.taken.append(self._expected[at])
        return self._expected[at].given

    def finish(self) -> None:
        """Raise OtherNamesError if fewer names were asked for."""
        if len(self.taken) != len(self._expected):
            raise OtherNamesError


def joined_path(upper: str | None, name: str) -> str:
    r"""Return the unique path of a solid: names joined with `:`, `\` and `:` inside them escaped."""
    escaped = name.replace("\\", "\\\\").replace(":", "\\:")
    return escaped if upper is None else f"{upper}:{escaped}"
