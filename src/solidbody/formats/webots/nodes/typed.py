"""Typed nodes: what the node table makes of the syntax tree, defaults filled in, USE resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose, Vec3, quat_from_axis_angle
from solidbody.formats.vrml.syntax import NodeSyntax, shown_path
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import FieldType, Node, Value


@dataclass(slots=True, eq=False)
class TypedNode:
    """A node that the table knows.

    Attributes:
        row: Its row of the table.
        syntax: What was written.
        parent: The node that holds it, or None at the top.
        values: Written values of fields without nodes.
        nodes: Written nodes of fields with nodes; None marks what was left out.
    """

    row: Node
    syntax: NodeSyntax
    parent: TypedNode | None
    values: dict[str, Value] = field(default_factory=dict[str, Value])
    nodes: dict[str, list[TypedNode | None]] = field(
        default_factory=dict[str, list["TypedNode | None"]]
    )

    @property
    def type(self) -> str:
        """The node type."""
        return self.row.name

    @property
    def label(self) -> str:
        """The DEF name, or an empty string; names inside PROTO instances are not seen outside."""
        return self.syntax.def_name if self.syntax.def_name and self.syntax.is_shown else ""

    @property
    def span(self) -> SourceSpan:
        """The whole node in the file."""
        return self.syntax.span

    @property
    def path(self) -> str:
        """The node's name in messages."""
        labels: list[str] = []
        node: TypedNode | None = self
        while node is not None:
            labels.append(node.syntax.label)
            if node.syntax.def_name and node.syntax.is_shown:
                break
            node = node.parent
        return shown_path(labels[::-1])

    def is_a(self, base: str) -> bool:
        """Whether the node is of type `base` or of one derived from it."""
        return NODES.derives(self.row.name, base)

    def has(self, name: str) -> bool:
        """Whether the node's type has a field of that name."""
        return name in NODES.fields(self.row.name)

    def is_written(self, name: str) -> bool:
        """Whether the file gives the field a usable value."""
        return name in self.values or name in self.nodes

    # typed access; asking with the wrong type is a mistake in this package, not in the file

    def boolean(self, name: str) -> bool:
        """Return an SFBool."""
        return cast(bool, self._value(name, FieldType.SFBool))

    def integer(self, name: str) -> int:
        """Return an SFInt32."""
        return cast(int, self._value(name, FieldType.SFInt32))

    def number(self, name: str) -> float:
        """Return an SFFloat."""
        return cast(float, self._value(name, FieldType.SFFloat))

    def string(self, name: str) -> str:
        """Return an SFString."""
        return cast(str, self._value(name, FieldType.SFString))

    def vec2(self, name: str) -> tuple[float, float]:
        """Return an SFVec2f."""
        return cast("tuple[float, float]", self._value(name, FieldType.SFVec2f))

    def vec3(self, name: str) -> Vec3:
        """Return an SFVec3f."""
        return cast(Vec3, self._value(name, FieldType.SFVec3f))

    def rotation(self, name: str) -> tuple[float, float, float, float]:
        """Return an SFRotation."""
        return cast("tuple[float, float, float, float]", self._value(name, FieldType.SFRotation))

    def color(self, name: str) -> Vec3:
        """Return an SFColor."""
        return cast(Vec3, self._value(name, FieldType.SFColor))

    def numbers(self, name: str) -> tuple[float, ...]:
        """Return an MFFloat."""
        return cast("tuple[float, ...]", self._value(name, FieldType.MFFloat))

    def strings(self, name: str) -> tuple[str, ...]:
        """Return an MFString."""
        return cast("tuple[str, ...]", self._value(name, FieldType.MFString))

    def colors(self, name: str) -> tuple[Vec3, ...]:
        """Return an MFColor."""
        return cast("tuple[Vec3, ...]", self._value(name, FieldType.MFColor))

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an MFInt32."""
        return cast("tuple[int, ...]", self._value(name, FieldType.MFInt32))

    def vec2s(self, name: str) -> tuple[tuple[float, float], ...]:
        """Return an MFVec2f."""
        return cast("tuple[tuple[float, float], ...]", self._value(name, FieldType.MFVec2f))

    def vec3s(self, name: str) -> tuple[Vec3, ...]:
        """Return an MFVec3f."""
        return cast("tuple[Vec3, ...]", self._value(name, FieldType.MFVec3f))

    def node(self, name: str) -> TypedNode | None:
        """Return the node of an SFNode field, or None."""
        nodes = self.nodes.get(name)
        return nodes[0] if nodes else None

    def children(self, name: str = "children") -> list[TypedNode]:
        """Return the nodes of an MFNode field."""
        return [node for node in self.nodes.get(name, ()) if node is not None]

    def held(self) -> list[TypedNode]:
        """Return the nodes in all its fields, last first: what a walk in the order of the file stacks."""
        return [item for nodes in self.nodes.values() for item in nodes if item is not None][::-1]

    def pose(self, translation: str = "translation", rotation: str = "rotation") -> Pose:
        """Return the rigid transform that an SFVec3f and an SFRotation give."""
        x, y, z, angle = self.rotation(rotation)
        return Pose(self.vec3(translation), quat_from_axis_angle((x, y, z), angle))

    def number_or_vec3(self, name: str) -> float | Vec3:
        """Return the value of an SFFloat field that older files write as an SFVec3f."""
        return cast("float | Vec3", self._value(name, FieldType.SFFloat))

    def _value(self, name: str, kind: FieldType) -> Value:
        row = NODES.fields(self.row.name)[name]
        if row.type is not kind:
            raise TypeError(f"{self.row.name}.{name} is {row.type.name}, not {kind.name}")
        if name in self.values:
            return self.values[name]
        assert row.default is not None
        return row.default

    def forget(self) -> None:
        """Let go of the nodes around this one, and they of theirs.

        Parents and children hold each other: without this, a tree that nobody needs any more would
        stay until the garbage collector finds it.
        """
        node = self
        while node.parent is not None:
            node = node.parent
        stack: list[TypedNode | None] = [node]
        while stack:
            node = stack.pop()
            if node is not None:
                for inner in node.nodes.values():
                    stack.extend(inner)
                node.nodes.clear()

    # messages about this node

    def place(self, name: str) -> SourceSpan:
        """Return where a field is written, or the node's type name if it is not."""
        written = (part.span for part in reversed(self.syntax.fields) if part.name == name)
        return next(written, self.syntax.type_span)

    def warn(self, log: DiagnosticLog, code: str, text: str, *, field: str = "") -> None:
        """Record a warning about this node or one of its fields."""
        log.warning(code, self.place(field), text, node=self.path, field=field)

    def inform(self, log: DiagnosticLog, code: str, text: str, *, field: str = "") -> None:
        """Record something worth knowing about this node."""
        log.info(code, self.place(field), text, node=self.path, field=field)

    def fail(self, log: DiagnosticLog, code: str, text: str, *, field: str = "") -> None:
        """Record an error about this node or one of its fields."""
        log.error(code, self.place(field), text, node=self.path, field=field)
