"""The sky: pictures on the sides of a cube, and the light that it sheds."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.base.local_files import downloaded_file
from tests.render.seeing import shown

SIDES = ("right", "left", "top", "bottom", "front", "back")
HALF = math.pi / 2
# camera turns that look at each side with its picture upright; axes x east, y north, z up: the front is in
# the west, the right in the north, and the eye tilts up or down from the front for the last two
TURNS = {
    "back": "0 0 1 0",
    "front": f"0 0 1 {math.pi}",
    "right": f"0 0 1 {HALF}",
    "left": f"0 0 1 {-HALF}",
    "top": f"{math.sqrt(0.5)} 0 {math.sqrt(0.5)} {math.pi}",
    "bottom": f"{math.sqrt(0.5)} 0 {-math.sqrt(0.5)} {math.pi}",
}


def _picture(side: str) -> np.ndarray:
    """Red tells the side; green grows to the right, blue downwards."""
    out = np.zeros((8, 8, 3), dtype=np.uint8)
    out[..., 0] = 40 * SIDES.index(side)
    out[..., 1] = np.arange(8) * 30
    out[..., 2] = np.arange(8)[:, None] * 30
    return out


def _shown(side: str) -> np.ndarray:
    """What a camera makes of a picture: its light is the square of its colour."""
    return shown((_picture(side) / 255.0) ** 2)


def _world(folder: Path, nodes: str) -> sb.Sim:
    (folder / "world.wbt").write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{nodes}\n")
    return sb.Sim(sb.load(folder / "world.wbt"))


def _background(folder: Path, address: str = "textures/{side}.png") -> str:
    (folder / "textures").mkdir(exist_ok=True)
    for side in SIDES:
        Image.fromarray(_picture(side)).save(folder / "textures" / f"{side}.png")
    urls = " ".join(f'{side}Url "{address.format(side=side)}"' for side in SIDES)
    return f"Background {{ {urls} skyColor [ 0.2 0.4 0.6 ] }}"


def _seen(sim: sb.Sim) -> np.ndarray:
    sim.device("camera").enable()
    sim.step()
    return sim.device("camera").value


def _eye(turn: str = "0 0 1 0") -> str:
    return (
        f"Robot {{ children [ Camera {{ width 8 height 8 fieldOfView {HALF} rotation {turn} }} ] }}"
    )


@pytest.mark.parametrize("side", SIDES)
def test_each_side_of_the_cube_is_upright_and_not_mirrored(tmp_path: Path, side: str) -> None:
    """A right angle of view, as many pixels as the picture has: the picture itself."""
    found = _seen(_world(tmp_path, _background(tmp_path) + _eye(TURNS[side])))
    # rounding of 32-bit directions, half way between texels at worst
    assert np.abs(found - _shown(side)).max() <= 1


@pytest.mark.parametrize("system", ["NUE", "EUN"])
def test_the_cube_stands_along_the_axes_of_worlds_with_y_up(tmp_path: Path, system: str) -> None:
    """Right at +x and back at +z, whichever of them is north; the eye looks along +x with y up."""
    nodes = _background(tmp_path) + _eye(f"1 0 0 {-HALF}")
    world = f'#VRML_SIM R2025a utf8\nWorldInfo {{ coordinateSystem "{system}" }}\n{nodes}\n'
    (tmp_path / "world.wbt").write_text(world)
    found = _seen(sb.Sim(sb.load(tmp_path / "world.wbt")))
    assert np.abs(found - _shown("right")).max() <= 1


def test_pictures_of_a_proto_are_found_beside_it(tmp_path: Path) -> None:
    """Addresses are relative to the file that they are written in."""
    (tmp_path / "protos").mkdir()
    sky = _background(tmp_path / "protos")
    (tmp_path / "protos" / "Sky.proto").write_text(
        f"#VRML_SIM R2025a utf8\nPROTO Sky [ ] {{ {sky} }}"
    )
    sim = _world(tmp_path, f'EXTERNPROTO "protos/Sky.proto"\nSky {{ }} {_eye()}')
    assert np.abs(_seen(sim) - _shown("back")).max() <= 1


def test_pictures_on_the_web_are_found_in_the_download_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a copy the sky has its plain colour, and the run says why."""
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    text = _background(tmp_path, "https://example.org/sky/{side}.png") + _eye()
    sim = _world(tmp_path, text)
    assert _seen(sim)[0, 0].tolist() == [51, 102, 153]
    (message,) = sim.device_messages
    assert message.text.startswith("6 pictures on the web are not drawn (https://example.org/sky/")
    for side in SIDES:
        place = downloaded_file(f"https://example.org/sky/{side}.png", tmp_path / "cache")
        place.parent.mkdir(parents=True)
        Image.fromarray(_picture(side)).save(place)
    assert np.abs(_seen(_world(tmp_path, text)) - _shown("back")).max() <= 1


def test_pictures_of_an_installation_are_found_by_either_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`webots://` and the address of the same file on the web."""
    home = tmp_path / "webots"
    home.mkdir()
    monkeypatch.setenv("WEBOTS_HOME", str(home))
    official = "https://raw.githubusercontent.com/cyberbotics/webots/R2025a/"
    for start in ("webots://", official):
        _background(home)
        sim = _world(tmp_path, _background(tmp_path, start + "textures/{side}.png") + _eye())
        assert np.abs(_seen(sim) - _shown("back")).max() <= 1


def test_a_picture_that_is_broken_is_told_and_the_colour_stays(tmp_path: Path) -> None:
    """One of the six is enough."""
    text = _background(tmp_path)
    (tmp_path / "textures" / "top.png").write_bytes(b"no picture")
    sim = _world(tmp_path, text + _eye())
    assert _seen(sim)[0, 0].tolist() == [51, 102, 153]
    (message,) = sim.device_messages
    assert message.text == (
        'the picture "textures/top.png" is not drawn: it is none of PNG, JPEG, BMP, GIF, TGA, TIFF.'
    )


def test_the_sky_lights_things_with_its_mean_colour_times_luminosity(tmp_path: Path) -> None:
    """Of the mean (100, 105, 105)/255 of all pictures times 1.5, white throws 96 % back in all directions.

    Of what it mirrors, 4 % at most, its roughness leaves a third (see `test_film.py`): 0.973 in all.
    """
    wall = (
        "Solid { translation 2 0 0 children [ Shape { appearance PBRAppearance { roughness 1 "
        "metalness 0 } geometry Box { size 0.1 9 9 } } ] }"
    )
    sky = _background(tmp_path).replace("Background {", "Background { luminosity 1.5")
    found = _seen(_world(tmp_path, sky + wall + _eye()))
    light = 0.973 * 1.5 * np.array([100.0, 105.0, 105.0]) / 255.0
    assert found[4, 4] == pytest.approx(shown(light), abs=1.0)
