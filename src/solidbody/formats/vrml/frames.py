"""Stack frames of the parser: one per unfinished file, node, list or PROTO.

An explicit stack of frames instead of recursion: depth costs memory, never a RecursionError.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from solidbody.formats.vrml.lexer import Token
from solidbody.formats.vrml.syntax import (
    ExternProtoSyntax,
    FieldSyntax,
    ItemSyntax,
    NodeSyntax,
    ParameterSyntax,
    ProtoSyntax,
)


@dataclass(slots=True)
class FileFrame:
    """The file itself."""

    nodes: list[NodeSyntax] = field(default_factory=list[NodeSyntax])
    externs: list[ExternProtoSyntax] = field(default_factory=list[ExternProtoSyntax])
    protos: list[ProtoSyntax] = field(default_factory=list[ProtoSyntax])


@dataclass(slots=True)
class PendingField:
    """A field whose name was read and whose value comes next."""

    name: Token
    is_hidden: bool = False


@dataclass(slots=True)
class NodeFrame:
    """A node whose closing brace has not come yet."""

    start: int
    type_name: Token
    def_name: str | None
    fields: list[FieldSyntax] = field(default_factory=list[FieldSyntax])
    pending: PendingField | None = None

    @property
    def label(self) -> str:
        """How messages call the node."""
        return (
            f"DEF {self.def_name} {self.type_name.text}" if self.def_name else self.type_name.text
        )


@dataclass(slots=True)
class ListFrame:
    """A list of values whose closing bracket has not come yet."""

    start: int
    items: list[ItemSyntax] = field(default_factory=list[ItemSyntax])


@dataclass(slots=True)
class InterfaceFrame:
    """The parameter list of a PROTO.

    `pending` holds keyword, type and name of the current parameter, `allowed` its allowed values.
    """

    start: int
    name: str
    parameters: list[ParameterSyntax] = field(default_factory=list[ParameterSyntax])
    pending: tuple[Token, Token, Token] | None = None
    allowed: tuple[ItemSyntax, ...] = ()


@dataclass(slots=True)
class BodyFrame:
    """The body of a PROTO."""

    start: int
    name: str
    parameters: tuple[ParameterSyntax, ...]
    items: list[ItemSyntax] = field(default_factory=list[ItemSyntax])


Frame = FileFrame | NodeFrame | ListFrame | InterfaceFrame | BodyFrame


def start_of(frame: Frame) -> int:
    """Return the offset at which a frame was opened."""
    return 0 if isinstance(frame, FileFrame) else frame.start
