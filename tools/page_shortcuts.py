"""Writes docs/page-shortcuts.md: the keys and mouse of the page, from the table that `?` shows there.

python tools/page_shortcuts.py
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs/page-shortcuts.md"
SOURCE: Final = ROOT / "web/index.html"

HEAD: Final = """<!-- GENERATED FILE, DO NOT EDIT: python tools/page_shortcuts.py -->
# Keys and mouse of the page

`?` shows this list on [the page](page.md). Keys that only letters name work where nothing is being typed.

| | |
|---|---|
"""


class _Table(HTMLParser):
    """Collects the cells of the table in the dialog `help`, with keys as Markdown's code."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._in_help = False
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "dialog":
            self._in_help = ("id", "help") in attrs
        elif self._in_help and tag == "tr":
            self.rows.append([])
        elif self._in_help and tag == "td":
            self.rows[-1].append("")
            self._in_cell = True
        elif self._in_cell and tag == "kbd":
            self.rows[-1][-1] += "`"

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self._in_cell = False
        elif self._in_cell and tag == "kbd":
            self.rows[-1][-1] += "`"

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data


def page() -> str:
    """Return the page."""
    table = _Table()
    table.feed(SOURCE.read_text(encoding="utf-8"))
    if len(table.rows) < 10 or any(len(row) != 2 for row in table.rows):
        raise ValueError(f"{SOURCE.name} has another table of keys")
    return HEAD + "".join(f"| {keys.strip()} | {what.strip()} |\n" for keys, what in table.rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
