"""Materials, textures and texture transforms of Shape nodes."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from solidbody.model.geometry import GeometryMesh
from tests.formats.choreonoid.bodies import HEADER, RADIANS, clean_link, read_link


def look_of(appearance: str, *, header: str = HEADER) -> Appearance | None:
    """Return the look of a box about which there is nothing to say."""
    link = clean_link(_shape(appearance), header=header)
    return link.shapes[0].appearance


def _shape(appearance: str) -> str:
    return f"elements: {{ Shape: {{ appearance: {appearance}, geometry: {{ type: Box }} }} }}"


def test_a_material_has_choreonoids_defaults() -> None:
    """White, opaque, without highlight, exponent 25."""
    assert look_of("{ material: { } }") == Appearance(
        base_color=(1.0, 1.0, 1.0),
        specular=(0.0, 0.0, 0.0),
        shininess=25.0 / 128.0,
        ambient=1.0,
        transparency=0.0,
    )


def test_without_material_the_neutral_look_is_used() -> None:
    """Also for keys without a value."""
    assert look_of("{ }") is None
    assert look_of("{ material: , texture: , textureTransform: }") is None


@pytest.mark.parametrize(
    "text",
    [
        "ambient: 0.5, diffuse: [1, 0, 0], emissive: [0, 1, 0], specular: [0, 0, 1]",
        "ambientIntensity: 0.5, diffuseColor: [1, 0, 0], emissiveColor: [0, 1, 0], "
        "specularColor: [0, 0, 1]",
    ],
)
def test_both_spellings_of_colours(text: str) -> None:
    """snake_case and camelCase."""
    look = look_of(f"{{ material: {{ {text} }} }}")
    assert look is not None
    assert look.ambient == 0.5
    assert look.base_color == (1.0, 0.0, 0.0)
    assert look.emissive == (0.0, 1.0, 0.0)
    assert look.specular == (0.0, 0.0, 1.0)


def test_transparency_1_is_invisible() -> None:
    """The code, not the manual: 0 is opaque."""
    look = look_of("{ material: { transparency: 0.75 } }")
    assert look is not None
    assert look.transparency == 0.75


def test_transparency_outside_0_to_1_is_clamped_with_a_warning() -> None:
    """The message says which end is which."""
    link, log = read_link(_shape("{ material: { transparency: 2 } }"))
    look = link.shapes[0].appearance
    assert look is not None and look.transparency == 1.0
    assert [item.text for item in log] == [
        "expected a number from 0 (opaque) to 1 (invisible), got 2."
    ]


@pytest.mark.parametrize(
    ("text", "exponent"),
    [
        ("specular_exponent: 64", 64.0),
        ("shininess: 0", 1.0),
        ("shininess: 0.5", 64.5),
        ("shininess: 7", 128.0),
    ],
)
def test_highlights_are_exponents(text: str, exponent: float) -> None:
    """Shininess s stands for 127 s + 1, s clamped to 0..1."""
    look = look_of(f"{{ material: {{ {text} }} }}")
    assert look is not None
    assert look.shininess == pytest.approx(exponent / 128.0)


def test_the_exponent_counts_before_shininess() -> None:
    """The other one is not read, which is said."""
    link, log = read_link(_shape("{ material: { specular_exponent: 64, shininess: 0 } }"))
    look = link.shapes[0].appearance
    assert look is not None and look.shininess == 0.5
    assert [(item.code, item.field) for item in log] == [("unread-key", "shininess")]


@pytest.mark.parametrize(
    ("text", "repeat"),
    [
        ("url: a.png", (True, True)),
        ("uri: a.png", (True, True)),
        ("uri: a.png, repeat: false", (False, False)),
        ("uri: a.png, repeat: [true, false]", (True, False)),
        ("uri: a.png, repeat_s: false", (False, True)),
        ("uri: a.png, repeatT: false", (True, False)),
        ("uri: a.png, repeatT: false, repeat: true", (True, True)),
    ],
)
def test_textures_repeat_as_they_say(text: str, repeat: tuple[bool, bool]) -> None:
    """`repeat` comes before the keys for one direction."""
    assert look_of(f"{{ texture: {{ {text} }} }}") == Appearance(texture=Texture("a.png", repeat))


def test_a_texture_without_address_is_none() -> None:
    """Nothing to draw."""
    assert look_of("{ texture: { repeat: true } }") is None


@pytest.mark.parametrize(("angle", "header"), [(90, HEADER), (math.pi / 2, RADIANS)])
@pytest.mark.parametrize("key", ["texture_transform", "textureTransform"])
def test_texture_transforms_turn_in_the_files_unit(key: str, angle: float, header: str) -> None:
    """As those of VRML97."""
    look = look_of(
        f"{{ texture: {{ url: a.png }}, {key}: {{ center: [1, 2], scale: [3, 4], "
        f"translation: [5, 6], rotation: {angle} }} }}",
        header=header,
    )
    assert look is not None
    transform = look.texture_transform
    assert transform is not None
    assert transform.rotation == pytest.approx(math.pi / 2)
    assert transform == TextureTransform((1.0, 2.0), transform.rotation, (3.0, 4.0), (5.0, 6.0))


def test_a_texture_transform_without_texture_has_no_effect() -> None:
    """As in Choreonoid."""
    look = look_of("{ material: { }, texture_transform: { scale: [2, 2] } }")
    assert look is not None
    assert look.texture_transform is None


def test_a_list_as_rotation_is_not_read() -> None:
    """Shipped files have it."""
    link, log = read_link(
        _shape("{ texture: { url: a.png }, textureTransform: { rotation: [0, 0, 1, 90] } }")
    )
    look = link.shapes[0].appearance
    assert look is not None and look.texture_transform == TextureTransform()
    assert [item.severity.value for item in log] == ["warning"]


def test_textured_meshes_get_coordinates() -> None:
    """VRML97's: the longest side of the bounding box is 0..1."""
    link = clean_link(
        "elements: { Shape: { appearance: { texture: { url: a.png } }, geometry: { type: "
        "IndexedFaceSet, vertices: [0,0,0, 4,0,0, 4,2,0], faces: [0, 1, 2] } } }"
    )
    mesh = link.shapes[0].geometry
    assert isinstance(mesh, GeometryMesh)
    assert mesh.texture_coordinates == ((0.0, 0.0), (1.0, 0.0), (1.0, 0.5))


def test_images_are_opened_only_when_asked(tmp_path: Path) -> None:
    """Loading keeps addresses; check names what is missing."""
    body = tmp_path / "a.body"
    body.write_text(
        f"{HEADER}links:\n  - name: ROOT\n    {_shape('{ texture: { url: none.png } }')}\n"
    )
    scene, log = read_scene(body)
    assert scene is not None
    assert [str(item) for item in log] == []
    scene, log = read_scene(body, options=LoadOptions(check_images=True))
    assert scene is not None
    (item,) = log
    assert item.code == "missing-texture"
    assert 'the image "none.png" cannot be used: there is no such file' in item.text
