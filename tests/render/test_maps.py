"""Normal, roughness, metalness and occlusion maps against their formulas; ambient occlusion."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import solidbody as sb
from solidbody.devices.imaging.optics import planar
from solidbody.record.viewing import ViewpointCamera
from tests.render.seeing import UPRIGHT, light_of, lit, seen, shown

ONE = 1.0
"""[of 255] Rounding to bytes."""
TEXEL = 1.5
"""[of 255] A map holds a slope in steps of 1/127: half a step, and rounding to bytes."""
EYES = -planar(32, 32, 0.5)
"""Ways to the eye from what the pixels see."""
RAY = 1.0 / 16.0 + 0.01
"""One ray of 16 may fall on the other side of an edge; bytes hold light to 1 %."""
CAMERA = "width 32 height 32 fieldOfView 0.5"
AHEAD = "DirectionalLight { direction 1 0 0 intensity 0.8 }"


def _seen(folder: Path, nodes: str, camera: str = CAMERA) -> np.ndarray:
    return seen(folder, nodes, camera)


def _wall(look: str, geometry: str = "Plane { size 20 20 }") -> str:
    """A plane across the view, its texture upright: u to the right of the camera (-y), v up (z)."""
    return (
        f"Solid {{ translation 2 0 0 rotation {UPRIGHT} children [ Shape {{ "
        f"appearance PBRAppearance {{ {look} }} geometry {geometry} }} ] }}"
    )


def _map(folder: Path, name: str, *color: float) -> str:
    """A picture of one colour, as a texture."""
    pixels = np.tile(np.array(color) * 255.0, (4, 4, 1)).round().astype(np.uint8)
    Image.fromarray(pixels).save(folder / f"{name}.png")
    return f'ImageTexture {{ url "{name}.png" }}'


def _normal(folder: Path, x: float, y: float) -> str:
    z = math.sqrt(1.0 - x * x - y * y)
    return _map(folder, "normal", 0.5 + 0.5 * x, 0.5 + 0.5 * y, 0.5 + 0.5 * z)


MATT = "roughness 1 metalness 0"
SQUARE = """IndexedFaceSet { coord Coordinate { point [ -9 -9 0 9 -9 0 9 9 0 -9 9 0 ] }
  coordIndex [ 0 1 2 3 -1 ] texCoord TextureCoordinate { point [ 0 0 1 0 1 1 0 1 ] }
  texCoordIndex [ 0 1 2 3 -1 ] }"""


@pytest.mark.parametrize("geometry", ["Plane { size 20 20 }", "Box { size 20 20 0.001 }", SQUARE])
@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (0.5, 0.0), (-0.3, 0.4)])
def test_a_normal_map_tilts_the_surface_for_the_light(
    tmp_path: Path, geometry: str, x: float, y: float
) -> None:
    """The normal is (-z, -x, y) in the world: two lights, one from ahead and one from the side."""
    lights = AHEAD + "DirectionalLight { direction 0.6 0.8 0 intensity 0.9 }"
    look = f"{MATT} normalMap {_normal(tmp_path, x, y)}"
    found = _seen(tmp_path, lights + _wall(look, geometry))[..., 0]
    z = math.sqrt(1.0 - x * x - y * y)
    normal = (-z, -x, y)
    light = lit(normal, (-1.0, 0.0, 0.0), EYES, strength=0.8)
    light += lit(normal, (-0.6, -0.8, 0.0), EYES, strength=0.9)
    assert found == pytest.approx(shown(light), abs=TEXEL)


def test_the_factor_makes_the_relief_steeper(tmp_path: Path) -> None:
    """Twice the slope: the normal (0.6, 0, 0.8) becomes (1.2, 0, 0.8), turned into a unit vector."""
    look = f"{MATT} normalMapFactor 2 normalMap {_normal(tmp_path, 0.6, 0.0)}"
    found = _seen(tmp_path, AHEAD + _wall(look))[..., 0]
    normal = np.array([-0.8, -1.2, 0.0]) / math.hypot(1.2, 0.8)
    light = lit(normal, (-1.0, 0.0, 0.0), EYES, strength=0.8)
    assert found == pytest.approx(shown(light), abs=2 * TEXEL)


def test_a_texture_that_is_turned_turns_its_relief(tmp_path: Path) -> None:
    """By a quarter: what leaned to the right leans up or down, where the light from above tells."""
    above = "DirectionalLight { direction 0.6 0 -0.8 }"
    values: list[float] = []
    for angle in (math.pi / 2, -math.pi / 2):
        turn = f"textureTransform TextureTransform {{ rotation {angle} }}"
        look = f"{MATT} {turn} normalMap {_normal(tmp_path, 0.6, 0.0)}"
        values.append(float(_seen(tmp_path, above + _wall(look))[16, 16, 0]))
    light = lit((-0.8, 0.0, 0.6), (-0.6, 0.0, 0.8), (-1.0, 0.0, 0.0))
    assert max(values) == pytest.approx(float(shown(light)), abs=TEXEL)
    # where it leans down light grazes it: half a step of the map lets 0.004 of the 0.31 of light by
    assert min(values) <= float(shown(0.004 * 0.31))


def test_a_ball_with_a_level_map_is_a_ball(tmp_path: Path) -> None:
    """The map (0.5, 0.5, 1) changes nothing: round forms have gradients that are not zero."""
    ball = (
        'Solid { name "ball" translation 2 0 0 children [ Shape { appearance PBRAppearance { %s } '
    )
    ball += "geometry Sphere { radius 0.4 } } ] }"
    plain = _seen(tmp_path, AHEAD + ball % MATT)
    mapped = _seen(tmp_path, AHEAD + ball % f"{MATT} normalMap {_normal(tmp_path, 0.0, 0.0)}")
    # 127.5 is no byte: a level map leans by 1/255
    assert np.abs(plain - mapped).max() <= 2 * TEXEL


def _highlight(folder: Path, look: str) -> np.ndarray:
    """A black wall that mirrors the light from behind the camera."""
    return _seen(folder, AHEAD + _wall(f"baseColor 0.2 0.1 0 {look}"))[16, 16]


def test_a_roughness_map_takes_the_place_of_the_roughness(tmp_path: Path) -> None:
    """What is written beside it does not count, as in Webots."""
    rough = _map(tmp_path, "rough", 0.4, 0.0, 0.0)
    mapped = _highlight(tmp_path, f"metalness 0 roughness 1 roughnessMap {rough}")
    assert mapped == pytest.approx(_highlight(tmp_path, "metalness 0 roughness 0.4"), abs=ONE)
    assert mapped[2] > _highlight(tmp_path, "metalness 0 roughness 1")[2] + 3


def test_a_metalness_map_takes_the_place_of_the_metalness(tmp_path: Path) -> None:
    """A metal mirrors light in its own colour: no blue here."""
    metal = _map(tmp_path, "metal", 1.0, 0.0, 0.0)
    mapped = _highlight(tmp_path, f"roughness 0.4 metalness 0 metalnessMap {metal}")
    assert mapped == pytest.approx(_highlight(tmp_path, "roughness 0.4 metalness 1"), abs=ONE)
    assert mapped[2] == 0.0


@pytest.mark.parametrize("strength", [1.0, 0.5])
def test_an_occlusion_map_takes_ambient_light_only(tmp_path: Path, strength: float) -> None:
    """A quarter of the light of the sky is left at full strength; lamps shine as before."""
    sky = "Background { skyColor [ 0.4 0.4 0.4 ] }"
    shade = _map(tmp_path, "shade", 0.25, 0.0, 0.0)
    look = f"{MATT} occlusionMap {shade} occlusionMapStrength {strength}"
    lamp, open_air, found = (
        light_of(_seen(tmp_path, nodes)[16, 16, 0])
        for nodes in (AHEAD + _wall(MATT), AHEAD + sky + _wall(MATT), AHEAD + sky + _wall(look))
    )
    # a byte is 0.005 of light here
    assert found - lamp == pytest.approx((open_air - lamp) * (1.0 - strength * 0.75), abs=0.01)


CORNER = """
DirectionalLight { direction 0 0 -1 intensity 0.8 }
Solid { name "floor" translation 0 0 -1 children [ Shape {
  appearance Appearance { material Material { diffuseColor 1 1 1 } } geometry Plane { size 40 40 } } ] }
Solid { name "wall" translation 5 0 0 children [ Shape {
  appearance Appearance { material Material { diffuseColor 1 1 1 } } geometry Box { size 2 40 30 } } ] }
"""
DOWN = "width 1 height 1 fieldOfView 0.001 translation %s 0 0 rotation 0 1 0 1.570796327"


def _wall_share(distance: float, radius: float) -> float:
    """How much a wall takes of the light on a floor, by integration over the half sphere above it.

    A ray that leans by `flat` (the sine of its angle from the normal) and turns by `turn` from the wall
    meets it after distance/(flat cos turn), where it counts by 1 - t/radius; the cosine law makes equal parts
    of flat^2 count the same.
    """
    part, turn = np.meshgrid(
        (np.arange(2000) + 0.5) / 2000, (np.arange(2000) + 0.5) / 2000 * 2 * math.pi
    )
    reach = distance / np.maximum(np.sqrt(part) * np.cos(turn), 1e-9)
    met = (np.cos(turn) > 0.0) & (reach < radius)
    return float(np.where(met, 1.0 - reach / radius, 0.0).mean())


@pytest.mark.parametrize("distance", [0.001, 0.2, 0.5, 2.0])
def test_a_floor_is_darker_near_a_wall(tmp_path: Path, distance: float) -> None:
    """Half of the sky is gone at the wall itself, nothing from the radius on; 16 rays stand for all."""
    camera = DOWN % (4.0 - distance) + " ambientOcclusionRadius 1"
    plain = _seen(tmp_path, CORNER, DOWN % (4.0 - distance))[0, 0, 0]
    found = _seen(tmp_path, CORNER, camera)[0, 0, 0]
    assert plain == pytest.approx(float(shown(0.8)), abs=ONE)
    left = light_of(found) / light_of(plain)
    assert 1.0 - left == pytest.approx(_wall_share(distance, 1.0), abs=RAY)


def test_an_open_floor_is_as_light_as_without_corners(tmp_path: Path) -> None:
    """Rays do not meet the surface that they start on, flat or round."""
    ball = 'Solid { name "ball" translation -3 0 0 children [ Shape { appearance PBRAppearance { '
    ball += "roughness 1 metalness 0 } geometry Sphere { radius 0.3 } } ] }"
    for x in (0.0, -3.0):
        lit = f"translation {x} 0 1 rotation 0 1 0 1.570796327 width 8 height 8 fieldOfView 0.4 "
        plain = _seen(tmp_path, CORNER + ball, lit)
        dark = _seen(tmp_path, CORNER + ball, lit + "ambientOcclusionRadius 0.5")
        assert np.abs(plain - dark).max() <= ONE


def test_films_have_dark_corners_where_the_world_asks_for_them(tmp_path: Path) -> None:
    """Not by the field's default of 2 m: the eye is 3 m above the floor and sees it next to the wall."""
    light = {}
    for written in ("", "ambientOcclusionRadius 1"):
        view = f"Viewpoint {{ position 3.999 0 2 orientation 0 1 0 1.570796327 {written} }}"
        text = f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\n{view}\n{CORNER}"
        (tmp_path / "w.wbt").write_text(text)
        picture = ViewpointCamera(sb.Sim(sb.load(tmp_path / "w.wbt")), (33, 33)).picture()
        light[written] = float(picture[16, 16, 0])
    assert light[""] == pytest.approx(float(shown(0.8)), abs=ONE)
    share = light_of(light["ambientOcclusionRadius 1"]) / light_of(light[""])
    assert 1.0 - share == pytest.approx(_wall_share(0.001, 1.0), abs=RAY)
