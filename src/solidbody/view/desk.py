"""The desk: the world file on show as a document, its nodes and fields, edits that the simulation follows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.errors import SolidbodyError
from solidbody.base.span import SourceSpan
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.vrml.parser import parse_source
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import ListSyntax, NodeSyntax, StringSyntax, ValueSyntax
from solidbody.formats.webots.document import World, load_world
from solidbody.formats.webots.edit import Change
from solidbody.formats.webots.edit_parts import Part
from solidbody.formats.webots.edit_places import EditError, find_node, node_at, value_of
from solidbody.formats.webots.edit_values import field_value, written_value
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.library import parameter_types
from solidbody.formats.webots.table import Field
from solidbody.formats.webots.write import value_text
from solidbody.sim.handles import LinkHandle
from solidbody.view.protocol_work import (
    CommandEdit,
    CommandFields,
    CommandRedo,
    CommandSave,
    CommandUndo,
    EventEdited,
    EventFields,
    EventSaved,
    WireField,
    WireNode,
)

if TYPE_CHECKING:
    from solidbody.sim import Sim

TEXT_SHOWN: Final = 4000
"""Longest value that is shown for editing [characters]."""

_NOWHERE: Final = SourceSpan("the page", 1, 1, 1, 1)

DeskCommand = CommandFields | CommandEdit | CommandUndo | CommandRedo | CommandSave
DeskEvent = EventFields | EventEdited | EventSaved


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit that can be made again."""

    path: str
    value: Any
    type_name: str | None


class Desk:
    """Holds the document of a simulation.

    Args:
        sim: The simulation, which must have been made from the file of `world`.
        world: The file.
    """

    def __init__(self, sim: Sim, world: World) -> None:
        self._sim = sim
        self._world = world
        self._done: list[_Edit] = []
        self._undone: list[_Edit] = []
        self._types: dict[str, dict[str, str]] | None = None

    @property
    def world(self) -> World:
        """The file: the document of supervisors if there are some, so that all change the same."""
        shared = _shared_world(self._sim)
        if shared is not None and shared is not self._world:
            self._take(shared)
        return self._world

    def reopen(self) -> None:
        """The file was read again by others: read it too."""
        shared = _shared_world(self._sim)
        self._take(shared or load_world(self._world.path, options=self._world.options))

    def _take(self, world: World) -> None:
        self._world = world
        self._done.clear()
        self._undone.clear()
        self._types = None

    # ------------------------------------------------------------------ the tree

    def nodes(self) -> list[WireNode]:
        """Return the nodes of the file as written, each after the one that holds it."""
        link_at = {
            link.span: row for row, link in reversed(list(enumerate(self._sim.scene.links())))
        }
        found: list[WireNode] = []
        stack: list[tuple[NodeSyntax, str, int | None]] = [
            (node, str(k), None) for k, node in enumerate(self.world.tree.nodes)
        ]
        stack.reverse()
        while stack:
            node, path, parent = stack.pop()
            row = len(found)
            link = link_at.get(node.span)
            found.append(WireNode(_title(node), node.type_name, path, parent, link))
            below = [(inner, f"{path}.{where}", row) for where, inner in _children(node)]
            stack.extend(reversed(below))
        return found

    def path_at(self, span: SourceSpan) -> str | None:
        """Return the path of the innermost node of the file around a place; None = there is none."""
        place = (span.line, span.column)
        path, level = None, [(str(k), node) for k, node in enumerate(self.world.tree.nodes)]
        while level:
            inside = next(
                ((way, node) for way, node in level if _holds(node.span, span, place)), None
            )
            if inside is None:
                break
            path, node = inside
            level = [(f"{path}.{where}", inner) for where, inner in _children(node)]
        return path

    # ------------------------------------------------------------------ commands

    def obey(self, command: DeskCommand) -> list[DeskEvent]:
        """Carry out a command; return what to tell the page."""
        try:
            match command:
                case CommandFields(path):
                    return [self._fields(path)]
                case CommandEdit(path, value):
                    edit = self._parsed(path, value)
                    event = self._make(edit)
                    self._undone.clear()
                    return [event]
                case CommandUndo():
                    return [self._undo()]
                case CommandRedo():
                    if not self._undone:
                        raise EditError("There is nothing to do again.")
                    event = self._make(self._undone[-1])
                    self._undone.pop()
                    return [event]
                case CommandSave(ticket):
                    return [self._saved(ticket)]
        except (SolidbodyError, ValueError) as error:
            return [self._event(str(error), is_error=True)]

    def _saved(self, ticket: str) -> EventSaved:
        if self._sim.scene is not self.world.scene:
            self._sim.describe_anew(
                self.world.scene
            )  # the same content; saving asks for the object
        name = os.path.basename(self.world.path)
        return EventSaved(ticket, name, self.world.text(sim=self._sim))

    def _fields(self, path: str) -> EventFields:
        node = node_at(self.world.tree, find_node(self.world.tree, path))
        fields = list(self._field_rows(node))
        return EventFields(path, f"{_title(node)} {node.type_name}", fields)

    def _field_rows(self, node: NodeSyntax) -> Iterator[WireField]:
        if NODES.find(node.type_name) is not None:
            for row in NODES.fields(node.type_name).values():
                if row.type.item != "node" and not row.until:
                    yield _wire_field(row, value_of(node, row.name))
            return
        for name, type_name in self._parameters(node.type_name).items():
            written = value_of(node, name)
            text = "" if written is None else value_text(written)
            is_node = type_name.endswith("Node")
            if not is_node:
                yield WireField(name, type_name, text, "", "parameter of the PROTO", True)

    def _parameters(self, proto: str) -> dict[str, str]:
        if self._types is None:
            self._types = parameter_types(self.world.tree, self.world.path, self.world.options)
        return self._types.get(proto, {})

    def _parsed(self, path: str, text: str) -> _Edit:
        """Return an edit whose value was written as in the file."""
        holder, _, name = path.rpartition(".")
        node = node_at(self.world.tree, find_node(self.world.tree, holder))
        is_known = NODES.find(node.type_name) is not None
        row = NODES.fields(node.type_name).get(name) if is_known else None
        type_name = None if is_known else self._parameters(node.type_name).get(name)
        kind = row.type.name if row is not None else type_name or ""
        if kind.endswith("Node"):
            raise EditError(f"{name} holds nodes, which cannot be written here.")
        value = _parsed_value(text, kind, f"{node.label}.{name}")
        return _Edit(path, field_value(None, value), type_name)

    # ------------------------------------------------------------------ changes

    def _require_same(self) -> None:
        """Raise if the simulation has other links than the file: an edit would take them away."""
        shown = [link.path for link in self._sim.scene.links()]
        if shown != [link.path for link in self.world.scene.links()]:
            raise EditError(
                "The simulation has bodies that are not in the file: it cannot be edited here."
            )

    def _make(self, edit: _Edit) -> EventEdited:
        self._require_same()
        before = {str(item) for item in self.world.diagnostics if _is_error(item.severity)}
        change = self.world.set(edit.path, edit.value, type_name=edit.type_name)
        try:
            self._refuse_errors(before)
            self._follow(change)
        except SolidbodyError:
            change.undo()
            raise
        self._done.append(edit)
        return self._event(f"{edit.path} was changed.")

    def _undo(self) -> EventEdited:
        if not self.world.changes or not self._done:
            raise EditError("There is nothing to undo.")
        self._require_same()
        change = self.world.changes[-1]
        change.undo()
        self._follow(change)
        self._undone.append(self._done.pop())
        return self._event(f"The change of {change.path} was undone.")

    def _refuse_errors(self, before: set[str]) -> None:
        """Raise if the file has become wrong."""
        for item in self.world.diagnostics:
            if _is_error(item.severity) and str(item) not in before:
                raise EditError(item.text)

    def _follow(self, change: Change) -> None:
        """Let the simulation go on with the changed file; what was put somewhere goes there."""
        self._sim.replace_scene(self.world.scene)
        for companion in self._sim.companions:
            rebind = getattr(companion, "rebind", None)
            if rebind is not None:  # robots and devices are found again
                rebind()
        if Part.POSE not in change.touches:
            return
        node = node_at(self.world.tree, find_node(self.world.tree, change.path.rpartition(".")[0]))
        for row, link in enumerate(self._sim.scene.links()):
            if link.span == node.span and link.parent is None:
                handle = LinkHandle(self._sim, row, link.name)
                handle.set_pose(link.pose.position, link.pose.rotation)
                handle.reset_physics()

    def _event(self, text: str, *, is_error: bool = False) -> EventEdited:
        undo = self._done[-1].path if self._done else ""
        redo = self._undone[-1].path if self._undone else ""
        return EventEdited(text, is_error, undo, redo)


def open_desk(sim: Sim, options: LoadOptions = DEFAULT_OPTIONS) -> Desk | None:
    """Return a desk for the file of a simulation; None if it is no world file, or not this one any more."""
    source = sim.scene.source
    if not source.lower().endswith(".wbt") or not os.path.isfile(source):
        return None
    try:
        world = _shared_world(sim) or load_world(source, options=options)
    except SolidbodyError:
        return None
    spans = {node.span for node in world.tree.nodes}
    tops = {link.span for link in sim.scene.links() if link.span.file == source}
    is_same = bool(tops & spans) or not tops
    return Desk(sim, world) if is_same else None


def _shared_world(sim: Sim) -> World | None:
    """Return the document that supervisors change, so that there is only one; None = there is none."""
    for companion in sim.companions:
        stage = getattr(companion, "stage", None)
        if stage is not None and isinstance(world := stage.world, World):
            return world
    return None


def _children(node: NodeSyntax) -> Iterator[tuple[str, NodeSyntax]]:
    """Yield the nodes in the fields of a node, with the part of the path that leads there."""
    for part in node.fields:
        if isinstance(part.value, NodeSyntax):
            yield part.name, part.value
        elif isinstance(part.value, ListSyntax):
            for k, item in enumerate(part.value.items):
                if isinstance(item, NodeSyntax):
                    yield f"{part.name}.{k}", item


def _holds(outer: SourceSpan, inner: SourceSpan, place: tuple[int, int]) -> bool:
    is_before = (outer.line, outer.column) <= place
    return outer.file == inner.file and is_before and place <= (outer.end_line, outer.end_column)


def _title(node: NodeSyntax) -> str:
    """What users call a node: its DEF name, its name, its type."""
    if node.def_name:
        return node.def_name
    name = value_of(node, "name")
    return name.value if isinstance(name, StringSyntax) and name.value else node.type_name


def _wire_field(row: Field, written: ValueSyntax | None) -> WireField:
    default = ""
    if row.default is not None:
        default = value_text(written_value(row.default, _NOWHERE, is_list=row.type.is_list))
    text = default if written is None else value_text(written)
    parts = [row.unit, "" if row.check is None else row.check.allowed]
    notes = [*(part for part in parts if part), row.deprecated and f"deprecated: {row.deprecated}"]
    doc = "; ".join(note for note in notes if note)
    is_short = len(text) <= TEXT_SHOWN
    shown = " ".join(text.split()) if is_short else f"{text[:60]}… ({len(text)} characters)"
    return WireField(row.name, row.type.name, shown, " ".join(default.split()), doc, is_short)


def _parsed_value(text: str, kind: str, where: str) -> ValueSyntax:
    """Return the one value that a text holds, as it would be written in a file."""
    if kind == "SFString" and not text.strip().startswith('"'):
        return StringSyntax(text, _NOWHERE)
    log = DiagnosticLog()
    source = SourceText(f"Node {{ value {text}\n}}", "the page")
    tree = parse_source(source, "R2025a", log)
    nodes = tree.nodes
    is_one = len(nodes) == 1 and len(nodes[0].fields) == 1 and not log.has_errors
    value = nodes[0].fields[0].value if is_one else None
    if value is None or isinstance(value, NodeSyntax):
        raise EditError(f"{where}: expected a value of type {kind or 'field'}, got {text[:60]!r}.")
    return value


def _is_error(severity: Severity) -> bool:
    return severity is Severity.ERROR
