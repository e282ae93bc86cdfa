"""docs/standins-list.md shows what there is."""

from __future__ import annotations

from pathlib import Path

from solidbody.formats.webots.protos.own import find_own, own_names

DOCS = Path(__file__).parents[2] / "docs"
OTHERS = {"robots", "devices"}  # listed too, but they come and go with their own tests


def test_every_object_is_listed_and_its_group_has_a_picture() -> None:
    """Made by docs/make_standin_images.py; run it after adding a PROTO."""
    text = (DOCS / "standins-list.md").read_text("utf-8")
    for name in own_names():
        own = find_own(name)
        assert own is not None
        group = Path(own.file).parent.name
        if group in OTHERS:
            continue
        assert f"`{name}`" in text.partition(f"\n## {group}\n")[2].partition("\n## ")[0], name
        assert (DOCS / "images" / "standins" / f"{group}.png").is_file()
