"""Editing of the world on show: its document, nodes and fields, and edits that the simulation follows."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.errors import SolidbodyError
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Quat, Vec3, add, dot, quat_to_axis_angle, scale
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.vrml.parser import parse_source
from solidbody.formats.vrml.source import SourceText
from solidbody.formats.vrml.syntax import (
    FileSyntax,
    ListSyntax,
    NodeSyntax,
    NumbersSyntax,
    ParameterSyntax,
    StringSyntax,
    ValueSyntax,
)
from solidbody.formats.webots.edit.affected_parts import AffectedPart
from solidbody.formats.webots.edit.changes import Change
from solidbody.formats.webots.edit.document import World, load_world
from solidbody.formats.webots.edit.paths import (
    EditError,
    NodePlace,
    find_node,
    node_at,
    value_of,
    with_field,
)
from solidbody.formats.webots.edit.values import FieldValue, field_value
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.library import proto_parameters
from solidbody.formats.webots.write.text import node_text
from solidbody.sim.following import follow
from solidbody.sim.handles import LinkHandle
from solidbody.viewer.catalog import things_of
from solidbody.viewer.editor_steps import (
    EditorEdit,
    EditorMove,
    EditorPlacement,
    EditorStep,
    PlacedPose,
    place_link,
)
from solidbody.viewer.fields import node_fields, proto_fields
from solidbody.viewer.folder_files import FileFolder
from solidbody.viewer.importing import imported, models_in
from solidbody.viewer.insertion import (
    copied_node,
    needed_protos,
    new_text,
    node_slots,
    parameter_slots,
    proto_bases,
    top_slot,
)
from solidbody.viewer.protocol_work import (
    CommandChoices,
    CommandClip,
    CommandCopy,
    CommandEdit,
    CommandFields,
    CommandImport,
    CommandInsert,
    CommandMove,
    CommandPaste,
    CommandRedo,
    CommandRemove,
    CommandSave,
    CommandUndo,
    DeskCommand,
    DeskEvent,
    EventChoices,
    EventClipped,
    EventEdited,
    EventFields,
    EventSaved,
    WireNode,
    WireSlot,
)

if TYPE_CHECKING:
    from solidbody.sim import Sim

_NOWHERE: Final = SourceSpan("the page", 1, 1, 1, 1)

KEPT: Final = frozenset({"WorldInfo", "Viewpoint"})
"""Nodes that every world has."""

SAME: Final = 1e-9
"""[m], of quaternions also: what was moved by less stays as it is written."""

DECIMALS: Final = 6
"""Of what is written of a drag: a thousandth of a millimetre is finer than any hand."""

NEAR: Final = 1e-4
"""[m] How far the file may put a body from where it was dragged to."""


class WorldEditor:
    """Holds the document of a simulation.

    Args:
        sim: The simulation, which must have been made from the file of `world`.
        world: The file.

    Attributes:
        folder: Where files are that can be taken into the world; None = nowhere.
    """

    def __init__(self, sim: Sim, world: World) -> None:
        self.folder: FileFolder | None = None
        self._sim = sim
        self._world = world
        self._done: list[EditorStep] = []
        self._undone: list[EditorStep] = []
        self._clipped: NodeSyntax | None = None
        self._interfaces: dict[str, dict[str, ParameterSyntax]] = {}

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
        self._interfaces.clear()

    # ------------------------------------------------------------------ the tree

    def nodes(self) -> list[WireNode]:
        """Return the nodes of the file as written, each after the one that holds it."""
        link_at = self._rows()
        found: list[WireNode] = []
        stack: list[tuple[NodeSyntax, str, int | None]] = [
            (node, str(k), None) for k, node in enumerate(self.world.tree.nodes)
        ]
        stack.reverse()
        while stack:
            node, path, parent = stack.pop()
            row = len(found)
            link = link_at.get(id(node))
            found.append(WireNode(_title(node), node.type_name, path, parent, link))
            below = [(inner, f"{path}.{where}", row) for where, inner in _children(node)]
            stack.extend(reversed(below))
        return found

    def _rows(self) -> dict[int, int]:
        """Return the row of the link that each node as written has become, by its identity.

        Of an instance of a PROTO it is the link of its root.
        """
        rows: dict[int, int] = {}
        for row, typed in enumerate(self.world.lowered.nodes):
            if typed is not None:
                syntax = typed.syntax
                written = syntax.origins[0].instance if syntax.origins else syntax
                rows.setdefault(id(written), row)
        return rows

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
                    return [self._do(edit, f"{edit.path} was changed.")]
                case CommandChoices(path):
                    return [self._choices(path)]
                case CommandInsert(path, what, at):
                    return [self._insert(path, what, at)]
                case CommandImport(name, at):
                    return [self._import(name, at)]
                case CommandRemove(path):
                    return [self._remove(path)]
                case CommandCopy(path):
                    return [self._copy(path)]
                case CommandClip(path):
                    return [self._clip(path)]
                case CommandPaste(text, at):
                    return [self._paste(text, at)]
                case CommandMove(path, target, where):
                    return [self._move(path, target, where)]
                case CommandUndo():
                    return [self._undo()]
                case CommandRedo():
                    return [self._redo()]
                case CommandSave(ticket):
                    return [self._saved(ticket)]
        except (SolidbodyError, ValueError) as error:
            return [self._event(str(error), is_error=True)]

    def note_move(self, link: str, before: PlacedPose, after: PlacedPose) -> EventEdited:
        """A body was moved by hand: let that be undone. Before time has run it is an edit of the file."""
        name = link.rpartition("/")[2] or link
        step: EditorStep = self._placed(name, link, before, after) or EditorMove(
            name, link, before, after
        )
        self._done.append(step)
        self._undone.clear()
        return self._event(f"{name} was moved.")

    def _placed(
        self, name: str, path: str, before: PlacedPose, after: PlacedPose
    ) -> EditorPlacement | None:
        """Let a body of the file start where it was put; None = it is no such body, or time has run."""
        if self._sim.step_count > 0:
            return None
        links, rows = list(self._sim.scene.links()), self._rows()
        for number, node in enumerate(self.world.tree.nodes):
            row = rows.get(id(node))
            if row is None or links[row].path != path:
                continue
            place, turn = after
            values: dict[str, FieldValue] = {}
            if math.dist(place, before[0]) > SAME:
                values["translation"] = _rounded(place)
            if math.dist(turn, before[1]) > SAME:
                axis, angle = quat_to_axis_angle(turn)
                values["rotation"] = _rounded((*axis, angle))
            step = EditorPlacement(name, str(number), values, [])
            try:
                step.do(self)
            except SolidbodyError:
                return None
            now = next(link.pose for link in self._sim.scene.links() if link.path == path)
            if math.dist(now.position, place) < NEAR and _is_same_turn(now.rotation, turn):
                return step
            step.undo(self)  # what holds it makes something else of these fields
            self.place(path, after)
            return None
        return None

    def change_field(self, node: str, name: str, value: FieldValue) -> Change:
        """Set a field of a node, as far as its type has one."""
        found = node_at(self.world.tree, find_node(self.world.tree, node))
        kind, type_name = self._kind(found, name)
        if not kind:
            raise EditError(f"{_title(found)} has no field {name}.")
        return self.change(lambda world: world.set(f"{node}.{name}", value, type_name=type_name))

    def _saved(self, ticket: str) -> EventSaved:
        if self._sim.scene is not self.world.scene:
            self._sim.describe_anew(
                self.world.scene
            )  # the same content; saving asks for the object
        name = os.path.basename(self.world.path)
        return EventSaved(ticket, name, self.world.text(sim=self._sim))

    def _fields(self, path: str) -> EventFields:
        node = node_at(self.world.tree, find_node(self.world.tree, path))
        is_known = NODES.find(node.type_name) is not None
        rows = node_fields(node) if is_known else proto_fields(node, self._interface(node))
        return EventFields(path, f"{_title(node)} {node.type_name}", list(rows))

    def _interface(self, node: NodeSyntax) -> dict[str, ParameterSyntax]:
        """Return the parameters of the PROTO of an instance."""
        if node.type_name not in self._interfaces:
            world = self.world
            found = proto_parameters(world.tree, world.path, world.options)
            self._interfaces.update((name, dict(items)) for name, items in found.items())
        return self._interfaces.get(node.type_name, {})

    def _kind(self, node: NodeSyntax, name: str) -> tuple[str, str | None]:
        """Return the type of a field, and the same again if it is a parameter of a PROTO."""
        if NODES.find(node.type_name) is not None:
            row = NODES.fields(node.type_name).get(name)
            return ("" if row is None else row.type.name), None
        item = self._interface(node).get(name)
        return ("", None) if item is None else (item.type_name, item.type_name)

    def _parsed(self, path: str, text: str) -> EditorEdit:
        """Return an edit whose value was written as in the file."""
        holder, _, name = path.rpartition(".")
        node = node_at(self.world.tree, find_node(self.world.tree, holder))
        kind, type_name = self._kind(node, name)
        if kind.endswith("Node"):
            raise EditError(f"{name} holds nodes, which cannot be written here.")
        value = field_value(None, _parsed_value(text, kind, f"{node.label}.{name}"))
        words = f"{_title(node)} › {name}"
        return EditorEdit(words, lambda world: world.set(path, value, type_name=type_name))

    # ------------------------------------------------------------------ nodes

    def _choices(self, path: str) -> EventChoices:
        world = self.world.path
        if not path:
            slots = [top_slot(self.world.tree, proto_bases(world))]
            models = [] if self.folder is None else models_in(self.folder)
            return EventChoices("", "the world", slots, things_of(slots, world), models)
        node = node_at(self.world.tree, find_node(self.world.tree, path))
        slots = self._slots(path)
        title = f"{_title(node)} ({node.type_name})"
        return EventChoices(path, title, slots, things_of(slots, world), [])

    def _slots(self, path: str) -> list[WireSlot]:
        """Return what fits into a node."""
        protos = proto_bases(self.world.path)
        place = find_node(self.world.tree, path)
        node = node_at(self.world.tree, place)
        if NODES.find(node.type_name) is not None:
            return list(node_slots(node, protos, is_bounding=_is_bounding(place)))
        return list(parameter_slots(node, self._interface(node).values(), protos))

    def _import(self, name: str, at: Vec3) -> EventEdited:
        """Take a file of the folder into the world."""
        if self.folder is None:
            raise EditError("No files can be taken into this world here.")
        world = self.world
        found = imported(name, self.folder, Path(world.path), world.tree, at, world.options)
        self._interfaces.clear()
        edit = EditorEdit(
            found.name, lambda world: world.insert("", found.text, protos=found.protos)
        )
        return self._do(edit, f"{found.name} was added.", str(len(world.tree.nodes)))

    def _insert(self, path: str, what: str, at: Vec3) -> EventEdited:
        tree = self.world.tree
        up = self._sim.scene.geodesy.up
        text = new_text(what, tree, self.world.path, None if path else at, up)
        type_name, new_path = None, str(len(tree.nodes))
        if path:
            holder, _, name = path.rpartition(".")
            node = node_at(tree, find_node(tree, holder))
            kind, type_name = self._kind(node, name)
            held = value_of(node, name)
            count = len(held.items) if isinstance(held, ListSyntax) else int(held is not None)
            new_path = f"{path}.{count}" if kind.startswith("MF") else path
        protos = needed_protos(what, tree, self.world.path)
        edit = EditorEdit(
            path or what,
            lambda world: world.insert(path, text, type_name=type_name, protos=protos),
        )
        shown = what if len(what) < 60 else f"{what[:60]}…"
        return self._do(edit, f"{shown} was added.", new_path)

    def _remove(self, path: str) -> EventEdited:
        node = node_at(self.world.tree, find_node(self.world.tree, path))
        if node.type_name in KEPT:
            raise EditError(f"A world needs its {node.type_name}: it cannot be removed.")
        edit = EditorEdit(_title(node), lambda world: world.remove(path))
        return self._do(edit, f"{_title(node)} was removed.")

    def _copy(self, path: str) -> EventEdited:
        tree = self.world.tree
        place = find_node(tree, path)
        node = node_at(tree, place)
        if node.type_name in KEPT:
            raise EditError(f"A world has one {node.type_name} only.")
        text = node_text(copied_node(node, tree, self.world.path))
        if place.steps:
            field, index = place.steps[-1]
            if index is None:
                raise EditError(f"{field} holds one node at most: there is no room for a copy.")
            holder = path.rpartition(".")[0]
            step = f"{holder}.{index + 1}"
        else:
            holder, index, step = "", place.top, str(place.top + 1)
        edit = EditorEdit(_title(node), lambda world: world.insert(holder, text, index + 1))
        return self._do(edit, f"{_title(node)} was copied.", step)

    def _clip(self, path: str) -> EventClipped:
        self._clipped = node_at(self.world.tree, find_node(self.world.tree, path))
        return EventClipped(_title(self._clipped), node_text(self._clipped))

    def _paste(self, text: str, at: Vec3) -> EventEdited:
        """Put a node at the top of the file: at a place of the ground, as high as it was."""
        node = self._clipped if not text else _one_node(text)
        if node is None:
            raise EditError(
                "Nothing was copied that could be pasted: select a node and press Ctrl+C."
            )
        tree = self.world.tree
        if node.type_name in KEPT:
            raise EditError(f"A world has one {node.type_name} only.")
        copy = copied_node(node, tree, self.world.path)
        place = value_of(node, "translation")
        if isinstance(place, NumbersSyntax) and len(place.values) == 3:
            up = self._sim.scene.geodesy.up
            x, y, z = place.values
            height = dot((x, y, z), up) - dot(at, up)
            values = _rounded(add(at, scale(up, height)))
            copy = with_field(copy, "translation", replace(place, values=values))
        new_text, protos = node_text(copy), needed_protos(node.type_name, tree, self.world.path)
        edit = EditorEdit(_title(copy), lambda world: world.insert("", new_text, protos=protos))
        return self._do(edit, f"{_title(copy)} was pasted.", str(len(tree.nodes)))

    def _move(self, path: str, target: str, where: str) -> EventEdited:
        tree = self.world.tree
        node = node_at(tree, find_node(tree, path))
        type_name: str | None = None
        if where == "into":
            if node.type_name in KEPT:
                raise EditError(f"{node.type_name} stands at the top of a world.")
            to, type_name = self._room_in(target, node)
            index = None
        else:
            to, _, number = target.rpartition(".")
            if not number.isdecimal():
                raise EditError(f"{number} holds one node at most: there is no place beside it.")
            index = int(number) + (where == "after")
        edit = EditorEdit(
            _title(node), lambda world: world.move(path, to, index, type_name=type_name)
        )
        event = self._do(edit, f"{_title(node)} was moved.")
        return replace(event, path=_path_to(self.world.tree, node))

    def _room_in(self, target: str, node: NodeSyntax) -> tuple[str, str | None]:
        """Return the field of a node that takes another, `children` first, and its type for a PROTO."""
        slots = [slot for slot in self._slots(target) if not slot.is_full]
        fitting = [slot.field for slot in slots if node.type_name in (*slot.nodes, *slot.protos)]
        holder = node_at(self.world.tree, find_node(self.world.tree, target))
        if not fitting:
            raise EditError(
                f"{_title(holder)} ({holder.type_name}) has no room for a {node.type_name}."
            )
        field = "children" if "children" in fitting else fitting[0]
        return f"{target}.{field}", self._kind(holder, field)[1]

    # ------------------------------------------------------------------ changes

    def _require_same(self) -> None:
        """Raise if the simulation has other links than the file: an edit would take them away."""
        shown = [link.path for link in self._sim.scene.links()]
        if shown != [link.path for link in self.world.scene.links()]:
            raise EditError(
                "The simulation has bodies that are not in the file: it cannot be edited here."
            )

    def _do(self, step: EditorStep, text: str, path: str = "") -> EventEdited:
        step.do(self)
        self._done.append(step)
        self._undone.clear()
        return self._event(text, path=path)

    def _undo(self) -> EventEdited:
        if not self._done:
            raise EditError("There is nothing to undo.")
        self._done[-1].undo(self)
        self._undone.append(self._done.pop())
        return self._event(f"The change of {self._undone[-1].path} was undone.")

    def _redo(self) -> EventEdited:
        if not self._undone:
            raise EditError("There is nothing to do again.")
        self._undone[-1].do(self)
        self._done.append(self._undone.pop())
        return self._event(f"{self._done[-1].path} was changed again.")

    def change(self, make: Callable[[World], Change]) -> Change:
        """Change the file, and let the simulation follow; nothing happens if either cannot be done."""
        self._require_same()
        before = {str(item) for item in self.world.diagnostics if _is_error(item.severity)}
        change = make(self.world)
        try:
            self._refuse_errors(before)
            self._follow(change)
        except SolidbodyError:
            change.undo()
            raise
        return change

    def take_back(self, change: Change) -> None:
        """Undo a change of the file, and let the simulation follow."""
        self._require_same()
        change.undo()
        self._follow(change)

    def place(self, path: str, pose: PlacedPose) -> None:
        """Put a body somewhere, at rest."""
        place_link(self._sim, path, pose)

    def _refuse_errors(self, before: set[str]) -> None:
        """Raise if the file has become wrong."""
        for item in self.world.diagnostics:
            if _is_error(item.severity) and str(item) not in before:
                raise EditError(item.text)

    def _follow(self, change: Change) -> None:
        """Let the simulation go on with the changed file; what was put somewhere goes there."""
        found = follow(self._sim, self.world.scene)
        for hook in self._sim.step_hooks:
            stage = getattr(hook, "stage", None)
            if stage is not None:  # a reset goes back to the file as it is now
                stage.take(self.world)
            rebind = getattr(hook, "rebind", None)
            if rebind is not None:  # robots and devices are found again
                rebind(found)
        if change.what != "set" or AffectedPart.POSE not in change.touches:
            return
        node = node_at(self.world.tree, find_node(self.world.tree, change.path.rpartition(".")[0]))
        row = self._rows().get(id(node))
        link = None if row is None else list(self._sim.scene.links())[row]
        if row is not None and link is not None and link.parent is None:
            handle = LinkHandle(self._sim, row, link.name)
            handle.set_pose(link.pose.position, link.pose.rotation)
            handle.reset_physics()

    @property
    def next_steps(self) -> tuple[str, str]:
        """What can be undone and what can be done again; empty = nothing."""
        undo = self._done[-1].path if self._done else ""
        return undo, self._undone[-1].path if self._undone else ""

    def _event(self, text: str, *, is_error: bool = False, path: str = "") -> EventEdited:
        return EventEdited(text, is_error, *self.next_steps, path)


def open_editor(sim: Sim, options: LoadOptions = DEFAULT_OPTIONS) -> WorldEditor | None:
    """Return an editor for the file of a simulation; None if it is no world file, or not this one."""
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
    return WorldEditor(sim, world) if is_same else None


def _shared_world(sim: Sim) -> World | None:
    """Return the document that supervisors change, so that there is only one; None = there is none."""
    for hook in sim.step_hooks:
        stage = getattr(hook, "stage", None)
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


def _path_to(tree: FileSyntax, wanted: NodeSyntax) -> str:
    """Return the path of a node of a tree."""
    level = [(str(k), node) for k, node in enumerate(tree.nodes)]
    while level:
        path, node = level.pop()
        if node is wanted:
            return path
        level += [(f"{path}.{where}", inner) for where, inner in _children(node)]
    return ""


def _holds(outer: SourceSpan, inner: SourceSpan, place: tuple[int, int]) -> bool:
    is_before = (outer.line, outer.column) <= place
    return outer.file == inner.file and is_before and place <= (outer.end_line, outer.end_column)


def _title(node: NodeSyntax) -> str:
    """What users call a node: its DEF name, its name, its type."""
    if node.def_name:
        return node.def_name
    name = value_of(node, "name")
    return name.value if isinstance(name, StringSyntax) and name.value else node.type_name


def _is_bounding(place: NodePlace) -> bool:
    return any(name == "boundingObject" for name, _ in place.steps)


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


def _one_node(text: str) -> NodeSyntax:
    """Return the node that a text holds."""
    log = DiagnosticLog()
    nodes = parse_source(SourceText(text, "the page"), "R2025a", log).nodes
    if len(nodes) != 1 or log.has_errors:
        raise EditError(f"What was pasted is no node as in a world file: {text.strip()[:60]!r}.")
    return nodes[0]


def _rounded(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(round(value, DECIMALS) + 0.0 for value in values)


def _is_same_turn(one: Quat, other: Quat) -> bool:
    return abs(sum(a * b for a, b in zip(one, other, strict=True))) > 1.0 - NEAR


def _is_error(severity: Severity) -> bool:
    return severity is Severity.ERROR
