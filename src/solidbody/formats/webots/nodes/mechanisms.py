"""Rows of joints with several axes, loops, slots, tracks, propellers and muscles.

Source: Webots reference manual R2025a (Hinge2Joint, BallJoint, BallJointParameters, SolidReference,
Slot, Track, TrackWheel, Propeller, Muscle).
"""

from __future__ import annotations

from solidbody.formats.webots.nodes.joints import (
    AXIS_DEVICES,
    HINGE_DEVICES,
    SLIDER_DEVICES,
    axis_fields,
)
from solidbody.formats.webots.nodes.solids import CHILD_NODES
from solidbody.formats.webots.table import (
    COLOR,
    NOT_NEGATIVE,
    POSITIVE,
    Field,
    FieldType,
    Node,
)

SFBool, SFInt32, SFFloat = FieldType.SFBool, FieldType.SFInt32, FieldType.SFFloat
SFString, SFVec2f, SFVec3f = FieldType.SFString, FieldType.SFVec2f, FieldType.SFVec3f
SFNode, MFNode, MFColor = FieldType.SFNode, FieldType.MFNode, FieldType.MFColor
SFRotation = FieldType.SFRotation

MECHANISM_ROWS = (
    Node(
        "Hinge2Joint",
        base="HingeJoint",
        can_be_used=False,
        fields=(
            Field(
                "jointParameters",
                SFNode,
                None,
                nodes=("HingeJointParameters",),
                to="JointHinge2.axis1, JointHinge2.anchor, JointHinge2.suspension",
            ),
            Field(
                "jointParameters2",
                SFNode,
                None,
                nodes=("JointParameters",),
                to="JointHinge2.axis2",
            ),
            Field("device2", MFNode, None, nodes=HINGE_DEVICES, to=AXIS_DEVICES),
            Field("position2", SFFloat, 0.0, unit="rad", to="JointAxis.position"),
        ),
    ),
    Node(
        "BallJoint",
        base="Hinge2Joint",
        can_be_used=False,
        fields=(
            Field(
                "jointParameters",
                SFNode,
                None,
                nodes=("BallJointParameters",),
                to="JointBall.anchor, JointBall.axis1",
            ),
            Field(
                "jointParameters2", SFNode, None, nodes=("JointParameters",), to="JointBall.axis2"
            ),
            Field(
                "jointParameters3", SFNode, None, nodes=("JointParameters",), to="JointBall.axis3"
            ),
            Field("device3", MFNode, None, nodes=HINGE_DEVICES, to=AXIS_DEVICES),
            Field("position3", SFFloat, 0.0, unit="rad", to="JointAxis.position"),
        ),
    ),
    Node(
        "BallJointParameters",
        can_be_used=False,
        fields=(
            Field("anchor", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="JointBall.anchor"),
            *axis_fields("rad", "N*m"),
        ),
    ),
    Node(
        "SolidReference",
        fields=(Field("solidName", SFString, "", to="LoopAttachment.link"),),
    ),
    Node(
        "Slot",
        can_be_used=False,
        fields=(
            Field("type", SFString, "", ignored="checked against the other slot of the pair"),
            Field("endPoint", SFNode, None, nodes=CHILD_NODES, to="Body.links, Link.shapes"),
        ),
    ),
    Node(
        "Track",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "track", to="JointTrack.name, DeviceTrackBelt.name"),
            Field("device", MFNode, None, nodes=SLIDER_DEVICES, to=AXIS_DEVICES),
            Field(
                "textureAnimation",
                SFVec2f,
                (0.0, 0.0),
                unit="1/m",
                to="DeviceTrackBelt.texture_velocity",
            ),
            Field(
                "animatedGeometry",
                SFNode,
                None,
                nodes=("Group", "Shape", "Slot"),
                to="DeviceTrackBelt.element",
            ),
            Field("geometriesCount", SFInt32, 10, NOT_NEGATIVE, to="DeviceTrackBelt.element_count"),
        ),
    ),
    Node(
        "TrackWheel",
        base="Group",
        fields=(
            Field("position", SFVec2f, (0.0, 0.0), unit="m", to="BeltWheel.position"),
            Field("radius", SFFloat, 0.1, POSITIVE, "m", to="BeltWheel.radius"),
            Field("inner", SFBool, True, to="BeltWheel.inner"),
            Field("rotation", SFRotation, (0.0, 1.0, 0.0, 0.0), to="Shape.pose"),
        ),
    ),
    Node(
        "Propeller",
        can_be_used=False,
        fields=(
            Field("shaftAxis", SFVec3f, (1.0, 0.0, 0.0), to="DevicePropeller.shaft_axis"),
            Field(
                "centerOfThrust",
                SFVec3f,
                (0.0, 0.0, 0.0),
                unit="m",
                to="DevicePropeller.center_of_thrust",
            ),
            Field(
                "thrustConstants",
                SFVec2f,
                (1.0, 0.0),
                unit="N*s^2/rad^2, N*s^2/(rad*m)",
                to="DevicePropeller.thrust_constants",
            ),
            Field(
                "torqueConstants",
                SFVec2f,
                (1.0, 0.0),
                unit="N*m*s^2/rad^2, N*s^2/rad",
                to="DevicePropeller.torque_constants",
            ),
            Field(
                "fastHelixThreshold",
                SFFloat,
                75.4,
                NOT_NEGATIVE,
                "rad/s",
                to="DevicePropeller.fast_threshold",
            ),
            Field("device", SFNode, None, nodes=("RotationalMotor",), to="DevicePropeller.motor"),
            Field("fastHelix", SFNode, None, nodes=("Solid",), to="DevicePropeller.fast_helix"),
            Field("slowHelix", SFNode, None, nodes=("Solid",), to="DevicePropeller.slow_helix"),
        ),
    ),
    Node(
        "Muscle",
        can_be_used=False,
        fields=(
            Field("volume", SFFloat, 0.01, POSITIVE, "m^3", to="DeviceMuscle.volume"),
            Field(
                "startOffset", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="DeviceMuscle.start_offset"
            ),
            Field("endOffset", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="DeviceMuscle.end_offset"),
            Field("color", MFColor, (), COLOR, to="DeviceMuscle.colors"),
            Field("castShadows", SFBool, True, to="DeviceMuscle.casts_shadows"),
            Field("visible", SFBool, True, to="DeviceMuscle.is_visible"),
            Field(
                "maxRadius",
                SFFloat,
                0.1,
                POSITIVE,
                "m",
                deprecated="volume",
                ignored="the volume gives the radius",
            ),
        ),
    ),
)
