"""Cameras and range sensors of body files."""

from __future__ import annotations

import math

import pytest

from solidbody.base.transforms import Vec3, quat_rotate
from solidbody.model.devices import (
    DeviceCamera,
    DeviceLidar,
    ImageContent,
    Projection,
    ScanOrder,
    ScanPattern,
)
from tests.formats.choreonoid.devices import RADIAN_FILE, clean_device, read_device

FORWARD, LEFT, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def camera(text: str) -> DeviceCamera:
    """Return a camera that is read without message."""
    device = clean_device("Camera", f"name: C, {text}")
    assert isinstance(device, DeviceCamera)
    return device


def lidar(text: str, *, angle_factor: float | None = None) -> DeviceLidar:
    """Return a range sensor that is read without message."""
    device = clean_device("RangeSensor", f"name: R, {text}", angle_factor=angle_factor)
    assert isinstance(device, DeviceLidar)
    return device


def test_camera_defaults() -> None:
    """640 x 480 pixels, 45 degrees across the shorter side, 30 images per second."""
    device = camera("format: COLOR")
    assert (device.width, device.height, device.frame_rate) == (640, 480, 30.0)
    assert (device.near, device.far) == (0.04, 200.0)
    assert device.depth is None
    assert device.is_on
    # focal length in pixels from the height and from the width agree
    assert 240 / math.tan(math.pi / 8) == pytest.approx(320 / math.tan(device.field_of_view / 2))


def test_field_of_view_spans_the_shorter_side() -> None:
    """An upright picture has the angle across its width."""
    device = camera("format: COLOR, fieldOfView: 60, width: 300, height: 400")
    assert device.field_of_view == pytest.approx(math.pi / 3)


@pytest.mark.parametrize(
    ("word", "content"),
    [
        ("DEPTH", ImageContent.DEPTH),
        ("COLOR_DEPTH", ImageContent.COLOR_DEPTH),
        ("POINT_CLOUD", ImageContent.POINT_CLOUD),
        ("COLOR_POINT_CLOUD", ImageContent.COLOR_POINT_CLOUD),
    ],
)
def test_other_formats_measure_depth(word: str, content: ImageContent) -> None:
    """A range camera has a quality of depth."""
    device = camera(
        f"format: {word}, min_distance: 0.2, max_distance: 5, detection_rate: 0.9, "
        "error_deviation: 0.01"
    )
    assert device.content is content
    assert device.depth is not None
    assert (device.depth.min_range, device.depth.max_range) == (0.2, 5.0)
    assert (device.depth.detection_rate, device.depth.error_deviation) == (0.9, 0.01)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: C", "it has none."),
        ("name: C, format: COLOUR", 'got "COLOUR". Did you mean "COLOR"?'),
        ("name: C, format: [COLOR]", "got a list of 1 values."),
    ],
)
def test_a_camera_without_a_known_format_is_no_device(text: str, message: str) -> None:
    """Choreonoid creates none and says nothing; here it is said."""
    device, messages = read_device("Camera", text)
    assert device is None
    assert len(messages) == 1
    assert 'no device comes of the camera "C": a camera needs a format (COLOR, ' in messages[0]
    assert messages[0].endswith(message)


def test_camera_device_is_the_same_type() -> None:
    """Both names of the type are known."""
    assert isinstance(clean_device("CameraDevice", "name: C, format: COLOR"), DeviceCamera)


def test_fisheye_pictures_are_square_and_see_half_a_sphere_at_most() -> None:
    """The height is not read; larger angles are cut."""
    device, messages = read_device(
        "Camera", "name: C, format: COLOR, lens_type: FISHEYE, field_of_view: 200, width: 512"
    )
    assert isinstance(device, DeviceCamera)
    assert device.projection is Projection.FISHEYE
    assert (device.width, device.height, device.field_of_view) == (512, 512, math.pi)
    assert messages[0].endswith("a fisheye camera sees half a sphere at most.")


def test_dual_fisheye_is_twice_as_wide_as_high() -> None:
    """Two half spheres side by side, whatever angle is given."""
    device = camera("format: COLOR, lensType: DUAL_FISHEYE, width: 800, field_of_view: 10")
    assert (device.width, device.height, device.field_of_view) == (800, 400, math.pi)


def test_only_colour_cameras_have_lenses() -> None:
    """The lens of a range camera is not read."""
    device, messages = read_device("Camera", "name: C, format: DEPTH, lens_type: FISHEYE")
    assert isinstance(device, DeviceCamera)
    assert device.projection is Projection.PLANAR
    assert "only cameras of the format COLOR have another lens" in messages[0]


@pytest.mark.parametrize(
    ("text", "forward", "left", "up"),
    [
        ("", (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ("optical_frame: gl", (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ("optical_frame: cv", (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
        ("optical_frame: robotics", FORWARD, LEFT, UP),
        # a quarter turn about y swings the view from -z to -x
        ("optical_frame_rotation: [0, 1, 0, 90]", (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), LEFT),
    ],
)
@pytest.mark.parametrize("type_name", ["Camera", "RangeSensor"])
def test_optical_frames(type_name: str, text: str, forward: Vec3, left: Vec3, up: Vec3) -> None:
    """Where the view, its left and its top lie in the device frame."""
    device, _ = read_device(
        type_name, f"name: C, format: COLOR, yaw_step: 1{', ' * bool(text)}{text}"
    )
    assert isinstance(device, DeviceCamera | DeviceLidar)
    for own, expected in ((FORWARD, forward), (LEFT, left), (UP, up)):
        assert quat_rotate(device.optical_rotation, own) == pytest.approx(expected, abs=1e-15)


def test_range_sensor_defaults_have_three_rays() -> None:
    """120 degrees with a step of 1 rad, by a unit slip of the original."""
    device, messages = read_device("RangeSensor", "name: R")
    assert isinstance(device, DeviceLidar)
    assert device.yaw_range == pytest.approx((-math.pi / 3, math.pi / 3))
    assert (device.samples, device.layers) == (3, 1)
    assert device.pitch_range == (0.0, 0.0)
    assert (device.min_range, device.max_range, device.scan_rate) == (0.1, 10.0, 10.0)
    assert device.order is ScanOrder.BOTTOM_RIGHT_FIRST
    assert len(messages) == 1
    assert "without yaw_step or yaw_samples rays stand 1 rad (57.3 degrees) apart" in messages[0]


@pytest.mark.parametrize(
    "text",
    [
        "yaw_range: 180, yaw_step: 0.5",
        "yawRange: 180, yawStep: 0.5",
        "scanAngle: 180, scanStep: 0.5",
        "min_yaw_angle: -90, max_yaw_angle: 90, yaw_range: 10, yaw_step: 0.5",
        "yaw_range: 180, yaw_samples: 361",
    ],
)
def test_yaw_can_be_given_in_many_ways(text: str) -> None:
    """Both ends are rays: 180 degrees in steps of half a degree are 361."""
    device = lidar(text)
    assert device.yaw_range == pytest.approx((-math.pi / 2, math.pi / 2))
    assert device.samples == 361


def test_range_sensor_angles_follow_the_unit_of_the_file() -> None:
    """A file in radians has its steps in radians."""
    device = lidar("yaw_range: 3, yaw_step: 0.1", angle_factor=RADIAN_FILE)
    assert device.yaw_range == (-1.5, 1.5)
    assert device.samples == 31


def test_pitch_and_quality_of_a_range_sensor() -> None:
    """Rows, distances, rate and noise."""
    device = lidar(
        "yaw_step: 1, pitchRange: 30, pitchStep: 2, minDistance: 0.5, maxDistance: 30, "
        "scan_rate: 5, frame_rate: 7, detection_rate: 0.8, error_deviation: 0.02, on: false"
    )
    assert device.layers == 16
    assert (device.min_range, device.max_range, device.scan_rate) == (0.5, 30.0, 5.0)
    assert (device.detection_rate, device.noise, device.is_on) == (0.8, 0.02, False)
    assert lidar("yaw_step: 1, frame_rate: 7").scan_rate == 7.0


def test_an_uneven_range_stays_and_is_told() -> None:
    """The original's simulator turns it to lie evenly; we do as written."""
    text = "name: R, min_yaw_angle: 0, max_yaw_angle: 90, yaw_step: 1"
    device, messages = read_device("RangeSensor", text)
    assert isinstance(device, DeviceLidar)
    assert device.yaw_range == pytest.approx((0.0, math.pi / 2))
    assert "turns an uneven range to lie evenly about the axis" in messages[0]


def test_half_a_range_is_ignored() -> None:
    """Both ends are needed, as in the original."""
    device, messages = read_device("RangeSensor", "name: R, min_yaw_angle: -5, yaw_step: 1")
    assert isinstance(device, DeviceLidar)
    assert device.yaw_range == pytest.approx((-math.pi / 3, math.pi / 3))
    assert "min_yaw_angle and max_yaw_angle are read together only" in messages[0]


def test_livox_scans_a_pattern() -> None:
    """The plugin's lidar reads its rays from a file."""
    device, messages = read_device(
        "LivoxMid360",
        "name: L, yaw_step: 1, angle_seq_file: mid.csv, samples: 100, angular_precision: 0.1",
    )
    assert isinstance(device, DeviceLidar)
    assert device.pattern == ScanPattern("mid.csv", 100, math.radians(0.1))
    assert 'the rays of this lidar come from "mid.csv"' in messages[0]


@pytest.mark.parametrize(
    ("type_name", "text", "message"),
    [
        ("Camera", "width: 0", "expected a whole number from 1 to 16384, got 0."),
        ("Camera", "field_of_view: 180", "expected an angle between 0 and 180 degrees"),
        ("Camera", "near_clip_distance: 300", "must be above near_clip_distance (300), got 200."),
        ("Camera", "optical_frame: ros", "expected one of gl, cv, robotics, got"),
        ("Camera", "lens_type: WIDE", "expected one of NORMAL, FISHEYE, DUAL_FISHEYE, got"),
        ("RangeSensor", "yaw_step: 0", "expected a step above 0 that gives at most 1000000 rays"),
        ("RangeSensor", "yaw_step: 1e-9", "expected a step above 0 that gives at most"),
        ("RangeSensor", "yaw_samples: -2", "expected a whole number from 1 to 1000000, got -2."),
        ("RangeSensor", "yaw_range: -3, yaw_step: 1", "the yaw range must not be below 0"),
    ],
)
def test_a_wrong_value_is_named_and_the_sensor_stays(
    type_name: str, text: str, message: str
) -> None:
    """One message that says what is allowed; the default is used."""
    device, messages = read_device(type_name, f"name: X, format: COLOR, {text}")
    assert device is not None
    assert len(messages) == 1
    assert message in messages[0]
