"""Field types of VRML (SFFloat, MFNode ...) and which written values they accept."""

from __future__ import annotations

import math
from typing import Final

from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    IsSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    NumbersSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
)

_ITEMS: Final[dict[str, tuple[str, int]]] = {
    "Bool": ("TRUE or FALSE", 0),
    "Int32": ("a whole number", 1),
    "Float": ("a number", 1),
    "String": ("a string in quotes", 0),
    "Vec2f": ("2 numbers", 2),
    "Vec3f": ("3 numbers", 3),
    "Rotation": ("4 numbers (axis x y z and angle)", 4),
    "Color": ("3 numbers between 0 and 1", 3),
    "Node": ("a node or NULL", 0),
}
"""What one item is in words, and how many numbers it has."""

FIELD_TYPES: Final = frozenset(f"{prefix}{item}" for prefix in ("SF", "MF") for item in _ITEMS)
"""All field types."""

RESERVED_WORDS: Final = FIELD_TYPES | {
    *("DEF", "USE", "PROTO", "IS", "TRUE", "FALSE", "NULL", "EXTERNPROTO", "IMPORTABLE"),
    *("field", "vrmlField", "w3dField", "hiddenField", "deprecatedField", "unconnectedField"),
}
"""Words that neither DEF nor PROTO may give to anything."""


def is_list(type_name: str) -> bool:
    """Whether fields of the type hold any number of items."""
    return type_name.startswith("MF")


def item_of(type_name: str) -> str:
    """Return the type without SF or MF."""
    return type_name[2:]


def width_of(type_name: str) -> int:
    """Return the numbers per item; 0 for items that are not numeric."""
    return _ITEMS[type_name[2:]][1]


def holds_nodes(type_name: str) -> bool:
    """Whether fields of the type hold nodes."""
    return type_name[2:] == "Node"


def words_for(type_name: str) -> str:
    """Return what a field of the type takes, in words."""
    one = _ITEMS[type_name[2:]][0]
    return f"a list, each item {one}" if is_list(type_name) else one


def items_of(value: ValueSyntax) -> tuple[ItemSyntax, ...]:
    """Return the items of a list, or the only item."""
    return value.items if isinstance(value, ListSyntax) else (value,)


def fits(type_name: str, value: ValueSyntax) -> bool:
    """Whether `value` can be a value of the type (what `IS` and `USE` refer to is not looked at)."""
    if isinstance(value, ListSyntax) and not is_list(type_name):
        return False
    items = items_of(value)
    if isinstance(value, IsSyntax):
        return True
    match item_of(type_name):
        case "Bool":
            return all(isinstance(item, BoolSyntax) for item in items)
        case "String":
            return all(isinstance(item, StringSyntax) for item in items)
        case "Node":
            return all(isinstance(item, NodeSyntax | NullSyntax | UseSyntax) for item in items)
        case item:
            numbers = numbers_of_items(items)
            if numbers is None:
                return False
            if item == "Int32" and not all(x.is_integer() for x in numbers if math.isfinite(x)):
                return False
            if isinstance(value, ListSyntax):
                return len(numbers) % width_of(type_name) == 0
            return len(numbers) == width_of(type_name)


def numbers_of_items(items: tuple[ItemSyntax, ...]) -> list[float] | None:
    """Return all numbers of `items` in a row, or None if one of them is something else."""
    numbers: list[float] = []
    for item in items:
        if not isinstance(item, NumbersSyntax):
            return None
        numbers.extend(item.values)
    return numbers
