"""Reads robots in URDF: links, joints, masses, forms and colours, with or without xacro's macros.

Joints stop at their limits and are slowed by damping and friction; links without `inertial` have no mass.
The root moves freely unless it is called "world".

Source: ROS wiki, XML robot description format (urdf/XML/robot, link, joint).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3, norm, quat_from_axis_angle, quat_multiply, scale
from solidbody.formats.geometry.trees import TreePart
from solidbody.formats.link_trees.assembling import assembled, link_tree
from solidbody.formats.link_trees.drafts import BodyDraft, JointDraft, JointKind, LinkDraft
from solidbody.formats.link_trees.mesh_files import BodyMeshes
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.link_trees.node_transforms import place_from_pose, scaled_place
from solidbody.formats.link_trees.sizes import Primitive, checked_form
from solidbody.formats.urdf.gazebo import GazeboTags, material_of, read_gazebo
from solidbody.formats.urdf.masses import tells_masses, with_masses_of_forms
from solidbody.formats.urdf.mimics import Mimics, read_mimics
from solidbody.formats.urdf.xacro import expanded, is_xacro
from solidbody.formats.xml_tree import XmlElement, parse_xml
from solidbody.model.appearance import Appearance
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.geometry import (
    GeometryBox,
    GeometryCapsule,
    GeometryCylinder,
    GeometrySphere,
)
from solidbody.model.joints import Stops
from solidbody.model.links import Body
from solidbody.model.mass import MassProperties
from solidbody.model.shapes import Shape, ShapeRole

WORLD: Final = "world"
"""Name of a root link that stands for the world itself, by ROS' custom."""

_TYPES: Final = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.REVOLUTE,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
    "floating": JointKind.FREE,
    "planar": JointKind.FIXED,
}

_KNOWN: Final = {
    "robot": ("link", "joint", "material", "gazebo", "transmission"),
    "link": ("inertial", "visual", "collision"),
    "joint": (
        "origin",
        "parent",
        "child",
        "axis",
        "limit",
        "dynamics",
        "mimic",
        "safety_controller",
    ),
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh"),
}
"""Elements that are read in others."""

_MOMENTS: Final = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")

_SIZES: Final = {"height": "length"}
"""Attributes of sizes that are called otherwise in the model."""

_ROLES: Final = {"visual": ShapeRole.VISUAL, "collision": ShapeRole.COLLISION}

_MATT: Final = Appearance(specular=(0.0, 0.0, 0.0), shininess=25.0 / 128.0, ambient=1.0)
"""How a surface looks of which nothing but the colour is known."""


def read_robot(text: str, file: str, meshes: BodyMeshes, log: DiagnosticLog) -> Body | None:
    """Return the body of a robot, or None after a message.

    Args:
        text: What the file holds.
        file: Its name; what it names is relative to it.
        meshes: Finds and reads other files.
        log: Takes all messages.
    """
    messages = Messages(log)
    draft = robot_draft(text, file, meshes, messages)
    return None if draft is None else assembled(draft, link_tree(draft, messages), messages)


def robot_draft(text: str, file: str, meshes: BodyMeshes, messages: Messages) -> BodyDraft | None:
    """Return a robot before its links are put in order, or None after a message."""
    robot = parse_xml(text, file, messages.log)
    if robot is None:
        return None
    if robot.tag != "robot":
        said = f"the outermost element of URDF is <robot>, got <{robot.tag}>."
        messages.log.error("wrong-format", robot.span, said)
        return None
    if is_xacro(robot):
        robot = expanded(robot, meshes, messages.log, meshes.files.xacro_args)
    return _Reader(meshes, messages).draft(robot, PurePath(file).stem)


@dataclass(slots=True)
class _Reader:
    meshes: BodyMeshes
    messages: Messages
    looks: dict[str, Appearance] = field(default_factory=dict[str, Appearance])
    joint_count: int = 0
    gazebo: GazeboTags | None = None

    def draft(self, robot: XmlElement, file_name: str) -> BodyDraft | None:
        self._note_left_out(robot)
        for material in robot.walk():
            color = material.first("color") if material.tag == "material" else None
            if color is not None:  # kept for those that only name it
                self.looks.setdefault(material.attributes.get("name", ""), self._color(color))
        links = list(robot.all("link"))
        names = dict.fromkeys(link.attributes.get("name", "") for link in links)
        joints = self._joints(robot, names)
        root = next((name for name in names if name not in joints), None)
        if root is None:
            said = "it has no links." if not links else "every link is the child of a joint."
            self._spot(robot).error("no-body", f"the robot has no root link: {said}")
            return None
        mimics = read_mimics(joints, self._number, self.messages)
        moved = {joint.attributes.get("name", ""): link for link, joint in joints.items()}
        self.gazebo = read_gazebo(robot, names, moved, self.messages)
        self._check_transmissions(robot, moved)
        made = [self._link(link, joints, mimics, root, names) for link in links]
        if not tells_masses(made):
            made = with_masses_of_forms(made, root)
            said = "no link has a mass: the root stands still, the others weigh as water in their forms."
            self._spot(robot).warning("no-mass", said)
        name = robot.attributes.get("name") or file_name
        return BodyDraft(name, robot.span, root, made, couplings=list(mimics.couplings.values()))

    # ------------------------------------------------------------------------------------------ links

    def _joints(self, robot: XmlElement, names: Mapping[str, object]) -> dict[str, XmlElement]:
        """Return joints by the link that each one moves."""
        joints: dict[str, XmlElement] = {}
        called: set[str] = set()
        for joint in robot.all("joint"):
            child = self._end(joint, "child")
            spot, name = self._spot(joint), joint.attributes.get("name", "")
            if child is not None and child not in names:
                guess = self.messages.guess(child, names.keys())
                text = f'no link is named "{child}"; the joint is left out.'
                spot.error("unknown-link", text + guess)
            elif child in joints:
                said = f'the link "{child}" is the child of two joints; this one is left out.'
                spot.error("two-parents", said)
            elif child is not None:
                joints[child] = joint
                if name and name in called:
                    said = "another joint has this name; one of them gets a number."
                    spot.error("duplicate-name", said)
                called.add(name)
        return joints

    def _link(
        self,
        link: XmlElement,
        joints: Mapping[str, XmlElement],
        mimics: Mimics,
        root: str,
        names: Mapping[str, object],
    ) -> LinkDraft:
        self._note_left_out(link)
        name = link.attributes.get("name", "")
        joint = joints.get(name)
        parent = None if joint is None else self._parent(joint, names)
        is_lost = parent is None and name != root
        if joint is None and is_lost:
            said = f'it is the child of no joint, and the root is "{root}"; left out.'
            self._spot(link).error("no-parent", said)
        if joint is None:
            kind = JointKind.FIXED if name == WORLD else JointKind.FREE
            offset, motion = Pose(), JointDraft(kind, span=link.span)
        else:
            offset = self._pose(joint.first("origin"))
            motion = self._joint(joint, mimics.starts.get(name))
        shapes = tuple(
            shape for tag in _ROLES for element in link.all(tag) for shape in self._shapes(element)
        )
        said = self.gazebo
        friction = None if said is None else said.friction.get(name)
        return LinkDraft(
            name,
            "" if joint is None else joint.attributes.get("name", ""),
            parent,
            offset,
            motion,
            self._mass(link.first("inertial")),
            shapes,
            _label(link),
            link.span,
            devices=() if said is None else said.devices(name, shapes),
            material=DEFAULT_MATERIAL if friction is None else material_of(friction),
            is_lost=is_lost,
        )

    def _mass(self, inertial: XmlElement | None) -> MassProperties:
        if inertial is None:
            return MassProperties(0.0)
        mass, inertia = inertial.first("mass"), inertial.first("inertia")
        value = 0.0 if mass is None else self._number(mass, "value", 0.0)
        if mass is not None and value < 0.0:
            said = f"a mass is not negative, got {value:g}; 0 is used."
            self._spot(mass, "value").error("negative-mass", said)
        xx, yy, zz, xy, xz, yz = (
            0.0 if inertia is None else self._number(inertia, name, 0.0) for name in _MOMENTS
        )
        place = place_from_pose(self._pose(inertial.first("origin")))
        tensor = place.tensor((xx, yy, zz, xy, xz, yz))
        if not all(map(math.isfinite, tensor)):  # numbers like 1e308 overflow
            said = "inertias this large cannot be turned; there is no mass."
            self._spot(inertial).error("not-finite", said)
            value = 0.0
        if value <= 0.0:
            return MassProperties(0.0)
        return MassProperties(value, place.position, tensor)

    # ----------------------------------------------------------------------------------------- joints

    def _joint(self, joint: XmlElement, start: float | None) -> JointDraft:
        """Return a joint; `start` is where one that follows another starts, None for all others."""
        self._note_left_out(joint)
        written = joint.attributes.get("type", "")
        kind = _TYPES.get(written, JointKind.FIXED)
        spot = self._spot(joint, "type")
        if written not in _TYPES:
            said = f'expected one of {", ".join(_TYPES)}, got "{written}"; the joint is fixed.'
            spot.error("joint-type", said + self.messages.guess(written, _TYPES))
        elif written == "planar":
            spot.warning("planar-joint", "planar joints are held fixed here.")
        if kind not in (JointKind.REVOLUTE, JointKind.PRISMATIC):
            return JointDraft(kind, span=joint.span)
        number = None
        if start is None:  # a joint that follows another one is not commanded by itself
            number = self.joint_count
            self.joint_count += 1
        return JointDraft(
            kind,
            self._axis(joint.first("axis")),
            position=start or 0.0,
            number=number,
            span=joint.span,
            **{
                **self._limits(joint, is_endless=written == "continuous"),
                **self._soft_limits(joint.first("safety_controller")),
            },
            **self._resistance(joint.first("dynamics")),
        )

    def _limits(self, joint: XmlElement, *, is_endless: bool) -> dict[str, Any]:
        """Return the limits of a joint; exporters write 0 for those that they do not know."""
        limit = joint.first("limit")
        if limit is None:
            return {}
        made: dict[str, Any] = {}
        spot = Spot(self.messages, limit.span, _label(joint), "limit")
        low, high = (self._number(limit, name, 0.0) for name in ("lower", "upper"))
        if low > high and not is_endless:
            text = f"the range [{low:g}, {high:g}] is upside down; it is turned."
            spot.warning("range-order", text)
            low, high = high, low
        if low != high and not is_endless:
            made |= {"rated_range": (low, high), "stops": Stops(low, high)}
        elif not is_endless:
            text = f"both ends of its range are {low:g}; it is not stopped at all."
            spot.warning("empty-range", text)
        for name in ("velocity", "effort"):
            most = self._number(limit, name, 0.0)
            if most < 0.0:
                text = f"a limit is not negative, got {most:g}; none is set."
                self._spot(limit, name).error("wrong-value", text)
            elif most > 0.0:
                made[f"{name}_limit"] = most
        return made

    def _soft_limits(self, safety: XmlElement | None) -> dict[str, Any]:
        """Return the range within which a motor may be commanded."""
        if safety is None:
            return {}
        low, high = (self._number(safety, f"soft_{end}_limit", 0.0) for end in ("lower", "upper"))
        if low > high:
            text = f"the range [{low:g}, {high:g}] is upside down; it is turned."
            self._spot(safety).warning("range-order", text)
            low, high = high, low
        return {"rated_range": (low, high)} if low != high else {}

    def _check_transmissions(self, robot: XmlElement, moved: Mapping[str, str]) -> None:
        """Say which transmissions drive nothing; motors here are those of joints, whatever drives them."""
        for transmission in robot.all("transmission"):
            for joint in transmission.all("joint"):
                name = joint.attributes.get("name", "")
                if name not in moved:
                    guess = self.messages.guess(name, moved.keys())
                    said = f'no joint is named "{name}"; it drives nothing.{guess}'
                    self._spot(joint, "name").warning("unknown-joint", said)

    def _resistance(self, dynamics: XmlElement | None) -> dict[str, Any]:
        if dynamics is None:
            return {}
        made: dict[str, Any] = {}
        for name in ("damping", "friction"):
            number = self._number(dynamics, name, 0.0)
            if number < 0.0:
                text = f"it is not negative, got {number:g}; 0 is used."
                self._spot(dynamics, name).error("wrong-value", text)
            made[name] = max(number, 0.0)
        return made

    def _parent(self, joint: XmlElement, names: Mapping[str, object]) -> str | None:
        """Return the link that a joint hangs on, or None after a message."""
        parent = self._end(joint, "parent")
        if parent is None or parent in names:
            return parent
        guess = self.messages.guess(parent, names.keys())
        said = f'no link is named "{parent}"; what hangs on it is left out.{guess}'
        self._spot(joint, "parent").error("unknown-parent", said)
        return None

    def _end(self, joint: XmlElement, tag: str) -> str | None:
        """Return the link at an end of a joint, or None after a message."""
        end = joint.first(tag)
        link = "" if end is None else end.attributes.get("link", "")
        if link:
            return link
        said = f'a joint needs <{tag} link="...">; it is left out.'
        self._spot(joint).error("missing-key", said)
        return None

    def _axis(self, axis: XmlElement | None) -> Vec3:
        x_axis = (1.0, 0.0, 0.0)
        if axis is None:
            return x_axis
        numbers = self._vector(axis, "xyz", x_axis)
        length = norm(numbers)
        if 1e-12 < length < math.inf:
            return scale(numbers, 1.0 / length)
        said = "the axis has no direction; 1 0 0 is used."
        self._spot(axis, "xyz").error("null-axis", said)
        return x_axis

    # ----------------------------------------------------------------------------------------- shapes

    def _shapes(self, element: XmlElement) -> Iterator[Shape]:
        """Yield the shapes of a `visual` or `collision`; none after a message."""
        geometry = element.first("geometry")
        known = _KNOWN["geometry"]
        form = None if geometry is None else next(iter(geometry.children), None)
        if geometry is None or form is None or form.tag not in known:
            got = "nothing" if form is None else f"<{form.tag}>"
            guess = "" if form is None else self.messages.guess(form.tag, known)
            said = f"expected a geometry of {', '.join(known)}, got {got}; it is left out.{guess}"
            self._spot(geometry or element).error("geometry", said)
            return
        made = list(self._formed(form, self._pose(element.first("origin")), _ROLES[element.tag]))
        plain = any(shape.appearance is None for shape in made)
        look = self._look(element) if plain else None
        for shape in made:  # a mesh with colours of its own keeps them
            yield replace(shape, appearance=shape.appearance or look)

    def _formed(self, form: XmlElement, pose: Pose, role: ShapeRole) -> Iterator[Shape]:
        place = place_from_pose(pose)
        if form.tag == "mesh":
            factors = self._vector(form, "scale", (1.0, 1.0, 1.0))
            place *= scaled_place(Pose(), factors, self._spot(form, "scale"))
            uri, spot = form.attributes.get("filename", ""), self._spot(form, "filename")
            if not uri:
                spot.error("missing-key", "a mesh needs the name of a file; it is left out.")
                return
            path = self.meshes.path(uri, form.span.file, spot)
            tree = None if path is None else self.meshes.named_tree(path, uri, spot)
            if tree is not None:
                parts = self.meshes.parts(tree, uri, spot)
                yield from self.meshes.shapes(parts, spot, place, role)
            return
        geometry = self._geometry(form)
        spot = self._spot(form)
        shape = (
            None if geometry is None else self.meshes.shape(spot, TreePart(geometry), place, role)
        )
        if shape is not None:
            yield shape

    def _geometry(self, form: XmlElement) -> Primitive | None:
        if form.tag == "box":
            made: Primitive = GeometryBox(self._vector(form, "size", (1.0, 1.0, 1.0)))
        elif form.tag == "sphere":
            made = GeometrySphere(self._number(form, "radius", 1.0))
        else:
            kind = GeometryCylinder if form.tag == "cylinder" else GeometryCapsule
            made = kind(self._number(form, "radius", 1.0), self._number(form, "length", 1.0))
        return checked_form(made, lambda size: self._spot(form, _SIZES.get(size, size)))

    def _look(self, element: XmlElement) -> Appearance | None:
        material = element.first("material")
        if material is None:
            return None
        color = material.first("color")
        name = material.attributes.get("name", "")
        if color is not None:
            return self._color(color)
        if name not in self.looks:
            said = f'no material "{name}" has a colour; the shape is white.'
            guess = self.messages.guess(name, self.looks.keys())
            spot = Spot(self.messages, material.span, _label(element))
            spot.warning("material", said + guess)
        return self.looks.get(name)

    def _color(self, color: XmlElement) -> Appearance:
        rgba = self._numbers(color, "rgba", (1.0, 1.0, 1.0, 1.0))
        red, green, blue, alpha = (min(max(number, 0.0), 1.0) for number in rgba)
        if (red, green, blue, alpha) != rgba:
            said = f'expected 4 numbers from 0 to 1, got "{color.attributes["rgba"]}"; cut to that.'
            self._spot(color, "rgba").warning("wrong-value", said)
        return replace(_MATT, base_color=(red, green, blue), transparency=1.0 - alpha)

    # ---------------------------------------------------------------------------------------- numbers

    def _pose(self, origin: XmlElement | None) -> Pose:
        if origin is None:
            return Pose()
        roll, pitch, yaw = self._vector(origin, "rpy", (0.0, 0.0, 0.0))
        turn = quat_multiply(
            quat_from_axis_angle((0.0, 0.0, 1.0), yaw),
            quat_multiply(
                quat_from_axis_angle((0.0, 1.0, 0.0), pitch),
                quat_from_axis_angle((1.0, 0.0, 0.0), roll),
            ),
        )
        return Pose(self._vector(origin, "xyz", (0.0, 0.0, 0.0)), turn)

    def _number(self, element: XmlElement, name: str, default: float) -> float:
        return self._numbers(element, name, (default,))[0]

    def _vector(self, element: XmlElement, name: str, default: Vec3) -> Vec3:
        x, y, z = self._numbers(element, name, default)
        return (x, y, z)

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
        self._spot(element, name).error("wrong-value", said)
        return default

    # --------------------------------------------------------------------------------------- messages

    def _note_left_out(self, element: XmlElement) -> None:
        """Say once for each tag what is not read in an element."""
        known = _KNOWN[element.tag]
        for tag in dict.fromkeys(child.tag for child in element.children):
            if tag not in known:
                guess = self.messages.guess(tag, known)
                first = next(element.all(tag))
                spot = Spot(self.messages, first.span, _label(element))
                spot.info("unread-element", f"<{tag}> in <{element.tag}> is not read.{guess}")

    def _spot(self, element: XmlElement, name: str = "") -> Spot:
        return Spot(self.messages, element.span, _label(element), name)


def _label(element: XmlElement) -> str:
    name = element.attributes.get("name")
    return f"<{element.tag}>" if name is None else f'<{element.tag} name="{name}">'
