"""Belts in pictures: elements stand where the path says, and run with the track."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.devices.imaging.cameras import Cameras
from tests.devices.worlds import sim_of

TRACK = """
DirectionalLight { direction 0 0 -1 }
Robot {
  name "tank"
  children [
    DEF TRACK Track {
      name "belt"
      children [
        TrackWheel { position -0.3 0 radius 0.1 }
        TrackWheel { position 0.3 0 radius 0.1 }
      ]
      recognitionColors [ 1 0 0 ]
      boundingObject Box { size 0.01 0.01 0.01 }
      physics Physics { density -1 mass 1 }
      device LinearMotor { name "motor" maxVelocity 10 }
      animatedGeometry Pose {
        translation 0 0 0.01
        children [ Shape {
          appearance PBRAppearance { baseColor 0 1 0 }
          geometry Box { size 0.1 0.2 0.02 }
        } ]
      }
      geometriesCount 1
    }
  ]
  boundingObject Box { size 0.01 0.01 0.01 }
  physics Physics { density -1 mass 1 }
}
Robot {
  name "eye"
  translation 0 0 1.1
  rotation 0 1 0 1.5707963267948966
  children [ %s ]
}
"""
RANGE = 'RangeFinder { name "eye" width 121 height 121 fieldOfView 0.8 maxRange 5 }'
CAMERA = """Camera { name "eye" width 61 height 61 fieldOfView 0.8
  recognition Recognition { segmentation TRUE } }"""
ROUNDING = 1e-5
"""[m] Distances of a metre in 32 bits."""


def _sim(device: str) -> sb.Sim:
    sim = sim_of(TRACK % device, world="gravity 0")
    sim.device("eye").enable()
    sim.step()
    return sim


def test_pad_over_the_top_is_seen_at_its_height() -> None:
    """It starts above the first wheel: its upper side 0.12 m above the axles, 0.98 m below the eye."""
    depth = _sim(RANGE).device("eye").value
    rows, columns = np.nonzero(np.isfinite(depth))
    # below it are its side that looks at the eye, 0.02 m deep, and the tiny boxes of the links
    is_pad = depth[rows, columns] < 0.985
    assert depth[rows, columns][is_pad] == pytest.approx(0.98, abs=ROUNDING)
    pixel = 2 * 0.98 * np.tan(0.4) / 121
    assert (rows[is_pad].mean() - 60) * pixel == pytest.approx(0.3, abs=pixel)
    assert (columns[is_pad].mean() - 60) * pixel == pytest.approx(0.0, abs=pixel)
    assert is_pad.sum() * pixel**2 == pytest.approx(0.1 * 0.2, rel=0.1)  # edges fall between pixels


def test_pad_runs_with_the_track() -> None:
    """0.3 m on it is in the middle of the upper run; half a round on it is below, where nothing is above."""
    sim = _sim(RANGE)
    motor, eye = sim.joint("belt"), sim.device("eye")
    motor.target_velocity = 1.0
    while motor.position < 0.3 - 1e-9:
        sim.step()
    depth = eye.value
    assert depth[60, 60] == pytest.approx(0.98, abs=ROUNDING)
    while motor.position < 0.3 + 0.6 + np.pi * 0.1 - 1e-9:
        sim.step()
    seen = eye.value[60, 50]  # beside the boxes of the links
    # on its way back it hangs with its outside down: its inner side is at z = -0.1
    assert seen == pytest.approx(1.2, abs=ROUNDING)


def test_pads_have_the_recognition_colour_of_their_track() -> None:
    """Red in the segmentation, green in the picture."""
    sim = _sim(CAMERA)
    group, row = sim.devices.group_of(sim.devices.names["eye"])
    assert isinstance(group, Cameras)
    segments = group.segmentation(row)
    assert segments is not None
    is_pad = segments[..., 0] == 255
    picture = sim.device("eye").value
    assert 0.02 < is_pad.mean() < 0.1
    assert np.median(picture[is_pad][:, 1]) > np.median(picture[is_pad][:, 0])


def test_track_with_elements_leaves_no_message() -> None:
    """Nothing is left out any more."""
    sim = _sim(RANGE)
    assert [str(item) for item in sim.compiled.diagnostics] == []


def test_texture_of_the_belt_runs_along(tmp_path: Path) -> None:
    """A picture, half black and half white, 2 widths per metre: after 0.25 m they have changed places."""
    half = np.zeros((8, 8, 3), dtype=np.uint8)
    half[:, :4] = 255
    Image.fromarray(half).save(tmp_path / "half.png")
    world = tmp_path / "belt.wbt"
    shape = """Shape {
      appearance Appearance { material Material { emissiveColor 1 1 1 }
        texture ImageTexture { url "half.png" } textureTransform TextureTransform { }
      }
      geometry Plane { size 1 1 }
    }"""
    nodes = TRACK.replace("children [\n        TrackWheel", f"children [ {shape} TrackWheel", 1)
    nodes = nodes.replace("geometriesCount 1", "geometriesCount 0 textureAnimation 2 0")
    world.write_text(
        "#VRML_SIM R2025a utf8\nWorldInfo { basicTimeStep 10 gravity 0 }\n" + nodes % CAMERA
    )
    sim = sb.Sim(sb.load(world))
    motor, eye = sim.joint("belt"), sim.device("eye")
    eye.enable()
    sim.step()
    # the eye looks down: the picture's upper half is ahead (u > 0.5)
    before = eye.value[:, 50, 0]
    assert before[10] < 10 and before[50] > 200
    motor.target_velocity = 1.0
    while motor.position < 0.25 - 1e-9:
        sim.step()
    after = eye.value[:, 50, 0]
    assert after[10] > 200 and after[50] < 10
