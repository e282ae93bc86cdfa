"""How light becomes colours: figures of Webots' own tests, and laws of its shaders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.render.tone_mapping import (
    MIRROR_SIZE,
    inverse_tone_mapped,
    mean_of_squares,
    mirrored,
    to_light,
    tone_mapped,
)
from tests.render.seeing import light_of, lit, seen, shown

ONE = 1.0
"""[of 255] Rounding to bytes."""
DOT = "width 1 height 1 fieldOfView 0.001"
PAPER = (
    "Solid {{ translation 0.55 0 0 children [ "
    "Shape {{ appearance {} geometry Box {{ size 0.1 9 9 }} }} ] }}"
)


def _dot(folder: Path, nodes: str, camera: str = "") -> list[float]:
    return seen(folder, nodes, f"{DOT} {camera}")[0, 0].tolist()


def test_white_in_light_of_strength_one_reads_207() -> None:
    """255 (1 - 1/e)^(1/2.2); more light is never too much."""
    assert 255.0 * tone_mapped(np.array([1.0, 5.0, 50.0], np.float32), 1.0) == pytest.approx(
        [207.0, 254.2, 255.0], abs=0.1
    )


def test_tone_mapping_leaves_the_light_as_it_is() -> None:
    """It computes in place, in memory of its own: motion blur keeps the light."""
    light = np.array([-0.5, 0.0, 0.25, 3.0], np.float32)
    dark = tone_mapped(light, 0.5)
    assert light.tolist() == [-0.5, 0.0, 0.25, 3.0]
    assert dark[:2].tolist() == [0.0, 0.0]
    assert np.array_equal(dark, tone_mapped(np.float32(0.5) * light, 1.0))


@pytest.mark.parametrize("side", [1, 2, 3])
def test_pixels_are_the_means_of_their_rays_to_the_last_bit(side: int) -> None:
    """In the order of `ndarray.mean`, whatever has been shown of negative or not finite light."""
    light = np.random.Generator(np.random.PCG64(3)).uniform(-1.0, 2.0, (12, 18, 3))
    light[4, 5, 1], light[7, 1, 2] = np.inf, np.nan
    picture = light.astype(np.float32)
    split = picture.reshape(12 // side, side, 18 // side, side, 3)
    wanted = split.mean(axis=(1, 3))
    assert np.array_equal(mean_of_squares(picture, side), wanted, equal_nan=True)


def test_the_sky_is_as_bright_as_gives_its_colour() -> None:
    color = np.linspace(0.0, 1.0, 11)
    assert tone_mapped(inverse_tone_mapped(color).astype(np.float32), 1.0) == pytest.approx(
        color, abs=1e-4
    )


def test_colours_of_a_screen_stand_for_light() -> None:
    """sRGB: a straight line for dark ones, then a power."""
    assert to_light([0.0, 0.02, 0.5, 1.0]) == pytest.approx(
        [0.0, 0.02 / 12.92, 0.2140, 1.0], abs=1e-4
    )


@pytest.mark.parametrize(("exposure", "red"), [(0.5, 190), (1.0, 227), (5.0, 255)])
def test_exposure_of_a_red_box_under_two_lights(tmp_path: Path, exposure: float, red: int) -> None:
    """Two lamps at 45 degrees, each with all of its ambient light, a classic material with a fifth of it.

    Figures of Webots' tests camera_color_exposure and camera_color_focus: light sqrt(2) + 2·0.0331, since
    the product of ambient share and colour, 0.2, stands for 0.0331 of light.
    """
    lamp = "DirectionalLight { ambientIntensity 1 direction 1 0 -1 }"
    box = PAPER.format("Appearance { material Material { diffuseColor 1 0 0 } }")
    sky = "Background { skyColor [ 0 0 1 ] }"
    assert _dot(tmp_path, lamp + lamp + sky + box, f"exposure {exposure}") == [red, 0, 0]
    assert _dot(tmp_path, sky, f"exposure {exposure}") == [0, 0, 255]


def test_a_texture_takes_the_place_of_classic_colours(tmp_path: Path) -> None:
    """Diffuse and specular colour do not count; ambient share and glow are multiplied by the texture."""
    Image.new("RGB", (4, 4), (0, 207, 6)).save(tmp_path / "green.png")
    lamp = "DirectionalLight { ambientIntensity 1 direction 1 0 0 intensity 0 }"
    look = 'Appearance {{ material Material {{ {} }} texture ImageTexture {{ url "green.png" }} }}'
    dull = "ambientIntensity 1 diffuseColor 1 0 0 specularColor 1 1 1"
    # of Webots' test display: a pixel (0, 207, 6) in ambient light of strength 1
    assert _dot(tmp_path, lamp + PAPER.format(look.format(dull))) == pytest.approx(
        (0, 180, 14), abs=ONE
    )
    glowing = PAPER.format(look.format("ambientIntensity 0 emissiveColor 1 1 1"))
    assert _dot(tmp_path, glowing) == pytest.approx((0, 180, 14), abs=ONE)


@pytest.mark.parametrize("strength", [1.0, 3.0])
@pytest.mark.parametrize("roughness", [0.3, 1.0])
def test_a_lamp_on_a_physically_based_surface(
    tmp_path: Path, strength: float, roughness: float
) -> None:
    """Microfacets, and diffuse light by the square of the strength of the lamp."""
    lamp = f"DirectionalLight {{ direction 0.8 0 -0.6 intensity {strength} ambientIntensity 1 }}"
    box = PAPER.format(f"PBRAppearance {{ baseColor 1 1 1 metalness 0 roughness {roughness} }}")
    light = lit(
        (-1.0, 0.0, 0.0), (-0.8, 0.0, 0.6), (-1.0, 0.0, 0.0), strength=strength, roughness=roughness
    )
    assert _dot(tmp_path, lamp + box) == pytest.approx(shown([light] * 3), abs=ONE)


def test_a_surface_takes_its_share_of_the_sky(tmp_path: Path) -> None:
    """IBLStrength 3 triples the light of the sky, not that of lamps."""
    look = "PBRAppearance {{ baseColor 1 1 1 metalness 0 roughness 1 IBLStrength {} }}"
    sky, lamp = "Background { skyColor [ 0.1 0.1 0.1 ] }", "DirectionalLight { direction 1 0 0 }"
    light = {
        (nodes, share): float(light_of(_dot(tmp_path, nodes + PAPER.format(look.format(share))))[0])
        for nodes in (sky, lamp)
        for share in (1, 3)
    }
    # a byte is 0.002 of light here
    assert light[sky, 3] == pytest.approx(3.0 * light[sky, 1], abs=0.005)
    assert light[lamp, 3] == light[lamp, 1] > 0.2


def test_a_shape_without_an_appearance_is_as_bright_as_white_paper(tmp_path: Path) -> None:
    """Whatever shines on it."""
    bare = PAPER.format("NULL")
    assert _dot(tmp_path, bare) == [207, 207, 207]
    assert _dot(tmp_path, "DirectionalLight { intensity 9 }" + bare) == [207, 207, 207]


def test_light_of_a_near_lamp_grows_beyond_its_strength(tmp_path: Path) -> None:
    """1/d^2 at 0.5 m: fourfold."""
    lamp = "PointLight { attenuation 0 0 1 location 0 0 0 }"
    box = PAPER.format("Appearance { material Material { diffuseColor 1 1 1 ambientIntensity 0 } }")
    assert _dot(tmp_path, lamp + box) == pytest.approx(shown([4.0] * 3), abs=ONE)


@pytest.mark.parametrize(("cosine", "roughness"), [(0.95, 0.98), (0.4, 0.6), (0.2, 0.3)])
def test_what_surfaces_mirror_of_an_even_sky(cosine: float, roughness: float) -> None:
    """Against plain integration over all directions of the light, with the same shadowing."""
    cell = [int(v * MIRROR_SIZE) for v in (roughness, cosine)]
    rough, c = ((k + 0.5) / MIRROR_SIZE for k in cell)
    up, turn = np.meshgrid((np.arange(800) + 0.5) / 800, (np.arange(800) + 0.5) / 800 * 2 * np.pi)
    side = np.sqrt(1.0 - up**2)
    light = np.stack([side * np.cos(turn), side * np.sin(turn), up], axis=-1)
    eye = np.array([np.sqrt(1.0 - c * c), 0.0, c])
    h = (light + eye) / np.linalg.norm(light + eye, axis=-1, keepdims=True)
    a2, k = rough**4, rough**2 / 2.0
    facets = a2 / (np.pi * (h[..., 2] ** 2 * (a2 - 1.0) + 1.0) ** 2)
    open_ = [x / (x * (1.0 - k) + k) for x in (up, c)]
    seen_ = facets * open_[0] * open_[1] / (4.0 * c) * 2.0 * np.pi
    edge = (1.0 - h @ eye) ** 5
    expected = (seen_ * (1.0 - edge)).mean(), (seen_ * edge).mean()
    # sums of 640,000 and of 1024 directions
    assert mirrored()[cell[0] * MIRROR_SIZE + cell[1]] == pytest.approx(expected, abs=0.003)
