"""Devices of body files: every type, key and alias of the format."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from solidbody.base.transforms import Pose, quat_rotate
from solidbody.formats.choreonoid.body.devices import DEVICE_TYPES, PLUGIN_TYPES
from solidbody.formats.link_trees.node_transforms import place_from_pose
from solidbody.model.devices import (
    AccelerationRule,
    ConveyorKind,
    Device,
    DeviceAccelerometer,
    DeviceAttachment,
    DeviceConveyor,
    DeviceDigitalIo,
    DeviceEffect,
    DeviceForceSensor,
    DeviceGyro,
    DeviceHolder,
    DeviceImu,
    DeviceLight,
    DeviceMarker,
    DeviceRotor,
    DeviceUnknown,
    DeviceZmp,
    EffectKind,
    HoldCondition,
    MarkerKind,
    ProximityEffect,
)
from solidbody.model.environment import LightPoint, LightSpot
from tests.formats.choreonoid.devices import RADIAN_FILE, clean_device, read_device


def bare(device: Device) -> Device:
    """Return the device without its place in the file, and as if nobody sampled it."""
    return replace(device, span=DeviceZmp(name="x").span, samples_itself=False)


CASES = [
    (
        "AccelerationSensor",
        "name: A, id: 3, max_acceleration: [1, 2, 3]",
        DeviceAccelerometer(
            name="A", number=3, rule=AccelerationRule.LINK_ORIGIN, rated_range=(1.0, 2.0, 3.0)
        ),
    ),
    (
        "AccelerationSensor",
        "name: A, maxAcceleration: [1, 2, 3]",
        DeviceAccelerometer(
            name="A", rule=AccelerationRule.LINK_ORIGIN, rated_range=(1.0, 2.0, 3.0)
        ),
    ),
    ("RateGyroSensor", "name: G", DeviceGyro(name="G")),
    (
        "IMU",
        "name: I, max_acceleration: [1, 1, 1], maxAngularVelocity: [2, 2, 2]",
        DeviceImu(
            name="I",
            rated_acceleration=(1.0, 1.0, 1.0),
            rated_angular_velocity=(2.0, 2.0, 2.0),
        ),
    ),
    (
        "ForceSensor",
        "name: F, maxForce: [1, 2, 3], max_torque: [4, 5, 6]",
        DeviceForceSensor(name="F", rated_force=(1.0, 2.0, 3.0), rated_torque=(4.0, 5.0, 6.0)),
    ),
    ("ZmpDevice", "name: Z", DeviceZmp(name="Z")),
    (
        "MarkerDevice",
        "name: M, markerType: axes, size: 0.2, color: [1, 0, 0], emission: 1, transparency: 0, "
        "offset_translation: [0, 0, 1], on: false",
        DeviceMarker(
            name="M",
            kind=MarkerKind.AXES,
            size=0.2,
            color=(1.0, 0.0, 0.0),
            emission=1.0,
            transparency=0.0,
            offset=Pose((0.0, 0.0, 1.0)),
            is_on=False,
        ),
    ),
    ("MarkerDevice", "name: M", DeviceMarker(name="M")),
    (
        "Conveyor",
        "name: C, conveyor_type: rotary, axis: [0, 0, 2], speed: 0.5, on: no",
        DeviceConveyor(
            name="C", kind=ConveyorKind.ROTARY, axis=(0.0, 0.0, 1.0), speed=0.5, is_on=False
        ),
    ),
    ("Conveyor", "name: C", DeviceConveyor(name="C")),
    (
        "Holder",
        "name: H, categories: [a, b], hold_condition: name, hold_target_name: T, on: true",
        DeviceHolder(
            name="H",
            categories=("a", "b"),
            condition=HoldCondition.NAME,
            target_name="T",
            is_on=True,
        ),
    ),
    (
        "Holder",
        "name: H, category: a, max_hold_distance: 0.2",
        DeviceHolder(name="H", categories=("a",), max_distance=0.2),
    ),
    (
        "Attachment",
        "name: A, category: tool",
        DeviceAttachment(name="A", category="tool"),
    ),
    (
        "DigitalIO",
        "name: D, num_signal_lines: 10, out_labels: {0: go}, in_labels: {1: stop, 2: x}, "
        "input_to_device_switch_connections: [[3, Lamp]]",
        DeviceDigitalIo(
            name="D",
            line_count=10,
            output_labels=((0, "go"),),
            input_labels=((1, "stop"), (2, "x")),
            switches=((3, "Lamp"),),
        ),
    ),
    (
        "DigitalIO",
        "name: D, action: {input: {4: [device, Hand, on]}}",
        DeviceDigitalIo(name="D", switches=((4, "Hand"),)),
    ),
    (
        "FireDevice",
        "name: F, numParticles: 50, particle_size: 0.1, lifeTime: 3, offset_time: 1, "
        "initial_speed_average: 2, initialSpeedVariation: 0.5, emission_range: 90, "
        "acceleration: [0, 0, 1], tint_color: [1, 0.5, 0]",
        DeviceEffect(
            name="F",
            kind=EffectKind.FIRE,
            particle_count=50,
            particle_size=0.1,
            life_time=3.0,
            offset_time=1.0,
            speed=2.0,
            speed_variation=0.5,
            emission_angle=math.pi / 2,
            acceleration=(0.0, 0.0, 1.0),
            tint=(1.0, 0.5, 0.0),
        ),
    ),
    (
        "RotorDevice",
        "name: R, position: [1, 0, 0], direction: [0, 0, -3], valueRange: [-5, 5], "
        "torque_range: [-1, 1], value: 2, torque: 0.1, "
        "effect: {wall_distance: 1, wall_norm_middle_value: 0.5, wall_max_rate: 0.2}",
        DeviceRotor(
            name="R",
            pose=Pose((1.0, 0.0, 0.0)),
            direction=(0.0, 0.0, -1.0),
            force=2.0,
            force_range=(-5.0, 5.0),
            torque=0.1,
            torque_range=(-1.0, 1.0),
            wall_effect=ProximityEffect(1.0, 0.5, 0.2),
        ),
    ),
]


@pytest.mark.parametrize(("type_name", "text", "expected"), CASES, ids=lambda case: str(case)[:40])
def test_device_is_read_with_its_keys_and_aliases(
    type_name: str, text: str, expected: Device
) -> None:
    """Each row of the format's table of devices."""
    assert bare(clean_device(type_name, text)) == expected


@pytest.mark.parametrize(
    ("type_name", "kind"),
    [
        ("SmokeDevice", EffectKind.SMOKE),
        ("FountainDevice", EffectKind.FOUNTAIN),
        ("RainDevice", EffectKind.RAIN),
        ("SnowDevice", EffectKind.SNOW),
    ],
)
def test_particles_leave_unwritten_values_to_their_kind(type_name: str, kind: EffectKind) -> None:
    """Nothing but the kind is known of an effect without keys."""
    assert bare(clean_device(type_name, "name: E")) == DeviceEffect(name="E", kind=kind)


def test_angular_velocity_is_never_converted() -> None:
    """The range of a gyro is taken as written in a file of degrees and in one of radians."""
    for factor in (None, RADIAN_FILE):
        device = clean_device(
            "RateGyroSensor", "name: G, max_angular_velocity: [180, 1, 1]", angle_factor=factor
        )
        assert isinstance(device, DeviceGyro)
        assert device.rated_range == (180.0, 1.0, 1.0)


def test_a_single_number_is_no_rated_range() -> None:
    """A public file has one; Choreonoid passes over it in silence."""
    device, messages = read_device("RateGyroSensor", "name: G, maxAngularVelocity: 1000.0")
    assert isinstance(device, DeviceGyro)
    assert device.rated_range is None
    assert messages == [
        "robot.body:1:31: warning: RateGyroSensor.maxAngularVelocity: expected a list of 3 numbers, "
        'got "1000.0"; the sensor has no rated range.'
    ]


def test_imu_of_the_manual_is_read_with_a_warning() -> None:
    """The loader of Choreonoid refuses "Imu"; here it is an IMU."""
    device, messages = read_device("Imu", "type: Imu, name: I")
    assert isinstance(device, DeviceImu)
    assert messages == [
        'robot.body:1:8: warning: Imu.type: "Imu" stands in Choreonoid\'s manual, but its loader '
        'takes "IMU" only; read as "IMU".'
    ]


def test_point_light_has_no_reach_limit() -> None:
    """Light falls off as its attenuation says, and ends nowhere."""
    device = clean_device(
        "PointLight", "name: L, on: false, color: [1, 0, 0], intensity: 2, attenuation: [1, 2, 3]"
    )
    assert isinstance(device, DeviceLight)
    assert replace(device.light, span=device.span) == LightPoint(
        position=(0.0, 0.0, 0.0),
        color=(1.0, 0.0, 0.0),
        intensity=2.0,
        attenuation=(1.0, 2.0, 3.0),
        radius=math.inf,
        is_on=False,
        span=device.span,
    )


def test_spot_light_defaults_and_angles() -> None:
    """Half angles of 90 and 45 degrees unless given; angles follow the file's unit."""
    device = clean_device("SpotLight", "name: L")
    assert isinstance(device, DeviceLight)
    assert isinstance(device.light, LightSpot)
    assert device.light.direction == (0.0, 0.0, -1.0)
    assert (device.light.beam_width, device.light.cut_off_angle) == (math.pi / 2, math.pi / 4)
    given = "direction: [2, 0, 0], beamWidth: 30, cut_off_angle: 60, cutOffExponent: 2"
    device = clean_device("SpotLight", f"name: L, {given}")
    assert isinstance(device, DeviceLight)
    assert isinstance(device.light, LightSpot)
    assert device.light.direction == (1.0, 0.0, 0.0)
    assert device.light.beam_width == pytest.approx(math.pi / 6)
    assert device.light.cut_off_angle == pytest.approx(math.pi / 3)
    assert device.light.cut_off_exponent == 2.0


def test_sensors_measure_without_being_asked() -> None:
    """There is no enabling in Choreonoid; pictures need a vision simulator, other devices nothing."""
    for type_name in ("AccelerationSensor", "RateGyroSensor", "IMU", "ForceSensor"):
        assert clean_device(type_name).samples_itself
    assert not clean_device("Conveyor").samples_itself
    assert not clean_device("Camera", "format: COLOR").samples_itself


def test_a_device_without_name_is_called_after_its_type() -> None:
    """Every device can be asked for."""
    assert clean_device("ForceSensor").name == "ForceSensor"


def test_unread_keys_stay_as_information() -> None:
    """What a controller may look for is not lost."""
    device = clean_device("ForceSensor", 'name: F, my_key: [1, {a: "b c"}]')
    assert device.info == (("my_key", '[1, {a: "b c"}]'),)


def test_a_mistyped_key_is_named_with_the_likely_one() -> None:
    """It is kept as information, and said."""
    _, messages = read_device("ForceSensor", "name: F, max_forse: [1, 1, 1]")
    assert len(messages) == 1
    assert 'Did you mean "max_force"?' in messages[0]


def test_a_scaled_frame_is_normalised_with_a_warning() -> None:
    """Place and direction stay, the scale does not."""
    place = place_from_pose(Pose((1.0, 2.0, 3.0)), (2.0, 2.0, 2.0))
    device, messages = read_device("ForceSensor", "name: F", place=place)
    assert device is not None
    assert device.pose.position == (1.0, 2.0, 3.0)
    assert quat_rotate(device.pose.rotation, (1.0, 0.0, 0.0)) == pytest.approx((1.0, 0.0, 0.0))
    assert len(messages) == 1
    assert 'warning: ForceSensor: the device "F" stands in a frame that is scaled' in messages[0]


@pytest.mark.parametrize("type_name", sorted(PLUGIN_TYPES))
def test_devices_of_plugins_are_kept_by_name(type_name: str) -> None:
    """They do nothing; the message names where they belong."""
    device, messages = read_device(type_name, f"type: {type_name}, name: P, force: 3")
    assert device is not None
    assert bare(device) == DeviceUnknown(name="P", kind=type_name, fields=(("force", "3"),))
    assert f'devices of the type "{type_name}" (' in messages[0]
    assert "plugin) do nothing here; kept by name." in messages[0]


def test_an_unknown_device_type_is_kept_with_the_likely_one() -> None:
    """A slip of the pen gets a hint."""
    device, messages = read_device("ForceSensors", "type: ForceSensors, name: F")
    assert isinstance(device, DeviceUnknown)
    assert 'no node type is named "ForceSensors", and Choreonoid opens no body' in messages[0]
    assert 'Did you mean "ForceSensor"?' in messages[0]


def test_no_type_is_both_read_and_left_to_a_plugin() -> None:
    """The two tables do not overlap."""
    assert not DEVICE_TYPES & PLUGIN_TYPES


@pytest.mark.parametrize(
    ("type_name", "text", "message"),
    [
        ("MarkerDevice", "marker_type: ball", "expected one of cross, sphere, axes, got"),
        ("MarkerDevice", "size: 0", "expected a number above 0, got 0."),
        ("MarkerDevice", "emission: 3", "expected a number from 0 to 1, got 3; 1 is used."),
        ("Holder", "max_hold_distance: -1", "expected a number not below 0, got -1."),
        ("Conveyor", "axis: [0, 0, 0]", "a direction must not be null."),
        ("DigitalIO", "num_signal_lines: -3", "expected a whole number from 0 to 4096, got -3."),
        ("DigitalIO", "out_labels: {a: b}", "expected line numbers with texts."),
        (
            "DigitalIO",
            "input_to_device_switch_connections: [3]",
            "expected pairs of [line, device name].",
        ),
        ("DigitalIO", "action: {input: {1: x}}", "expected lines with [ device, NAME, on ]."),
        ("ForceSensor", "max_force: [1, 2]", "expected a list of 3 numbers, got"),
        ("AccelerationSensor", "id: x", 'expected a number, got "x".'),
    ],
)
def test_a_wrong_value_is_named_and_the_device_stays(
    type_name: str, text: str, message: str
) -> None:
    """One message that says what is allowed; the default is used."""
    device, messages = read_device(type_name, f"name: X, {text}")
    assert device is not None
    assert len(messages) == 1
    assert message in messages[0]
