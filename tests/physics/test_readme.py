"""The table of rules names tests that exist, for every section of the specification that moves things."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SECTIONS = [
    "4",
    *(f"5.{k}" for k in range(2, 8)),
    *(f"7.{k}" for k in range(1, 11)),
    "8",
]
"""5.1 lists defaults and ranges, which nothing moves by."""


def rows() -> list[tuple[str, list[str]]]:
    """Return (section, names in code) of each row."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [(row[0].strip(), re.findall(r"`([^`]+)`", row[2])) for row in cells[1:]]


def test_every_section_has_rules() -> None:
    """In the order of the specification, none left out."""
    assert list(dict.fromkeys(section for section, _ in rows())) == SECTIONS


def test_every_named_test_exists() -> None:
    """A name without a file is in the file that was named last."""
    missing: list[str] = []
    for section, names in rows():
        assert names, f"a rule of {section} names no test"
        path = ""
        for name in names:
            path, _, test = name.rpartition("::") if "::" in name else (path, "", name)
            source = ROOT / path
            if not source.is_file() or f"def {test}(" not in source.read_text(encoding="utf-8"):
                missing.append(f"{path}::{test}")
    assert missing == []
