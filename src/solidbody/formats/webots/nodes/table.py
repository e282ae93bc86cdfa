"""Columns of the node table and its reader: typed rows from which checks, reading and documents are made.

The rows are written in `nodes.txt`. Every field has exactly one fate: the model field it becomes, why it is
ignored (it needs no place in the model) or why it is unsupported (it has none yet).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Final, cast

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


BY_HAND: Final[Mapping[str, str]] = {
    "tree": "where the node stands says what it belongs to",
    "place": "it is turned, moved or scaled into the frame of a link",
    "name": "it names something that stands elsewhere",
    "file": "it comes from the content of a file",
    "form": "lists of numbers become a form",
    "sum": "several fields together make it",
    "release": "only older files have it, and say more with it",
}
"""Why a row of the table is read and written by code of its own, not by the generic pass."""

_RULES: Final[Mapping[str, Callable[[float], bool]]] = {
    "> 0": lambda x: x > 0,
    "> 0 and <= 16384": lambda x: 0 < x <= 16_384,  # pixels: more than any camera or screen has
    "> 0 and <= 10000": lambda x: 0 < x <= 10_000,  # rays: each takes some hundred bytes
    ">= 0": lambda x: x >= 0,
    ">= 8": lambda x: x >= 8,
    "between 0 and 1": lambda x: 0 <= x <= 1,
    ">= 0, or -1": lambda x: x >= 0 or x == -1,
    "> 0, or -1": lambda x: x > 0 or x == -1,
    "other than 0": lambda x: x != 0,
    "0, 1 or 2": lambda x: x in (0, 1, 2),
}
_REPAIRS: Final[Mapping[str, Callable[[float], float] | None]] = {
    "": None,
    "abs": abs,
    "clamp": lambda x: min(max(x, 0.0), 1.0),
    "0": lambda x: 0.0,
    "1": lambda x: 1.0,
}


@cache
def _check(text: str) -> Check:
    """Return the check that the table writes as `rule`, `rule -> repair` or `one of "word", ...`."""
    if text.startswith("one of "):
        words = tuple(re.findall('"([^"]*)"', text))
        return Check(lambda value: value in words, text, words=words)
    allowed, _, repair = text.partition(" -> ")
    rule = _RULES[allowed]
    return Check(
        lambda value: isinstance(value, int | float) and rule(value), allowed, _REPAIRS[repair]
    )


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
        bound: Those of them that the generic pass reads and writes, as `Class.field`, or `Class.field.part`
            for one that several rows make together.
        conversion: Name of what is between the values of the file and of the model; empty for none.
        by_hand: Why code of its own reads the others: a key of `BY_HAND`; empty = there are none.
        doc: What it is for, in one line.
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
    bound: tuple[str, ...] = ()
    conversion: str = ""
    by_hand: str = ""
    doc: str = ""

    @property
    def attribute(self) -> str:
        """The attribute that it becomes in the class of its node."""
        return self.bound[0].partition(".")[2]


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
        is_gone: Whether Webots itself no longer has it.
        is_list: Whether its one field, a list, stands for it wherever it is used.
        model: Class of the model that it becomes.
    """

    name: str
    base: str = ""
    fields: tuple[Field, ...] = ()
    unsupported: str = ""
    is_abstract: bool = False
    has_all_fields: bool = True
    can_be_used: bool = True
    is_gone: bool = False
    is_list: bool = False
    model: str = ""


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
            own: dict[str, Field] = {}
            for item in row.fields:
                base = inherited.get(item.name)
                own[item.name] = item if item.doc or base is None else replace(item, doc=base.doc)
            self._fields[row.name] = {**inherited, **own}

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


# reading of the table


def read_rows(text: str) -> Iterator[Node]:
    """Yield the nodes of a table in the form that the head of `nodes.txt` describes."""
    head, fields = "", list[Field]()
    for line in text.splitlines():
        if line.startswith("  "):
            fields.append(_field(line, _named(head).model))
        elif line and not line.startswith("#"):
            if head:
                yield replace(_named(head), fields=tuple(fields))
            head, fields = line, []
    yield replace(_named(head), fields=tuple(fields))


@cache
def _named(head: str) -> Node:
    """Return a node without fields: `Name : Base -> Model | flag | flag: reason`."""
    words, *flags = head.split(" | ")
    names, _, model = words.partition(" -> ")
    name, _, base = names.partition(" : ")
    said = {flag: reason for flag, _, reason in (part.partition(": ") for part in flags)}
    return Node(
        name,
        base,
        unsupported=said.get("unsupported", ""),
        is_abstract="abstract" in said,
        has_all_fields="open" not in said,
        can_be_used="no USE" not in said,
        is_gone="gone" in said,
        is_list="list" in said,
        model=model,
    )


def _field(line: str, model: str) -> Field:
    """Return a field: `name | type default | unit | allowed | fate; flag | doc`."""
    name, value, unit, allowed, fates, doc = (cell.strip() for cell in line.split("|"))
    kinds, _, default = value.partition(" ")
    kind, _, also = kinds.partition("/")
    fate, *flags = fates.split("; ")
    word, _, rest = fate.partition(": ")
    is_told = word in ("ignored", "unsupported")
    if word.startswith("by ") or is_told:
        flags, word, rest = [fate, *flags], "", ""
    said = {flag: text for flag, _, text in (part.partition(": ") for part in flags)}
    bound = [x if x[0].isupper() else f"{model}.{x}" for x in word.split(", ") if x]
    reason = next((reason for reason in BY_HAND if f"by {reason}" in said), "")
    targets = [x.split(".") for x in (*bound, *said.get(f"by {reason}", "").split(", ")) if x]
    type_ = FieldType[kind]
    holds_nodes = type_.item == "node"
    return Field(
        name,
        type_,
        None if holds_nodes else _default(type_, default),
        _check(allowed) if allowed and not holds_nodes else None,
        unit,
        to=", ".join(".".join(x[:2]) for x in targets),
        ignored=said.get("ignored", ""),
        unsupported=said.get("unsupported", ""),
        nodes=tuple(allowed.split(", ")) if allowed and holds_nodes else (),
        also=FieldType[also] if also else None,
        deprecated=said.get("deprecated", ""),
        until=said.get("until", ""),
        bound=tuple(bound),
        conversion=rest,
        by_hand=reason,
        doc=doc,
    )


def _default(kind: FieldType, text: str) -> Value:
    if kind.item == "string":
        words = tuple(re.findall('"([^"]*)"', text))
        return words if kind.is_list else words[0]
    if kind.item == "bool":
        return text == "TRUE"
    read = int if kind.item == "int" else float
    numbers = tuple(map(read, text.strip("[]").replace(",", " ").split()))
    rows = tuple(zip(*[iter(numbers)] * kind.width, strict=True)) if kind.width > 1 else numbers
    return cast(Value, rows if kind.is_list else rows[0])
