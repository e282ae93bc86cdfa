"""The words of the node table: typed rows from which reading, checks and documents are made.

Every field row has exactly one fate: `to` (the model field it becomes), `ignored` (why it needs no
place in the model) or `unsupported` (why it has none yet).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

Scalar = bool | int | float | str
Value = (
    Scalar | tuple[float, ...] | tuple[str, ...] | tuple[bool, ...] | tuple[tuple[float, ...], ...]
)
"""A value of any field that does not hold nodes."""


class FieldType(Enum):
    """A VRML field type: (what one item is made of, numbers per item, whether it is a list)."""

    SFBool = ("bool", 0, False)
    SFInt32 = ("int", 1, False)
    SFFloat = ("float", 1, False)
    SFString = ("string", 0, False)
    SFVec2f = ("vector", 2, False)
    SFVec3f = ("vector", 3, False)
    SFRotation = ("rotation", 4, False)
    SFColor = ("color", 3, False)
    SFNode = ("node", 0, False)
    MFBool = ("bool", 0, True)
    MFInt32 = ("int", 1, True)
    MFFloat = ("float", 1, True)
    MFString = ("string", 0, True)
    MFVec2f = ("vector", 2, True)
    MFVec3f = ("vector", 3, True)
    MFRotation = ("rotation", 4, True)
    MFColor = ("color", 3, True)
    MFNode = ("node", 0, True)

    def __init__(self, item: str, width: int, is_list: bool) -> None:
        """Give each member its parts.

        Args:
            item: What one item is: bool, int, float, string, vector, rotation, color or node.
            width: Numbers per item; 0 for items that are not numeric.
            is_list: Whether the field holds any number of items.
        """
        self.item = item
        self.width = width
        self.is_list = is_list


@dataclass(frozen=True, slots=True)
class Check:
    """A rule for each number (or word) of a value, and what a value that breaks it becomes.

    Attributes:
        holds: The rule.
        allowed: The rule in words.
        repair: From a bad number to a good one; None resets the whole field to its default.
        words: All that is allowed, if the rule is a list of words.
    """

    holds: Callable[[float | str], bool]
    allowed: str
    repair: Callable[[float], float] | None = None
    words: tuple[str, ...] = ()


def _number(rule: Callable[[float], bool]) -> Callable[[float | str], bool]:
    return lambda value: isinstance(value, int | float) and rule(value)


POSITIVE: Final = Check(_number(lambda x: x > 0), "> 0")
PIXELS: Final = Check(_number(lambda x: 0 < x <= 16_384), "> 0 and <= 16384")
"""Larger pictures are more than any camera or screen has, and than memory holds."""
RAYS: Final = Check(_number(lambda x: 0 < x <= 10_000), "> 0 and <= 10000")
"""More rays than any sensor has; each takes some hundred bytes and is cast at every reading."""
NOT_NEGATIVE: Final = Check(_number(lambda x: x >= 0), ">= 0")
UNIT_RANGE: Final = Check(_number(lambda x: 0 <= x <= 1), "between 0 and 1")
COLOR: Final = Check(
    _number(lambda x: 0 <= x <= 1), "between 0 and 1", repair=lambda x: min(max(x, 0.0), 1.0)
)
ABSOLUTE: Final = Check(_number(lambda x: x >= 0), ">= 0", repair=abs)
CLAMP_AT_ZERO: Final = Check(_number(lambda x: x >= 0), ">= 0", repair=lambda x: 0.0)
NOT_NEGATIVE_OR_MINUS_1: Final = Check(_number(lambda x: x >= 0 or x == -1), ">= 0, or -1")
POSITIVE_OR_MINUS_1: Final = Check(_number(lambda x: x > 0 or x == -1), "> 0, or -1")
NOT_ZERO: Final = Check(_number(lambda x: x != 0), "other than 0")
NOT_NEGATIVE_OR_MINUS_1_ELSE_ONE: Final = Check(
    _number(lambda x: x >= 0 or x == -1), ">= 0, or -1", repair=lambda x: 1.0
)
NOT_NEGATIVE_OR_MINUS_1_ELSE_ZERO: Final = Check(
    _number(lambda x: x >= 0 or x == -1), ">= 0, or -1", repair=lambda x: 0.0
)


def one_of(*words: str) -> Check:
    """Return the check that a string is one of `words`."""
    quoted = ", ".join(f'"{word}"' for word in words)
    return Check(lambda value: value in words, f"one of {quoted}", words=words)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a node.

    Attributes:
        name: As written in files.
        type: VRML type.
        default: Value when the field is not written; None for an absent node.
        check: Rule for its values.
        unit: Unit of its numbers, empty for none.
        to: Model fields it becomes, as `Class.field`, separated by commas.
        ignored: Why nothing in the model needs it.
        unsupported: Why the model does not take it yet; a value other than the default is reported.
        nodes: Node types allowed (with those derived from them); empty = any.
        also: Second type that older files use.
        deprecated: What to use instead; the use of the field is reported.
        until: Last release that has the field, such as R2023a; empty for those of today.
    """

    name: str
    type: FieldType
    default: Value | None
    check: Check | None = None
    unit: str = ""
    to: str = ""
    ignored: str = ""
    unsupported: str = ""
    nodes: tuple[str, ...] = ()
    also: FieldType | None = None
    deprecated: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """One node type.

    Attributes:
        name: As written in files.
        base: Row whose fields it also has.
        fields: Its own fields; one with the name of a base field replaces that.
        unsupported: Why the node is not simulated; its base part (place, shapes, mass) still counts.
        is_abstract: Only a base of others, never written in files.
        has_all_fields: Whether `fields` is complete; if not, unknown fields are not reported.
        can_be_used: Whether USE may refer to it.
    """

    name: str
    base: str = ""
    fields: tuple[Field, ...] = ()
    unsupported: str = ""
    is_abstract: bool = False
    has_all_fields: bool = True
    can_be_used: bool = True


class NodeTable:
    """All node rows by name, with inheritance resolved."""

    def __init__(self, rows: Iterable[Node]) -> None:
        self._rows: dict[str, Node] = {}
        self._fields: dict[str, Mapping[str, Field]] = {}
        self._bases: dict[str, frozenset[str]] = {"": frozenset()}
        for row in rows:
            if row.name in self._rows:
                raise ValueError(f"node {row.name} stands twice in the table")
            inherited: Mapping[str, Field] = self._fields[row.base] if row.base else {}
            self._rows[row.name] = row
            self._bases[row.name] = self._bases[row.base] | {row.name}
            self._fields[row.name] = {**inherited, **{item.name: item for item in row.fields}}

    def __getitem__(self, name: str) -> Node:
        return self._rows[name]

    def __iter__(self) -> Iterator[Node]:
        return iter(self._rows.values())

    def find(self, name: str) -> Node | None:
        """Return the row of a node type that files may contain, or None."""
        row = self._rows.get(name)
        return None if row is None or row.is_abstract else row

    def fields(self, name: str) -> Mapping[str, Field]:
        """Return all fields of a node type, inherited ones included."""
        return self._fields[name]

    def names(self) -> list[str]:
        """Return the names of all node types that files may contain."""
        return [row.name for row in self._rows.values() if not row.is_abstract]

    def derives(self, name: str, base: str) -> bool:
        """Whether node type `name` is `base` or derived from it."""
        return base in self._bases[name]
