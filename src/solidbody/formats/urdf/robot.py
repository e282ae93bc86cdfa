"""Rewrites a URDF robot as a body file, since Choreonoid takes URDF for bodies too.

Unlike a body file, URDF lets joints stop at their limits and be slowed by damping and friction; links
without `inertial` have no mass. The root moves freely unless it is called "world".

Source: ROS wiki, XML robot description format (urdf/XML/robot, link, joint).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.transforms import quat_from_axis_angle, quat_multiply, quat_to_axis_angle
from solidbody.formats.choreonoid.keys.yaml_tree import Plain, YamlMap, yaml_map_of
from solidbody.formats.urdf.xacro import XacroFiles, expanded, is_xacro
from solidbody.formats.urdf.xml_tree import XmlElement, parse_xml

WORLD: Final = "world"
"""Name of a root link that stands for the world itself, by ROS' custom."""

_TYPES: Final = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "fixed",
}
"""Joint types as body files call them."""

_KNOWN: Final = {
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual", "collision"),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh"),
}
"""Elements that are read in others."""

_MOMENTS: Final = ("ixx", "ixy", "ixz", "ixy", "iyy", "iyz", "ixz", "iyz", "izz")

_Keys = dict[str, Plain]


def urdf_body(text: str, file: str, files: XacroFiles, log: DiagnosticLog) -> YamlMap | None:
    """Return a robot as what a body file holds, or None after a message.

    Args:
        text: What the file holds.
        file: Its name.
        files: Finds files that macros take in.
        log: Takes all messages.
    """
    robot = parse_xml(text, file, log)
    if robot is None:
        return None
    if robot.tag != "robot":
        said = f"the outermost element of URDF is <robot>, got <{robot.tag}>."
        log.error("wrong-format", robot.span, said)
        return None
    if is_xacro(robot):
        robot = expanded(robot, files, log)
    return _Reader(file, log).body(robot)


@dataclass(slots=True)
class _Reader:
    file: str
    log: DiagnosticLog
    colors: dict[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]])
    joint_count: int = 0

    def body(self, robot: XmlElement) -> YamlMap | None:
        self._note_left_out(robot)
        for material in robot.walk():
            if material.tag == "material":
                self._color(material)
        joints: dict[str, XmlElement] = {}
        for joint in robot.all("joint"):
            child = self._end(joint, "child")
            if child is not None and joints.setdefault(child, joint) is not joint:
                said = f'the link "{child}" is the child of two joints; this one is left out.'
                self._error("two-parents", joint, said)
        links = list(robot.all("link"))
        names = [link.attributes.get("name", "") for link in links]
        for child, joint in joints.items():
            if child not in names:
                said = f'no link is named "{child}"; the joint is left out.'
                self._error("unknown-link", joint, said + did_you_mean(child, names))
        root = next((name for name in names if name not in joints), None)
        if root is None:
            said = "it has no links." if not links else "every link is the child of a joint."
            self._error("no-body", robot, f"the robot has no root link: {said}")
            return None
        body: _Keys = {
            "format": "ChoreonoidBody",
            "formatVersion": 1.0,
            "angleUnit": "radian",
            "name": robot.attributes.get("name") or PurePath(self.file).stem,
            "rootLink": root,
            "links": [
                self._link(link, joints.get(name)) for link, name in zip(links, names, strict=True)
            ],
        }
        return yaml_map_of(body, robot.span)

    # ------------------------------------------------------------------------------------------ links

    def _link(self, link: XmlElement, joint: XmlElement | None) -> YamlMap:
        self._note_left_out(link)
        name = link.attributes.get("name", "")
        keys: _Keys = {"name": name}
        if joint is not None:
            keys |= self._joint(joint)
        elif name != WORLD:
            keys["jointType"] = "free"
        parts: list[Plain] = [self._mass(link.first("inertial"), link)]
        for tag, kind in (("visual", "Visual"), ("collision", "Collision")):
            for shape in link.all(tag):
                form = self._form(shape)
                if form is not None:
                    part = {"type": kind, **self._place(shape.first("origin")), "elements": [form]}
                    parts.append(yaml_map_of(part, shape.span))
        keys["elements"] = parts
        return yaml_map_of(keys, link.span)

    def _mass(self, inertial: XmlElement | None, link: XmlElement) -> Plain:
        body: _Keys = {"type": "RigidBody"}
        if inertial is None:
            return yaml_map_of(body, link.span)
        mass, inertia = inertial.first("mass"), inertial.first("inertia")
        body |= self._place(inertial.first("origin"))
        if mass is not None:
            body["mass"] = self._number(mass, "value", 0.0)
        if inertia is not None:
            moments = {name: self._number(inertia, name, 0.0) for name in set(_MOMENTS)}
            body["inertia"] = [moments[name] for name in _MOMENTS]
        return yaml_map_of(body, inertial.span)

    def _form(self, shape: XmlElement) -> Plain | None:
        """Return the element that draws a `visual` or `collision`, or None after a message."""
        geometry = shape.first("geometry")
        known = _KNOWN["geometry"]
        form = None if geometry is None else next(iter(geometry.children), None)
        if geometry is None or form is None or form.tag not in known:
            got = "nothing" if form is None else f"<{form.tag}>"
            guess = "" if form is None else did_you_mean(form.tag, known)
            said = f"expected a geometry of {', '.join(known)}, got {got}; it is left out.{guess}"
            self._error("geometry", geometry or shape, said)
            return None
        if form.tag == "mesh":
            return self._mesh(form, shape)
        solid: _Keys = {"type": form.tag.capitalize()}
        if form.tag == "box":
            solid["size"] = self._numbers(form, "size", (1.0, 1.0, 1.0))
        else:
            solid["radius"] = self._number(form, "radius", 1.0)
        if form.tag in ("cylinder", "capsule"):
            solid["height"] = self._number(form, "length", 1.0)
        turned: _Keys = {} if "height" not in solid else {"rotation": [1.0, 0.0, 0.0, math.pi / 2]}
        drawn = {"type": "Shape", **turned, "geometry": solid, **self._look(shape)}
        return yaml_map_of(drawn, form.span)  # body files have cylinders stand along y

    def _mesh(self, mesh: XmlElement, shape: XmlElement) -> Plain:
        uri = mesh.attributes.get("filename", "")
        scale = self._numbers(mesh, "scale", (1.0, 1.0, 1.0))
        shown: _Keys = {"type": "Resource", "uri": uri}
        if PurePath(uri).suffix.lower() == ".stl":  # one mesh, and no colours of its own
            shown = {"type": "Shape", "geometry": shown, **self._look(shape)}
        return yaml_map_of({"type": "Transform", "scale": scale, "elements": [shown]}, mesh.span)

    # ----------------------------------------------------------------------------------------- joints

    def _joint(self, joint: XmlElement) -> _Keys:
        self._note_left_out(joint)
        keys: _Keys = {
            "joint_name": joint.attributes.get("name", ""),
            **self._place(joint.first("origin")),
        }
        parent = self._end(joint, "parent")
        if parent is not None:
            keys["parent"] = parent
        written = joint.attributes.get("type", "")
        if written not in _TYPES:
            said = f'expected one of {", ".join(_TYPES)}, got "{written}"; the joint is fixed.'
            self._error("joint-type", joint, said + did_you_mean(written, _TYPES), "type")
        elif written == "planar":
            said = "planar joints are held fixed here."
            self.log.warning("planar-joint", joint.span, said, node=_label(joint), field="type")
        kind = keys["jointType"] = _TYPES.get(written, "fixed")
        if kind not in ("revolute", "prismatic"):
            return keys
        axis = joint.first("axis")
        keys["jointAxis"] = self._axis(axis)
        keys["jointId"] = self.joint_count
        self.joint_count += 1
        limit, dynamics = joint.first("limit"), joint.first("dynamics")
        if limit is not None:
            keys |= self._limits(limit, joint, is_endless=written == "continuous")
        if dynamics is not None:
            for ours, theirs in (("jointDamping", "damping"), ("jointFriction", "friction")):
                keys[ours] = self._number(dynamics, theirs, 0.0)
        mimic = joint.first("mimic")
        if mimic is not None:
            said = (
                f'it does not follow "{mimic.attributes.get("joint", "")}" here but moves freely.'
            )
            self.log.warning("mimic-joint", mimic.span, said, node=_label(joint), field="mimic")
        return keys

    def _limits(self, limit: XmlElement, joint: XmlElement, *, is_endless: bool) -> _Keys:
        """Return the limits of a joint; exporters write 0 for those that they do not know."""
        keys: _Keys = {}
        low, high = (self._number(limit, name, 0.0) for name in ("lower", "upper"))
        if low != high and not is_endless:
            keys["jointRange"] = [low, high]
        elif not is_endless:
            said = f"both ends of its range are {low:g}; it is not stopped at all."
            self.log.warning("empty-range", limit.span, said, node=_label(joint), field="limit")
        for ours, theirs in (("maxJointVelocity", "velocity"), ("max_joint_effort", "effort")):
            number = self._number(limit, theirs, 0.0)
            if number != 0.0:
                keys[ours] = number
        return keys

    def _end(self, joint: XmlElement, tag: str) -> str | None:
        """Return the link at an end of a joint, or None after a message."""
        end = joint.first(tag)
        link = "" if end is None else end.attributes.get("link", "")
        if link:
            return link
        self._error("missing-key", joint, f'a joint needs <{tag} link="...">; it is left out.')
        return None

    def _axis(self, axis: XmlElement | None) -> Sequence[float]:
        x_axis = (1.0, 0.0, 0.0)
        if axis is None:
            return x_axis
        numbers = self._numbers(axis, "xyz", x_axis)
        length = math.hypot(*numbers)
        if length == 0.0:
            self._error("null-axis", axis, "the axis has no direction; 1 0 0 is used.", "xyz")
            return x_axis
        return [number / length for number in numbers]

    # ------------------------------------------------------------------------------------------ parts

    def _place(self, origin: XmlElement | None) -> _Keys:
        if origin is None:
            return {}
        roll, pitch, yaw = self._numbers(origin, "rpy", (0.0, 0.0, 0.0))
        turn = quat_multiply(
            quat_from_axis_angle((0.0, 0.0, 1.0), yaw),
            quat_multiply(
                quat_from_axis_angle((0.0, 1.0, 0.0), pitch),
                quat_from_axis_angle((1.0, 0.0, 0.0), roll),
            ),
        )
        axis, angle = quat_to_axis_angle(turn)
        place = self._numbers(origin, "xyz", (0.0, 0.0, 0.0))
        return {"translation": place, "rotation": [*axis, angle]}

    def _color(self, material: XmlElement) -> None:
        """Keep the colour of a material for those that only name it."""
        color = material.first("color")
        if color is not None:
            rgba = self._numbers(color, "rgba", (1.0, 1.0, 1.0, 1.0))
            self.colors.setdefault(material.attributes.get("name", ""), rgba)

    def _look(self, shape: XmlElement) -> _Keys:
        material = shape.first("material")
        if material is None:
            return {}
        color = material.first("color")
        name = material.attributes.get("name", "")
        if color is not None:
            rgba = self._numbers(color, "rgba", (1.0, 1.0, 1.0, 1.0))
        elif name in self.colors:
            rgba = self.colors[name]
        else:
            said = f'no material "{name}" has a colour; the shape is white.'
            guess = did_you_mean(name, self.colors)
            self.log.warning("material", material.span, said + guess, node=_label(shape))
            return {}
        red, green, blue, alpha = rgba
        diffuse = {"diffuse": (red, green, blue), "transparency": 1.0 - alpha}
        return {"appearance": {"material": diffuse}}

    def _number(self, element: XmlElement, name: str, default: float) -> float:
        return self._numbers(element, name, (default,))[0]

    def _numbers(
        self, element: XmlElement, name: str, default: tuple[float, ...]
    ) -> tuple[float, ...]:
        """Return as many numbers as the default has; the default without the attribute or after a message."""
        written = element.attributes.get(name)
        if written is None:
            return default
        try:
            numbers = tuple(map(float, written.replace(",", " ").split()))
        except ValueError:
            numbers = ()
        if len(numbers) == len(default) and all(map(math.isfinite, numbers)):
            return numbers
        count = "a number" if len(default) == 1 else f"{len(default)} numbers"
        used = " ".join(f"{number:g}" for number in default)
        said = f'expected {count}, got "{written}"; {used} is used.'
        self._error("wrong-value", element, said, name)
        return default

    # --------------------------------------------------------------------------------------- messages

    def _note_left_out(self, element: XmlElement) -> None:
        """Say once for each tag what is not read in an element."""
        known = _KNOWN[element.tag]
        for tag in dict.fromkeys(child.tag for child in element.children):
            if tag not in known:
                said = f"<{tag}> in <{element.tag}> is not read.{did_you_mean(tag, known)}"
                first = next(element.all(tag))
                self.log.info("unread-element", first.span, said, node=_label(element))

    def _error(self, code: str, element: XmlElement, text: str, name: str = "") -> None:
        self.log.error(code, element.span, text, node=_label(element), field=name)


def _label(element: XmlElement) -> str:
    name = element.attributes.get("name")
    return f"<{element.tag}>" if name is None else f'<{element.tag} name="{name}">'
