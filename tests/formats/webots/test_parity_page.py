"""The page about Webots nodes is what the table says."""

from __future__ import annotations

from pathlib import Path

from solidbody.formats.webots.parity import main, render_page

PAGE = Path(__file__).parents[3] / "docs" / "webots-nodes.md"


def test_page_is_fresh() -> None:
    """If this fails: python -m solidbody.formats.webots.parity."""
    assert PAGE.read_text(encoding="utf-8") == render_page()


def test_page_says_that_it_is_generated() -> None:
    assert "GENERATED FILE" in render_page().splitlines()[0]


def test_generator_writes_the_file(tmp_path: Path) -> None:
    main([str(tmp_path / "page.md")])
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == render_page()
