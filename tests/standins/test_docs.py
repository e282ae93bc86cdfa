"""docs/standins-list.md and sheets with pictures show every stand-in, docs/standins.md every controller."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
from PIL import Image

import solidbody
from docs.make_standin_images import COLUMNS, HEIGHT, LARGER, WIDTH
from solidbody.formats.webots.protos.standin_protos import find_own, own_names

DOCS = Path(__file__).parents[2] / "docs"


def groups() -> dict[str, list[str]]:
    """Return all names by their groups, as they stand in a sheet."""
    rows: list[tuple[str, str]] = []
    for name in own_names():
        own = find_own(name)
        assert own is not None
        rows.append((Path(own.file).parent.name, name))
    grouped = groupby(sorted(rows), key=lambda row: row[0])
    return {group: [name for _, name in members] for group, members in grouped}


def test_every_stand_in_is_listed_in_its_group() -> None:
    """Made by docs/make_standin_images.py; run it after adding a PROTO."""
    text = (DOCS / "standins-list.md").read_text("utf-8")
    for group, names in groups().items():
        part = text.partition(f"\n## {group}\n")[2].partition("\n## ")[0]
        assert [name for name in names if f"`{name}`" not in part] == [], group


def test_every_controller_is_listed() -> None:
    home = Path(solidbody.__file__).parent / "standins" / "controllers"
    names = [folder.name for folder in home.iterdir() if (folder / f"{folder.name}.py").is_file()]
    assert len(names) > 10
    text = (DOCS / "standins.md").read_text("utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_stand_in_has_a_picture_that_shows_something() -> None:
    """One tile each; more than the sky and a name is to be seen in it, or it says that there is no form."""
    for group, names in groups().items():
        with Image.open(DOCS / "images" / "standins" / f"{group}.png") as image:
            sheet = np.asarray(image.convert("RGB")).astype(int)
        columns = min(COLUMNS, len(names))
        rows = -(-len(names) // columns)
        zoom = LARGER.get(group, 1.0)
        height, width = round(zoom * HEIGHT), round(zoom * WIDTH)
        assert sheet.shape == (rows * height, columns * width, 3), group
        for index, name in enumerate(names):
            y, x = index // columns * height, index % columns * width
            tile = sheet[y : y + height - 14, x : x + width]  # without its name
            assert np.ptp(tile, axis=(0, 1)).max() > 20, name
