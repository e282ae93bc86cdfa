"""Writes links as Link mappings of a body file.

Choreonoid turns a link about its own origin and gives the axis in the link's frame at displacement 0.
A hinge whose anchor lies elsewhere therefore gets a link frame that is moved to the anchor; everything
fixed to the link is written in that frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import (
    WORLD,
    ZERO,
    Pose,
    Vec3,
    cross,
    norm,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.formats.choreonoid.keys.bodies import LinkKeys, MassKeys
from solidbody.formats.choreonoid.keys.table import plain_pairs
from solidbody.formats.choreonoid.keys.yaml_text import (
    RawYaml,
    Yaml,
    YamlPairs,
    degrees,
    place_pairs,
)
from solidbody.formats.choreonoid.write.devices import LOST, device_node
from solidbody.formats.choreonoid.write.shapes import ShapeWriter
from solidbody.formats.link_trees.drafts import MODES, JointKind
from solidbody.formats.link_trees.single_tree import single_tree
from solidbody.formats.one_material import contact_materials, with_one_material
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.joints import (
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
)
from solidbody.model.links import Body, Link, Motion
from solidbody.model.mass import MassProperties
from solidbody.model.motors import Motor

_MODES: Final = {mode: actuation.value for actuation, mode in MODES.items()}
_MASSLESS: Final = MassProperties(0.0)


def linked(body: Body, log: DiagnosticLog) -> Body:
    """Return the body as one tree of hinges and sliders, which is all that a body file knows.

    Trees without a parent hang on the root, joints with several axes become chains of hinges with
    massless links between them, and each further contact material of a link gets a link of its own.
    """
    return with_one_material(single_tree(body, log, LOST, "a body file"))


@dataclass(slots=True)
class LinkWriter:
    """Writes the links of a body that `linked` has made one tree of.

    Attributes:
        body: Whose links.
        shapes: Makes the nodes of shapes.
        log: Told what is lost.
        frames: Of each link, its frame in the link that is written.
    """

    body: Body
    shapes: ShapeWriter
    log: DiagnosticLog
    frames: list[Pose] = field(init=False)

    def __post_init__(self) -> None:
        self.frames = [_written_frame(link) for link in self.body.links]

    def links(self) -> list[YamlPairs]:
        """Return the mappings of all links, the root first."""
        return [self._link(index) for index in range(len(self.body.links))]

    def _link(self, index: int) -> YamlPairs:
        link, frame = self.body.links[index], self.frames[index]
        parent = link.parent
        above = WORLD if parent is None else self.frames[parent]
        pose = above * link.pose * frame.inverse() if frame != WORLD else above * link.pose
        offset, joint = self._joint(link, above, pose)
        above_name = None if parent is None else self.body.links[parent].name
        pairs: YamlPairs = {
            **LinkKeys.pairs(name=link.name, parent=above_name),
            **place_pairs(offset),
            **joint,
            **LinkKeys.pairs(material=self._material(link)),
            **self._mass(link, frame),
            **LinkKeys.pairs(elements=self._elements(link, frame) or None),
        }
        for key, text in link.metadata:
            pairs.setdefault(key, RawYaml(text))
        self._report(link)
        return pairs

    # joints

    def _joint(self, link: Link, above: Pose, pose: Pose) -> tuple[Pose, YamlPairs]:
        """Return the link's place at displacement 0 and the keys of its joint.

        Args:
            link: The link.
            above: The parent's frame in the link that is written for it.
            pose: Of the written link in that of its parent, at the start.
        """
        joint = link.joint
        number = link.joint_number
        match joint:
            case JointFree():
                return pose, LinkKeys.pairs(joint_type="free", joint_id=number)
            case JointFixed():
                return pose, LinkKeys.pairs(joint_type="fixed", joint_id=number)
            case JointHinge():
                axis = _in_link(joint.axis, above, pose)
                back = quat_from_axis_angle(axis, -joint.axis.position)
                turn = quat_multiply(pose.rotation, back) if joint.axis.position else pose.rotation
                keys = self._axis_keys(joint.axis, joint.name, link, is_angle=True)
                return Pose(pose.position, turn), _typed(joint, link, "revolute", axis) | keys
            case JointSlider():
                axis = _in_link(joint.axis, above, pose)
                shift = scale(quat_rotate(pose.rotation, axis), joint.axis.position)
                keys = self._axis_keys(joint.axis, joint.name, link, is_angle=False)
                place = Pose(subtract(pose.position, shift), pose.rotation)
                return place, _typed(joint, link, "prismatic", axis) | keys
            case JointTrack():
                axle = above.direction(cross(joint.up, joint.direction))
                axis = quat_rotate(quat_conjugate(pose.rotation), axle)
                limits = _limit_keys(joint.axis, joint.axis.motor, is_angle=False)
                return pose, _typed(joint, link, JointKind.TRACK.value, axis) | limits
            case JointHinge2() | JointBall():
                raise TypeError("joints with several axes have been split")

    def _axis_keys(self, axis: JointAxis, name: str, link: Link, *, is_angle: bool) -> YamlPairs:
        """Return displacement, range, limits, rotor inertia and mode."""
        unit = degrees if is_angle else float
        losses: list[str] = []
        if axis.stops is not None:
            losses.append("stops that are enforced (the range is written as a rating)")
        for value, word in (
            (axis.spring, "a spring"),
            (axis.damping, "damping"),
            (axis.static_friction, "dry friction"),
            (axis.velocity, "an initial velocity"),
        ):
            if value:
                losses.append(word)
        if axis.brake is not None:
            losses.append("a brake")
        if losses:
            self.log.warning(
                LOST, link.span, f'joint "{name}": Choreonoid cannot say {", ".join(losses)}'
            )
        stops = axis.stops
        ends = axis.rated_range if stops is None else (stops.low, stops.high)
        motor = axis.motor
        if ends is None and motor is not None:
            ends = motor.range
        # the manual has another unit for joint_displacement than the loader, so angles go by joint_angle
        start = LinkKeys.joint_angle if is_angle else LinkKeys.joint_displacement
        return {
            start.name: unit(axis.position) or None,
            **LinkKeys.pairs(joint_range=_range_value(ends, is_angle=is_angle)),
            **_limit_keys(axis, motor, is_angle=is_angle),
            **LinkKeys.pairs(
                joint_axis_inertia=axis.armature or None,
                actuation_mode=None if motor is None else _MODES.get(motor.mode),
            ),
        }

    # mass and parts

    def _mass(self, link: Link, frame: Pose) -> YamlPairs:
        mass = link.mass
        if mass is None:
            is_held = isinstance(link.joint, JointFixed)
            if not is_held:
                self.log.warning(
                    LOST,
                    link.span,
                    f'"{link.name}" moves without a mass; Choreonoid gives it 1 kg',
                )
            return {}
        if frame != WORLD:
            mass = mass.placed(frame)
        return plain_pairs(MassKeys, mass)

    def _elements(self, link: Link, frame: Pose) -> list[YamlPairs]:
        nodes = [self.shapes.node(shape, frame) for shape in link.shapes]
        nodes += [device_node(device, frame, self.log) for device in link.devices]
        return [node for node in nodes if node is not None]

    def _material(self, link: Link) -> str | None:
        """Return the contact material of a link; `linked` has left one to each."""
        found = contact_materials(link) or [shape.contact_material for shape in link.shapes]
        return found[0] if found and found[0] != DEFAULT_MATERIAL else None

    def _report(self, link: Link) -> None:
        losses: list[str] = []
        if link.linear_velocity != ZERO or link.angular_velocity != ZERO:
            losses.append("an initial velocity")
        if link.damping is not None:
            losses.append("damping")
        if link.immersions:
            losses.append("immersion in fluids")
        is_driven = not isinstance(link.joint, JointFixed | JointFree | JointTrack)
        if link.motion is Motion.KINEMATIC and is_driven:
            losses.append("a link that forces do not move")
        if losses:
            self.log.warning(
                LOST, link.span, f'link "{link.name}": Choreonoid cannot say {", ".join(losses)}'
            )


def _written_frame(link: Link) -> Pose:
    """Return the link frame in the link that is written; they differ where a hinge is elsewhere."""
    if not isinstance(link.joint, JointHinge):
        return WORLD
    if norm(subtract(link.joint.anchor, link.pose.position)) < 1e-15:
        return WORLD
    return Pose(scale(link.pose.inverse().point(link.joint.anchor), -1.0))


def _in_link(axis: JointAxis, above: Pose, pose: Pose) -> Vec3:
    """Return the direction of an axis in the frame of the link that it moves."""
    return quat_rotate(quat_conjugate(pose.rotation), above.direction(axis.direction))


def _typed(
    joint: JointHinge | JointSlider | JointTrack, link: Link, kind: str, axis: Vec3
) -> YamlPairs:
    """Return the keys of a joint with an axis, given in the link."""
    return LinkKeys.pairs(
        joint_name=joint.name if joint.name != link.name else None,
        joint_type=kind,
        joint_axis=LinkKeys.joint_axis.kind.write(axis),
        joint_id=link.joint_number,
    )


def _range_value(ends: tuple[float, float] | None, *, is_angle: bool) -> Yaml:
    if ends is None:
        return None
    unit = degrees if is_angle else float
    return LinkKeys.joint_range.kind.write((unit(ends[0]), unit(ends[1])))


def _limit_keys(axis: JointAxis, motor: Motor | None, *, is_angle: bool) -> YamlPairs:
    unit = degrees if is_angle else float
    velocity = min(axis.velocity_limit, motor.max_velocity if motor else math.inf)
    effort = min(axis.effort_limit, motor.max_effort if motor else math.inf)
    return LinkKeys.pairs(
        max_joint_velocity=unit(velocity) if math.isfinite(velocity) else None,
        max_joint_effort=effort if math.isfinite(effort) else None,
    )
