"""Links (rigid bodies), the frames fixed to them, and the bodies (articulated trees) they form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.base.transforms import WORLD, ZERO, Pose, Vec3
from solidbody.model.devices import Device
from solidbody.model.fluids import Immersion
from solidbody.model.joints import Coupling, Joint, JointFree, Loop
from solidbody.model.mass import MassProperties
from solidbody.model.motions import PlayedMotion
from solidbody.model.programs import SimpleController
from solidbody.model.shapes import Shape


class Motion(Enum):
    """What moves a link."""

    DYNAMIC = "dynamic"
    """Forces do."""
    KINEMATIC = "kinematic"
    """Only the program does (its velocity, its joint, a user); it pushes but is not pushed."""


@dataclass(frozen=True, slots=True)
class Damping:
    """Share of velocity lost per second, 0..1."""

    linear: float = 0.0
    angular: float = 0.0


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a link: a part that was merged into it or rides on it.

    Attributes:
        name: Name of the part.
        path: Unique path in the scene.
        label: Name given to the node in the file (for look-up), or empty.
        pose: In the link frame.
        model: Generic model name, free text.
        description: Free text.
        is_locked: Not to be moved by hand in a viewer.
        radar_cross_section: > 0 makes it a radar target [m^2].
        recognition_colors: Non-empty makes it visible to recognition.
    """

    name: str
    path: str
    pose: Pose
    label: str = ""
    model: str = ""
    span: SourceSpan = NOWHERE
    description: str = ""
    is_locked: bool = False
    radar_cross_section: float = 0.0
    recognition_colors: tuple[Vec3, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """One rigid body.

    Attributes:
        name: Unique in the scene; the key of logs and look-ups.
        path: Names from the top of the tree, joined with `:`, in the file's own words.
        label: The file's other name for it (DEF name), or empty.
        parent: Index in `Body.links` of the parent link; None for a root.
        pose: Link frame in the parent link's frame (the world, for a root), at the start.
        joint: How it moves against its parent (or the world).
        joint_number: Place of the joint in the file's own list of joints; None = it is not in it.
        motion: Dynamic or kinematic.
        mass: Mass properties in the link frame; None only for kinematic links.
        linear_velocity: Initial velocity of the link origin [m/s], world axes.
        angular_velocity: Initial angular velocity [rad/s], world axes.
        damping: None = the scene's default.
        frames: Parts merged into this link.
        is_locked: Not to be moved by hand in a viewer.
        radar_cross_section: > 0 makes it a radar target [m^2].
        recognition_colors: Non-empty makes it visible to recognition.
        follows_view: Whether its shapes are drawn before the eyes of who looks at the world: its frame is
            that of the viewer (x forward, z up), and no sensor sees it.
    """

    name: str
    path: str
    pose: Pose = WORLD
    parent: int | None = None
    joint: Joint = field(default_factory=JointFree)
    joint_number: int | None = None
    motion: Motion = Motion.DYNAMIC
    mass: MassProperties | None = None
    shapes: tuple[Shape, ...] = ()
    devices: tuple[Device, ...] = ()
    frames: tuple[Frame, ...] = ()
    linear_velocity: Vec3 = ZERO
    angular_velocity: Vec3 = ZERO
    damping: Damping | None = None
    immersions: tuple[Immersion, ...] = ()
    label: str = ""
    model: str = ""
    description: str = ""
    is_locked: bool = False
    translation_step: float = 0.01
    rotation_step: float = 0.261799387
    radar_cross_section: float = 0.0
    recognition_colors: tuple[Vec3, ...] = ()
    follows_view: bool = False
    metadata: tuple[tuple[str, str], ...] = ()
    span: SourceSpan = NOWHERE

    def __post_init__(self) -> None:
        if self.motion is Motion.DYNAMIC and self.mass is None:
            raise ValueError(f'dynamic link "{self.name}" needs mass properties')


@dataclass(frozen=True, slots=True)
class CollisionRules:
    """Which pairs of links of one body are not tested against each other.

    Attributes:
        self_collision: False = no pair inside one robot is tested.
        chain_level: Pairs whose distance in the joint tree is at most this are ignored.
        disabled_links: Paths of links that collide with nothing.
        disabled_pairs: Pairs of paths that ignore each other; one of them may be of another body.
        fixed_base_ignores_static: A link jointed to the world, also by a loop, ignores everything static.
        loop_ends_ignored: Links that a closed loop joins ignore each other.
        shared_anchor_ignored: Links whose connecting joints share one anchor ignore each other.
    """

    self_collision: bool = True
    chain_level: int = 1
    disabled_links: tuple[str, ...] = ()
    disabled_pairs: tuple[tuple[str, str], ...] = ()
    fixed_base_ignores_static: bool = True
    loop_ends_ignored: bool = True
    shared_anchor_ignored: bool = True


@dataclass(frozen=True, slots=True)
class DifferentialDrive:
    """Two wheels that move a kinematic robot over the ground as they turn, without forces.

    With the wheel speeds wl, wr [rad/s] the robot moves at r (wl + wr) / 2 along its forward axis and
    turns at r (wr - wl) / axle about its up axis. What it touches pushes it back in the ground plane by
    the greatest depth (by half of it, if that is such a robot too).

    Attributes:
        left: Joint of the wheel on its left, by name.
        right: Joint of the wheel on its right, by name.
        wheel_radius: [m]
        axle_length: [m]
        forward: Direction in the frame of the robot's link.
        up: Direction in the frame of the robot's link.
    """

    left: str
    right: str
    wheel_radius: float
    axle_length: float
    forward: Vec3 = (1.0, 0.0, 0.0)
    up: Vec3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class RobotShare:
    """What is a robot's own of a link that is the robot or solid around it, too.

    Attributes:
        path: Path of the robot; links below it are its own.
        devices: Places of its devices in `Link.devices`.
    """

    path: str
    devices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Robot:
    """A link tree that a program controls.

    Attributes:
        name: Name that the controller goes by.
        link: Index in `Body.links` of the link that carries the robot (nested robots exist).
        controller: Program name; "<extern>", "<none>" and "<generic>" are special.
        battery: (current, capacity, charging power) [J, J, W]; None = unlimited.
        drive: How the wheels of a robot without physics move it; None = they do not.
        device_order: Names of its devices in the order of the file; those that are not in it come last.
        speed_unit: Wheel speed that 1 stands for in the calls of old two-wheeled robots [rad/s].
        share: What is its own of a link that it shares with what is around it; None = it does not share.
    """

    name: str
    link: int
    controller: str = "<generic>"
    controller_args: tuple[str, ...] = ()
    custom_data: str = ""
    is_supervisor: bool = False
    is_synchronous: bool = True
    battery: tuple[float, float, float] | None = None
    cpu_consumption: float = 10.0
    self_collision: bool = False
    window: str = ""
    remote_control: str = ""
    span: SourceSpan = NOWHERE
    drive: DifferentialDrive | None = None
    device_order: tuple[str, ...] = field(default=(), compare=False)
    speed_unit: float = field(default=1.0, compare=False)
    share: RobotShare | None = None


@dataclass(frozen=True, slots=True)
class Body:
    """An articulated tree (or several that belong together): links in parent-before-child order.

    `programs`: Shared objects that control it, those that share a body behind the one that owns it.
    """

    name: str
    links: tuple[Link, ...]
    robots: tuple[Robot, ...] = ()
    loops: tuple[Loop, ...] = ()
    collision: CollisionRules = CollisionRules()
    metadata: tuple[tuple[str, str], ...] = ()
    programs: tuple[SimpleController, ...] = ()
    span: SourceSpan = NOWHERE
    motion: PlayedMotion | None = None
    couplings: tuple[Coupling, ...] = ()

    def __post_init__(self) -> None:
        for index, link in enumerate(self.links):
            if link.parent is not None and not 0 <= link.parent < index:
                raise ValueError(f'link "{link.name}" must come after its parent')

    def robot_of_links(self) -> list[int | None]:
        """Return for each link the index of the nearest robot at or above it; None = no robot is."""
        return robot_of_links([(link.parent, link.path) for link in self.links], self.robots)

    def robot_of_joint(self, index: int, nearest: Sequence[int | None]) -> int | None:
        """Return the index of the robot of a link's joint: the one above, where the link carries its own.

        `nearest`: What `robot_of_links` says.
        """
        parent = self.links[index].parent
        carries = parent is not None and any(robot.link == index for robot in self.robots)
        above = nearest[parent] if parent is not None and carries else None
        return nearest[index] if above is None else above

    def robot_of_device(self, link: int, device: int, nearest: int | None) -> int | None:
        """Return the index of the robot of a device of a link whose nearest robot is known."""
        return robot_of_device(self.robots, link, device, nearest)


def robot_of_links(
    links: Sequence[tuple[int | None, str]], robots: Sequence[Robot]
) -> list[int | None]:
    """Return for each link (its parent and path) the index of the nearest robot at or above it.

    What moves freely inside something at rest has no parent: there the paths tell, as they do below a
    link that carries several robots.
    """
    at = {robot.link: number for number, robot in enumerate(robots) if robot.share is None}
    nearest: list[int | None] = []
    for index, (parent, path) in enumerate(links):
        above = _holder(links, index) if parent is None and robots else parent
        found = at.get(index)
        if found is None and above is not None:
            found = _sharer(robots, above, path)
            found = nearest[above] if found is None else found
        nearest.append(found)
    return nearest


def robot_of_device(
    robots: Sequence[Robot], link: int, device: int, nearest: int | None
) -> int | None:
    """Return the index of the robot of device number `device` of a link; `nearest` is that of the link."""
    shares = ((k, robot.share) for k, robot in enumerate(robots) if robot.link == link)
    return next((k for k, share in shares if share and device in share.devices), nearest)


def _sharer(robots: Sequence[Robot], link: int, path: str) -> int | None:
    """Return the innermost robot merged into a link that a path leads through, or None."""
    found = [
        (len(robot.share.path), k)
        for k, robot in enumerate(robots)
        if robot.link == link and robot.share and path.startswith(robot.share.path + ":")
    ]
    return max(found)[1] if found else None


def _holder(links: Sequence[tuple[int | None, str]], index: int) -> int | None:
    """Return the nearest link that a link without parent stands in, or None."""
    path = links[index][1]
    return next((k for k in range(index - 1, -1, -1) if path.startswith(links[k][1] + ":")), None)
