"""Rows of the nodes that describe the world as a whole.

Source: Webots reference manual R2025a (WorldInfo, ContactProperties, Damping, Viewpoint, Background,
Fog, DirectionalLight, PointLight, SpotLight).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    CLAMP_AT_ZERO,
    COLOR,
    NOT_NEGATIVE,
    NOT_NEGATIVE_OR_MINUS_1,
    NOT_NEGATIVE_OR_MINUS_1_ELSE_ONE,
    NOT_NEGATIVE_OR_MINUS_1_ELSE_ZERO,
    POSITIVE,
    UNIT_RANGE,
    Field,
    FieldType,
    Node,
    one_of,
)

SFBool, SFInt32, SFFloat = FieldType.SFBool, FieldType.SFInt32, FieldType.SFFloat
SFString, SFVec2f, SFVec3f = FieldType.SFString, FieldType.SFVec2f, FieldType.SFVec3f
SFRotation, SFColor, SFNode = FieldType.SFRotation, FieldType.SFColor, FieldType.SFNode
MFFloat, MFString, MFColor, MFNode = (
    FieldType.MFFloat,
    FieldType.MFString,
    FieldType.MFColor,
    FieldType.MFNode,
)

_SOUNDS = "webots://projects/default/worlds/sounds/"
_NO_PLUGINS = "physics plugins are native libraries of Webots"

WORLD_ROWS = (
    Node(
        "WorldInfo",
        can_be_used=False,
        fields=(
            Field("info", MFString, (), to="Scene.info"),
            Field("title", SFString, "", to="Scene.title"),
            Field("window", SFString, "<none>", ignored="window plugins belong to Webots' own GUI"),
            Field("gravity", SFFloat, 9.81, also=SFVec3f, unit="m/s^2", to="Physics.gravity"),
            Field("CFM", SFFloat, 1e-5, POSITIVE, to="Physics.cfm"),
            Field("ERP", SFFloat, 0.2, UNIT_RANGE, to="Physics.erp"),
            Field("physics", SFString, "<none>", unsupported=_NO_PLUGINS),
            Field("basicTimeStep", SFFloat, 32.0, POSITIVE, unit="ms", to="Physics.time_step"),
            Field("FPS", SFFloat, 60.0, POSITIVE, unit="1/s", to="Scene.display_rate"),
            Field("optimalThreadCount", SFInt32, 1, ignored="the step chooses its own threads"),
            Field("physicsDisableTime", SFFloat, 1.0, unit="s", to="Sleeping.time"),
            Field(
                "physicsDisableLinearThreshold",
                SFFloat,
                0.01,
                NOT_NEGATIVE,
                unit="m/s",
                to="Sleeping.linear_speed",
            ),
            Field(
                "physicsDisableAngularThreshold",
                SFFloat,
                0.01,
                NOT_NEGATIVE,
                unit="rad/s",
                to="Sleeping.angular_speed",
            ),
            Field("defaultDamping", SFNode, None, nodes=("Damping",), to="Physics.damping"),
            Field("inkEvaporation", SFFloat, 0.0, CLAMP_AT_ZERO, to="Scene.ink_evaporation"),
            Field(
                "coordinateSystem",
                SFString,
                "ENU",
                one_of("ENU", "NUE", "EUN"),
                to="Geodesy.east, Geodesy.north, Geodesy.up, Physics.gravity",
            ),
            Field(
                "gpsCoordinateSystem",
                SFString,
                "local",
                one_of("local", "WGS84"),
                to="Geodesy.gps_system",
            ),
            Field("gpsReference", SFVec3f, (0.0, 0.0, 0.0), to="Geodesy.gps_reference"),
            Field("lineScale", SFFloat, 0.1, CLAMP_AT_ZERO, to="Scene.line_scale"),
            Field("dragForceScale", SFFloat, 30.0, NOT_NEGATIVE, to="Scene.drag_force_scale"),
            Field("dragTorqueScale", SFFloat, 5.0, NOT_NEGATIVE, to="Scene.drag_torque_scale"),
            Field("randomSeed", SFInt32, 0, NOT_NEGATIVE_OR_MINUS_1, to="Physics.random_seed"),
            Field(
                "contactProperties",
                MFNode,
                None,
                nodes=("ContactProperties",),
                to="ContactTable.entries",
            ),
            Field(
                "northDirection",
                SFVec3f,
                (0.0, 1.0, 0.0),
                deprecated="coordinateSystem",
                to="Geodesy.north",
            ),
            Field(
                "fast2d",
                SFString,
                "",
                deprecated="nothing: fast2d plugins no longer exist",
                ignored="removed from Webots",
            ),
            Field(
                "runRealTime",
                SFBool,
                False,
                deprecated="the speed at which the simulation is run",
                ignored="a setting of Webots' own GUI",
            ),
            Field(
                "displayRefresh",
                SFInt32,
                2,
                deprecated="FPS",
                ignored="a setting of Webots' own GUI",
            ),
        ),
    ),
    Node(
        "ContactProperties",
        fields=(
            Field("material1", SFString, "default", to="ContactProperties.materials"),
            Field("material2", SFString, "default", to="ContactProperties.materials"),
            Field(
                "coulombFriction",
                MFFloat,
                (1.0,),
                NOT_NEGATIVE_OR_MINUS_1_ELSE_ONE,
                to="ContactProperties.friction",
            ),
            Field(
                "frictionRotation",
                SFVec2f,
                (0.0, 0.0),
                unit="rad",
                to="ContactProperties.friction_rotation",
            ),
            Field(
                "rollingFriction",
                SFVec3f,
                (0.0, 0.0, 0.0),
                NOT_NEGATIVE_OR_MINUS_1_ELSE_ZERO,
                unit="m",
                to="ContactProperties.rolling_friction",
            ),
            Field("bounce", SFFloat, 0.5, UNIT_RANGE, to="ContactProperties.bounce"),
            Field(
                "bounceVelocity",
                SFFloat,
                0.01,
                NOT_NEGATIVE,
                unit="m/s",
                to="ContactProperties.bounce_velocity",
            ),
            Field(
                "forceDependentSlip",
                MFFloat,
                (0.0,),
                NOT_NEGATIVE,
                unit="m/(s*N)",
                to="ContactProperties.slip",
            ),
            Field("softERP", SFFloat, 0.2, UNIT_RANGE, to="ContactProperties.soft_erp"),
            Field("softCFM", SFFloat, 0.001, POSITIVE, to="ContactProperties.soft_cfm"),
            Field("bumpSound", SFString, _SOUNDS + "bump.wav", to="ContactSounds.bump"),
            Field("rollSound", SFString, _SOUNDS + "roll.wav", to="ContactSounds.roll"),
            Field("slideSound", SFString, _SOUNDS + "slide.wav", to="ContactSounds.slide"),
            Field("maxContactJoints", SFInt32, 10, POSITIVE, to="ContactProperties.max_contacts"),
        ),
    ),
    Node(
        "Damping",
        fields=(
            Field("linear", SFFloat, 0.2, UNIT_RANGE, unit="1/s", to="Damping.linear"),
            Field("angular", SFFloat, 0.2, UNIT_RANGE, unit="1/s", to="Damping.angular"),
        ),
    ),
    Node(
        "Viewpoint",
        can_be_used=False,
        fields=(
            Field("fieldOfView", SFFloat, 0.785398, POSITIVE, "rad", to="Viewpoint.field_of_view"),
            Field("orientation", SFRotation, (0.0, 0.0, 1.0, 0.0), to="Viewpoint.pose"),
            Field("position", SFVec3f, (-10.0, 0.0, 0.0), unit="m", to="Viewpoint.pose"),
            Field("description", SFString, "", ignored="free text without a use"),
            Field("near", SFFloat, 0.05, POSITIVE, "m", to="Viewpoint.near"),
            Field("far", SFFloat, 0.0, NOT_NEGATIVE, "m", to="Viewpoint.far"),
            Field("exposure", SFFloat, 1.0, NOT_NEGATIVE, to="Viewpoint.exposure"),
            Field("follow", SFString, "", to="Viewpoint.follow"),
            Field(
                "followType",
                SFString,
                "Tracking Shot",
                one_of("None", "Tracking Shot", "Mounted Shot", "Pan and Tilt Shot"),
                to="Viewpoint.follow_type",
            ),
            Field("followSmoothness", SFFloat, 0.5, UNIT_RANGE, to="Viewpoint.follow_smoothness"),
            Field(
                "lensFlare",
                SFNode,
                None,
                nodes=("LensFlare",),
                unsupported="lens flares are not drawn yet",
            ),
            Field(
                "ambientOcclusionRadius",
                SFFloat,
                2.0,
                unit="m",
                to="Viewpoint.ambient_occlusion_radius",
            ),
            Field("bloomThreshold", SFFloat, 21.0, ignored="a setting of Webots' renderer"),
            Field(
                "followOrientation",
                SFBool,
                False,
                deprecated="followType",
                to="Viewpoint.follow_type",
            ),
        ),
    ),
    Node(
        "Background",
        fields=(
            Field("skyColor", MFColor, ((0.0, 0.0, 0.0),), COLOR, to="Background.color"),
            Field("luminosity", SFFloat, 1.0, NOT_NEGATIVE, to="Background.luminosity"),
            *(
                Field(f"{side}Url", MFString, (), to="Background.images")
                for side in ("right", "left", "top", "bottom", "front", "back")
            ),
            *(
                Field(f"{side}IrradianceUrl", MFString, (), to="Background.irradiance_images")
                for side in ("right", "left", "top", "bottom", "front", "back")
            ),
        ),
    ),
    Node(
        "Fog",
        fields=(
            Field("color", SFColor, (1.0, 1.0, 1.0), COLOR, to="Fog.color"),
            Field(
                "fogType",
                SFString,
                "LINEAR",
                one_of("LINEAR", "EXPONENTIAL", "EXPONENTIAL2"),
                to="Fog.kind",
            ),
            Field("visibilityRange", SFFloat, 0.0, NOT_NEGATIVE, "m", to="Fog.visibility_range"),
        ),
    ),
    Node("Light", is_abstract=True),
    Node(
        "DirectionalLight",
        base="Light",
        fields=(
            Field("ambientIntensity", SFFloat, 0.0, UNIT_RANGE, to="LightDirectional.ambient"),
            Field("color", SFColor, (1.0, 1.0, 1.0), COLOR, to="LightDirectional.color"),
            Field("direction", SFVec3f, (0.0, 0.0, -1.0), to="LightDirectional.direction"),
            Field("intensity", SFFloat, 1.0, NOT_NEGATIVE, to="LightDirectional.intensity"),
            Field("on", SFBool, True, to="LightDirectional.is_on"),
            Field("castShadows", SFBool, False, to="LightDirectional.casts_shadows"),
            Field("castLensFlares", SFBool, False, unsupported="lens flares are not drawn yet"),
        ),
    ),
    Node(
        "PointLight",
        base="Light",
        fields=(
            Field("ambientIntensity", SFFloat, 0.0, UNIT_RANGE, to="LightPoint.ambient"),
            Field(
                "attenuation", SFVec3f, (1.0, 0.0, 0.0), NOT_NEGATIVE, to="LightPoint.attenuation"
            ),
            Field("color", SFColor, (1.0, 1.0, 1.0), COLOR, to="LightPoint.color"),
            Field("intensity", SFFloat, 1.0, NOT_NEGATIVE, to="LightPoint.intensity"),
            Field("location", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="LightPoint.position"),
            Field("on", SFBool, True, to="LightPoint.is_on"),
            Field("radius", SFFloat, 100.0, NOT_NEGATIVE, "m", to="LightPoint.radius"),
            Field("castShadows", SFBool, False, to="LightPoint.casts_shadows"),
        ),
    ),
    Node(
        "SpotLight",
        base="Light",
        fields=(
            Field("ambientIntensity", SFFloat, 0.0, UNIT_RANGE, to="LightSpot.ambient"),
            Field(
                "attenuation", SFVec3f, (1.0, 0.0, 0.0), NOT_NEGATIVE, to="LightSpot.attenuation"
            ),
            Field("beamWidth", SFFloat, 1.570796, NOT_NEGATIVE, "rad", to="LightSpot.beam_width"),
            Field("color", SFColor, (1.0, 1.0, 1.0), COLOR, to="LightSpot.color"),
            Field(
                "cutOffAngle",
                SFFloat,
                0.785398,
                NOT_NEGATIVE,
                "rad",
                to="LightSpot.cut_off_angle",
            ),
            Field("direction", SFVec3f, (0.0, 0.0, -1.0), to="LightSpot.direction"),
            Field("intensity", SFFloat, 1.0, NOT_NEGATIVE, to="LightSpot.intensity"),
            Field("location", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="LightSpot.position"),
            Field("on", SFBool, True, to="LightSpot.is_on"),
            Field("radius", SFFloat, 100.0, NOT_NEGATIVE, "m", to="LightSpot.radius"),
            Field("castShadows", SFBool, False, to="LightSpot.casts_shadows"),
        ),
    ),
)
