"""Writes syntax trees as text, as Webots does: two spaces per level, default values left out.

Numbers are written in the shortest form that gives the same double again. The tree is walked with
an explicit stack, so depth costs no recursion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from solidbody.formats.vrml.field_types import FIELD_TYPES, width_of
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    ExternProtoSyntax,
    FieldSyntax,
    FileSyntax,
    IsSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    NumbersSyntax,
    ParameterSyntax,
    ProtoSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
    WordSyntax,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.values import read_value

INDENT: Final = "  "
_NUMBERS_PER_LINE: Final = 10

_SPEAKS_BY_PRESENCE: Final = frozenset(
    {"name", "followType", "coordinateSystem", "northDirection", "data", "customData"}
)
"""Fields that mean something when written, also with their default value: they are never left out."""

ParameterTypes = Mapping[str, Mapping[str, str]]
"""Field types by PROTO and parameter."""

NO_TYPES: Final[ParameterTypes] = {}

_Piece = str | tuple[str, ValueSyntax, int, int]
"""A finished line, or (text before the value, value, level, numbers per item)."""


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number."""
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    if value.is_integer() and abs(value) < 1e15:
        return "-0" if value == 0.0 and math.copysign(1.0, value) < 0.0 else str(int(value))
    return repr(value)


def string_text(value: str) -> str:
    """Return a string in quotes, with quotes and backslashes escaped."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def file_text(
    tree: FileSyntax, *, keep_defaults: bool = False, types: ParameterTypes = NO_TYPES
) -> str:
    """Return a whole file: header, declarations, nodes.

    Args:
        tree: What to write.
        keep_defaults: Whether fields with their default value are written as well.
        types: Field types of PROTO parameters, so that their lists have one vector a line too.
    """
    lines = [f"#VRML_SIM {tree.header} utf8", ""]
    if tree.externs:
        lines += [extern_text(item) for item in tree.externs]
        lines.append("")
    for proto in tree.protos:
        lines += _proto_lines(proto, keep_defaults=keep_defaults)
        lines.append("")
    for node in tree.nodes:
        lines += _value_lines("", node, 0, keep_defaults=keep_defaults, types=types)
    return "\n".join(lines) + "\n"


def node_text(node: NodeSyntax, *, keep_defaults: bool = False) -> str:
    """Return one node as text."""
    return "\n".join(_value_lines("", node, 0, keep_defaults=keep_defaults))


def value_text(value: ValueSyntax) -> str:
    """Return any value as text."""
    return "\n".join(_value_lines("", value, 0, keep_defaults=True))


def field_text(item: FieldSyntax, level: int, width: int, types: ParameterTypes = NO_TYPES) -> str:
    """Return a field as text, without the blanks before its first line, which is at `level`."""
    before = f"hidden {item.name} " if item.is_hidden else f"{item.name} "
    return before + inner_text(item.value, level, width, types)


def inner_text(
    value: ValueSyntax, level: int, width: int = 1, types: ParameterTypes = NO_TYPES
) -> str:
    """Return a value as text, default values left out; it begins in a line at `level`."""
    lines = _value_lines("", value, level, keep_defaults=False, types=types, width=width)
    return "\n".join(lines)


def is_default(type_name: str, written: FieldSyntax) -> bool:
    """Whether a field says just what the node table says without it."""
    if written.is_hidden or written.name in _SPEAKS_BY_PRESENCE or NODES.find(type_name) is None:
        return False
    row = NODES.fields(type_name).get(written.name)
    if row is None:
        return False
    value = written.value
    if row.type.item == "node":
        is_empty = isinstance(value, ListSyntax) and not value.items
        return isinstance(value, NullSyntax) or (is_empty and row.type.is_list)
    if isinstance(value, IsSyntax):
        return False
    complaints: list[str] = []
    found = read_value(row, value, lambda severity, code, text, span: complaints.append(code))
    return not complaints and found == row.default


def extern_text(item: ExternProtoSyntax) -> str:
    """Return the declaration of a PROTO."""
    importable = "IMPORTABLE " if item.is_importable else ""
    alias = f"{item.alias} " if item.alias else ""
    return f"{importable}EXTERNPROTO {alias}{string_text(item.url)}"


def _proto_lines(proto: ProtoSyntax, *, keep_defaults: bool) -> Iterator[str]:
    yield f"PROTO {proto.name} ["
    for item in proto.parameters:
        before = f"{INDENT}{item.keyword} {item.type_name}{_allowed_text(item)} {item.name} "
        if item.default is None:
            yield before.rstrip()
        else:
            width = width_of(item.type_name) if item.type_name in FIELD_TYPES else 1
            yield from _value_lines(
                before, item.default, 1, keep_defaults=keep_defaults, width=width
            )
    yield "]"
    yield "{"
    for item in proto.body:
        yield from _value_lines(INDENT, item, 1, keep_defaults=keep_defaults)
    yield "}"


def _allowed_text(item: ParameterSyntax) -> str:
    if not item.allowed:
        return ""
    words = [
        f"{value.text}{{}}" if isinstance(value, WordSyntax) else _plain_text(value)
        for value in item.allowed
    ]
    return "{" + ", ".join(words) + "}"


def _plain_text(item: ItemSyntax) -> str:
    """Return a value without nodes inside."""
    match item:
        case NumbersSyntax():
            return " ".join(map(number_text, item.values))
        case StringSyntax():
            return string_text(item.value)
        case BoolSyntax():
            return "TRUE" if item.value else "FALSE"
        case NullSyntax():
            return "NULL"
        case UseSyntax():
            return f"USE {item.name}"
        case IsSyntax():
            return f"IS {item.name}"
        case WordSyntax():
            return item.text
        case NodeSyntax():
            raise TypeError("a node is not plain text")


def _value_lines(
    before: str,
    value: ValueSyntax,
    level: int,
    *,
    keep_defaults: bool,
    types: ParameterTypes = NO_TYPES,
    width: int = 1,
) -> Iterator[str]:
    """Yield the lines of a value; `before` stands before it on the first line."""
    stack: list[_Piece] = [(before, value, level, width)]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            yield piece
            continue
        before, value, level, width = piece
        match value:
            case NodeSyntax():
                label = f"DEF {value.def_name} " if value.def_name else ""
                yield f"{before}{label}{value.type_name} {{"
                stack.append(INDENT * level + "}")
                stack.extend(reversed(_field_pieces(value, level + 1, keep_defaults, types)))
            case ListSyntax():
                if not value.items:
                    yield f"{before}[ ]"
                    continue
                yield f"{before}["
                stack.append(INDENT * level + "]")
                indent = INDENT * (level + 1)
                for item in reversed(value.items):
                    if isinstance(item, NumbersSyntax):
                        stack.extend(reversed(_number_lines(item.values, indent, width)))
                    else:
                        stack.append((indent, item, level + 1, 1))
            case _:
                yield before + _plain_text(value)


def _field_pieces(
    node: NodeSyntax, level: int, keep_defaults: bool, types: ParameterTypes
) -> list[_Piece]:
    pieces: list[_Piece] = []
    for item in node.fields:
        if not keep_defaults and is_default(node.type_name, item):
            continue
        hidden = "hidden " if item.is_hidden else ""
        before = f"{INDENT * level}{hidden}{item.name} "
        pieces.append((before, item.value, level, width_in(node.type_name, item.name, types)))
    return pieces


def width_in(type_name: str, field_name: str, types: ParameterTypes) -> int:
    """Return the numbers per item of a field; 1 if its type is not known."""
    if NODES.find(type_name) is not None:
        row = NODES.fields(type_name).get(field_name)
        return row.type.width if row else 1
    kind = types.get(type_name, {}).get(field_name)
    return width_of(kind) if kind else 1


def _number_lines(values: Sequence[float], indent: str, width: int) -> list[str]:
    """Return numbers in lines of whole items: one vector a line, or several plain numbers."""
    step = width if width > 1 else _NUMBERS_PER_LINE
    texts = list(map(number_text, values))
    return [indent + " ".join(texts[i : i + step]) for i in range(0, len(texts), step)]
