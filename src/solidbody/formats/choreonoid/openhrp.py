"""Bodies in OpenHRP's language: a `.wrl` file with Humanoid, Joint and Segment nodes, as a `.body` text.

Choreonoid read robots from such files before it had a format of its own, and many projects still name
them. Joints become links; each Segment gives a rigid body and, as a resource, what the file draws
below its name.

Source: OpenHRP3 manual, model files; Choreonoid reads the same fields.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose, quat_from_axis_angle, quat_to_axis_angle
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import NodeSyntax, NumbersSyntax, StringSyntax, ValueSyntax
from solidbody.formats.vrml97.dialect import parse_vrml97

SUFFIX: Final = ".wrl"

_TYPES: Final = {"rotate": "revolute", "slide": "prismatic", "free": "free", "fixed": "fixed"}
"""Joint types as `.body` files call them; `crawler` is a belt that is not read."""

_AXES: Final = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}

_SENSORS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "AccelerationSensor": ("AccelerationSensor", {}),
    "ForceSensor": ("ForceSensor", {}),
    "Gyro": ("RateGyroSensor", {}),
    "RangeSensor": (
        "RangeSensor",
        {
            "scanAngle": "yawRange",
            "scanStep": "yawStep",
            "scanRate": "scanRate",
            "minDistance": "minDistance",
            "maxDistance": "maxDistance",
        },
    ),
    "VisionSensor": (
        "Camera",
        {
            "fieldOfView": "fieldOfView",
            "frontClipDistance": "nearClipDistance",
            "backClipDistance": "farClipDistance",
            "width": "width",
            "height": "height",
            "frameRate": "frameRate",
        },
    ),
}
"""Devices: their type in `.body` files, and the names of their fields there."""

_FORMATS: Final = ("COLOR", "DEPTH", "COLOR_DEPTH")


def openhrp_body_text(text: str, file: str, log: DiagnosticLog) -> str | None:
    """Return a body of OpenHRP's language as the text of a `.body` file, or None after a message."""
    tree = parse_vrml97(text, file, log)
    if tree is None:
        return None
    humanoid = next((node for node in _all(tree.nodes) if node.type_name == "Humanoid"), None)
    if humanoid is None:
        said = "the file describes no body: it has no Humanoid node."
        log.error("no-body", SourceSpan(file, 1, 1, 1, 1), said)
        return None
    reader = _Reader(PurePath(file).name, log)
    stack = [(node, "", Pose()) for node in _nodes(humanoid, "humanoidBody")][::-1]
    while stack:
        stack.extend(reader.joint(*stack.pop())[::-1])
    body = {
        "format": "ChoreonoidBody",
        "formatVersion": 1.0,
        "angleUnit": "radian",
        "name": _text(humanoid, "name") or humanoid.def_name or PurePath(file).stem,
        "links": reader.links,
    }
    return json.dumps(body)  # JSON is YAML


@dataclass(slots=True)
class _Reader:
    file: str
    log: DiagnosticLog
    links: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def joint(
        self, node: NodeSyntax, parent: str, place: Pose
    ) -> list[tuple[NodeSyntax, str, Pose]]:
        """Add the link of a Joint; return the joints below it with their parent and place."""
        if node.type_name in ("Transform", "Group"):
            inside = place * _pose(node)
            return [(child, parent, inside) for child in _nodes(node, "children")]
        if node.type_name != "Joint":
            self._left_out(node)
            return []
        name = node.def_name or _text(node, "name") or f"link{len(self.links)}"
        link: dict[str, Any] = {"name": name, **_placed(place * _pose(node))}
        if parent:
            link["parent"] = parent
        link["jointType"] = self._type(node, is_root=not parent)
        link["jointAxis"] = self._axis(node)
        for ours, theirs in (("jointId", "jointId"), ("rotorInertia", "rotorInertia")):
            numbers = _numbers(node, theirs)
            if len(numbers) == 1:
                link[ours] = int(numbers[0]) if ours == "jointId" else numbers[0]
        gear = _numbers(node, "gearRatio")
        if len(gear) == 1 and "rotorInertia" in link:
            link["gearRatio"] = gear[0]
        for ours, low, high in (
            ("jointRange", "llimit", "ulimit"),
            ("jointVelocityRange", "lvlimit", "uvlimit"),
        ):
            limits = _numbers(node, low)[:1] + _numbers(node, high)[:1]
            if len(limits) == 2 and limits[0] <= limits[1]:
                link[ours] = list(limits)
        elements: list[dict[str, Any]] = []
        below: list[tuple[NodeSyntax, str, Pose]] = []
        stack = [(child, Pose(), False) for child in _nodes(node, "children")[::-1]]
        while stack:
            child, inside, is_drawn = stack.pop()  # drawn: with a Segment, as its resource
            if child.type_name == "Joint":
                below.append((child, name, inside))
            elif child.type_name in ("Transform", "Group", "Segment"):
                if child.type_name == "Segment":
                    elements.append(self._segment(child, inside))
                    is_drawn = True
                deeper = inside * _pose(child)
                stack.extend((item, deeper, is_drawn) for item in _nodes(child, "children")[::-1])
            elif child.type_name in _SENSORS:
                elements.append(self._sensor(child, inside))
            elif not is_drawn:
                self._left_out(child)
        link["elements"] = elements
        self.links.append(link)
        return below

    def _segment(self, node: NodeSyntax, place: Pose) -> dict[str, Any]:
        mass, inertia = _numbers(node, "mass"), _numbers(node, "momentsOfInertia")
        center = _numbers(node, "centerOfMass")
        rigid = {
            "type": "RigidBody",
            "mass": mass[0] if mass else 0.0,
            "centerOfMass": list(center) if len(center) == 3 else [0.0, 0.0, 0.0],
            "inertia": list(inertia) if len(inertia) == 9 else [0.0] * 9,
        }
        parts: list[dict[str, Any]] = [rigid]
        if _nodes(node, "children"):
            if node.def_name:
                parts.append({"type": "Resource", "uri": self.file, "node": node.def_name})
            else:
                said = "a Segment without a DEF name: what it draws is left out."
                self.log.warning("unnamed-segment", node.type_span, said, node=node.label)
        return {"type": "Transform", **_placed(place), "elements": parts}

    def _sensor(self, node: NodeSyntax, place: Pose) -> dict[str, Any]:
        kind, keys = _SENSORS[node.type_name]
        element: dict[str, Any] = {"type": kind, "name": node.def_name or kind}
        number = _numbers(node, "sensorId")
        if number and number[0] >= 0:
            element["id"] = int(number[0])
        for theirs, ours in keys.items():
            value = _numbers(node, theirs)
            if value:
                element[ours] = int(value[0]) if ours in ("width", "height") else value[0]
        if kind == "Camera" and _text(node, "type") in _FORMATS:
            element["format"] = _text(node, "type")
        return {**element, **_placed(place * _pose(node))}

    def _type(self, node: NodeSyntax, *, is_root: bool) -> str:
        written = _text(node, "jointType")
        if not written:
            return "free" if is_root else "fixed"
        if written not in _TYPES:
            guess = did_you_mean(written, _TYPES)
            allowed = ", ".join(f'"{name}"' for name in _TYPES)
            said = f'expected one of {allowed}, got "{written}"; the joint is fixed.{guess}'
            self.log.error("joint-type", node.type_span, said, node=node.label, field="jointType")
        return _TYPES.get(written, "fixed")

    def _axis(self, node: NodeSyntax) -> list[float]:
        axis = _AXES.get(_text(node, "jointAxis").upper()) or _numbers(node, "jointAxis")
        if len(axis) == 3 and any(axis):
            return list(axis)
        if axis:
            said = "expected three numbers, not all 0; the axis is 0 0 1."
            self.log.error("joint-axis", node.type_span, said, node=node.label, field="jointAxis")
        return [0.0, 0.0, 1.0]

    def _left_out(self, node: NodeSyntax) -> None:
        said = f"a {node.type_name} node in a body of OpenHRP is not read; it is left out."
        self.log.info("unread-node", node.type_span, said, node=node.label)


# fields of nodes


def _value(node: NodeSyntax, name: str) -> ValueSyntax | None:
    return next((part.value for part in node.fields if part.name == name), None)


def _nodes(node: NodeSyntax, name: str) -> list[NodeSyntax]:
    value = _value(node, name)
    items = () if value is None else items_of(value)
    return [item for item in items if isinstance(item, NodeSyntax)]


def _numbers(node: NodeSyntax, name: str) -> tuple[float, ...]:
    value = _value(node, name)
    items = () if value is None else items_of(value)
    return tuple(x for item in items if isinstance(item, NumbersSyntax) for x in item.values)


def _text(node: NodeSyntax, name: str) -> str:
    value = _value(node, name)
    return value.value if isinstance(value, StringSyntax) else ""


def _pose(node: NodeSyntax) -> Pose:
    place, turn = _numbers(node, "translation"), _numbers(node, "rotation")
    x, y, z = place if len(place) == 3 else (0.0, 0.0, 0.0)
    if len(turn) != 4 or not any(turn[:3]):
        return Pose((x, y, z))
    return Pose((x, y, z), quat_from_axis_angle((turn[0], turn[1], turn[2]), turn[3]))


def _placed(pose: Pose) -> dict[str, Any]:
    axis, angle = quat_to_axis_angle(pose.rotation)
    return {"translation": list(pose.position), "rotation": [*axis, angle]}


def _all(nodes: list[NodeSyntax] | tuple[NodeSyntax, ...]) -> list[NodeSyntax]:
    """Return nodes and those in their children, in the order of the file."""
    found: list[NodeSyntax] = []
    stack = list(nodes)[::-1]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(_nodes(node, "children")[::-1])
    return found
