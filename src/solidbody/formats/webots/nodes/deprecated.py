"""Rows of nodes that Webots itself no longer has, for the worlds that still use them.

Source: Webots reference manuals of releases 6 to R2019 (Servo, DifferentialWheels, Supervisor, Cubemap).
What other nodes are called today is said in `old_releases_names.py`.
"""

from __future__ import annotations

from typing import Final

from solidbody.formats.webots.nodes.joints import axis_fields
from solidbody.formats.webots.table import (
    ABSOLUTE,
    NOT_NEGATIVE,
    NOT_NEGATIVE_OR_MINUS_1,
    POSITIVE,
    Field,
    FieldType,
    Node,
    one_of,
)

SFFloat, SFString, SFRotation = FieldType.SFFloat, FieldType.SFString, FieldType.SFRotation

_NO_SLIP = "random slip of wheels is a property of contacts here"

DEPRECATED_ROWS = (
    Node(
        "Servo",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "servo", to="Motor.name, PositionSensor.name, Link.name"),
            Field("type", SFString, "rotational", one_of("rotational", "linear"), to="Link.joint"),
            Field(
                "rotation", SFRotation, (0.0, 1.0, 0.0, 0.0), to="JointAxis.direction, Link.pose"
            ),
            *axis_fields("rad or m", "N*m or N"),
            Field("maxVelocity", SFFloat, 10.0, ABSOLUTE, "rad/s or m/s", to="Motor.max_velocity"),
            Field("maxForce", SFFloat, 10.0, NOT_NEGATIVE, "N*m or N", to="Motor.max_effort"),
            Field("controlP", SFFloat, 10.0, POSITIVE, to="Pid.p"),
            Field(
                "acceleration",
                SFFloat,
                -1.0,
                NOT_NEGATIVE_OR_MINUS_1,
                "rad/s^2 or m/s^2",
                to="Motor.acceleration",
            ),
            Field("minPosition", SFFloat, 0.0, unit="rad or m", to="Motor.range"),
            Field("maxPosition", SFFloat, 0.0, unit="rad or m", to="Motor.range"),
            Field("animation", FieldType.MFNode, None, ignored="never did anything"),
        ),
    ),
    Node(
        "DifferentialWheels",
        base="Robot",
        can_be_used=False,
        fields=(
            Field("name", SFString, "differential wheels", to="Robot.name, Link.name, Link.path"),
            Field("motorConsumption", SFFloat, 0.0, NOT_NEGATIVE, "W", to="Motor.consumption"),
            Field("axleLength", SFFloat, 0.1, POSITIVE, "m", to="DifferentialDrive.axle_length"),
            Field("wheelRadius", SFFloat, 0.01, POSITIVE, "m", to="DifferentialDrive.wheel_radius"),
            Field("maxSpeed", SFFloat, 10.0, NOT_NEGATIVE, "rad/s", to="Motor.max_velocity"),
            Field(
                "maxAcceleration", SFFloat, 10.0, NOT_NEGATIVE, "rad/s^2", to="Motor.acceleration"
            ),
            Field("speedUnit", SFFloat, 1.0, POSITIVE, "rad/s", to="Robot.speed_unit"),
            Field("slipNoise", SFFloat, 0.1, NOT_NEGATIVE, ignored=_NO_SLIP),
            Field(
                "encoderNoise", SFFloat, -1.0, NOT_NEGATIVE_OR_MINUS_1, to="PositionSensor.noise"
            ),
            Field(
                "encoderResolution",
                SFFloat,
                -1.0,
                NOT_NEGATIVE_OR_MINUS_1,
                "1/rad",
                to="PositionSensor.resolution",
            ),
            Field("maxForce", SFFloat, 0.3, NOT_NEGATIVE, "N*m", to="Motor.max_effort"),
        ),
    ),
    Node("Supervisor", base="Robot", can_be_used=False),
    Node("CustomRobot", base="Robot", can_be_used=False),
    Node("ColladaShape", base="CadShape"),
    Node("Hinge2JointParameters", base="HingeJointParameters", can_be_used=False),
    Node(
        "Cubemap",
        fields=(
            Field("textureBaseName", SFString, "", to="Background.images"),
            Field("directory", SFString, "textures/cubic", to="Background.images"),
        ),
    ),
)

REMOVED: Final = {"Gripper": "6.2", "Joint": "5.5"}
"""Nodes of numbered releases that nothing takes the place of, and the release that removed each."""
