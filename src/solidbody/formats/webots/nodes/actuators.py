"""Rows of devices that send, hold, show and sound, and of chargers.

Source: Webots reference manual R2025a (Emitter, Receiver, Connector, VacuumGripper, LED, Display, Pen,
Speaker, Microphone, Skin, Charger).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    COLOR,
    NOT_NEGATIVE,
    NOT_NEGATIVE_OR_MINUS_1,
    PIXELS,
    POSITIVE,
    POSITIVE_OR_MINUS_1,
    UNIT_RANGE,
    Check,
    Field,
    FieldType,
    Node,
    one_of,
)

SFBool, SFInt32, SFFloat = FieldType.SFBool, FieldType.SFInt32, FieldType.SFFloat
SFString, SFVec2f, SFVec3f = FieldType.SFString, FieldType.SFVec2f, FieldType.SFVec3f
SFRotation, SFColor, SFNode = FieldType.SFRotation, FieldType.SFColor, FieldType.SFNode
MFInt32, MFFloat, MFColor, MFNode = (
    FieldType.MFInt32,
    FieldType.MFFloat,
    FieldType.MFColor,
    FieldType.MFNode,
)

_WINDOW = "overlay windows belong to Webots' own GUI"
_EDITOR_ONLY = "step of Webots' mouse handles on a node that is not a solid"
_MEDIA = one_of("radio", "serial", "infra-red")
AT_LEAST_8 = Check(lambda value: isinstance(value, int | float) and value >= 8, ">= 8")


def _line_fields(kind: str) -> tuple[Field, ...]:
    """Return what emitters and receivers have in common."""
    return (
        Field("type", SFString, "radio", _MEDIA, to=f"{kind}.medium"),
        Field("aperture", SFFloat, -1.0, NOT_NEGATIVE_OR_MINUS_1, "rad", to=f"{kind}.aperture"),
        Field("channel", SFInt32, 0, NOT_NEGATIVE_OR_MINUS_1, to=f"{kind}.channel"),
        Field("baudRate", SFInt32, -1, POSITIVE_OR_MINUS_1, "bit/s", to=f"{kind}.baud_rate"),
        Field("byteSize", SFInt32, 8, AT_LEAST_8, "bit", to=f"{kind}.byte_size"),
        Field("bufferSize", SFInt32, -1, POSITIVE_OR_MINUS_1, "byte", to=f"{kind}.buffer_size"),
        Field("allowedChannels", MFInt32, (), to=f"{kind}.allowed_channels"),
    )


def _strength(name: str, to: str) -> Field:
    return Field(name, SFFloat, -1.0, NOT_NEGATIVE_OR_MINUS_1, "N", to=to)


ACTUATOR_ROWS = (
    Node(
        "Emitter",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "emitter", to="DeviceEmitter.name"),
            *_line_fields("DeviceEmitter"),
            Field("range", SFFloat, -1.0, NOT_NEGATIVE_OR_MINUS_1, "m", to="DeviceEmitter.range"),
            Field(
                "maxRange",
                SFFloat,
                -1.0,
                NOT_NEGATIVE_OR_MINUS_1,
                "m",
                to="DeviceEmitter.max_range",
            ),
        ),
    ),
    Node(
        "Receiver",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "receiver", to="DeviceReceiver.name"),
            *_line_fields("DeviceReceiver"),
            Field(
                "signalStrengthNoise",
                SFFloat,
                0.0,
                NOT_NEGATIVE,
                to="DeviceReceiver.signal_strength_noise",
            ),
            Field(
                "directionNoise", SFFloat, 0.0, NOT_NEGATIVE, to="DeviceReceiver.direction_noise"
            ),
        ),
    ),
    Node(
        "Connector",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "connector", to="DeviceConnector.name"),
            Field(
                "type",
                SFString,
                "symmetric",
                one_of("symmetric", "active", "passive"),
                to="DeviceConnector.kind",
            ),
            Field("isLocked", SFBool, False, to="DeviceConnector.is_locked"),
            Field("autoLock", SFBool, False, to="DeviceConnector.auto_lock"),
            Field("unilateralLock", SFBool, True, to="DeviceConnector.unilateral_lock"),
            Field("unilateralUnlock", SFBool, True, to="DeviceConnector.unilateral_unlock"),
            Field(
                "distanceTolerance",
                SFFloat,
                0.01,
                NOT_NEGATIVE,
                "m",
                to="DeviceConnector.distance_tolerance",
            ),
            Field(
                "axisTolerance",
                SFFloat,
                0.2,
                NOT_NEGATIVE,
                "rad",
                to="DeviceConnector.axis_tolerance",
            ),
            Field(
                "rotationTolerance",
                SFFloat,
                0.2,
                NOT_NEGATIVE,
                "rad",
                to="DeviceConnector.rotation_tolerance",
            ),
            Field(
                "numberOfRotations", SFInt32, 4, NOT_NEGATIVE, to="DeviceConnector.docking_angles"
            ),
            Field("snap", SFBool, True, to="DeviceConnector.snap"),
            _strength("tensileStrength", "DeviceConnector.tensile_strength"),
            _strength("shearStrength", "DeviceConnector.shear_strength"),
        ),
    ),
    Node(
        "VacuumGripper",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "vacuum gripper", to="DeviceVacuumGripper.name"),
            Field("isOn", SFBool, False, to="DeviceVacuumGripper.is_on"),
            _strength("tensileStrength", "DeviceVacuumGripper.tensile_strength"),
            _strength("shearStrength", "DeviceVacuumGripper.shear_strength"),
            Field("contactPoints", SFInt32, 3, POSITIVE, to="DeviceVacuumGripper.contact_points"),
        ),
    ),
    Node(
        "LED",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "led", to="DeviceLed.name"),
            Field("color", MFColor, ((1.0, 0.0, 0.0),), COLOR, to="DeviceLed.colors"),
            Field("gradual", SFBool, False, to="DeviceLed.gradual"),
        ),
    ),
    Node(
        "Display",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "display", to="DeviceDisplay.name"),
            Field("width", SFInt32, 64, PIXELS, "pixels", to="DeviceDisplay.width"),
            Field("height", SFInt32, 64, PIXELS, "pixels", to="DeviceDisplay.height"),
            Field("windowPosition", SFVec2f, (0.0, 0.0), ignored=_WINDOW),
            Field("pixelSize", SFFloat, 1.0, ignored=_WINDOW),
        ),
    ),
    Node(
        "Pen",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "pen", to="DevicePen.name"),
            Field("inkColor", SFColor, (0.0, 0.0, 0.0), COLOR, to="DevicePen.ink_color"),
            Field("inkDensity", SFFloat, 0.5, UNIT_RANGE, to="DevicePen.ink_density"),
            Field("leadSize", SFFloat, 0.002, POSITIVE, "m", to="DevicePen.lead_size"),
            Field("maxDistance", SFFloat, 0.0, NOT_NEGATIVE, "m", to="DevicePen.max_distance"),
            Field("write", SFBool, True, to="DevicePen.is_writing"),
        ),
    ),
    Node(
        "Speaker",
        base="Device",
        can_be_used=False,
        fields=(Field("name", SFString, "speaker", to="DeviceSpeaker.name"),),
    ),
    Node(
        "Microphone",
        base="Device",
        can_be_used=False,
        fields=(
            Field("name", SFString, "microphone", to="DeviceMicrophone.name"),
            Field(
                "aperture",
                SFFloat,
                -1.0,
                NOT_NEGATIVE_OR_MINUS_1,
                "rad",
                to="DeviceMicrophone.aperture",
            ),
            Field("sensitivity", SFFloat, -1.0, ignored="Webots never defined what it does"),
        ),
    ),
    Node(
        "Skin",
        can_be_used=False,
        fields=(
            Field("name", SFString, "skin", to="DeviceSkin.name"),
            Field("translation", SFVec3f, (0.0, 0.0, 0.0), unit="m", to="DeviceSkin.pose"),
            Field("rotation", SFRotation, (0.0, 0.0, 1.0, 0.0), to="DeviceSkin.pose"),
            Field("scale", SFVec3f, (1.0, 1.0, 1.0), POSITIVE, to="DeviceSkin.scale"),
            Field("modelUrl", SFString, "", to="DeviceSkin.uri"),
            Field(
                "appearance", MFNode, None, nodes=("AnyAppearance",), to="DeviceSkin.appearances"
            ),
            Field("bones", MFNode, None, nodes=("SolidReference",), to="DeviceSkin.bones"),
            Field("castShadows", SFBool, True, to="DeviceSkin.casts_shadows"),
            Field("translationStep", SFFloat, 0.01, unit="m", ignored=_EDITOR_ONLY),
            Field("rotationStep", SFFloat, 0.261799387, unit="rad", ignored=_EDITOR_ONLY),
        ),
    ),
    Node(
        "Charger",
        base="Solid",
        can_be_used=False,
        fields=(
            Field("name", SFString, "charger", to="DeviceCharger.name, Link.name"),
            Field("battery", MFFloat, (), NOT_NEGATIVE, "J, J, W", to="DeviceCharger.battery"),
            Field("radius", SFFloat, 0.04, NOT_NEGATIVE, "m", to="DeviceCharger.radius"),
            Field("emissiveColor", SFColor, (0.0, 1.0, 0.0), COLOR, to="DeviceCharger.emissive"),
            Field("gradual", SFBool, True, to="DeviceCharger.gradual"),
        ),
    ),
)
