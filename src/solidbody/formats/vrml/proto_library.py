"""Interface between PROTO expansion and the format that knows the node types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from solidbody.formats.vrml.proto import ProtoDefinition
from solidbody.formats.vrml.syntax import NodeSyntax, Scope, ValueSyntax, shown_path


class Holder(NamedTuple):
    """Where a node stands: its parent's type and the field; empty at the top of a file."""

    type_name: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Trail:
    """The nodes from the top down to one, for messages."""

    outer: Trail | None
    label: str

    @property
    def path(self) -> str:
        """How messages name the node; made only when there is something to say."""
        labels: list[str] = []
        trail: Trail | None = self
        while trail is not None:
            labels.append(trail.label)
            trail = trail.outer
        return shown_path(labels[::-1])


class ProtoLibrary(Protocol):
    """Answers what expansion has to ask about node types."""

    def is_built_in(self, type_name: str) -> bool:
        """Whether the node type is part of the language."""
        ...

    def derives(self, type_name: str, base: str) -> bool:
        """Whether a built-in node type is `base` or derived from it."""
        ...

    def is_shareable(self, type_name: str) -> bool:
        """Whether one node of the type may stand in several places."""
        ...

    def field_type(self, type_name: str, field_name: str) -> str | None:
        """Return the type of a built-in node's field, or None if it has no such field."""
        ...

    def definition(self, node: NodeSyntax, home: ProtoDefinition | None) -> ProtoDefinition | None:
        """Return the PROTO of an instance that is written in the body of `home` (None = the world)."""
        ...

    def instance(
        self, node: NodeSyntax, definition: ProtoDefinition, scope: Scope | None
    ) -> NodeSyntax:
        """Return an instance in the body of `scope` (None = the world) as it is expanded."""
        ...

    def argument(
        self, definition: ProtoDefinition, name: str, value: ValueSyntax, scope: Scope | None
    ) -> ValueSyntax:
        """Return what an instance in the body of `scope` (None = the world) gives to a parameter."""
        ...

    def is_complete(self, definition: ProtoDefinition) -> bool:
        """Whether a PROTO has all the parameters that instances may give it."""
        ...

    def replacement(
        self, node: NodeSyntax, home: ProtoDefinition | None, holder: Holder, trail: Trail
    ) -> NodeSyntax | None:
        """Return what stands in for an instance without a PROTO, after a message; None = nothing."""
        ...

    def number(self, node: NodeSyntax, definition: ProtoDefinition, scope: Scope | None) -> int:
        """Return the id that the template of an instance is told, the same each time; 0 = it asks not."""
        ...

    def body(
        self,
        definition: ProtoDefinition,
        values: Mapping[str, ValueSyntax],
        scope: Scope,
        trail: Trail,
    ) -> NodeSyntax | None:
        """Return the body for given values of all parameters of `scope`, or None after a message."""
        ...

    def finished(
        self, root: NodeSyntax, definition: ProtoDefinition, instance: NodeSyntax, trail: Trail
    ) -> NodeSyntax:
        """Return an expanded instance after a last change (the `hidden` values of the instance)."""
        ...
