"""The page's languages: every text of the page is in each of them, with the same places for values."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"

SAID = re.compile(r'\bt\("((?:[^"\\]|\\.)*)"')
"""Texts in the page's sources that are looked up."""

KEYS = re.compile(
    r"(?:(?:Ctrl|Shift|Alt)(?:\+\w+)?|Esc|Page . ?|CSV|ms|rad|s|Python|C\+\+|[\d.]+|solidbody|\W*)\Z"
)
"""Names of keys, units and products, which are the same everywhere."""


class Texts(HTMLParser):
    """Collects what users read of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("title", "aria-label", "placeholder") and value:
                self.found.add(value)

    def handle_data(self, data: str) -> None:
        self.found.add(data.strip())


def texts() -> set[str]:
    """Return all texts that need a translation."""
    page = (WEB / "index.html").read_text(encoding="utf-8")
    reader = Texts()
    reader.feed(page[page.index("<body>") :])
    sources = sorted((WEB / "src").glob("*.ts"))
    for path in sources:
        reader.found.update(
            json.loads(f'"{text}"') for text in SAID.findall(path.read_text("utf-8"))
        )
    return {text for text in reader.found if not KEYS.match(text) and len(text) > 1}


@pytest.mark.parametrize("language", ["es", "ja"])
def test_every_text_is_translated(language: str) -> None:
    words = json.loads((WEB / "src" / "languages" / f"{language}.json").read_text("utf-8"))
    assert sorted(texts() - words.keys()) == []
    for english, word in words.items():
        assert word
        assert sorted(re.findall(r"\{\d\}", english)) == sorted(re.findall(r"\{\d\}", word)), (
            english
        )


def test_languages_have_the_same_words() -> None:
    one, other = (
        json.loads((WEB / "src" / "languages" / f"{name}.json").read_text("utf-8"))
        for name in ("es", "ja")
    )
    assert one.keys() == other.keys()
