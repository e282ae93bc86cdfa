"""Replaces deprecated nodes by those that Webots has in their place today.

A Servo is a solid on a joint with a motor and a position sensor: it turns about (or moves along) the
axis of its own `rotation`. The wheels of a DifferentialWheels robot are its solids named `left wheel`
and `right wheel`. Such a robot looks along its -z axis with y up and its axle along x: a positive speed
drives it forward, so its wheels turn about -x.
"""

from __future__ import annotations

import math
from typing import Any, Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose, Vec3
from solidbody.formats.webots.lower.joints import JointFrame, with_devices
from solidbody.formats.webots.lower.motors import AxisDevices, motor_range
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.model.joints import JointAxis, JointHinge, JointSlider
from solidbody.model.motors import Motor, PositionSensor

WHEEL_NAMES: Final = ("left wheel", "right wheel")
_AXLE: Final[Vec3] = (-1.0, 0.0, 0.0)


def warn_deprecated(node: TypedNode, log: DiagnosticLog) -> None:
    """Say what to write instead of a node that Webots no longer has."""
    instead = {
        "Servo": "a HingeJoint or SliderJoint with a motor and a PositionSensor",
        "DifferentialWheels": "a Robot with two HingeJoint wheels",
        "Supervisor": "a Robot with supervisor TRUE",
    }[node.type]
    node.warn(
        log,
        "deprecated-node",
        f"{node.type} no longer exists in Webots; it is read as {instead}.",
    )


def lower_servo(
    node: TypedNode, frame: JointFrame, child: Pose, name: str, log: DiagnosticLog
) -> JointHinge | JointSlider:
    """Return the joint of a Servo; `child` is its pose in the frame of the parent link."""
    x, y, z, _ = node.rotation("rotation")
    low, high = node.number("minPosition"), node.number("maxPosition")
    reach = motor_range(node, low, high, node.number("position"), log)
    motor = lower_plain(Motor, node, range=reach)
    sensor = PositionSensor(f"{motor.name}_sensor", span=node.span)
    axis = lower_plain(JointAxis, node, log, direction=frame.pose.direction((x, y, z)))
    axis = with_devices(axis, AxisDevices(motor, sensor))
    if node.string("type") == "rotational":
        return JointHinge(name, axis, child.position, span=node.span)
    return JointSlider(name, axis, span=node.span)


def lower_wheel(
    robot: TypedNode, wheel: TypedNode, frame: JointFrame, child: Pose, name: str
) -> JointHinge:
    """Return the joint of a wheel of a DifferentialWheels robot.

    With physics the torque is limited, without it the acceleration. Motor and sensor have the names that
    Webots' manual recommends for the robots that replace these.
    """
    device = wheel.string("name").casefold()
    is_dynamic = wheel.node("physics") is not None
    given: dict[str, Any] = {"acceleration": None} if is_dynamic else {"max_effort": math.inf}
    motor = lower_plain(Motor, robot, name=f"{device} motor", span=wheel.span, **given)
    sensor = lower_plain(PositionSensor, robot, name=f"{device} sensor", span=wheel.span)
    axis = with_devices(JointAxis(frame.pose.direction(_AXLE)), AxisDevices(motor, sensor))
    return JointHinge(name, axis, child.position, span=wheel.span)
