"""Range sensors and a depth camera against Choreonoid's own vision simulator.

The bodies are those of the reference run: a floor and two boxes, sensors 3 m above that look down. Choreonoid
draws the scene with OpenGL and reads the depth buffer; it differs from rays where a pixel shows an edge:

- its depth camera takes the depth of the first of four samples in each pixel, at 3/8 of its width and 1/8 of
  its height from the lower left, but reports it along the ray through the lower left corner;
- its range sensor takes the nearest pixel of a picture, which is up to half a step away.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.devices.imaging.cameras import Cameras
from solidbody.devices.imaging.lazy_rendering import ImageGroup

REFERENCE = Path(__file__).with_name("choreonoid_vision.txt")
SCENE = """
format: ChoreonoidBody
format_version: 2.0
name: scene
links:
  - name: G
    joint_type: fixed
    elements:
      - { type: Shape, translation: [ 0, 0, -0.05 ], geometry: { type: Box, size: [ 40, 40, 0.1 ] } }
      - { type: Shape, translation: [ 2.75, 0, 0.5 ], geometry: { type: Box, size: [ 2.5, 4, 1.0 ] } }
      - { type: Shape, translation: [ 0, 0.65, 0.25 ], geometry: { type: Box, size: [ 1, 0.7, 0.5 ] } }
"""
SENSORS = """
format: ChoreonoidBody
format_version: 2.0
name: sens
links:
  - name: S
    joint_type: fixed
    translation: [ 0, 0, 3 ]
    elements:
      - { type: RangeSensor, name: RS, yaw_range: 90, yaw_step: 1, pitch_range: 20, pitch_step: 1,
          min_distance: 0.05, max_distance: 20, scan_rate: 20 }
      - { type: RangeSensor, name: RA, min_yaw_angle: 0, max_yaw_angle: 90, yaw_step: 1,
          min_distance: 0.05, max_distance: 20, scan_rate: 20 }
      - { type: Camera, name: CAM, format: COLOR_DEPTH, width: 8, height: 4, field_of_view: 60,
          frame_rate: 20 }
"""
PROJECT = """
items:
  class: RootItem
  plugin: Base
  name: "Root"
  children:
    - class: WorldItem
      plugin: Body
      name: "World"
      children:
        - { class: BodyItem, plugin: Body, name: "scene", data: { file: "scene.body" } }
        - class: BodyItem
          plugin: Body
          name: "sens"
          data: { file: "sens.body", initial_root_translation: [ 0, 0, 3 ] }
        - class: AISTSimulatorItem
          plugin: Body
          name: "AIST"
          data: { time_step: 0.001 }
          children:
            - { class: GLVisionSimulatorItem, plugin: GLVisionSimulator, name: "GL", data: { enabled: true } }
"""
PRINTED = 1e-4
"""[m] Four digits, half of the last one, and 32-bit numbers on both sides."""


def _reference(name: str) -> np.ndarray:
    lines = [line.split() for line in REFERENCE.read_text().splitlines()]
    return np.array([words[1:] for words in lines if words[0] == name], dtype=np.float64)


@pytest.fixture(name="sim", scope="module")
def _sim(tmp_path_factory: pytest.TempPathFactory) -> sb.Sim:
    folder = tmp_path_factory.mktemp("vision")
    for name, text in (("scene.body", SCENE), ("sens.body", SENSORS), ("all.cnoid", PROJECT)):
        (folder / name).write_text(text)
    sim = sb.Sim(sb.load(folder / "all.cnoid"))
    for name in ("RS", "RA", "CAM"):
        sim.device(name)
    sim.step(50)
    return sim


def _cast(sim: sb.Sim, name: str, directions: np.ndarray) -> np.ndarray:
    """Distances in any directions of the optical frame of a device."""
    group, row = sim.devices.group_of(sim.devices.names[name])
    assert isinstance(group, ImageGroup)
    rays, (position, axes) = sim.devices.world.rays, group.place(row)
    found, _ = rays.scan(rays.bundle(directions), position, axes, near=0.04, far=20.0)
    return found.reshape(directions.shape[:-1])


def _pixels(right: float, up: float) -> np.ndarray:
    """Directions through a place in each pixel of CAM, counted from its lower left corner."""
    focal = 2.0 / np.tan(np.radians(30.0))
    x, y = np.meshgrid((np.arange(8) - 4 + right) / focal, (1 - np.arange(4) + up) / focal)
    out = np.stack([np.ones_like(x), -x, y], axis=-1)
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


@pytest.mark.slow
def test_depth_points_are_those_of_choreonoid_but_for_edges(sim: sb.Sim) -> None:
    """27 of 32 points agree; in the others an edge runs between the corner and the first sample."""
    group, row = sim.devices.group_of(sim.devices.names["CAM"])
    assert isinstance(group, Cameras)
    photo, expected = group.shot(row), _reference("CAM")
    assert photo is not None and photo.points is not None
    points = photo.points
    differs = np.abs(points - expected).max(axis=1) > PRINTED
    assert differs.sum() == 5
    corner, sample = _pixels(0.0, 0.0), _pixels(0.375, 0.125)
    depth = (_cast(sim, "CAM", sample) * sample[..., 0]).ravel()
    assert depth == pytest.approx(-expected[:, 2], abs=PRINTED)
    along = corner.reshape(-1, 3) / corner.reshape(-1, 3)[:, :1] * depth[:, None]
    # optical axes x forward, y left, z up; the reference has x right, y up, z to the back
    assert np.stack([-along[:, 1], along[:, 2]], axis=1) == pytest.approx(
        expected[:, :2], abs=2 * PRINTED
    )


def _around(sim: sb.Sim, yaw: np.ndarray, pitch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest distance within half a step of each ray."""
    found: list[np.ndarray] = []
    for turn in np.radians(np.linspace(-0.5, 0.5, 5)):
        for tilt in np.radians(np.linspace(-0.5, 0.5, 5)):
            y, p = np.meshgrid(yaw + turn, pitch + tilt)
            d = np.stack([np.cos(p) * np.cos(y), np.cos(p) * np.sin(y), np.sin(p)], axis=-1)
            found.append(_cast(sim, "RS", d))
    return np.min(found, axis=0), np.max(found, axis=0)


def test_distances_are_those_of_choreonoid_to_half_a_step(sim: sb.Sim) -> None:
    """Seven of eight agree to the printed digits (floor and tops of boxes); 99 % to half a step."""
    found, expected = sim.device("RS").value, _reference("RS")
    assert found.shape == expected.shape == (21, 91)
    assert (np.abs(found - expected) <= 1e-3).mean() > 0.875
    yaw, pitch = np.radians(np.arange(-45, 46)), np.radians(np.arange(-10, 11))
    low, high = _around(sim, yaw, pitch)
    inside = (expected >= low - PRINTED) & (expected <= high + PRINTED)
    assert inside.mean() > 0.99
    # the rest sees the upper edge of a box, along which one row of its picture runs
    assert set(np.argwhere(~inside)[:, 0]) <= {16}


def test_an_uneven_range_of_a_project_is_turned_to_the_middle(sim: sb.Sim) -> None:
    """0 to 90 degrees reads as -45 to 45, as the middle row of the other sensor does."""
    found, expected = sim.device("RA").value.ravel(), _reference("RA").ravel()
    assert found == pytest.approx(sim.device("RS").value[10], rel=1e-5)
    assert (np.abs(found - expected) <= 1e-3).mean() > 0.88
    # where the side of a box is seen, half a degree is up to 30 mm
    assert np.abs(found - expected).max() < 0.03
