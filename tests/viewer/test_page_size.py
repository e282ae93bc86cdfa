"""What a browser loads before the first picture."""

from __future__ import annotations

import re

from solidbody.viewer.page_files import load_page

LIMIT = 600_000
"""[bytes] Compressed: a few seconds over a slow line."""


def test_the_first_picture_needs_little() -> None:
    """The page, its script and its style; the editor, thumbnails and languages come later."""
    files = load_page()
    page = files["/"].content.decode()
    first = re.findall(r'(?:src|href)="\.?(/[^"]+)"', page)
    assert any(name.endswith(".js") for name in first) and any(
        name.endswith(".css") for name in first
    )
    assert len(files["/"].compressed) + sum(len(files[name].compressed) for name in first) < LIMIT
    later = [name for name in files if name.endswith(".js") and name not in first]
    for part in ("editor", "thumbnails", "ja", "es"):
        assert any(f"/{part}-" in name for name in later), part
