"""Keys of devices: sensors, cameras, lamps, markers, and what carries, holds, switches and pushes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final

from solidbody.base.transforms import IDENTITY, ZERO, Pose, Quat
from solidbody.formats.choreonoid.keys.access import Keys
from solidbody.formats.choreonoid.keys.bodies import PlaceKeys
from solidbody.formats.choreonoid.keys.kinds import (
    ANGLE,
    DIRECTION,
    ENDS,
    FAR,
    FLAG,
    INTEGER,
    MAPPING,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    RATING,
    ROTATION,
    SHARE,
    TEXT,
    TEXTS,
    TRANSLATION,
    VEC3,
    choice,
    integer_of,
    whole,
    word_of,
)
from solidbody.formats.choreonoid.keys.table import Key, Table, ValueKind
from solidbody.formats.choreonoid.keys.yaml_text import RawYaml, Yaml, word_text
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar
from solidbody.model.devices import (
    AccelerationRule,
    ConveyorKind,
    DepthQuality,
    DeviceAccelerometer,
    DeviceAttachment,
    DeviceBase,
    DeviceCamera,
    DeviceConveyor,
    DeviceDigitalIo,
    DeviceEffect,
    DeviceForceSensor,
    DeviceGyro,
    DeviceHolder,
    DeviceImu,
    DeviceLidar,
    DeviceLight,
    DeviceMarker,
    DeviceRotor,
    DeviceZmp,
    EffectKind,
    HoldCondition,
    ImageContent,
    MarkerKind,
    Projection,
    ProximityEffect,
    ScanPattern,
)
from solidbody.model.environment import LightPoint, LightSpot

MAX_LINES: Final = 4096
"""Largest number of digital lines; real boxes have tens."""

MAX_PIXELS: Final = 16_384
"""Largest width and height: more than any real camera, and what graphics cards can draw."""

CONTENTS: Final = {
    "COLOR": ImageContent.COLOR,
    "DEPTH": ImageContent.DEPTH,
    "COLOR_DEPTH": ImageContent.COLOR_DEPTH,
    "POINT_CLOUD": ImageContent.POINT_CLOUD,
    "COLOR_POINT_CLOUD": ImageContent.COLOR_POINT_CLOUD,
}
LENSES: Final = {
    "NORMAL": Projection.PLANAR,
    "FISHEYE": Projection.FISHEYE,
    "DUAL_FISHEYE": Projection.DUAL_FISHEYE,
}
OPTICAL_FRAMES: Final[dict[str, Quat]] = {
    "gl": IDENTITY,
    "cv": (0.0, 1.0, 0.0, 0.0),  # device x right, y down, z forward: half a turn about x
    "robotics": (0.5, 0.5, -0.5, -0.5),  # device x forward, y left, z up
}
"""OpenGL's optical frame in the device frame."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Rays about one axis, as written.

    Attributes:
        low: Where they begin [rad]; None = half of `total` below.
        high: Where they end [rad].
        total: Width of all of them [rad].
        step: Between two rays [rad].
        samples: How many there are.
    """

    low: float | None
    high: float | None
    total: float
    step: float | None
    samples: int | None


def _number_of(keys: Keys, name: str, value: YamlNode) -> int | None:
    number = integer_of(keys, name, value)
    return None if number is None or number < 0 else number


def _content_of(keys: Keys, name: str, value: YamlNode) -> ImageContent | None:
    return CONTENTS.get(value.text) if isinstance(value, YamlScalar) else None


def _labels_of(keys: Keys, name: str, value: YamlNode) -> tuple[tuple[int, str], ...] | None:
    """Return (line, text) of a mapping from line numbers to texts."""
    if not isinstance(value, YamlMap):
        return keys.wrong(name, value, "a mapping")
    out: list[tuple[int, str]] = []
    for key, text in value.pairs:
        line = line_of(key)
        if line is None or not isinstance(text, YamlScalar):
            said = "expected line numbers with texts."
            keys.error("wrong-value", name, said, span=key.span)
        else:
            out.append((line, text.text))
    return tuple(out)


def _written_labels(labels: tuple[tuple[int, str], ...]) -> Yaml:
    return RawYaml("{" + ", ".join(f"{line}: {word_text(text)}" for line, text in labels) + "}")


def _switches_of(keys: Keys, name: str, value: YamlNode) -> tuple[tuple[int, str], ...]:
    """Return (line, device) of a list of such pairs."""
    out: list[tuple[int, str]] = []
    for item in value.items if isinstance(value, YamlList) else (value,):
        words = scalars_of(item)
        line = line_of(words[0]) if len(words) == 2 else None
        if line is None:
            said = "expected pairs of [line, device name]."
            keys.error("wrong-value", name, said, span=item.span)
        else:
            out.append((line, words[1].text))
    return tuple(out)


def _written_switches(switches: tuple[tuple[int, str], ...]) -> Yaml:
    return [RawYaml(f"[{line}, {word_text(name)}]") for line, name in switches]


def scalars_of(node: YamlNode) -> list[YamlScalar]:
    """Return the single values of a list."""
    items = node.items if isinstance(node, YamlList) else ()
    return [item for item in items if isinstance(item, YamlScalar)]


def line_of(node: YamlNode) -> int | None:
    """Return the number of a digital line."""
    text = node.text.strip() if isinstance(node, YamlScalar) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


_ID: Final = ValueKind[int]("integer", _number_of, lambda number: number)
_WORDS_OF_CONTENTS: Final = {content: word for word, content in CONTENTS.items()}
_CONTENT: Final = ValueKind[ImageContent](
    "word", _content_of, _WORDS_OF_CONTENTS.__getitem__, allowed=", ".join(CONTENTS)
)
_LABELS: Final = ValueKind[tuple[tuple[int, str], ...]](
    "texts by line", _labels_of, _written_labels
)
_SWITCHES: Final = ValueKind[tuple[tuple[int, str], ...]](
    "lines and names", _switches_of, _written_switches
)

_WHITE: Final = (1.0, 1.0, 1.0)

# fmt: off
# one row, one line


class DeviceKeys(PlaceKeys):
    """What all devices have. Other keys are information."""

    title = "Device"
    makes = DeviceBase
    is_apart = True

    name = Key(TEXT, "", "name", "that of its type without it")
    id = Key(_ID, None, "number", "number among those of its kind")


# ----------------------------------------------------------------------------- motion and force


_RATED: Final = "rated range; nothing is clipped to it"


class AccelerationSensorKeys(DeviceKeys):
    """Measures at the origin of its link, wherever it sits, as the AIST simulator has it."""

    types = ("AccelerationSensor",)
    makes = DeviceAccelerometer
    fixed: ClassVar = {"": {"rule": AccelerationRule.LINK_ORIGIN}}

    max_acceleration = Key(RATING, None, "rated_range", _RATED, old="maxAcceleration", unit="m/s2")


class RateGyroSensorKeys(DeviceKeys):
    """Measures angular velocity."""

    types = ("RateGyroSensor",)
    makes = DeviceGyro

    max_angular_velocity = Key(RATING, None, "rated_range", _RATED, old="maxAngularVelocity", unit="rad/s")


class ImuKeys(DeviceKeys):
    """Both of the above. `Imu` is the manual's spelling, which Choreonoid's loader does not take."""

    types = ("IMU", "Imu")
    makes = DeviceImu

    max_acceleration = Key(RATING, None, "rated_acceleration", _RATED, old="maxAcceleration", unit="m/s2")
    max_angular_velocity = Key(
        RATING, None, "rated_angular_velocity", f"{_RATED}; in radians, whatever the unit of the file is",
        old="maxAngularVelocity", unit="rad/s"
    )


class ForceSensorKeys(DeviceKeys):
    """Measures force and torque at its place."""

    types = ("ForceSensor",)
    makes = DeviceForceSensor

    max_force = Key(RATING, None, "rated_force", _RATED, old="maxForce", unit="N")
    max_torque = Key(RATING, None, "rated_torque", _RATED, old="maxTorque", unit="N m")


class ZmpDeviceKeys(DeviceKeys):
    """The zero-moment point."""

    types = ("ZmpDevice",)
    makes = DeviceZmp


# ----------------------------------------------------------------------------------------- vision


class DepthKeys(Table):
    """What distances are measured with, of cameras and range sensors."""

    title = "Depth"
    makes = DepthQuality

    min_distance = Key(NOT_NEGATIVE, 0.1, "min_range", "seen", old="minDistance", unit="m", always=True)
    max_distance = Key(POSITIVE, 10.0, "max_range", "seen", old="maxDistance", unit="m", always=True)
    detection_rate = Key(SHARE, 1.0, "detection_rate", "share of rays that come back", old="detectionRate")
    error_deviation = Key(NOT_NEGATIVE, 0.0, "error_deviation", "noise", old="errorDeviation", unit="m")


class OpticalKeys(DeviceKeys):
    """What devices that see have. Choreonoid's optical frame looks along -z, the model's along +x."""

    title = "Vision device"

    optical_frame = Key(
        choice(OPTICAL_FRAMES), IDENTITY, "DeviceCamera.optical_rotation", "axes of the device", by="sum"
    )
    optical_frame_rotation = Key(
        ROTATION, IDENTITY, "DeviceCamera.optical_rotation", "in addition", by="sum"
    )


class CameraKeys(OpticalKeys):
    """A camera of colours, depth or points. No device comes of one without a format."""

    types = ("Camera", "CameraDevice")
    makes = DeviceCamera

    format = Key(_CONTENT, None, "content", "what it sees")
    lens_type = Key(
        choice(LENSES), Projection.PLANAR, "projection", "of colour cameras", old="lensType"
    )
    on = Key(FLAG, True, "is_on", "from the start")
    width = Key(whole(1, MAX_PIXELS), 640, "width", "of pictures", unit="pixel", always=True)
    height = Key(whole(1, MAX_PIXELS), 480, "height", "of pictures", unit="pixel", always=True)
    field_of_view = Key(
        ANGLE, math.pi / 4, "field_of_view", "across the shorter side", old="fieldOfView", always=True
    )
    near_clip_distance = Key(
        POSITIVE, 0.04, "near", "seen", old="nearClipDistance", unit="m", always=True
    )
    far_clip_distance = Key(FAR, 200.0, "far", "seen", old="farClipDistance", unit="m", always=True)
    frame_rate = Key(
        POSITIVE, 30.0, "frame_rate", "of pictures", old="frameRate", unit="1/s", always=True
    )


class YawKeys(Table):
    """Rays of a range sensor from right to left."""

    title = "Yaw of a range sensor"
    makes = Sweep

    low = Key(ANGLE, None, "low", "with the other end", name="min_yaw_angle")
    high = Key(ANGLE, None, "high", "with the other end", name="max_yaw_angle")
    total = Key(
        ANGLE, 2 * math.pi / 3, "total", "about the middle", name="yaw_range", old="yawRange scanAngle"
    )
    step = Key(ANGLE, None, "step", "between rays", name="yaw_step", old="yawStep scanStep")
    samples = Key(INTEGER, None, "samples", "rays; the step counts first", name="yaw_samples")


class PitchKeys(Table):
    """Lines of rays of a range sensor."""

    title = "Pitch of a range sensor"
    makes = Sweep

    low = Key(ANGLE, None, "low", "with the other end", name="min_pitch_angle")
    high = Key(ANGLE, None, "high", "with the other end", name="max_pitch_angle")
    total = Key(ANGLE, 0.0, "total", "about the middle", name="pitch_range", old="pitchRange")
    step = Key(ANGLE, None, "step", "between lines", name="pitch_step", old="pitchStep")
    samples = Key(INTEGER, None, "samples", "lines", name="pitch_samples")


class RangeSensorKeys(OpticalKeys):
    """A scanner of one or several lines."""

    types = ("RangeSensor",)
    makes = DeviceLidar

    on = Key(FLAG, True, "is_on", "from the start")
    scan_rate = Key(POSITIVE, None, "scan_rate", "of scans", old="scanRate", unit="1/s")
    frame_rate = Key(
        NUMBER, 10.0, "DeviceLidar.scan_rate", "without scan_rate", old="frameRate", unit="1/s", by="sum"
    )


class LivoxKeys(RangeSensorKeys):
    """A scanner whose rays come from a file."""

    types = ("LivoxMid360",)
    parts: ClassVar = {"pattern": ScanPattern}

    angle_seq_file = Key(TEXT, "", "pattern.uri", "file of a plugin", always=True)
    samples = Key(INTEGER, 24_000, "pattern.samples", "rays of a scan", always=True)
    angular_precision = Key(
        ANGLE, math.radians(0.5), "pattern.angular_precision", "of rays", always=True
    )


# ---------------------------------------------------------------------------------------- showing


class PointLightKeys(DeviceKeys):
    """A lamp that shines all around."""

    types = ("PointLight",)
    makes = DeviceLight
    parts: ClassVar = {"light": LightPoint}
    fixed: ClassVar = {"": {"light.position": ZERO, "light.radius": math.inf}}

    on = Key(FLAG, True, "light.is_on", "from the start")
    color = Key(VEC3, _WHITE, "light.color", "of its light")
    intensity = Key(NOT_NEGATIVE, 1.0, "light.intensity", "of its light")
    attenuation = Key(VEC3, (1.0, 0.0, 0.0), "light.attenuation", "constant, linear, quadratic")


class SpotLightKeys(PointLightKeys):
    """A lamp that shines into a cone."""

    types = ("SpotLight",)
    parts: ClassVar = {"light": LightSpot}

    direction = Key(DIRECTION, (0.0, 0.0, -1.0), "light.direction", "where it shines")
    beam_width = Key(ANGLE, math.pi / 2, "light.beam_width", "full light", old="beamWidth", always=True)
    cut_off_angle = Key(ANGLE, math.pi / 4, "light.cut_off_angle", "no light", old="cutOffAngle", always=True)
    cut_off_exponent = Key(NUMBER, 1.0, "light.cut_off_exponent", "between them", old="cutOffExponent")


class MarkerDeviceKeys(DeviceKeys):
    """A sign that is drawn at a place."""

    types = ("MarkerDevice",)
    makes = DeviceMarker
    parts: ClassVar = {"offset": Pose}

    marker_type = Key(
        word_of(MarkerKind),
        MarkerKind.SPHERE, "kind", "its form", old="markerType", always=True
    )
    size = Key(POSITIVE, 0.01, "size", "of the sign", unit="m", always=True)
    color = Key(VEC3, _WHITE, "color", "of the sign")
    emission = Key(SHARE, 0.5, "emission", "share of its own light")
    transparency = Key(SHARE, 0.7, "transparency", "1 is invisible")
    offset_translation = Key(TRANSLATION, ZERO, "offset.position", "in the device", old="offsetTranslation")
    offset_rotation = Key(ROTATION, IDENTITY, "offset.rotation", "in the device", old="offsetRotation")
    on = Key(FLAG, True, "is_on", "from the start")


_EFFECTS: Final = {
    "SmokeDevice": EffectKind.SMOKE,
    "FireDevice": EffectKind.FIRE,
    "FountainDevice": EffectKind.FOUNTAIN,
    "RainDevice": EffectKind.RAIN,
    "SnowDevice": EffectKind.SNOW,
}


class EffectKeys(DeviceKeys):
    """Particles."""

    types = tuple(_EFFECTS)
    makes = DeviceEffect
    fixed: ClassVar = {name: {"kind": kind} for name, kind in _EFFECTS.items()}

    num_particles = Key(INTEGER, None, "particle_count", "at a time", old="numParticles")
    particle_size = Key(NUMBER, None, "particle_size", "of one", old="particleSize", unit="m")
    life_time = Key(NUMBER, None, "life_time", "of one", old="lifeTime", unit="s")
    offset_time = Key(NUMBER, 0.0, "offset_time", "before", old="offsetTime", unit="s")
    initial_speed_average = Key(NUMBER, None, "speed", "at the start", old="initialSpeedAverage", unit="m/s")
    initial_speed_variation = Key(
        NUMBER, None, "speed_variation", "of it", old="initialSpeedVariation", unit="m/s"
    )
    emission_range = Key(ANGLE, None, "emission_angle", "of the cone", old="emissionRange")
    acceleration = Key(VEC3, None, "acceleration", "of all", unit="m/s2")
    tint_color = Key(VEC3, _WHITE, "tint", "of all")
    on = Key(FLAG, True, "is_on", "from the start")


# ----------------------------------------------------------------------------------------- acting


class ConveyorKeys(DeviceKeys):
    """Carries what lies on the link."""

    types = ("Conveyor",)
    makes = DeviceConveyor

    conveyor_type = Key(
        word_of(ConveyorKind),
        ConveyorKind.LINEAR, "kind", "along the axis or about it", old="conveyorType", always=True
    )
    axis = Key(DIRECTION, (1.0, 0.0, 0.0), "axis", "of the motion", always=True)
    speed = Key(NUMBER, 0.0, "speed", "at the start", unit="m/s, rad/s", always=True)
    on = Key(FLAG, True, "is_on", "from the start")


class HolderKeys(DeviceKeys):
    """Holds things that have an Attachment."""

    types = ("Holder",)
    makes = DeviceHolder

    category = Key(TEXTS, (), "DeviceHolder.categories", "what it takes; counts first", by="sum")
    categories = Key(TEXTS, (), "categories", "what it takes")
    hold_condition = Key(
        word_of(HoldCondition), HoldCondition.DISTANCE, "condition",
        "which of them", always=True
    )
    max_hold_distance = Key(NOT_NEGATIVE, 0.1, "max_distance", "between both", unit="m", always=True)
    hold_target_name = Key(TEXT, "", "target_name", "of the thing's body")
    on = Key(FLAG, False, "is_on", "from the start")


class AttachmentKeys(DeviceKeys):
    """Where a Holder holds a thing."""

    types = ("Attachment",)
    makes = DeviceAttachment

    category = Key(TEXT, "", "category", "which holders take it")
    on = Key(FLAG, False, "is_on", "from the start")


class DigitalIOKeys(DeviceKeys):
    """Lines that switch devices."""

    types = ("DigitalIO",)
    makes = DeviceDigitalIo

    num_signal_lines = Key(whole(0, MAX_LINES), 0, "line_count", "in each direction", always=True)
    out_labels = Key(_LABELS, (), "output_labels", "texts by line")
    in_labels = Key(_LABELS, (), "input_labels", "texts by line")
    input_to_device_switch_connections = Key(
        _SWITCHES, (), "switches", "pairs of line and device"
    )
    action = Key(MAPPING, None, "DeviceDigitalIo.switches", "their old form", by="tree")


class DigitalActionKeys(Table):
    """`action` of a DigitalIO, the old form of its switches."""

    title = "Action of a DigitalIO"

    input = Key(MAPPING, None, "DeviceDigitalIo.switches", "[device, NAME, on] by line", by="tree")


class RotorDeviceKeys(DeviceKeys):
    """Pushes its link."""

    types = ("RotorDevice",)
    makes = DeviceRotor

    position = Key(TRANSLATION, ZERO, "DeviceRotor.pose", "point of attack", by="place")
    direction = Key(DIRECTION, (0.0, 0.0, 1.0), "direction", "of the force", always=True)
    value = Key(NUMBER, 0.0, "force", "at the start", unit="N", always=True)
    value_range = Key(ENDS, None, "force_range", "of the force", old="valueRange", unit="N")
    torque = Key(NUMBER, 0.0, "torque", "at the start", unit="N m", always=True)
    torque_range = Key(ENDS, None, "torque_range", "of it", old="torqueRange", unit="N m")
    effect = Key(
        MAPPING, None, "DeviceRotor.wall_effect, DeviceRotor.ground_effect", "near surfaces",
        old="effectParameter", by="tree"
    )


class WallEffectKeys(Table):
    """More force near a wall; all three are needed."""

    title = "Wall effect of a rotor"
    makes = ProximityEffect

    wall_distance = Key(NUMBER, None, "distance", "from which on", old="wallDistance", unit="m")
    wall_norm_middle_value = Key(NUMBER, None, "middle_value", "half-way, 0 to 1", old="wallNormMiddleValue")
    wall_max_rate = Key(NUMBER, None, "max_rate", "at the wall", old="wallMaxRate")


class GroundEffectKeys(Table):
    """More force near the ground; all three are needed."""

    title = "Ground effect of a rotor"
    makes = ProximityEffect

    ground_distance = Key(NUMBER, None, "distance", "from which on", old="groundDistance", unit="m")
    ground_norm_middle_value = Key(
        NUMBER, None, "middle_value", "half-way, 0 to 1", old="groundNormMiddleValue"
    )
    ground_max_rate = Key(NUMBER, None, "max_rate", "at the ground", old="groundMaxRate")


PLAIN_DEVICES: Final[dict[str, type[DeviceKeys]]] = {
    name: table
    for table in (
        AccelerationSensorKeys,
        RateGyroSensorKeys,
        ImuKeys,
        ForceSensorKeys,
        ZmpDeviceKeys,
        PointLightKeys,
        SpotLightKeys,
        MarkerDeviceKeys,
        EffectKeys,
        ConveyorKeys,
        HolderKeys,
        AttachmentKeys,
        DigitalIOKeys,
        RotorDeviceKeys,
    )
    for name in table.types
}
"""Node types of which the generic pass makes the device, perhaps with more read by hand."""
