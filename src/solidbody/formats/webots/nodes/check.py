"""Applies the node table to a syntax tree: typed nodes, and diagnostics about what does not fit.

The tree is walked in the order of the file with an explicit stack, so that USE finds the closest
preceding DEF and depth costs no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.syntax import (
    FieldSyntax,
    FileSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    Scope,
    UseSyntax,
    ValueSyntax,
    names_of,
)
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.nodes.values import (
    expected_text,
    read_value,
    shown_value,
    usable_value,
)
from solidbody.formats.webots.releases.release import Release, parse_release

_Name = tuple[Scope | None, str]
"""A DEF name with its scope: each expansion of a PROTO has names of its own."""


@dataclass(slots=True)
class _Slot:
    """A place in a parent's field (or at the top) that a node is to fill."""

    written: ItemSyntax
    parent: TypedNode | None
    row: Field | None
    target: list[TypedNode | None]
    index: int


@dataclass(slots=True)
class Checker:
    """Applies the table to top nodes, in the order of the file."""

    log: DiagnosticLog
    release: Release
    named: dict[_Name, TypedNode | None] = field(default_factory=dict[_Name, TypedNode | None])
    stack: list[_Slot] = field(default_factory=list[_Slot])

    def top(self, node: NodeSyntax) -> TypedNode | None:
        """Return a top node with typed values; None if it is left out. What does not fit is reported."""
        found: list[TypedNode | None] = [None]
        self.stack.append(_Slot(node, None, None, found, 0))
        while self.stack:
            _fill(self, self.stack.pop())
        return found[0]

    def name(self, written: NodeSyntax, node: TypedNode | None) -> None:
        """Remember the node that a DEF name means from here on; None = one that was left out."""
        if not written.def_name:
            return
        scope = written.scope
        self.named[names_of(scope), written.def_name] = node
        if scope is not None and scope.default_of is not None:  # the body may use it as well
            self.named[scope.default_of, written.def_name] = node


def check_file(tree: FileSyntax, release: Release, log: DiagnosticLog) -> list[TypedNode]:
    """Return the top nodes of a file with typed values; everything that does not fit is reported."""
    checker = Checker(log, release)
    tops = (checker.top(node) for node in tree.nodes)
    return [node for node in tops if node is not None]


def _fill(checker: Checker, slot: _Slot) -> None:
    """Resolve one slot; the slots of a new node's own fields go on the stack."""
    match slot.written:
        case NodeSyntax():
            slot.target[slot.index] = _new_node(checker, slot.written, slot.parent, slot.row)
        case UseSyntax():
            slot.target[slot.index] = _used_node(checker, slot.written, slot.parent, slot.row)
        case NullSyntax():
            pass
        case _:
            assert slot.row is not None
            _report(
                checker.log,
                slot.parent,
                slot.row.name,
                "bad-value",
                f"expected {expected_text(slot.row)}, got {shown_value(slot.written)}.",
                slot.written.span,
            )


def _new_node(
    checker: Checker, written: NodeSyntax, parent: TypedNode | None, row: Field | None
) -> TypedNode | None:
    node_row = NODES.find(written.type_name)
    if node_row is None:
        _unknown_node(checker, written, parent, row)
        _forget_names(checker, written)
        return None
    node = TypedNode(node_row, written, parent)
    if row is not None and not _is_allowed(checker, node, parent, row, written.type_span):
        _forget_names(checker, written)
        return None
    checker.name(written, node)
    if node_row.unsupported:
        node.warn(
            checker.log,
            "unsupported-node",
            f"{node_row.name} is not supported yet: {node_row.unsupported}.",
        )
    _warn_of_repeated(checker, node)
    slots: list[_Slot] = []
    for item in written.fields:
        _read_field(checker, node, item, slots)
    slots.reverse()
    checker.stack.extend(slots)
    return node


def _warn_of_repeated(checker: Checker, node: TypedNode) -> None:
    fields = node.syntax.fields
    if len({item.name for item in fields}) == len(fields):
        return
    known = NODES.fields(node.type)
    seen: set[str] = set()
    for item in fields:
        if item.name in seen and item.name in known:
            _report(
                checker.log,
                node,
                item.name,
                "repeated-field",
                "the field is written twice; the last value counts.",
                item.name_span,
                severity="warning",
            )
        seen.add(item.name)


def _used_node(
    checker: Checker, written: UseSyntax, parent: TypedNode | None, row: Field | None
) -> TypedNode | None:
    name = row.name if row else ""
    home = names_of(written.scope)
    key = (home, written.name)
    if key not in checker.named:
        known = [name for scope, name in checker.named if scope is home]
        _report(
            checker.log,
            parent,
            name,
            "undefined-use",
            f'no node before this place has the DEF name "{written.name}".'
            f"{did_you_mean(written.name, known)}",
            written.span,
        )
        return None
    node = checker.named[key]
    if node is None:  # inside something that was left out, which has been reported
        _report(
            checker.log,
            parent,
            name,
            "undefined-use",
            f'the node with the DEF name "{written.name}" was left out, so it cannot be used here.',
            written.span,
        )
        return None
    ancestor = parent
    while ancestor is not None:
        if ancestor is node:
            _report(
                checker.log,
                parent,
                name,
                "recursive-use",
                f'"{written.name}" is used inside itself.',
                written.span,
            )
            return None
        ancestor = ancestor.parent
    forbidden = _unusable_part(node)
    if forbidden is not None:
        inside = "" if forbidden is node else f", which lies in this {node.type}"
        _report(
            checker.log,
            parent,
            name,
            "illegal-use",
            f"USE is not allowed for {forbidden.type} nodes{inside}; the node is left out.",
            written.span,
        )
        return None
    if row is not None and not _is_allowed(checker, node, parent, row, written.span):
        return None
    _warn_of_driven(checker, node, parent, written)
    return node


_DRIVEN: Final = {
    "LED": ("Material", "PBRAppearance", "Light"),
    "Charger": ("Material", "PBRAppearance", "Light"),
    "Track": ("TextureTransform",),
}
"""Solids that change nodes below them while a simulation runs, and the types of those nodes."""


def _warn_of_driven(
    checker: Checker, node: TypedNode, parent: TypedNode | None, written: UseSyntax
) -> None:
    """Warn if a node that a solid changes stands in several places: Webots forbids it."""
    for holder in (node.parent, parent):
        while holder is not None and not holder.is_a("Solid"):
            holder = holder.parent
        if holder is None or holder.type not in _DRIVEN:
            continue
        if holder.type == "Track" and not any(holder.vec2("textureAnimation")):
            continue
        kinds = _DRIVEN[holder.type]
        driven = next((part for part in _parts(node) if any(map(part.is_a, kinds))), None)
        if driven is not None:
            text = (
                f"the {holder.type} changes this {driven.type}, so USE is not allowed for it; it "
                "changes wherever it is used."
            )
            checker.log.warning("driven-use", written.span, text, node=holder.path)
            return


def _unusable_part(node: TypedNode) -> TypedNode | None:
    """Return the node itself or one below it to which USE may not refer, or None."""
    return next((part for part in _parts(node) if not part.row.can_be_used), None)


def _parts(node: TypedNode) -> Iterator[TypedNode]:
    """Yield a node and all below it, each once."""
    seen = {node}
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        for nodes in part.nodes.values():
            for inner in nodes:
                if inner is not None and inner not in seen:
                    seen.add(inner)
                    stack.append(inner)


def _read_field(
    checker: Checker, node: TypedNode, written: FieldSyntax, slots: list[_Slot]
) -> None:
    """Read one field; the slots of its nodes go to `slots`."""
    log = checker.log
    fields = NODES.fields(node.type)
    row = fields.get(written.name)
    if row is None or (row.until and _is_gone(row, _release_of(node, checker))):
        _report_unknown(log, node, written, row)
        _forget_names(checker, written.value)
        return
    if row.deprecated:
        node.warn(
            log, "deprecated-field", f"deprecated; use {row.deprecated} instead.", field=row.name
        )
    if row.type.item == "node":
        _add_slots(checker, node, row, written.value, slots)
        is_default = not node.nodes.get(row.name)
    else:

        def report(severity: str, code: str, text: str, span: SourceSpan) -> None:
            _report(log, node, row.name, code, text, span, severity=severity)

        value = read_value(row, written.value, report)
        if value is not None:
            value = usable_value(row, value, written.value, report)
        if value is None:
            return
        node.values[row.name] = value
        is_default = not row.unsupported or value == row.default
    if row.unsupported and not is_default:
        node.warn(
            log, "unsupported-field", f"not supported yet: {row.unsupported}.", field=row.name
        )


def _report_unknown(
    log: DiagnosticLog, node: TypedNode, written: FieldSyntax, row: Field | None
) -> None:
    """Report a field that the node type does not have, or no longer has."""
    if not node.row.has_all_fields:
        return
    gone = f" (it had one up to {row.until})" if row is not None else ""
    known = [name for name in NODES.fields(node.type) if name != written.name]
    guess = "" if gone else did_you_mean(written.name, known)
    text = f'{node.type} has no field "{written.name}"{gone}.{guess}'
    _report(log, node, written.name, "unknown-field", text, written.name_span)


def _release_of(node: TypedNode, checker: Checker) -> Release:
    """Return the release that the file of a node was written for: the world, or a PROTO."""
    origins = node.syntax.origins
    scope = origins[-1] if origins else node.syntax.scope
    return (parse_release(scope.header) if scope else None) or checker.release


def _is_gone(row: Field, release: Release) -> bool:
    """Whether the field no longer exists in the release that the file was written for."""
    last = parse_release(row.until) if row.until else None
    return last is not None and release > last


def _add_slots(
    checker: Checker, node: TypedNode, row: Field, value: ValueSyntax, slots: list[_Slot]
) -> None:
    if isinstance(value, ListSyntax) and not row.type.is_list:
        _report(
            checker.log,
            node,
            row.name,
            "bad-value",
            f"expected {expected_text(row)}, got a list.",
            value.span,
        )
        _forget_names(checker, value)
        return
    items = value.items if isinstance(value, ListSyntax) else (value,)
    items = [item for item in items if not isinstance(item, NullSyntax)]
    target: list[TypedNode | None] = [None] * len(items)
    node.nodes[row.name] = target
    for index, item in enumerate(items):
        slots.append(_Slot(item, node, row, target, index))


def _is_allowed(
    checker: Checker,
    node: TypedNode,
    parent: TypedNode | None,
    row: Field,
    span: SourceSpan,
) -> bool:
    if not row.nodes or any(node.is_a(base) for base in row.nodes):
        return True
    _report(
        checker.log,
        parent,
        row.name,
        "wrong-node",
        f"a {node.type} node is not allowed here (allowed: {_node_words(row.nodes)}); "
        "it is left out.",
        span,
    )
    return False


def _node_words(bases: tuple[str, ...]) -> str:
    """Return node types in words; an abstract one stands for those derived from it."""
    names: list[str] = []
    for base in bases:
        if NODES[base].is_abstract:
            names.extend(name for name in NODES.names() if NODES.derives(name, base))
        else:
            names.append(base)
    return ", ".join(names)


def _unknown_node(
    checker: Checker, written: NodeSyntax, parent: TypedNode | None, row: Field | None
) -> None:
    text = (
        f'unknown node type "{written.type_name}".'
        f"{did_you_mean(written.type_name, NODES.names())} It is left out. "
        'A PROTO would have to be declared with EXTERNPROTO "url".'
    )
    _report(checker.log, parent, row.name if row else "", "unknown-node", text, written.type_span)


def _forget_names(checker: Checker, value: ValueSyntax) -> None:
    """Remember the DEF names inside something that is left out, so that USE can say why."""
    stack: list[ValueSyntax] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, ListSyntax):
            stack.extend(item.items)
        elif isinstance(item, NodeSyntax):
            checker.name(item, None)
            stack.extend(part.value for part in item.fields)


def _report(
    log: DiagnosticLog,
    node: TypedNode | None,
    field_name: str,
    code: str,
    text: str,
    span: SourceSpan,
    *,
    severity: str = "error",
) -> None:
    record = log.error if severity == "error" else log.warning
    record(code, span, text, node=node.path if node else "", field=field_name)
