"""Rows of joints, their parameters and the devices on their axes.

Source: Webots reference manual R2025a (HingeJoint, SliderJoint, JointParameters,
HingeJointParameters, RotationalMotor, LinearMotor, PositionSensor, Brake).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    ABSOLUTE,
    NOT_NEGATIVE,
    NOT_NEGATIVE_OR_MINUS_1,
    NOT_ZERO,
    POSITIVE_OR_MINUS_1,
    Field,
    FieldType,
    Node,
)

SFFloat, SFString, SFVec3f = FieldType.SFFloat, FieldType.SFString, FieldType.SFVec3f
SFNode, MFNode = FieldType.SFNode, FieldType.MFNode

_SOUNDS = "webots://projects/default/worlds/sounds/"
_END_POINTS = ("Solid", "SolidReference", "Slot")
HINGE_DEVICES = ("RotationalMotor", "PositionSensor", "Brake")
SLIDER_DEVICES = ("LinearMotor", "PositionSensor", "Brake")
AXIS_DEVICES = "JointAxis.motor, JointAxis.sensor, JointAxis.brake"


def _motor(name: str, device: str, effort: Field, position: str) -> Node:
    """Return the row of a motor.

    Args:
        name: Node type.
        device: Default device name.
        effort: The field of its greatest force or torque.
        position: Unit of its axis.
    """
    sound = f"{_SOUNDS}{device.replace(' ', '_')}.wav"
    return Node(
        name,
        base="Motor",
        can_be_used=False,
        fields=(
            Field("name", SFString, device, to="Motor.name"),
            Field(
                "acceleration",
                SFFloat,
                -1.0,
                NOT_NEGATIVE_OR_MINUS_1,
                f"{position}/s^2",
                to="Motor.acceleration",
            ),
            Field("maxVelocity", SFFloat, 10.0, ABSOLUTE, f"{position}/s", to="Motor.max_velocity"),
            Field("minPosition", SFFloat, 0.0, unit=position, to="Motor.range"),
            Field("maxPosition", SFFloat, 0.0, unit=position, to="Motor.range"),
            effort,
            Field("sound", SFString, sound, to="Motor.sound"),
        ),
    )


def axis_fields(position: str, effort: str) -> tuple[Field, ...]:
    """Return the fields of one axis, with the units of its position and effort."""
    return (
        Field("position", SFFloat, 0.0, unit=position, to="JointAxis.position"),
        Field("minStop", SFFloat, 0.0, unit=position, to="Stops.low, JointAxis.stops"),
        Field("maxStop", SFFloat, 0.0, unit=position, to="Stops.high, JointAxis.stops"),
        Field(
            "springConstant",
            SFFloat,
            0.0,
            ABSOLUTE,
            f"({effort})/({position})",
            to="JointAxis.spring",
        ),
        Field(
            "dampingConstant",
            SFFloat,
            0.0,
            ABSOLUTE,
            f"({effort})*s/({position})",
            to="JointAxis.damping",
        ),
        Field("staticFriction", SFFloat, 0.0, ABSOLUTE, effort, to="JointAxis.static_friction"),
    )


JOINT_ROWS = (
    Node(
        "Joint",
        is_abstract=True,
        can_be_used=False,
        fields=(
            Field(
                "endPoint", SFNode, None, nodes=_END_POINTS, to="Link.joint, Link.pose, Link.parent"
            ),
            Field("position", SFFloat, 0.0, unit="rad or m", to="JointAxis.position"),
        ),
    ),
    Node("JointDevice", is_abstract=True, can_be_used=False),
    Node(
        "HingeJoint",
        base="Joint",
        can_be_used=False,
        fields=(
            Field(
                "jointParameters",
                SFNode,
                None,
                nodes=("HingeJointParameters",),
                to="JointHinge.axis, JointHinge.anchor",
            ),
            Field("device", MFNode, None, nodes=HINGE_DEVICES, to=AXIS_DEVICES),
        ),
    ),
    Node(
        "SliderJoint",
        base="Joint",
        can_be_used=False,
        fields=(
            Field(
                "jointParameters", SFNode, None, nodes=("JointParameters",), to="JointSlider.axis"
            ),
            Field("device", MFNode, None, nodes=SLIDER_DEVICES, to=AXIS_DEVICES),
        ),
    ),
    Node(
        "JointParameters",
        can_be_used=False,
        fields=(
            Field("axis", SFVec3f, (0.0, 0.0, 1.0), to="JointAxis.direction"),
            *axis_fields("rad or m", "N*m or N"),
        ),
    ),
    Node(
        "HingeJointParameters",
        base="JointParameters",
        can_be_used=False,
        fields=(
            Field("axis", SFVec3f, (1.0, 0.0, 0.0), to="JointAxis.direction"),
            *axis_fields("rad", "N*m"),
            Field("anchor", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="JointHinge.anchor"),
            Field(
                "suspensionSpringConstant", SFFloat, 0.0, ABSOLUTE, "N/m", to="Suspension.spring"
            ),
            Field(
                "suspensionDampingConstant",
                SFFloat,
                0.0,
                ABSOLUTE,
                "N*s/m",
                to="Suspension.damping",
            ),
            Field("suspensionAxis", SFVec3f, (1.0, 0.0, 0.0), to="Suspension.direction"),
            Field("stopERP", SFFloat, -1.0, NOT_NEGATIVE_OR_MINUS_1, to="Stops.erp"),
            Field("stopCFM", SFFloat, -1.0, POSITIVE_OR_MINUS_1, to="Stops.cfm"),
        ),
    ),
    Node(
        "Motor",
        base="JointDevice",
        is_abstract=True,
        can_be_used=False,
        fields=(
            Field("consumptionFactor", SFFloat, 10.0, to="Motor.consumption"),
            Field("controlPID", SFVec3f, (10.0, 0.0, 0.0), to="Pid.p, Pid.i, Pid.d"),
            Field("multiplier", SFFloat, 1.0, NOT_ZERO, to="Motor.multiplier"),
            Field(
                "muscles",
                MFNode,
                None,
                nodes=("Muscle",),
                to="DeviceMuscle.motor",
            ),
        ),
    ),
    _motor(
        "RotationalMotor",
        "rotational motor",
        Field("maxTorque", SFFloat, 10.0, NOT_NEGATIVE, "N*m", to="Motor.max_effort"),
        "rad",
    ),
    _motor(
        "LinearMotor",
        "linear motor",
        Field("maxForce", SFFloat, 10.0, NOT_NEGATIVE, "N", to="Motor.max_effort"),
        "m",
    ),
    Node(
        "PositionSensor",
        base="JointDevice",
        can_be_used=False,
        fields=(
            Field("name", SFString, "position sensor", to="PositionSensor.name"),
            Field("noise", SFFloat, 0.0, NOT_NEGATIVE, to="PositionSensor.noise"),
            Field("resolution", SFFloat, -1.0, POSITIVE_OR_MINUS_1, to="PositionSensor.resolution"),
        ),
    ),
    Node(
        "Brake",
        base="JointDevice",
        can_be_used=False,
        fields=(Field("name", SFString, "brake", to="Brake.name"),),
    ),
)
