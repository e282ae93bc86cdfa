"""Pictures on surfaces travel inside the scene, small and decoded anew."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from solidbody.base.file_access import EVERY_FILE
from solidbody.model.appearance import Appearance, Texture, TextureTransform
from solidbody.viewer.textures import SIDE_LIMIT, TextureTable, texture_matrix


def decoded(address: str) -> Image.Image:
    head, _, text = address.partition(";base64,")
    assert head in ("data:image/png", "data:image/jpeg")
    return Image.open(io.BytesIO(base64.b64decode(text)))


def test_a_large_picture_is_made_small_and_listed_once(tmp_path: Path) -> None:
    """The same address gives the same place; the sides keep their ratio."""
    Image.new("RGB", (2 * SIDE_LIMIT, SIDE_LIMIT), (200, 0, 0)).save(tmp_path / "wide.png")
    table = TextureTable(str(tmp_path / "world.wbt"), EVERY_FILE)
    places = {table.index(Texture("wide.png"), str(tmp_path / "world.wbt")) for _ in range(3)}
    assert places == {0} and len(table.textures) == 1
    image = decoded(table.textures[0].image)
    assert image.size == (SIDE_LIMIT, SIDE_LIMIT // 2)
    assert table.textures[0].opaque


def test_holes_are_kept(tmp_path: Path) -> None:
    """A picture with transparent parts stays a PNG."""
    Image.new("RGBA", (8, 8), (0, 0, 0, 0)).save(tmp_path / "hole.png")
    table = TextureTable(str(tmp_path / "world.wbt"), EVERY_FILE)
    assert table.index(Texture("hole.png", repeat=(False, True)), "") == 0
    (found,) = table.textures
    assert (found.opaque, found.repeat_u, found.repeat_v) == (False, False, True)
    assert decoded(found.image).mode == "RGBA"


@pytest.mark.parametrize("name", ["missing.png", "secret.txt", "https://example.org/a.png", ""])
def test_what_is_no_picture_is_not_sent(tmp_path: Path, name: str) -> None:
    """Only what decodes as a picture leaves the machine's files."""
    (tmp_path / "secret.txt").write_text("password", encoding="utf-8")
    table = TextureTable(str(tmp_path / "world.wbt"), EVERY_FILE)
    assert table.index(Texture(name), str(tmp_path / "world.wbt")) is None
    assert table.textures == []


def test_the_matrix_is_that_of_vrml() -> None:
    """Scale 2 1 and translation 0.25 0: u becomes 2 (u + 0.25), as -C S R C T says."""
    look = Appearance(texture_transform=TextureTransform(scale=(2, 1), translation=(0.25, 0)))
    assert texture_matrix(look) == [2.0, 0.0, 0.5, 0.0, 1.0, 0.0]
    assert texture_matrix(Appearance()) == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
