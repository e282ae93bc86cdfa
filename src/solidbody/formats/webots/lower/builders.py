"""Links and bodies under construction, filled while the node tree is walked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import WORLD, Pose, cross, subtract
from solidbody.formats.webots.lower.plain import lower_plain, plain_values
from solidbody.formats.webots.nodes.attributes import bindings
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.devices import Device
from solidbody.model.fluids import Immersion
from solidbody.model.joints import Joint, Loop
from solidbody.model.links import Body, Damping, Frame, Link, Motion, Robot
from solidbody.model.mass import MassProperties, combined
from solidbody.model.shapes import Shape


@dataclass(frozen=True, slots=True)
class MemberDamping:
    """Damping of one solid of a merged group, with the weight it has: its volume [m^3]."""

    volume: float
    damping: Damping


@dataclass(slots=True, eq=False)
class LinkBuilder:
    """One link; merged solids add their parts to it.

    Attributes:
        index: Place in the body's links.
        node: The solid (or the top node of a decoration, or the Billboard) that it comes from.
        pose: In the frame of the parent link.
        world: In the world.
        masses: Of the solid and those merged into it, in the link frame.
        device_robots: The Robot node that each of its devices belongs to.
        is_part: Whether it is only a piece of the solid that had to become a link of its own.
    """

    index: int
    name: str
    path: str
    node: TypedNode
    pose: Pose
    world: Pose
    joint: Joint
    motion: Motion
    parent: int | None
    masses: list[MassProperties] = field(default_factory=list[MassProperties])
    dampings: list[MemberDamping] = field(default_factory=list[MemberDamping])
    shapes: list[Shape] = field(default_factory=list[Shape])
    devices: list[Device] = field(default_factory=list[Device])
    device_robots: list[TypedNode | None] = field(default_factory=list["TypedNode | None"])
    frames: list[Frame] = field(default_factory=list[Frame])
    immersions: list[Immersion] = field(default_factory=list[Immersion])
    is_part: bool = False

    def add_device(self, device: Device, robot: TypedNode | None) -> int:
        """Append a device of a Robot node; return its place."""
        self.devices.append(device)
        self.device_robots.append(robot)
        return len(self.devices) - 1

    def build(self, log: DiagnosticLog) -> Link:
        """Return the finished link."""
        node = self.node
        is_solid = node.is_a("Solid") and not self.is_part
        mass = self._mass(log) if self.motion is Motion.DYNAMIC else None
        said: dict[str, Any] = {"is_locked": True, "span": node.span}
        if is_solid:
            linear = node.vec3("linearVelocity")
            said = plain_values(bindings(node.type, Link), node, linear_velocity=linear)
            if mass is not None:  # Webots stores the velocity of the centre of mass
                arm = self.world.direction(mass.center)
                said["linear_velocity"] = subtract(linear, cross(said["angular_velocity"], arm))
        return Link(
            name=self.name,
            path=self.path,
            pose=self.pose,
            parent=self.parent,
            joint=self.joint,
            motion=self.motion,
            mass=mass,
            shapes=tuple(self.shapes),
            devices=tuple(self.devices),
            frames=tuple(self.frames),
            damping=self._damping(),
            immersions=tuple(self.immersions),
            label="" if self.is_part else node.label,
            follows_view=node.type == "Billboard",
            **said,
        )

    def _mass(self, log: DiagnosticLog) -> MassProperties:
        try:
            mass = combined(self.masses) if len(self.masses) > 1 else self.masses[0]
        except (ValueError, OverflowError):
            self.node.fail(
                log, "non-finite", "the merged mass is too large to be used; 1 kg is used instead."
            )
            return MassProperties(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
        smallest, largest = min(mass.inertia[:3]), max(mass.inertia[:3])
        if 0.0 < smallest < 1e-5 and largest / smallest > 15.0:
            self.node.warn(
                log,
                "light-and-oblong",
                "the solid is light and oblong (moments of inertia "
                f"{smallest:g} to {largest:g} kg*m^2): its physics may be unstable.",
            )
        return mass

    def _damping(self) -> Damping | None:
        """Return the volume-weighted mean; both 0 means the scene's default."""
        if not self.dampings:
            return None
        volume = math.fsum(item.volume for item in self.dampings)
        is_weighted = 0.0 < volume < math.inf
        total = volume if is_weighted else float(len(self.dampings))
        linear = angular = 0.0
        for item in self.dampings:
            weight = (item.volume if is_weighted else 1.0) / total
            linear += weight * item.damping.linear
            angular += weight * item.damping.angular
        return None if linear == 0.0 and angular == 0.0 else Damping(linear, angular)


def merged_frame(node: TypedNode, path: str, pose: Pose) -> Frame:
    """Return the frame of a solid that has become part of a link, at `pose` in it."""
    return lower_plain(
        Frame, node, name=node.string("name"), path=path, pose=pose, label=node.label
    )


@dataclass(slots=True, eq=False)
class BodyBuilder:
    """A tree of links below one solid that has no solid above it."""

    node: TypedNode
    links: list[LinkBuilder] = field(default_factory=list[LinkBuilder])
    robots: list[Robot] = field(default_factory=list[Robot])
    robot_nodes: list[TypedNode] = field(default_factory=list[TypedNode])
    loops: list[Loop] = field(default_factory=list[Loop])
    solids: dict[str, LinkBuilder] = field(default_factory=dict[str, LinkBuilder])
    """Names of solids, to the link that each belongs to; of several the first."""

    def add_link(
        self,
        node: TypedNode,
        name: str,
        path: str,
        *,
        pose: Pose,
        parent: LinkBuilder | None,
        joint: Joint,
        motion: Motion,
    ) -> LinkBuilder:
        """Append a link; `pose` is in the frame of `parent` (the world, without one)."""
        link = LinkBuilder(
            len(self.links),
            name,
            path,
            node,
            pose,
            (parent.world if parent else WORLD) * pose,
            joint,
            motion,
            parent.index if parent else None,
        )
        self.links.append(link)
        return link

    def finished_robots(self) -> tuple[Robot, ...]:
        """Return the robots; those that share a link know which devices of it are their own."""
        found: list[Robot] = []
        for robot, node in zip(self.robots, self.robot_nodes, strict=True):
            if robot.share is not None:
                owners = self.links[robot.link].device_robots
                own = tuple(k for k, owner in enumerate(owners) if owner is node)
                robot = replace(robot, share=replace(robot.share, devices=own))
            found.append(robot)
        return tuple(found)

    def build(self, log: DiagnosticLog) -> Body:
        """Return the finished body."""
        return Body(
            self.links[0].name,
            tuple(link.build(log) for link in self.links),
            self.finished_robots(),
            tuple(self.loops),
            span=self.node.span,
        )
