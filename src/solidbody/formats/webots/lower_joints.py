"""Joints, motors and joint sensors to the model.

Sentinels end here: equal stops mean no stops, -1 means the world's value or unlimited.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import ZERO, Pose, Vec3, norm, normalized
from solidbody.formats.webots.typed import TypedNode
from solidbody.model.joints import JointAxis, JointHinge, JointSlider, Stops, Suspension
from solidbody.model.motors import Brake, Motor, Pid, PositionSensor

_DEFAULT_AXIS: dict[str, Vec3] = {"HingeJoint": (1.0, 0.0, 0.0), "SliderJoint": (0.0, 0.0, 1.0)}
_RESET_AXIS: Vec3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class AxisDevices:
    """The devices on one axis."""

    motor: Motor | None = None
    sensor: PositionSensor | None = None
    brake: Brake | None = None


def lower_joint(
    node: TypedNode, frame: Pose, name: str, devices: AxisDevices, log: DiagnosticLog
) -> JointHinge | JointSlider:
    """Return the joint of a HingeJoint or SliderJoint node.

    Args:
        node: The joint.
        frame: The nearest upper Pose in the frame of the parent link (the world, without one).
        name: Unique name of the joint.
        devices: What `lower_devices` made of its devices.
        log: Takes the messages.
    """
    parameters = node.node("jointParameters")
    is_hinge = node.type == "HingeJoint"
    position = joint_position(node)
    if parameters is None:
        axis = JointAxis(frame.direction(_DEFAULT_AXIS[node.type]), position)
        axis = _with_devices(axis, devices)
        if is_hinge:
            return JointHinge(name, axis, frame.position, span=node.span)
        return JointSlider(name, axis, span=node.span)

    direction = _direction(parameters, "axis", log)
    axis = JointAxis(
        frame.direction(direction),
        position,
        stops=_stops(parameters, position, is_hinge=is_hinge, log=log),
        spring=parameters.number("springConstant"),
        damping=parameters.number("dampingConstant"),
        static_friction=parameters.number("staticFriction"),
    )
    axis = _with_devices(axis, devices)
    if axis.stops and axis.motor and axis.motor.range:
        low, high = axis.motor.range
        if low < axis.stops.low or high > axis.stops.high:
            parameters.warn(
                log,
                "motor-limits-outside-stops",
                f"the motor's limits [{low:g}, {high:g}] should lie inside the stops "
                f"[{axis.stops.low:g}, {axis.stops.high:g}].",
            )
    if not is_hinge:
        return JointSlider(name, axis, span=node.span)
    return JointHinge(
        name,
        axis,
        frame.point(parameters.vec3("anchor") if parameters.has("anchor") else ZERO),
        suspension=_suspension(parameters, frame, log),
        span=node.span,
    )


def joint_position(node: TypedNode) -> float:
    """Return the position at the stored pose: of the parameters, else the joint's hidden field."""
    parameters = node.node("jointParameters")
    return parameters.number("position") if parameters is not None else node.number("position")


def lower_devices(node: TypedNode, *, has_robot: bool, log: DiagnosticLog) -> AxisDevices:
    """Return the first motor, position sensor and brake of a joint."""
    motor: Motor | None = None
    sensor: PositionSensor | None = None
    brake: Brake | None = None
    for device in node.children("device"):
        if not has_robot:
            device.warn(
                log,
                "device-without-robot",
                f"a {device.type} needs a Robot above it; it is left out.",
            )
            continue
        taken = {"PositionSensor": sensor, "Brake": brake}.get(device.type, motor)
        if taken is not None:
            device.warn(
                log,
                "second-device",
                f"the joint already has a {device.type}; only the first counts.",
            )
        elif device.type == "PositionSensor":
            resolution = device.number("resolution")
            sensor = PositionSensor(
                device.string("name"),
                device.number("noise"),
                None if resolution == -1.0 else resolution,
                device.span,
            )
        elif device.type == "Brake":
            brake = Brake(device.string("name"), device.span)
        else:
            motor = _motor(device, joint_position(node), log)
    return AxisDevices(motor, sensor, brake)


def _motor(node: TypedNode, position: float, log: DiagnosticLog) -> Motor:
    p, i, d = node.vec3("controlPID")
    for word, is_bad, allowed in (("P", p <= 0, "> 0"), ("I", i < 0, ">= 0"), ("D", d < 0, ">= 0")):
        if is_bad:
            node.warn(log, "bad-gain", f"the gain {word} should be {allowed}.", field="controlPID")
    acceleration = node.number("acceleration")
    effort = "maxTorque" if node.type == "RotationalMotor" else "maxForce"
    return Motor(
        node.string("name"),
        max_velocity=node.number("maxVelocity"),
        max_effort=node.number(effort),
        range=_motor_range(node, position, log),
        acceleration=None if acceleration == -1.0 else acceleration,
        pid=Pid(p, i, d),
        multiplier=node.number("multiplier"),
        consumption=node.number("consumptionFactor"),
        sound=node.string("sound"),
        span=node.span,
    )


def _motor_range(
    node: TypedNode, position: float, log: DiagnosticLog
) -> tuple[float, float] | None:
    low, high = node.number("minPosition"), node.number("maxPosition")
    if low == high:
        return None
    if low > high:
        node.warn(
            log,
            "value-reset",
            f"minPosition {low:g} is above maxPosition {high:g}; they are exchanged.",
            field="minPosition",
        )
        low, high = high, low
    if not low <= position <= high:
        low, high = min(low, position), max(high, position)
        node.warn(
            log,
            "motor-limits-widened",
            f"the joint starts at {position:g}, outside the motor's limits; "
            f"they are widened to [{low:g}, {high:g}].",
            field="minPosition" if position == low else "maxPosition",
        )
    return low, high


def _stops(
    parameters: TypedNode, position: float, *, is_hinge: bool, log: DiagnosticLog
) -> Stops | None:
    low, high = parameters.number("minStop"), parameters.number("maxStop")
    if low == high:
        return None
    if low > high:
        parameters.warn(
            log,
            "value-reset",
            f"minStop {low:g} is above maxStop {high:g}; they are exchanged.",
            field="minStop",
        )
        low, high = high, low
    if not low <= position <= high:
        parameters.warn(
            log,
            "position-outside-stops",
            f"position {position:g} lies outside [minStop, maxStop] = [{low:g}, {high:g}].",
            field="position",
        )
    if is_hinge and low <= -math.pi:
        parameters.warn(
            log, "stop-not-effective", "a stop at or below -pi is not effective.", field="minStop"
        )
    if is_hinge and high >= math.pi:
        parameters.warn(
            log, "stop-not-effective", "a stop at or above pi is not effective.", field="maxStop"
        )
    erp = cfm = -1.0
    if parameters.has("stopERP"):
        erp, cfm = parameters.number("stopERP"), parameters.number("stopCFM")
    return Stops(low, high, None if erp == -1.0 else erp, None if cfm == -1.0 else cfm)


def _suspension(parameters: TypedNode, frame: Pose, log: DiagnosticLog) -> Suspension | None:
    if not parameters.has("suspensionAxis"):
        return None
    spring = parameters.number("suspensionSpringConstant")
    damping = parameters.number("suspensionDampingConstant")
    if spring == 0.0 and damping == 0.0:
        return None
    direction = frame.direction(_direction(parameters, "suspensionAxis", log))
    return Suspension(direction, spring, damping)


def _direction(parameters: TypedNode, field: str, log: DiagnosticLog) -> Vec3:
    axis = parameters.vec3(field)
    if norm(axis) == 0.0:
        parameters.warn(log, "null-axis", "the axis is null; reset to 0 0 1.", field=field)
    return normalized(axis, fallback=_RESET_AXIS)


def _with_devices(axis: JointAxis, devices: AxisDevices) -> JointAxis:
    motor = devices.motor
    return JointAxis(
        axis.direction,
        axis.position,
        stops=axis.stops,
        spring=axis.spring,
        damping=axis.damping,
        static_friction=axis.static_friction,
        velocity_limit=motor.max_velocity if motor else math.inf,
        effort_limit=motor.max_effort if motor else math.inf,
        motor=motor,
        sensor=devices.sensor,
        brake=devices.brake,
    )
