"""Lowers what connects solids: joints with their devices, loops, and solids without a joint."""

from __future__ import annotations

from dataclasses import dataclass, field

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.formats.webots.lower.builders import LinkBuilder
from solidbody.formats.webots.lower.deprecated import WHEEL_NAMES, lower_servo, lower_wheel
from solidbody.formats.webots.lower.devices import DeviceLowering
from solidbody.formats.webots.lower.joints import (
    AXIS_COUNTS,
    JointFrame,
    LoweredJoint,
    joint_devices,
    joint_positions,
    lower_joint,
)
from solidbody.formats.webots.lower.loops import PendingLoop, lower_loop
from solidbody.formats.webots.lower.lowering_context import LoweringContext
from solidbody.formats.webots.lower.motors import (
    AxisDevices,
    MotorLimits,
    coupled_limits,
    lower_devices,
)
from solidbody.formats.webots.lower.names import NameKind, NameLedger
from solidbody.formats.webots.lower.tracks import lower_track
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.joints import Joint, JointFixed, JointFree, JointTrack


@dataclass(slots=True)
class Connections:
    """Makes joints, and remembers the loops that can be closed only at the end."""

    devices: DeviceLowering
    log: DiagnosticLog
    names: NameLedger
    _coupling: dict[TypedNode, MotorLimits] = field(default_factory=dict[TypedNode, MotorLimits])
    _loops: list[PendingLoop] = field(default_factory=list[PendingLoop])

    def couple_motors(self, robot: TypedNode) -> None:
        """Make the limits of the coupled motors of a robot agree."""
        self._coupling.update(coupled_limits(robot, self.log))

    def close_loop(self, node: TypedNode, reference: TypedNode, place: LoweringContext) -> None:
        """Remember a joint whose end point is a SolidReference."""
        joint = self.joint(node, place.joint_frame(), place, reference)
        self._loops.append(PendingLoop(node, reference, place, joint))

    def finish(self) -> None:
        """Close the loops, once all solids of the top node are known."""
        for pending in self._loops:
            loop = lower_loop(pending, self.log)
            if loop is not None and pending.place.body is not None:
                pending.place.body.loops.append(loop)
        self._loops.clear()

    def joint(
        self, node: TypedNode, frame: JointFrame, place: LoweringContext, end_point: TypedNode
    ) -> LoweredJoint:
        """Return the joint of a node above `end_point`; `frame` is where its anchor is given."""
        devices = [
            self.axis_devices(nodes, position, place)
            for nodes, position in zip(joint_devices(node), joint_positions(node), strict=True)
        ]
        assert len(devices) == AXIS_COUNTS[node.type]
        for axis in devices:
            self.devices.muscles(axis, place, end_point)
        named = [
            item for axis in devices for item in (axis.motor, axis.sensor) if item and item.name
        ]
        child = "" if end_point.type == "SolidReference" else end_point.string("name")
        name = named[0].name if named else node.label or child or node.type
        if end_point.type == "Track":
            end_point.warn(
                self.log,
                "track-on-joint",
                "a Track that is the end point of a joint turns with it, "
                "but its surface does not move.",
            )
        return lower_joint(node, frame, self.names.take(NameKind.JOINT, name), devices, self.log)

    def axis_devices(
        self, nodes: list[TypedNode], position: float, place: LoweringContext
    ) -> AxisDevices:
        """Return what the device nodes of one axis become."""
        return lower_devices(
            nodes,
            position,
            has_robot=place.robot is not None,
            coupling=self._coupling,
            log=self.log,
        )

    def track(self, node: TypedNode, place: LoweringContext, pose: Pose) -> JointTrack:
        """Return the joint of a Track at `pose` in the frame of the parent link."""
        devices = self.axis_devices(node.children("device"), 0.0, place)
        for muscle in devices.motor_node.children("muscles") if devices.motor_node else ():
            muscle.warn(
                self.log, "muscle-in-track", "the motor of a Track has no muscles; it is left out."
            )
        return lower_track(
            node, self.names.take(NameKind.JOINT, node.string("name")), pose, devices
        )

    def old_joint(
        self, node: TypedNode, place: LoweringContext, frame: JointFrame, pose: Pose, name: str
    ) -> Joint:
        """Return the joint of a Servo or of a wheel of a DifferentialWheels robot."""
        unique = self.names.take(NameKind.JOINT, name)
        if node.type == "Servo":
            return lower_servo(node, frame, pose, unique, self.log)
        assert place.robot is not None
        return lower_wheel(place.robot, node, frame, pose, unique)


def is_joint_itself(node: TypedNode, place: LoweringContext) -> bool:
    """Whether the solid is a Servo, or a wheel of a DifferentialWheels robot, below another solid."""
    if place.upper is None or place.joint is not None:
        return False
    if node.type == "Servo":
        return True
    above = place.upper.node
    return above.type == "DifferentialWheels" and node.string("name").casefold() in WHEEL_NAMES


def connection(
    node: TypedNode,
    place: LoweringContext,
    is_dynamic: bool,
    rides_on_dynamic: bool,
    log: DiagnosticLog,
) -> tuple[Joint | None, LinkBuilder | None]:
    """Return (joint, parent link) of a solid without a joint above it; no joint = merged."""
    upper, above = place.upper, place.link
    is_track = node.type == "Track"
    if not is_dynamic:
        if rides_on_dynamic and not is_track:
            return None, above
        return JointFixed(), above
    if upper is None:
        return JointFree(), above
    if upper.is_dynamic:
        if node.type == "TouchSensor" or is_track:
            return JointFixed(), above
        if node.string("name").casefold() in WHEEL_NAMES:
            return JointFree(), None
        return None, above
    if upper.has_dynamic_ancestor:
        node.warn(
            log,
            "unconnected-solid",
            "the solid has physics, the one above it has not, and one further up has: "
            "nothing connects it, so it falls.",
        )
        return JointFree(), None
    return JointFixed(), above
