"""Rows of fluids and of how solids are immersed in them.

Source: Webots reference manual R2025a (Fluid, ImmersionProperties).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    NOT_NEGATIVE,
    POSITIVE,
    Field,
    FieldType,
    Node,
    one_of,
)

SFBool, SFFloat, SFString = FieldType.SFBool, FieldType.SFFloat, FieldType.SFString
SFVec3f, SFNode = FieldType.SFVec3f, FieldType.SFNode

FLUID_ROWS = (
    Node(
        "Fluid",
        base="Pose",
        can_be_used=False,
        fields=(
            Field("name", SFString, "fluid", to="Fluid.name"),
            Field("model", SFString, "", ignored="nothing looks a fluid up by its model"),
            Field("description", SFString, "", ignored="free text without a use"),
            Field("density", SFFloat, 1000.0, POSITIVE, "kg/m^3", to="Fluid.density"),
            Field("viscosity", SFFloat, 0.001, NOT_NEGATIVE, "Pa*s", to="Fluid.viscosity"),
            Field(
                "streamVelocity", SFVec3f, (0.0, 0.0, 0.0), unit="m/s", to="Fluid.stream_velocity"
            ),
            Field("boundingObject", SFNode, None, to="Fluid.shapes"),
            Field("locked", SFBool, False, ignored="a fluid is not moved by hand"),
        ),
    ),
    Node(
        "ImmersionProperties",
        fields=(
            Field("fluidName", SFString, "", to="Immersion.fluid"),
            Field(
                "referenceArea",
                SFString,
                "immersed area",
                one_of("immersed area", "xyz-projected area"),
                to="Immersion.drag_area",
            ),
            Field(
                "dragForceCoefficients",
                SFVec3f,
                (0.0, 0.0, 0.0),
                NOT_NEGATIVE,
                to="Immersion.drag_force",
            ),
            Field(
                "dragTorqueCoefficients",
                SFVec3f,
                (0.0, 0.0, 0.0),
                NOT_NEGATIVE,
                to="Immersion.drag_torque",
            ),
            Field(
                "viscousResistanceForceCoefficient",
                SFFloat,
                0.0,
                NOT_NEGATIVE,
                to="Immersion.viscous_force",
            ),
            Field(
                "viscousResistanceTorqueCoefficient",
                SFFloat,
                0.0,
                NOT_NEGATIVE,
                to="Immersion.viscous_torque",
            ),
        ),
    ),
)
