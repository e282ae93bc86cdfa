"""What the headers for programs in C declare: `python -m tools.c_api` writes the page that lists it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from solidbody.contact.build import SDK

ROOT: Final = Path(__file__).parents[1]
HEADERS: Final = SDK / "include" / "controller" / "c" / "webots"
PAGE: Final = ROOT / "docs" / "controllers-c-api.md"
TESTS: Final = ROOT / "tests" / "control" / "c"

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_STRUCT: Final = re.compile(r"typedef struct.*?^} \w+;", re.DOTALL | re.MULTILINE)
_FUNCTION: Final = re.compile(r"^[A-Za-z][\w *]*?\b(wb[ur]?_\w+)\(", re.MULTILINE)


def declared() -> dict[str, list[str]]:
    """Return the functions of each header."""
    found: dict[str, list[str]] = {}
    for path in sorted(HEADERS.rglob("*.h")):
        text = _STRUCT.sub("", _COMMENT.sub("", path.read_text(encoding="utf-8")))
        lines = [line for line in text.splitlines() if not line.startswith(("#", " "))]
        names = _FUNCTION.findall("\n".join(lines))
        if names:
            found[path.relative_to(HEADERS).as_posix()] = names
    return found


def called() -> set[str]:
    """Return the functions that tests call in programs of C."""
    words: set[str] = set()
    for path in sorted(TESTS.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        words |= set(re.findall(r"\bwb[ur]?_\w+", text))
        # `f"wb_{name}_enable(...)"`, where names, and ends such as "v3 get_values", are words in quotes
        quoted = re.findall(r'"(\w+)"', text)
        forms = re.findall(r"\b(wb[ur]?_\w*)\{\w+\}(\w*)(?!\{)", text)
        forms += [("wb_", "_" + end) for end in re.findall(r'"[a-z]\d* (\w+)"', text)]
        words |= {f"{first}{word}{last}" for word in quoted for first, last in forms}
    return words


def page() -> str:
    """Return the page."""
    tested, groups = called(), declared()
    total = sum(map(len, groups.values()))
    done = sum(name in tested for names in groups.values() for name in names)
    out = [
        "<!-- GENERATED FILE, DO NOT EDIT: python -m tools.c_api -->",
        "# The controller API in C, header by header",
        "Functions of `webots/*.h`, all of them in libController and linked by a test. Those that a program\n"
        "in a test calls, and compares with what the Python library says where that has the same, are\n"
        f"marked: {done} of {total}.",
    ]
    for header, names in groups.items():
        rows = [f"`{name}`" + (" ✓" if name in tested else "") for name in names]
        out.append(f"## {header}\n\n" + ", ".join(rows) + ".")
    return "\n\n".join(out) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
