"""Node tree of a world as supervisors see it: each node has a number that stays the same.

A node is recognised after a change by its place in the file and by the PROTO instances around it; text
that was inserted counts as a file of its own.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import (
    FileSyntax,
    IsSyntax,
    ListSyntax,
    NodeSyntax,
    Scope,
    ValueSyntax,
)
from solidbody.formats.webots.lower.scene import Lowered
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.check import check_file
from solidbody.formats.webots.nodes.table import Field, FieldType
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.protos.library import FIRST_TOLD
from solidbody.formats.webots.releases.release import NEWEST

ROOT: Final = 0
"""Number of the node that holds the whole world."""

OWN: Final = -1
"""The fields that a file shows: parameters of a PROTO instance, fields of any other node."""

BASE: Final = -2
"""The fields of the node that a PROTO instance has become."""

_RANKS: Final = {
    **dict.fromkeys(("translation", "rotation"), -1),
    **dict.fromkeys(("translationStep", "rotationStep", "linearVelocity", "angularVelocity"), 1),
}
"""Fields that come before (-1) or after all others of a node, counted as in Webots."""

ROOT_FIELDS: Final = {"children": Field("children", FieldType.MFNode, None)}


class NodeKey(NamedTuple):
    """By which a node is recognised: its place, those of the instances around it, and a count."""

    span: SourceSpan
    instances: tuple[SourceSpan, ...]
    number: int = 0


def node_key(node: NodeSyntax) -> NodeKey:
    """Return the key of a node; a PROTO instance stands where the file has it."""
    span = node.origins[0].instance.span if node.origins else node.span
    around: list[SourceSpan] = []
    scope = node.scope
    while scope is not None:
        around.append(scope.instance.span)
        scope = scope.outer
    return NodeKey(span, tuple(around))


@dataclass(frozen=True, slots=True)
class NodeField:
    """A field of a node: its name, type and level (`OWN`, `BASE`, or the number of a PROTO)."""

    node: int
    name: str
    type: FieldType
    level: int


class Tree:
    """All nodes of a world by number."""

    def __init__(self) -> None:
        self.is_old = False
        """Whether programs know the fields, and their types, of releases before R2020b."""
        self._numbers: dict[NodeKey, int] = {}
        self._last = ROOT
        self._nodes: dict[int, TypedNode] = {}
        self._of: dict[int, int] = {}
        self._are_apart = False
        self._unused: list[TypedNode] = []  # in parameters that PROTOs do not use
        self._named: dict[str, list[TypedNode]] = {}
        self._top: tuple[TypedNode, ...] = ()
        self._header = str(NEWEST)

    def load(self, lowered: Lowered, header: str) -> None:
        """Take the nodes of a world after a change; those that were there keep their numbers."""
        before, self._top = self._top, lowered.top
        was_apart, self._are_apart = self._are_apart, lowered.are_apart
        unused = {self._of.pop(id(node)) for node in self._unused}
        for number in unused:
            self._nodes.pop(number, None)
        self._unused = []
        is_same = header == self._header and len(before) == len(self._top)
        self._header = header
        if was_apart and self._are_apart and is_same:
            pairs = [(a, b) for a, b in zip(before, self._top, strict=True) if a is not b]
            if all(self._exchange(a, b) for a, b in pairs):
                return
        self._nodes, self._of, self._named = {}, {}, {}
        seen: dict[NodeKey, int] = {}
        for node in _all_nodes(self._top):
            key = node_key(node.syntax)
            count = seen.get(key, 0)
            seen[key] = count + 1
            self._add(node, key._replace(number=count))
            if node.syntax.def_name is not None:
                self._named.setdefault(node.syntax.def_name, []).append(node)
        # what was imported and is gone does not come back: another text is another file
        self._numbers = {
            key: number
            for key, number in self._numbers.items()
            if number in self._nodes or number in unused or not _is_imported(key)
        }

    def _exchange(self, old: TypedNode, new: TypedNode) -> bool:
        """Put a top node in the place of another; False if there are other nodes in it or other names."""
        pairs = list(zip(_all_nodes((old,)), _all_nodes((new,)), strict=False))
        count = sum(1 for _ in _all_nodes((old,)))
        if len(pairs) != count or count != sum(1 for _ in _all_nodes((new,))):
            return False
        for a, b in pairs:
            is_same = a.syntax.def_name == b.syntax.def_name
            if not is_same or node_key(a.syntax) != node_key(b.syntax):
                return False
        for a, b in pairs:
            number = self._of.pop(id(a))
            self._nodes[number] = b
            self._of[id(b)] = number
            if b.syntax.def_name is not None:
                named = self._named[b.syntax.def_name]
                named[next(k for k, node in enumerate(named) if node is a)] = b
        return True

    def _add(self, node: TypedNode, key: NodeKey) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = next((told for s in node.syntax.origins if (told := s.number)), 0)
            if not number or number in self._nodes:
                self._last += 1
                number = self._last
            self._numbers[key] = number
        self._nodes[number] = node
        self._of[id(node)] = number
        return number

    # ------------------------------------------------------------------ nodes

    def node(self, number: int) -> TypedNode:
        """Return a node. Raises SupervisorError for one that is no more."""
        found = self._nodes.get(number)
        if found is None:
            raise SupervisorError(
                "no such node"
                if self._last < number < FIRST_TOLD
                else f"the node {number} was removed"
            )
        return found

    def number(self, node: TypedNode) -> int:
        """Return the number of a node."""
        return self._of[id(node)]

    def has(self, number: int) -> bool:
        """Whether the world has a node of that number."""
        return number == ROOT or number in self._nodes

    @property
    def numbers(self) -> Container[int]:
        """The numbers of all nodes; another object when nodes come or go."""
        return self._nodes

    def all(self) -> Iterator[tuple[int, TypedNode]]:
        """Yield every node with its number, in the order of the file."""
        yield from self._nodes.items()

    @property
    def top(self) -> tuple[TypedNode, ...]:
        """The nodes at the top of the file."""
        return self._top

    def parent(self, node: TypedNode) -> int:
        """Return the number of the node above; for one that the file shows, a node that it shows too."""
        above = node.parent
        if is_visible(node):
            while above is not None and not is_visible(above):
                above = above.parent
        return ROOT if above is None else self.number(above)

    def find(self, name: str, below: TypedNode | None, scope: Scope | None) -> TypedNode | None:
        """Return the first node with a DEF name in a scope, below a node or anywhere."""
        named = self._named.get(name, ()) if below is None else _all_nodes(_inner(below))
        return next(
            (n for n in named if n.syntax.def_name == name and _is_in(n.syntax, scope)), None
        )

    # ------------------------------------------------------------------ fields

    def fields(self, number: int, level: int) -> dict[str, FieldType]:
        """Return the fields of a node at a level, in order."""
        if number == ROOT:
            return {name: row.type for name, row in ROOT_FIELDS.items()}
        node = self.node(number)
        scope = proto_at(node, level)
        if scope is not None:
            return {name: FieldType[p.type_name] for name, p in scope.parameters.items()}
        rows = sorted(NODES.fields(node.type).values(), key=lambda row: _RANKS.get(row.name, 0))
        return {
            row.name: (self.is_old and row.also) or row.type
            for row in rows
            if self.is_old or not (row.until or row.deprecated)
        }

    def field(self, number: int, level: int, name: str) -> NodeField | None:
        """Return a field of a node by name."""
        kind = self.fields(number, level).get(name)
        return None if kind is None else NodeField(number, name, kind, level)

    def nodes_in(self, place: NodeField) -> list[int]:
        """Return the numbers of the nodes that a field holds."""
        if place.node == ROOT:
            return [self.number(node) for node in self._top]
        node = self.node(place.node)
        scope = proto_at(node, place.level)
        if scope is None:
            return [self.number(inner) for inner in node.children(place.name)]
        value = scope.parameters[place.name].value
        return [self._number_of_syntax(item, node) for item in _nodes_of(value)]

    def _number_of_syntax(self, item: NodeSyntax, holder: TypedNode) -> int:
        """Return the number of a node in a parameter, also of one that the PROTO does not use."""
        key = node_key(item)
        number = self._numbers.get(key)
        if number is not None and number in self._nodes:
            return number
        file = FileSyntax(self._header, (item,))
        made = check_file(file, NEWEST, DiagnosticLog())
        if not made:
            raise SupervisorError(f"{item.label} cannot be looked at")
        made[0].parent = holder
        for inner in _all_nodes(made):
            self._add(inner, node_key(inner.syntax))
            self._unused.append(inner)
        return self.number(made[0])


def _is_imported(key: NodeKey) -> bool:
    """Whether a node, or an instance around it, came with a text that was put into the world."""
    return any(span.file.startswith("<") for span in (key.span, *key.instances))


def proto_at(node: TypedNode, level: int) -> Scope | None:
    """Return the PROTO whose parameters a level means; None = the fields of the node itself."""
    origins = node.syntax.origins
    if level == BASE or not origins:
        return None
    return origins[0 if level == OWN else level]


def is_visible(node: TypedNode) -> bool:
    """Whether the world shows the node: not what PROTO instances are made of, but what is given to them."""
    return node.syntax.is_shown


def _is_in(node: NodeSyntax, scope: Scope | None) -> bool:
    """Whether a DEF name belongs to the world (None), or to a PROTO: its body and defaults."""
    if scope is None:
        return node.is_shown
    return node.scope is scope or (node.scope is not None and node.scope.default_of is scope)


def makes_anew(scopes: Sequence[Scope], name: str) -> bool:
    """Whether a template reads a parameter of an instance: of its PROTO, or of one that gets its value."""
    if not scopes:
        return False
    passed = scopes[1].instance.fields if len(scopes) > 1 else ()
    return name in scopes[0].regenerators or any(
        isinstance(part.value, IsSyntax)
        and part.value.name == name
        and makes_anew(scopes[1:], part.name)
        for part in passed
    )


def type_name(node: TypedNode) -> str:
    """Return the name of the PROTO, or of the type."""
    origins = node.syntax.origins
    return origins[0].instance.type_name if origins else node.type


def _nodes_of(value: ValueSyntax) -> list[NodeSyntax]:
    return [item for item in items_of(value) if isinstance(item, NodeSyntax)]


def _inner(node: TypedNode) -> tuple[TypedNode, ...]:
    return tuple(inner for nodes in node.nodes.values() for inner in nodes if inner is not None)


def _all_nodes(top: tuple[TypedNode, ...] | list[TypedNode]) -> Iterator[TypedNode]:
    """Yield nodes and all below them, in the order of the file; what is USEd, once."""
    stack = list(reversed(top))
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        stack.extend(reversed(_inner(node)))


def nodes_below(node: TypedNode) -> Iterator[TypedNode]:
    """Yield a node and all below it, in the order of the file."""
    return _all_nodes((node,))


class WrittenPaths:
    """Where nodes stand in a file as written; only top nodes that changed are looked through again."""

    def __init__(self) -> None:
        self._tree: FileSyntax | None = None
        self._tops: list[tuple[NodeSyntax, dict[SourceSpan, str]]] = []

    def find(self, tree: FileSyntax, span: SourceSpan) -> str | None:
        """Return the path of the node at a place; None if there is none."""
        if tree is not self._tree:
            known = {id(node): paths for node, paths in self._tops}
            self._tops = [
                (node, known.get(id(node)) or _paths([(node, "")])) for node in tree.nodes
            ]
            self._tree = tree
        for k, (_, paths) in enumerate(self._tops):
            if span in paths:
                return f"{k}{paths[span]}"
        return None


def paths_in(value: ValueSyntax | None, path: str) -> dict[SourceSpan, str]:
    """Return the path of each node in the value of a field, by its place."""
    return {} if value is None else _paths(_nodes_at(value, path))


def _nodes_at(value: ValueSyntax, path: str) -> list[tuple[NodeSyntax, str]]:
    if isinstance(value, ListSyntax):
        items = ((item, f"{path}.{k}") for k, item in enumerate(value.items))
        return [(item, where) for item, where in items if isinstance(item, NodeSyntax)]
    return [(value, path)] if isinstance(value, NodeSyntax) else []


def _paths(stack: list[tuple[NodeSyntax, str]]) -> dict[SourceSpan, str]:
    paths: dict[SourceSpan, str] = {}
    while stack:
        node, path = stack.pop()
        paths.setdefault(node.span, path)
        for part in node.fields:
            stack.extend(_nodes_at(part.value, f"{path}.{part.name}"))
    return paths
