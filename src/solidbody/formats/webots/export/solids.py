"""Exports bodies as trees of Solid, Robot and Track nodes.

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

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    WORLD,
    Pose,
)
from solidbody.formats.one_material import contact_materials, with_one_material
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.devices import device_nodes
from solidbody.formats.webots.export.joints import axis_devices, joint_node
from solidbody.formats.webots.export.loops import loop_nodes
from solidbody.formats.webots.export.mass import center_velocity, physics_node, written_frame
from solidbody.formats.webots.export.nodes import (
    Content,
    Fields,
    labelled,
    node,
    place_fields,
    placed,
    with_fields,
)
from solidbody.formats.webots.export.plain import plain_fields, plain_node
from solidbody.formats.webots.export.shapes import LOST, ShapeExport
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.devices import (
    Device,
    DeviceDisplay,
    DeviceLed,
    DeviceTouchSensor,
    DeviceTrackBelt,
    DeviceVacuumGripper,
)
from solidbody.model.environment import Light, LightDirectional
from solidbody.model.joints import (
    Joint,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
    joint_axes,
)
from solidbody.model.links import Body, CollisionRules, Frame, Link, Robot
from solidbody.model.motors import ControlMode, Motor, PositionSensor
from solidbody.model.scene import world_poses

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
        self._frames = [written_frame(link) for link in self.body.links]
        self._robots = _robots(self.body)
        self._solid_names = [
            self.names.take(self._robots[index].name if index in self._robots else link.name)
            for index, link in enumerate(self.body.links)
        ]

    def nodes(self) -> list[NodeSyntax]:
        """Return the top nodes of the body: one for each link that nothing holds."""
        self._report_rules(self.body.collision)
        self._report_robots()
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
        itself = _touch_sensor(link)
        devices = [device for device in link.devices if device is not itself]
        elsewhere = {k for device in devices for k in _own_shapes(device)}
        drawn = [
            self.shapes.drawn(shape, frame)
            for k, shape in enumerate(link.shapes)
            if k not in elsewhere
        ]
        device_names = {device.name for device in devices}  # of parts that are devices themselves
        content: list[Content] = [
            *(item for item in drawn if item is not None),
            *self._lights(link, frame),
            *(made for device in devices for made in self._device(device, link, frame)),
            *(_part(part, frame) for part in link.frames if part.name not in device_names),
            *below,
        ]
        physics = physics_node(link, frame, self.log)
        collides = link.path not in self.body.collision.disabled_links
        type_name, special = self._type_of(index)
        given: Fields = {
            **place_fields(pose),
            "children": content or None,
            "name": name,
            "contactMaterial": next(iter(contact_materials(link)), DEFAULT_MATERIAL),
            "boundingObject": self.shapes.bounding(list(link.shapes), frame) if collides else None,
            "physics": physics,
            "linearVelocity": center_velocity(link, world),
        }
        if physics is None:
            given |= {"linearVelocity": None, "angularVelocity": None}
        solid = node(type_name, **plain_fields("Solid", link, given), **special)
        is_free_label = link.label.isidentifier() and link.label.isascii()
        return labelled(solid, link.label) if is_free_label else solid

    def _type_of(self, index: int) -> tuple[str, dict[str, Content]]:
        """Return the node type of a link and the fields that only this type has."""
        link = self.body.links[index]
        robot = self._robots.get(index)
        if robot is not None:
            return "Robot", plain_fields("Robot", robot, without=("name",))
        if isinstance(link.joint, JointTrack):
            return "Track", self._track(link, link.joint)
        touch = _touch_sensor(link)
        if touch is None:
            return "Solid", {}
        return "TouchSensor", plain_fields("TouchSensor", touch, without=("name", "model"))

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
            devices.insert(0, plain_node(Motor(joint.name), "LinearMotor"))
        belts = [item for item in link.devices if isinstance(item, DeviceTrackBelt)]
        if not belts:
            return {"device": devices}
        return plain_fields("Track", belts[0], {"device": devices}, without=("name", "model"))

    def _device(self, device: Device, link: Link, frame: Pose) -> list[NodeSyntax]:
        """Return the nodes of a device with the shapes and lamps that belong to it."""
        made = device_nodes(device, frame, self.log)
        inside = device.pose.inverse()
        match device:
            case DeviceTouchSensor() | DeviceVacuumGripper() if device.feelers:
                felt = self.shapes.bounding(list(device.feelers), inside)
                return [with_fields(made[0], boundingObject=felt)]
            case DeviceLed() | DeviceDisplay():
                drawn = [
                    self.shapes.drawn(link.shapes[k], inside)
                    for k in _own_shapes(device)
                    if k < len(link.shapes)
                ]
                content: list[Content] = [item for item in drawn if item is not None]
                if isinstance(device, DeviceLed):
                    lamps = [self.lights[k] for k in device.lights if k < len(self.lights)]
                    content += [placed(inside, plain_node(lamp)) for lamp in lamps]
                if not content:
                    return made
                return [with_fields(made[0], children=[node("Group", children=content)])]
            case _:
                return made

    def _lights(self, link: Link, frame: Pose) -> Iterable[Content]:
        """Yield the lamps of a link that none of its devices switches."""
        switched = {k for item in link.devices if isinstance(item, DeviceLed) for k in item.lights}
        for index, light in enumerate(self.lights):
            is_here = not isinstance(light, LightDirectional) and light.link == link.path
            if is_here and index not in switched:
                yield placed(frame, plain_node(light))

    def _report_robots(self) -> None:
        for robot in self.body.robots:
            if self._robots[robot.link] is not robot:
                around = self._solid_names[robot.link]
                text = (
                    f'the robot "{robot.name}" is one link with "{around}", which gets its devices'
                )
                self.log.warning(LOST, robot.span, text)

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


def _robots(body: Body) -> dict[int, Robot]:
    """Return the robots by link, of several the outer one; a tree that needs a robot gets one at its root."""
    found: dict[int, Robot] = {}
    for robot in sorted(body.robots, key=lambda robot: robot.share is not None):
        found.setdefault(robot.link, robot)
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


def _own_shapes(device: Device) -> tuple[int, ...]:
    """Return the indices of a link's shapes that stand in the node of a device."""
    match device:
        case DeviceLed():
            return device.shapes
        case DeviceDisplay():
            return () if device.shape is None else (device.shape,)
        case _:
            return ()


def _part(part: Frame, frame: Pose) -> NodeSyntax:
    return node("Solid", **place_fields(frame * part.pose), name=part.name, model=part.model)
