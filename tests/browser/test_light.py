"""Light and matter: colours of files, what shines back from the sky, dark corners."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import solidbody as sb
from solidbody.viewer.page_files import load_page
from tests.browser.conftest import OpenViewer
from tests.browser.driving import patch
from tests.browser.fixtures import FINE
from tests.viewer.serving import running_view

pytestmark = [pytest.mark.browser, FINE]

SUN = "DirectionalLight { direction 0.6 0.2 -0.8 }"


def _seen(
    folder: Path, text: str, open_viewer: OpenViewer, *, pitch: float = 0.3
) -> NDArray[np.uint8]:
    """Return the finished picture of a world from 3 m in front of its origin, a little above."""
    path = folder / "world.wbt"
    view = f"Viewpoint {{ position -3 0 1 orientation 0 1 0 {pitch} }}"
    path.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{view}\n{text}", encoding="utf-8")
    with running_view(sb.Sim(sb.load(str(path))), page=load_page(), paused=True) as served:
        viewer = open_viewer(served.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        pixels = viewer.pixels()
        viewer.page.close()
    return pixels


def _shape(name: str, geometry: str, appearance: str, height: float = 0.0) -> str:
    shape = f"Shape {{ appearance PBRAppearance {{ {appearance} }} geometry {geometry} }}"
    return f'Solid {{ name "{name}" translation 0 0 {height} children [ {shape} ] }}\n'


def test_colours_are_those_that_files_say(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """A sunlit face of 0.2 0.4 0.9 is no pastel: white light of lamp and sky adds little to each share."""
    matt = "baseColor 0.2 0.4 0.9 roughness 1 metalness 0"
    pixels = _seen(tmp_path, SUN + _shape("box", "Box { size 1 1 1 }", matt), open_viewer)
    red, green, blue = patch(pixels, 640, 380)
    assert blue > 120
    assert red / blue == pytest.approx(0.2 / 0.9, abs=0.12)
    assert green / blue == pytest.approx(0.4 / 0.9, abs=0.12)


@pytest.mark.parametrize("channel", [0, 2])
def test_metal_reflects_the_sky_of_the_scene(
    tmp_path: Path, open_viewer: OpenViewer, channel: int
) -> None:
    """The upper half of a polished ball under a red or a blue sky; the lower half sees the dim ground."""
    sky = [0.1, 0.1, 0.1]
    sky[channel] = 0.9
    text = f"Background {{ skyColor [ {' '.join(map(str, sky))} ] }} {SUN}"
    ball = _shape(
        "ball", "Sphere { radius 0.5 subdivision 4 }", "baseColor 0.9 0.9 0.9 roughness 0.1"
    )
    pixels = _seen(tmp_path, text + ball, open_viewer)
    top, bottom = patch(pixels, 560, 300), patch(pixels, 640, 470)
    assert top[channel] > 1.3 * top[2 - channel]
    assert bottom.max() < 0.75 * top.max()


def test_what_stands_on_the_floor_darkens_it(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Ambient occlusion beside a box in light from straight above, where it throws no shadow."""
    white = "baseColor 0.8 0.8 0.8 roughness 1 metalness 0"
    floor = _shape("floor", "Plane { size 10 10 }", white)
    box = _shape("box", "Box { size 0.6 0.6 0.6 }", white, 0.3)
    sun = "DirectionalLight { direction 0 0 -1 }"
    alone = _seen(tmp_path, sun + floor, open_viewer).astype(float)
    both = _seen(tmp_path, sun + floor + box, open_viewer).astype(float)
    front = 360 + round(640 / 0.41421 * np.tan(np.arctan2(1.0, 2.68) - 0.3))  # 2 cm before the box
    beside = patch(both, 640, front, reach=2).mean() / patch(alone, 640, front, reach=2).mean()
    far = patch(both, 640, 690, reach=2).mean() / patch(alone, 640, 690, reach=2).mean()
    assert beside < 0.93
    assert far == pytest.approx(1.0, abs=0.02)


def test_what_is_selected_has_a_line_around_it(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Around its silhouette, and nothing else changes in the picture: neither its face nor the sky."""
    path = tmp_path / "world.wbt"
    ball = _shape("ball", "Sphere { radius 0.5 subdivision 4 }", "baseColor 0.8 0.8 0.8")
    view = "Viewpoint { position -3 0 0 }"
    path.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{view}{SUN}{ball}", "utf-8")
    with running_view(sb.Sim(sb.load(str(path))), page=load_page(), paused=True) as served:
        viewer = open_viewer(served.url)
        viewer.wait_for_picture()
        viewer.wait_until_still()
        before = viewer.pixels().astype(int)
        viewer.page.mouse.click(640, 360)
        viewer.wait(lambda: viewer.read("selected") == "ball", "the selection")
        viewer.wait_until_still()
        after = viewer.pixels().astype(int)
        viewer.page.close()
    across = 640 / 0.41421 * 0.5 / np.sqrt(9 - 0.25)  # radius of the silhouette [pixels]
    y, x = np.mgrid[80:640, 340:940]
    away, angle = np.hypot(x - 640, y - 360) - across, np.arctan2(y - 360, x - 640)
    was, now = before[80:640, 340:940], after[80:640, 340:940]
    line = (abs(now - was).max(axis=2) > 40) & (now[..., 2] > now[..., 0] + 60)
    ring = abs(away) < 6.0  # the ball has edges
    sides = np.round(angle[line & ring] * 36 / np.pi).astype(int)
    assert len(np.unique(sides)) >= 72  # every 5 degrees
    tag, handles = y < 110, np.hypot(x - 640, y - 360) < 110
    assert not line[~ring & ~tag & ~handles].any()


def test_lamps_glow_over_their_edges(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """Bloom around a lamp, the brighter the closer; none around paint, less behind a wall."""
    form = "Sphere { radius 0.1 subdivision 3 }"
    black, green = "baseColor 0 0 0 roughness 1 metalness 0", "0 1 0"
    wall = _shape("wall", "Box { size 0.02 0.4 0.4 }", black)
    places = {"lamp": "0 0.8 0", "paint": "0 0 0", "hidden": "0 -0.8 0", "wall": "-0.3 -0.72 0.1"}
    text = "Background { skyColor [ 0 0 0 ] }" + SUN
    for name, solid in {
        "lamp": _shape("lamp", form, f"{black} emissiveColor {green}"),
        "paint": _shape("paint", form, f"baseColor {green} roughness 1 metalness 0"),
        "hidden": _shape("hidden", form, f"{black} emissiveColor {green}"),
        "wall": wall,
    }.items():
        text += solid.replace("translation 0 0 0.0", f"translation {places[name]}")
    pixels = _seen(tmp_path, text, open_viewer).astype(float)
    scale, away = 640 / 0.41421, np.sqrt(10)  # pixels per slope, distance of the row of balls
    below = 360 + scale * (np.tan(np.arctan2(1, 3) - 0.3) + 0.1 / away)  # their lower edge

    def glow(side: float, beyond: int) -> float:
        seen = patch(pixels, round(640 - scale * side / away), round(below + beyond), reach=3)
        return float(seen[1] - 0.5 * (seen[0] + seen[2]))

    assert glow(0.8, 12) > glow(0.8, 40) + 4 > glow(0.8, 120) + 6
    assert abs(glow(0.0, 12)) < 4
    assert glow(-0.8, 12) < 0.7 * glow(0.8, 12)


def test_far_things_throw_shadows_too(tmp_path: Path, open_viewer: OpenViewer) -> None:
    """What stands ten times as far as what is looked at, beyond the sharp map of shadows, has a shadow."""
    white = "baseColor 0.8 0.8 0.8 roughness 1 metalness 0"
    floor = _shape("floor", "Plane { size 400 400 }", white)
    sun = "DirectionalLight { direction 0 0.7 -0.7 castShadows TRUE }"
    tower = _shape("tower", "Box { size 4 2 6 }", white, 3).replace("0 0 3", "30 -6 3")
    post = _shape("post", "Box { size 0.2 0.2 2 }", white, 1)  # what is looked at
    seen = _seen(tmp_path, sun + floor + tower + post, open_viewer, pitch=0.05)
    pixels = seen.astype(float).mean(axis=2)
    # its shadow lies at y = -5 .. 1; the ground on the other side is lit
    row = 360 + round(640 / 0.41421 * np.tan(np.arctan2(1.0, 33.0) - 0.05))
    aside = round(640 / 0.41421 * 3.0 / 33.0)
    shade, light = (
        pixels[row - 2 : row + 3, 640 + x - 15 : 640 + x + 15].mean() for x in (aside, -aside)
    )
    assert shade < 0.85 * light
