"""Lamps with cones, fog, and pictures on surfaces: colours against their formulas."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.model.geometry import GeometryHeightField
from solidbody.render.shapes import height_field_data
from tests.render.seeing import PAPER, UPRIGHT, seen, shown

HALF = math.pi / 2
ONE = 1.0
"""[of 255] Rounding to bytes."""


def _seen(
    folder: Path, nodes: str, camera: str = "width 64 height 64 fieldOfView 1.0"
) -> np.ndarray:
    return seen(folder, nodes, camera)


def _wall(look: str = "", *, size: str = "20 20", at: float = 2.0) -> str:
    """A white matt plane across the view whose picture is upright for the camera.

    The plane's x axis goes to the right of the camera (-y), its y axis up (z), its normal towards the camera.
    """
    material = "material Material { diffuseColor 1 1 1 ambientIntensity 0 }"
    return (
        f"Solid {{ translation {at} 0 0 rotation {UPRIGHT} children [ Shape {{ "
        f"appearance Appearance {{ {material} {look} }} "
        f"geometry Plane {{ size {size} }} }} ] }}"
    )


def _lamp(look: str, *, size: str = "20 20", at: float = 2.0) -> str:
    """Such a wall that glows."""
    material = "material Material { diffuseColor 1 1 1 ambientIntensity 0 }"
    plain = f"Appearance {{ {material}  }}"
    wall = _wall(size=size, at=at)
    assert plain in wall
    return wall.replace(plain, f"PBRAppearance {{ baseColor 0 0 0 {look} }}")


def test_a_spot_light_fades_between_beam_width_and_cut_off_angle(tmp_path: Path) -> None:
    """Full within 0.2 rad, none beyond 0.4, (0.4 - angle)/0.2 between; times the cosine on the wall."""
    light = (
        "SpotLight { direction 1 0 0 beamWidth 0.2 cutOffAngle 0.4 radius 100 attenuation 1 0 0 }"
    )
    found = _seen(tmp_path, light + _wall())[..., 0]
    focal = 32.0 / math.tan(0.5)
    x, y = np.meshgrid((np.arange(64) - 31.5) / focal, (np.arange(64) - 31.5) / focal)
    angle = np.arctan(np.hypot(x, y))
    cone = np.clip((0.4 - angle) / 0.2, 0.0, 1.0)
    assert found == pytest.approx(shown(cone * np.cos(angle)), abs=ONE)


def test_a_point_light_falls_off_and_ends_at_its_radius(tmp_path: Path) -> None:
    """1/(a + b d + c d^2) at 2 m with (1, 0.5, 0.25): a third; nothing beyond the radius."""
    for radius, share in ((100.0, 1.0 / 3.0), (1.5, 0.0)):
        light = f"PointLight {{ attenuation 1 0.5 0.25 radius {radius} location 0 0 0 }}"
        found = _seen(tmp_path, light + _wall(), "width 3 height 3 fieldOfView 0.01")
        assert found[1, 1] == pytest.approx(shown([share] * 3), abs=ONE)


@pytest.mark.parametrize(
    ("kind", "share"),
    [("LINEAR", 1.0 - 0.4), ("EXPONENTIAL", math.exp(-0.4)), ("EXPONENTIAL2", math.exp(-0.16))],
)
def test_fog_takes_its_share_with_the_distance(tmp_path: Path, kind: str, share: float) -> None:
    """A wall that glows red at 2 m, green fog that ends the view at 5 m: (1 - share)^2.2 of it is seen."""
    fog = f'Fog {{ color 0 1 0 fogType "{kind}" visibilityRange 5 }}'
    wall = _lamp("emissiveColor 1 0 0")
    found = _seen(tmp_path, fog + wall, "width 3 height 3 fieldOfView 0.01")
    fogged = (1.0 - share) ** 2.2
    assert found[1, 1] == pytest.approx(shown([1.0 - fogged, fogged, 0.0]), abs=ONE)


SUN = "DirectionalLight { direction 1 0 0 }"


def _letter(folder: Path, name: str, *, kind: str = "RGBA") -> np.ndarray:
    """A picture of four colours; its lower left quarter is clear where there is alpha."""
    pixels = np.zeros((16, 16, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    pixels[:8, :8, 0] = 255
    pixels[:8, 8:, 1] = 255
    pixels[8:, 8:, 2] = 255
    pixels[8:, :8] = (255, 255, 255, 0)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).convert(kind).save(folder / name, quality=100, subsampling=0)
    return pixels


VIEW = f"width 16 height 16 fieldOfView {2 * math.atan(0.25)}"
"""A wall of 1 m at 2 m fills the picture."""


def test_a_picture_is_upright_and_its_clear_parts_show_what_is_behind(tmp_path: Path) -> None:
    """Red and green above; behind the clear quarter a wall that glows."""
    _letter(tmp_path, "letter.png")
    front = _wall('texture ImageTexture { url "letter.png" }', size="1 1")
    back = _lamp("emissiveColor 1 1 0", at=3.0).replace("Solid {", 'Solid { name "b"')
    found = _seen(tmp_path, SUN + front + back, VIEW)
    quarters = {
        (3, 3): (PAPER, 0, 0),
        (3, 12): (0, PAPER, 0),
        (12, 12): (0, 0, PAPER),
        (12, 3): (PAPER, PAPER, 0),
    }
    for place, color in quarters.items():
        assert found[place] == pytest.approx(color, abs=ONE)


def test_faces_without_texture_coordinates_get_them_by_their_box(tmp_path: Path) -> None:
    """The longest side of the box is as wide as the picture, as in VRML97: a square is as a plane."""
    _letter(tmp_path, "letter.png", kind="RGB")
    plane = _wall('texture ImageTexture { url "letter.png" }', size="1 1")
    faces = (
        "IndexedFaceSet { coord Coordinate { point [ -0.5 -0.5 0, 0.5 -0.5 0, 0.5 0.5 0, -0.5 0.5 0 ] } "
        "coordIndex [ 0 1 2 3 -1 ] }"
    )
    square = plane.replace("Plane { size 1 1 }", faces)
    assert square != plane
    assert (_seen(tmp_path, SUN + square, VIEW) == _seen(tmp_path, SUN + plane, VIEW)).all()


def test_a_picture_is_repeated_turned_and_clamped_as_its_fields_say(tmp_path: Path) -> None:
    """Twice as small: four copies; without repetition the edge goes on."""
    _letter(tmp_path, "letter.png", kind="RGB")
    look = (
        'texture ImageTexture {{ url "letter.png" {} }} '
        "textureTransform TextureTransform {{ scale 2 2 }}"
    )
    many = _seen(tmp_path, SUN + _wall(look.format(""), size="1 1"), VIEW)
    assert many[1, 1] == pytest.approx(many[1, 9], abs=ONE)
    assert many[1, 1] == pytest.approx(many[9, 1], abs=ONE)
    assert many[1, 1] == pytest.approx((PAPER, 0, 0), abs=ONE)
    once = _seen(
        tmp_path, SUN + _wall(look.format("repeatS FALSE repeatT FALSE"), size="1 1"), VIEW
    )
    # texture coordinates run from 0 to 2: the picture fills the lower left, its last row and column the rest
    assert once[9, 1] == pytest.approx((PAPER, 0, 0), abs=ONE)
    assert once[2, 13] == pytest.approx((0, PAPER, 0), abs=ONE)


def test_pictures_are_found_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    """In a PROTO of another folder, as JPEG; a list of addresses: the first one counts."""
    _letter(tmp_path / "library" / "protos", "textures/letter.jpg", kind="RGB")
    look = 'texture ImageTexture { url [ "textures/letter.jpg" "other.png" ] }'
    (tmp_path / "library" / "protos" / "Wall.proto").write_text(
        f"#VRML_SIM R2025a utf8\nPROTO Wall [ ] {{ {_wall(look, size='1 1')} }}"
    )
    found = _seen(tmp_path, f'EXTERNPROTO "library/protos/Wall.proto"\n{SUN} Wall {{ }}', VIEW)
    assert found[3, 3] == pytest.approx((PAPER, 0, 0), abs=12)  # JPEG


def test_a_camera_with_anti_aliasing_mixes_at_edges(tmp_path: Path) -> None:
    """A slanted edge between black and white: two grey levels become more."""
    edge = (
        "Background { skyColor [ 1 1 1 ] } Solid { translation 2 2 0 rotation 1 0 0 0.3 children [ Shape { "
        "appearance Appearance { material Material { diffuseColor 0 0 0 } } "
        "geometry Box { size 0.1 4 9 } } ] }"
    )
    rough = np.unique(_seen(tmp_path, edge, "width 32 height 32"))
    smooth = np.unique(_seen(tmp_path, edge, "width 32 height 32 antiAliasing TRUE"))
    assert len(rough) == 2
    assert len(smooth) > 2


@pytest.mark.parametrize(
    "geometry",
    [
        "Plane { size 20 20 }",
        "Box { size 20 20 0.001 }",
        "IndexedFaceSet { coord Coordinate { point [ -10 -10 0, 10 -10 0, 10 10 0, -10 10 0 ] } "
        "texCoord TextureCoordinate { point [ 0 0, 1 0, 1 1, 0 1 ] } coordIndex [ 0 1 2 3 -1 ] "
        "texCoordIndex [ 0 1 2 3 -1 ] }",
    ],
)
def test_a_fine_pattern_seen_from_afar_is_its_mean(tmp_path: Path, geometry: str) -> None:
    """A chess board of single texels: fields of 1.2 mm under pixels of 94 mm are grey, without noise."""
    board = np.indices((64, 64)).sum(axis=0) % 2 * 255
    Image.fromarray(board.astype(np.uint8)).convert("RGB").save(tmp_path / "board.png")
    look = (
        'texture ImageTexture { url "board.png" } '
        "textureTransform TextureTransform { scale 256 256 }"
    )
    wall = (
        _wall(look)
        .replace("Plane { size 20 20 }", geometry)
        .replace("translation 2", "translation 6")
    )
    assert geometry in wall
    found = _seen(tmp_path, SUN + wall)
    # a smaller copy of one grey in the light that falls straight on, 255/2 rounded to bytes: as light
    # ((0.5 + 0.055)/1.055)^2.4
    grey = shown(((0.5 + 0.055) / 1.055) ** 2.4)
    assert found == pytest.approx(np.full(found.shape, grey), abs=1.5)


def test_a_coarse_pattern_stays_sharp(tmp_path: Path) -> None:
    """Texels of 31 cm at 2 m, many pixels each: black and white but for the blend between texels."""
    board = np.indices((64, 64)).sum(axis=0) % 2 * 255
    Image.fromarray(board.astype(np.uint8)).convert("RGB").save(tmp_path / "board.png")
    found = _seen(tmp_path, SUN + _wall('texture ImageTexture { url "board.png" }'))
    assert found.min() < 16
    assert found.max() > PAPER - 8


def test_without_filtering_texels_have_hard_edges(tmp_path: Path) -> None:
    """Four texels of four pixels: nothing between black and white; with filtering the same picture blends."""
    Image.fromarray(np.array([[0, 255, 0, 255]] * 4, dtype=np.uint8)).convert("RGB").save(
        tmp_path / "bars.png"
    )
    values = []
    for filtering in (0, 4):
        look = f'texture ImageTexture {{ url "bars.png" filtering {filtering} }}'
        found = _seen(tmp_path, SUN + _wall(look, size="1 1"), VIEW)
        values.append(set(found[..., 0].ravel().tolist()))
    assert values[0] == {0.0, PAPER}
    assert len(values[1]) > 2


def test_a_sheet_of_two_faces_in_one_place_is_seen_from_both_sides(tmp_path: Path) -> None:
    """Faces 0 1 2 3 and 3 2 1 0 across the view: every pixel sees the sheet, none goes through."""
    sheet = (
        "Solid { translation %s 0 0 rotation 0 1 0 0.1 children [ Shape { "
        "appearance Appearance { material Material { diffuseColor 0 0 0 emissiveColor 1 0 0 } } "
        "geometry IndexedFaceSet { coord Coordinate { "
        "point [ 0 -9 -9, 0 9 -9, 0 9 9, 0 -9 9 ] } coordIndex [ 0 1 2 3 -1 3 2 1 0 -1 ] } } ] }"
    )
    sky = "Background { skyColor [ 0 0 1 ] }"
    for place in ("2", "-2"):
        turn = "" if place == "2" else f"rotation 0 0 1 {math.pi}"
        found = _seen(tmp_path, sky + sheet % place, f"width 32 height 32 {turn}")
        assert (found == [PAPER, 0.0, 0.0]).all()


@pytest.mark.parametrize("light", ["", "DirectionalLight { direction 1 0 0 ambientIntensity 1 }"])
def test_an_appearance_without_material_is_white_or_its_picture_in_any_light(
    tmp_path: Path, light: str
) -> None:
    """As Webots draws it: no lamp and no sky falls on it."""
    material = "material Material { diffuseColor 1 1 1 ambientIntensity 0 }"
    sky = "Background { skyColor [ 0.4 0.7 1 ] }"
    assert np.abs(_seen(tmp_path, sky + light + _wall().replace(material, "")) - PAPER).max() <= ONE
    Image.new("RGB", (2, 2), (255, 0, 0)).save(tmp_path / "red.png")
    red = _wall('texture ImageTexture { url "red.png" }').replace(material, "")
    assert np.abs(_seen(tmp_path, sky + light + red) - (PAPER, 0, 0)).max() <= ONE


@pytest.mark.parametrize(("per_point", "turns"), [(False, 3), (True, 4)])
def test_two_colors_of_a_grid_make_a_chessboard(per_point: bool, turns: int) -> None:
    """Fewer colours than cells (3 x 2) or points (4 x 3) are taken in turn along both axes."""
    red, blue = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    grid = GeometryHeightField(4, 3, 1.0, 1.0, (0.0,) * 12, 1.0, (red, blue), per_point)
    mesh = height_field_data(grid)
    assert mesh.colors is not None
    corners = mesh.triangles.ravel()
    for corner, (point, color) in enumerate(zip(corners, mesh.colors, strict=True)):
        place = int(point) if per_point else corner // 6
        assert tuple(color) == (red, blue)[(place % turns + place // turns) % 2]


def test_an_emissive_map_says_where_a_surface_glows(tmp_path: Path) -> None:
    """No lamp: only the glow is seen, its picture in the place of its colour, by its intensity."""
    _letter(tmp_path, "letter.png", kind="RGB")
    look = 'emissiveColorMap ImageTexture { url "letter.png" } emissiveIntensity 0.5'
    found = _seen(tmp_path, _lamp(look, size="1 1"), VIEW)
    half = shown(0.5)
    quarters = {(3, 3): (half, 0, 0), (3, 12): (0, half, 0), (12, 12): (0, 0, half)}
    for place, color in quarters.items():
        assert found[place] == pytest.approx(color, abs=ONE)


def test_a_surface_whose_emissive_map_is_missing_is_dark(tmp_path: Path) -> None:
    look = 'emissiveColorMap ImageTexture { url "missing.png" }'
    assert (_seen(tmp_path, _lamp(look, size="1 1"), VIEW) == 0.0).all()


@pytest.mark.parametrize(
    ("parts", "is_seen"),
    [("", True), ("top FALSE", True), ("top FALSE bottom FALSE", False), ("side FALSE", True)],
)
def test_only_the_parts_of_a_capsule_that_it_draws_are_seen(
    tmp_path: Path, parts: str, is_seen: bool
) -> None:
    """Along its axis: the caps, an open one shows the inside of the other; nothing if both are open."""
    capsule = f"Capsule {{ radius 0.2 height 1 {parts} }}"
    look = "appearance PBRAppearance { baseColor 0 0 0 }"
    shape = f"Shape {{ {look} geometry {capsule} }}"
    pose = f"Pose {{ translation 2 0 0 rotation 0 1 0 -1.5708 children [ {shape} ] }}"
    nodes = f"Background {{ skyColor [ 1 1 1 ] }} {pose}"
    pixel = seen(tmp_path, nodes, "width 1 height 1 fieldOfView 0.01")[0, 0]
    assert bool((pixel < 250).all()) is is_seen
