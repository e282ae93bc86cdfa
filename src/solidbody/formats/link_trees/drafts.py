"""Links, joints, loops and bodies as a file describes them: parents are still names."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import (
    Pose,
    Vec3,
    add,
    cross,
    norm,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
    scale,
    subtract,
)
from solidbody.model.contacts import DEFAULT_MATERIAL
from solidbody.model.devices import Device
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointFixed,
    JointFree,
    JointHinge,
    JointSlider,
    JointTrack,
    LoopBall,
    LoopFixed,
    LoopHinge,
    LoopPiston,
    Stops,
)
from solidbody.model.mass import MassProperties
from solidbody.model.motors import ControlMode, Motor
from solidbody.model.shapes import Shape

_Z: Final[Vec3] = (0.0, 0.0, 1.0)

CONTINUOUS_TRACK: Final = "isContinuousTrack"
"""Info flag of the first shoe of a chain of shoes."""

Info = tuple[tuple[str, str], ...]
"""Keys that nothing here reads, and their values as one-line YAML."""


class JointKind(Enum):
    """How a link moves against its parent; the words are Choreonoid's."""

    FIXED = "fixed"
    FREE = "free"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    TRACK = "pseudo_continuous_track"


class Actuation(Enum):
    """What drives a joint from the start."""

    EFFORT = "joint_effort"
    DISPLACEMENT = "joint_displacement"
    VELOCITY = "joint_velocity"
    LINK_POSITION = "link_position"
    SURFACE_VELOCITY = "jointSurfaceVelocity"


MODES: Final = {
    Actuation.EFFORT: ControlMode.EFFORT,
    Actuation.DISPLACEMENT: ControlMode.POSITION,
    Actuation.VELOCITY: ControlMode.VELOCITY,
}
"""Modes of motors; the others have none."""


@dataclass(frozen=True, slots=True)
class JointDraft:
    """The joint of a link before its place in the tree is known.

    Attributes:
        kind: The type.
        axis: Unit vector in the link frame.
        position: At the start [rad] or [m].
        rated_range: [rad] or [m]; None = unlimited on both sides.
        velocity_limit: [rad/s] or [m/s].
        effort_limit: [N*m] or [N].
        armature: Rotor inertia seen at the joint.
        actuation: What drives it from the start; None = whatever a program chooses.
        number: Place in the list of joints; None = not in it.
        stops: Hard limits [rad] or [m]; None = none.
        damping: [N*m*s/rad] or [N*s/m].
        friction: Dry friction [N*m] or [N].
        span: Where the type is written, else the link.
    """

    kind: JointKind
    axis: Vec3 = _Z
    position: float = 0.0
    rated_range: tuple[float, float] | None = None
    velocity_limit: float = math.inf
    effort_limit: float = math.inf
    armature: float = 0.0
    actuation: Actuation | None = None
    number: int | None = None
    span: SourceSpan = NOWHERE
    stops: Stops | None = None
    damping: float = 0.0
    friction: float = 0.0

    def moved(self, offset: Pose) -> Pose:
        """Return the link's pose in its parent at the start, from the pose at position 0.

        Revolute: R_b exp(a q); prismatic: b + R_b a q.
        """
        match self.kind:
            case JointKind.REVOLUTE:
                turn = quat_from_axis_angle(self.axis, self.position)
                return Pose(offset.position, quat_multiply(offset.rotation, turn))
            case JointKind.PRISMATIC:
                shift = quat_rotate(offset.rotation, scale(self.axis, self.position))
                return Pose(add(offset.position, shift), offset.rotation)
            case _:
                return offset

    def joint(self, name: str, offset: Pose) -> Joint:
        """Return the model's joint; `offset` is the link's pose in its parent at position 0."""
        match self.kind:
            case JointKind.FIXED:
                return JointFixed()
            case JointKind.FREE:
                return JointFree()
            case JointKind.REVOLUTE:
                return JointHinge(name, self._axis(name, offset), offset.position, span=self.span)
            case JointKind.PRISMATIC:
                return JointSlider(name, self._axis(name, offset), span=self.span)
            case JointKind.TRACK:
                return self._track(name, offset)

    def _axis(self, name: str, offset: Pose) -> JointAxis:
        return JointAxis(
            offset.direction(self.axis),
            self.position,
            stops=self.stops,
            rated_range=self.rated_range,
            damping=self.damping,
            static_friction=self.friction,
            armature=self.armature,
            velocity_limit=self.velocity_limit,
            effort_limit=self.effort_limit,
            motor=self._motor(name),
        )

    def _motor(self, name: str) -> Motor | None:
        """Return the motor of a joint that programs can command: one with a number or a mode."""
        if self.number is None and self.actuation is None:
            return None
        mode = ControlMode.FREE if self.actuation is None else MODES.get(self.actuation)
        range_ = self.rated_range
        return Motor(
            name,
            max_velocity=self.velocity_limit,
            max_effort=self.effort_limit,
            range=range_ if range_ and math.isfinite(range_[1] - range_[0]) else None,
            mode=mode or ControlMode.FREE,
            consumption=0.0,
            span=self.span,
            rigid=True,
        )

    def _track(self, name: str, offset: Pose) -> JointTrack:
        """Return the track: on flat ground, positive speed drives along axis x up. Its axis stays its own."""
        axis = offset.direction(self.axis)
        up = _perpendicular_part(_Z, axis)
        if norm(up) < 1e-3:  # a track that lies on its side: any direction round the axis will do
            up = _perpendicular_part((1.0, 0.0, 0.0), axis)
        up = scale(up, 1.0 / norm(up))
        forward = cross(axis, up)
        rated = JointAxis(
            axis,
            velocity_limit=self.velocity_limit,
            effort_limit=self.effort_limit,
            motor=Motor(
                name,
                max_velocity=self.velocity_limit,
                max_effort=self.effort_limit,
                mode=ControlMode.VELOCITY,
                consumption=0.0,
                span=self.span,
            ),
        )
        return JointTrack(name, rated, forward, up, span=self.span, around=True)


@dataclass(frozen=True, slots=True)
class LinkDraft:
    """One link as its file describes it.

    Attributes:
        name: Unique in the body; may be empty.
        joint_name: Of its joint; empty = as the link.
        parent: Name of the parent link; None = none given.
        offset: In the parent, at joint position 0.
        node: Path for messages.
        material: Contact material.
        is_lost: Whether it has been said already that it has no place in the tree.
    """

    name: str
    joint_name: str
    parent: str | None
    offset: Pose
    joint: JointDraft
    mass: MassProperties
    shapes: tuple[Shape, ...]
    node: str
    span: SourceSpan
    devices: tuple[Device, ...] = ()
    info: Info = ()
    material: str = DEFAULT_MATERIAL
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class LoopDraft:
    """A joint that closes a loop between two links, by name; `poses` are the joint frames in them."""

    kind: type[LoopBall] | type[LoopHinge] | type[LoopPiston] | type[LoopFixed]
    links: tuple[str, str]
    poses: tuple[Pose, Pose]
    name: str
    node: str
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class CouplingDraft:
    """A joint that follows another one, by the names of the links that they move."""

    follower: str
    leader: str
    multiplier: float
    offset: float
    span: SourceSpan


@dataclass(slots=True)
class BodyDraft:
    """A body as read, sub-bodies included.

    Attributes:
        name: Of the model.
        root: Name of the root link; None = the first link.
        links: In file order.
        loops: Extra joints.
        couplings: Joints that follow others.
        info: Keys that nothing reads, by name.
        rules: What a file says of collisions between links, by key.
    """

    name: str
    span: SourceSpan
    root: str | None = None
    links: list[LinkDraft] = field(default_factory=list[LinkDraft])
    loops: list[LoopDraft] = field(default_factory=list[LoopDraft])
    couplings: list[CouplingDraft] = field(default_factory=list[CouplingDraft])
    info: dict[str, str] = field(default_factory=dict[str, str])
    rules: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def root_index(self) -> int | None:
        """Index of the root link, or None if there is none of that name."""
        if self.root is None:
            return 0 if self.links else None
        return next((k for k, link in enumerate(self.links) if link.name == self.root), None)


def _perpendicular_part(v: Vec3, axis: Vec3) -> Vec3:
    along = v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2]
    return subtract(v, scale(axis, along))
