"""Model values as plain data (dicts, lists, numbers, strings) that JSON can hold without loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

from solidbody.base.diagnostics import Diagnostic
from solidbody.base.span import SourceSpan

Plain = dict[str, Any]


def plain_number(value: float) -> float | str:
    """Return the number itself; infinities and not-a-number as "inf", "-inf" and "nan"."""
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def plain_value(value: object) -> Any:
    """Return any model value as plain data; source spans are left out."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return plain_number(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return {str(key): plain_value(item) for key, item in pairs.items()}
    if isinstance(value, Sequence):
        return [plain_value(item) for item in cast("Sequence[object]", value)]
    return str(value)


def plain_fields(value: object, *, without: frozenset[str] = frozenset()) -> Plain:
    """Return the fields of a dataclass instance as plain data, less spans and the named ones."""
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"expected a dataclass instance, got {type(value).__name__}")
    names = [item.name for item in fields(value) if item.name not in without]
    values = [(name, getattr(value, name)) for name in names]
    return {name: plain_value(item) for name, item in values if not isinstance(item, SourceSpan)}


def plain_diagnostic(item: Diagnostic) -> Plain:
    """Return a diagnostic in the documented form of `check --json`."""
    return {
        "severity": item.severity.value,
        "code": item.code,
        "file": item.span.file,
        "line": item.span.line,
        "column": item.span.column,
        "node": item.node,
        "field": item.field,
        "message": item.text,
    }
