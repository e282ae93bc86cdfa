"""Rows of grouping nodes, solids and their mass.

Source: Webots reference manual R2025a (Group, Pose, Transform, Solid, Robot, Physics).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    COLOR,
    NOT_NEGATIVE,
    NOT_NEGATIVE_OR_MINUS_1,
    POSITIVE,
    UNIT_RANGE,
    Field,
    FieldType,
    Node,
)

SFBool, SFFloat, SFString = FieldType.SFBool, FieldType.SFFloat, FieldType.SFString
SFVec3f, SFRotation, SFNode = FieldType.SFVec3f, FieldType.SFRotation, FieldType.SFNode
MFFloat, MFString, MFColor = FieldType.MFFloat, FieldType.MFString, FieldType.MFColor
MFVec3f, MFNode = FieldType.MFVec3f, FieldType.MFNode

CHILD_NODES = (
    "Group",
    "Shape",
    "CadShape",
    "Light",
    "Joint",
    "Slot",
    "Propeller",
    "Skin",
    "TrackWheel",
    "Geometry",  # only in bounding objects; checked there
)
_EDITOR_ONLY = "step of Webots' mouse handles on a node that is not a solid"
_CONTACT_PROPERTIES = "a ContactProperties node of WorldInfo for the solid's contactMaterial"

SOLID_ROWS = (
    Node(
        "Group",
        fields=(Field("children", MFNode, None, nodes=CHILD_NODES, to="Link.shapes, Body.links"),),
    ),
    Node("Billboard", base="Group"),
    Node(
        "Pose",
        base="Group",
        fields=(
            Field("translation", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="Shape.pose, Link.pose"),
            Field("rotation", SFRotation, (0.0, 0.0, 1.0, 0.0), to="Shape.pose, Link.pose"),
            Field("translationStep", SFFloat, 0.01, unit="m", ignored=_EDITOR_ONLY),
            Field("rotationStep", SFFloat, 0.261799387, unit="rad", ignored=_EDITOR_ONLY),
        ),
    ),
    Node(
        "Transform",
        base="Pose",
        fields=(Field("scale", SFVec3f, (1.0, 1.0, 1.0), POSITIVE, to="Shape.scale"),),
    ),
    Node(
        "Solid",
        base="Pose",
        can_be_used=False,
        fields=(
            Field("name", SFString, "solid", to="Link.name, Link.path, Frame.name"),
            Field("model", SFString, "", to="Link.model, Frame.model, DeviceBase.model"),
            Field("description", SFString, "", to="Link.description, Frame.description"),
            Field("contactMaterial", SFString, "default", to="Shape.contact_material"),
            Field(
                "immersionProperties",
                MFNode,
                None,
                nodes=("ImmersionProperties",),
                to="Link.immersions",
            ),
            Field("boundingObject", SFNode, None, to="Shape.role, Link.shapes"),
            Field("physics", SFNode, None, nodes=("Physics",), to="Link.motion, Link.mass"),
            Field("locked", SFBool, False, to="Link.is_locked, Frame.is_locked"),
            Field(
                "radarCrossSection",
                SFFloat,
                0.0,
                NOT_NEGATIVE,
                "m^2",
                to="Link.radar_cross_section, Frame.radar_cross_section",
            ),
            Field(
                "recognitionColors",
                MFColor,
                (),
                COLOR,
                to="Link.recognition_colors, Frame.recognition_colors, Shape.segmentation_color",
            ),
            Field("translationStep", SFFloat, 0.01, unit="m", to="Link.translation_step"),
            Field("rotationStep", SFFloat, 0.261799387, unit="rad", to="Link.rotation_step"),
            Field(
                "linearVelocity", SFVec3f, (0.0, 0.0, 0.0), unit="m/s", to="Link.linear_velocity"
            ),
            Field(
                "angularVelocity",
                SFVec3f,
                (0.0, 0.0, 0.0),
                unit="rad/s",
                to="Link.angular_velocity",
            ),
            Field(
                "scale",
                SFVec3f,
                (1.0, 1.0, 1.0),
                until="R2023a",
                to="Shape.geometry, Shape.scale, Link.mass, Link.pose",
            ),
        ),
    ),
    Node(
        "Robot",
        base="Solid",
        can_be_used=False,
        fields=(
            Field("name", SFString, "robot", to="Robot.name, Link.name, Link.path"),
            Field("controller", SFString, "<generic>", to="Robot.controller"),
            Field(
                "controllerArgs",
                MFString,
                (),
                to="Robot.controller_args",
                also=FieldType.SFString,
            ),
            Field("customData", SFString, "", to="Robot.custom_data"),
            Field("supervisor", SFBool, False, to="Robot.is_supervisor"),
            Field("synchronization", SFBool, True, to="Robot.is_synchronous"),
            Field("battery", MFFloat, (), NOT_NEGATIVE, "J, J, W", to="Robot.battery"),
            Field("cpuConsumption", SFFloat, 10.0, NOT_NEGATIVE, "W", to="Robot.cpu_consumption"),
            Field("selfCollision", SFBool, False, to="Robot.self_collision"),
            Field("window", SFString, "<generic>", to="Robot.window"),
            Field("remoteControl", SFString, "<none>", to="Robot.remote_control"),
            Field("data", SFString, "", deprecated="customData", to="Robot.custom_data"),
            Field(
                "showWindow",
                SFBool,
                False,
                deprecated="nothing: windows open by themselves",
                ignored="a setting of Webots' own GUI",
            ),
        ),
    ),
    Node(
        "Physics",
        fields=(
            Field("density", SFFloat, 1000.0, unit="kg/m^3", to="MassProperties.mass"),
            Field("mass", SFFloat, -1.0, unit="kg", to="MassProperties.mass"),
            Field("centerOfMass", MFVec3f, (), unit="m", to="MassProperties.center"),
            Field("inertiaMatrix", MFVec3f, (), unit="kg*m^2", to="MassProperties.inertia"),
            Field("damping", SFNode, None, nodes=("Damping",), to="Link.damping"),
            Field(
                "coulombFriction",
                SFFloat,
                1.0,
                NOT_NEGATIVE_OR_MINUS_1,
                deprecated=_CONTACT_PROPERTIES,
                to="ContactProperties.friction",
            ),
            Field(
                "bounce",
                SFFloat,
                0.5,
                UNIT_RANGE,
                deprecated=_CONTACT_PROPERTIES,
                to="ContactProperties.bounce",
            ),
            Field(
                "bounceVelocity",
                SFFloat,
                0.01,
                NOT_NEGATIVE,
                "m/s",
                deprecated=_CONTACT_PROPERTIES,
                to="ContactProperties.bounce_velocity",
            ),
            Field(
                "forceDependentSlip",
                SFFloat,
                0.0,
                NOT_NEGATIVE,
                "m/(s*N)",
                deprecated=_CONTACT_PROPERTIES,
                to="ContactProperties.slip",
            ),
            Field(
                "orientation",
                SFRotation,
                (0.0, 0.0, 1.0, 0.0),
                deprecated="inertiaMatrix in the solid's own axes",
                to="MassProperties.inertia",
            ),
        ),
    ),
    Node("Device", base="Solid", is_abstract=True, can_be_used=False),
)
