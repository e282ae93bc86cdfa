"""The fields of a node as the page shows them: value, type, unit, default, what is allowed and what for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import NodeSyntax, ParameterSyntax, UseSyntax, ValueSyntax
from solidbody.formats.webots.edit_places import value_of
from solidbody.formats.webots.edit_values import written_value
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.table import Field
from solidbody.formats.webots.write import value_text
from solidbody.view.field_docs import field_doc
from solidbody.view.protocol_work import WireField

TEXT_SHOWN: Final = 4000
"""Longest value that is shown for editing [characters]."""

_NOWHERE: Final = SourceSpan("the page", 1, 1, 1, 1)


def node_fields(node: NodeSyntax) -> Iterator[WireField]:
    """Yield the fields of a built-in node: those that hold values first, then those that hold nodes."""
    rows = [row for row in NODES.fields(node.type_name).values() if not row.until]
    for row in sorted(rows, key=lambda row: row.type.item == "node"):
        doc = field_doc(node.type_name, row.name)
        if row.deprecated:
            doc = f"Deprecated: use {row.deprecated}. {doc}"
        written = value_of(node, row.name)
        allowed = "" if row.check is None else row.check.allowed
        if row.type.item == "node":
            allowed = ", ".join(row.nodes)
        yield _field(
            row.name, row.type.name, written, _default(row), row.unit, allowed=allowed, doc=doc
        )


def proto_fields(
    node: NodeSyntax, parameters: Mapping[str, ParameterSyntax]
) -> Iterator[WireField]:
    """Yield the parameters of a PROTO instance, those that hold nodes last."""
    for item in sorted(parameters.values(), key=lambda item: item.type_name.endswith("Node")):
        is_node = item.type_name.endswith("Node")
        default = "" if item.default is None or is_node else value_text(item.default)
        allowed = ", ".join(" ".join(value_text(value).split()) for value in item.allowed)
        yield _field(
            item.name,
            item.type_name,
            value_of(node, item.name),
            default,
            "",
            allowed=f"one of {allowed}" if allowed else "",
            doc=f"Parameter of {node.type_name}.",
        )


def _field(
    name: str,
    kind: str,
    written: ValueSyntax | None,
    default: str,
    unit: str,
    *,
    allowed: str,
    doc: str,
) -> WireField:
    if kind.endswith("Node"):
        return WireField(name, kind, _held(written), "", unit, allowed, doc, editable=False)
    text = default if written is None else value_text(written)
    is_short = len(text) <= TEXT_SHOWN
    shown = " ".join(text.split()) if is_short else f"{text[:60]}… ({len(text)} characters)"
    return WireField(name, kind, shown, " ".join(default.split()), unit, allowed, doc, is_short)


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
