"""Expands PROTO instances in the syntax tree.

An instance becomes a copy of the PROTO's body in which each `IS` has been replaced by the value that
the instance gives, or by the default. The copy has a DEF scope of its own; values keep the scope of
the place where they were written. Every node keeps its place in its own file and knows from which
instance it came (`NodeSyntax.scope`, `NodeSyntax.origins`).

What a PROTO is and where it comes from is left to a `ProtoLibrary`; nothing here knows robots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.limits import (
    MAX_HEIGHT,
    MAX_PROTO_DEPTH,
    BudgetError,
    Cost,
    LoadBudget,
    load_budget,
)
from solidbody.base.span import SourceSpan
from solidbody.formats.vrml.field_types import fits, holds_nodes, items_of, words_for
from solidbody.formats.vrml.proto import ProtoDefinition
from solidbody.formats.vrml.proto_library import Holder, ProtoLibrary, Trail
from solidbody.formats.vrml.restrictions import is_allowed_value, shown_allowed
from solidbody.formats.vrml.stepping import Steps, run_steps
from solidbody.formats.vrml.syntax import (
    PROTO_MARK,
    BoolSyntax,
    BoundParameter,
    FieldSyntax,
    FileSyntax,
    IsSyntax,
    ItemSyntax,
    ListSyntax,
    NodeSyntax,
    NullSyntax,
    NumbersSyntax,
    ParameterSyntax,
    Scope,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
    WordSyntax,
)

_PLAIN: Final = (NumbersSyntax, StringSyntax, BoolSyntax)
_NODES: Final = (NodeSyntax, UseSyntax)


@dataclass(frozen=True, slots=True)
class ExpandedFile:
    """A file without PROTO instances, what became of each top node (None = nothing is left), their number."""

    tree: FileSyntax
    tops: tuple[NodeSyntax | None, ...]
    instances: int


class _Result(NamedTuple):
    """A value after expansion; None if nothing is left of it."""

    value: ValueSyntax | None
    nodes: int = 0
    height: int = 0


class _Bound(NamedTuple):
    parameter: ParameterSyntax
    result: _Result


@dataclass(frozen=True, slots=True)
class _Place:
    """Around what is being expanded: whose body, with which values, and how to name it.

    `instance` is set for defaults: the place of the instance, where nodes put into them later belong.
    """

    scope: Scope | None
    home: ProtoDefinition | None
    bound: Mapping[str, _Bound]
    active: tuple[ProtoDefinition, ...]
    linked: set[str] = field(default_factory=set[str])
    instance: _Place | None = None


class _TooMuchError(Exception):
    def __init__(self, text: str, *, is_final: bool = False) -> None:
        self.text = text
        self.is_final = is_final


def expand_file(tree: FileSyntax, library: ProtoLibrary, log: DiagnosticLog) -> ExpandedFile:
    """Return a world with all PROTO instances expanded; what cannot be is reported and left out."""
    expander = Expander(library, log)
    tops = tuple(expander.top(node) for node in tree.nodes)
    nodes = tuple(node for node in tops if node is not None)
    return ExpandedFile(replace(tree, nodes=nodes), tops, expander.instances)


@dataclass(slots=True)
class Expander:
    """Expands nodes of one file, one after the other."""

    library: ProtoLibrary
    log: DiagnosticLog
    instances: int = 0
    budget: LoadBudget = field(default_factory=load_budget)
    is_exhausted: bool = False
    bad_links: set[SourceSpan] = field(default_factory=set[SourceSpan])
    spent: int = 0
    """Nodes that came out so far, as the budget of a load counts them."""

    def top(self, node: NodeSyntax) -> NodeSyntax | None:
        """Return what becomes of a node at the top of a file; itself, if no instance is in it."""
        if self.is_plain(node):
            return node
        result = run_steps(self.expand_node(node, _Place(None, None, {}, ()), None, Holder()))
        return result.value if isinstance(result.value, NodeSyntax) else None

    def is_plain(self, node: NodeSyntax) -> bool:
        """Whether a node and all below it are built-in, so that nothing changes."""
        stack: list[ValueSyntax] = [node]
        while stack:
            item = stack.pop()
            if isinstance(item, NodeSyntax):
                if not self.library.is_built_in(item.type_name):
                    return False
                stack.extend(part.value for part in item.fields)
            elif isinstance(item, ListSyntax):
                stack.extend(item.items)
        return True

    # nodes

    def expand_node(
        self, node: NodeSyntax, place: _Place, outer: Trail | None, holder: Holder
    ) -> Steps[_Result]:
        """Expand a node: a built-in one field by field, an instance to its body."""
        if place.instance is not None and place.home and node.span.file != place.home.file:
            place = place.instance
        if place.home is None:
            return self._expanded_in_world(node, place, outer, holder)
        if self.library.is_built_in(node.type_name):  # most are: one step less for each
            return self._built_in(node, place, Trail(outer, node.label))
        return self._expanded(node, place, outer, holder)

    def _expanded_in_world(
        self, node: NodeSyntax, place: _Place, outer: Trail | None, holder: Holder
    ) -> Steps[_Result]:
        try:  # what is too much in a world is left out there, and the rest is read
            return (yield self._expanded(node, place, outer, holder))
        except _TooMuchError as error:
            if not self.is_exhausted:
                is_own = self.library.is_built_in(node.type_name)
                trail = Trail(outer, node.label + ("" if is_own else PROTO_MARK))
                self._error("too-much", node.type_span, error.text, trail)
            self.is_exhausted = self.is_exhausted or error.is_final
            return _Result(None)

    def _expanded(
        self, node: NodeSyntax, place: _Place, outer: Trail | None, holder: Holder
    ) -> Steps[_Result]:
        if self.library.is_built_in(node.type_name):
            return (yield self._built_in(node, place, Trail(outer, node.label)))
        trail = Trail(outer, node.label + PROTO_MARK)
        definition = self.library.definition(node, place.home)
        if definition is None:
            stand_in = self.library.replacement(node, place.home, holder, trail)
            if stand_in is None:
                return _Result(None)
            if self.library.is_built_in(stand_in.type_name):
                return (yield self._built_in(stand_in, place, trail))
            return _Result(replace(stand_in, scope=place.scope), 1, 1)
        if place.home is None and self.is_exhausted:
            return _Result(None)
        return (yield self._instance(node, definition, place, trail, holder))

    def _built_in(self, node: NodeSyntax, place: _Place, trail: Trail) -> Steps[_Result]:
        parts: list[FieldSyntax] = []
        count, height = 1, 0
        for part in (
            self._without_values_of_links(node, place.home, trail) if place.home else node.fields
        ):
            value = part.value
            if isinstance(value, IsSyntax) and place.home is not None:
                wanted = self.library.field_type(node.type_name, part.name)
                result = self._linked(part, value, wanted, place, trail)
            elif isinstance(value, _NODES) or (
                isinstance(value, ListSyntax) and _may_change(value)
            ):
                holder = Holder(node.type_name, part.name)
                result = yield self._value(value, place, trail, holder)
            else:
                parts.append(part)
                continue
            if result.value is None:
                continue
            parts.append(_with_value(part, result.value))
            count += result.nodes
            height = max(height, result.height)
        if place.home is not None:
            self._spend(1)
        self._check_height(height + 1)
        # spelled out: `replace` takes three times as long, and this runs for every node
        whole = NodeSyntax(
            node.type_name,
            node.def_name,
            tuple(parts),
            node.span,
            node.type_at,
            place.scope,
            node.origins,
        )
        return _Result(whole, count, height + 1)

    def _without_values_of_links(
        self, node: NodeSyntax, home: ProtoDefinition, trail: Trail
    ) -> Sequence[FieldSyntax]:
        """Return the fields of a node in a body without values of those that are linked as well."""
        if not any(isinstance(part.value, IsSyntax) for part in node.fields):
            return node.fields
        linked = {
            part.name
            for part in node.fields
            if isinstance(part.value, IsSyntax) and part.value.name in home.parameters
        }
        kept: list[FieldSyntax] = []
        for part in node.fields:
            if part.name in linked and not isinstance(part.value, IsSyntax):
                text = "the field is written twice; the one with IS counts."
                self.log.warning(
                    "repeated-field", part.name_span, text, node=trail.path, field=part.name
                )
            else:
                kept.append(part)
        return kept

    def _value(
        self, value: ValueSyntax, place: _Place, trail: Trail | None, holder: Holder
    ) -> Steps[_Result]:
        """Expand a value that is not IS."""
        match value:
            case NodeSyntax():
                result = yield self.expand_node(value, place, trail, holder)
                return result if result.value else _Result(NullSyntax(value.span))
            case UseSyntax():
                return _Result(replace(value, scope=place.scope))
            case ListSyntax():
                return (yield self._list(value, place, trail, holder))
            case _:
                return _Result(value)

    def _list(
        self, value: ListSyntax, place: _Place, trail: Trail | None, holder: Holder
    ) -> Steps[_Result]:
        items: list[ItemSyntax] = []
        count, height = 0, 0
        for item in value.items:
            if isinstance(item, NodeSyntax):
                result = yield self.expand_node(item, place, trail, holder)
                if isinstance(result.value, NodeSyntax):
                    items.append(result.value)
                    count += result.nodes
                    height = max(height, result.height)
            elif isinstance(item, UseSyntax):
                items.append(replace(item, scope=place.scope))
            elif isinstance(item, IsSyntax):
                text = "IS stands in place of a whole value, not in a list."
                self._bad_link(item, text, trail, holder.field)
            else:
                items.append(item)
        return _Result(ListSyntax(tuple(items), value.span), count, height)

    # instances

    def _instance(
        self,
        node: NodeSyntax,
        definition: ProtoDefinition,
        place: _Place,
        trail: Trail,
        holder: Holder,
    ) -> Steps[_Result]:
        if not self._may_nest(node, definition, place, trail):
            return _Result(None)
        self._spend(1)  # an instance costs as much as a node, also where its body adds none
        node = self.library.instance(node, definition, place.scope)
        name, file, header = definition.name, definition.file, definition.header
        scope = Scope(
            name,
            file,
            header,
            node,
            place.scope,
            regenerators=definition.regenerators,
            number=self.library.number(node, definition, place.scope),
        )
        active = (*place.active, definition)
        own = _Place(replace(scope, default_of=scope), definition, {}, active, instance=place)
        bound = yield self._given(node, definition, place, own, trail)
        for parameter in definition.parameters.values():
            if parameter.name not in bound and parameter.default is not None:
                default = parameter.default
                result = _Result(default)
                if holds_nodes(parameter.type_name):
                    holder_of = Holder("", parameter.name)
                    result = yield self._value(default, own, trail, holder_of)
                bound[parameter.name] = _Bound(parameter, result)
        values = {
            name: item.result.value for name, item in bound.items() if item.result.value is not None
        }
        for name, parameter in definition.parameters.items():
            if name in values:
                scope.parameters[name] = BoundParameter(
                    parameter.type_name, values[name], parameter.default
                )
        body = self.library.body(definition, values, scope, trail)
        if body is None:
            return _Result(None)
        self._check_homonyms(body, definition, trail)
        inner = _Place(scope, definition, bound, active)
        if self.library.is_built_in(body.type_name):
            result = yield self._built_in(body, inner, trail)
        else:
            result = yield self.expand_node(body, inner, trail, holder)
        root = result.value
        if not isinstance(root, NodeSyntax):
            return _Result(None)
        root = NodeSyntax(
            root.type_name,
            node.def_name or root.def_name,
            root.fields,
            root.span,
            root.type_at,
            place.scope,
            (scope, *root.origins),
        )
        self.instances += 1
        root = self.library.finished(root, definition, node, trail)
        return _Result(root, result.nodes, result.height)

    def _given(
        self,
        node: NodeSyntax,
        definition: ProtoDefinition,
        place: _Place,
        own: _Place,
        trail: Trail,
    ) -> Steps[dict[str, _Bound]]:
        """Read the fields of an instance: the values that it gives to parameters; `own` = of defaults."""
        bound: dict[str, _Bound] = {}
        for part in node.fields:
            if part.is_hidden:
                continue
            parameter = definition.parameters.get(part.name)
            if parameter is None:
                self._report_unknown(part, definition, trail)
                continue
            if part.name in bound:
                text = "the parameter is written twice; the first value counts."
                self.log.warning(
                    "repeated-field", part.name_span, text, node=trail.path, field=part.name
                )
                continue
            if parameter.keyword == "deprecatedField":
                text = f'the field is deprecated in PROTO "{definition.name}".'
                self.log.warning(
                    "deprecated-field", part.name_span, text, node=trail.path, field=part.name
                )
            origin = own if part.is_default else place
            result = yield self._argument(part, parameter, origin, trail)
            if result.value is not None:
                value = self.library.argument(definition, part.name, result.value, place.scope)
                bound[part.name] = _Bound(parameter, result._replace(value=value))
        return bound

    def _report_unknown(self, part: FieldSyntax, definition: ProtoDefinition, trail: Trail) -> None:
        """Report a value for a parameter that a PROTO does not have; a stand-in may lack some."""
        guess = did_you_mean(part.name, definition.parameters)
        if self.library.is_complete(definition):
            text = f'PROTO "{definition.name}" has no field "{part.name}".{guess}'
            self._error("unknown-field", part.name_span, text, trail, part.name)
            return
        text = f'the PROTO used for "{definition.name}" has no field "{part.name}"; it is ignored.{guess}'
        self.log.warning("unknown-field", part.name_span, text, node=trail.path, field=part.name)

    def _argument(
        self, part: FieldSyntax, parameter: ParameterSyntax, place: _Place, trail: Trail
    ) -> Steps[_Result]:
        if isinstance(part.value, IsSyntax):
            return self._linked(part, part.value, parameter.type_name, place, trail)
        if not fits(parameter.type_name, part.value):
            text = f"expected {words_for(parameter.type_name)}; the default is used."
            self._error("bad-value", part.value.span, text, trail, part.name)
            return _Result(None)
        result = yield self._value(part.value, place, trail, Holder("", part.name))
        if not parameter.allowed or result.value is None:
            return result
        return self._restricted(result, parameter, part.value.span, trail)

    def _restricted(
        self, result: _Result, parameter: ParameterSyntax, span: SourceSpan, trail: Trail
    ) -> _Result:
        """Keep a value, or those nodes of it, that the parameter's list of allowed ones has."""
        assert result.value is not None
        allowed = shown_allowed(parameter)
        if not holds_nodes(parameter.type_name):
            if is_allowed_value(parameter, result.value):
                return result
            text = f"must be one of {allowed}; the default is used."
            self._error("bad-value", span, text, trail, parameter.name)
            return _Result(None)
        kept: list[ItemSyntax] = []
        for item in items_of(result.value):
            if isinstance(item, NodeSyntax) and not self._is_allowed_node(item, parameter):
                text = f"a {item.type_name} node is not allowed here (allowed: {allowed}); it is left out."
                self._error("wrong-node", item.type_span, text, trail, parameter.name)
            else:
                kept.append(item)
        if isinstance(result.value, ListSyntax):
            return result._replace(value=replace(result.value, items=tuple(kept)))
        return result._replace(value=kept[0] if kept else NullSyntax(span))

    def _is_allowed_node(self, node: NodeSyntax, parameter: ParameterSyntax) -> bool:
        """Whether a list has the type or the PROTO of a node; `+` (R2025a) lets in what is derived."""
        protos = [scope.proto for scope in node.origins]
        words = [item.text for item in parameter.allowed if isinstance(item, WordSyntax)]
        bases = [word.rstrip("+") for word in words if word.endswith("+")]
        return any(word.rstrip("+") in (node.type_name, *protos[:1]) for word in words) or any(
            base in protos or self.library.derives(node.type_name, base) for base in bases
        )

    def _linked(
        self, part: FieldSyntax, link: IsSyntax, wanted: str | None, place: _Place, trail: Trail
    ) -> _Result:
        """Return the value behind `IS`."""
        home = place.home
        if home is None:
            text = "IS has a meaning only in the body of a PROTO."
            self._bad_link(link, text, trail, part.name)
            return _Result(None)
        parameter = home.parameters.get(link.name)
        if parameter is None:
            guess = did_you_mean(link.name, home.parameters)
            text = (
                f'PROTO "{home.name}" has no parameter "{link.name}"; the default is used.{guess}'
            )
            self._bad_link(link, text, trail, part.name, is_harmless=True)  # Webots says nothing
            return _Result(None)
        if wanted is not None and wanted != parameter.type_name:
            text = (
                f'the field is {wanted} but the parameter "{link.name}" is {parameter.type_name}; '
                "IS needs the same type on both sides. The default is used."
            )
            self._bad_link(link, text, trail, part.name)
            return _Result(None)
        bound = place.bound.get(link.name)
        if bound is None:
            return _Result(None)
        self._spend(bound.result.nodes)
        if bound.result.nodes and link.name in place.linked:
            self._check_sharing(link, bound.result, trail, part.name)
        place.linked.add(link.name)
        return bound.result

    def _check_sharing(
        self, link: IsSyntax, result: _Result, trail: Trail, field_name: str
    ) -> None:
        """Warn of nodes that come out twice although they cannot stay equal once they move."""
        stack: list[ValueSyntax] = [] if result.value is None else [result.value]
        while stack:
            item = stack.pop()
            if isinstance(item, ListSyntax):
                stack.extend(item.items)
            elif isinstance(item, NodeSyntax):
                if not self.library.is_shareable(item.type_name):
                    text = (
                        f'the parameter "{link.name}" holds a {item.type_name} and is linked more than '
                        "once: each place gets its own copy, and they do not stay equal."
                    )
                    self.log.warning(
                        "shared-node", link.span, text, node=trail.path, field=field_name
                    )
                    return
                stack.extend(part.value for part in item.fields)

    def _check_homonyms(self, body: NodeSyntax, definition: ProtoDefinition, trail: Trail) -> None:
        """A parameter with the name of one of the base PROTO's may only be linked to that one."""
        if self.library.is_built_in(body.type_name):
            return
        base = self.library.definition(body, definition)
        if base is None:
            return
        shared = base.parameters.keys() & definition.parameters.keys()
        stack: list[ValueSyntax | FieldSyntax] = [body] if shared else []
        while stack:
            item = stack.pop()
            match item:
                case FieldSyntax(value=IsSyntax() as link):
                    if link.name != item.name and link.name in shared:
                        text = (
                            f'"{link.name}" is also a parameter of the base PROTO "{base.name}"; '
                            f'it may be linked to "{link.name}" only.'
                        )
                        self._bad_link(link, text, trail, item.name)
                case FieldSyntax():
                    stack.append(item.value)
                case NodeSyntax():
                    stack.extend(item.fields)
                case ListSyntax():
                    stack.extend(item.items)
                case _:
                    pass

    def _bad_link(
        self,
        link: IsSyntax,
        text: str,
        trail: Trail | None,
        field_name: str,
        *,
        is_harmless: bool = False,
    ) -> None:
        if link.span not in self.bad_links:  # once for each place, not for each instance
            self.bad_links.add(link.span)
            record = self.log.warning if is_harmless else self.log.error
            path = trail.path if trail else ""
            record("bad-link", link.span, text, node=path, field=field_name)

    # limits

    def _may_nest(
        self, node: NodeSyntax, definition: ProtoDefinition, place: _Place, trail: Trail
    ) -> bool:
        if definition in place.active:
            names = [item.name for item in place.active[place.active.index(definition) :]]
            chain = " > ".join([*names, definition.name])
            text = f"a PROTO cannot contain itself: {chain}. The node is left out."
            self._error("recursive-proto", node.type_span, text, trail)
            return False
        if len(place.active) >= MAX_PROTO_DEPTH:
            raise _TooMuchError(
                f"more than {MAX_PROTO_DEPTH} PROTOs lie inside each other "
                f'(the last one is "{definition.name}"); the instance is left out.'
            )
        return True

    def _spend(self, nodes: int) -> None:
        self.spent += nodes
        try:
            self.budget.spend(Cost.PROTO_NODES, nodes)
        except BudgetError as error:
            text = f"{error}; this one and all later ones are left out."
            raise _TooMuchError(text, is_final=True) from error

    def _check_height(self, height: int) -> None:
        if height > MAX_HEIGHT:
            raise _TooMuchError(
                f"the expanded tree has more than {MAX_HEIGHT} levels; the instance is left out."
            )

    def _error(
        self, code: str, span: SourceSpan, text: str, trail: Trail | None, field_name: str = ""
    ) -> None:
        self.log.error(code, span, text, node=trail.path if trail else "", field=field_name)


def _may_change(value: ListSyntax) -> bool:
    """Whether a list has more than numbers, texts and truth values."""
    return not all(isinstance(item, _PLAIN) for item in value.items)


def _with_value(part: FieldSyntax, value: ValueSyntax) -> FieldSyntax:
    """Return a field with another value, and with the place of that value if it came through IS."""
    is_linked = part.is_linked or isinstance(part.value, IsSyntax)
    return FieldSyntax(part.name, value, part.name_span, part.is_hidden, is_linked, part.is_default)
