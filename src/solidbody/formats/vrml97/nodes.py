"""The nodes of VRML97 with their fields, and typed access to a node as written.

A field is looked up through PROTOs: `IS` gives the value that the instance has. A value of the wrong kind
gives one warning, and the default counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Quat, Vec3, quat_from_axis_angle
from solidbody.formats.geometry.affine import MAX_COORDINATE
from solidbody.formats.vrml.field_types import items_of, numbers_of_items
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    IsSyntax,
    NodeSyntax,
    NullSyntax,
    ProtoSyntax,
    StringSyntax,
    UseSyntax,
    ValueSyntax,
)

MAX_PROTO_DEPTH: Final = 50
"""PROTOs whose bodies are instances of other PROTOs."""

MAX_WARNINGS: Final = 500
"""Warnings about one file; nobody reads more."""

MAX_GUESSES: Final = 100_000
"""Words that the slips of one file are compared with, at 10 microseconds each."""

_GROUP: Final = "children bboxCenter bboxSize addChildren removeChildren"

FIELDS: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(fields.split())
    for name, fields in {
        "Anchor": f"{_GROUP} url description parameter",
        "Appearance": "material texture textureTransform",
        "Billboard": f"{_GROUP} axisOfRotation",
        "Box": "size",
        "Collision": f"{_GROUP} collide proxy",
        "Color": "color",
        "Cone": "bottomRadius height side bottom",
        "Coordinate": "point",
        "Cylinder": "bottom height radius side top",
        "ElevationGrid": "color normal texCoord height ccw colorPerVertex creaseAngle "
        "normalPerVertex solid xDimension xSpacing zDimension zSpacing",
        "Extrusion": "beginCap ccw convex creaseAngle crossSection endCap orientation scale solid "
        "spine",
        "Group": _GROUP,
        "ImageTexture": "url repeatS repeatT",
        "IndexedFaceSet": "color coord normal texCoord ccw colorIndex colorPerVertex convex "
        "coordIndex creaseAngle normalIndex normalPerVertex solid texCoordIndex",
        "IndexedLineSet": "color coord colorIndex colorPerVertex coordIndex",
        "Inline": "url bboxCenter bboxSize",
        "LOD": "level center range",
        "Material": "ambientIntensity diffuseColor emissiveColor shininess specularColor transparency",
        "Normal": "vector",
        "PointSet": "color coord",
        "Shape": "appearance geometry",
        "Sphere": "radius",
        "Switch": "choice whichChoice",
        "TextureCoordinate": "point",
        "TextureTransform": "center rotation scale translation",
        "Transform": f"{_GROUP} center rotation scale scaleOrientation translation",
    }.items()
}
"""Nodes that are read, with all their fields."""

_UNSEEN: Final = """
    AudioClip Background ColorInterpolator CoordinateInterpolator CylinderSensor NavigationInfo
    NormalInterpolator OrientationInterpolator PlaneSensor PositionInterpolator ProximitySensor
    ScalarInterpolator Script Sound SphereSensor TimeSensor TouchSensor Viewpoint VisibilitySensor
    WorldInfo
"""
NOT_DRAWN: Final = frozenset(_UNSEEN.split())
"""Nodes that have nothing to do with what a part looks like."""

LEFT_OUT: Final = frozenset(
    ("DirectionalLight", "Fog", "MovieTexture", "PixelTexture", "PointLight", "SpotLight", "Text")
)
"""Nodes that could be seen and are not taken over; a note says so."""


@dataclass(slots=True, eq=False)
class Home:
    """The file, or one instance of a PROTO: where DEF names live and IS finds its values.

    Attributes:
        values: Of the PROTO's parameters, each with the home in which it was written.
        defs: Nodes by their DEF names so far.
    """

    values: Mapping[str, tuple[ValueSyntax, Home]] = field(
        default_factory=dict[str, "tuple[ValueSyntax, Home]"]
    )
    defs: dict[str, NodeView] = field(default_factory=dict[str, "NodeView"])


@dataclass(slots=True, eq=False)
class Vrml97Reading:
    """What holds for a whole file: its PROTOs, and who hears of problems."""

    log: DiagnosticLog
    protos: Mapping[str, ProtoSyntax]
    _noted: set[str] = field(default_factory=set[str])
    _warnings_left: int = MAX_WARNINGS
    _guesses_left: int = MAX_GUESSES

    def warn(self, code: str, span: SourceSpan, text: str, *, node: str, name: str = "") -> None:
        """Record a warning, unless there were too many already."""
        self._warnings_left -= 1
        if self._warnings_left > 0:
            self.log.warning(code, span, text, node=node, field=name)
        elif self._warnings_left == 0:
            self.log.warning(
                "too-many-messages", span, f"more than {MAX_WARNINGS} messages; no more are given."
            )

    def guess(self, word: str, known: Collection[str]) -> str:
        """Return ` Did you mean "x"?` or nothing, as long as the file has not used up its guesses."""
        self._guesses_left -= len(known)
        return did_you_mean(word, known) if self._guesses_left > 0 else ""

    def note(self, code: str, span: SourceSpan, text: str) -> None:
        """Record a remark, once for each text, and not too many."""
        if text not in self._noted and len(self._noted) < MAX_WARNINGS:
            self._noted.add(text)
            self.log.info(code, span, text)


@dataclass(frozen=True, slots=True, eq=False)
class NodeView:
    """A node as written and the home that gives its names a meaning; PROTO instances are resolved."""

    syntax: NodeSyntax
    home: Home
    reading: Vrml97Reading
    def_name: str

    @property
    def type(self) -> str:
        """The node type."""
        return self.syntax.type_name

    @property
    def key(self) -> tuple[int, int]:
        """What is equal for a node and all its USEs."""
        return id(self.syntax), id(self.home)

    def warn(self, code: str, text: str, *, name: str = "") -> None:
        """Record a warning about a field, or the node."""
        written = next((item for item in self.syntax.fields if item.name == name), None)
        span = self.syntax.type_span if written is None else written.value.span
        self.reading.warn(code, span, text, node=self.syntax.label, name=name)

    def check_fields(self) -> None:
        """Report fields that the node does not have."""
        known = FIELDS.get(self.type)
        if known is None:
            return
        for item in self.syntax.fields:
            if item.name not in known:
                self.reading.warn(
                    "unknown-field",
                    item.name_span,
                    f'{self.type} has no field "{item.name}"; it is ignored.'
                    + self.reading.guess(item.name, known),
                    node=self.syntax.label,
                )

    # values

    def value(self, name: str) -> tuple[ValueSyntax, Home] | None:
        """Return the value of a field, with the home in which it was written."""
        found: ValueSyntax | None = None
        for item in self.syntax.fields:
            if item.name == name:
                found = item.value
        home = self.home
        for _ in range(MAX_PROTO_DEPTH):
            if not isinstance(found, IsSyntax):
                break
            bound = home.values.get(found.name)
            if bound is None:
                self.warn(
                    "unknown-parameter", f'no PROTO parameter is named "{found.name}".', name=name
                )
                return None
            found, home = bound
        return None if found is None or isinstance(found, IsSyntax) else (found, home)

    def numbers(self, name: str, width: int = 1) -> tuple[float, ...] | None:
        """Return all numbers of a field, a multiple of `width`; None if absent or wrong."""
        found = self.value(name)
        if found is None:
            return None
        numbers = numbers_of_items(items_of(found[0]))
        if numbers is None or len(numbers) % width:
            kind = "numbers" if width == 1 else f"numbers in groups of {width}"
            self.warn("wrong-value", f"expected {kind}; the default is used.", name=name)
            return None
        if not all(abs(x) < MAX_COORDINATE for x in numbers):
            self.warn(
                "wrong-value", "a number is too large to be used; the default is used.", name=name
            )
            return None
        return tuple(numbers)

    def vector(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Return exactly as many numbers as the default has."""
        numbers = self.numbers(name)
        if numbers is None:
            return default
        if len(numbers) != len(default):
            self.warn(
                "wrong-value",
                f"expected {len(default)} number(s), got {len(numbers)}; the default is used.",
                name=name,
            )
            return default
        return numbers

    def number(self, name: str, default: float) -> float:
        """Return one number."""
        return self.vector(name, (default,))[0]

    def positive(self, name: str, default: float) -> float:
        """Return one number above 0."""
        number = self.number(name, default)
        if number > 0.0:
            return number
        self.warn("wrong-value", f"expected a number above 0, got {number:g}.", name=name)
        return default

    def integer(self, name: str, default: int) -> int:
        """Return one whole number."""
        return int(self.number(name, default))

    def integers(self, name: str) -> tuple[int, ...]:
        """Return any number of whole numbers."""
        return tuple(map(int, self.numbers(name) or ()))

    def vec3(self, name: str, default: Vec3) -> Vec3:
        """Return three numbers."""
        x, y, z = self.vector(name, default)
        return (x, y, z)

    def vec2(self, name: str, default: tuple[float, float]) -> tuple[float, float]:
        """Return two numbers."""
        x, y = self.vector(name, default)
        return (x, y)

    def vec3s(self, name: str) -> tuple[Vec3, ...]:
        """Return any number of triples."""
        n = self.numbers(name, 3) or ()
        return tuple(zip(n[0::3], n[1::3], n[2::3], strict=True))

    def vec2s(self, name: str) -> tuple[tuple[float, float], ...]:
        """Return any number of pairs."""
        n = self.numbers(name, 2) or ()
        return tuple(zip(n[0::2], n[1::2], strict=True))

    def rotation(self, name: str) -> Quat:
        """Return the turn of an axis and an angle [rad]."""
        return _turn(self.vector(name, (0.0, 0.0, 1.0, 0.0)))

    def rotations(self, name: str) -> tuple[Quat, ...]:
        """Return any number of turns."""
        n = self.numbers(name, 4) or ()
        return tuple(_turn(n[i : i + 4]) for i in range(0, len(n), 4))

    def color(self, name: str, default: Vec3) -> Vec3:
        """Return a colour, clamped to 0..1."""
        r, g, b = (min(max(x, 0.0), 1.0) for x in self.vec3(name, default))
        return (r, g, b)

    def share(self, name: str, default: float) -> float:
        """Return one number, clamped to 0..1."""
        return min(max(self.number(name, default), 0.0), 1.0)

    def boolean(self, name: str, default: bool) -> bool:
        """Return TRUE or FALSE."""
        found = self.value(name)
        if found is None:
            return default
        if isinstance(found[0], BoolSyntax):
            return found[0].value
        self.warn("wrong-value", "expected TRUE or FALSE; the default is used.", name=name)
        return default

    def strings(self, name: str) -> tuple[str, ...]:
        """Return any number of strings."""
        found = self.value(name)
        items = items_of(found[0]) if found is not None else ()
        return tuple(item.value for item in items if isinstance(item, StringSyntax))

    # nodes

    def node(self, name: str) -> NodeView | None:
        """Return the node of a field."""
        nodes = self.nodes(name)
        return nodes[0] if nodes else None

    def nodes(self, name: str) -> list[NodeView]:
        """Return the nodes of a field; what USE refers to must have come before."""
        found = self.value(name)
        if found is None:
            return []
        views: list[NodeView] = []
        for item in items_of(found[0]):
            match item:
                case NodeSyntax():
                    view = resolved(item, found[1], self.reading)
                    if view is not None:
                        views.append(view)
                case UseSyntax():
                    known = found[1].defs.get(item.name)
                    if known is None:
                        self.reading.warn(
                            "unknown-def",
                            item.span,
                            f'no node before this one has the DEF name "{item.name}".'
                            + self.reading.guess(item.name, found[1].defs),
                            node=self.syntax.label,
                            name=name,
                        )
                    else:
                        views.append(known)
                case NullSyntax():
                    pass
                case _:
                    self.warn("wrong-value", "expected a node.", name=name)
        return views


def resolved(syntax: NodeSyntax, home: Home, reading: Vrml97Reading) -> NodeView | None:
    """Return the node that is written, or the one that its PROTO stands for; it takes its DEF name."""
    node, inner, def_name = syntax, home, syntax.def_name or ""
    for _ in range(MAX_PROTO_DEPTH):
        proto = reading.protos.get(node.type_name)
        if proto is None:
            view = NodeView(node, inner, reading, def_name)
            view.check_fields()
            if syntax.def_name:
                home.defs[syntax.def_name] = view
            return view
        values: dict[str, tuple[ValueSyntax, Home]] = {}
        for parameter in proto.parameters:
            if parameter.default is not None:
                values[parameter.name] = (parameter.default, Home())
        for item in node.fields:
            values[item.name] = (item.value, inner)
        body = next((item for item in proto.body if isinstance(item, NodeSyntax)), None)
        if body is None:
            return None
        node, inner = body, Home(values)
        def_name = def_name or body.def_name or ""
    reading.log.error(
        "too-deep",
        syntax.type_span,
        f"PROTOs stand for each other more than {MAX_PROTO_DEPTH} times; the node is left out.",
        node=syntax.label,
    )
    return None


def _turn(numbers: tuple[float, ...]) -> Quat:
    x, y, z, angle = numbers
    return quat_from_axis_angle((x, y, z), math.remainder(angle, 4.0 * math.pi))
