"""Reads written values as values of a field's type, with messages about what does not fit."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Final, cast

from solidbody.base.span import SourceSpan
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
    WordSyntax,
)
from solidbody.formats.webots.nodes.table import Check, Field, FieldType, Value

Report = Callable[[str, str, str, SourceSpan], None]
"""Takes severity ("error" or "warning"), code, text and place."""

MAX_COORDINATE: Final = 1e30
"""Vectors beyond this are kept in files but not simulated: products of a few of them would overflow."""

MAX_FLOAT: Final = 3.4028235677973366e38
"""Just above the largest number of single precision, which files have for "no limit"."""

_NO_PLACES: Final = frozenset({"lookupTable", "controlPID"})
"""Fields whose vectors are no places or sizes: they are used up to `MAX_FLOAT`."""

_PLAIN_NUMBERS = (FieldType.SFVec3f, FieldType.SFFloat, FieldType.SFColor, FieldType.SFVec2f)
"""Types whose value is the numbers as written."""

_PLURALS = {
    "bool": ("TRUE or FALSE", "a list of TRUE and FALSE"),
    "int": ("one whole number", "a list of whole numbers"),
    "float": ("one number", "a list of numbers"),
    "string": ("a string in quotes", "a list of strings in quotes"),
    "rotation": ("4 numbers (axis x y z and angle)", "a list of rotations, 4 numbers each"),
    "color": ("3 numbers between 0 and 1", "a list of colours, 3 numbers each"),
    "node": ("a node or NULL", "a list of nodes"),
}


def expected_text(field: Field) -> str:
    """Return what a field takes, in words, with its unit."""
    kind = field.type
    if kind.item == "vector":
        one, many = f"{kind.width} numbers", f"a list of vectors, {kind.width} numbers each"
    else:
        one, many = _PLURALS[kind.item]
    unit = f" [{field.unit}]" if field.unit else ""
    return (many if kind.is_list else one) + unit


def shown_value(value: ValueSyntax) -> str:
    """Return a value as messages show it."""
    match value:
        case NumbersSyntax():
            shown = " ".join(f"{x:g}" for x in value.values[:5])
            return shown if len(value.values) <= 5 else f"{shown} ... ({len(value.values)} numbers)"
        case StringSyntax():
            text = value.value if len(value.value) <= 40 else value.value[:37] + "..."
            return f'"{text}"'
        case BoolSyntax():
            return "TRUE" if value.value else "FALSE"
        case NullSyntax():
            return "NULL"
        case UseSyntax():
            return f"USE {value.name}"
        case IsSyntax():
            return f"IS {value.name}"
        case WordSyntax():
            return value.text if len(value.text) <= 40 else value.text[:37] + "..."
        case NodeSyntax():
            return f"a node {value.type_name}"
        case ListSyntax():
            return "a list" if value.items else "an empty list"


def read_value(field: Field, written: ValueSyntax, report: Report) -> Value | None:
    """Return the value of a field that holds no nodes; None (after a report) if it cannot be used."""
    usual = _usual(field, written)
    if usual is not None:
        return usual
    kinds = [field.type] if field.also is None else [field.type, field.also]
    for kind in kinds:
        if _fits(kind, written):
            value = _convert(kind, written, report)
            break
    else:
        report(
            "error",
            "bad-value",
            f"expected {expected_text(field)}, got {shown_value(written)}; "
            f"the default {shown_default(field)} is used.",
            written.span,
        )
        return None
    if value is None:
        return None
    return value if field.check is None else _checked(field, field.check, value, written, report)


def usable_value(field: Field, value: Value, written: ValueSyntax, report: Report) -> Value | None:
    """Return a value that has been read if it can be simulated; None after a report."""
    kinds = (field.type, field.also)
    if not isinstance(value, tuple) or not any(kind and kind.width > 1 for kind in kinds):
        return value
    limit = MAX_FLOAT if field.name in _NO_PLACES else MAX_COORDINATE
    numbers = _numbers(_items(written))
    if not numbers or (-limit < min(numbers) and max(numbers) < limit):
        return value
    report(
        "warning",
        "value-reset",
        f"must be below {limit:.3g} to be simulated, got {shown_value(written)}; "
        f"{shown_default(field)} is used, and the file keeps what it has.",
        written.span,
    )
    return None


def _usual(field: Field, written: ValueSyntax) -> Value | None:
    """Return the value if it is right and needs no change, as most are; None leaves it to the rest."""
    if isinstance(written, NumbersSyntax):
        numbers = written.values
        if field.type not in _PLAIN_NUMBERS or len(numbers) != field.type.width:
            return None
        if not -math.inf < min(numbers) <= max(numbers) < math.inf:
            return None
        if field.check is not None and not all(map(field.check.holds, numbers)):
            return None
        return numbers[0] if field.type is FieldType.SFFloat else numbers
    if not isinstance(written, StringSyntax) or field.type is not FieldType.SFString:
        return None
    is_right = field.check is None or field.check.holds(written.value)
    return written.value if is_right else None


def shown_default(field: Field) -> str:
    """Return a field's default as it would be written in a file."""
    return shown(field.default, field.type)


def shown(value: Value | None, kind: FieldType) -> str:
    """Return a value as it would be written in a file."""
    if value is None:
        return "[]" if kind.is_list else "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int | float):
        return f"{value:.12g}"
    rows = [
        " ".join(shown(x, kind) for x in item) if isinstance(item, tuple) else shown(item, kind)
        for item in value
    ]
    return f"[{', '.join(rows)}]" if kind.is_list else " ".join(rows)


def _items(written: ValueSyntax) -> Sequence[ItemSyntax]:
    return written.items if isinstance(written, ListSyntax) else (written,)


def _numbers(items: Sequence[ItemSyntax]) -> tuple[float, ...]:
    """Return all numbers of `items`; a single run of them is not copied."""
    if len(items) == 1 and isinstance(items[0], NumbersSyntax):
        return items[0].values
    return tuple(x for item in items if isinstance(item, NumbersSyntax) for x in item.values)


def _fits(kind: FieldType, written: ValueSyntax) -> bool:
    """Whether the tokens of `written` can be a value of `kind` (their number included)."""
    if isinstance(written, ListSyntax) and not kind.is_list:
        return False
    items = _items(written)
    if kind.item == "bool":
        return all(isinstance(item, BoolSyntax) for item in items)
    if kind.item == "string":
        return all(isinstance(item, StringSyntax) for item in items)
    if not all(isinstance(item, NumbersSyntax) for item in items):
        return False
    numbers = _numbers(items)
    is_whole = kind.item != "int" or all(map(float.is_integer, numbers))
    if not is_whole and not all(x.is_integer() or math.isinf(x) for x in numbers):
        return False
    if isinstance(written, ListSyntax):
        return len(numbers) % kind.width == 0
    return len(numbers) == kind.width


def _convert(kind: FieldType, written: ValueSyntax, report: Report) -> Value | None:
    items = _items(written)
    if kind.item == "bool":
        flags = tuple(item.value for item in items if isinstance(item, BoolSyntax))
        return flags if kind.is_list else flags[0]
    if kind.item == "string":
        texts = tuple(item.value for item in items if isinstance(item, StringSyntax))
        return texts if kind.is_list else texts[0]
    numbers = _numbers(items)
    if numbers and not -math.inf < min(numbers) <= max(numbers) < math.inf:
        text = "a number is not finite or too large to be kept; the default is used."
        report("error", "non-finite", text, written.span)
        return None
    if kind.item == "int":
        whole = tuple(map(int, numbers))
        return whole if kind.is_list else whole[0]
    if kind.item == "float":
        return numbers if kind.is_list else numbers[0]
    rows = tuple(zip(*[iter(numbers)] * kind.width, strict=True))
    if (
        kind.item == "rotation" and not kind.is_list
    ):  # lists are parameters: Webots keeps what is written
        rows = tuple(_unit_rotation(row, written.span, report) for row in rows)
    return rows if kind.is_list else rows[0]


def _unit_rotation(row: tuple[float, ...], span: SourceSpan, report: Report) -> tuple[float, ...]:
    """Return (axis, angle) with a unit axis, its own numbers if it is one; a null axis means no rotation."""
    x, y, z, angle = row
    length = math.hypot(x, y, z)
    if length == 0.0 or not math.isfinite(length):
        report("warning", "null-axis", "the rotation axis is null: no rotation is done.", span)
        return (0.0, 0.0, 1.0, 0.0)
    if (
        abs(length - 1.0) <= 2 * sys.float_info.epsilon
    ):  # saved numbers of a unit axis, up to rounding
        return row
    return (x / length, y / length, z / length, angle)


def _checked(
    field: Field, check: Check, value: Value, written: ValueSyntax, report: Report
) -> Value | None:
    flat = _flattened(value)
    if all(check.holds(x) for x in flat):
        return value
    got = shown_value(written)
    if check.repair is None:
        report(
            "warning",
            "value-reset",
            f"must be {check.allowed}, got {got}; reset to {shown_default(field)}.",
            written.span,
        )
        return None
    repaired = _repaired(value, check)
    report(
        "warning",
        "value-reset",
        f"must be {check.allowed}, got {got}; changed to {shown(repaired, field.type)}.",
        written.span,
    )
    return repaired


def _flattened(value: Value) -> list[float | str]:
    if not isinstance(value, tuple):
        return [value]
    return [x for item in value for x in _flattened(item)]


def _repaired(value: Value, check: Check) -> Value:
    if isinstance(value, tuple):
        return cast("Value", tuple(_repaired(item, check) for item in value))
    if isinstance(value, str) or check.repair is None or check.holds(value):
        return value
    return check.repair(value)
