"""Cameras show lines and points, where nothing is before them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import solidbody as sb
from solidbody.record.viewing import ViewpointCamera
from tests.render.seeing import PAPER, seen

CAMERA = "width 65 height 65 fieldOfView 1.5707963267949"
"""Of an odd number of pixels, so that one of them looks straight ahead; 45 degrees lie at the edges."""
DARK = "Background { skyColor [ 0 0 0 ] } "
WHITE = "appearance Appearance { material Material { diffuseColor 1 0 0 emissiveColor 1 1 1 } }"
WALL = """Solid { translation %g 0 0 children [ Shape { geometry Box { size 0.1 9 0.5 }
  appearance PBRAppearance { baseColor 0 0 0 roughness 1 metalness 0 } } ] }"""


def lines(points: str, index: str = "0 1", look: str = WHITE) -> str:
    geometry = (
        f"IndexedLineSet {{ coord Coordinate {{ point [ {points} ] }} coordIndex [ {index} ] }}"
    )
    return f"Shape {{ {look} geometry {geometry} }}"


def bright(picture: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the pixels that show light of strength 1."""
    return np.abs(picture[..., :3] - PAPER).max(axis=-1) <= 1.0


def test_line_is_one_pixel_wide_however_near(tmp_path: Path) -> None:
    """From the middle to the upper edge; in the emissive colour of its material, without any lamp."""
    for distance in (1.0, 10.0):
        picture = seen(tmp_path, DARK + lines(f"{distance} 0 0, {distance} 0 {distance}"), CAMERA)
        expected = np.zeros((65, 65), dtype=bool)
        expected[:33, 32] = True
        np.testing.assert_array_equal(bright(picture), expected)


def test_line_goes_on_behind_the_eye(tmp_path: Path) -> None:
    """Only what is ahead is seen, up to the edge of the picture."""
    picture = seen(tmp_path, DARK + lines("-5 1 0, 5 1 0"), CAMERA)
    columns = np.flatnonzero(bright(picture).any(axis=0))
    # at 5 m it is 1/5 of half a picture to the left of the middle
    assert (columns.min(), columns.max()) == (0, math.floor(32.5 - 32.5 / 5))
    assert np.flatnonzero(bright(picture).any(axis=1)).tolist() == [32]


def test_wall_hides_what_is_behind_it(tmp_path: Path) -> None:
    """A line that stands out above it is seen there; on the wall itself it is seen all along."""
    line = lines("2 0 -2, 2 0 2")
    hidden = bright(seen(tmp_path, DARK + line + WALL % 1.0, CAMERA))[:, 32]
    free = bright(seen(tmp_path, DARK + line + WALL % 2.05, CAMERA))[:, 32]
    # the front of the wall is 0.95 m ahead, its upper edge 0.25 m high
    edge = 32.5 * 0.25 / 0.95
    assert np.flatnonzero(~hidden).tolist() == list(
        range(math.ceil(32 - edge), math.floor(33 + edge))
    )
    assert free.all()


def test_points_are_discs_in_their_own_colours(tmp_path: Path) -> None:
    points = "Shape { geometry PointSet { coord Coordinate { point [ 1 0 0, 4 2 0 ] } %s } }"
    picture = seen(tmp_path, DARK + points % "color Color { color [ 1 1 1, 0 1 0 ] }", CAMERA)
    spot = bright(picture)
    assert spot.any(axis=0).sum() == spot.any(axis=1).sum() == 5
    np.testing.assert_allclose(np.argwhere(spot).mean(axis=0), [32, 32])
    green = (picture[..., 1] > 200) & (picture[..., 0] < 5)
    np.testing.assert_allclose(np.argwhere(green).mean(axis=0), [32, 16], atol=0.5)


def test_line_without_emission_is_black(tmp_path: Path) -> None:
    """Webots draws what the material gives off, whatever its other colours are."""
    look = "appearance Appearance { material Material { diffuseColor 1 0 0 } }"
    sky = "Background { skyColor [ 1 1 1 ] } "
    picture = seen(tmp_path, sky + lines("1 0 0, 1 0 1", look=look), CAMERA)
    assert (picture[:33, 32, :3] == 0).all()
    assert (picture[:33, 31, :3] > 100).all()


def test_lines_go_along_with_their_solid_and_are_in_films(tmp_path: Path) -> None:
    line = lines("0 -0.98 0, 0 0.98 0")
    solid = f"Solid {{ translation 0 0 5 rotation 0 1 0 1.5707963267949 children [ {line} ] }}"
    view = "Viewpoint { position 0 0 0 orientation 0 -1 0 1.5708 fieldOfView 1.5707963267949 }"
    path = tmp_path / "film.wbt"
    path.write_text(
        f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{view}{DARK}{solid}\n", encoding="utf-8"
    )
    camera = ViewpointCamera(sb.Sim(sb.load(path)), (65, 65))
    spot = bright(camera.picture().astype(float))
    # 0.98 m to each side, 5 m above the eye that looks up: 32.5 * 0.98 / 5 = 6.4 pixels from the middle
    assert np.flatnonzero(spot.any(axis=0)).tolist() == list(range(26, 39))
    assert np.flatnonzero(spot.any(axis=1)).tolist() == [32]
    assert not bright(camera.picture({(0, 0)}).astype(float)).any()
