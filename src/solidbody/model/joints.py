"""Joints: how a link moves against its parent link.

Anchors and axes are given in the frame of the parent link (the world, for a link without parent).
Each joint's axes carry their own position, stops, spring, motor and sensors.
"""

from __future__ import annotations

from dataclasses import dataclass

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import ZERO, Pose, Vec3
from solidbody.model.motors import Brake, Motor, PositionSensor


@dataclass(frozen=True, slots=True)
class Stops:
    """Hard limits of an axis [rad] or [m]; erp/cfm None = the scene's."""

    low: float
    high: float
    erp: float | None = None
    cfm: float | None = None
    bounce: float = 0.0

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"stops must satisfy low <= high, got {self.low}, {self.high}")


@dataclass(frozen=True, slots=True)
class JointAxis:
    """One degree of freedom.

    Attributes:
        direction: Unit vector in the parent link's frame, at the stored pose.
        position: Position at the stored pose of the child [rad] or [m].
        velocity: Initial velocity [rad/s] or [m/s].
        stops: Hard limits; None = none.
        rated_range: Positions that the joint is meant for [rad] or [m] (information; not enforced, infinite
            ends allowed); None = any.
        spring: Stiffness towards `spring_rest` [N*m/rad] or [N/m].
        damping: [N*m*s/rad] or [N*s/m].
        static_friction: Greatest effort of dry friction [N*m] or [N].
        armature: Rotor inertia seen at the joint [kg*m^2] or [kg].
        velocity_limit: Rated limit (information; enforced by motors); inf = none.
        effort_limit: Rated limit; inf = none.
        spring_rest: Position to which the spring pulls [rad] or [m].
    """

    direction: Vec3
    position: float = 0.0
    velocity: float = 0.0
    stops: Stops | None = None
    rated_range: tuple[float, float] | None = None
    spring: float = 0.0
    damping: float = 0.0
    static_friction: float = 0.0
    armature: float = 0.0
    velocity_limit: float = float("inf")
    effort_limit: float = float("inf")
    motor: Motor | None = None
    sensor: PositionSensor | None = None
    brake: Brake | None = None
    spring_rest: float = 0.0


@dataclass(frozen=True, slots=True)
class Suspension:
    """Linear spring-damper of a hinge anchor along one direction of the parent frame."""

    direction: Vec3
    spring: float
    damping: float


@dataclass(frozen=True, slots=True)
class JointFree:
    """No connection: the link floats."""


@dataclass(frozen=True, slots=True)
class JointFixed:
    """The link is rigidly attached to its parent, or to the world when it has none."""


@dataclass(frozen=True, slots=True)
class JointHinge:
    """Rotation about one axis through `anchor`."""

    name: str
    axis: JointAxis
    anchor: Vec3 = ZERO
    suspension: Suspension | None = None
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class JointSlider:
    """Translation along one axis."""

    name: str
    axis: JointAxis
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class JointHinge2:
    """Rotation about `axis1` (of the parent), then about `axis2` (carried by the first)."""

    name: str
    axis1: JointAxis
    axis2: JointAxis
    anchor: Vec3 = ZERO
    suspension: Suspension | None = None
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class JointBall:
    """Free rotation about `anchor`; the three axes give Euler angles, motors and springs."""

    name: str
    axis1: JointAxis
    axis2: JointAxis
    axis3: JointAxis
    anchor: Vec3 = ZERO
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class JointTrack:
    """No motion of the link; its surface moves at contacts, as a crawler does.

    `direction` is the way the surface drives the link, `up` the normal of the upper run. The surface
    moves at full speed on the upper and lower run and slows down towards the sides or, if it goes
    `around`, at full speed everywhere, across normal and `up` x `direction`. That one's axis is what it
    runs around, and its position stays 0.
    """

    name: str
    axis: JointAxis
    direction: Vec3 = (1.0, 0.0, 0.0)
    up: Vec3 = (0.0, 0.0, 1.0)
    span: SourceSpan = NOWHERE
    around: bool = False


Joint = JointFree | JointFixed | JointHinge | JointSlider | JointHinge2 | JointBall | JointTrack


@dataclass(frozen=True, slots=True)
class LoopAttachment:
    """One end of a loop: a link by its path (None = the world) and the joint frame in it."""

    link: str | None
    pose: Pose


@dataclass(frozen=True, slots=True)
class LoopBall:
    """Two points coincide."""

    ends: tuple[LoopAttachment, LoopAttachment]
    name: str = ""
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LoopHinge:
    """Two points coincide and the joint frames' z axes stay parallel."""

    ends: tuple[LoopAttachment, LoopAttachment]
    name: str = ""
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LoopPiston:
    """The second point stays on the z axis of the first joint frame."""

    ends: tuple[LoopAttachment, LoopAttachment]
    name: str = ""
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LoopFixed:
    """The two joint frames coincide."""

    ends: tuple[LoopAttachment, LoopAttachment]
    name: str = ""
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LoopPlane:
    """The second point stays in the x-y plane of the first joint frame, and the z axes stay parallel."""

    ends: tuple[LoopAttachment, LoopAttachment]
    name: str = ""
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class LoopGeneral:
    """A joint that closes a loop with its own axes, stops and motors (hinge, slider, hinge2, ball)."""

    ends: tuple[LoopAttachment, LoopAttachment]
    joint: Joint
    name: str = ""
    span: SourceSpan = NOWHERE


@dataclass(frozen=True, slots=True)
class Coupling:
    """A joint that follows another one as gears do: position = multiplier * that of the leader + offset.

    Both are hinges or sliders of one body, named by the paths of the links that they move.
    """

    follower: str
    leader: str
    multiplier: float = 1.0
    offset: float = 0.0
    span: SourceSpan = NOWHERE


Loop = LoopBall | LoopHinge | LoopPiston | LoopFixed | LoopPlane | LoopGeneral


def joint_axes(joint: Joint) -> tuple[JointAxis, ...]:
    """Return the axes of a joint in order; none for free and fixed ones."""
    match joint:
        case JointHinge() | JointSlider() | JointTrack():
            return (joint.axis,)
        case JointHinge2():
            return (joint.axis1, joint.axis2)
        case JointBall():
            return (joint.axis1, joint.axis2, joint.axis3)
        case JointFree() | JointFixed():
            return ()
