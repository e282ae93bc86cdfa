"""Lowers solids to links: which get a body of their own, which are merged, what joins them (rules W3.3).

The rules are Webots' (upper solid = nearest Solid above, whatever lies between):

| solid                         | without a joint above it                   | end point of a joint     |
|-------------------------------|--------------------------------------------|--------------------------|
| with physics, upper dynamic   | merged into the upper solid's link         | link, that joint         |
| with physics, upper kinematic | fixed to the world (free if an ancestor is | link, joint to the       |
|                               | dynamic: nothing connects it)              | upper link or the world  |
| with physics, no upper solid  | free link                                  | free link                |
| kinematic, rides on a dynamic | frame of that link, does not collide       | kinematic link, joint    |
| kinematic otherwise           | kinematic link                             | kinematic link, joint    |

Tracks, touch sensors with physics, helices, heads of lidars, servos and the wheels of old robots always
get a link of their own.

The tree is walked with an explicit stack: depth costs no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import BudgetError, Cost, LoadBudget, load_budget
from solidbody.base.transforms import WORLD, Pose, Vec3, quat_of_matrix
from solidbody.formats.assets import AssetFinder
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.lower.body_checks import check_device_names, check_moving_base
from solidbody.formats.webots.lower.bounding import BoundingPart, bounding_parts, scaled_part
from solidbody.formats.webots.lower.builders import (
    BodyBuilder,
    LinkBuilder,
    MemberDamping,
    merged_frame,
)
from solidbody.formats.webots.lower.connections import Connections, connection, is_joint_itself
from solidbody.formats.webots.lower.deprecated import warn_deprecated
from solidbody.formats.webots.lower.devices import Carriers, DeviceLowering, Surfaces
from solidbody.formats.webots.lower.drawing import DrawnFrame
from solidbody.formats.webots.lower.drawn_nodes import DrawnNodes
from solidbody.formats.webots.lower.drives import add_drives
from solidbody.formats.webots.lower.fluids import lower_fluid, lower_immersions
from solidbody.formats.webots.lower.geometries import GeometryReader, MeshFiles
from solidbody.formats.webots.lower.joints import JointFrame, joint_devices
from solidbody.formats.webots.lower.lowering_context import (
    ONE,
    LoweringContext,
    UpperSolid,
    slot_content,
    solid_scale,
)
from solidbody.formats.webots.lower.mass import scaled_solid, solid_mass
from solidbody.formats.webots.lower.names import NameKind, NameLedger, joined_path
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.lower.robots import lower_robot
from solidbody.formats.webots.lower.shapes import (
    friction_axes,
    lower_cad_shape,
    lower_visual_shape,
)
from solidbody.formats.webots.lower.tracks import wheel_pose
from solidbody.formats.webots.lower.world import lower_light
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.contacts import OldContacts
from solidbody.formats.webots.releases.release import FIRST_Z_UP, Release, parse_release
from solidbody.model.environment import Light
from solidbody.model.fluids import Fluid
from solidbody.model.geometry import GeometryPlane
from solidbody.model.joints import Joint, JointFixed, JointFree
from solidbody.model.links import Damping, Motion, RobotShare
from solidbody.model.shapes import Shape, ShapeRole

SHAPE_WORK: Final = 3
"""What a shape that is repeated counts for."""

_DEPRECATED = ("Servo", "DifferentialWheels", "Supervisor")


@dataclass(slots=True)
class SolidLowering:
    """Walks top nodes and gathers bodies, lights and fluids."""

    release: Release
    finder: AssetFinder
    log: DiagnosticLog
    drawn: DrawnNodes = field(default_factory=lambda: DrawnNodes(()))
    meshes: MeshFiles = field(default_factory=MeshFiles)
    names: NameLedger = field(default_factory=NameLedger)
    first_light: int = 0
    """Number of the first of these lights in the scene."""
    bodies: list[BodyBuilder] = field(default_factory=list[BodyBuilder])
    lights: list[Light] = field(default_factory=list[Light])
    fluids: list[Fluid] = field(default_factory=list[Fluid])
    solids: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """Path and name of every solid, and the path of the link that carries it."""
    carriers: Carriers = dict
    """All solids so far, by path and name, to the path of the link that carries each."""
    old_contacts: OldContacts = field(default_factory=OldContacts)
    geometries: GeometryReader = field(init=False)
    _devices: DeviceLowering = field(init=False)
    _connections: Connections = field(init=False)
    _decorations: dict[int, LinkBuilder] = field(default_factory=dict[int, LinkBuilder])
    _stack: list[tuple[TypedNode, LoweringContext]] = field(
        default_factory=list[tuple[TypedNode, LoweringContext]]
    )
    _sheared: set[TypedNode] = field(default_factory=set[TypedNode])
    _seen: set[int] = field(default_factory=set[int])
    _budget: LoadBudget = field(default_factory=load_budget)

    def __post_init__(self) -> None:
        is_z_up = self.release >= FIRST_Z_UP
        self.geometries = GeometryReader(self.log, self.finder, is_z_up, self.meshes)
        told = parse_release(self.finder.world_release) or self.release
        self._devices = DeviceLowering(told, self.finder, self.log)
        self._connections = Connections(self._devices, self.log, self.names)

    def walk(self, top: TypedNode) -> None:
        """Lower a top node with everything below it."""
        first_body = len(self.bodies)
        self._stack = [(top, LoweringContext(top))]
        while self._stack:
            node, place = self._stack.pop()
            if id(node) in self._seen and not self._may_repeat(node):
                break
            self._seen.add(id(node))
            self._lower(node, place)
        self._connections.finish()
        self._devices.finish(self.carriers)
        for body in self.bodies[first_body:]:
            add_drives(body, self.release, self.log)
            check_device_names(body, self.log)
            check_moving_base(body, self.log)

    def _may_repeat(self, node: TypedNode) -> bool:
        """Whether a node may be lowered again where a USE names it, or one above it."""
        try:
            self._budget.spend(Cost.USED_NODES, SHAPE_WORK if node.is_a("Shape") else 1)
        except BudgetError as error:
            if error.is_new:
                text = f"{error}; the rest is left out."
                node.fail(self.log, "too-many-nodes", text)
            return False
        return True

    def _lower(self, node: TypedNode, place: LoweringContext) -> None:
        if node.is_a("Solid"):
            self._solid(node, place)
        elif node.type == "Fluid":
            self._fluid(node, place)
        elif node.type in ("Pose", "Transform"):
            self._descend(node, place.moved(node))
        elif node.type == "TrackWheel":
            frame = place.frame.inside(wheel_pose(node), ONE)
            self._descend(node, replace(place, frame=frame))
        elif node.type == "Billboard":
            self._descend(node, replace(place, frame=DrawnFrame(), board=node))
        elif node.is_a("Group"):
            self._descend(node, place)
        elif node.type == "Slot":
            content = slot_content(node, self.log)
            if content is not None:
                self._stack.append((content, place))
        elif node.type in ("Shape", "CadShape"):
            self._shape(node, place)
        elif node.is_a("Light"):
            self._light(node, place)
        elif node.is_a("Joint"):
            self._joint(node, place)
        elif node.type == "Propeller":
            self._propeller(node, place)
        elif node.type == "Skin":
            self._devices.skin(node, place)
        elif node.is_a("Geometry"):
            node.fail(
                self.log,
                "wrong-node",
                f"a {node.type} is drawn only inside a Shape; it is left out.",
            )

    def _descend(self, node: TypedNode, place: LoweringContext) -> None:
        self._stack.extend((child, place) for child in reversed(node.children()))

    # shapes, lights, fluids

    def _shape(self, node: TypedNode, place: LoweringContext) -> None:
        frame = place.frame
        if frame.is_sheared and node not in self._sheared:
            self._sheared.add(node)
            node.warn(
                self.log,
                "sheared-shape",
                "a rotation inside a Transform with unequal scale shears the shape; "
                "it is drawn without the shear.",
            )
        if node.type == "CadShape":
            shapes = lower_cad_shape(node, frame.pose, frame.scale, self.geometries)
        else:
            shape = lower_visual_shape(node, frame.pose, frame.scale, self.geometries)
            shapes = [] if shape is None else [shape]
        if shapes and place.board is not None:
            # it hangs before the eye, throws no shadow and cannot be reached
            self._decoration(place.board).shapes.extend(
                replace(shape, casts_shadows=False, is_pickable=False) for shape in shapes
            )
        elif shapes:
            link = place.link or self._decoration(place.top)
            self._devices.drawn(node, link, len(link.shapes))
            link.shapes.extend(
                replace(shape, segmentation_color=place.segmentation, frame=place.part)
                for shape in shapes
            )

    def _light(self, node: TypedNode, place: LoweringContext) -> None:
        link = place.link.path if place.link else None
        light = lower_light(node, place.frame.pose, link)
        if light is not None:
            self._devices.lit(node, self.first_light + len(self.lights))
            self.lights.append(light)

    def _decoration(self, top: TypedNode) -> LinkBuilder:
        """Return the link of the shapes of a top node or Billboard that belong to no solid."""
        link = self._decorations.get(id(top))
        if link is None:
            name = self.names.take(NameKind.LINK, top.label or top.type)
            body = BodyBuilder(top)
            self.bodies.append(body)
            link = body.add_link(
                top,
                name,
                joined_path(None, self.names.take(NameKind.TOP, name)),
                pose=WORLD,
                parent=None,
                joint=JointFixed(),
                motion=Motion.KINEMATIC,
            )
            self._decorations[id(top)] = link
        return link

    def _fluid(self, node: TypedNode, place: LoweringContext) -> None:
        if place.upper is not None:
            node.warn(
                self.log,
                "fluid-in-solid",
                "a Fluid belongs at the top of a world; inside a solid it is left out.",
            )
            return
        inner = place.moved(node)
        parts = bounding_parts(node, self.release, self.geometries, self.drawn, self.log)
        self.fluids.append(lower_fluid(node, inner.frame.pose, parts))
        self._descend(node, inner)

    # joints

    def _joint(self, node: TypedNode, place: LoweringContext) -> None:
        end_point = node.node("endPoint")
        if end_point is not None and end_point.type == "Slot":
            end_point = slot_content(end_point, self.log)
        if end_point is None:
            if not node.nodes.get("endPoint") or node.node("endPoint") is not None:
                node.inform(self.log, "joint-without-end", "the joint has no end point.")
            end_point = _bare_end(node) if place.upper is not None else None
            if end_point is None:
                return
        if place.upper is None:
            node.warn(
                self.log,
                "joint-without-parent",
                "the joint has no Solid above it; its end point is not connected.",
            )
            place = replace(place, joint=None)
        elif end_point.type == "SolidReference":
            self._connections.close_loop(node, end_point, place)
        else:
            place = replace(place, joint=node)
        if end_point.is_a("Solid"):
            self._stack.append((end_point, place))
        elif end_point.type != "SolidReference":
            end_point.warn(
                self.log,
                "wrong-node",
                f"a {end_point.type} cannot be the end point of a joint; it is left out.",
            )

    def _propeller(self, node: TypedNode, place: LoweringContext) -> None:
        motor_node = node.node("device")
        motors = self._connections.axis_devices([motor_node] if motor_node else [], 0.0, place)
        if not self._devices.propeller(node, place, motors.motor):
            return
        inner = replace(place, is_driven=True)
        for name in ("slowHelix", "fastHelix"):
            helix = node.node(name)
            if helix is not None:
                self._stack.append((helix, inner))

    # solids

    def _solid(self, node: TypedNode, place: LoweringContext) -> None:
        upper = place.upper
        if node.type in _DEPRECATED:
            warn_deprecated(node, self.log)
        if node.is_a("Robot"):
            self._connections.couple_motors(node)
        path = self._path(node, upper)
        physics = node.node("physics")
        is_dynamic = physics is not None and not place.is_driven
        frame = place.frame.inside(node.pose(), ONE).pose
        if place.is_in_transform and place.frame.scale != place.scale:
            node.warn(
                self.log,
                "solid-in-transform",
                f"a {node.type} may not stand inside a Transform; its scale does not reach it.",
            )
        own = solid_scale(node, self.log)
        scale = (place.scale[0] * own[0], place.scale[1] * own[1], place.scale[2] * own[2])
        parts = bounding_parts(node, self.release, self.geometries, self.drawn, self.log)
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
            pose, part = frame, len(link.frames)
            link.frames.append(merged_frame(node, path, pose))
        else:
            pose, part = WORLD, None
        self.solids.append((path, node.string("name"), link.path))
        body.solids.setdefault(node.string("name"), link)
        self._devices.placed(node, path, link.path)

        if physics is not None and link.motion is Motion.DYNAMIC:
            self._add_mass(physics, link, pose, scale, parts)
        if scale != ONE:
            parts = [scaled_part(part, scale) for part in parts]
        first_shape = len(link.shapes)
        colors = node.colors("recognitionColors")
        segmentation = colors[0] if colors else place.segmentation
        feelers = self._collision_shapes(node, place, body, link, pose, parts)
        link.immersions.extend(lower_immersions(node, part))

        if node.is_a("Robot"):
            share = None if link.node is node else RobotShare(path)
            robot = lower_robot(node, link.index, self.release, self.log)
            body.robots.append(replace(robot, share=share))
            body.robot_nodes.append(node)
        inner = LoweringContext(
            place.top,
            DrawnFrame(pose, scale),
            body,
            link,
            UpperSolid(
                node,
                path,
                is_dynamic,
                is_dynamic or (upper is not None and upper.has_dynamic_ancestor),
            ),
            node if node.is_a("Robot") else place.robot,
            scale=scale,
            part=part,
            segmentation=segmentation,
        )
        surfaces = Surfaces(tuple(range(first_shape, len(link.shapes))), feelers)
        self._devices.solid(node, inner, surfaces, self.geometries)
        self._descend(node, inner)
        if node.type == "Lidar":
            head = node.node("rotatingHead")
            if head is not None and head.type == "Slot":
                head = slot_content(head, self.log)
            if head is not None and head.is_a("Solid"):
                self._stack.append((head, replace(inner, is_driven=True)))

    def _add_mass(
        self,
        physics: TypedNode,
        link: LinkBuilder,
        pose: Pose,
        scale: Vec3,
        parts: list[BoundingPart],
    ) -> None:
        mass, volume = solid_mass(physics, parts, self.log)
        if scale != ONE:
            mass, volume = scaled_solid(mass, scale[0]), volume * scale[0] ** 3
        link.masses.append(mass.placed(pose) if pose is not WORLD else mass)
        damping_node = physics.node("damping")
        damping = lower_plain(Damping, damping_node) if damping_node else Damping()
        link.dampings.append(MemberDamping(volume, damping))

    def _path(self, node: TypedNode, upper: UpperSolid | None) -> str:
        name = node.string("name")
        unique = upper.names.take(name) if upper else self.names.take(NameKind.TOP, name)
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
        self, node: TypedNode, place: LoweringContext, body: BodyBuilder, path: str, frame: Pose
    ) -> LinkBuilder | None:
        """Return the new link of a solid, or None if it becomes part of the link above it.

        `frame` is the solid's frame in the link above it (in the world, without one).
        """
        upper, above = place.upper, place.link
        is_dynamic = node.node("physics") is not None and not place.is_driven
        rides_on_dynamic = above is not None and above.motion is Motion.DYNAMIC
        is_old_joint = is_joint_itself(node, place)

        parent = above
        joint: Joint | None = None
        if place.is_driven:
            joint = JointFixed()
        elif place.joint is None and not is_old_joint:
            joint, parent = connection(node, place, is_dynamic, rides_on_dynamic, self.log)
            if joint is None:
                return None
        elif is_dynamic and upper is not None and not upper.is_dynamic and rides_on_dynamic:
            node.warn(
                self.log,
                "joint-to-world",
                "the solid above the joint has no physics, so the joint holds to the world.",
            )
            parent = None

        name = self.names.take(
            NameKind.LINK,
            node.string("name") if node.is_written("name") else node.label or node.string("name"),
        )
        to_parent = WORLD if parent is above or above is None else above.world
        pose = to_parent * frame
        joint_frame = JointFrame(to_parent * place.frame.pose, place.scale[0])
        if joint is None and place.joint is not None:
            joint = self._connections.joint(place.joint, joint_frame, place, node)
        elif joint is None:
            joint = self._connections.old_joint(node, place, joint_frame, pose, name)
        elif node.type == "Track" and not isinstance(joint, JointFree):
            joint = self._connections.track(node, place, pose)
        if isinstance(joint, JointFree):
            pose = replace(pose, rotation=quat_of_matrix(pose.rotation))
        return body.add_link(
            node,
            name,
            path,
            pose=pose,
            parent=parent,
            joint=joint,
            motion=Motion.DYNAMIC if is_dynamic else Motion.KINEMATIC,
        )

    def _collision_shapes(
        self,
        node: TypedNode,
        place: LoweringContext,
        body: BodyBuilder,
        link: LinkBuilder,
        pose: Pose,
        parts: list[BoundingPart],
    ) -> tuple[Shape, ...]:
        """Add what collides to the link; return what only a device feels."""
        is_dynamic = node.node("physics") is not None
        rides = link.motion is Motion.DYNAMIC or (
            (place.is_driven or node.type == "Track")
            and place.link is not None
            and place.link.motion is Motion.DYNAMIC
        )
        material = self.old_contacts.material(node, self._devices.path_of(node))
        shapes = tuple(
            Shape(
                part.geometry,
                pose * part.pose,
                ShapeRole.COLLISION,
                contact_material=material,
                friction_axes=friction_axes(part.geometry, self.release),
                name=node.label,
                span=part.span,
                frame=None if pose is WORLD else len(link.frames) - 1,
            )
            for part in parts
        )
        if parts and not (is_dynamic and not place.is_driven) and rides:
            if node.type not in ("TouchSensor", "VacuumGripper"):
                node.warn(
                    self.log,
                    "collision-ignored",
                    "the solid has no physics and is fixed to one that has: "
                    "its bounding object does nothing.",
                    field="boundingObject",
                )
            return shapes if node.type in ("TouchSensor", "VacuumGripper") else ()
        for shape in shapes:
            if is_dynamic and isinstance(shape.geometry, GeometryPlane):
                self._static_plane(node, body, link, shape)
            else:
                link.shapes.append(shape)
        return ()

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
        name = self.names.take(NameKind.LINK, f"{link.name}(plane)")
        still = body.add_link(
            node,
            name,
            joined_path(None, self.names.take(NameKind.TOP, name)),
            pose=link.world,
            parent=None,
            joint=JointFixed(),
            motion=Motion.KINEMATIC,
        )
        still.is_part = True
        still.shapes.append(replace(shape, frame=None))


def _bare_end(joint: TypedNode) -> TypedNode | None:
    """Return an end for a joint without one whose devices programs can use, as in Webots; else None."""
    device = next((device for devices in joint_devices(joint) for device in devices), None)
    if device is None:
        return None
    syntax = NodeSyntax("Solid", None, (), joint.span, None, joint.syntax.scope)
    return TypedNode(NODES["Solid"], syntax, joint, {"name": device.string("name")})
