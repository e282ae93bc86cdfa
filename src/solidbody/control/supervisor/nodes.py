"""Queries about nodes: by DEF name, number or selection; types, parents, PROTOs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from solidbody.control.node_types import NUMBERS
from solidbody.control.protocol import NodeFacts, ProtoFacts
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.stage import Stage
from solidbody.control.supervisor.tree import ROOT, is_visible, node_key, type_name
from solidbody.devices.core.device_binding import JointDevice
from solidbody.formats.webots.edit.paths import EditError, find_node, node_at
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.write.text import node_text

if TYPE_CHECKING:
    from solidbody.control.device_tags import RobotPlace
    from solidbody.control.session import Session

_TYPES: Final = {name.replace("_", "").lower(): number for name, number in NUMBERS.items()}


def facts(stage: Stage, number: int) -> NodeFacts:
    """Return what a controller is told of a node."""
    if number == ROOT:
        return NodeFacts(ROOT, NUMBERS["GROUP"], "Group", "Group", "", False)
    node = stage.document.known.node(number)
    kind = _TYPES.get(node.type.lower(), NUMBERS["NO_NODE"])
    name, is_proto = node.syntax.def_name or "", bool(node.syntax.origins)
    return NodeFacts(number, kind, type_name(node), node.type, name, is_proto)


def _or_none(stage: Stage, node: TypedNode | None) -> NodeFacts | None:
    return None if node is None else facts(stage, stage.tree.number(node))


def from_def(stage: Stage, path: str) -> NodeFacts | None:
    """Return the node of a path of DEF names, each somewhere below the one before."""
    node: TypedNode | None = None
    for name in path.split("."):
        node = stage.document.known.find(name, node, None)
        if node is None:
            return None
    return None if node is None else facts(stage, stage.document.known.number(node))


def from_proto_def(stage: Stage, number: int, path: str) -> NodeFacts | None:
    """Return a node inside a PROTO instance by the DEF names of its body."""
    instance = stage.tree.node(number)
    for scope in instance.syntax.origins:
        node: TypedNode | None = instance
        for name in path.split("."):
            node = stage.tree.find(name, node, scope)
            if node is None:
                break
        if node is not None:
            return facts(stage, stage.tree.number(node))
    return None


def present_id(stage: Stage, number: int) -> int:
    """Return the number of a node as long as it is there; -1 otherwise."""
    return number if stage.tree.has(number) else -1


def from_id(stage: Stage, number: int) -> NodeFacts | None:
    """Return a node that the file shows, by its number."""
    if not stage.tree.has(number):
        return None
    if number != ROOT and not is_visible(stage.tree.node(number)):
        return None
    return facts(stage, number)


def selected(stage: Stage) -> NodeFacts | None:
    """Return the node that the user has selected; None = none, or one that is no more."""
    path, tree = stage.hub.selected_path, stage.world.tree
    if path is None:
        return None
    try:
        span = node_at(tree, find_node(tree, path)).span
    except EditError:
        return None
    shown = (node for _, node in stage.tree.all() if is_visible(node))
    return _or_none(stage, next((n for n in shown if node_key(n.syntax).span == span), None))


def self_node(stage: Stage, session: Session) -> NodeFacts:
    """Return the node of the robot that asks."""
    return facts(stage, stage.tree.number(robot_node(stage, session.place)))


def robot_node(stage: Stage, place: RobotPlace) -> TypedNode:
    """Return the node of a robot; of several with its name, the one on its link."""
    named = [
        node
        for _, node in stage.tree.all()
        if node.is_a("Robot") and node.string("name") == place.name
    ]
    if not named:
        raise SupervisorError(f'the robot "{place.name}" has no node of its own')
    if len(named) == 1:
        return named[0]  # without asking the simulation, which may have to follow first
    return next((node for node in named if stage.carrier(node) == place.link), named[0])


def from_device(stage: Stage, session: Session, tag: int) -> NodeFacts | None:
    """Return the node of a device of the robot that asks, or its own (0); None for one inside a PROTO."""
    if tag == 0:
        return self_node(stage, session)
    if not 0 < tag <= len(session.adapters):
        return None
    bound = session.adapters[tag - 1].bound
    robot = robot_node(stage, session.place)
    base = "JointDevice" if isinstance(bound.device, JointDevice) else "Device"
    for _, node in stage.tree.all():
        if not node.is_a(base) or not node.has("name") or node.string("name") != bound.name:
            continue
        above: TypedNode | None = node
        while above is not None and above is not robot:
            above = above.parent
        if above is robot:
            return facts(stage, stage.tree.number(node)) if is_visible(node) else None
    return None


def parent(stage: Stage, number: int) -> NodeFacts | None:
    """Return the node above; None for the root."""
    if number == ROOT:
        return None
    return facts(stage, stage.tree.parent(stage.tree.node(number)))


def export_text(stage: Stage, number: int) -> str:
    """Return a node as text, as the file would have it."""
    if number == ROOT:
        return stage.world.text()
    node = stage.tree.node(number)
    try:
        path = stage.path(node)
    except SupervisorError:
        return node_text(node.syntax)
    tree = stage.world.tree
    return node_text(node_at(tree, find_node(tree, path)))


# ---------------------------------------------------------------------- PROTOs


def proto(stage: Stage, number: int, level: int) -> ProtoFacts | None:
    """Return a PROTO of a node; None if it has none there."""
    if number == ROOT:
        return None
    origins = stage.tree.node(number).syntax.origins
    if not 0 <= level < len(origins):
        return None
    return ProtoFacts(number, level, origins[level].proto, level + 1 < len(origins))
