"""Solids to links: which solid gets a body of its own, which one is merged, what joins them.

The rules are Webots' (upper solid = nearest Solid above, whatever lies between):

| solid                         | without a joint above it                   | end point of a joint     |
|-------------------------------|--------------------------------------------|--------------------------|
| with physics, upper dynamic   | merged into the upper solid's link         | link, that joint         |
| with physics, upper kinematic | fixed to the world (free if an ancestor is | link, joint to the       |
|                               | dynamic: nothing connects it)              | upper link or the world  |
| with physics, no upper solid  | free link                                  | free link                |
| kinematic, rides on a dynamic | frame of that link, does not collide       | kinematic link, joint    |
| kinematic otherwise           | kinematic link                             | kinematic link, joint    |

The tree is walked with an explicit stack: depth costs no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import WORLD, Pose
from solidbody.formats.webots.bounding import BoundingPart, bounding_parts
from solidbody.formats.webots.builders import BodyBuilder, LinkBuilder, MemberDamping
from solidbody.formats.webots.drawing import DrawnFrame
from solidbody.formats.webots.lower_joints import lower_devices, lower_joint
from solidbody.formats.webots.lower_shapes import friction_axes, lower_visual_shape
from solidbody.formats.webots.lower_world import lower_damping, lower_light
from solidbody.formats.webots.mass import solid_mass
from solidbody.formats.webots.names import UniqueNames, joined_path
from solidbody.formats.webots.release import FIRST_POSE, Release
from solidbody.formats.webots.robots import lower_robot
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.devices import DeviceUnknown
from solidbody.model.environment import Light
from solidbody.model.geometry import GeometryPlane
from solidbody.model.joints import Joint, JointFixed, JointFree
from solidbody.model.links import Damping, Frame, Motion
from solidbody.model.shapes import Shape, ShapeRole

MAX_NODES: Final = 500_000
"""Nodes after USE has been followed; a few lines of nested USE can ask for billions."""

_NEVER_MERGED = ("left wheel", "right wheel")


@dataclass(slots=True, eq=False)
class _UpperSolid:
    """The nearest solid above a node."""

    path: str
    is_dynamic: bool
    has_dynamic_ancestor: bool  # itself included
    names: UniqueNames = field(default_factory=UniqueNames)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the tree a node stands.

    `frame` is the current frame in the link's frame (in the world, without a link); `joint` is the
    joint whose end point the node is.
    """

    top: TypedNode
    frame: DrawnFrame = DrawnFrame()
    body: BodyBuilder | None = None
    link: LinkBuilder | None = None
    upper: _UpperSolid | None = None
    has_robot: bool = False
    joint: TypedNode | None = None
    is_in_transform: bool = False


@dataclass(slots=True)
class SolidLowering:
    """Walks top nodes and gathers bodies and lights."""

    release: Release
    log: DiagnosticLog
    bodies: list[BodyBuilder] = field(default_factory=list[BodyBuilder])
    lights: list[Light] = field(default_factory=list[Light])
    carriers: dict[str, str] = field(default_factory=dict[str, str])
    """Path and name of every solid, to the path of the link that carries it."""
    _link_names: UniqueNames = field(default_factory=UniqueNames)
    _joint_names: UniqueNames = field(default_factory=UniqueNames)
    _top_names: UniqueNames = field(default_factory=UniqueNames)
    _decorations: dict[int, LinkBuilder] = field(default_factory=dict[int, LinkBuilder])
    _stack: list[tuple[TypedNode, _Place]] = field(default_factory=list[tuple[TypedNode, _Place]])
    _count: int = 0

    def walk(self, top: TypedNode) -> None:
        """Lower a top node with everything below it."""
        self._stack = [(top, _Place(top))]
        while self._stack:
            node, place = self._stack.pop()
            self._count += 1
            if self._count > MAX_NODES:
                node.fail(
                    self.log,
                    "too-many-nodes",
                    f"more than {MAX_NODES} nodes once USE is followed; the rest is left out.",
                )
                return
            self._lower(node, place)

    def _lower(self, node: TypedNode, place: _Place) -> None:
        if node.is_a("Solid"):
            self._solid(node, place)
        elif node.type in ("Pose", "Transform", "Fluid"):
            if node.type != "Fluid":
                self._descend(node, self._moved(node, place))
        elif node.is_a("Group"):
            self._descend(node, place)
        elif node.type == "Shape":
            self._shape(node, place)
        elif node.is_a("Light"):
            link = place.link.path if place.link else None
            light = lower_light(node, place.frame.pose, link)
            if light is not None:
                self.lights.append(light)
        elif node.type in ("HingeJoint", "SliderJoint"):
            self._joint(node, place)
        elif node.is_a("Geometry"):
            node.fail(
                self.log,
                "wrong-node",
                f"a {node.type} is drawn only inside a Shape; it is left out.",
            )

    def _descend(self, node: TypedNode, place: _Place) -> None:
        self._stack.extend((child, place) for child in reversed(node.children()))

    def _moved(self, node: TypedNode, place: _Place) -> _Place:
        """Return the place inside a Pose or Transform."""
        is_transform = node.type == "Transform"
        scale = node.vec3("scale") if is_transform else (1.0, 1.0, 1.0)
        frame = place.frame.inside(node.pose(), scale)
        return replace(place, frame=frame, is_in_transform=place.is_in_transform or is_transform)

    # shapes

    def _shape(self, node: TypedNode, place: _Place) -> None:
        frame = place.frame
        if frame.is_sheared:
            node.warn(
                self.log,
                "sheared-shape",
                "a rotation inside a Transform with unequal scale shears the shape; "
                "it is drawn without the shear.",
            )
        shape = lower_visual_shape(node, frame.pose, frame.scale)
        if shape is not None:
            (place.link or self._decoration(place.top)).shapes.append(shape)

    def _decoration(self, top: TypedNode) -> LinkBuilder:
        """Return the link of the shapes of a top node that belong to no solid."""
        link = self._decorations.get(id(top))
        if link is None:
            name = self._link_names.take(top.label or top.type)
            body = BodyBuilder(top)
            self.bodies.append(body)
            link = body.add_link(
                top,
                name,
                joined_path(None, self._top_names.take(name)),
                pose=WORLD,
                parent=None,
                joint=JointFixed(),
                motion=Motion.KINEMATIC,
            )
            self._decorations[id(top)] = link
        return link

    # joints

    def _joint(self, node: TypedNode, place: _Place) -> None:
        end_point = node.node("endPoint")
        if end_point is None:
            if not node.nodes.get("endPoint"):
                node.inform(self.log, "joint-without-end", "the joint has no end point.")
            return
        if not end_point.is_a("Solid"):
            return  # a kind of end point that is not supported yet, which has been reported
        if place.upper is None:
            node.warn(
                self.log,
                "joint-without-parent",
                "the joint has no Solid above it; its end point is not connected.",
            )
            place = replace(place, joint=None)
        else:
            place = replace(place, joint=node)
        self._stack.append((end_point, place))

    def _lower_joint(self, node: TypedNode, frame: Pose, place: _Place, child_name: str) -> Joint:
        devices = lower_devices(node, has_robot=place.has_robot, log=self.log)
        named = devices.motor or devices.sensor
        name = named.name if named and named.name else node.label or child_name
        return lower_joint(node, frame, self._joint_names.take(name), devices, self.log)

    # solids

    def _solid(self, node: TypedNode, place: _Place) -> None:
        upper = place.upper
        path = self._path(node, upper)
        physics = node.node("physics")
        is_dynamic = physics is not None
        frame = place.frame.inside(node.pose(), (1.0, 1.0, 1.0)).pose
        if place.is_in_transform and (
            self.release >= FIRST_POSE or place.frame.scale != (1.0, 1.0, 1.0)
        ):
            node.warn(
                self.log,
                "solid-in-transform",
                f"a {node.type} may not stand inside a Transform; its scale does not reach it.",
            )
        parts = bounding_parts(node, self.release, self.log)
        if place.body is None or upper is None:
            body = BodyBuilder(node)
            self.bodies.append(body)
            place = replace(place, body=body, link=None)
        else:
            body = place.body

        link = self._link_of(node, place, body, path, frame)
        if link is None:
            assert place.link is not None
            link = place.link
            pose = frame
            link.frames.append(
                Frame(node.string("name"), path, pose, node.label, node.string("model"), node.span)
            )
        else:
            pose = WORLD
        self.carriers[path] = link.path
        self.carriers.setdefault(node.string("name"), link.path)

        if physics is not None and link.motion is Motion.DYNAMIC:
            mass, volume = solid_mass(physics, parts, self.log)
            link.masses.append(mass.placed(pose) if pose is not WORLD else mass)
            damping_node = physics.node("damping")
            damping = lower_damping(damping_node) if damping_node else Damping()
            link.dampings.append(MemberDamping(volume, damping))
        self._collision_shapes(node, place, body, link, pose, parts)

        if node.type == "Robot":
            body.robots.append(lower_robot(node, link.index, self.log))
        elif node.is_a("Device"):
            device = DeviceUnknown(
                name=node.string("name"), kind=node.type, pose=pose, span=node.span
            )
            link.devices.append(device)
        was_dynamic = upper is not None and upper.has_dynamic_ancestor
        self._descend(
            node,
            _Place(
                place.top,
                DrawnFrame(pose),
                body,
                link,
                _UpperSolid(path, is_dynamic, is_dynamic or was_dynamic),
                place.has_robot or node.type == "Robot",
            ),
        )

    def _path(self, node: TypedNode, upper: _UpperSolid | None) -> str:
        name = node.string("name")
        names = upper.names if upper else self._top_names
        unique = names.take(name)
        if unique != name:
            node.warn(
                self.log,
                "duplicate-name",
                f'another solid beside this one is also named "{name}"; '
                f'this one goes by "{unique}".',
                field="name",
            )
        return joined_path(upper.path if upper else None, unique)

    def _link_of(
        self, node: TypedNode, place: _Place, body: BodyBuilder, path: str, frame: Pose
    ) -> LinkBuilder | None:
        """Return the new link of a solid, or None if it becomes part of the link above it.

        `frame` is the solid's frame in the link above it (in the world, without one).
        """
        upper, above = place.upper, place.link
        is_dynamic = node.node("physics") is not None
        rides_on_dynamic = above is not None and above.motion is Motion.DYNAMIC
        is_wheel = node.string("name").casefold() in _NEVER_MERGED
        is_fixed_sensor = node.type == "TouchSensor"

        parent = above
        joint: Joint | None = None
        if place.joint is None:
            if not is_dynamic:
                if rides_on_dynamic:
                    return None
                joint = JointFixed()
            elif upper is None:
                joint = JointFree()
            elif upper.is_dynamic:
                if not is_wheel and not is_fixed_sensor:
                    return None
                joint = JointFixed() if is_fixed_sensor else JointFree()
                parent = above if is_fixed_sensor else None
            elif upper.has_dynamic_ancestor:
                node.warn(
                    self.log,
                    "unconnected-solid",
                    "the solid has physics, the one above it has not, and one further up has: "
                    "nothing connects it, so it falls.",
                )
                joint, parent = JointFree(), None
            else:
                joint, parent = JointFixed(), None
        elif is_dynamic and upper is not None and not upper.is_dynamic and rides_on_dynamic:
            node.warn(
                self.log,
                "joint-to-world",
                "the solid above the joint has no physics, so the joint holds to the world.",
            )
            parent = None

        name = self._link_names.take(
            node.string("name") if node.is_written("name") else node.label or node.string("name")
        )
        to_parent = WORLD if parent is above or above is None else above.world
        if joint is None:
            assert place.joint is not None
            joint_frame = to_parent * place.frame.pose
            joint = self._lower_joint(place.joint, joint_frame, place, name)
        return body.add_link(
            node,
            name,
            path,
            pose=to_parent * frame,
            parent=parent,
            joint=joint,
            motion=Motion.DYNAMIC if is_dynamic else Motion.KINEMATIC,
        )

    def _collision_shapes(
        self,
        node: TypedNode,
        place: _Place,
        body: BodyBuilder,
        link: LinkBuilder,
        pose: Pose,
        parts: list[BoundingPart],
    ) -> None:
        is_dynamic = node.node("physics") is not None
        if parts and not is_dynamic and link.motion is Motion.DYNAMIC:
            if node.type != "TouchSensor":
                node.warn(
                    self.log,
                    "collision-ignored",
                    "the solid has no physics and is fixed to one that has: "
                    "its bounding object does nothing.",
                    field="boundingObject",
                )
            return
        material = node.string("contactMaterial")
        for part in parts:
            shape = Shape(
                part.geometry,
                pose * part.pose,
                ShapeRole.COLLISION,
                contact_material=material,
                friction_axes=friction_axes(part.geometry, self.release),
                name=node.label,
                span=part.span,
            )
            if is_dynamic and isinstance(part.geometry, GeometryPlane):
                self._static_plane(node, body, link, shape)
            else:
                link.shapes.append(shape)

    def _static_plane(
        self, node: TypedNode, body: BodyBuilder, link: LinkBuilder, shape: Shape
    ) -> None:
        """Give a plane of a solid with physics a link of its own that stays where it is."""
        node.warn(
            self.log,
            "plane-with-physics",
            "a Plane cannot move: it stays where it is as an unbounded static half-space.",
            field="boundingObject",
        )
        name = self._link_names.take(f"{link.name}(plane)")
        still = body.add_link(
            node,
            name,
            joined_path(None, self._top_names.take(name)),
            pose=link.world,
            parent=None,
            joint=JointFixed(),
            motion=Motion.KINEMATIC,
        )
        still.is_part = True
        still.shapes.append(shape)
