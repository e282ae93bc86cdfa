"""The pages of docs/behaviour and what cites them: every rule, test and page that is named exists."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.architecture.sources import ROOT, tracked_files

FOLDER = ROOT / "docs" / "behaviour"
PAGES = sorted(FOLDER.glob("*.md"))
RULE = re.compile(r'^- <a id="(.+?)"></a>\*\*(.+?)\*\* .* (?:\*Tests?:\* (.+)|\*Not tested.*)$')
SECTION = re.compile(r'^## <a id="(.+?)"></a>(\S+) ')
TEST = re.compile(r"\[`(test_\w+)`\]\(\.\./\.\./(tests/[\w/]+\.py)\)")
LINK = re.compile(r"\]\(([\w./-]*)(?:#([\w.-]+))?\)")
CITATION = re.compile(r"\b[WCL]\d+\.\d+(?:\.\d+)?\b")
PAGE = re.compile(r"[\w./-]+\.md\b")
NUMBER_OF_NOTHING = re.compile(r"\b(?:spec|[Ss]ections?) \d")
"""A section of what? "sb_law.h section 4" says so."""


def numbers() -> list[str]:
    """Return the numbers of all sections and rules."""
    found: list[str] = []
    for page in PAGES:
        for line in page.read_text(encoding="utf-8").splitlines():
            match = RULE.match(line) or SECTION.match(line)
            if match is not None:
                assert match[1] == match[2].lower(), f"{page.name}: the anchor of {match[2]}"
                found.append(match[2])
            else:
                assert not line.startswith('- <a id="'), f"{page.name}: no tests in {line[:60]}"
    return found


def texts() -> list[tuple[Path, str]]:
    """Return the tracked texts that may cite something, this file left out."""
    kinds = {".py", ".c", ".h", ".ts", ".md"}
    return [
        (path, path.read_text(encoding="utf-8"))
        for path in tracked_files()
        if path.suffix in kinds and path != Path(__file__)
    ]


def test_numbers_of_rules_are_unique_and_follow_their_section() -> None:
    """A rule W7.4.6 stands below W7.4."""
    found = numbers()
    assert len(found) > 300
    assert [number for number, count in Counter(found).items() if count > 1] == []
    section = ""
    for number in found:
        section = number if number.count(".") == 1 else section
        assert number == section or number.startswith(section + "."), number


def test_every_test_that_a_rule_names_exists() -> None:
    """With that name, in that file."""
    missing: list[str] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.count("[`test_") == len(TEST.findall(text)), f"a link in {page.name}"
        for name, path in TEST.findall(text):
            source = ROOT / path
            if not source.is_file() or f"def {name}(" not in source.read_text(encoding="utf-8"):
                missing.append(f"{page.name}: {path}::{name}")
    assert missing == []


def test_links_between_pages_lead_somewhere() -> None:
    """Files exist; anchors of rules too."""
    known = {number.lower() for number in numbers()}
    wrong: list[str] = []
    for page in PAGES:
        for path, anchor in LINK.findall(page.read_text(encoding="utf-8")):
            target = (FOLDER / path).resolve() if path else page
            is_rule = target.parent == FOLDER and anchor
            if not target.is_file() or (is_rule and anchor not in known):
                wrong.append(f"{page.name}: {path}#{anchor}")
    assert wrong == []


def test_what_is_cited_is_in_the_repository() -> None:
    """Rules by their numbers, pages by their names; never a section of a page that nobody can read."""
    known = set(numbers())
    pages = {path.relative_to(ROOT).as_posix() for path in tracked_files() if path.suffix == ".md"}
    wrong: list[str] = []
    for path, text in texts():
        where = path.relative_to(ROOT).as_posix()
        wrong += [f"{where}: no rule {n}" for n in CITATION.findall(text) if n not in known]
        wrong += [
            f"{where}: no page {name}"
            for name in PAGE.findall(text)
            if not any(("/" + page).endswith("/" + name.lstrip("./")) for page in pages)
        ]
        wrong += [
            f"{where}: a section of what? {line.strip()[:80]}"
            for line in text.splitlines()
            if NUMBER_OF_NOTHING.search(line) and ".h section" not in line
        ]
    assert wrong == []
