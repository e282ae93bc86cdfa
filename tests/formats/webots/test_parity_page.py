"""The page about Webots nodes; tests/architecture/test_generated.py looks whether it is fresh."""

from __future__ import annotations

from pathlib import Path

from solidbody.formats.webots.nodes.parity import main, render_page


def test_page_says_that_it_is_generated() -> None:
    assert "GENERATED FILE" in render_page().splitlines()[0]


def test_generator_writes_the_file(tmp_path: Path) -> None:
    main([str(tmp_path / "page.md")])
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == render_page()
