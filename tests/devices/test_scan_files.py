"""Lidars that read their rays from a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.imaging.range_images import Lidars
from solidbody.devices.imaging.scan_files import ScanSequence, read_angles

BODY = """
format: ChoreonoidBody
format_version: 2.0
name: eyes
links:
  - name: S
    joint_type: fixed
    elements:
      - { type: Shape, geometry: { type: Sphere, radius: 0.01 } }
      - { type: Shape, translation: [ 0, 0, -2.05 ], geometry: { type: Box, size: [ 40, 40, 0.1 ] } }
      - { type: LivoxMid360, name: L, scan_rate: 100, min_distance: 0.1, max_distance: 50,
          optical_frame: robotics, angle_seq_file: "rays.csv", samples: 3, yaw_range: 20, yaw_step: 5 }
"""
# azimuth and zenith of four rays, the lidar 2 m above a floor
RAYS = "Time/s,Azimuth/deg,Zenith/deg\n0,0,180\n1e-5,0,135\n2e-5,90,120\n3e-5,10,45\n"


def _sim(folder: Path, rays: str | None) -> sb.Sim:
    (folder / "eyes.body").write_text(BODY)
    if rays is not None:
        (folder / "rays.csv").write_text(rays)
    return sb.Sim(sb.load(folder / "eyes.body"))


def _points(sim: sb.Sim) -> np.ndarray:
    group, row = sim.devices.group_of(sim.devices.names["L"])
    assert isinstance(group, Lidars)
    return group.points(row)[:, :3]


def test_each_scan_takes_the_next_rays_of_the_file(tmp_path: Path) -> None:
    """2 m straight down, 2 sqrt(2) at 45 degrees, 4 at 30 below the horizon; nothing above it."""
    sim = _sim(tmp_path, RAYS)
    lidar = sim.device("L")
    sim.step(10)
    first = lidar.value
    assert first == pytest.approx(np.array([[2.0, 2.0 * np.sqrt(2.0), 4.0]]), rel=1e-5)
    sim.step(10)
    assert lidar.value[0, :3] == pytest.approx([np.inf, 2.0, 2.0 * np.sqrt(2.0)], rel=1e-5)
    # what is delivered was taken a cycle ago; the points belong to it
    found = _points(sim)
    assert np.isinf(found[0]).all()
    assert found[1:, 2] == pytest.approx([-2.0, -2.0], rel=1e-5)
    sim.reset()
    sim.step(10)
    assert lidar.value.tolist() == first.tolist()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such file"),
        (
            "Time/s,Azimuth/deg\n0,1\n",
            "its lines have 2 numbers, not three: time, azimuth and zenith",
        ),
        ("Time/s,Azimuth/deg,Zenith/deg\n0,1,x\n", "it is no table of numbers"),
        ("Time/s,Azimuth/deg,Zenith/deg\n0,1,nan\n", "some of its angles are no numbers"),
        ("Time/s,Azimuth/deg,Zenith/deg\n", "it has no rays"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_and_a_grid_scanned(
    tmp_path: Path, text: str | None, said: str
) -> None:
    """20 degrees in steps of 5: five rays."""
    sim = _sim(tmp_path, text)
    lidar = sim.device("L")
    sim.step(10)
    assert lidar.value.shape == (1, 5)
    (message,) = [item.text for item in sim.device_messages]
    assert message.startswith(f'cannot read the rays of "rays.csv": {said}')
    assert message.endswith("a grid is scanned instead.")


def test_azimuth_turns_to_the_right(tmp_path: Path) -> None:
    """90 degrees of it, level, is -y: the yaw that Choreonoid makes of it is a full turn minus azimuth."""
    (tmp_path / "a.csv").write_text("whatever is written here\n0,90,90\n1,0,90\n")
    rays = ScanSequence(read_angles(tmp_path / "a.csv"), 2)
    expected = [[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]]
    assert rays.directions(rays.advance()) == pytest.approx(np.array(expected), abs=1e-12)
