"""Makes syntax nodes from plain values, in the types of the node table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from solidbody.base.span import NOWHERE
from solidbody.base.transforms import ZERO, Pose
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    FieldSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.attributes import CONVERSIONS
from solidbody.formats.webots.nodes.table import FieldType

Content = (
    bool | int | float | str | NodeSyntax | UseSyntax | Sequence["Content"] | Sequence[float] | None
)
"""What a field may be given; None leaves it out."""

Fields = dict[str, Content]
"""What the fields of a node are given, by name."""


def node(type_name: str, label: str = "", /, **fields: Content) -> NodeSyntax:
    """Return a node; fields keep their order, and those that are None are left out.

    Args:
        type_name: A type of the node table.
        label: Its DEF name.
        fields: Values by field name, in the units of the file.
    """
    rows = NODES.fields(type_name)
    written = tuple(
        FieldSyntax(name, _value(rows[name].type, content), NOWHERE)
        for name, content in fields.items()
        if content is not None
    )
    return NodeSyntax(type_name, label or None, written, NOWHERE, NOWHERE)


def with_fields(base: NodeSyntax, **fields: Content) -> NodeSyntax:
    """Return the node with more fields at its end."""
    more = node(base.type_name, **fields).fields
    return NodeSyntax(
        base.type_name, base.def_name, (*base.fields, *more), NOWHERE, NOWHERE, origins=()
    )


def labelled(base: NodeSyntax, label: str) -> NodeSyntax:
    """Return the node with a DEF name."""
    return NodeSyntax(base.type_name, label, base.fields, NOWHERE, NOWHERE)


def placed(pose: Pose, content: NodeSyntax | UseSyntax) -> NodeSyntax | UseSyntax:
    """Return `content`, inside a Pose where it does not stand at the origin."""
    if pose == Pose():
        return content
    return node("Pose", **place_fields(pose), children=[content])


def place_fields(pose: Pose) -> dict[str, Content]:
    """Return translation and rotation; what is at its default is left out."""
    return {
        "translation": None if pose.position == ZERO else pose.position,
        "rotation": CONVERSIONS["turn"].write(pose.rotation),
    }


def _value(kind: FieldType, content: Content) -> ValueSyntax:
    if not kind.is_list:
        return _item(content)
    items = cast("Iterable[Content]", content if isinstance(content, list | tuple) else [content])
    if kind.width == 0:
        return ListSyntax(tuple(_item(item) for item in items), NOWHERE)
    numbers = tuple(_numbers(items))
    return ListSyntax((NumbersSyntax(numbers, NOWHERE),) if numbers else (), NOWHERE)


def _item(content: Content) -> ItemSyntax:
    match content:
        case NodeSyntax() | UseSyntax():
            return content
        case bool():
            return BoolSyntax(content, NOWHERE)
        case str():
            return StringSyntax(content, NOWHERE)
        case int() | float():
            return NumbersSyntax((float(content),), NOWHERE)
        case None:
            raise TypeError("a list cannot hold nothing")
        case _:
            return NumbersSyntax(tuple(_numbers(cast("Iterable[Content]", content))), NOWHERE)


def _numbers(items: Iterable[Content]) -> Iterable[float]:
    """Yield the numbers of a list that may be nested."""
    for item in items:
        if isinstance(item, int | float):
            yield float(item)
        else:
            yield from _numbers(cast("Iterable[Content]", item))
