"""Edits a world as written: sets fields, inserts, moves and removes nodes; checked and undoable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.parser import parse_source
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import (
    ExternProtoSyntax,
    FieldSyntax,
    FileSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    UseSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.edit.affected_parts import AffectedPart, parts_of_field, parts_of_node
from solidbody.formats.webots.edit.paths import (
    EditError,
    FieldPlace,
    NodePlace,
    find_node,
    find_place,
    node_at,
    value_of,
    with_field,
    with_node,
)
from solidbody.formats.webots.edit.values import (
    FieldValue,
    checked_value,
    field_value,
    written_value,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.check import check_file
from solidbody.formats.webots.nodes.table import Field, FieldType
from solidbody.formats.webots.releases.release import (
    FIRST_EXTERN_PROTO,
    FIRST_POSE,
    NEWEST,
    parse_release,
)
from solidbody.formats.webots.releases.upgrade import modern_items

_OBJECT_HEADER: Final = re.compile(r"\s*+#[ \t]*+VRML_(?:OBJ|SIM)[ \t]++(\S++)")


@dataclass(eq=False, slots=True)
class Change:
    """One change that was made.

    Attributes:
        path: What was changed, as given.
        what: The change in words.
        touches: The parts of the model that follow from what was changed.
        is_undone: Whether it has been taken back.
    """

    path: str
    what: str
    touches: frozenset[AffectedPart]
    before: FileSyntax
    after: FileSyntax
    _editor: Editor
    is_undone: bool = False

    def undo(self) -> None:
        """Take the change back. Raises EditError unless it is the latest one still in force."""
        self._editor.undo(self)

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


@dataclass(eq=False, slots=True)
class Editor:
    """Holds a tree and the changes made to it.

    Attributes:
        tree: The file as it is now.
        changes: Changes in force, oldest first.
        on_change: Called after the tree has become another one.
    """

    tree: FileSyntax
    on_change: Callable[[], None]
    changes: list[Change] = field(default_factory=list[Change])
    _texts: int = 0

    def get(self, path: str) -> FieldValue:
        """Return the value of a field, or the node that a path names."""
        place = find_place(self.tree, path)
        if isinstance(place, NodePlace):
            return node_at(self.tree, place)
        node = node_at(self.tree, place.node)
        row = _row(node, place.name)
        value = field_value(row, value_of(node, place.name))
        if place.index is None:
            return value
        if not isinstance(value, tuple):
            raise EditError(f'"{path}": {place.name} is no list.')
        if place.index >= len(value):
            raise EditError(f'"{path}": {place.name} has no item {place.index}.')
        return value[place.index]

    def set(
        self,
        path: str,
        value: Any,
        *,
        type_name: str | None = None,
        mended: list[str] | None = None,
    ) -> Change:
        """Set a field; nodes are given as text, None takes a node away.

        Args:
            path: The field.
            value: Its new value.
            type_name: Type of a PROTO parameter, such as SFVec3f; None = as the value looks.
            mended: Takes what is wrong with a value out of range, which is then set as a reader would
                take it; None = it is refused.
        """
        place = find_place(self.tree, path)
        if isinstance(place, NodePlace):
            raise EditError(f'"{path}" is a node, not a field; name the field to set.')
        node = node_at(self.tree, place.node)
        known = _row(node, place.name)
        row = known or _parameter(place.name, type_name)
        where = f"{node.label}.{place.name}"
        if row is not None and row.type.item == "node":
            return self._set_node(path, place, node, row, value)
        if place.index is not None:
            value = self._with_item(path, place, value)
        span = self._place("set", path)
        if row is None:
            written = written_value(value, span, is_list=None)
        else:
            written = checked_value(row, value, where, span, mended)
        new = with_node(self.tree, place.node, with_field(node, place.name, written))
        touches = parts_of_field(known, is_bounding=_is_bounding(place.node))
        return self._done(path, "set", touches, new)

    def insert(
        self,
        path: str,
        text: str,
        index: int | None = None,
        *,
        type_name: str | None = None,
        protos: tuple[str, ...] = (),
    ) -> Change:
        """Insert the nodes of `text` in a field, or at the top of the file for an empty path.

        Args:
            path: The field; empty = the top of the file.
            text: One or more nodes as in a world file.
            index: Place in the list; None = at the end.
            type_name: Type of a PROTO parameter: SFNode or MFNode; None = a list.
            protos: Urls of PROTOs that the nodes need; those that the file does not declare are declared.
        """
        nodes = self._parsed(text, path)
        externs = self._externs_with(protos)
        if not path.strip("."):
            at = _index(index, len(self.tree.nodes), "the file")
            top = [node for node in nodes if isinstance(node, NodeSyntax)]
            if len(top) != len(nodes):
                raise EditError("USE is not allowed at the top of a file.")
            tops = (*self.tree.nodes[:at], *top, *self.tree.nodes[at:])
            new = replace(self.tree, nodes=tops, externs=externs)
            # what comes last and is right by itself makes nothing else wrong
            is_right = at == len(self.tree.nodes) and not _new_complaints(
                replace(self.tree, nodes=()), replace(new, nodes=tuple(top))
            )
            touches = _parts(nodes, is_bounding=False)
            return self._done(path, "insert", touches, new, check=not is_right)
        place = _field_place(self.tree, path)
        new = _inserted(self.tree, place, nodes, index, type_name)
        new = replace(new, externs=externs)
        touches = _parts(nodes, is_bounding=_is_in_bounds(place))
        return self._done(path, "insert", touches, new, check=True)

    def spell_out(
        self, path: str, name: str, default: ValueSyntax, protos: tuple[str, ...]
    ) -> Change:
        """Write the default of a PROTO's parameter at an instance, so that it can be changed there.

        Args:
            path: The instance.
            name: The parameter.
            default: Its default.
            protos: Urls of PROTOs that the default needs.
        """
        place = find_node(self.tree, path)
        node = node_at(self.tree, place)
        part = FieldSyntax(name, default, default.span, is_default=True)
        new = with_node(self.tree, place, replace(node, fields=(*node.fields, part)))
        new = replace(new, externs=self._externs_with(protos))
        return self._done(path, "spell out", frozenset(), new)

    def remove(self, path: str) -> Change:
        """Remove the node that a path names."""
        place = find_node(self.tree, path)
        node = node_at(self.tree, place)
        touches = _parts((node,), is_bounding=_is_bounding(place))
        return self._done(path, "remove", touches, _without(self.tree, place), check=True)

    def move(
        self, path: str, to: str, index: int | None = None, *, type_name: str | None = None
    ) -> Change:
        """Move the node that a path names to another place of its list, or into another field.

        Args:
            path: The node.
            to: The field; empty = the top of the file.
            index: Place in the list as it is before the move; None = at the end.
            type_name: Type of a PROTO parameter: SFNode or MFNode; None = a list.
        """
        source = find_node(self.tree, path)
        node = node_at(self.tree, source)
        target = _field_place(self.tree, to) if to.strip(".") else None
        rest = _without(self.tree, source)
        if target is None:
            if not source.steps and index is not None:
                index -= index > source.top
            at = _index(index, len(rest.nodes), "the file")
            new = replace(rest, nodes=(*rest.nodes[:at], node, *rest.nodes[at:]))
        else:
            place, index = _after_removal(source, target, index)
            new = _inserted(rest, place, (node,), index, type_name)
        is_bounding = _is_bounding(source) or (target is not None and _is_in_bounds(target))
        touches = _parts((node,), is_bounding=is_bounding)
        return self._done(path, "move", touches, new, check=True)

    def undo(self, change: Change) -> None:
        """Take a change back, which must be the latest one in force."""
        if change.is_undone:
            raise EditError(f"the change of {change.path} has been undone before.")
        if not self.changes or self.changes[-1] is not change:
            raise EditError(f"later changes stand on the change of {change.path}: undo them first.")
        self.changes.pop()
        change.is_undone = True
        self.tree = change.before
        self.on_change()

    def return_to(self, tree: FileSyntax) -> None:
        """Make a tree the present one, and forget all changes."""
        self.changes.clear()
        if tree is not self.tree:
            self.tree = tree
            self.on_change()

    # inside

    def _set_node(
        self, path: str, place: FieldPlace, node: NodeSyntax, row: Field, value: Any
    ) -> Change:
        old = value_of(node, place.name)
        nodes: tuple[ItemSyntax, ...] = ()
        if isinstance(value, str):
            nodes = self._parsed(value, path)
        elif isinstance(value, NodeSyntax | UseSyntax):
            nodes = (value,)
        elif value is not None:
            raise EditError(f"{node.label}.{place.name}: expected a node as text, or None.")
        written: ValueSyntax | None
        if place.index is not None and isinstance(old, ListSyntax):
            before, after = old.items[: place.index], old.items[place.index + 1 :]
            written = replace(old, items=(*before, *nodes, *after))
        elif row.type.is_list:
            written = ListSyntax(nodes, self._place("set", path))
        elif len(nodes) > 1:
            raise EditError(f"{node.label}.{place.name} holds one node at most.")
        else:
            written = nodes[0] if nodes else None
        new = with_node(self.tree, place.node, with_field(node, place.name, written))
        is_bounding = _is_in_bounds(place)
        touches = parts_of_field(row, is_bounding=is_bounding) | _parts(
            nodes, is_bounding=is_bounding
        )
        return self._done(path, "set", touches, new, check=True)

    def _with_item(self, path: str, place: FieldPlace, value: Any) -> Any:
        whole = self.get(path.rsplit(".", 1)[0])
        assert place.index is not None
        if not isinstance(whole, tuple) or place.index >= len(whole):
            raise EditError(f'"{path}": there is no item {place.index}.')
        return (*whole[: place.index], value, *whole[place.index + 1 :])

    def _parsed(self, text: str, path: str) -> tuple[ItemSyntax, ...]:
        log = DiagnosticLog()
        span = self._place("insert", path)
        used = text.split()
        if len(used) == 2 and used[0] == "USE":
            return (UseSyntax(used[1], span),)
        file = parse_source(SourceText(text, span.file), self.tree.header, log)
        if log.has_errors:
            raise EditError("\n".join(str(item) for item in log))
        if not file.nodes or file.externs or file.protos:
            raise EditError(f"expected one or more nodes, got {text.strip()[:60]!r}.")
        return self._in_the_form_of_the_world(text, file.nodes)

    def _in_the_form_of_the_world(
        self, text: str, nodes: tuple[ItemSyntax, ...]
    ) -> tuple[ItemSyntax, ...]:
        """Return nodes of an object file (.wbo), whose first line names a release, as of this world."""
        header = _OBJECT_HEADER.match(text)
        theirs = parse_release(header.group(1)) if header else None
        ours = parse_release(self.tree.header) or NEWEST
        if theirs is None or theirs == ours or theirs >= FIRST_POSE <= ours:
            return nodes
        if ours < FIRST_POSE:
            raise EditError(
                f"nodes of {theirs} cannot be put into a world of {ours}; convert the world first."
            )
        return modern_items(nodes, theirs, DiagnosticLog())

    def _externs_with(self, urls: tuple[str, ...]) -> tuple[ExternProtoSyntax, ...]:
        """Return the declarations of the file and those of more PROTOs."""
        known = {item.name for item in (*self.tree.externs, *self.tree.protos)}
        span = self._place("declare", "top")
        more = [ExternProtoSyntax(url, None, False, span) for url in urls]
        return (*self.tree.externs, *(item for item in more if item.name not in known))

    def _place(self, verb: str, path: str) -> SourceSpan:
        """Return a place of its own for each piece of text, by which its nodes can be told apart."""
        self._texts += 1
        return SourceSpan(f"<{verb} {self._texts}: {path or 'top'}>", 1, 1, 1, 1)

    def _done(
        self,
        path: str,
        what: str,
        touches: frozenset[AffectedPart],
        new: FileSyntax,
        *,
        check: bool = False,
    ) -> Change:
        if check:
            complaints = _new_complaints(self.tree, new)
            if complaints:
                raise EditError("\n".join(str(item) for item in complaints))
        change = Change(path, what, touches, self.tree, new, self)
        self.tree = new
        self.changes.append(change)
        self.on_change()
        return change


def _field_place(tree: FileSyntax, path: str) -> FieldPlace:
    place = find_place(tree, path)
    if isinstance(place, NodePlace):
        raise EditError(f'"{path}" is a node; name one of its fields, such as {path}.children.')
    return place


def _inserted(
    tree: FileSyntax,
    place: FieldPlace,
    nodes: tuple[ItemSyntax, ...],
    index: int | None,
    type_name: str | None,
) -> FileSyntax:
    """Return the tree with nodes put into a field."""
    node = node_at(tree, place.node)
    row = _row(node, place.name) or _parameter(place.name, type_name)
    if row is not None and row.type.item != "node":
        raise EditError(f"{node.label}.{place.name} holds no nodes.")
    old = value_of(node, place.name)
    items = old.items if isinstance(old, ListSyntax) else (() if old is None else (old,))
    items = tuple(item for item in items if not isinstance(item, NullSyntax))
    if row is not None and not row.type.is_list and len(items) + len(nodes) > 1:
        raise EditError(
            f"{node.label}.{place.name} holds one node at most; remove or set it instead."
        )
    at = _index(index, len(items), place.name)
    value: ValueSyntax = ListSyntax((*items[:at], *nodes, *items[at:]), nodes[0].span)
    if row is not None and not row.type.is_list:
        value = nodes[0]
    return with_node(tree, place.node, with_field(node, place.name, value))


def _without(tree: FileSyntax, place: NodePlace) -> FileSyntax:
    """Return the tree without a node."""
    if not place.steps:
        return replace(tree, nodes=(*tree.nodes[: place.top], *tree.nodes[place.top + 1 :]))
    name, index = place.steps[-1]
    holder_place = NodePlace(place.top, place.steps[:-1])
    holder = node_at(tree, holder_place)
    value = value_of(holder, name)
    if index is not None and isinstance(value, ListSyntax):
        value = replace(value, items=(*value.items[:index], *value.items[index + 1 :]))
    elif value is not None and NODES.find(holder.type_name) is None:
        # the parameter of a PROTO: without a value it has its default
        value = NullSyntax(value.span)
    else:
        value = None
    return with_node(tree, holder_place, with_field(holder, name, value))


def _after_removal(
    gone: NodePlace, target: FieldPlace, index: int | None
) -> tuple[FieldPlace, int | None]:
    """Return where a field and a place in it are once a node has been taken out of the tree."""
    top, steps, depth = target.node.top, target.node.steps, len(gone.steps)
    if target.node.top == gone.top and steps[:depth] == gone.steps:
        raise EditError("a node cannot be moved into itself.")
    if not gone.steps:
        top -= top > gone.top
    elif gone.top == top and (at := gone.steps[-1][1]) is not None:
        above, name = gone.steps[:-1], gone.steps[-1][0]
        if steps == above and target.name == name and index is not None:
            index -= index > at
        elif steps[: depth - 1] == above and len(steps) >= depth:
            step, k = steps[depth - 1]
            if step == name and k is not None and k > at:
                steps = (*above, (step, k - 1), *steps[depth:])
    return replace(target, node=NodePlace(top, steps)), index


def _is_in_bounds(place: FieldPlace) -> bool:
    return _is_bounding(place.node) or place.name == "boundingObject"


def _row(node: NodeSyntax, name: str) -> Field | None:
    if NODES.find(node.type_name) is None:
        return None
    row = NODES.fields(node.type_name).get(name)
    if row is None and NODES[node.type_name].has_all_fields:
        raise EditError(f'{node.type_name} has no field "{name}".')
    return row


def _parameter(name: str, type_name: str | None) -> Field | None:
    """Return a row for a parameter of a PROTO, which the table does not know."""
    return None if type_name is None else Field(name, FieldType[type_name], None)


def _index(index: int | None, count: int, where: str) -> int:
    if index is None:
        return count
    if not 0 <= index <= count:
        raise EditError(f"{where} has {count} items; the index {index} is not among them.")
    return index


def _is_bounding(place: NodePlace) -> bool:
    return any(name == "boundingObject" for name, _ in place.steps)


def _parts(nodes: tuple[ItemSyntax, ...], *, is_bounding: bool) -> frozenset[AffectedPart]:
    parts: set[AffectedPart] = set()
    for node in nodes:
        if isinstance(node, NodeSyntax):
            parts |= parts_of_node(node.type_name, is_bounding=is_bounding)
        else:
            parts.add(AffectedPart.SHAPE)
    return frozenset(parts)


def _new_complaints(before: FileSyntax, after: FileSyntax) -> list[Diagnostic]:
    """Return the errors that a tree has and the one before it had not."""
    release = parse_release(before.header) or NEWEST
    old, new = DiagnosticLog(), DiagnosticLog()
    check_file(before, release, old)
    check_file(after, release, new)
    known = Counter((item.code, item.text) for item in old)
    # the table knows no PROTOs: whether there is one of the name is seen when it is expanded
    declared = tuple(f'unknown node type "{item.name}"' for item in (*after.externs, *after.protos))
    if release < FIRST_EXTERN_PROTO:  # they need no declaration
        declared = ("unknown node type",)
    found: list[Diagnostic] = []
    for item in new:
        if item.severity is not Severity.ERROR or item.text.startswith(declared):
            continue
        key = (item.code, item.text)
        if known[key] > 0:
            known[key] -= 1
        else:
            found.append(item)
    return found
