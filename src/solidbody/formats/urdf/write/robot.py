"""Writes one body of a scene as a robot in URDF, with its meshes beside it.

A link of URDF turns about its own origin: where a hinge is elsewhere, the link that is written stands there,
and what is fixed to it is written in that frame. Positions at the start cannot be said: all joints are
written at 0. A root that stands still hangs on a link "world".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import (
    Pose,
    Vec3,
    norm,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.base.written_files import WrittenFiles
from solidbody.formats.link_trees.single_tree import single_tree
from solidbody.formats.urdf.robot import WORLD
from solidbody.formats.urdf.write.elements import element, origin
from solidbody.formats.urdf.write.sensors import sensor_elements
from solidbody.formats.urdf.write.shapes import LOST, ShapeElements
from solidbody.formats.webots.lower.names import UniqueNames
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.joints import (
    JointAxis,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
    joint_axes,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.scene import Scene
from solidbody.model.shapes import ShapeRole

FOR_MUJOCO: Final = element(
    "mujoco",
    {},
    [
        element(
            "compiler",
            {
                "strippath": "false",
                "discardvisual": "false",
                "fusestatic": "false",
                "boundmass": 1e-9,
                "boundinertia": 1e-12,
            },
        )
    ],
)
"""What MuJoCo must be told: mesh files stand in a folder, and links between two axes weigh nothing."""

UNBOUNDED: Final = 1e9
"""Stands in for a limit that URDF wants and the robot has not."""


def robot_files(scene: Scene, body: Body, log: DiagnosticLog, *, target: str) -> WrittenFiles:
    """Return a robot in URDF and its meshes.

    Args:
        scene: What the body is part of.
        body: The one.
        log: Told what URDF cannot say, once for each kind.
        target: The file to be written: meshes stand in a folder beside it.
    """
    stem = re.sub(r"[^\w.-]+", "_", PurePath(target).stem) or "robot"
    tree = single_tree(body, log, LOST, "URDF")
    shapes = ShapeElements(log, f"{stem}_meshes")
    text = _RobotWriter(scene, tree, shapes, log).text()
    shapes.report()
    return WrittenFiles(text.encode("utf-8"), shapes.meshes)


@dataclass(slots=True)
class _RobotWriter:
    scene: Scene
    body: Body
    shapes: ShapeElements
    log: DiagnosticLog
    frames: list[Pose] = field(default_factory=list[Pose])
    _joint_names: UniqueNames = field(default_factory=UniqueNames)
    _called: dict[str, str] = field(default_factory=dict[str, str])
    _lost: dict[str, tuple[SourceSpan, list[str]]] = field(
        default_factory=dict[str, tuple[SourceSpan, list[str]]]
    )

    def text(self) -> str:
        """Return the whole file."""
        links = self.body.links
        self.frames = [_written_frame(link) for link in links]
        for link in links:
            if not isinstance(link.joint, JointFree | JointFixed):
                self._called[link.path] = self._joint_names.take(link.joint.name or link.name)
        parts: list[str] = [FOR_MUJOCO]
        root = links[0]
        if not isinstance(root.joint, JointFree) and root.name != WORLD:
            name = WORLD if all(link.name != WORLD for link in links) else f"{WORLD} frame"
            parts.append(element("link", {"name": name}))
            parts.append(self._joint(root, Pose(), Pose(), name))
        elif root.pose != Pose() and isinstance(root.joint, JointFree):
            self._lose("where the robot stands", root.name, root.span)
        for link, frame in zip(links, self.frames, strict=True):
            parts.append(self._link(link, frame))
            if link.parent is not None:
                above = links[link.parent]
                parts.append(self._joint(link, self.frames[link.parent], frame, above.name))
            parts += self._extras(link, frame)
        self._report()
        name = re.sub(r"\s+", "_", self.body.name) or "robot"
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            + element("robot", {"name": name}, parts)
            + "\n"
        )

    # links

    def _link(self, link: Link, frame: Pose) -> str:
        inside: list[str] = []
        mass = link.mass
        if mass is not None and mass.mass > 0.0:
            placed = mass.placed(frame)
            xx, yy, zz, xy, xz, yz = placed.inertia
            inside.append(
                element(
                    "inertial",
                    {},
                    [
                        *origin(Pose(placed.center)),
                        element("mass", {"value": placed.mass}),
                        element(
                            "inertia",
                            {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz},
                        ),
                    ],
                )
            )
        for shape in link.shapes:
            inside += self.shapes.of_shape(shape, frame)
        return element("link", {"name": link.name}, inside)

    # joints

    def _joint(self, link: Link, above: Pose, frame: Pose, parent: str) -> str:
        """Return the joint of a link.

        Args:
            link: The link.
            above: The parent's frame in the link that is written for it.
            frame: The link's frame in the link that is written for it.
            parent: Name of the link above.
        """
        pose = above * link.pose * frame.inverse()
        ends = [element("parent", {"link": parent}), element("child", {"link": link.name})]
        joint = link.joint
        if isinstance(joint, JointHinge | JointSlider):
            axis = _unit(
                quat_rotate(quat_conjugate(pose.rotation), above.direction(joint.axis.direction))
            )
            q = joint.axis.position
            if q:
                self._lose("positions at the start: joints begin at 0", joint.name, link.span)
            if isinstance(joint, JointHinge):
                back = quat_from_axis_angle(axis, -q)
                pose = Pose(pose.position, quat_multiply(pose.rotation, back)) if q else pose
                kind = "revolute" if _ends(joint.axis) else "continuous"
            else:
                shift = scale(quat_rotate(pose.rotation, axis), q)
                pose = Pose(subtract(pose.position, shift), pose.rotation)
                kind = "prismatic"
            inside = [*origin(pose), *ends, element("axis", {"xyz": axis})]
            inside += self._axis_elements(link, joint.axis, kind)
            return element("joint", {"name": self._called[link.path], "type": kind}, inside)
        if isinstance(joint, JointTrack):
            self._lose("tracks: they do not move", joint.name, link.span)
        kind = "floating" if isinstance(joint, JointFree) else "fixed"
        name = self._joint_names.take(f"{link.name} {kind}")
        return element("joint", {"name": name, "type": kind}, [*origin(pose), *ends])

    def _axis_elements(self, link: Link, axis: JointAxis, kind: str) -> Iterator[str]:
        motor = axis.motor
        ends = _ends(axis)
        effort = min(axis.effort_limit, motor.max_effort if motor else math.inf)
        velocity = min(axis.velocity_limit, motor.max_velocity if motor else math.inf)
        bounds = {"effort": min(effort, UNBOUNDED), "velocity": min(velocity, UNBOUNDED)}
        if kind == "prismatic" and ends is None:
            ends = (-UNBOUNDED, UNBOUNDED)
        if ends is not None:
            yield element("limit", {"lower": ends[0], "upper": ends[1], **bounds})
        elif math.isfinite(effort) or math.isfinite(velocity):
            yield element("limit", bounds)
        soft = motor.range if motor else None
        if soft is not None and soft != ends:
            numbers = {"soft_lower_limit": soft[0], "soft_upper_limit": soft[1]}
            yield element("safety_controller", {**numbers, "k_position": 0.0, "k_velocity": 0.0})
        if axis.damping or axis.static_friction:
            yield element("dynamics", {"damping": axis.damping, "friction": axis.static_friction})
        for coupling in self.body.couplings:
            if coupling.follower == link.path and coupling.leader in self._called:
                numbers = {"multiplier": coupling.multiplier, "offset": coupling.offset}
                yield element("mimic", {"joint": self._called[coupling.leader], **numbers})
        for value, what in (
            (axis.spring, "springs of joints"),
            (axis.armature, "inertia of rotors"),
            (axis.velocity, "velocities at the start"),
            (motor is not None and motor.servo is not None, "gains of motors"),
        ):
            if value:
                self._lose(what, self._called[link.path], link.span)

    # what else there is

    def _extras(self, link: Link, frame: Pose) -> Iterator[str]:
        """Yield transmissions of motors, friction and sensors of a link."""
        for axis in joint_axes(link.joint):
            if axis.motor is not None and link.path in self._called:
                yield _transmission(self._called[link.path], axis.motor.name)
        materials = {s.contact_material for s in link.shapes if s.role is not ShapeRole.VISUAL}
        found = self.scene.contacts.find(next(iter(materials), DEFAULT_MATERIAL), DEFAULT_MATERIAL)
        inside: list[str] = []
        if materials and found is not self.scene.contacts.default:
            slide = found.friction[0] if math.isfinite(found.friction[0]) else 100.0
            inside += [f"<{tag}>{slide!r}</{tag}>" for tag in ("mu1", "mu2")]
        sensors, left = sensor_elements(link, frame)
        inside += sensors
        if inside:
            yield element("gazebo", {"reference": link.name}, inside)
        for device in left:
            word = device.model or type(device).__name__.removeprefix("Device")
            self._lose(f"{word}: URDF has no such device", device.name, device.span)

    def _lose(self, what: str, name: str, span: SourceSpan) -> None:
        names = self._lost.setdefault(what, (span, []))[1]
        if name not in names:
            names.append(name)

    def _report(self) -> None:
        for loop in self.body.loops:
            self._lose("closed loops: they are left open", loop.name, loop.span)
        for what, (span, names) in self._lost.items():
            shown = ", ".join(f'"{name}"' for name in names[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            self.log.warning(LOST, span, f"URDF cannot say {what} ({shown}{more}).")


def _ends(axis: JointAxis) -> tuple[float, float] | None:
    """Return the range of a joint, or that of its motor; None where it has no end on one side."""
    if axis.stops is not None:
        ends = axis.stops.low, axis.stops.high
    else:
        ends = axis.rated_range
        if ends is None and axis.motor is not None:
            ends = axis.motor.range
    return ends if ends is not None and math.isfinite(ends[1] - ends[0]) else None


def _transmission(joint: str, motor: str) -> str:
    interface = "hardware_interface/EffortJointInterface"
    return element(
        "transmission",
        {"name": f"{joint} transmission"},
        [
            "<type>transmission_interface/SimpleTransmission</type>",
            element(
                "joint", {"name": joint}, [f"<hardwareInterface>{interface}</hardwareInterface>"]
            ),
            element("actuator", {"name": motor}, ["<mechanicalReduction>1</mechanicalReduction>"]),
        ],
    )


def _written_frame(link: Link) -> Pose:
    """Return the link frame in the link that is written; they differ where a hinge is elsewhere."""
    if not isinstance(link.joint, JointHinge) or (
        link.motion is Motion.KINEMATIC and link.parent is None
    ):
        return Pose()
    if norm(subtract(link.joint.anchor, link.pose.position)) < 1e-15:
        return Pose()
    return Pose(scale(link.pose.inverse().point(link.joint.anchor), -1.0))


def _unit(v: Vec3) -> Vec3:
    return scale(v, 1.0 / norm(v))
