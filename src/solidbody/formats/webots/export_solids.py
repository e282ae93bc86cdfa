"""Bodies of the model as trees of Solid, Robot and Track nodes.

| link of the model                          | written as                                            |
|--------------------------------------------|-------------------------------------------------------|
| free                                       | a top Solid with Physics                              |
| fixed to the world, or kinematic           | a Solid without Physics: it stands where it is        |
| fixed to a link                            | a Solid in that link's Solid: Webots merges the two   |
| hinge, slider, hinge2, ball                | the end point of a joint node                         |
| track                                      | a Track, turned so that x is forward and z up         |

The tree of a link that carries motors or devices starts with a Robot. Links are taken last first, so
that each finds its children done and depth costs no recursion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    WORLD,
    Pose,
    Quat,
    Vec3,
    add,
    cross,
    dot,
    normalized,
    quat_conjugate,
    quat_multiply,
    quat_normalized,
    scale,
    subtract,
)
from solidbody.formats.one_material import contact_materials, with_one_material
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export_devices import device_nodes, touch_fields
from solidbody.formats.webots.export_joints import axis_devices, joint_node, motor_node
from solidbody.formats.webots.export_loops import loop_nodes
from solidbody.formats.webots.export_nodes import Content, labelled, node, place_fields, placed
from solidbody.formats.webots.export_shapes import LOST, ShapeExport
from solidbody.formats.webots.export_world import damping_node, light_node
from solidbody.formats.webots.names import UniqueNames
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.devices import DeviceTouchSensor, DeviceTrackBelt
from solidbody.model.environment import Light, LightDirectional
from solidbody.model.joints import (
    Joint,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Body, CollisionRules, Frame, Link, Motion, Robot
from solidbody.model.mass import MassProperties, Tensor
from solidbody.model.motors import ControlMode, Motor, PositionSensor
from solidbody.model.scene import world_poses
from solidbody.model.summary import joint_axes

LEAST_MOMENT: Final = 1e-9
"""[kg*m^2] Written in place of moments that are not positive, which Webots refuses."""

NO_CONTROLLER: Final = "<none>"
"""Of robots whose file names none."""


@dataclass(slots=True)
class BodyExport:
    """Writes one body.

    Attributes:
        body: What is written.
        shapes: Makes the nodes of shapes.
        lights: Of the scene; those that its links carry are written in them.
        log: Told what is lost.
        names: Of the solids of all bodies of the file.
    """

    body: Body
    shapes: ShapeExport
    lights: tuple[Light, ...]
    log: DiagnosticLog
    names: UniqueNames = field(default_factory=UniqueNames)
    _frames: list[Pose] = field(init=False)
    _robots: dict[int, Robot] = field(init=False)
    _solid_names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.body = with_one_material(self.body)
        self._frames = [_written_frame(link) for link in self.body.links]
        self._robots = _robots(self.body)
        self._solid_names = [
            self.names.take(self._robots[index].name if index in self._robots else link.name)
            for index, link in enumerate(self.body.links)
        ]

    def nodes(self) -> list[NodeSyntax]:
        """Return the top nodes of the body: one for each link that nothing holds."""
        self._report_rules(self.body.collision)
        self._report_motors()
        world = world_poses(self.body)
        loops = loop_nodes(self.body, self._frames, self._solid_names, self.log)
        children: list[list[Content]] = [[] for _ in self.body.links]
        top: list[NodeSyntax] = []
        for index in range(len(self.body.links) - 1, -1, -1):
            link = self.body.links[index]
            parent = None if isinstance(link.joint, JointFree) else link.parent
            if parent is None:
                pose = world[index] * self._frames[index].inverse()
            else:
                pose = self._frames[parent] * link.pose * self._frames[index].inverse()
            below = [*children[index][::-1], *loops.get(index, ())]
            solid = self._solid(index, pose, world[index], below)
            if parent is None:
                top.append(solid)
            else:
                joint = joint_node(
                    with_sensor(link),
                    self._frames[parent],
                    solid,
                    self._solid_names[index],
                    link.span,
                    self.log,
                )
                children[parent].append(solid if joint is None else joint)
        return top[::-1]

    def _solid(self, index: int, pose: Pose, world: Pose, below: list[Content]) -> NodeSyntax:
        link, frame, name = self.body.links[index], self._frames[index], self._solid_names[index]
        self.shapes.start_solid()
        drawn = [self.shapes.drawn(shape, frame) for shape in link.shapes]
        itself = _touch_sensor(link)
        devices = [device for device in link.devices if device is not itself]
        device_names = {device.name for device in devices}  # of parts that are devices themselves
        content: list[Content] = [
            *(item for item in drawn if item is not None),
            *self._lights(link, frame),
            *(made for device in devices for made in device_nodes(device, frame, self.log)),
            *(_part(part, frame) for part in link.frames if part.name not in device_names),
            *below,
        ]
        physics = _physics(link, frame, self.log)
        collides = link.path not in self.body.collision.disabled_links
        type_name, special = self._type_of(index)
        common: dict[str, Content] = {
            **place_fields(pose),
            "children": content or None,
            "name": name,
            "model": link.model,
            "description": link.description,
            "contactMaterial": next(iter(contact_materials(link)), DEFAULT_MATERIAL),
            "boundingObject": self.shapes.bounding(list(link.shapes), frame) if collides else None,
            "physics": physics,
            "locked": link.is_locked,
            "radarCrossSection": link.radar_cross_section,
            "recognitionColors": link.recognition_colors,
            "translationStep": link.translation_step,
            "rotationStep": link.rotation_step,
            "linearVelocity": _center_velocity(link, world) if physics else None,
            "angularVelocity": link.angular_velocity if physics else None,
        }
        solid = node(type_name, **common, **special)
        is_free_label = link.label.isidentifier() and link.label.isascii()
        return labelled(solid, link.label) if is_free_label else solid

    def _type_of(self, index: int) -> tuple[str, dict[str, Content]]:
        """Return the node type of a link and the fields that only this type has."""
        link = self.body.links[index]
        robot = self._robots.get(index)
        if robot is not None:
            return "Robot", robot_fields(robot)
        if isinstance(link.joint, JointTrack):
            return "Track", self._track(link, link.joint)
        touch = _touch_sensor(link)
        return ("Solid", {}) if touch is None else ("TouchSensor", touch_fields(touch))

    def _report_motors(self) -> None:
        """A motor of Webots is never idle: without a command it holds its position."""
        motors = [
            axis.motor
            for link in self.body.links
            for axis in joint_axes(link.joint)
            if axis.motor is not None and not isinstance(link.joint, JointTrack)
        ]
        idle = [motor.name for motor in motors if motor.mode is not ControlMode.POSITION]
        if idle:
            shown = ", ".join(f'"{name}"' for name in idle[:4]) + (", ..." if len(idle) > 4 else "")
            self.log.info(
                LOST,
                self.body.span,
                f'"{self.body.name}": {len(idle)} motors start without holding a position ({shown}); '
                "in Webots a motor holds its position until a controller commands it",
            )

    def _track(self, link: Link, joint: JointTrack) -> dict[str, Content]:
        devices = axis_devices(joint.axis, "LinearMotor")
        if joint.axis.motor is None:
            devices.insert(0, motor_node(Motor(joint.name), "LinearMotor"))
        belts = [item for item in link.devices if isinstance(item, DeviceTrackBelt)]
        fields: dict[str, Content] = {"device": devices}
        if belts:
            fields["textureAnimation"] = belts[0].texture_velocity
            fields["geometriesCount"] = belts[0].element_count
        return fields

    def _lights(self, link: Link, frame: Pose) -> Iterable[Content]:
        for light in self.lights:
            if not isinstance(light, LightDirectional) and light.link == link.path:
                yield placed(frame, light_node(light))

    def _report_rules(self, rules: CollisionRules) -> None:
        losses: list[str] = []
        if rules.self_collision and rules.chain_level != CollisionRules().chain_level:
            losses.append(f"a chain level of {rules.chain_level}")
        if rules.self_collision and rules.disabled_pairs:
            losses.append(f"{len(rules.disabled_pairs)} pairs of links that ignore each other")
        if losses:
            self.log.warning(
                LOST,
                self.body.span,
                f'collision rules of "{self.body.name}": Webots cannot say {", ".join(losses)}',
            )
        keys = [key for key, _ in self.body.metadata]
        keys += [key for link in self.body.links for key, _ in link.metadata]
        if keys:
            shown = ", ".join(list(dict.fromkeys(keys))[:6])
            self.log.info(
                LOST, self.body.span, f'"{self.body.name}": information is left out: {shown}'
            )
        immersed = sum(len(link.immersions) for link in self.body.links)
        if immersed:
            self.log.warning(
                LOST, self.body.span, f'"{self.body.name}": {immersed} immersions are left out'
            )


def with_sensor(link: Link) -> Joint:
    """Return the joint of a link; one that its file numbers can be read, so it gets a sensor."""
    joint = link.joint
    if link.joint_number is None or not isinstance(joint, JointHinge | JointSlider):
        return joint
    if joint.axis.sensor is not None:
        return joint
    sensor = PositionSensor(f"{joint.name} sensor")
    return replace(joint, axis=replace(joint.axis, sensor=sensor))


def robot_fields(robot: Robot) -> dict[str, Content]:
    """Return the fields that a Robot has beside those of a Solid."""
    return {
        "controller": robot.controller,
        "controllerArgs": robot.controller_args,
        "customData": robot.custom_data,
        "supervisor": robot.is_supervisor,
        "synchronization": robot.is_synchronous,
        "battery": robot.battery,
        "cpuConsumption": robot.cpu_consumption,
        "selfCollision": robot.self_collision,
        "window": robot.window or "<none>",
        "remoteControl": robot.remote_control or "<none>",
    }


def _robots(body: Body) -> dict[int, Robot]:
    """Return the robots by link; a tree with motors or devices and no robot gets one at its root."""
    found = {robot.link: robot for robot in body.robots}
    roots: list[int] = []
    for index, link in enumerate(body.links):
        free = link.parent is None or isinstance(link.joint, JointFree)
        roots.append(index if free or link.parent is None else roots[link.parent])
    first = roots[0] if roots else 0
    for index, link in enumerate(body.links):
        root = roots[index]
        if root in found or index in found or not _needs_robot(link):
            continue
        name = body.name if root == first else body.links[root].name
        found[root] = Robot(
            name,
            root,
            controller=NO_CONTROLLER,
            self_collision=body.collision.self_collision,
            window="<generic>",
        )
    return found


def _needs_robot(link: Link) -> bool:
    if link.devices or isinstance(link.joint, JointTrack):
        return True
    return any(axis.motor or axis.sensor or axis.brake for axis in joint_axes(link.joint))


def _touch_sensor(link: Link) -> DeviceTouchSensor | None:
    """Return the touch sensor that a link is, which is a Solid with Physics in its own right."""
    if not isinstance(link.joint, JointFixed) or link.parent is None:
        return None
    found = [item for item in link.devices if isinstance(item, DeviceTouchSensor)]
    return found[0] if found and found[0].pose == WORLD else None


def _part(part: Frame, frame: Pose) -> NodeSyntax:
    return node("Solid", **place_fields(frame * part.pose), name=part.name, model=part.model)


# frames


def _written_frame(link: Link) -> Pose:
    """Return the link frame in the solid that is written for it; they differ for tracks only."""
    joint = link.joint
    if not isinstance(joint, JointTrack):
        return WORLD
    wanted = _rotation_of(joint.direction, joint.up)
    turn = quat_multiply(quat_conjugate(wanted), link.pose.rotation)
    return WORLD if math.hypot(*turn[1:]) < 1e-12 else Pose(rotation=turn)


def _rotation_of(forward: Vec3, up: Vec3) -> Quat:
    """Return the rotation whose x axis is `forward` and whose z axis is `up`, made orthogonal."""
    x = normalized(forward, fallback=(1.0, 0.0, 0.0))
    z = subtract(up, scale(x, dot(x, up)))
    z = normalized(z, fallback=normalized(cross(x, (0.0, 1.0, 0.0)), fallback=(0.0, 0.0, 1.0)))
    y = cross(z, x)
    m = ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))
    # the largest of the four components first, so that nothing is divided by a small number
    squares = (
        1.0 + m[0][0] + m[1][1] + m[2][2],
        1.0 + m[0][0] - m[1][1] - m[2][2],
        1.0 - m[0][0] + m[1][1] - m[2][2],
        1.0 - m[0][0] - m[1][1] + m[2][2],
    )
    best = squares.index(max(squares))
    a, b, c = m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]
    d, e, f = m[1][0] + m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2]
    rows: tuple[Quat, ...] = (
        (squares[0], a, b, c),
        (a, squares[1], d, e),
        (b, d, squares[2], f),
        (c, e, f, squares[3]),
    )
    return quat_normalized(rows[best])


def _center_velocity(link: Link, world: Pose) -> Vec3:
    """Return the velocity of the centre of mass, which is what a Solid stores: v + w x (R c)."""
    center = link.mass.center if link.mass else (0.0, 0.0, 0.0)
    return add(link.linear_velocity, cross(link.angular_velocity, world.direction(center)))


# mass


def _physics(link: Link, frame: Pose, log: DiagnosticLog) -> NodeSyntax | None:
    if link.mass is None:
        return None
    is_bolted = link.parent is None and isinstance(link.joint, JointFixed)
    if is_bolted or link.motion is Motion.KINEMATIC:
        log.info(
            LOST,
            link.span,
            f'"{link.name}" stands fixed in the world: it is written without Physics, '
            f"so that its mass of {link.mass.mass:g} kg is left out",
        )
        return None
    mass = _real_mass(link, link.mass.placed(frame) if frame != WORLD else link.mass, log)
    return node(
        "Physics",
        density=-1.0,
        mass=mass.mass,
        centerOfMass=[mass.center],
        inertiaMatrix=[mass.inertia[:3], mass.inertia[3:]],
        damping=None if link.damping is None else damping_node(link.damping),
    )


def _real_mass(link: Link, mass: MassProperties, log: DiagnosticLog) -> MassProperties:
    """Return a mass that Webots takes: above 0, with a positive definite inertia."""
    total, inertia = mass.mass, mass.inertia
    if total <= 0.0:
        total = LEAST_MOMENT
    if not is_positive_definite(inertia):
        xx, yy, zz = (max(x, LEAST_MOMENT) for x in inertia[:3])
        inertia = (xx, yy, zz, 0.0, 0.0, 0.0)
    if (total, inertia) != (mass.mass, mass.inertia):
        log.warning(
            LOST,
            link.span,
            f'"{link.name}": Webots takes a mass above 0 and a positive definite inertia only; '
            f"{total:g} kg and {inertia} kg*m^2 are written",
        )
    return MassProperties(total, mass.center, inertia)


def is_positive_definite(t: Tensor) -> bool:
    """Sylvester's criterion on ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))."""
    xx, yy, zz, xy, xz, yz = t
    minor = xx * yy - xy * xy
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return min(xx, yy, zz) > 0.0 and minor > 0.0 and determinant > 0.0
