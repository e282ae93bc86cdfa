"""Undoes changes of supervisors when the simulation is reset: added nodes, moved things.

Webots' nodes keep a few fields when they are made and have these again after a reset. What programs have
written into other fields stays, and what they have removed is gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import is_
from typing import Final

from solidbody.base.span import SourceSpan
from solidbody.control.supervisor.tree import is_visible, node_key
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    FileSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    UseSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.edit.paths import value_of, with_field
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.turns import mapped_nodes

KEPT: Final = {
    "Pose": ("translation", "rotation"),
    "JointParameters": ("position",),
    "Joint": ("position", "position2"),
    "Viewpoint": ("position", "orientation"),
    "PointLight": ("location",),
    "Connector": ("isLocked",),
    "VacuumGripper": ("isOn",),
    "Charger": ("battery",),
    "Robot": ("battery",),
}
"""The fields that have the values of the file again, by the node that has them or its base."""


KeptValues = dict[SourceSpan, dict[str, ValueSyntax | None]]
"""Values of kept fields as a file has them (None = it does not say), by place of the node and name."""


def kept_values(tree: FileSyntax, nodes: Iterable[TypedNode]) -> KeptValues:
    """Return what a file says of the kept fields of these nodes, as far as it has the nodes."""
    written = _nodes_by_place(tree)
    found: KeptValues = {}
    for node in nodes:
        span = node_key(node.syntax).span
        if is_visible(node) and span in written:
            found[span] = {name: value_of(written[span], name) for name in _kept_fields(node)}
    return found


def with_kept(tree: FileSyntax, kept: KeptValues, *, takes_out: bool = False) -> FileSyntax:
    """Return a file with old values of kept fields; the same object, if it has them.

    Args:
        tree: The file as it is.
        kept: The old values.
        takes_out: Whether nodes that were added go as well.
    """

    def change(node: NodeSyntax) -> NodeSyntax:
        if takes_out:
            node = _without_added(node)
        for name, value in kept.get(node.span, {}).items():
            if value_of(node, name) != value:
                node = with_field(node, name, value)
        return node

    tops = tuple(
        mapped_nodes(node, change) for node in tree.nodes if not (takes_out and _is_added(node))
    )
    if len(tops) == len(tree.nodes) and all(map(is_, tops, tree.nodes)):
        return tree
    return replace(tree, nodes=tops)


def _kept_fields(node: TypedNode) -> tuple[str, ...]:
    """Return the fields of a node, or parameters of a PROTO that are fields of its root, with old values."""
    names = [name for base, names in KEPT.items() if node.is_a(base) for name in names]
    if not node.syntax.origins:
        return tuple(names)
    linked = {part.name for part in node.syntax.fields if part.is_linked}
    return tuple(name for name in names if name in linked)


def _nodes_by_place(tree: FileSyntax) -> dict[SourceSpan, NodeSyntax]:
    found: dict[SourceSpan, NodeSyntax] = {}

    def note(node: NodeSyntax) -> NodeSyntax:
        found[node.span] = node
        return node

    for top in tree.nodes:
        mapped_nodes(top, note)
    return found


def _is_added(item: ItemSyntax) -> bool:
    """Whether a node or a USE came with a text that was put into the world (see `Editor`)."""
    return isinstance(item, NodeSyntax | UseSyntax) and item.span.file.startswith("<")


def _without_added(node: NodeSyntax) -> NodeSyntax:
    fields = tuple(_field_without_added(part) for part in node.fields)
    return node if all(map(is_, fields, node.fields)) else replace(node, fields=fields)


def _field_without_added(part: FieldSyntax) -> FieldSyntax:
    value = part.value
    if isinstance(value, ListSyntax):
        items = tuple(item for item in value.items if not _is_added(item))
        return (
            part
            if len(items) == len(value.items)
            else part.with_value(ListSyntax(items, value.span))
        )
    return part.with_value(NullSyntax(value.span)) if _is_added(value) else part
