"""Textures and their addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from solidbody.base import pictures
from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.formats import images
from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from solidbody.formats.webots.lower import images as lower_images
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


@pytest.mark.parametrize(("place", "address"), [("worlds", "a.png"), ("protos", "protos/a.png")])
def test_image_of_a_proto_may_lie_beside_the_world_or_the_projects_protos(
    tmp_path: Path, place: str, address: str
) -> None:
    """Old PROTOs have their images there: Webots looked in both places up to R2022a."""
    for folder in ("worlds", "protos/deep"):
        (tmp_path / folder).mkdir(parents=True)
    Image.new("RGB", (2, 2)).save(tmp_path / place / "a.png")
    (tmp_path / "protos" / "deep" / "P.proto").write_text(
        "#VRML_SIM V8.6 utf8\nPROTO P [ ] { Solid { children [ Shape { appearance Appearance { "
        'texture ImageTexture { url "a.png" } } geometry Box { } } ] } }\n',
        "utf-8",
    )
    world = tmp_path / "worlds" / "w.wbt"
    world.write_text("#VRML_SIM V8.6 utf8\nWorldInfo { }\nViewpoint { }\nP { }\n", "utf-8")
    scene, log = read_scene(world)
    assert scene is not None and [str(item) for item in log] == []
    found = scene.bodies[0].links[0].shapes[0].appearance
    assert found is not None and found.texture is not None
    assert found.texture.uri == (address if "/" not in address else str(tmp_path / address))


PAINTED = (
    "DEF WALL Shape { appearance PBRAppearance { baseColorMap ImageTexture { %s } } "
    "geometry Box { } }"
)


def checked(project: Path, node: str) -> tuple[Diagnostic, ...]:
    """Return what checking a world with one node says, its images opened."""
    world = project / "w.wbt"
    world.write_text(f"#VRML_SIM R2025a utf8\nWorldInfo {{ }}\nViewpoint {{ }}\n{node}\n")
    scene, log = read_scene(world, options=LoadOptions(check_images=True))
    assert scene is not None
    return tuple(log)


def picture(path: Path, size: tuple[int, int] = (3, 2)) -> Path:
    """Write an image; its extension is its format."""
    Image.new("RGB", size, (200, 30, 40)).save(path)
    return path


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.bmp", "a.tga", "a.tiff"])
def test_image_that_can_be_decoded_is_not_mentioned(tmp_path: Path, name: str) -> None:
    picture(tmp_path / name)
    assert checked(tmp_path, PAINTED % f'url [ "{name}" ]') == ()


def test_missing_image_names_the_file_and_the_node(tmp_path: Path) -> None:
    (found,) = checked(tmp_path, PAINTED % 'url [ "gone.png" ]')
    assert (found.severity, found.code) == (Severity.WARNING, "missing-image")
    assert found.text == 'the image "gone.png": there is no such file; not drawn.'
    assert found.node == "DEF WALL Shape > PBRAppearance > ImageTexture"
    assert (found.field, found.span.line) == ("url", 4)


@pytest.mark.parametrize("cut", [0, 20, 60])
def test_broken_image_names_the_file_and_the_node(tmp_path: Path, cut: int) -> None:
    path = picture(tmp_path / "a.png", (50, 50))
    path.write_bytes(path.read_bytes()[:cut])
    (found,) = checked(tmp_path, PAINTED % 'url [ "a.png" ]')
    assert (found.severity, found.code) == (Severity.WARNING, "broken-image")
    assert found.text.startswith('the image "a.png" cannot be used: it is ')
    assert found.node == "DEF WALL Shape > PBRAppearance > ImageTexture"


def test_large_image_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture(tmp_path / "a.png", (11, 10))
    monkeypatch.setattr(pictures, "MAX_PIXELS", 100)
    (found,) = checked(tmp_path, PAINTED % 'url [ "a.png" ]')
    assert "it has 11 x 10 pixels; at most 100 are decoded" in found.text
    monkeypatch.setattr(pictures, "MAX_BYTES", 10)
    (found,) = checked(tmp_path, PAINTED % 'url [ "a.png" ]')
    assert "bytes; at most 10 are read" in found.text


def test_image_outside_the_project_is_refused(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    picture(tmp_path / "secret.png")
    (found,) = checked(project, PAINTED % 'url [ "../secret.png" ]')
    assert found.code == "missing-image" and "leads out of the folders" in found.text


@pytest.mark.parametrize("url", ["webots://projects/a.png", "https://example.org/a.png"])
def test_image_that_is_elsewhere_is_only_information(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    (found,) = checked(tmp_path, PAINTED % f'url [ "{url}" ]')
    assert (found.severity, found.code) == (Severity.INFO, "unseen-image")
    assert url in found.text


def test_image_used_often_is_opened_once_and_reported_to_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.png").write_text("nothing")
    opened: list[Path] = []
    real = images.check_image
    monkeypatch.setattr(lower_images, "check_image", lambda path: opened.append(path) or real(path))
    found = checked(tmp_path, 2 * (PAINTED % 'url [ "a.png" ]'))
    assert [item.code for item in found] == ["broken-image", "broken-image"]
    assert len(opened) == 1


def test_light_of_a_sky_is_read_by_its_head(tmp_path: Path) -> None:
    sides = ("right", "left", "top", "bottom", "front", "back")
    fields = " ".join(f'{side}IrradianceUrl "sky.hdr"' for side in sides)
    sky = tmp_path / "sky.hdr"
    sky.write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 3\n" + bytes(24))
    assert checked(tmp_path, f"Background {{ {fields} }}") == ()
    sky.write_bytes(b"nothing")
    found = checked(tmp_path, f"Background {{ {fields} }}")
    assert [(item.code, item.field) for item in found] == [
        ("broken-image", f"{side}IrradianceUrl") for side in sides
    ]


def test_image_of_a_mesh_file_is_checked_for_the_node_that_wants_it(tmp_path: Path) -> None:
    (tmp_path / "t.mtl").write_text("newmtl m\nKd 1 1 1\nmap_Kd gone.png\n")
    (tmp_path / "t.obj").write_text(
        "mtllib t.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n"
    )
    (found,) = checked(tmp_path, 'DEF CAD CadShape { url "t.obj" }')
    assert (found.code, found.node, found.field) == ("missing-image", "DEF CAD CadShape", "url")
    assert '"gone.png": there is no such file' in found.text


def test_missing_image_is_not_looked_for_at_load() -> None:
    """Images are opened only when somebody wants to see them."""
    found = look('PBRAppearance { baseColorMap ImageTexture { url "nowhere.png" } }')
    assert found.texture == Texture("nowhere.png")
