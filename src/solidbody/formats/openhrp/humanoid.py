"""Rewrites Humanoid, Joint and Segment nodes of an OpenHRP `.wrl` file as a body file.

Choreonoid read robots from such files before it had a format of its own, and many projects still name
them. Joints become links; each Segment gives a rigid body and what it draws. Of the PROTOs that such files
bring along only the defaults count: that of Humanoid draws nothing at all, and Joints and Segments often
share a name. A file without a Humanoid is one link, as it is there.

Source: OpenHRP3 manual, model files; Choreonoid reads the same fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose, quat_from_axis_angle, quat_to_axis_angle
from solidbody.formats.choreonoid.body.resources import Resources
from solidbody.formats.choreonoid.body.standin_bodies import body_of_meshes
from solidbody.formats.choreonoid.keys.bodies import UNLIMITED
from solidbody.formats.choreonoid.keys.yaml_tree import Plain, YamlMap, parse_yaml, yaml_map_of
from solidbody.formats.geometry.trees import TreeNode
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import (
    BoolSyntax,
    FieldSyntax,
    FileSyntax,
    NodeSyntax,
    NumbersSyntax,
    StringSyntax,
    ValueSyntax,
)
from solidbody.formats.vrml97.dialect import parse_vrml97
from solidbody.formats.vrml97.scene import SceneParts

_TYPES: Final = {
    "rotate": "revolute",
    "slide": "prismatic",
    "free": "free",
    "fixed": "fixed",
    "crawler": "pseudo_continuous_track",
}
"""Joint types as `.body` files call them."""

_LOOPS: Final = {"ball": "ball", "xyz": "ball", "piston": "piston", "xy": "piston"}
"""Types of extra joints; by letters: the directions in which the two points are held together."""

_AXES: Final = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}

_SURFACES: Final = ("Surface", "SegmentShape")
"""Nodes of a Segment that draw one thing and collide as another; the second name is the older one."""

_GROUPS: Final = (
    "Transform",
    "Group",
    "Segment",
    "CylinderSensorX",
    "CylinderSensorY",
    "CylinderSensorZ",
)
"""Nodes that hold others; the last three are PROTOs that let the mouse turn what they hold."""

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
    "SpotLightDevice": (
        "SpotLight",
        {
            "direction": "direction",
            "beamWidth": "beamWidth",
            "cutOffAngle": "cutOffAngle",
            "attenuation": "attenuation",
            "color": "color",
            "intensity": "intensity",
        },
    ),
}
"""Devices: their type in `.body` files, and the names of their fields there."""

_FORMATS: Final = ("DEPTH", "COLOR_DEPTH", "POINT_CLOUD", "COLOR_POINT_CLOUD")
"""What cameras see beside colours, which any other word means, "NONE" too."""

_Keys = dict[str, Plain]


def openhrp_body(text: str, file: str, resources: Resources, log: DiagnosticLog) -> YamlMap | None:
    """Return a body of OpenHRP's language as what a body file holds, or None after a message.

    Args:
        text: What the file holds.
        file: Its name.
        resources: Keep what the file draws: each part by a name of ours.
        log: Takes all messages.
    """
    tree = parse_vrml97(text, file, log)
    if tree is None:
        return None
    top = SourceSpan(file, 1, 1, 1, 1)
    if not tree.nodes:
        log.error("no-body", top, "the file describes no body: it has no nodes.")
        return None
    parts = SceneParts(tree, file, resources, log)
    humanoid = next((node for node in _all(tree.nodes) if node.type_name == "Humanoid"), None)
    if humanoid is None:
        resources.keep_tree(file, parts.all())
        whole = parse_yaml(body_of_meshes(PurePath(file).name), file, log)
        return whole.root if whole is not None and isinstance(whole.root, YamlMap) else None
    reader = _Reader(PurePath(file).name, parts, _defaults(tree), log)
    stack = [(node, "", Pose()) for node in _nodes(humanoid, "humanoidBody")][::-1]
    while stack:
        stack.extend(reader.joint(*stack.pop())[::-1])
    resources.keep_parts(file, reader.drawn)
    loops = [node for node in tree.nodes if node.type_name == "ExtraJoint"]
    body: _Keys = {
        "format": "ChoreonoidBody",
        "formatVersion": 1.0,
        "angleUnit": "radian",
        "name": humanoid.def_name or _text(humanoid, "name") or PurePath(file).stem,
        "links": reader.links,
        "extraJoints": [item for node in loops if (item := reader.loop(node)) is not None],
    }
    return yaml_map_of(body, top)


@dataclass(slots=True)
class _Reader:
    file: str
    parts: SceneParts
    defaults: Mapping[str, tuple[FieldSyntax, ...]]
    log: DiagnosticLog
    links: list[YamlMap] = field(default_factory=list[YamlMap])
    drawn: list[TreeNode] = field(default_factory=list[TreeNode])

    def joint(
        self, node: NodeSyntax, parent: str, place: Pose
    ) -> list[tuple[NodeSyntax, str, Pose]]:
        """Add the link of a Joint; return the joints below it with their parent and place."""
        if node.type_name in _GROUPS:
            inside = place * _pose(node)
            return [(child, parent, inside) for child in _nodes(node, "children")]
        if node.type_name != "Joint":
            self._left_out(node)
            return []
        name = node.def_name or _text(node, "name") or f"link{len(self.links)}"
        link: _Keys = {"name": name, **_placed(place * _pose(node))}
        if parent:
            link["parent"] = parent
        link |= self._motion(self._full(node))
        has_surface = any(child.type_name in _SURFACES for child, _ in _below(node))
        elements: list[Plain] = []
        joints: list[tuple[NodeSyntax, str, Pose]] = []
        drawn: set[int] = set()  # what stands in a Segment: drawn with it
        for child, inside in _below(node):
            if child.type_name == "Joint":
                joints.append((child, name, inside))
            elif child.type_name == "Segment":
                elements.append(self._segment(child, inside, has_surface=has_surface))
                drawn.update(id(item) for item, _ in _below(child))
            elif child.type_name in _SURFACES:
                elements.append(self._part(child, "collision", "Collision", inside))
            elif child.type_name in _SENSORS:
                elements.append(self._sensor(child, inside))
            elif child.type_name not in _GROUPS and id(child) not in drawn:
                self._left_out(child)
        if not any(child.type_name == "Segment" for child, _ in _below(node)):
            link |= {"mass": 0.0, "inertia": (0.0,) * 9}
        link["elements"] = elements
        self.links.append(yaml_map_of(link, node.type_span))
        return joints

    def _full(self, node: NodeSyntax) -> NodeSyntax:
        """Return the node with the defaults of its PROTO behind its own fields."""
        return replace(node, fields=(*node.fields, *self.defaults.get(node.type_name, ())))

    def _motion(self, node: NodeSyntax) -> _Keys:
        """Return what moves a link, and how far."""
        kind = self._type(node)
        keys: _Keys = {"jointType": kind}
        if kind not in ("fixed", "free"):
            keys["jointAxis"] = self._axis(node)
        number, rotor = _numbers(node, "jointId"), _numbers(node, "rotorInertia")
        if len(number) == 1:
            keys["jointId"] = _whole(number[0])
        if len(rotor) == 1:
            gear = _numbers(node, "gearRatio")
            keys |= {"rotorInertia": rotor[0], "gearRatio": gear[0] if len(gear) == 1 else 1.0}
        whole = _numbers(node, "equivalentInertia")
        if len(whole) == 1:
            keys["joint_axis_inertia"] = whole[0]
        for ours, low, high in (
            ("jointRange", "llimit", "ulimit"),
            ("jointVelocityRange", "lvlimit", "uvlimit"),
        ):
            limits = [next(iter(_numbers(node, side)), None) for side in (low, high)]
            if limits != [None, None]:
                keys[ours] = [UNLIMITED if limit is None else limit for limit in limits]
        return keys

    def _segment(self, node: NodeSyntax, place: Pose, *, has_surface: bool) -> Plain:
        full = self._full(node)
        mass, inertia = _numbers(full, "mass"), _numbers(full, "momentsOfInertia")
        center = _numbers(full, "centerOfMass")
        rigid: _Keys = {
            "type": "RigidBody",
            "mass": mass[0] if mass else 0.0,
            "centerOfMass": center if len(center) == 3 else (0.0, 0.0, 0.0),
            "inertia": inertia if len(inertia) == 9 else (0.0,) * 9,
        }
        shape = self._part(node, "children", "Visual" if has_surface else "Group", Pose())
        elements: list[Plain] = [rigid, shape]
        return yaml_map_of(
            {"type": "Transform", **_placed(place), "elements": elements}, node.type_span
        )

    def _part(self, node: NodeSyntax, name: str, kind: str, place: Pose) -> Plain:
        """Return an element of some kind that shows the nodes in a field."""
        part = f"part {len(self.drawn)}"  # no DEF name has a blank
        tree = self.parts.below(node, name, part)
        self.drawn.append(tree)
        shown: _Keys = {"type": "Resource", "uri": self.file, "node": part}
        inside: list[Plain] = [shown] if tree.children else []
        held: _Keys = {"type": kind, "elements": inside}
        return yaml_map_of(
            {"type": "Transform", **_placed(place), "elements": [held]}, node.type_span
        )

    def _sensor(self, node: NodeSyntax, place: Pose) -> Plain:
        kind, keys = _SENSORS[node.type_name]
        full = self._full(node)
        element: _Keys = {"type": kind, "name": node.def_name or kind}
        number = _numbers(full, "deviceId") or _numbers(full, "sensorId")
        if number and number[0] >= 0:
            element["id"] = _whole(number[0])
        for theirs, ours in keys.items():
            value = _numbers(full, theirs)
            if value:
                first = _whole(value[0]) if ours in ("width", "height") else value[0]
                element[ours] = first if len(value) == 1 else value
        is_on = _value(full, "on")
        if isinstance(is_on, BoolSyntax):
            element["on"] = is_on.value
        if kind == "Camera":
            written = _text(full, "type")
            element["format"] = written if written in _FORMATS else "COLOR"
        return yaml_map_of({**element, **_placed(place * _pose(full))}, node.type_span)

    def loop(self, node: NodeSyntax) -> YamlMap | None:
        """Return an extra joint, or None after a message."""
        node = self._full(node)
        kind = self._choice(node, _LOOPS, "it is left out")
        if kind is None:
            return None
        loop: _Keys = {"jointType": kind, "name": node.def_name or ""}
        for name in ("link1Name", "link2Name"):
            loop[name] = _text(node, name)
        for name in ("link1LocalPos", "link2LocalPos", "jointAxis"):
            if len(_numbers(node, name)) == 3:
                loop[name] = _numbers(node, name)
        return yaml_map_of(loop, node.type_span)

    def _type(self, node: NodeSyntax) -> str:
        if not _text(node, "jointType"):
            return "fixed"
        return self._choice(node, _TYPES, "the joint is fixed") or "fixed"

    def _choice(self, node: NodeSyntax, table: Mapping[str, str], instead: str) -> str | None:
        """Return what a table has for a node's `jointType`, or None after a message."""
        written = _text(node, "jointType")
        if written not in table:
            allowed = ", ".join(f'"{name}"' for name in table)
            guess = did_you_mean(written, table)
            said = f'expected one of {allowed}, got "{written}"; {instead}.{guess}'
            self.log.error("joint-type", node.type_span, said, node=node.label, field="jointType")
        return table.get(written)

    def _axis(self, node: NodeSyntax) -> tuple[float, ...]:
        axis = _AXES.get(_text(node, "jointAxis").upper()) or _numbers(node, "jointAxis")
        if len(axis) == 3 and any(axis):
            return axis
        if axis:
            said = "expected three numbers, not all 0; the axis is 0 0 1."
            self.log.error("joint-axis", node.type_span, said, node=node.label, field="jointAxis")
        return _AXES["Z"]

    def _left_out(self, node: NodeSyntax) -> None:
        said = f"a {node.type_name} node in a body of OpenHRP is not read; it is left out."
        self.log.info("unread-node", node.type_span, said, node=node.label)


# fields of nodes


def _defaults(tree: FileSyntax) -> dict[str, tuple[FieldSyntax, ...]]:
    """Return what each PROTO of a file says of fields that a node leaves out."""
    return {
        proto.name: tuple(
            FieldSyntax(item.name, item.default, item.span)
            for item in proto.parameters
            if item.default is not None
        )
        for proto in tree.protos
    }


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


def _whole(number: float) -> float:
    """Return a whole number; what is none because it is too large stays, and is refused as a value."""
    return int(number) if math.isfinite(number) else number


def _text(node: NodeSyntax, name: str) -> str:
    value = _value(node, name)
    return value.value if isinstance(value, StringSyntax) else ""


def _pose(node: NodeSyntax) -> Pose:
    place, turn = _numbers(node, "translation"), _numbers(node, "rotation")
    x, y, z = place if len(place) == 3 else (0.0, 0.0, 0.0)
    if len(turn) != 4 or not any(turn[:3]):
        return Pose((x, y, z))
    return Pose((x, y, z), quat_from_axis_angle((turn[0], turn[1], turn[2]), turn[3]))


def _placed(pose: Pose) -> _Keys:
    axis, angle = quat_to_axis_angle(pose.rotation)
    return {"translation": pose.position, "rotation": [*axis, angle]}


def _below(node: NodeSyntax) -> list[tuple[NodeSyntax, Pose]]:
    """Return what a Joint or Segment holds, in the order of the file, with its place; not behind joints."""
    found: list[tuple[NodeSyntax, Pose]] = []
    stack = [(child, Pose()) for child in _nodes(node, "children")[::-1]]
    while stack:
        child, place = stack.pop()
        found.append((child, place))
        if child.type_name in _GROUPS:
            inside = place * _pose(child)
            stack.extend((item, inside) for item in _nodes(child, "children")[::-1])
    return found


def _all(nodes: list[NodeSyntax] | tuple[NodeSyntax, ...]) -> list[NodeSyntax]:
    """Return nodes and those in their children, in the order of the file."""
    found: list[NodeSyntax] = []
    stack = list(nodes)[::-1]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(_nodes(node, "children")[::-1])
    return found
