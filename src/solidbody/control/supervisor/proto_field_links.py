"""Finds the parameter in the file behind a field inside a PROTO instance (`IS`)."""

from __future__ import annotations

from solidbody.control.supervisor.tree import BASE, OWN, NodeField, Tree, is_visible, proto_at
from solidbody.formats.vrml.syntax import IsSyntax, Scope
from solidbody.formats.webots.edit.paths import value_of
from solidbody.formats.webots.nodes.typed import TypedNode


def actual_place(tree: Tree, number: int, level: int, name: str) -> NodeField | None:
    """Return the field that decides the value of a field; None if a PROTO alone does."""
    node = tree.node(number)
    if is_visible(node) and (level == OWN or not node.syntax.origins):
        return tree.field(number, OWN, name)
    scope, parameter = _parameter_behind(node, level, name)
    while scope is not None and scope.outer is not None and parameter is not None:
        written = value_of(scope.instance, parameter)
        parameter = written.name if isinstance(written, IsSyntax) else None
        scope = scope.outer
    if scope is None or parameter is None:
        return None
    instance = _instance_of(node, scope)
    return None if instance is None else tree.field(tree.number(instance), OWN, parameter)


def _parameter_behind(node: TypedNode, level: int, name: str) -> tuple[Scope | None, str | None]:
    """Return the innermost PROTO whose parameter a field is, and which one."""
    syntax = node.syntax
    own = proto_at(node, level) if level != BASE else None
    if own is not None:
        return own, name
    scope = syntax.origins[-1] if syntax.origins else syntax.scope
    part = next((item for item in syntax.fields if item.name == name), None)
    if scope is None or part is None or not part.is_linked:
        return None, None
    # an expanded field knows the place of its value, not the name of the parameter
    same = [key for key, row in scope.parameters.items() if row.value.span == part.value.span]
    return scope, name if name in same else next(iter(same), None)


def _instance_of(node: TypedNode, scope: Scope) -> TypedNode | None:
    """Return the instance around (or at) a node that a PROTO was expanded for."""
    at: TypedNode | None = node
    while at is not None and scope not in at.syntax.origins:
        at = at.parent
    return at
