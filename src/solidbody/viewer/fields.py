"""The fields of a node as the page shows them: value, type, unit, default, what is allowed and what for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import (
    ItemSyntax,
    NodeSyntax,
    ParameterSyntax,
    UseSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.edit.paths import value_of
from solidbody.formats.webots.edit.values import written_value
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field
from solidbody.formats.webots.write.text import value_text
from solidbody.viewer.protocol_work import WireField

TEXT_SHOWN: Final = 4000
"""Longest value that is shown for editing [characters]."""

_IS_FIELD: Final = re.compile(r"Is `?(\w+)\.(\w+)")
"""How the PROTOs of Webots say which field a parameter is handed to."""

_NOWHERE: Final = SourceSpan("the page", 1, 1, 1, 1)


def node_fields(node: NodeSyntax) -> Iterator[WireField]:
    """Yield the fields of a built-in node: those that hold values first, then those that hold nodes."""
    rows = [row for row in NODES.fields(node.type_name).values() if not row.until]
    for row in sorted(rows, key=lambda row: row.type.item == "node"):
        doc = f"Deprecated: use {row.deprecated}. {row.doc}" if row.deprecated else row.doc
        written = value_of(node, row.name)
        allowed = "" if row.check is None else row.check.allowed
        if row.type.item == "node":
            allowed = ", ".join(row.nodes)
        words = [] if row.check is None else [f'"{word}"' for word in row.check.words]
        default = _default(row)
        yield _field(
            row.name,
            row.type.name,
            written,
            default,
            row.unit,
            allowed=allowed,
            doc=doc,
            choices=words,
        )


def proto_fields(
    node: NodeSyntax, parameters: Mapping[str, ParameterSyntax]
) -> Iterator[WireField]:
    """Yield the parameters of a PROTO instance, those that hold nodes last."""
    for item in sorted(parameters.values(), key=lambda item: item.type_name.endswith("Node")):
        is_node = item.type_name.endswith("Node")
        default = "" if item.default is None or is_node else value_text(item.default)
        choices = [_choice(value) for value in item.allowed]
        allowed = ", ".join(choices)
        doc, unit = _parameter_doc(node.type_name, item)
        yield _field(
            item.name,
            item.type_name,
            value_of(node, item.name),
            default,
            unit,
            allowed=f"one of {allowed}" if allowed else "",
            doc=doc,
            choices=choices,
        )


def _choice(value: ItemSyntax) -> str:
    """Return an allowed value as people read it: of nodes their type."""
    if isinstance(value, NodeSyntax) and not value.fields:
        return value.type_name
    return " ".join(value_text(value).split())


def _parameter_doc(proto: str, item: ParameterSyntax) -> tuple[str, str]:
    """Return what a parameter of a PROTO is for and its unit: by its comment, or as a field of that name."""
    named = _IS_FIELD.match(item.comment)
    node, name = (named[1], named[2]) if named else ("Robot", item.name)
    row = NODES.fields(node).get(name) if NODES.find(node) is not None else None
    if row is None or row.type.name != item.type_name or (item.comment and not named):
        return item.comment or f"Parameter of {proto}.", ""
    return (f"{row.doc} It is handed to {node}.{name}." if named else row.doc), row.unit


def _field(
    name: str,
    kind: str,
    written: ValueSyntax | None,
    default: str,
    unit: str,
    *,
    allowed: str,
    doc: str,
    choices: list[str],
) -> WireField:
    if kind.endswith("Node"):
        held = _held(written)
        return WireField(name, kind, held, "", unit, allowed, doc, editable=False, choices=[])
    text = default if written is None else value_text(written)
    is_short = len(text) <= TEXT_SHOWN
    shown = " ".join(text.split()) if is_short else f"{text[:60]}… ({len(text)} characters)"
    preset = " ".join(default.split())
    listed = [] if kind.startswith("MF") else choices
    return WireField(name, kind, shown, preset, unit, allowed, doc, is_short, listed)


def _default(row: Field) -> str:
    if row.default is None:
        return ""
    return value_text(written_value(row.default, _NOWHERE, is_list=row.type.is_list))


def _held(written: ValueSyntax | None) -> str:
    """Return the types of the nodes in a field."""
    names = [
        f"USE {item.name}" if isinstance(item, UseSyntax) else item.type_name
        for item in ([] if written is None else items_of(written))
        if isinstance(item, NodeSyntax | UseSyntax)
    ]
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} nodes"
