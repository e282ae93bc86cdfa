"""Placeholder for an instance whose PROTO cannot be found."""

from __future__ import annotations

from typing import Final

from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.proto_library import Holder
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
    StringSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.nodes import NODES

_KEPT_BY_PLACEHOLDERS: Final = ("translation", "rotation")


def neutral_look(node: NodeSyntax, holder: Holder) -> NodeSyntax | None:
    """Return a plain appearance, sky or light for an instance that only changes the picture, else None.

    Told by the name of the PROTO, or by the field that holds it: `appearance`, `wallAppearance`.
    """
    place = node.type_span
    if node.type_name.endswith("BackgroundLight"):
        return _node(node, "DirectionalLight", _field("direction", _numbers(place, 0.3, 0.2, -1.0)))
    if node.type_name.endswith("Background"):
        sky = ListSyntax((_numbers(place, 0.7, 0.8, 0.9),), place)
        return _node(node, "Background", _field("skyColor", sky))
    if node.type_name.endswith("Appearance") or _holds_appearances(holder):
        return _node(
            node,
            "PBRAppearance",
            _field("baseColor", _numbers(place, 0.8, 0.8, 0.8)),
            _field("roughness", _numbers(place, 0.7)),
            _field("metalness", _numbers(place, 0.0)),
        )
    return None


def placeholder(node: NodeSyntax, holder: Holder) -> NodeSyntax | None:
    """Return an empty Solid at the place of an instance, or None where no Solid may stand."""
    row = NODES.find(holder.type_name) and NODES.fields(holder.type_name).get(holder.field)
    if row and row.nodes and not any(NODES.derives("Solid", base) for base in row.nodes):
        return None
    kept = [part for part in node.fields if part.name in _KEPT_BY_PLACEHOLDERS]
    name = next((part for part in node.fields if part.name == "name"), None)
    if name is None or not isinstance(name.value, StringSyntax):
        name = _field("name", StringSyntax(node.def_name or node.type_name, node.type_span))
    fields = (*kept, name)
    return NodeSyntax("Solid", node.def_name, fields, node.span, node.type_span)


def _holds_appearances(holder: Holder) -> bool:
    return holder.field.lower().endswith("appearance")


def _node(node: NodeSyntax, type_name: str, *fields: FieldSyntax) -> NodeSyntax:
    return NodeSyntax(type_name, node.def_name, fields, node.span, node.type_span)


def _field(name: str, value: ValueSyntax) -> FieldSyntax:
    return FieldSyntax(name, value, value.span)


def _numbers(place: SourceSpan, *values: float) -> NumbersSyntax:
    return NumbersSyntax(values, place)
