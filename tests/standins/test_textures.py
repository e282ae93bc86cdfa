"""The patterns on our own appearances, and floors that lay them tile by tile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from solidbody.base.file_access import EVERY_FILE
from solidbody.formats.webots.protos.standin_protos import FOLDER, LOOKS
from solidbody.model.appearance import Appearance
from solidbody.model.geometry import GeometryMesh
from solidbody.render.texture_images import find_image
from tests.standins.driving import complaints, load_world, write_world
from tools.make_textures import LEVELS, TEXTURES, picture

FILES = FOLDER / "appearances" / "textures"


def look_of(folder: Path, nodes: str, *, release: str = "R2025a") -> Appearance:
    scene, log = load_world(write_world(folder, nodes, release=release))
    assert complaints(log) == []
    looks = [shape.appearance for link in scene.links() for shape in link.shapes]
    return next(look for look in looks if look is not None)


def shape(look: str) -> str:
    return f"Solid {{ children [ Shape {{ appearance {look} geometry Box {{ }} }} ] }}"


@pytest.mark.slow
def test_shipped_files_are_those_that_the_recipe_makes() -> None:
    """A step of grey may tip over where a machine rounds a sine in another way; no more than a few do."""
    assert {path.stem for path in FILES.glob("*.png")} == set(TEXTURES)
    step = 256 / LEVELS + 1
    for name in TEXTURES:
        with Image.open(FILES / f"{name}.png") as image:
            shipped = np.asarray(image.convert("L")).astype(int)
        made = picture(name).astype(int)
        assert np.abs(shipped - made).max() <= step, name
        assert np.mean(shipped != made) < 1e-3, name


def test_every_pattern_can_be_laid_side_by_side() -> None:
    """No seam: the step over the edge is no larger than the largest within."""
    for name in TEXTURES:
        grey = picture(name).astype(int)
        for wrapped in (grey, grey.T):
            inside = np.abs(np.diff(wrapped, axis=0)).mean(axis=1)
            over_edge = np.abs(wrapped[0] - wrapped[-1]).mean()
            assert over_edge <= inside.max() + 1, name


def test_every_pattern_is_used_and_every_one_that_is_named_exists() -> None:
    named = {look.pattern for look in LOOKS.values() if look.pattern}
    named |= {name for look in LOOKS.values() for name in look.kind_patterns.values()}
    others = "".join(path.read_text("utf-8") for path in FOLDER.rglob("*.proto"))
    assert named <= set(TEXTURES)
    assert all(name in named or f"textures/{name}.png" in others for name in TEXTURES)


def test_kinds_have_patterns_of_their_own(tmp_path: Path) -> None:
    for kind, pattern in {"chequered": "checker_wood", "mosaic": "mosaic_wood"}.items():
        texture = look_of(tmp_path, shape(f'Parquetry {{ type "{kind}" }}')).texture
        assert texture is not None
        path = find_image(texture.uri, EVERY_FILE, str(tmp_path))
        assert path is not None and path.samefile(FILES / f"{pattern}.png")


def test_paint_has_no_pattern(tmp_path: Path) -> None:
    assert look_of(tmp_path, shape("GlossyPaint { }")).texture is None


def test_texture_transform_of_the_instance_reaches_the_surface(tmp_path: Path) -> None:
    look = look_of(
        tmp_path,
        shape("RedBricks { textureTransform TextureTransform { scale 3 5 rotation 0.5 } }"),
    )
    assert look.texture_transform is not None
    assert (look.texture_transform.scale, look.texture_transform.rotation) == ((3, 5), 0.5)


TILES = {
    "Floor { size 3 2 tileSize 0.5 0.25 }": (6, 8),
    "RectangleArena { floorSize 3 2 floorTileSize 0.5 0.25 }": (6, 8),
    "RectangleArena { floorSize 3 2 }": (6, 4),
    "CircleArena { radius 0.99 floorTileSize 0.5 0.25 subdivision 8 }": (4, 8),
}


@pytest.mark.slow
@pytest.mark.parametrize(("node", "count"), TILES.items())
def test_floor_shows_as_many_tiles_as_fit(
    tmp_path: Path, node: str, count: tuple[int, int]
) -> None:
    """Texture coordinates count tiles: their range is the size over that of a tile."""
    scene, log = load_world(write_world(tmp_path, node))
    assert complaints(log) == []
    forms = [shape.geometry for link in scene.links() for shape in link.shapes]
    (mesh,) = [form for form in forms if isinstance(form, GeometryMesh)]
    marks = np.array(mesh.texture_coordinates)
    assert np.ptp(marks, axis=0) == pytest.approx(count)


def test_tiles_without_size_are_reported(tmp_path: Path) -> None:
    scene, log = load_world(write_world(tmp_path, "Floor { tileSize 0 1 }"))
    assert len(scene.bodies) == 1
    assert [item.text for item in log if item.code == "template-message"] == [
        'PROTO "OwnTiles" says: sizes of tiles must be above 0; 0.5 is used.'
    ]


def test_picture_of_an_old_world_lies_on_the_floor(tmp_path: Path) -> None:
    """Worlds of the first releases give the floor a picture by its address."""
    node = 'RectangleArena { floorTextureUrl "textures/mine.png" }'
    texture = look_of(tmp_path, node, release="R2018a").texture
    assert texture is not None and texture.uri == "textures/mine.png"
