"""Chooses where the state of something inside a PROTO instance is saved: parameter or hidden value.

A value of the instance's root solid goes to the parameter of that name, if the PROTO has one. All
others become `hidden` values, with the index of the solid in the instance (0 = root, counted down in
the order of the file) and for joints the index among the joints of that solid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.proto import read_proto
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax, Scope
from solidbody.formats.webots.nodes.typed import TypedNode

_MAX_PROTO_BYTES: Final = 50_000_000
_WALKED: Final = ("children", "endPoint")


class InstanceFields:
    """Finds the instance and the field name for a value of a node that came from a PROTO."""

    def __init__(self, tree: FileSyntax) -> None:
        self._inline = {
            proto.name: frozenset(item.name for item in proto.parameters) for proto in tree.protos
        }
        self._parameters: dict[tuple[str, str], frozenset[str]] = {}
        self._solids: dict[int, dict[int, int]] = {}
        self._joints: dict[int, dict[int, tuple[int, int]]] = {}

    def of_solid(self, solid: TypedNode, name: str) -> tuple[NodeSyntax, str, bool]:
        """Return where a field of a solid is written: the node, the field, whether it is hidden."""
        syntax = solid.syntax
        if syntax.scope is None and not syntax.origins:
            return syntax, name, False
        root, instance = _instance_of(solid)
        if solid is root and name in self._exposed(root.syntax.origins[0]):
            return instance, name, False
        self._count(root)
        return instance, f"{name}_{self._solids[id(root)][id(solid)]}", True

    def of_joint(
        self, joint: TypedNode, parameters: TypedNode | None, name: str
    ) -> tuple[NodeSyntax, str, bool]:
        """Return where a joint position is written; `name` is position, position2 or position3."""
        holder = parameters if parameters is not None else joint
        if holder.syntax.scope is None:
            return holder.syntax, "position" if parameters is not None else name, False
        root, instance = _instance_of(joint)
        self._count(root)
        solid, index = self._joints[id(root)][id(joint)]
        return instance, f"{name}_{solid}_{index}", True

    def _exposed(self, scope: Scope) -> frozenset[str]:
        """Return the names of a PROTO's parameters."""
        if scope.proto in self._inline:
            return self._inline[scope.proto]
        key = (scope.file, scope.proto)
        if key not in self._parameters:
            log = DiagnosticLog()
            text = read_text(scope.file, log, max_bytes=_MAX_PROTO_BYTES)
            found = (
                None
                if text is None
                else read_proto(text, scope.file, scope.proto, log, otherwise=scope.header)
            )
            self._parameters[key] = frozenset(found.parameters if found else ())
        return self._parameters[key]

    def _count(self, root: TypedNode) -> None:
        """Give the solids and joints of an instance their indices."""
        if id(root) in self._solids:
            return
        solids: dict[int, int] = {}
        joints: dict[int, tuple[int, int]] = {}
        used: dict[int, int] = {}
        for node, above in _walk(root):
            if node.is_a("Solid"):
                solids[id(node)] = len(solids)
            elif node.is_a("Joint"):
                solid = solids.get(id(above), -1)
                joints[id(node)] = (solid, used.get(solid, 0))
                used[solid] = used.get(solid, 0) + 1
        self._solids[id(root)] = solids
        self._joints[id(root)] = joints


def _instance_of(node: TypedNode) -> tuple[TypedNode, NodeSyntax]:
    """Return the root of the outermost instance that a node came from, and the instance itself."""
    scope = node.syntax.scope
    while scope is not None and scope.outer is not None:
        scope = scope.outer
    if scope is not None and scope.default_of is not None:
        scope = scope.default_of
    above: TypedNode | None = node
    while above is not None:
        origins = above.syntax.origins
        if origins and origins[0].outer is None and (scope is None or origins[0] is scope):
            return above, origins[0].instance
        above = above.parent
    raise LookupError(f"{node.path} has a scope but stands in no instance")


def _walk(root: TypedNode) -> Iterator[tuple[TypedNode, TypedNode | None]]:
    """Yield the nodes of an instance in the order of the file, each with the solid above it."""
    stack: list[tuple[TypedNode, TypedNode | None]] = [(root, None)]
    while stack:
        node, above = stack.pop()
        yield node, above
        below = node if node.is_a("Solid") else above
        inner = [item for name in node.nodes if name in _WALKED for item in node.children(name)]
        stack.extend((item, below) for item in reversed(inner))
