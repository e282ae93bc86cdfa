"""What surrounds bodies and covers them: skies of pictures, fog, lamps, maps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import patch
from tests.browser.fixtures import FINE
from tests.viewer.serving import running_view

pytestmark = [pytest.mark.browser, FINE]

SCALE = 640 / 0.41421
"""[pixels] A length over a distance on the screen: 45 degrees over 1280 pixels."""


def _seen(folder: Path, text: str, open_viewer: OpenViewer) -> NDArray[np.uint8]:
    """Return the picture of a world, paused at its start."""
    path = folder / "world.wbt"
    path.write_text(
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ basicTimeStep 8 }}\n{text}", encoding="utf-8"
    )
    with running_view(sb.Sim(sb.load(str(path))), page=load_page(), paused=True) as view:
        viewer = open_viewer(view.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        pixels = viewer.pixels()
        viewer.page.close()
    return pixels


@pytest.mark.parametrize(
    ("turn", "side"), [(0.0, "back"), (np.pi / 2, "right"), (np.pi, "front"), (-np.pi / 2, "left")]
)
def test_a_sky_of_pictures_stands_around_the_world(
    tmp_path: Path, open_viewer: OpenViewer, turn: float, side: str
) -> None:
    """East (+x) is the back, north (+y) the right; upright: the upper half of each picture is white."""
    colors = {
        "front": (200, 20, 20),
        "back": (20, 160, 20),
        "left": (20, 20, 200),
        "right": (180, 160, 20),
        "top": (0, 0, 0),
        "bottom": (0, 0, 0),
    }
    for name, color in colors.items():
        picture = Image.new("RGB", (64, 64), (250, 250, 250))
        picture.paste(color, (0, 32, 64, 64))
        picture.save(tmp_path / f"{name}.png")
    urls = " ".join(f'{name}Url [ "{name}.png" ]' for name in colors)
    world = f"Viewpoint {{ orientation 0 0 1 {turn} }} Background {{ {urls} }} "
    # a viewpoint at the origin that looks along x is that of worlds without one: stand elsewhere
    world = world.replace("orientation", "position 0.5 0 0.2 orientation")
    pixels = _seen(tmp_path, world, open_viewer)
    assert patch(pixels, 640, 450) == pytest.approx(colors[side], abs=12)  # a JPEG, and dithering
    assert patch(pixels, 640, 250).min() > 230


def test_fog_hides_what_is_far(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Two red walls, 2 m and 9 m away, in white fog with a visibility of 10 m."""
    red = "appearance PBRAppearance { baseColor 0.8 0 0 roughness 1 metalness 0 }"

    def wall(name: str, x: float, y: float, size: float) -> str:
        shape = f"Shape {{ {red} geometry Box {{ size 0.1 {size} {size} }} }}"
        return f'Solid {{ name "{name}" translation {x} {y} 0 children [ {shape} ] }} '

    pixels = _seen(
        tmp_path,
        "Viewpoint { position -0.05 0 0 } Background { skyColor [ 1 1 1 ] } "
        'Fog { color 1 1 1 fogType "LINEAR" visibilityRange 10 } '
        "DirectionalLight { direction 1 0 0 intensity 2 } "
        + wall("near", 2, 0.4, 0.5)
        + wall("far", 9, -2, 2.5),
        open_viewer,
    )
    near = patch(pixels, round(640 - 0.4 * SCALE / 2), 360)
    far = patch(pixels, round(640 + 2.0 * SCALE / 9), 360)
    assert near[0] > 2.5 * near[1]
    assert far[0] < 1.35 * far[1] and far[1] > 150


def test_lamps_of_all_kinds_light_what_they_reach(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """On a wall: a spot lights its circle only; a red point light is brightest in front of it."""
    pixels = _seen(
        tmp_path,
        "Viewpoint { position -4 0 0 } Background { skyColor [ 0 0 0 ] luminosity 0 } "
        "SpotLight { location -2 1 0 direction 1 0 0 cutOffAngle 0.3 beamWidth 0.2 intensity 3 } "
        "PointLight { location -0.3 -1 0 color 1 0.1 0.1 attenuation 0 0 1 intensity 2 } "
        "Solid { children [ Shape { "
        "appearance PBRAppearance { baseColor 0.8 0.8 0.8 roughness 1 metalness 0 } "
        "geometry Box { size 0.02 6 4 } } ] }",
        open_viewer,
    )
    step = SCALE / 4
    spot = patch(pixels, round(640 - step), 360).mean()
    outside = patch(pixels, round(640 - step), round(360 - step)).mean()  # 1 m above: 0.46 rad off
    assert spot > 1.2 * outside  # in sRGB: half as much light again
    red = patch(pixels, round(640 + step), 360)
    assert red[0] > 1.3 * red[1]


def test_maps_change_how_a_surface_takes_light(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Left half of each map against its right half: tilted normals, emission, occlusion."""
    maps = {
        # towards the light on the left, away from it on the right
        "normalMap": ((40, 128, 200), (215, 128, 200)),
        "emissiveColorMap": ((255, 255, 255), (0, 0, 0)),
        "occlusionMap": ((255, 255, 255), (0, 0, 0)),
    }
    boards: list[str] = []
    for row, (name, (left, right)) in enumerate(maps.items()):
        picture = Image.new("RGB", (64, 64), left)
        picture.paste(right, (32, 0, 64, 64))
        picture.save(tmp_path / f"{name}.png")
        glow = "emissiveIntensity 0.3" if name == "emissiveColorMap" else ""
        boards.append(
            f'Solid {{ name "{name}" translation 0 0 {0.8 - 0.8 * row} children [ Shape {{ '
            f'appearance PBRAppearance {{ {name} ImageTexture {{ url [ "{name}.png" ] }} {glow} '
            "baseColor 0.5 0.5 0.5 roughness 1 metalness 0 } geometry Box { size 0.1 2 0.7 } } ] }"
        )
    pixels = _seen(
        tmp_path,
        "Viewpoint { position -5 0 0 } Background { skyColor [ 0.5 0.5 0.5 ] } "
        "DirectionalLight { direction 1 -1 0 intensity 2 } " + " ".join(boards),
        open_viewer,
    )
    for row in range(3):
        y = round(360 - (0.8 - 0.8 * row) * SCALE / 4.95)
        left = patch(pixels, round(640 - 0.5 * SCALE / 4.95), y).mean()
        right = patch(pixels, round(640 + 0.5 * SCALE / 4.95), y).mean()
        assert left > right + 12, (list(maps)[row], left, right)
