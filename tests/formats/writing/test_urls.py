"""Worlds saved in another folder: what they name is still found from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.formats.loading import load
from solidbody.formats.webots.edit.document import load_world
from tests.formats.protos.projects import HEADER, write_project

PANEL = (
    'PROTO Panel [ field SFString name "panel" field MFString texture [ ] ] { Solid { name IS name '
    "children Shape { appearance PBRAppearance { baseColorMap ImageTexture { url IS texture } } } } }"
)
WORLD = (
    "Solid { children Shape { appearance PBRAppearance {"
    ' baseColorMap ImageTexture { url [ "textures/wood.png" "webots://a/b.png" ] } } } }\n'
    'Panel { name "wood" texture [ "textures/wood.png" "textures/absent.png" ] }\n'
)


def project(folder: Path) -> Path:
    """Write a project with a texture; return its world."""
    path = write_project(folder, WORLD, {"Panel": PANEL})
    (path.parent / "textures").mkdir()
    (path.parent / "textures" / "wood.png").write_bytes(b"not opened here")
    return path


def test_relative_urls_follow_a_world_to_another_folder(tmp_path: Path) -> None:
    path = project(tmp_path)
    target = path.parent / "old" / "saved.wbt"
    target.parent.mkdir()
    load_world(path).save(target)
    text = target.read_text("utf-8")
    assert 'EXTERNPROTO "../../protos/Panel.proto"' in text
    assert text.count('"../textures/wood.png"') == 2
    assert [str(item) for item in load(target).diagnostics] == []


def test_addresses_and_strings_that_are_no_files_stay(tmp_path: Path) -> None:
    path = project(tmp_path)
    text = load_world(path).text(target=path.parent / "old" / "saved.wbt")
    assert '"webots://a/b.png"' in text
    assert 'name "wood"' in text and '"textures/absent.png"' in text


def test_same_folder_changes_nothing(tmp_path: Path) -> None:
    path = project(tmp_path)
    world = load_world(path)
    assert world.text(target=path.with_name("other.wbt")) == world.text()


def test_protos_of_the_world_itself_are_rewritten_too(tmp_path: Path) -> None:
    path = project(tmp_path)
    inline = (
        'PROTO Sign [ field MFString picture [ "textures/wood.png" ] ] { Solid { children [ Shape { '
        "appearance PBRAppearance { baseColorMap ImageTexture { url IS picture } roughnessMap "
        'ImageTexture { url "textures/rough.png" } } } ] } }\n'
    )
    path.write_text(HEADER + inline + "WorldInfo { }\nViewpoint { }\nSign { }\n", "utf-8")
    text = load_world(path).text(target=tmp_path / "saved.wbt")
    assert '"worlds/textures/wood.png"' in text and '"worlds/textures/rough.png"' in text


@pytest.mark.parametrize("declared", ["MFVec3f", "MFVec2f", "MFRotation", "MFColor"])
def test_lists_of_instances_have_one_item_a_line(tmp_path: Path, declared: str) -> None:
    width = {"MFVec3f": 3, "MFVec2f": 2, "MFRotation": 4, "MFColor": 3}[declared]
    proto = f"PROTO Way [ unconnectedField {declared} points [ ] ] {{ Solid {{ }} }}"
    numbers = " ".join(["0.5"] * width)
    path = write_project(tmp_path, f"Way {{ points [ {numbers}, {numbers} ] }}", {"Way": proto})
    assert f"points [\n    {numbers}\n    {numbers}\n  ]" in load_world(path).text()


def test_defaults_of_a_proto_have_one_item_a_line(tmp_path: Path) -> None:
    path = write_project(tmp_path, "Way { }", {})
    inline = "PROTO Way [ unconnectedField MFVec3f points [ 1 2 3, 4 5 6 ] ] { Solid { } }\n"
    path.write_text(HEADER + inline + "WorldInfo { }\nViewpoint { }\nWay { }\n", "utf-8")
    assert "points [\n    1 2 3\n    4 5 6\n  ]" in load_world(path).text()
