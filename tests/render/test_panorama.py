"""Skies in one picture all around: Radiance files as six sides of a cube."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import solidbody as sb
from solidbody.base.pictures import PictureError
from solidbody.render.panorama import decoded, load_sides
from solidbody.viewer.scene_encoding import encode_scene
from tests.render.seeing import shown

WIDTH, HEIGHT = 64, 32
HEAD = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n"

# light of the middle of each side
LIGHT = {
    "right": (0.25, 0.0, 0.0),
    "left": (0.0, 0.25, 0.0),
    "top": (0.5, 0.5, 0.5),
    "bottom": (0.0, 0.0, 0.0),
    "front": (0.0, 0.0, 0.25),
    "back": (0.25, 0.25, 0.0),
}


def pixels() -> np.ndarray:
    """Return mantissas and exponents: quarters of the way around, and the caps."""
    out = np.zeros((HEIGHT, WIDTH, 4), dtype=np.uint8)
    # the middle column lies to the right, a quarter further to the back, before it to the front
    for start, name in ((24, "right"), (40, "back"), (8, "front"), (56, "left"), (-8, "left")):
        columns = slice(max(start, 0), min(start + 16, WIDTH))
        out[:, columns, :3] = np.array(LIGHT[name]) * 256
    out[..., 3] = 128  # mantissa / 256
    out[:6, :, :3], out[-6:] = 128, 0
    return out


def flat(values: np.ndarray) -> bytes:
    return HEAD % values.shape[:2] + values.tobytes()


def packed(values: np.ndarray) -> bytes:
    """Return runs of each channel: repeated bytes, and one run of plain ones at the end of a row."""
    out = HEAD % values.shape[:2]
    for row in values:
        out += bytes((2, 2, 0, values.shape[1]))
        for channel in row.T:
            half = len(channel) // 2
            for value in channel[:half]:
                out += bytes((129, value))
            out += bytes((half,)) + channel[half:].tobytes()
    return out


@pytest.mark.parametrize("write", [flat, packed])
def test_light_of_a_file_is_read(write: object) -> None:
    assert callable(write)
    found = decoded(write(pixels()))
    assert found.shape == (HEIGHT, WIDTH, 3)
    np.testing.assert_allclose(found, pixels()[..., :3] / 256.0)


def test_exponents_scale_light() -> None:
    values = np.array([[[128, 64, 0, 130], [255, 255, 255, 0]]], dtype=np.uint8)
    np.testing.assert_allclose(decoded(flat(values)), [[[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]]])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"#?RADIANCE\n\n+X 2 -Y 2\n",
        HEAD % (0, 0),
        HEAD % (4, 4) + bytes(7),
        HEAD % (100_000, 100_000),
        packed(pixels())[:200],
        HEAD % (1, 8) + bytes((2, 2, 0, 8, 0, 0)),
        HEAD % (1, 8) + bytes((2, 2, 0, 8, 255, 1)),
    ],
)
def test_broken_files_are_refused(data: bytes) -> None:
    with pytest.raises(PictureError):
        decoded(data)


def test_sides_lie_where_the_picture_goes_around(tmp_path: Path) -> None:
    path = tmp_path / "sky.hdr"
    path.write_bytes(flat(pixels()))
    for name, side in zip(LIGHT, load_sides(path), strict=True):
        assert side.shape == (16, 16, 4)
        middle = side[8, 8, :3] / 255.0
        np.testing.assert_allclose(middle**2, LIGHT[name], atol=0.005, err_msg=name)


def test_camera_and_page_show_the_panorama_of_an_old_world(tmp_path: Path) -> None:
    """It was the plain colour: most worlds that came with Webots R2019 have such a sky."""
    (tmp_path / "textures" / "cubic").mkdir(parents=True)
    (tmp_path / "textures" / "cubic" / "dawn.hdr").write_bytes(packed(pixels()))
    world = tmp_path / "old.wbt"
    camera = "Robot { children [ Camera { width 8 height 8 fieldOfView 0.2 } ] }"  # along -z
    sky = 'Background { cubemap Cubemap { textureBaseName "dawn" } }'
    world.write_text(f"#VRML_SIM R2019a utf8\nWorldInfo {{ }}\n{sky}\n{camera}\n", "utf-8")
    sim = sb.Sim(sb.load(world))
    sim.device("camera").enable()
    sim.step()
    seen = sim.device("camera").value[4, 4, :3]
    np.testing.assert_allclose(seen, shown(np.array([LIGHT["front"]]))[0], atol=3)
    wire = encode_scene(sim.scene, sim.poses(), sim.moving, time_step=sim.time_step)
    assert wire.background is not None
    assert len(set(wire.background.images)) == 6
