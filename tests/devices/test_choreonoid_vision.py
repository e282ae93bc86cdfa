"""Cameras and range sensors of Choreonoid: frames, orders, rates, and when data is delivered."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.imaging.cameras import Cameras

GROUND = """
format: ChoreonoidBody
format_version: 2.0
name: ground
links:
  - name: G
    joint_type: fixed
    elements:
      - { type: Shape, translation: [ 0, 0, -0.05 ], geometry: { type: Box, size: [ 40, 40, 0.1 ] } }
"""
EYES = """
format: ChoreonoidBody
format_version: 2.0
name: eyes
links:
  - name: S
    joint_type: fixed
    translation: [ 0, 0, 3 ]
    elements:
%s
"""


def _sim(folder: Path, *devices: str, step: float = 0.001) -> sb.Sim:
    (folder / "ground.body").write_text(GROUND)
    lines = "\n".join(f"      - {{ {device} }}" for device in devices)
    (folder / "eyes.body").write_text(EYES % lines)
    scene = sb.load(folder / "ground.body").add(folder / "eyes.body")
    assert scene.physics.time_step == pytest.approx(step)
    return sb.Sim(scene)


def _cameras(sim: sb.Sim, name: str) -> tuple[Cameras, int]:
    group, row = sim.devices.group_of(sim.devices.names[name])
    assert isinstance(group, Cameras)
    return group, row


def test_depth_points_go_through_the_lower_left_corners_of_pixels(tmp_path: Path) -> None:
    """8 x 4 pixels, 60 degrees over the shorter side, plane at 3 m.

    The focal length is 2/tan(30 degrees) pixels, so corners stand 3 tan(30 degrees)/2 = 0.866 m apart:
    columns from -4 to 3, rows at 1, 0, -1, -2 of that. Choreonoid's own run gave the same rows.
    """
    camera = "type: Camera, name: CAM, format: COLOR_DEPTH, width: 8, height: 4, field_of_view: 60"
    sim = _sim(tmp_path, camera + ", frame_rate: 20")
    sim.device("CAM")
    sim.step(50)
    group, row = _cameras(sim, "CAM")
    photo = group.shot(row)
    assert photo is not None and photo.points is not None
    points = photo.points
    apart = 1.5 * np.tan(np.radians(30))
    x, y = np.meshgrid(np.arange(-4, 4) * apart, np.arange(1, -3, -1) * apart)
    expected = np.stack([x, y, np.full_like(x, -3.0)], axis=-1).reshape(-1, 3)
    assert points == pytest.approx(expected, abs=1e-5)  # 32-bit numbers


def test_a_range_sensor_counts_from_the_lower_right(tmp_path: Path) -> None:
    """Straight down at 3 m: 3/(cos(yaw) cos(pitch)), symmetric; the order is seen with a wall."""
    sensor = "type: RangeSensor, name: RS, yaw_range: 90, yaw_step: 1, pitch_range: 20"
    sim = _sim(tmp_path, f"{sensor}, pitch_step: 1, max_distance: 20, scan_rate: 20")
    sim.device("RS")
    sim.step(50)
    yaw, pitch = np.radians(np.arange(-45, 46)), np.radians(np.arange(-10, 11))
    expected = 3.0 / np.outer(np.cos(pitch), np.cos(yaw))
    assert sim.device("RS").value == pytest.approx(expected, rel=1e-5)  # 32-bit rays


def test_data_arrives_one_cycle_after_it_was_taken(tmp_path: Path) -> None:
    """20 Hz: the first picture is that of t = 0 and comes at t = 0.05 s, as Choreonoid's reference says."""
    sensor = "type: RangeSensor, name: RS, yaw_range: 0, max_distance: 20, scan_rate: 20"
    sim = _sim(tmp_path, sensor)
    device = sim.device("RS")
    sim.step(49)
    assert device.value is None
    sim["eyes" if "eyes" in sim.link_names else "S"].position = (0.0, 0.0, 5.0)
    sim.step()
    assert device.value.ravel() == pytest.approx([3.0], rel=1e-6)
    sim.step(50)
    assert device.value.ravel() == pytest.approx([5.0], rel=1e-6)


def test_a_rate_that_does_not_divide_the_step_is_kept_on_average(tmp_path: Path) -> None:
    """30 Hz at 1 ms: values at 34, 67, 100, 134 ms, thirty in a second."""
    sim = _sim(tmp_path, "type: RangeSensor, name: RS, yaw_range: 0, scan_rate: 30")
    sim.device("RS")
    clock = sim.devices.clock
    row = sim.devices.names["RS"].index
    times = []
    for _ in range(1000):
        sim.step()
        if clock.last[row] == sim.step_count:
            times.append(sim.step_count)
    assert times[:4] == [34, 67, 100, 134]
    assert len(times) == 30


@pytest.mark.parametrize(
    ("kind", "shape", "points"),
    [
        ("COLOR", (12, 16, 3), None),
        ("DEPTH", (12, 16, 3), 192),
        ("COLOR_DEPTH", (12, 16, 3), 192),
        ("POINT_CLOUD", (12, 16, 3), 192),
        ("COLOR_POINT_CLOUD", (12, 16, 3), 192),
    ],
)
def test_every_format_of_a_camera_delivers(
    tmp_path: Path, kind: str, shape: tuple[int, ...], points: int | None
) -> None:
    """The ground fills the picture, so that no point is missing."""
    sim = _sim(tmp_path, f"type: Camera, name: CAM, format: {kind}, width: 16, height: 12")
    sim.device("CAM")
    sim.step(40)
    assert sim.device("CAM").value.shape == shape
    group, row = _cameras(sim, "CAM")
    photo = group.shot(row)
    assert photo is not None
    cloud = photo.points
    assert (None if cloud is None else len(cloud)) == points


@pytest.mark.parametrize(
    ("lens", "size"), [("FISHEYE", (32, 32)), ("DUAL_FISHEYE", (16, 32)), ("NORMAL", (12, 32))]
)
def test_every_lens_of_a_camera_delivers(tmp_path: Path, lens: str, size: tuple[int, int]) -> None:
    """Fisheye pictures are as high as wide, dual ones half as high; black outside their circles."""
    camera = f"type: Camera, name: CAM, format: COLOR, width: 32, height: 12, lens_type: {lens}"
    sim = _sim(tmp_path, camera + ", field_of_view: 170")
    sim.device("CAM")
    sim.step(40)
    image = sim.device("CAM").value
    assert image.shape == (*size, 3)
    if lens != "NORMAL":
        assert not image[0, 0].any()
        assert image[size[0] // 2, size[0] // 2].any()
