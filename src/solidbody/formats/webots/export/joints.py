"""Exports joints, motors and loops as Webots nodes."""

from __future__ import annotations

import math
import re
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import SourceSpan
from solidbody.base.transforms import (
    Pose,
    Vec3,
    quat_conjugate,
    quat_from_axis_angle,
    quat_multiply,
    quat_rotate,
)
from solidbody.formats.vrml.syntax import NodeSyntax
from solidbody.formats.webots.export.nodes import Content, Fields, node
from solidbody.formats.webots.export.plain import plain_fields, plain_node
from solidbody.formats.webots.export.shapes import LOST
from solidbody.model.joints import (
    Joint,
    JointAxis,
    JointBall,
    JointFixed,
    JointFree,
    JointHinge,
    JointHinge2,
    JointSlider,
    JointTrack,
)

_LABEL: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def joint_node(
    joint: Joint,
    frame: Pose,
    end_point: NodeSyntax,
    child: str,
    span: SourceSpan,
    log: DiagnosticLog,
) -> NodeSyntax | None:
    """Return the node of a joint around its end point; None for those that need none.

    Args:
        joint: In the frame of the parent link.
        frame: That link frame in the solid that is written.
        end_point: The child solid, or a SolidReference.
        child: Name of the child; a joint of another name is labelled with it.
        span: Where the child comes from.
        log: Told what is lost.
    """
    match joint:
        case JointHinge():
            _report_axes((joint.axis,), joint.name, span, log)
            return node(
                "HingeJoint",
                _label(joint.name, child, joint.axis),
                jointParameters=_hinge_parameters(joint, joint.axis, frame),
                device=axis_devices(joint.axis, "RotationalMotor"),
                endPoint=end_point,
            )
        case JointSlider():
            _report_axes((joint.axis,), joint.name, span, log)
            return node(
                "SliderJoint",
                _label(joint.name, child, joint.axis),
                jointParameters=_parameters(
                    "JointParameters", joint.axis, frame.direction(joint.axis.direction)
                ),
                device=axis_devices(joint.axis, "LinearMotor"),
                endPoint=end_point,
            )
        case JointHinge2():
            return _hinge2(joint, frame, end_point, child, span, log)
        case JointBall():
            return _ball(joint, frame, end_point, child, span, log)
        case JointTrack() | JointFixed() | JointFree():
            return None


def _hinge2(
    joint: JointHinge2,
    frame: Pose,
    end_point: NodeSyntax,
    child: str,
    span: SourceSpan,
    log: DiagnosticLog,
) -> NodeSyntax:
    _report_axes((joint.axis1, joint.axis2), joint.name, span, log)
    first = joint.axis1
    # the model has the second axis at the stored pose, the file at position 0 of the first
    back = quat_from_axis_angle(first.direction, -first.position)
    second = quat_rotate(back, joint.axis2.direction)
    return node(
        "Hinge2Joint",
        _label(joint.name, child, first),
        jointParameters=_hinge_parameters(joint, first, frame),
        jointParameters2=_parameters("JointParameters", joint.axis2, frame.direction(second)),
        device=axis_devices(first, "RotationalMotor"),
        device2=axis_devices(joint.axis2, "RotationalMotor"),
        endPoint=end_point,
    )


def _ball(
    joint: JointBall,
    frame: Pose,
    end_point: NodeSyntax,
    child: str,
    span: SourceSpan,
    log: DiagnosticLog,
) -> NodeSyntax:
    """Return a BallJoint; its second parameters hold the first axis, its third ones the third."""
    axes = (joint.axis1, joint.axis2, joint.axis3)
    _report_axes(axes, joint.name, span, log)
    one, two, three = axes
    turn1 = quat_from_axis_angle(one.direction, one.position)
    axis2 = quat_rotate(quat_conjugate(turn1), two.direction)
    turn12 = quat_multiply(turn1, quat_from_axis_angle(axis2, two.position))
    axis3 = quat_rotate(quat_conjugate(turn12), three.direction)
    return node(
        "BallJoint",
        _label(joint.name, child, one),
        jointParameters=_parameters(
            "BallJointParameters", one, None, anchor=frame.point(joint.anchor)
        ),
        jointParameters2=_parameters("JointParameters", two, frame.direction(one.direction)),
        jointParameters3=_parameters("JointParameters", three, frame.direction(axis3)),
        device=axis_devices(one, "RotationalMotor"),
        device2=axis_devices(two, "RotationalMotor"),
        device3=axis_devices(three, "RotationalMotor"),
        endPoint=end_point,
    )


def _label(name: str, child: str, axis: JointAxis) -> str:
    """Return the DEF name that keeps the joint's own name, where nothing else gives it."""
    named = axis.motor or axis.sensor
    if (named is not None and named.name == name) or (named is None and name == child):
        return ""
    return legal_label(name)


def legal_label(name: str) -> str:
    """Return `name` where it can be a DEF name, else nothing."""
    return name if _LABEL.fullmatch(name) else ""


def _parameters(kind: str, axis: JointAxis, direction: Vec3 | None, **given: Content) -> NodeSyntax:
    """Return the parameters of one axis of a joint."""
    if axis.stops is None:
        given |= dict.fromkeys(("minStop", "maxStop", "stopERP", "stopCFM"))
    return node(kind, **plain_fields(kind, axis, {"axis": direction, **given}))


def _hinge_parameters(joint: JointHinge | JointHinge2, axis: JointAxis, frame: Pose) -> NodeSyntax:
    given: Fields = {"anchor": frame.point(joint.anchor)}
    if joint.suspension is not None:
        turned = frame.direction(joint.suspension.direction)
        given["suspensionAxis"] = turned
        given = plain_fields("HingeJointParameters", joint.suspension, given)
    return _parameters("HingeJointParameters", axis, frame.direction(axis.direction), **given)


def axis_devices(axis: JointAxis, motor_type: str) -> list[Content]:
    """Return the nodes of the motor, the sensor and the brake of an axis."""
    devices: list[Content] = []
    if axis.motor is not None:
        devices.append(plain_node(axis.motor, motor_type))
    if axis.sensor is not None:
        devices.append(plain_node(axis.sensor))
    if axis.brake is not None:
        devices.append(plain_node(axis.brake))
    return devices


def _report_axes(
    axes: tuple[JointAxis, ...], name: str, span: SourceSpan, log: DiagnosticLog
) -> None:
    for axis in axes:
        losses: list[str] = []
        if axis.armature:
            losses.append(f"rotor inertia {axis.armature:g}")
        if axis.velocity:
            losses.append(f"initial velocity {axis.velocity:g}")
        if axis.stops is not None and axis.stops.bounce:
            losses.append("stops that bounce")
        if axis.rated_range is not None and (axis.motor is None or axis.motor.range is None):
            losses.append("a rated range that nothing enforces")
        if axis.motor is None and math.isfinite(axis.velocity_limit):
            losses.append("a rated velocity without a motor")
        if axis.motor is None and math.isfinite(axis.effort_limit):
            losses.append("a rated effort without a motor")
        if losses:
            log.warning(LOST, span, f'joint "{name}": Webots cannot say {", ".join(losses)}')
