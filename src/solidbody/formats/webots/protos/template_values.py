"""Converts field values to what templates see: numbers, strings, objects with x, y, z, nodes."""

from __future__ import annotations

from typing import Any, Final

from solidbody.formats.vrml.field_types import is_list, item_of, items_of, width_of
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    ItemSyntax,
    NodeSyntax,
    NumbersSyntax,
    StringSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field, Value

MAX_NODE_DEPTH: Final = 20
"""Levels of nodes that a template sees; deeper ones look absent to it."""

_KEYS: Final = {
    "Vec2f": ("x", "y"),
    "Vec3f": ("x", "y", "z"),
    "Rotation": ("x", "y", "z", "a"),
    "Color": ("r", "g", "b"),
}


def template_value(type_name: str, value: ValueSyntax | None, depth: int = 0) -> Any:
    """Return a value of a parameter as plain data; None for NULL."""
    if value is None:
        return [] if is_list(type_name) else None
    items = items_of(value)
    if item_of(type_name) == "Node":
        nodes = [_node(item, depth) for item in items if isinstance(item, NodeSyntax)]
        return nodes if is_list(type_name) else (nodes[0] if nodes else None)
    found = _plain_items(item_of(type_name), width_of(type_name), items)
    return found if is_list(type_name) else (found[0] if found else None)


def _plain_items(item: str, width: int, items: tuple[ItemSyntax, ...]) -> list[Any]:
    found: list[Any] = [part.value for part in items if isinstance(part, StringSyntax | BoolSyntax)]
    numbers = [x for part in items if isinstance(part, NumbersSyntax) for x in part.values]
    if not numbers:
        return found
    if item == "Int32":
        return [int(x) if abs(x) < 2**53 else x for x in numbers]
    if item not in _KEYS:
        return numbers
    rows = (numbers[i : i + width] for i in range(0, len(numbers) - width + 1, width))
    return [dict(zip(_KEYS[item], row, strict=True)) for row in rows]


def _node(node: NodeSyntax, depth: int) -> dict[str, Any] | None:
    if depth >= MAX_NODE_DEPTH:
        return None
    if node.origins:  # an instance shows its parameters, nothing of what it stands for
        scope = node.origins[0]
        return {
            "node_name": scope.instance.type_name,
            "fields": {
                name: {
                    "value": template_value(item.type_name, item.value, depth + 1),
                    "defaultValue": template_value(item.type_name, item.default, depth + 1),
                }
                for name, item in scope.parameters.items()
            },
        }
    fields: dict[str, Any] = {}
    if NODES.find(node.type_name) is not None:
        for row in NODES.fields(node.type_name).values():
            if not row.until:
                default = _table_default(row)
                fields[row.name] = {"value": default, "defaultValue": default}
    for part in node.fields:
        type_name = _type_of(node.type_name, part.name)
        if type_name is not None:
            entry = fields.setdefault(part.name, {"value": None, "defaultValue": None})
            entry["value"] = template_value(type_name, part.value, depth + 1)
    return {"node_name": node.type_name, "fields": fields}


def _type_of(node_type: str, field: str) -> str | None:
    row = NODES.fields(node_type).get(field) if NODES.find(node_type) is not None else None
    return row.type.name if row is not None else None


def _table_default(row: Field) -> Any:
    default: Value | None = row.default
    name = row.type.name
    if default is None:
        return [] if is_list(name) else None
    keys = _KEYS.get(item_of(name))
    if keys is None:
        return list(default) if isinstance(default, tuple) else default
    if not isinstance(default, tuple):
        return None
    if not is_list(name):
        return dict(zip(keys, default, strict=True))
    return [dict(zip(keys, row, strict=True)) for row in default if isinstance(row, tuple)]
