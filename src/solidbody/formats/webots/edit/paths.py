"""Paths in a syntax tree (`ROBOT.translation`, `3.children.0.size`), and changes at them.

A path is a row of words with dots between them. At the top a word is a DEF name (of any node of the
file), the number of a top node, or the type of the only top node of its kind (`WorldInfo.gravity`); below
a node it is a field, a number in the field's list (`.0` or `[0]`), or the DEF name of a node anywhere below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from solidbody.base.diagnostics import did_you_mean
from solidbody.base.errors import SolidbodyError
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    FileSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    UseSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.nodes import NODES

_ITEM: Final = re.compile(r"\[(\d+)\]")


class EditError(SolidbodyError):
    """An edit that cannot be made; nothing was changed."""


Step = tuple[str, int | None]
"""A field and the place in its list; None for a value that is not in brackets."""


@dataclass(frozen=True, slots=True)
class NodePlace:
    """A node: the number of its top node, and the steps down from there."""

    top: int
    steps: tuple[Step, ...] = ()

    def below(self, name: str, index: int | None) -> NodePlace:
        """Return the place of a node in one of this node's fields."""
        return NodePlace(self.top, (*self.steps, (name, index)))


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field of a node, or one item of its list."""

    node: NodePlace
    name: str
    index: int | None = None


def find_place(tree: FileSyntax, path: str) -> NodePlace | FieldPlace:
    """Return the place that a path names. Raises EditError if there is none."""
    words = [word for word in _ITEM.sub(r".\1", path).split(".") if word]
    if not words:
        raise EditError('the path is empty; write for example "ROBOT.translation" or "0.gravity".')
    place: NodePlace | FieldPlace = _top_place(tree, words[0], path)
    for word in words[1:]:
        place = _next_place(tree, place, word, path)
    return place


def find_node(tree: FileSyntax, path: str) -> NodePlace:
    """Return the place of a node. Raises EditError if the path names something else."""
    place = find_place(tree, path)
    if isinstance(place, FieldPlace):
        place = _into(tree, place, path)
    return place


def node_at(tree: FileSyntax, place: NodePlace) -> NodeSyntax:
    """Return the node at a place."""
    node = tree.nodes[place.top]
    for name, index in place.steps:
        inner = item_at(value_of(node, name), index)
        assert isinstance(inner, NodeSyntax)
        node = inner
    return node


def value_of(node: NodeSyntax, name: str) -> ValueSyntax | None:
    """Return the value of a field that counts (the last one written), or None."""
    return next((item.value for item in reversed(node.fields) if item.name == name), None)


def item_at(value: ValueSyntax | None, index: int | None) -> ItemSyntax | ListSyntax | None:
    """Return an item of a value, or the value itself for index None."""
    if index is None:
        return value
    items = value.items if isinstance(value, ListSyntax) else (() if value is None else (value,))
    return items[index] if 0 <= index < len(items) else None


def with_node(tree: FileSyntax, place: NodePlace, node: NodeSyntax) -> FileSyntax:
    """Return the tree with another node at a place."""
    chain = [tree.nodes[place.top]]
    for name, index in place.steps:
        inner = item_at(value_of(chain[-1], name), index)
        assert isinstance(inner, NodeSyntax)
        chain.append(inner)
    new = node
    for above, (name, index) in zip(reversed(chain[:-1]), reversed(place.steps), strict=True):
        old = value_of(above, name)
        value: ValueSyntax = new
        if index is not None and isinstance(old, ListSyntax):
            value = replace(old, items=(*old.items[:index], new, *old.items[index + 1 :]))
        new = with_field(above, name, value)
    nodes = (*tree.nodes[: place.top], new, *tree.nodes[place.top + 1 :])
    return replace(tree, nodes=nodes)


def with_field(node: NodeSyntax, name: str, value: ValueSyntax | None) -> NodeSyntax:
    """Return the node with a field set, at its place or at the end; None takes the field away."""
    kept = tuple(item for item in node.fields if item.name != name)
    if value is None:
        return replace(node, fields=kept)
    last = next((k for k, item in enumerate(node.fields) if item.name == name), None)
    if last is None:
        return replace(node, fields=(*kept, FieldSyntax(name, value, value.span)))
    written = node.fields[last].with_value(value)
    fields = [written if k == last else item for k, item in enumerate(node.fields)]
    return replace(
        node, fields=tuple(item for item in fields if item is written or item.name != name)
    )


def _top_place(tree: FileSyntax, word: str, path: str) -> NodePlace:
    if word.isdecimal():
        if int(word) >= len(tree.nodes):
            raise EditError(f'"{path}": the file has {len(tree.nodes)} top nodes, none is {word}.')
        return NodePlace(int(word))
    found = _named_node(tree, [NodePlace(k) for k in range(len(tree.nodes))], word)
    if found is None:
        alike = [k for k, node in enumerate(tree.nodes) if node.type_name == word]
        if len(alike) == 1:
            return NodePlace(alike[0])
        if alike:
            numbers = ", ".join(map(str, alike))
            raise EditError(
                f'"{path}": top nodes {numbers} are {word}; give a number or a DEF name.'
            )
        known = [*def_names(tree), *(node.type_name for node in tree.nodes)]
        hint = did_you_mean(word, known)
        raise EditError(f'"{path}": no node has the DEF name "{word}".{hint}')
    return found


def def_names(tree: FileSyntax) -> list[str]:
    """Return the DEF names of a file, in its order."""
    found: list[str] = []
    stack = list(reversed(tree.nodes))
    while stack:
        node = stack.pop()
        if node.def_name:
            found.append(node.def_name)
        inner = [
            item
            for part in node.fields
            for item in (part.value.items if isinstance(part.value, ListSyntax) else (part.value,))
        ]
        stack.extend(item for item in reversed(inner) if isinstance(item, NodeSyntax))
    return found


def _next_place(
    tree: FileSyntax, place: NodePlace | FieldPlace, word: str, path: str
) -> NodePlace | FieldPlace:
    if isinstance(place, FieldPlace):
        if word.isdecimal() and place.index is None:
            value = value_of(node_at(tree, place.node), place.name)
            items = value.items if isinstance(value, ListSyntax) else ()
            holds_nodes = any(isinstance(item, NodeSyntax | UseSyntax) for item in items)
            if holds_nodes and int(word) >= len(items):
                raise EditError(f'"{path}": {place.name} has no item {word}.')
            return replace(place, index=int(word))
        place = _into(tree, place, path)
    node = node_at(tree, place)
    row = NODES.find(node.type_name)
    is_known = row is not None and word in NODES.fields(node.type_name)
    if is_known or value_of(node, word) is not None:
        return FieldPlace(place, word)
    found = _named_node(tree, _inner_places(node, place), word)
    if found is not None:
        return found
    if row is None:  # a PROTO instance: its parameters are not known here
        return FieldPlace(place, word)
    hint = did_you_mean(word, NODES.fields(node.type_name))
    raise EditError(
        f'"{path}": {node.label} has no field "{word}", and no node below has that DEF name.{hint}'
    )


def _into(tree: FileSyntax, place: FieldPlace, path: str) -> NodePlace:
    """Return the place of the node that a field (or an item of it) holds."""
    value = value_of(node_at(tree, place.node), place.name)
    inner = item_at(value, place.index)
    if isinstance(inner, ListSyntax) and len(inner.items) == 1:
        return _into(tree, replace(place, index=0), path)
    if not isinstance(inner, NodeSyntax):
        raise EditError(f'"{path}": {place.name} holds no single node there; give its number.')
    is_item = place.index is not None and isinstance(value, ListSyntax)
    return place.node.below(place.name, place.index if is_item else None)


def _inner_places(node: NodeSyntax, place: NodePlace) -> list[NodePlace]:
    places: list[NodePlace] = []
    for item in node.fields:
        if isinstance(item.value, NodeSyntax):
            places.append(place.below(item.name, None))
        elif isinstance(item.value, ListSyntax):
            places.extend(
                place.below(item.name, k)
                for k, inner in enumerate(item.value.items)
                if isinstance(inner, NodeSyntax)
            )
    return places


def _named_node(tree: FileSyntax, places: list[NodePlace], name: str) -> NodePlace | None:
    """Return the first node with a DEF name at or below the given places, in the file's order."""
    for place in places:
        steps = _steps_to(node_at(tree, place), name)
        if steps is not None:
            return NodePlace(place.top, (*place.steps, *steps))
    return None


def _steps_to(top: NodeSyntax, name: str) -> list[Step] | None:
    """Return the way from a node down to the first one with a DEF name; None if there is none."""
    # each with the way to it, the last step first: most ways are never asked for
    stack: list[tuple[NodeSyntax, _Way]] = [(top, None)]
    while stack:
        node, way = stack.pop()
        if node.def_name == name:
            return _steps_of(way)
        seen: set[str] = set()  # of fields that are written twice the last one counts
        for part in reversed(node.fields):
            value = part.value
            if isinstance(value, NodeSyntax | ListSyntax) and part.name not in seen:
                seen.add(part.name)
                if isinstance(value, NodeSyntax):
                    stack.append((value, ((part.name, None), way)))
                    continue
                for k in range(len(value.items) - 1, -1, -1):
                    item = value.items[k]
                    if isinstance(item, NodeSyntax):
                        stack.append((item, ((part.name, k), way)))
    return None


_Way = tuple[Step, "_Way"] | None


def _steps_of(way: _Way) -> list[Step]:
    steps: list[Step] = []
    while way is not None:
        step, way = way
        steps.append(step)
    return steps[::-1]
