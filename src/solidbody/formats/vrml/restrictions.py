"""Restrictions of PROTO parameters to some values: `SFString{"a", "b"}`, `MFNode{Solid{}, Pose{}}`."""

from __future__ import annotations

from solidbody.formats.vrml.field_types import items_of, width_of
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    ItemSyntax,
    NumbersSyntax,
    ParameterSyntax,
    StringSyntax,
    ValueSyntax,
    WordSyntax,
)


def is_allowed_value(parameter: ParameterSyntax, value: ValueSyntax) -> bool:
    """Whether each item of a value without nodes is among the allowed ones."""
    width = width_of(parameter.type_name)
    allowed = set(_plain(parameter.allowed, width))
    return all(item in allowed for item in _plain(items_of(value), width))


def shown_allowed(parameter: ParameterSyntax) -> str:
    """Return the allowed values or node types as messages list them."""
    words = [item.text for item in parameter.allowed if isinstance(item, WordSyntax)]
    if words:
        return ", ".join(words)
    shown: list[str] = []
    for item in _plain(parameter.allowed, width_of(parameter.type_name)):
        if isinstance(item, tuple):
            shown.append(" ".join(f"{x:g}" for x in item))
        elif isinstance(item, bool):
            shown.append("TRUE" if item else "FALSE")
        else:
            shown.append(f'"{item}"')
    return ", ".join(shown)


def _plain(items: tuple[ItemSyntax, ...], width: int) -> list[str | bool | tuple[float, ...]]:
    plain: list[str | bool | tuple[float, ...]] = []
    numbers: list[float] = []
    for item in items:
        if isinstance(item, StringSyntax | BoolSyntax):
            plain.append(item.value)
        elif isinstance(item, NumbersSyntax):
            numbers.extend(item.values)
    step = max(width, 1)
    plain.extend(tuple(numbers[i : i + step]) for i in range(0, len(numbers), step))
    return plain
