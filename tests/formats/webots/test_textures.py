"""Textures and their addresses."""

from __future__ import annotations

from pathlib import Path

from solidbody.formats.loading import read_scene
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from tests.formats.reading import read_clean


def look(appearance: str) -> Appearance:
    """Return the appearance of a Shape without faults."""
    scene = read_clean(f"Shape {{ appearance {appearance} geometry Box {{ }} }}")
    found = scene.bodies[0].links[0].shapes[0].appearance
    assert found is not None
    return found


def test_every_map_of_a_pbr_appearance_is_kept() -> None:
    maps = ("baseColorMap", "normalMap", "roughnessMap", "metalnessMap", "occlusionMap")
    fields = " ".join(
        f'{name} ImageTexture {{ url "{name}.png" }}' for name in (*maps, "emissiveColorMap")
    )
    found = look(f"PBRAppearance {{ {fields} }}")
    textures = (
        found.texture,
        found.normal_map,
        found.roughness_map,
        found.metalness_map,
        found.occlusion_map,
        found.emissive_map,
    )
    assert [item.uri for item in textures if item] == [
        f"{name}.png" for name in (*maps, "emissiveColorMap")
    ]


def test_texture_of_a_classic_appearance_with_its_transform() -> None:
    found = look(
        'Appearance { texture ImageTexture { url [ "a\\\\b.png" ] repeatS FALSE filtering 2 } '
        "textureTransform TextureTransform { center 1 2 rotation 0.5 scale 3 4 translation 5 6 } }"
    )
    assert found.texture == Texture("a/b.png", (False, True), 2)
    assert found.texture_transform == TextureTransform((1, 2), 0.5, (3, 4), (5, 6))


def test_image_texture_without_url_is_no_image() -> None:
    assert look("PBRAppearance { baseColorMap ImageTexture { } }").texture is None


def test_address_in_a_proto_is_relative_to_the_proto(tmp_path: Path) -> None:
    (tmp_path / "worlds").mkdir()
    (tmp_path / "protos").mkdir()
    (tmp_path / "protos" / "Painted.proto").write_text(
        "#VRML_SIM R2025a utf8\nPROTO Painted [ ] {\n  Solid { children Shape { geometry Box { } "
        'appearance PBRAppearance { baseColorMap ImageTexture { url "textures/a.png" } } } }\n}\n'
    )
    world = tmp_path / "worlds" / "w.wbt"
    world.write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "../protos/Painted.proto"\nWorldInfo { }\n'
        "Viewpoint { }\nPainted { }\n"
    )
    scene, log = read_scene(world)
    assert scene is not None and [str(item) for item in log] == []
    found = scene.bodies[0].links[0].shapes[0].appearance
    assert found is not None and found.texture is not None
    assert Path(found.texture.uri) == tmp_path / "protos" / "textures" / "a.png"


def test_missing_image_is_not_looked_for_at_load() -> None:
    """Images are opened only when somebody wants to see them."""
    found = look('PBRAppearance { baseColorMap ImageTexture { url "nowhere.png" } }')
    assert found.texture == Texture("nowhere.png")
