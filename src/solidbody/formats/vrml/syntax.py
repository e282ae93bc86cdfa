"""The syntax tree of a world or PROTO file: what is written, and where; nothing about its meaning.

Spans take no part in comparisons, so two texts that say the same give equal trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from solidbody.base.span import SourceSpan


@dataclass(frozen=True, slots=True)
class NumbersSyntax:
    """One or more numbers in a row; what they stand for depends on the field's type."""

    values: tuple[float, ...]
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class StringSyntax:
    """A quoted string, escapes undone."""

    value: str
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class BoolSyntax:
    """TRUE or FALSE."""

    value: bool
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class NullSyntax:
    """NULL: no node."""

    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class UseSyntax:
    """USE name: the closest preceding node with that DEF name."""

    name: str
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class IsSyntax:
    """IS name: the value of a PROTO parameter."""

    name: str
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class WordSyntax:
    """A word where a value should be, kept so that the field's type can say what was expected."""

    text: str
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class FieldSyntax:
    """A field of a node with its value; `name_span` covers the name alone."""

    name: str
    value: ValueSyntax
    span: SourceSpan = field(compare=False)
    name_span: SourceSpan = field(compare=False)
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class NodeSyntax:
    """`DEF name Type { fields }`; `type_span` covers the type name alone."""

    type_name: str
    def_name: str | None
    fields: tuple[FieldSyntax, ...]
    span: SourceSpan = field(compare=False)
    type_span: SourceSpan = field(compare=False)

    @property
    def label(self) -> str:
        """How messages call the node: `DEF NAME Type`, or the type alone."""
        return f"DEF {self.def_name} {self.type_name}" if self.def_name else self.type_name


@dataclass(frozen=True, slots=True)
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
        if self.alias:
            return self.alias
        return self.url.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".proto")


@dataclass(frozen=True, slots=True)
class ParameterSyntax:
    """One line of a PROTO interface: `field SFFloat name default`."""

    keyword: str
    type_name: str
    name: str
    default: ValueSyntax | None
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class ProtoSyntax:
    """`PROTO Name [ interface ] { body }`."""

    name: str
    parameters: tuple[ParameterSyntax, ...]
    body: tuple[ItemSyntax, ...]
    span: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class FileSyntax:
    """A whole file: release named in the header, declarations and top nodes in order."""

    header: str
    nodes: tuple[NodeSyntax, ...]
    externs: tuple[ExternProtoSyntax, ...] = ()
    protos: tuple[ProtoSyntax, ...] = ()


def shown_path(labels: Sequence[str]) -> str:
    """Return how messages name a node, given the labels from the top node down to it.

    The path starts at the nearest node with a DEF name, so that it is short and can be found.
    """
    start = max((i for i, label in enumerate(labels) if label.startswith("DEF ")), default=0)
    shown = labels[start:]
    return " > ".join(shown if len(shown) <= 4 else (shown[0], "...", *shown[-2:]))
