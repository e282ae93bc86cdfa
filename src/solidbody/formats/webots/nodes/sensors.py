"""Rows of sensors of motion, place, distance, touch and light.

Source: Webots reference manual R2025a (Accelerometer, Altimeter, Compass, DistanceSensor, GPS, Gyro,
InertialUnit, LightSensor, Radar, TouchSensor).
"""

from __future__ import annotations

from solidbody.formats.webots.table import (
    ABSOLUTE,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_OR_MINUS_1,
    RAYS,
    UNIT_RANGE,
    Field,
    FieldType,
    Node,
    Value,
    one_of,
)

SFBool, SFInt32, SFFloat = FieldType.SFBool, FieldType.SFInt32, FieldType.SFFloat
SFString, SFVec3f, MFVec3f = FieldType.SFString, FieldType.SFVec3f, FieldType.MFVec3f


def _named(kind: str, default: str) -> Field:
    return Field("name", SFString, default, to=f"{kind}.name")


def _resolution(kind: str, unit: str = "") -> Field:
    return Field("resolution", SFFloat, -1.0, POSITIVE_OR_MINUS_1, unit, to=f"{kind}.resolution")


def _axes(kind: str) -> tuple[Field, ...]:
    return tuple(Field(f"{axis}Axis", SFBool, True, to=f"{kind}.axes") for axis in "xyz")


def _lookup(kind: str, default: Value = ()) -> Field:
    return Field("lookupTable", MFVec3f, default, to=f"{kind}.lookup")


def _vector_sensor(name: str, device: str, kind: str, unit: str) -> Node:
    """Return the row of a sensor of a vector with one curve for its three components."""
    return Node(
        name,
        base="Device",
        can_be_used=False,
        fields=(_named(kind, device), _lookup(kind), *_axes(kind), _resolution(kind, unit)),
    )


SENSOR_ROWS = (
    _vector_sensor("Accelerometer", "accelerometer", "DeviceAccelerometer", "m/s^2"),
    _vector_sensor("Gyro", "gyro", "DeviceGyro", "rad/s"),
    _vector_sensor("Compass", "compass", "DeviceCompass", ""),
    Node(
        "InertialUnit",
        base="Device",
        can_be_used=False,
        fields=(
            _named("DeviceInertialUnit", "inertial unit"),
            Field("noise", SFFloat, 0.0, NOT_NEGATIVE, "pi rad", to="DeviceInertialUnit.noise"),
            *_axes("DeviceInertialUnit"),
            _resolution("DeviceInertialUnit"),
            Field(
                "lookupTable",
                MFVec3f,
                (),
                deprecated="noise",
                ignored="Webots itself no longer applies it",
            ),
        ),
    ),
    Node(
        "GPS",
        base="Device",
        can_be_used=False,
        fields=(
            _named("DeviceGps", "gps"),
            Field("type", SFString, "satellite", one_of("satellite", "laser"), to="DeviceGps.kind"),
            Field("accuracy", SFFloat, 0.0, NOT_NEGATIVE, "m", to="DeviceGps.accuracy"),
            Field("noiseCorrelation", SFFloat, 0.0, UNIT_RANGE, to="DeviceGps.noise_correlation"),
            _resolution("DeviceGps", "m"),
            Field("speedNoise", SFFloat, 0.0, NOT_NEGATIVE, to="DeviceGps.speed_noise"),
            Field(
                "speedResolution",
                SFFloat,
                -1.0,
                POSITIVE_OR_MINUS_1,
                "m/s",
                to="DeviceGps.speed_resolution",
            ),
        ),
    ),
    Node(
        "Altimeter",
        base="Device",
        can_be_used=False,
        fields=(
            _named("DeviceAltimeter", "altimeter"),
            Field("accuracy", SFFloat, 0.0, NOT_NEGATIVE, "m", to="DeviceAltimeter.accuracy"),
            _resolution("DeviceAltimeter", "m"),
        ),
    ),
    Node(
        "DistanceSensor",
        base="Device",
        can_be_used=False,
        fields=(
            _named("DeviceDistanceSensor", "distance sensor"),
            _lookup("DeviceDistanceSensor", ((0.0, 0.0, 0.0), (0.1, 1000.0, 0.0))),
            Field("type", SFString, "generic", to="DeviceDistanceSensor.kind"),
            Field("numberOfRays", SFInt32, 1, RAYS, to="DeviceDistanceSensor.ray_count"),
            Field("aperture", SFFloat, 1.5708, ABSOLUTE, "rad", to="DeviceDistanceSensor.aperture"),
            Field(
                "gaussianWidth", SFFloat, 1.0, POSITIVE, to="DeviceDistanceSensor.gaussian_width"
            ),
            _resolution("DeviceDistanceSensor"),
            Field(
                "redColorSensitivity",
                SFFloat,
                1.0,
                NOT_NEGATIVE,
                to="DeviceDistanceSensor.red_sensitivity",
            ),
        ),
    ),
    Node(
        "LightSensor",
        base="Device",
        can_be_used=False,
        fields=(
            _named("DeviceLightSensor", "light sensor"),
            _lookup("DeviceLightSensor", ((0.0, 0.0, 0.0), (1.0, 1000.0, 0.0))),
            Field(
                "colorFilter",
                FieldType.SFColor,
                (1.0, 1.0, 1.0),
                NOT_NEGATIVE,
                to="DeviceLightSensor.color_filter",
            ),
            Field("occlusion", SFBool, False, to="DeviceLightSensor.sees_occlusion"),
            _resolution("DeviceLightSensor"),
        ),
    ),
    Node(
        "TouchSensor",
        base="Device",
        can_be_used=False,
        fields=(
            _named("DeviceTouchSensor", "touch sensor"),
            Field(
                "type",
                SFString,
                "bumper",
                one_of("bumper", "force", "force-3d"),
                to="DeviceTouchSensor.kind",
            ),
            _lookup("DeviceTouchSensor", ((0.0, 0.0, 0.0), (5000.0, 50000.0, 0.0))),
            _resolution("DeviceTouchSensor"),
        ),
    ),
    Node(
        "Radar",
        base="Device",
        can_be_used=False,
        fields=(
            _named("DeviceRadar", "radar"),
            Field("minRange", SFFloat, 1.0, NOT_NEGATIVE, "m", to="DeviceRadar.min_range"),
            Field("maxRange", SFFloat, 50.0, NOT_NEGATIVE, "m", to="DeviceRadar.max_range"),
            Field(
                "horizontalFieldOfView",
                SFFloat,
                0.78,
                NOT_NEGATIVE,
                "rad",
                to="DeviceRadar.horizontal_field_of_view",
            ),
            Field(
                "verticalFieldOfView",
                SFFloat,
                0.1,
                NOT_NEGATIVE,
                "rad",
                to="DeviceRadar.vertical_field_of_view",
            ),
            Field(
                "minAbsoluteRadialSpeed",
                SFFloat,
                0.0,
                NOT_NEGATIVE,
                "m/s",
                to="DeviceRadar.min_absolute_radial_speed",
            ),
            Field("minRadialSpeed", SFFloat, 0.0, unit="m/s", to="DeviceRadar.radial_speed_range"),
            Field("maxRadialSpeed", SFFloat, 0.0, unit="m/s", to="DeviceRadar.radial_speed_range"),
            Field("cellDistance", SFFloat, 0.0, NOT_NEGATIVE, "m", to="DeviceRadar.cell_distance"),
            Field("cellSpeed", SFFloat, 0.0, NOT_NEGATIVE, "m/s", to="DeviceRadar.cell_speed"),
            Field("rangeNoise", SFFloat, 0.0, NOT_NEGATIVE, "m", to="DeviceRadar.range_noise"),
            Field("speedNoise", SFFloat, 0.0, NOT_NEGATIVE, "m/s", to="DeviceRadar.speed_noise"),
            Field(
                "angularNoise", SFFloat, 0.0, NOT_NEGATIVE, "rad", to="DeviceRadar.angular_noise"
            ),
            Field("antennaGain", SFFloat, 20.0, unit="dBi", to="DeviceRadar.antenna_gain"),
            Field("frequency", SFFloat, 24.0, POSITIVE, "GHz", to="DeviceRadar.frequency"),
            Field(
                "transmittedPower", SFFloat, 20.0, unit="dBm", to="DeviceRadar.transmitted_power"
            ),
            Field(
                "minDetectableSignal",
                SFFloat,
                -100.0,
                unit="dBm",
                to="DeviceRadar.min_detectable_power",
            ),
            Field("occlusion", SFBool, False, to="DeviceRadar.sees_occlusion"),
        ),
    ),
)
