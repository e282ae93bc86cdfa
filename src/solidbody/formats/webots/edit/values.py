"""Converts field values between Python values and the syntax tree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    NumbersSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.edit.paths import EditError
from solidbody.formats.webots.nodes.table import Field, Value
from solidbody.formats.webots.nodes.values import expected_text, read_value

Node = NodeSyntax | UseSyntax
FieldValue = Value | Node | tuple[Node, ...] | None
"""What a field holds; None for NULL."""


def field_value(row: Field | None, written: ValueSyntax | None) -> FieldValue:
    """Return the value of a field, its default if it is not written or not usable.

    Without a row (a parameter of a PROTO) the value is returned as it is written.
    """
    if row is None:
        return None if written is None else _untyped(written)
    if row.type.item == "node":
        nodes = _nodes(written)
        if row.type.is_list:
            return nodes
        return nodes[0] if nodes else None
    if written is None:
        return row.default
    found = read_value(row, written, lambda severity, code, text, span: None)
    return row.default if found is None else found


def _nodes(written: ValueSyntax | None) -> tuple[Node, ...]:
    items = written.items if isinstance(written, ListSyntax) else (written,)
    return tuple(item for item in items if isinstance(item, NodeSyntax | UseSyntax))


def _untyped(written: ValueSyntax) -> FieldValue:
    match written:
        case NumbersSyntax():
            return written.values if len(written.values) != 1 else written.values[0]
        case StringSyntax() | BoolSyntax():
            return written.value
        case NodeSyntax() | UseSyntax():
            return written
        case ListSyntax():
            nodes = _nodes(written)
            if nodes:
                return nodes
            parts = [_untyped(item) for item in written.items]
            flat = [x for part in parts for x in (part if isinstance(part, tuple) else (part,))]
            return cast("FieldValue", tuple(flat))
        case _:
            return None


def written_value(value: Any, span: SourceSpan, *, is_list: bool | None) -> ValueSyntax:
    """Return a Python value as it would be written.

    Args:
        value: A bool, number, string, a sequence of numbers, or a sequence of these.
        span: Where the value is said to come from.
        is_list: Whether it is in brackets; None = as the value looks (a sequence of numbers is not).
    """
    if isinstance(value, bool):
        item: ItemSyntax = BoolSyntax(value, span)
    elif isinstance(value, int | float):
        item = NumbersSyntax((_finite(value),), span)
    elif isinstance(value, str):
        item = StringSyntax(value, span)
    elif value is None:
        item = NullSyntax(span)
    else:
        return _written_sequence(value, span, is_list=is_list)
    return ListSyntax((item,), span) if is_list else item


def _written_sequence(value: Any, span: SourceSpan, *, is_list: bool | None) -> ValueSyntax:
    try:
        values = list(cast("Sequence[Any]", value))
    except TypeError:
        raise EditError(f"a {type(value).__name__} cannot be the value of a field.") from None
    flat: list[Any] = []
    for part in values:
        if isinstance(part, bool | int | float | str):
            flat.append(part)
        else:
            try:
                flat.extend(cast("Sequence[Any]", part))
            except TypeError:
                raise EditError(
                    f"a {type(part).__name__} cannot be the value of a field."
                ) from None
    items: tuple[ItemSyntax, ...]
    if flat and all(isinstance(x, str) for x in flat):
        items = tuple(StringSyntax(x, span) for x in flat)
    elif flat and all(isinstance(x, bool) for x in flat):
        items = tuple(BoolSyntax(x, span) for x in flat)
    else:
        items = (NumbersSyntax(tuple(_finite(x) for x in flat), span),) if flat else ()
    if is_list or len(items) != 1:
        return ListSyntax(items, span)
    return items[0]


def _finite(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise EditError(f"expected a number, got {value!r}.") from None
    if not math.isfinite(number):
        raise EditError(f"expected a finite number, got {number}.")
    return number


def checked_value(
    row: Field, value: Any, where: str, span: SourceSpan, mended: list[str] | None = None
) -> ValueSyntax:
    """Return a value in written form. Raises EditError if the field cannot take it.

    A value out of range becomes what a reader would take instead, and `mended` takes the words about it;
    without such a list it is refused as well.
    """
    try:
        written = written_value(value, span, is_list=row.type.is_list)
    except EditError as error:
        raise EditError(f"{where}: expected {expected_text(row)}: {error}") from None
    complaints: list[str] = []
    taken = read_value(row, written, lambda severity, code, text, span: complaints.append(text))
    if complaints and mended is not None:
        mended += [f"{where}: {text}" for text in complaints]
        return written_value(
            row.default if taken is None else taken, span, is_list=row.type.is_list
        )
    if complaints:
        # what a reader would do about it does not happen here
        reason = complaints[0].partition(";")[0].rstrip(".")
        raise EditError(f"{where}: {reason}; nothing is changed.")
    return written
