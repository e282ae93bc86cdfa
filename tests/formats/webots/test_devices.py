"""Devices: every field reaches the model, sentinels become None or infinity."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar, cast

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import Pose
from solidbody.model.devices import (
    AxisMask,
    Battery,
    ConnectorKind,
    Device,
    DeviceAccelerometer,
    DeviceAltimeter,
    DeviceCamera,
    DeviceCharger,
    DeviceCompass,
    DeviceConnector,
    DeviceDisplay,
    DeviceDistanceSensor,
    DeviceEmitter,
    DeviceGps,
    DeviceGyro,
    DeviceInertialUnit,
    DeviceLed,
    DeviceLidar,
    DeviceLightSensor,
    DeviceMicrophone,
    DevicePen,
    DeviceRadar,
    DeviceRangeFinder,
    DeviceReceiver,
    DeviceSkin,
    DeviceSpeaker,
    DeviceTouchSensor,
    DeviceUnknown,
    DeviceVacuumGripper,
    DistanceKind,
    Focus,
    GpsKind,
    Lens,
    LensFlare,
    LookupRow,
    LookupTable,
    Medium,
    OcclusionTest,
    Projection,
    Recognition,
    RotatingHead,
    TouchKind,
    Zoom,
)
from solidbody.model.links import Motion
from solidbody.model.summary import summarize_scene
from tests.formats.reading import (
    PHYSICS,
    SPHERE,
    assert_warning,
    codes,
    link_named,
    read,
    read_clean,
)

D = TypeVar("D")


def robot(*nodes: str) -> str:
    """Return the text of a robot with these children."""
    return f"Robot {{ {SPHERE} {PHYSICS} children [ {' '.join(nodes)} ] }}"


def device(kind: type[D], node: str) -> D:
    """Return the only device of a robot without faults."""
    (found,) = read_clean(robot(node)).bodies[0].links[0].devices
    assert isinstance(found, kind)
    return found


def device_log(kind: type[D], node: str) -> tuple[D, DiagnosticLog]:
    """Return the only device of a robot, and what there was to say."""
    scene, log = read(robot(node))
    (found,) = scene.bodies[0].links[0].devices
    assert isinstance(found, kind)
    return found, log


DEFAULTS: list[tuple[str, type[Device], str]] = [
    ("Accelerometer", DeviceAccelerometer, "accelerometer"),
    ("Altimeter", DeviceAltimeter, "altimeter"),
    ("Camera", DeviceCamera, "camera"),
    ("Compass", DeviceCompass, "compass"),
    ("Connector", DeviceConnector, "connector"),
    ("Display", DeviceDisplay, "display"),
    ("DistanceSensor", DeviceDistanceSensor, "distance sensor"),
    ("Emitter", DeviceEmitter, "emitter"),
    ("GPS", DeviceGps, "gps"),
    ("Gyro", DeviceGyro, "gyro"),
    ("InertialUnit", DeviceInertialUnit, "inertial unit"),
    ("LED", DeviceLed, "led"),
    ("Lidar", DeviceLidar, "lidar"),
    ("LightSensor", DeviceLightSensor, "light sensor"),
    ("Microphone", DeviceMicrophone, "microphone"),
    ("Pen", DevicePen, "pen"),
    ("Radar", DeviceRadar, "radar"),
    ("RangeFinder", DeviceRangeFinder, "range-finder"),
    ("Receiver", DeviceReceiver, "receiver"),
    ("Skin", DeviceSkin, "skin"),
    ("Speaker", DeviceSpeaker, "speaker"),
    ("TouchSensor", DeviceTouchSensor, "touch sensor"),
    ("VacuumGripper", DeviceVacuumGripper, "vacuum gripper"),
]


UNSUPPORTED = ("Microphone", "Skin")
"""Nodes that are read, and said to do nothing."""


@pytest.mark.parametrize(("node", "kind", "name"), DEFAULTS, ids=[row[0] for row in DEFAULTS])
def test_device_with_nothing_written_has_the_defaults_of_the_model(
    node: str, kind: type[Device], name: str
) -> None:
    found, log = device_log(kind, f"{node} {{ }}")
    assert codes(log) == (["unsupported-node"] if node in UNSUPPORTED else [])
    if isinstance(found, DeviceLidar):
        assert found.yaw_range == pytest.approx((-0.7854, 0.7854))
        return
    if isinstance(found, DeviceRadar):
        assert found.transmitted_power == pytest.approx(0.1)
        assert found.min_detectable_power == pytest.approx(1e-13)
        return
    plain = cast("Callable[..., Device]", kind)
    assert found == plain(name=name, span=found.span)


def test_pose_of_a_device_is_in_its_link() -> None:
    gps = "GPS { translation 0 0 3 }"
    node = f"Pose {{ translation 1 0 0 children Solid {{ translation 0 2 0 children {gps} }} }}"
    assert device(DeviceGps, node).pose == Pose((1.0, 2.0, 3.0))


def test_device_with_its_own_link_stands_at_its_origin() -> None:
    scene = read_clean(robot(f"TouchSensor {{ translation 1 0 0 {SPHERE} {PHYSICS} }}"))
    (found,) = link_named(scene, "touch sensor").devices
    assert found.pose == Pose()


def test_device_without_robot_warns() -> None:
    _, log = read("Solid { children GPS { } }")
    assert_warning(log, "device-without-robot", "a GPS needs a Robot above it")


# motion and place

LOOKUP = "lookupTable [ -1 -2 0.1, 1 2 0 ]"
TABLE = LookupTable((LookupRow(-1.0, -2.0, 0.1), LookupRow(1.0, 2.0, 0.0)))


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        ("Accelerometer", DeviceAccelerometer),
        ("Gyro", DeviceGyro),
        ("Compass", DeviceCompass),
    ],
)
def test_sensor_of_a_vector(
    node: str, kind: type[DeviceAccelerometer | DeviceGyro | DeviceCompass]
) -> None:
    found = device(kind, f'{node} {{ name "a" {LOOKUP} yAxis FALSE resolution 0.5 }}')
    assert (found.name, found.lookup, found.resolution) == ("a", TABLE, 0.5)
    assert found.axes == AxisMask(True, False, True)


def test_lookup_table_out_of_order_is_sorted_with_a_warning() -> None:
    found, log = device_log(DeviceGyro, "Gyro { lookupTable [ 1 2 0, -1 -2 0.1, 1 5 0 ] }")
    assert_warning(log, "lookup-order", "must increase")
    assert found.lookup == TABLE


def test_inertial_unit() -> None:
    found = device(DeviceInertialUnit, "InertialUnit { noise 0.1 zAxis FALSE resolution 0.2 }")
    assert (found.noise, found.axes.z, found.resolution) == (0.1, False, 0.2)
    _, log = device_log(DeviceInertialUnit, f"InertialUnit {{ {LOOKUP} }}")
    assert_warning(log, "deprecated-field", "use noise instead")


def test_gps() -> None:
    found = device(
        DeviceGps,
        'GPS { type "laser" accuracy 1 noiseCorrelation 0.5 resolution 2 speedNoise 3 speedResolution 4 }',
    )
    assert found.kind is GpsKind.LASER
    values = (found.accuracy, found.noise_correlation, found.resolution)
    assert (*values, found.speed_noise, found.speed_resolution) == (1.0, 0.5, 2.0, 3.0, 4.0)


def test_altimeter() -> None:
    found = device(DeviceAltimeter, "Altimeter { accuracy 0.1 resolution 0.5 }")
    assert (found.accuracy, found.resolution) == (0.1, 0.5)


# distance, touch, light, radar


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("generic", DistanceKind.GENERIC),
        ("infra-red", DistanceKind.INFRARED),
        ("sonar", DistanceKind.SONAR),
        ("laser", DistanceKind.LASER),
    ],
)
def test_kinds_of_distance_sensors(word: str, kind: DistanceKind) -> None:
    assert device(DeviceDistanceSensor, f'DistanceSensor {{ type "{word}" }}').kind is kind


def test_unknown_kind_of_distance_sensor_is_a_sonar() -> None:
    found, log = device_log(DeviceDistanceSensor, 'DistanceSensor { type "magic" }')
    assert_warning(log, "unknown-type", "it acts as a sonar")
    assert found.kind is DistanceKind.SONAR


def test_distance_sensor_fields() -> None:
    found = device(
        DeviceDistanceSensor,
        f"DistanceSensor {{ {LOOKUP} numberOfRays 4 aperture 0.5 gaussianWidth 0.3 resolution 0.1 "
        "redColorSensitivity 0.2 }",
    )
    assert (found.lookup, found.ray_count, found.aperture) == (TABLE, 4, 0.5)
    assert (found.gaussian_width, found.resolution, found.red_sensitivity) == (0.3, 0.1, 0.2)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("numberOfRays 0", "must be > 0 and <= 10000, got 0; reset to 1"),
        ("aperture -1", "must be >= 0, got -1; changed to 1"),
        ("gaussianWidth 0", "must be > 0, got 0; reset to 1"),
    ],
)
def test_bad_values_of_a_distance_sensor_are_reset(field: str, message: str) -> None:
    _, log = device_log(DeviceDistanceSensor, f"DistanceSensor {{ {field} }}")
    assert_warning(log, "value-reset", message)


def test_laser_has_one_ray() -> None:
    found, log = device_log(DeviceDistanceSensor, 'DistanceSensor { type "laser" numberOfRays 3 }')
    assert_warning(log, "inconsistent-values", "a laser has one ray")
    assert found.ray_count == 1


def test_touch_sensor_knows_its_surfaces() -> None:
    bumper = f'TouchSensor {{ type "force-3d" {LOOKUP} resolution 1 {PHYSICS} {SPHERE} }}'
    scene = read_clean(robot(bumper))
    link = link_named(scene, "touch sensor")
    (found,) = link.devices
    assert isinstance(found, DeviceTouchSensor)
    assert (found.kind, found.lookup, found.resolution) == (TouchKind.FORCE_3D, TABLE, 1.0)
    assert found.shapes == (0,)


def test_touch_sensor_without_physics_feels_with_surfaces_that_push_nothing() -> None:
    scene = read_clean(robot(f"TouchSensor {{ translation 0 0 1 {SPHERE} }}"))
    (link,) = scene.bodies[0].links
    (found,) = link.devices
    assert isinstance(found, DeviceTouchSensor)
    assert (found.shapes, [shape.pose.position for shape in found.feelers]) == ((), [(0, 0, 1)])
    assert len(link.shapes) == 1  # that of the robot


def test_vacuum_gripper_without_physics_keeps_its_surfaces() -> None:
    scene = read_clean(robot(f"VacuumGripper {{ {SPHERE} }}"))
    (found,) = scene.bodies[0].links[0].devices
    assert isinstance(found, DeviceVacuumGripper)
    assert (found.shapes, len(found.feelers)) == ((), 1)


def test_touch_sensor_without_physics_on_a_kinematic_robot_is_a_link_of_its_own() -> None:
    scene = read_clean(f"Robot {{ children [ TouchSensor {{ {SPHERE} }} ] }}")
    link = link_named(scene, "touch sensor")
    (found,) = link.devices
    assert isinstance(found, DeviceTouchSensor)
    assert (found.shapes, found.feelers) == ((0,), ())


def test_unknown_kind_of_touch_sensor_is_a_bumper() -> None:
    found, log = device_log(DeviceTouchSensor, 'TouchSensor { type "soft" }')
    assert_warning(log, "value-reset", 'reset to "bumper"')
    assert found.kind is TouchKind.BUMPER


def test_light_sensor() -> None:
    found = device(
        DeviceLightSensor,
        f"LightSensor {{ {LOOKUP} colorFilter 1 0 0.5 occlusion TRUE resolution 3 }}",
    )
    assert (found.lookup, found.color_filter) == (TABLE, (1.0, 0.0, 0.5))
    assert (found.sees_occlusion, found.resolution) == (True, 3.0)


def test_radar_in_watts_and_hertz() -> None:
    found = device(
        DeviceRadar,
        "Radar { minRange 2 maxRange 3 horizontalFieldOfView 0.1 verticalFieldOfView 0.2 "
        "minAbsoluteRadialSpeed 1 minRadialSpeed -4 maxRadialSpeed 5 cellDistance 6 cellSpeed 7 "
        "rangeNoise 8 speedNoise 9 angularNoise 10 antennaGain 30 frequency 77 transmittedPower 40 "
        "minDetectableSignal -90 occlusion TRUE }",
    )
    assert (found.min_range, found.max_range, found.radial_speed_range) == (2.0, 3.0, (-4.0, 5.0))
    assert (found.horizontal_field_of_view, found.vertical_field_of_view) == (0.1, 0.2)
    assert (found.cell_distance, found.cell_speed, found.min_absolute_radial_speed) == (6, 7, 1)
    assert (found.range_noise, found.speed_noise, found.angular_noise) == (8, 9, 10)
    assert found.antenna_gain == pytest.approx(1000.0)
    assert found.frequency == pytest.approx(77e9)
    assert found.transmitted_power == pytest.approx(10.0)
    assert found.min_detectable_power == pytest.approx(1e-12)
    assert found.sees_occlusion


# images


def test_camera_with_everything() -> None:
    found = device(
        DeviceCamera,
        "Camera { fieldOfView 1 width 8 height 6 near 0.1 far 9 exposure 2 antiAliasing TRUE "
        'ambientOcclusionRadius 3 bloomThreshold 4 motionBlur 500 noise 0.1 noiseMaskUrl "a.png" '
        "lens Lens { center 0.4 0.6 radialCoefficients 1 2 tangentialCoefficients 3 4 } "
        "focus Focus { focalDistance 1 focalLength 2 maxFocalDistance 4 minFocalDistance 3 } "
        "zoom Zoom { maxFieldOfView 2 minFieldOfView 1 } "
        "lensFlare LensFlare { transparency 0.1 scale 1 bias -1 dispersal 0.2 samples 5 "
        "haloWidth 0.3 chromaDistortion 4 blurIterations 6 } "
        "recognition Recognition { maxRange 5 maxObjects 6 occlusion 2 frameColor 0 1 0 "
        "frameThickness 3 segmentation TRUE } }",
    )
    assert (found.field_of_view, found.width, found.height) == (1.0, 8, 6)
    assert (found.near, found.far, found.exposure, found.anti_aliasing) == (0.1, 9.0, 2.0, True)
    assert (found.ambient_occlusion_radius, found.bloom_threshold) == (3.0, 4.0)
    assert (found.motion_blur, found.noise, found.noise_mask) == (0.5, 0.1, "a.png")
    assert found.lens == Lens((0.4, 0.6), (1.0, 2.0), (3.0, 4.0))
    assert found.focus == Focus(1.0, 2.0, 3.0, 4.0)
    assert found.zoom == Zoom(1.0, 2.0)
    assert found.lens_flare == LensFlare(0.1, 1.0, -1.0, 0.2, 5, 0.3, 4.0, 6)
    assert found.recognition == Recognition(
        5.0, 6, OcclusionTest.MANY, (0.0, 1.0, 0.0), 3, segmentation=True
    )


def test_camera_sentinels() -> None:
    found = device(DeviceCamera, "Camera { recognition Recognition { occlusion FALSE } }")
    assert (found.far, found.bloom_threshold) == (math.inf, None)
    assert found.recognition is not None
    assert (found.recognition.max_objects, found.recognition.occlusion) == (
        None,
        OcclusionTest.NONE,
    )


def test_spherical_true_is_the_cylindrical_projection() -> None:
    found, log = device_log(DeviceCamera, "Camera { spherical TRUE }")
    assert_warning(log, "deprecated-field", 'use projection "cylindrical" instead')
    assert found.projection is Projection.CYLINDRICAL


def test_planar_camera_sees_less_than_half_around() -> None:
    found, log = device_log(DeviceCamera, "Camera { fieldOfView 4 }")
    assert_warning(log, "inconsistent-values", "must be below pi for a planar projection")
    assert found.field_of_view == 0.785398
    assert (
        device(DeviceCamera, 'Camera { fieldOfView 4 projection "cylindrical" }').field_of_view == 4
    )


def test_range_finder() -> None:
    found = device(
        DeviceRangeFinder,
        'RangeFinder { projection "spherical" near 0.1 minRange 0.2 maxRange 3 motionBlur 100 '
        "noise 0.5 resolution 0.01 lens Lens { } }",
    )
    assert (found.projection, found.near) == (Projection.SPHERICAL, 0.1)
    assert (found.min_range, found.max_range, found.motion_blur) == (0.2, 3.0, 0.1)
    assert (found.noise, found.resolution, found.lens) == (0.5, 0.01, Lens())


def test_range_finder_ranges_agree() -> None:
    found, log = device_log(DeviceRangeFinder, "RangeFinder { near 2 minRange 1 maxRange 1.5 }")
    assert codes(log) == ["inconsistent-values", "inconsistent-values"]
    assert "minRange 1 is below near 2; reset to near" in log.items[0].text
    assert "maxRange 1.5 is not above minRange; reset to 3" in log.items[1].text
    assert (found.min_range, found.max_range) == (2.0, 3.0)


def test_fixed_lidar() -> None:
    found = device(
        DeviceLidar,
        "Lidar { tiltAngle 0.1 horizontalResolution 100 fieldOfView 2 verticalFieldOfView 0.4 "
        'numberOfLayers 3 near 0.1 minRange 0.2 maxRange 5 projection "planar" noise 0.01 '
        "resolution 0.02 }",
    )
    assert (found.tilt, found.samples, found.layers) == (0.1, 100, 3)
    assert (found.yaw_range, found.pitch_range) == ((-1.0, 1.0), (-0.2, 0.2))
    assert (found.near, found.min_range, found.max_range) == (0.1, 0.2, 5.0)
    assert (found.projection, found.resolution) == (Projection.PLANAR, 0.02)
    assert found.noise == pytest.approx(0.05)
    assert found.head is None


def test_rotating_lidar_scans_a_full_turn_and_names_its_head() -> None:
    scene = read_clean(
        robot(
            'Lidar { type "rotating" defaultFrequency 20 minFrequency 2 maxFrequency 30 '
            'rotatingHead Solid { name "head" children Shape { geometry Box { } } } }'
        )
    )
    (found,) = scene.bodies[0].links[0].devices
    assert isinstance(found, DeviceLidar)
    assert found.head == RotatingHead(20.0, 2.0, 30.0, "robot:lidar:head")
    assert found.yaw_range == pytest.approx((-math.pi, math.pi))
    assert link_named(scene, "head").motion is Motion.KINEMATIC


def test_too_many_layers_of_a_lidar_warn() -> None:
    _, log = device_log(DeviceLidar, "Lidar { numberOfLayers 1000 }")
    assert_warning(log, "too-many-layers", "1000 layers are more than")


# messages, grips, lamps


def test_emitter() -> None:
    found = device(
        DeviceEmitter,
        'Emitter { type "infra-red" range 2 maxRange 3 aperture 0.5 channel 4 baudRate 9600 byteSize 10 '
        "bufferSize 100 allowedChannels [ 1 4 ] }",
    )
    assert (found.medium, found.range, found.max_range) == (Medium.INFRARED, 2.0, 3.0)
    assert (found.aperture, found.channel, found.baud_rate) == (0.5, 4, 9600)
    assert (found.byte_size, found.buffer_size, found.allowed_channels) == (10, 100, (1, 4))


def test_emitter_to_all_channels() -> None:
    assert device(DeviceEmitter, "Emitter { channel -1 }").channel is None


def test_range_of_an_emitter_is_within_its_greatest() -> None:
    found, log = device_log(DeviceEmitter, "Emitter { range 5 maxRange 3 }")
    assert_warning(log, "inconsistent-values", "range 5 is above maxRange 3; reset to maxRange")
    assert found.range == 3.0


def test_receiver() -> None:
    found = device(
        DeviceReceiver,
        'Receiver { type "serial" channel -1 signalStrengthNoise 0.1 directionNoise 0.2 bufferSize 5 }',
    )
    assert (found.medium, found.channel, found.buffer_size) == (Medium.SERIAL, None, 5)
    assert (found.signal_strength_noise, found.direction_noise) == (0.1, 0.2)


def test_connector() -> None:
    found = device(
        DeviceConnector,
        'Connector { model "dock" type "active" isLocked TRUE autoLock TRUE unilateralLock FALSE '
        "unilateralUnlock FALSE distanceTolerance 0.1 axisTolerance 0.3 rotationTolerance 0.4 "
        "numberOfRotations 0 snap FALSE tensileStrength 5 shearStrength 6 }",
    )
    assert (found.kind, found.model) == (ConnectorKind.ACTIVE, "dock")
    assert (found.is_locked, found.auto_lock) == (True, True)
    assert (found.unilateral_lock, found.unilateral_unlock, found.snap) == (False, False, False)
    tolerances = (found.distance_tolerance, found.axis_tolerance, found.rotation_tolerance)
    assert tolerances == (0.1, 0.3, 0.4)
    assert found.docking_angles is None
    assert (found.tensile_strength, found.shear_strength) == (5.0, 6.0)


def test_vacuum_gripper_knows_its_surfaces() -> None:
    text = f"VacuumGripper {{ isOn TRUE shearStrength 3 contactPoints 2 {PHYSICS} {SPHERE} }}"
    found = device(DeviceVacuumGripper, text)
    assert (found.is_on, found.contact_points) == (True, 2)
    assert (found.tensile_strength, found.shear_strength) == (math.inf, 3.0)
    assert found.shapes == (1,)  # after the robot's own


def test_led_lights_its_first_child() -> None:
    led = (
        "LED { color [ 1 0 0, 0 1 0 ] gradual TRUE children [ Group { children [ "
        "Shape { geometry Box { } } Pose { children [ Shape { geometry Sphere { } } PointLight { } ] } ] } "
        "Shape { geometry Cone { } } ] }"
    )
    scene = read_clean("PointLight { }" + robot("Shape { geometry Box { } }", led))
    link = link_named(scene, "robot")
    (found,) = link.devices
    assert isinstance(found, DeviceLed)
    assert (found.colors, found.gradual) == (((1, 0, 0), (0, 1, 0)), True)
    assert found.shapes == (2, 3)
    assert found.lights == (1,)


def test_leds_that_share_a_shape_light_their_own() -> None:
    first = 'LED { name "a" children DEF S Shape { geometry Box { } } }'
    second = 'LED { name "b" children USE S }'
    a, b = read_clean(robot(first, second)).bodies[0].links[0].devices
    assert isinstance(a, DeviceLed) and isinstance(b, DeviceLed)
    assert (a.shapes, b.shapes) == ((1,), (2,))


def test_display_shows_on_its_first_shape() -> None:
    found = device(
        DeviceDisplay,
        "Display { width 10 height 20 children Pose { children Shape { geometry Plane { } } } }",
    )
    assert (found.width, found.height, found.shape) == (10, 20, 1)


def test_pen() -> None:
    found = device(
        DevicePen,
        "Pen { inkColor 1 0 0 inkDensity 0.25 leadSize 0.1 maxDistance 2 write FALSE }",
    )
    assert (found.ink_color, found.ink_density, found.lead_size) == ((1, 0, 0), 0.25, 0.1)
    assert (found.max_distance, found.is_writing) == (2.0, False)


def test_microphone_speaker_and_radio() -> None:
    microphone, log = device_log(DeviceMicrophone, "Microphone { aperture 1 }")
    assert microphone.aperture == 1.0
    assert [item.text for item in log] == ["microphones are not supported: they hear nothing."]
    assert device(DeviceSpeaker, 'Speaker { name "s" }').name == "s"
    found, log = device_log(DeviceUnknown, "Radio { }")
    assert codes(log) == ["unsupported-node"]
    assert found.kind == "Radio"


def test_skin_with_bones() -> None:
    scene, log = read(
        robot(
            'Skin { name "s" translation 0 0 1 scale 2 2 2 modelUrl "a.fbx" castShadows FALSE '
            'appearance [ PBRAppearance { } ] bones [ SolidReference { solidName "arm" } ] }',
            f'HingeJoint {{ endPoint Solid {{ name "arm" {SPHERE} {PHYSICS} }} }}',
        )
    )
    assert [item.text for item in log] == [
        "skins are not supported: neither drawn nor moved; the solids that drive them are simulated."
    ]
    (found,) = scene.bodies[0].links[0].devices
    assert isinstance(found, DeviceSkin)
    assert (found.uri, found.scale, found.bones) == ("a.fbx", (2, 2, 2), ("robot:arm",))
    assert (found.pose, found.casts_shadows) == (Pose((0.0, 0.0, 1.0)), False)
    assert len(found.appearances) == 1


def test_skin_with_an_unknown_bone() -> None:
    _, log = read(robot('Skin { bones [ SolidReference { solidName "leg" } ] }'))
    assert codes(log) == ["unsupported-node", "unknown-solid"]
    assert 'no solid is named "leg"; the bone is left out' in list(log)[1].text


def test_charger_at_the_top_of_a_world() -> None:
    scene = read_clean("Charger { battery [ 1 2 3 ] radius 0.5 emissiveColor 1 0 0 gradual FALSE }")
    (found,) = scene.bodies[0].links[0].devices
    assert isinstance(found, DeviceCharger)
    assert (found.battery, found.radius) == (Battery(1.0, 2.0, 3.0), 0.5)
    assert (found.emissive, found.gradual) == ((1.0, 0.0, 0.0), False)


def test_devices_are_in_the_summary_with_all_fields() -> None:
    scene = read_clean(robot("GPS { accuracy 0.5 }", "Camera { lens Lens { } }"))
    text = str(summarize_scene(scene))
    assert "'accuracy': 0.5" in text and "'lens'" in text


# names


def test_devices_of_one_robot_with_the_same_name_warn() -> None:
    _, log = read(robot('GPS { name "a" }', 'Solid { children Gyro { name "a" } }'))
    found = assert_warning(
        log, "duplicate-device", 'another device of the robot "robot" is also named "a"'
    )
    assert found.field == "name"


def test_motors_and_sensors_share_the_names_of_a_robot() -> None:
    end = f'Solid {{ name "e" {SPHERE} {PHYSICS} }}'
    joint = f'HingeJoint {{ device [ RotationalMotor {{ name "a" }} ] endPoint {end} }}'
    _, log = read(robot(joint, 'GPS { name "a" }'))
    assert codes(log) == ["duplicate-device"]


def test_nested_robots_have_names_of_their_own() -> None:
    inner = 'HingeJoint { endPoint Robot { name "inner" children GPS { name "a" } } }'
    read_clean(robot('GPS { name "a" }', inner))
