"""The syntax tree of a world or PROTO file: what is written, and where; nothing about its meaning.

Spans take no part in comparisons, so two texts that say the same give equal trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar, dataclass_transform

from solidbody.base.span import SourceSpan

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _syntax(cls: type[_T]) -> type[_T]:
    """Make a class of the tree: frozen for all who read it, checked by pyright and not at run time.

    A city has a million of them, and a frozen dataclass takes four times as long to be made.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


@_syntax
class NumbersSyntax:
    """One or more numbers in a row; what they stand for depends on the field's type."""

    values: tuple[float, ...]
    span: SourceSpan = field(compare=False)


@_syntax
class StringSyntax:
    """A quoted string, escapes undone."""

    value: str
    span: SourceSpan = field(compare=False)


@_syntax
class BoolSyntax:
    """TRUE or FALSE."""

    value: bool
    span: SourceSpan = field(compare=False)


@_syntax
class NullSyntax:
    """NULL: no node."""

    span: SourceSpan = field(compare=False)


@_syntax
class UseSyntax:
    """USE name: the closest preceding node with that DEF name in the same scope."""

    name: str
    span: SourceSpan = field(compare=False)
    scope: Scope | None = field(default=None, compare=False)


@_syntax
class IsSyntax:
    """IS name: the value of a PROTO parameter."""

    name: str
    span: SourceSpan = field(compare=False)


@_syntax
class WordSyntax:
    """A word where a value should be, kept so that the field's type can say what was expected."""

    text: str
    span: SourceSpan = field(compare=False)


@_syntax
class FieldSyntax:
    """A field of a node with its value.

    Places take more room than anything else in a tree, so that of the name is kept only where it does
    not follow from that of the value.

    Attributes:
        name: As written.
        value: As written.
        at: Place of the name; or the columns from its start to that of a value in the same line.
        is_hidden: Whether `hidden` stands before the name.
        is_linked: Whether the value came through `IS` from another place.
        is_default: Whether it is the default of a PROTO's parameter, spelled out at an instance: what it
            names is looked for where the PROTO was written.
    """

    name: str
    value: ValueSyntax
    at: SourceSpan | int = field(compare=False)
    is_hidden: bool = False
    is_linked: bool = field(default=False, compare=False)
    is_default: bool = field(default=False, compare=False)

    @property
    def name_span(self) -> SourceSpan:
        """The name alone."""
        if isinstance(self.at, SourceSpan):
            return self.at
        file, line, column, *_ = self.value.span
        return SourceSpan(file, line, column - self.at, line, column - self.at + len(self.name))

    def with_value(self, value: ValueSyntax) -> FieldSyntax:
        """Return the field with another value; its name stays where it is."""
        return FieldSyntax(
            self.name, value, self.name_span, self.is_hidden, self.is_linked, self.is_default
        )

    @property
    def span(self) -> SourceSpan:
        """The field from its name to the end of its value; a value from elsewhere, alone."""
        place = self.value.span
        if self.is_linked:
            return place
        name = self.name_span
        is_behind = name.file == place.file and name[1:3] <= place[1:3]
        return name.until(place) if is_behind else name


@_syntax
class NodeSyntax:
    """`DEF name Type { fields }`.

    Attributes:
        type_at: Place of the type name; None = the node starts with it.
        scope: The expansion whose body the node was written in; None = written in the file itself.
        origins: The expansions of which the node is the root, outermost first; empty for a node that
            was written as it stands. `origins[0].instance` is what the file says.
    """

    type_name: str
    def_name: str | None
    fields: tuple[FieldSyntax, ...]
    span: SourceSpan = field(compare=False)
    type_at: SourceSpan | None = field(compare=False)
    scope: Scope | None = field(default=None, compare=False)
    origins: tuple[Scope, ...] = field(default=(), compare=False)

    @property
    def type_span(self) -> SourceSpan:
        """The type name alone."""
        if self.type_at is not None:
            return self.type_at
        file, line, column, *_ = self.span
        return SourceSpan(file, line, column, line, column + len(self.type_name))

    @property
    def is_shown(self) -> bool:
        """Whether the world shows the node: written in its file, or the default of a parameter there."""
        return names_of(self.scope) is None

    @property
    def label(self) -> str:
        """How messages call the node: `DEF NAME Type`, or the type alone."""
        shown = self.type_name
        if self.origins:
            shown = f"{self.origins[0].instance.type_name}{PROTO_MARK}"
        return f"DEF {self.def_name} {shown}" if self.def_name else shown


@_syntax
class ListSyntax:
    """Values in brackets."""

    items: tuple[ItemSyntax, ...]
    span: SourceSpan = field(compare=False)


ItemSyntax = (
    NumbersSyntax
    | StringSyntax
    | BoolSyntax
    | NullSyntax
    | UseSyntax
    | IsSyntax
    | WordSyntax
    | NodeSyntax
)
ValueSyntax = ItemSyntax | ListSyntax


def group_of_use(use: UseSyntax) -> NodeSyntax:
    """Return what a USE at the top of a file stands for: a group that holds it."""
    children = FieldSyntax("children", ListSyntax((use,), use.span), use.span)
    return NodeSyntax("Group", None, (children,), use.span, use.span)


@dataclass(frozen=True, slots=True)
class ExternProtoSyntax:
    """`[IMPORTABLE] EXTERNPROTO [alias] "url"`."""

    url: str
    alias: str | None
    is_importable: bool
    span: SourceSpan = field(compare=False)

    @property
    def name(self) -> str:
        """The node type that the declaration brings: the alias, or the file name of the url."""
        return self.alias or self.file_stem

    @property
    def file_stem(self) -> str:
        """The name of the file without extension, which is the name of the PROTO in it."""
        return self.url.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".proto")


@dataclass(frozen=True, slots=True)
class ParameterSyntax:
    """One line of a PROTO interface: `field SFFloat name default`.

    `allowed` holds the values of `SFString{"a", "b"}`, or the node types of `MFNode{Solid{}}` as words;
    empty = any. `comment` is what the file says beside it.
    """

    keyword: str
    type_name: str
    name: str
    default: ValueSyntax | None
    span: SourceSpan = field(compare=False)
    allowed: tuple[ItemSyntax, ...] = ()
    comment: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ProtoSyntax:
    """`PROTO Name [ interface ] { body }`."""

    name: str
    parameters: tuple[ParameterSyntax, ...]
    body: tuple[ItemSyntax, ...]
    span: SourceSpan = field(compare=False)


class BoundParameter(NamedTuple):
    """A parameter of one instance: its type, its value with PROTOs expanded, and its default."""

    type_name: str
    value: ValueSyntax
    default: ValueSyntax | None


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """One expansion of a PROTO: the home of the DEF names of its body. Compared by identity.

    Attributes:
        proto: Name of the PROTO.
        file: File that holds it.
        header: Release in that file's header.
        instance: The node that was expanded, as it was written.
        outer: Scope in which the instance was written.
        default_of: The expansion whose parameters have what was written here as their default; None = this
            is the scope of a body.
        parameters: Those of the PROTO as the instance has them; filled before its body is expanded.
        regenerators: Those that its template reads.
        number: What a template that asks for the id of its node is told; 0 = it does not ask.
    """

    proto: str
    file: str
    header: str
    instance: NodeSyntax
    outer: Scope | None
    default_of: Scope | None = None
    parameters: dict[str, BoundParameter] = field(
        default_factory=dict[str, BoundParameter], repr=False
    )
    regenerators: frozenset[str] = frozenset()
    number: int = 0


def names_of(scope: Scope | None) -> Scope | None:
    """Return the scope that DEF names belong to; those in defaults, to the place of the instance."""
    while scope is not None and scope.default_of is not None:
        scope = scope.outer
    return scope


@dataclass(frozen=True, slots=True)
class FileSyntax:
    """A whole file: release named in the header, declarations and top nodes in order."""

    header: str
    nodes: tuple[NodeSyntax, ...]
    externs: tuple[ExternProtoSyntax, ...] = ()
    protos: tuple[ProtoSyntax, ...] = ()


PROTO_MARK: Final = " (PROTO)"
"""Ends the label of a node that came from a PROTO instance."""


def shown_path(labels: Sequence[str]) -> str:
    """Return how messages name a node, given the labels from the top node down to it.

    The path starts at the nearest node with a DEF name, so that it is short and can be found; inside
    a PROTO instance at the nearest one that the file itself shows.
    """
    visible = next(
        (i + 1 for i, label in enumerate(labels) if label.endswith(PROTO_MARK)), len(labels)
    )
    named = (i for i, label in enumerate(labels[:visible]) if label.startswith("DEF "))
    shown = labels[max(named, default=0) :]
    return " > ".join(shown if len(shown) <= 4 else (shown[0], "...", *shown[-2:]))
