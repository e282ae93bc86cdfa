"""Models of SDF as bodies: the tree of links that joints make, loops that they close, what follows what.

SDF gives the place of every link in the model and joins links by joints in any way. A link hangs on
the parent of its first joint; where it hangs already, the other end hangs on it instead, turned round; what
is left closes a loop. Links that hang on nothing move freely; models that are `static` do not move.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from solidbody.base.transforms import Pose, Vec3, scale
from solidbody.formats.link_trees.assembling import NO_CONTROLLER
from solidbody.formats.sdf.frames import MODEL, FrameScope
from solidbody.formats.sdf.sensors import read_sensor
from solidbody.formats.sdf.shapes import SdfShapes, turn_of_z
from solidbody.formats.sdf.surfaces import SurfaceTable, read_surface
from solidbody.formats.sdf.values import Values
from solidbody.formats.webots.lower.mass import geometry_mass
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.formats.xml_tree import XmlElement
from solidbody.model.devices import Device
from solidbody.model.joints import (
    Coupling,
    Joint,
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    Loop,
    LoopAttachment,
    LoopBall,
    LoopFixed,
    LoopHinge,
    Stops,
)
from solidbody.model.links import Body, CollisionRules, Link, Motion, Robot
from solidbody.model.mass import MassProperties, combined
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.shapes import Shape, ShapeRole

WORLD: Final = "world"

MOST_LINKS: Final = 5_000
"""Links of one model; a body of more would take minutes to compile."""

ENDLESS: Final = 1e15
"""Limits beyond this are none: SDF writes 1e16 for those that are not there."""

WATER: Final = 1000.0
"""[kg/m^3] Density of what says that its inertia follows from its forms."""

KINDS: Final = (
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "ball",
    "universal",
    "revolute2",
    "screw",
    "gearbox",
)
"""Types of joints."""

_KNOWN: Final = {
    "model": (
        *("link", "joint", "frame", "model", "pose", "static", "self_collide"),
        *("allow_auto_disable", "enable_wind"),
    ),
    "link": (
        *(
            "pose",
            "inertial",
            "visual",
            "collision",
            "sensor",
            "light",
            "self_collide",
            "kinematic",
        ),
        *("gravity", "enable_wind", "must_be_base_link", "velocity_decay"),
    ),
}
"""Elements that are read, or that change nothing here."""


@dataclass(slots=True)
class _FlatLink:
    """A link of a model or of one nested in it."""

    name: str
    element: XmlElement
    pose: Pose


@dataclass(slots=True)
class _FlatJoint:
    """A joint between two links, by their names; the parent may be the world.

    Attributes:
        pose: Of its frame in the model.
        frames: Reads where axes are given.
    """

    name: str
    element: XmlElement
    parent: str
    child: str
    pose: Pose
    scope: FrameScope
    prefix: str


@dataclass(slots=True)
class ModelReader:
    """Reads the models of one file.

    Attributes:
        values: Reads numbers.
        shapes: Reads forms.
        surfaces: Names contact materials.
        lights: Called for each light of a link, with the path of the link.
    """

    values: Values
    shapes: SdfShapes
    surfaces: SurfaceTable
    lights: list[tuple[XmlElement, str]] = field(default_factory=list[tuple[XmlElement, str]])
    _names: UniqueNames = field(default_factory=UniqueNames)
    _link_names: UniqueNames = field(default_factory=UniqueNames)
    _joint_names: UniqueNames = field(default_factory=UniqueNames)

    def body(self, model: XmlElement, scope: FrameScope, place: Pose) -> Body | None:
        """Return a model that stands somewhere in the world, or None after a message."""
        name = self._names.take(model.attributes.get("name") or "model")
        links = list(self._links(scope, "", Pose()))
        if len(links) > MOST_LINKS:
            said = f"a model has at most {MOST_LINKS} links; the rest is left out."
            self.values.spot(model).error("too-many-links", said)
            links = links[:MOST_LINKS]
        if not links:
            self.values.spot(model).warning("no-body", "the model has no links; it is left out.")
            return None
        joints = list(self._joints(scope, "", {link.name for link in links}))
        return _ModelBody(self, model, scope, name, place, links, joints).made()

    # ---------------------------------------------------------------------------------------- flatten

    def _links(self, scope: FrameScope, prefix: str, home: Pose) -> Iterator[_FlatLink]:
        self._note_unread(scope.element)
        for name, element in scope.elements.items():
            pose = scope.pose(name)
            if pose is None:
                continue
            if element.tag == "link":
                self._note_unread(element)
                yield _FlatLink(prefix + name, element, home * pose)
            elif element.tag == "model":
                yield from self._links(scope.nested[name], f"{prefix}{name}::", home * pose)

    def _joints(self, scope: FrameScope, prefix: str, links: set[str]) -> Iterator[_FlatJoint]:
        for name, element in scope.elements.items():
            if element.tag == "model":
                yield from self._joints(scope.nested[name], f"{prefix}{name}::", links)
            if element.tag != "joint":
                continue
            ends = [self._end(scope, element, tag, prefix, links) for tag in ("parent", "child")]
            parent, child = ends
            if parent is None or child is None:
                continue
            pose, home = scope.pose(name), _home(scope)
            if child in (WORLD, parent):
                said = "the child of a joint is a link that is not its parent; it is left out."
                self.values.spot(element, "child").error("unknown-link", said)
                continue
            yield _FlatJoint(
                prefix + name, element, parent, child, home * (pose or Pose()), scope, prefix
            )

    def _end(
        self, scope: FrameScope, joint: XmlElement, tag: str, prefix: str, links: set[str]
    ) -> str | None:
        """Return the link at an end of a joint, or None after a message."""
        found = joint.first(tag)
        written = self.values.word(joint, tag)
        if found is not None and not written:  # 1.5 and earlier: an element in it
            written = self.values.word(found, "link_name")
        spot = self.values.spot(joint, tag)
        if not written:
            spot.error("missing-key", f"a joint needs a <{tag}>; it is left out.")
            return None
        if written == WORLD and tag == "parent":
            return WORLD
        name = prefix + (scope.attached(written) if scope.has(written) else written)
        if name in links:
            return name
        known = [link.removeprefix(prefix) for link in links if link.startswith(prefix)]
        guess = self.values.messages.guess(written, known)
        spot.error("unknown-link", f'no link is named "{written}"; the joint is left out.{guess}')
        return None

    def _note_unread(self, element: XmlElement) -> None:
        known = _KNOWN[element.tag]
        for tag in dict.fromkeys(child.tag for child in element.children):
            if tag not in known:
                guess = self.values.messages.guess(tag, known)
                first = next(element.all(tag))
                said = f"<{tag}> in <{element.tag}> is not read.{guess}"
                self.values.spot(first).info("unread-element", said)

    def link_name(self, name: str) -> str:
        """Return a name that no other link of the scene has."""
        return self._link_names.take(name)

    def joint_name(self, name: str) -> str:
        """Return a name that no other joint of the scene has."""
        return self._joint_names.take(name)


def _home(scope: FrameScope) -> Pose:
    """Return where a scope stands in the outermost model."""
    pose = Pose()
    while scope.above is not None and scope.element.tag == "model":
        name = scope.element.attributes.get("name", "")
        if scope.above.element.tag != "model":
            break
        pose = (scope.above.pose(name) or Pose()) * pose
        scope = scope.above
    return pose


@dataclass(slots=True)
class _Edge:
    """What a link hangs on.

    Attributes:
        parent: The link above; None = the world.
        joint: As it is written.
        is_turned: Whether its child is above and its parent below.
    """

    parent: str | None
    joint: _FlatJoint
    is_turned: bool = False


@dataclass(slots=True)
class _ModelBody:
    reader: ModelReader
    model: XmlElement
    scope: FrameScope
    name: str
    place: Pose
    links: list[_FlatLink]
    joints: list[_FlatJoint]
    edges: dict[str, _Edge] = field(default_factory=dict[str, _Edge])
    loops: list[_FlatJoint] = field(default_factory=list[_FlatJoint])
    paths: dict[str, str] = field(default_factory=dict[str, str])
    poses: dict[str, Pose] = field(default_factory=dict[str, Pose])
    motor_count: int = 0
    device_names: UniqueNames = field(default_factory=UniqueNames)

    def made(self) -> Body:
        """Return the body."""
        values = self.reader.values
        is_static = values.flag(self.model, "static")
        self.poses = {link.name: self.place * link.pose for link in self.links}
        joints = [] if is_static else self.joints
        for joint in joints:
            self._hang(joint)
        ordered = self._ordered()
        places = {link.name: index for index, link in enumerate(ordered)}
        names = {link.name: self.reader.link_name(self._called(link.name)) for link in ordered}
        self.paths = {link: f"{self.name}:{name}" for link, name in names.items()}
        made: list[Link] = []
        for link in ordered:
            made.append(self._link(link, names[link.name], places, made, is_static))
        rules = CollisionRules(
            self_collision=values.flag(self.model, "self_collide"),
            chain_level=1,
            fixed_base_ignores_static=False,
            loop_ends_ignored=True,
            shared_anchor_ignored=False,
        )
        moves = any(link.devices or link.joint_number is not None for link in made)
        return Body(
            self.name,
            tuple(made),
            robots=(Robot(self.name, 0, NO_CONTROLLER, span=self.model.span),) if moves else (),
            loops=tuple(loop for joint in self.loops for loop in self._loop(joint)),
            collision=rules,
            couplings=tuple(self._couplings()),
            span=self.model.span,
        )

    def _called(self, name: str) -> str:
        """Return how a link is called in the scene: alone in its model, as the model."""
        return self.name if len(self.links) == 1 else name

    # ------------------------------------------------------------------------------------------- tree

    def _hang(self, joint: _FlatJoint) -> None:
        """Let a link hang on another one, or note that the joint closes a loop."""
        kind = joint.element.attributes.get("type", "")
        if kind == "gearbox":
            return
        parent = None if joint.parent == WORLD else joint.parent
        if joint.child not in self.edges and not self._is_above(joint.child, parent):
            self.edges[joint.child] = _Edge(parent, joint)
        elif (
            parent is not None
            and parent not in self.edges
            and not self._is_above(parent, joint.child)
            and kind in ("revolute", "continuous", "prismatic", "fixed")
        ):
            self.edges[parent] = _Edge(joint.child, joint, is_turned=True)
        else:
            self.loops.append(joint)

    def _is_above(self, link: str, start: str | None) -> bool:
        """Whether a link is found on the way up from another one."""
        at = start
        while at is not None:
            if at == link:
                return True
            edge = self.edges.get(at)
            at = None if edge is None else edge.parent
        return False

    def _ordered(self) -> list[_FlatLink]:
        """Return links with parents before children, else in the order of the file."""
        below: dict[str | None, list[_FlatLink]] = {}
        for link in self.links:
            edge = self.edges.get(link.name)
            below.setdefault(None if edge is None else edge.parent, []).append(link)
        stack = list(reversed(below.get(None, [])))
        ordered: list[_FlatLink] = []
        while stack:
            link = stack.pop()
            ordered.append(link)
            stack.extend(reversed(below.get(link.name, [])))
        return ordered

    # ------------------------------------------------------------------------------------------ links

    def _link(
        self,
        link: _FlatLink,
        name: str,
        places: dict[str, int],
        above: list[Link],
        is_static: bool,
    ) -> Link:
        values = self.reader.values
        edge = self.edges.get(link.name)
        parent = None if edge is None else edge.parent
        home = Pose() if parent is None else self.poses[parent]
        joint: Joint = JointFree()
        if is_static or values.flag(link.element, "kinematic"):
            joint = JointFixed()
        elif edge is not None:
            joint = self._joint(edge, home)
        holds = parent is None or above[places[parent]].motion is Motion.KINEMATIC
        stands = isinstance(joint, JointFixed) and holds
        number = None
        if isinstance(joint, JointHinge | JointSlider) and joint.axis.motor is not None:
            number = self.motor_count
            self.motor_count += 1
        shapes = tuple(self._shapes(link.element))
        path = self.paths[link.name]
        for light in link.element.all("light"):
            self.reader.lights.append((light, path))
        if values.word(link.element, "gravity") in ("0", "false"):
            said = "gravity acts on all links: <gravity> false is left out."
            values.spot(link.element, "gravity").warning("no-gravity-switch", said)
        return Link(
            name=name,
            path=path,
            pose=home.inverse() * self.poses[link.name],
            parent=None if parent is None else places[parent],
            joint=joint,
            joint_number=number,
            motion=Motion.KINEMATIC if stands else Motion.DYNAMIC,
            mass=None if stands else self._mass(link.element, shapes),
            shapes=shapes,
            devices=tuple(self._devices(link, edge, shapes)),
            span=link.element.span,
        )

    def _mass(self, link: XmlElement, shapes: tuple[Shape, ...]) -> MassProperties:
        values = self.reader.values
        inertial = link.first("inertial")
        if inertial is not None and inertial.attributes.get("auto", "false") in ("true", "1"):
            density = values.number(inertial, "density", WATER)
            parts = [
                mass.placed(shape.pose)
                for shape in shapes
                if shape.role is ShapeRole.COLLISION
                and (mass := geometry_mass(shape.geometry, density)) is not None
            ]
            if parts:
                return combined(parts)
            said = "there is no form to take the mass of: 1 kg stands for it."
            values.spot(inertial).warning("no-mass", said)
            return MassProperties(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
        mass = values.number(inertial, "mass", 1.0)
        if mass <= 0.0:
            said = f"a mass is above 0, got {mass:g}; 1 is used."
            values.spot(inertial or link, "mass").error("negative-mass", said)
            mass = 1.0
        inertia = None if inertial is None else inertial.first("inertia")
        usual = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0}
        xx, yy, zz, xy, xz, yz = (
            values.number(inertia, name, usual.get(name, 0.0))
            for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        )
        pose = values.pose(None if inertial is None else inertial.first("pose"))
        return MassProperties(mass, (0.0, 0.0, 0.0), (xx, yy, zz, xy, xz, yz)).placed(pose)

    def _shapes(self, link: XmlElement) -> Iterator[Shape]:
        values = self.reader.values
        for element in link.children:
            if element.tag not in ("visual", "collision"):
                continue
            pose = self._pose_in_link(element, link)
            if element.tag == "visual":
                yield from self.reader.shapes.shapes(element, pose, ShapeRole.VISUAL)
                continue
            called = f"{self.name} {element.attributes.get('name', 'collision')}"
            surface = read_surface(element, values)
            material = self.reader.surfaces.name(surface, called, element.span)
            for shape in self.reader.shapes.shapes(element, pose, ShapeRole.COLLISION):
                yield _with_material(shape, material)

    def _pose_in_link(self, element: XmlElement, link: XmlElement) -> Pose:
        """Return where a part is on its link; its pose may be given in a frame of the model."""
        written = element.first("pose")
        pose = self.reader.values.pose(written)
        base = None if written is None else written.attributes.get("relative_to")
        name = link.attributes.get("name", "")
        if base is None or base == name:
            return pose
        flat = next((flat for flat in self.links if flat.element is link), None)
        scope = self._scope_of(flat)
        found = None if scope is None else scope.pose(base)
        own = None if scope is None else scope.pose(name)
        if found is None or own is None:
            said = f'no frame is named "{base}"; that of the link is used.'
            self.reader.values.spot(element, "relative_to").error("unknown-frame", said)
            return pose
        return own.inverse() * found * pose

    def _scope_of(self, flat: _FlatLink | None) -> FrameScope | None:
        scope: FrameScope | None = self.scope
        for part in [] if flat is None else flat.name.split("::")[:-1]:
            scope = None if scope is None else scope.nested.get(part)
        return scope

    def _devices(
        self, link: _FlatLink, edge: _Edge | None, shapes: tuple[Shape, ...]
    ) -> Iterator[Device]:
        touching = tuple(
            number for number, shape in enumerate(shapes) if shape.role is ShapeRole.COLLISION
        )
        sensors = list(link.element.all("sensor"))
        if edge is not None:
            sensors += edge.joint.element.all("sensor")
        for sensor in sensors:
            place = self._pose_in_link(sensor, link.element)
            made = read_sensor(sensor, self.reader.values, place, touching)
            if made is not None:
                yield _renamed(made, self.device_names.take(made.name))

    # ----------------------------------------------------------------------------------------- joints

    def _joint(self, edge: _Edge, home: Pose) -> Joint:
        """Return the joint of a link; `home` is where the link above stands in the world."""
        flat, values = edge.joint, self.reader.values
        element = flat.element
        kind = element.attributes.get("type", "")
        name = self.reader.joint_name(flat.name)
        spot = values.spot(element, "type")
        if kind not in KINDS:
            guess = values.messages.guess(kind, KINDS)
            said = f'expected one of {", ".join(KINDS)}, got "{kind}"; the joint is fixed.{guess}'
            spot.error("joint-type", said)
        if kind == "screw":
            spot.warning("screw-joint", "screw joints are held fixed here.")
        place = home.inverse() * self.place * flat.pose
        span = element.span
        match kind:
            case "revolute" | "continuous":
                axis = self._axis(edge, "axis", place, name, is_endless=kind == "continuous")
                return JointHinge(name, axis, place.position, span=span)
            case "prismatic":
                return JointSlider(name, self._axis(edge, "axis", place, name), span)
            case "ball":
                turned = [
                    JointAxis(place.direction(x))
                    for x in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
                ]
                return JointBall(name, turned[0], turned[1], turned[2], place.position, span)
            case "universal" | "revolute2":
                one, two = (
                    self._axis(edge, tag, place, f"{name} {tag}") for tag in ("axis", "axis2")
                )
                return JointHinge2(name, one, two, place.position, span=span)
            case _:
                return JointFixed()

    def _axis(
        self, edge: _Edge, tag: str, place: Pose, name: str, *, is_endless: bool = False
    ) -> JointAxis:
        values = self.reader.values
        joint = edge.joint.element
        axis = joint.first(tag)
        usual = (0.0, 0.0, 1.0)
        direction = self._direction(edge.joint, axis, place, usual)
        if edge.is_turned:  # what was above is below: it goes the other way
            direction = scale(direction, -1.0)
        if axis is None:
            return JointAxis(direction)
        limit, dynamics = axis.first("limit"), axis.first("dynamics")
        low = values.number(limit, "lower", -math.inf)
        high = values.number(limit, "upper", math.inf)
        if low > high:
            said = f"the range [{low:g}, {high:g}] is upside down; it is turned."
            values.spot(limit or axis).warning("range-order", said)
            low, high = high, low
        has_low, has_high = low > -ENDLESS, high < ENDLESS
        stops = None
        if (has_low or has_high) and not is_endless:
            stops = Stops(low if has_low else -1e9, high if has_high else 1e9)
        effort, velocity = (values.number(limit, word, -1.0) for word in ("effort", "velocity"))
        effort, velocity = (
            most if 0.0 <= most < ENDLESS else math.inf for most in (effort, velocity)
        )
        follows = axis.first("mimic") is not None
        ends = None if stops is None else (stops.low, stops.high)
        motor = Motor(
            name,
            max_velocity=velocity,
            max_effort=effort,
            range=ends if has_low and has_high and not is_endless else None,
            mode=ControlMode.FREE,
            consumption=0.0,
            span=joint.span,
            rigid=True,
        )
        return JointAxis(
            direction,
            stops=stops,
            rated_range=ends,
            spring=max(values.number(dynamics, "spring_stiffness", 0.0), 0.0),
            spring_rest=values.number(dynamics, "spring_reference", 0.0),
            damping=max(values.number(dynamics, "damping", 0.0), 0.0),
            static_friction=max(values.number(dynamics, "friction", 0.0), 0.0),
            velocity_limit=velocity,
            effort_limit=effort,
            motor=None if follows else motor,
        )

    def _direction(
        self, joint: _FlatJoint, axis: XmlElement | None, place: Pose, usual: Vec3
    ) -> Vec3:
        """Return an axis in the frame of the link above; `place` is the joint's frame there."""
        values = self.reader.values
        if axis is None:
            return place.direction(usual)
        xyz = values.direction(axis, "xyz", usual)
        written = axis.first("xyz")
        frame = None if written is None else written.attributes.get("expressed_in")
        if frame is None and values.flag(axis, "use_parent_model_frame"):
            frame = MODEL
        if not frame:
            return place.direction(xyz)
        found = joint.scope.pose(frame)
        if found is None:
            said = f'no frame is named "{frame}"; that of the joint is used.'
            values.spot(axis, "expressed_in").error("unknown-frame", said)
            return place.direction(xyz)
        inner = joint.scope.pose(joint.element.attributes.get("name", "")) or Pose()
        return place.direction((inner.inverse() * found).direction(xyz))

    def _loop(self, joint: _FlatJoint) -> Iterator[Loop]:
        """Yield what a joint that closes a ring of links holds together."""
        values, kind = self.reader.values, joint.element.attributes.get("type", "")
        made = {
            "revolute": LoopHinge,
            "continuous": LoopHinge,
            "ball": LoopBall,
            "fixed": LoopFixed,
        }.get(kind)
        if made is None:
            said = f"joints of type {kind} do not close rings of links here; it is left out."
            values.spot(joint.element, "type").warning("no-loop", said)
            return
        world = self.place * joint.pose
        if made is LoopHinge:  # it turns about z of its frame
            axis = self._direction(joint, joint.element.first("axis"), world, (0.0, 0.0, 1.0))
            world = Pose(world.position, turn_of_z(axis))
        ends = [
            LoopAttachment(None, world)
            if name == WORLD
            else LoopAttachment(self.paths[name], self.poses[name].inverse() * world)
            for name in (joint.parent, joint.child)
        ]
        yield made((ends[0], ends[1]), self.reader.joint_name(joint.name), joint.element.span)

    def _couplings(self) -> Iterator[Coupling]:
        """Yield joints that follow others: `mimic`, and gearboxes."""
        moved = {
            edge.joint.name: link
            for link, edge in self.edges.items()
            if edge.joint.element.attributes.get("type") in ("revolute", "continuous", "prismatic")
        }
        for link, edge in self.edges.items():
            axis = edge.joint.element.first("axis")
            mimic = None if axis is None else axis.first("mimic")
            if mimic is not None and edge.joint.name in moved:
                yield from self._mimic(mimic, edge.joint, link, moved)
        for joint in self.joints:
            if joint.element.attributes.get("type") == "gearbox":
                yield from self._gearbox(joint)

    def _mimic(
        self, mimic: XmlElement, joint: _FlatJoint, link: str, moved: dict[str, str]
    ) -> Iterator[Coupling]:
        values = self.reader.values
        written = mimic.attributes.get("joint", "")
        leader = moved.get(joint.prefix + written)
        if leader is None or leader == link:
            guess = values.messages.guess(written, moved)
            said = f'no joint that moves is named "{written}"; it moves freely.{guess}'
            values.spot(mimic, "joint").error("mimic-joint", said)
            return
        ratio = values.number(mimic, "multiplier", 1.0)
        offset = values.number(mimic, "offset", 0.0)
        offset -= ratio * values.number(mimic, "reference", 0.0)
        yield Coupling(self.paths[link], self.paths[leader], ratio, offset, mimic.span)

    def _gearbox(self, joint: _FlatJoint) -> Iterator[Coupling]:
        """Yield the gears between the hinges of two links: the child turns -ratio times as far."""
        ratio = self.reader.values.number(joint.element, "gearbox_ratio", 1.0)
        ends = (joint.child, joint.parent)
        if any(end not in self.edges for end in ends):
            said = "both ends of a gearbox hang on hinges of their own; it is left out."
            self.reader.values.spot(joint.element).error("gearbox", said)
            return
        paths = [self.paths[end] for end in ends]
        yield Coupling(paths[0], paths[1], -ratio, 0.0, joint.element.span)


def _with_material(shape: Shape, material: str) -> Shape:
    return replace(shape, contact_material=material)


def _renamed(device: Device, name: str) -> Device:
    made: Any = replace(device, name=name)
    return made
