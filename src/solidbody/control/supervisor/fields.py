"""Reads and changes fields of nodes, for supervisors."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from solidbody.base.span import SourceSpan
from solidbody.control.protocol import FieldFacts
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.importing import (
    check_protos,
    make_names_unique,
    modern_import,
    nodes_of_vrml97,
    without_surplus,
)
from solidbody.control.supervisor.live_fields import (
    LiveField,
    carry,
    links_in,
    live_field,
    tell_data,
)
from solidbody.control.supervisor.pending_values import PendingValue
from solidbody.control.supervisor.proto_field_links import actual_place
from solidbody.control.supervisor.run_control import controller_folder, restart_program
from solidbody.control.supervisor.stage import Stage
from solidbody.control.supervisor.tree import (
    OWN,
    ROOT,
    NodeField,
    is_visible,
    makes_anew,
    nodes_below,
    proto_at,
)
from solidbody.control.supervisor.values import CODES, item_index, written
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import NodeSyntax, ValueSyntax
from solidbody.formats.webots.edit.changes import Change
from solidbody.formats.webots.edit.document import World
from solidbody.formats.webots.nodes.table import FieldType
from solidbody.formats.webots.nodes.typed import TypedNode

if TYPE_CHECKING:
    from solidbody.control.session import Session

_FRAME: Final = ("translation", "rotation")
_TEXTS: Final = (
    "controller", "controllerArgs", "customData", "model", "description", "title", "info", "window",
)  # fmt: skip
"""Fields of which nothing but names and programs follows."""


def place_of(stage: Stage, number: int, level: int, name: str) -> NodeField:
    """Return a field that a controller holds. Raises SupervisorError if it is no more."""
    place = stage.tree.field(number, level, name)
    if place is None:
        raise SupervisorError(f'the node {number} has no field "{name}" any more')
    return place


def facts(place: NodeField) -> FieldFacts:
    """Return what a controller is told of a field."""
    return FieldFacts(place.node, place.name, CODES[place.type], place.type.name, place.level)


def find(stage: Stage, number: int, level: int, name: str) -> FieldFacts | None:
    """Return a field of a node by name; None if it has none."""
    place = stage.document.known.field(number, level, name)
    return None if place is None else facts(place)


def by_index(stage: Stage, number: int, level: int, index: int) -> FieldFacts | None:
    """Return a field of a node by its place; None if there is none."""
    names = list(stage.tree.fields(number, level))
    return find(stage, number, level, names[index]) if 0 <= index < len(names) else None


def count_fields(stage: Stage, number: int, level: int) -> int:
    """Return the number of fields of a node."""
    return len(stage.tree.fields(number, level))


def actual(stage: Stage, number: int, level: int, name: str) -> FieldFacts | None:
    """Return the field of the file that decides the value of a field inside a PROTO; None if none does."""
    if number == ROOT:
        return find(stage, number, level, name)
    place = actual_place(stage.tree, number, level, name)
    return None if place is None else facts(place)


# ---------------------------------------------------------------------- reading


def count(stage: Stage, number: int, level: int, name: str) -> int:
    """Return the number of items of a list; -1 for fields that hold one value."""
    draft = stage.document.drafts.get((number, level, name))
    if draft is not None:
        return len(draft.items) if draft.place.type.is_list else -1
    place = place_of(stage, number, level, name)
    if not place.type.is_list:
        return -1
    if place.type.item == "node":
        return len(stage.tree.nodes_in(place))
    return len(written(stage.tree, place))


def get(stage: Stage, number: int, level: int, name: str, index: int | None) -> Any:
    """Return a value; of a list the item `index`. Of nodes their numbers (0 = none)."""
    draft = stage.document.drafts.get((number, level, name))
    if draft is not None:
        at = None if index is None else item_index(draft.place, index, len(draft.items))
        return draft.value if at is None else draft.items[at]
    place = place_of(stage, number, level, name)
    if place.type.item == "node":
        nodes = stage.tree.nodes_in(place)
        if index is None:
            return nodes[0] if nodes else 0
        return nodes[item_index(place, index, len(nodes))]
    live = live_field(stage, place)
    if live is not None:
        return live.read(stage, stage.tree.node(number))
    value = written(stage.tree, place)
    return value if index is None else value[item_index(place, index, len(value))]


# ---------------------------------------------------------------------- changing


def put(stage: Stage, number: int, level: int, name: str, index: int | None, value: Any) -> None:
    """Set a value, or the item `index` of a list."""
    with _draft(stage, number, level, name) as draft:
        at = 0 if index is None else item_index(draft.place, index, len(draft.items))
        draft.items[at] = value


def insert(stage: Stage, number: int, level: int, name: str, index: int, value: Any) -> None:
    """Insert an item in a list; -1 = at its end."""
    with _draft(stage, number, level, name) as draft:
        at = item_index(draft.place, index, len(draft.items), for_insertion=True)
        draft.items.insert(at, value)


def remove_item(stage: Stage, number: int, level: int, name: str, index: int) -> None:
    """Take an item out of a list; a node that it is leaves the world."""
    if (number, level, name) not in stage.document.drafts:
        place = place_of(stage, number, level, name)
        if place.type.item == "node":
            nodes = stage.tree.nodes_in(place)
            remove_node(stage, nodes[item_index(place, index, len(nodes))])
            return
    with _draft(stage, number, level, name) as draft:
        del draft.items[item_index(draft.place, index, len(draft.items))]


@contextmanager
def _draft(stage: Stage, number: int, level: int, name: str) -> Generator[PendingValue]:
    """Give a field to change; it is written later if nothing else follows from it, else at the end."""
    draft = stage.document.drafts.get((number, level, name))
    if draft is not None:
        before = draft.value
        yield draft
        draft.is_written &= draft.value == before
        return
    place = place_of(stage, number, level, name)
    items = list(written(stage.tree, place)) if place.type.is_list else [None]
    draft = PendingValue(place, _path(stage, place), items)
    yield draft
    live = live_field(stage, place)
    if live is not None:
        _set_live(stage, place, live, draft.value)
    elif _may_wait(stage, place):
        draft.is_written = draft.value == written(stage.tree, place)
        stage.document.drafts[number, level, name] = draft
    else:
        _write(stage, place, draft.value)


def _may_wait(stage: Stage, place: NodeField) -> bool:
    """Whether nothing follows from a field at once: no PROTO is made anew, no link moves."""
    node = stage.tree.node(place.node)
    above: TypedNode | None = node
    while above is not None:
        if above.syntax.origins and (
            above is node or not is_visible(node) or _is_looked_into(node, above)
        ):
            return False
        above = above.parent
    if place.level != OWN or node.is_a("Robot") or place.name in _TEXTS:
        return False
    return not (place.name in _FRAME and links_in(stage, node))


def _is_looked_into(node: TypedNode, instance: TypedNode) -> bool:
    """Whether a template in a PROTO instance reads a parameter in which a node stands."""
    scopes = {scope for inner in nodes_below(instance) for scope in inner.syntax.origins}
    return any(
        _holds(scope.parameters[name].value, node.syntax.span)
        for scope in scopes
        for name in scope.regenerators & scope.parameters.keys()
    )


def _holds(value: ValueSyntax, place: SourceSpan) -> bool:
    """Whether the node at a place stands in the value of a field."""
    stack = list(items_of(value))
    while stack:
        item = stack.pop()
        if isinstance(item, NodeSyntax):
            if item.span == place:
                return True
            stack.extend(inner for part in item.fields for inner in items_of(part.value))
    return False


def remove_single(stage: Stage, number: int, level: int, name: str) -> None:
    """Take the node out of a field that holds one."""
    place = place_of(stage, number, level, name)
    nodes = stage.tree.nodes_in(place)
    if not nodes:
        raise SupervisorError(f'the field "{name}" holds no node')
    remove_node(stage, nodes[0])


def remove_node(stage: Stage, number: int) -> None:
    """Take a node out of the world."""
    if number == ROOT:
        raise SupervisorError("the root of the world cannot be removed")
    node = stage.tree.node(number)
    if node.type in ("WorldInfo", "Viewpoint"):
        raise SupervisorError(f"the {node.type} node cannot be removed")
    path = stage.path(node)
    stage.change(lambda world: world.remove(path))


def _set_live(stage: Stage, place: NodeField, live: LiveField, value: Any) -> None:
    """Set a field that the simulation knows."""
    parts = value if isinstance(value, tuple) else (value,)
    if any(isinstance(x, float) and not math.isfinite(x) for x in parts):
        raise SupervisorError(
            f'the field "{place.name}" takes finite numbers, got {value}; nothing is set'
        )
    try:
        live.write(stage, stage.tree.node(place.node), value)
    except ValueError as error:
        raise SupervisorError(str(error)) from error


def _write(stage: Stage, place: NodeField, value: Any) -> None:
    path, node = _path(stage, place), stage.tree.node(place.node)
    kind = place.type.name if node.syntax.origins else None

    mended: list[str] = []

    def edit(world: World) -> Change:
        return world.set(path, value, type_name=kind, mended=mended)

    carried = links_in(stage, node) if place.name in _FRAME else []
    stage.change(edit)
    stage.notes += [f"Warning: {text}" for text in mended]
    if carried:
        carry(stage, stage.tree.node(place.node), carried)
    if place.level == OWN and makes_anew(node.syntax.origins, place.name):
        for inner in nodes_below(stage.tree.node(place.node)):
            if inner.is_a("Robot"):
                restart_program(stage, stage.tree.number(inner))
    elif node.is_a("Robot"):
        if place.name == "controller":
            restart_program(stage, place.node)
        elif place.name == "customData":  # its controller has not come yet, but may by then
            stage.later(lambda: _tell_data(stage, place.node, value))


def _tell_data(stage: Stage, number: int, value: str) -> None:
    if stage.tree.has(number):  # it may be gone by then
        tell_data(stage, stage.tree.node(number), value)


def _path(stage: Stage, place: NodeField) -> str:
    """Return where a field is written. Raises SupervisorError for those that may only be read."""
    if place.node == ROOT:
        return ""
    node = stage.tree.node(place.node)
    if place.level != OWN and node.syntax.origins:
        raise SupervisorError(
            f'the field "{place.name}" lies inside the PROTO {node.syntax.label}: it can be read, '
            "not changed"
        )
    return f"{stage.path(node)}.{place.name}"


# ---------------------------------------------------------------------- nodes from text


def import_list(stage: Stage, number: int, level: int, name: str, index: int, text: str) -> None:
    """Insert a node, given as text, in a list."""
    if number == ROOT and index == -1:  # the end of the file, whatever else is in it
        _import(stage, NodeField(ROOT, name, FieldType.MFNode, OWN), text, None)
        return
    place = place_of(stage, number, level, name)
    if place.type.name != "MFNode":
        raise SupervisorError(f'the field "{name}" is {place.type.name}, not MFNode')
    total = len(stage.tree.nodes_in(place))
    at = item_index(place, index, total, for_insertion=True)
    _import(stage, place, text, _written_index(stage, place, at))


def import_single(stage: Stage, number: int, level: int, name: str, text: str) -> None:
    """Put a node, given as text, into a field that holds one and is empty."""
    place = place_of(stage, number, level, name)
    if place.type.name != "SFNode":
        raise SupervisorError(f'the field "{name}" is {place.type.name}, not SFNode')
    if stage.tree.nodes_in(place):
        raise SupervisorError(f'the field "{name}" holds a node already: remove it first')
    _import(stage, place, text, None)


def _import(stage: Stage, place: NodeField, text: str, index: int | None) -> None:
    """Insert nodes; they are looked at once for all that are imported in a row (`Stage.unreviewed`)."""
    text = without_surplus(stage, text)
    check_protos(stage, text)
    modern, protos = modern_import(stage, text)
    path = _path(stage, place)
    _spell_out(stage, place)
    review = stage.document.unreviewed or _review_after(stage)
    kind = place.type.name if place.node != ROOT and _is_instance(stage, place) else None
    stage.change(lambda world: world.insert(path, modern, index, type_name=kind, protos=protos))
    stage.document.unreviewed = review


def _review_after(stage: Stage) -> Callable[[], list[str]]:
    """Return what gives the nodes that are imported from now on their names, and tells what is wrong."""
    known = {number for number, _ in stage.tree.all()}
    said = stage.document.known_complaints()
    return lambda: make_names_unique(stage, known) + stage.document.complaints(said)


def _spell_out(stage: Stage, place: NodeField) -> None:
    """Write the default of a parameter at its instance: what is imported joins the nodes in it."""
    scope = proto_at(stage.tree.node(place.node), place.level) if place.node != ROOT else None
    if scope is not None and place.name in scope.parameters:
        instance = stage.path(stage.tree.node(place.node))
        stage.document.spell_out(instance, place.name, scope)


def _is_instance(stage: Stage, place: NodeField) -> bool:
    return bool(stage.tree.node(place.node).syntax.origins)


def _written_index(stage: Stage, place: NodeField, at: int) -> int | None:
    """Return the place in the list as written; nodes that are not understood stand in it as well."""
    nodes = stage.tree.nodes_in(place)
    if at >= len(nodes):
        return None
    node = stage.tree.node(nodes[at])
    if not is_visible(node):
        return at
    last = stage.path(node).rsplit(".", 1)[-1]
    return int(last) if last.isdecimal() else 0


def import_file(
    stage: Stage, session: Session, number: int, level: int, name: str, index: int | None, file: str
) -> None:
    """Insert what a file (.wbo, .wrl) holds in a list, or put it into a field for one node (index None)."""
    path = Path(controller_folder(session), os.path.expanduser(file))
    if path.suffix.lower() not in (".wbo", ".wrl"):
        raise SupervisorError(f'"{file}" is no object file: its name must end with .wbo or .wrl')
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SupervisorError(f'"{file}" cannot be read: {error.strerror or error}') from error
    if path.suffix.lower() == ".wrl":
        text = nodes_of_vrml97(text, file)
    if index is None:
        import_single(stage, number, level, name, text)
    else:
        import_list(stage, number, level, name, index, text)
