"""What a scene describes but the simulation does not move yet: said, never skipped in silence."""

from __future__ import annotations

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import NOWHERE
from solidbody.model.devices import DevicePropeller, DeviceTouchSensor, DeviceVacuumGripper
from solidbody.model.joints import JointAxis, JointBall
from solidbody.model.links import Link, Motion
from solidbody.model.scene import GyroRule, Scene


def report_gaps(scene: Scene, log: DiagnosticLog) -> None:
    """Add a warning for each part of the scene that has no effect on motion here."""
    if scene.physics.gyro is GyroRule.IMPLICIT:
        log.warning("gyro-rule", NOWHERE, "the gyroscopic torque is explicit here, not implicit")
    for fluid in scene.fluids:
        log.warning("fluid", fluid.span, "fluids exert no force yet", node=fluid.name)
    for robot in (robot for body in scene.bodies for robot in body.robots if robot.drive):
        log.warning(
            "kinematic-drive",
            robot.span,
            "wheels do not move a robot without physics yet",
            node=robot.name,
        )
    for link in scene.links():
        _report_link(link, log)


def _report_link(link: Link, log: DiagnosticLog) -> None:
    for device in link.devices:
        if isinstance(device, DeviceTouchSensor | DeviceVacuumGripper) and device.feelers:
            log.warning(
                "device-without-physics",
                device.span,
                "a touch sensor or gripper without physics, on a part that has, feels nothing yet",
                node=link.path,
            )
        if isinstance(device, DevicePropeller):
            log.warning("propeller", device.span, "propellers give no thrust yet", node=link.path)
    joint = link.joint
    if link.motion is not Motion.DYNAMIC or not isinstance(joint, JointBall):
        return
    if any(_acts(axis) for axis in (joint.axis1, joint.axis2, joint.axis3)):
        log.warning(
            "ball-axis",
            joint.span,
            "motors, stops, springs and friction of a ball joint do not act yet",
            node=link.path,
        )


def _acts(axis: JointAxis) -> bool:
    """Whether an axis has anything that would push."""
    return bool(axis.motor or axis.stops or axis.spring or axis.damping or axis.static_friction)
