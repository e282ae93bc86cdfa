"""Blocks of code in pages of documentation, and what their first lines say.

```sh                          run by tests/documentation/test_pages.py, as is `python`
```python continued            goes on from the block of Python before it
```sh no-run="needs ROS 2"     not run, and why
```yaml title="arm.body"       a file of the page
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BLOCK: Final = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```\n", re.MULTILINE | re.DOTALL)
TITLE: Final = re.compile(r'\btitle="([^"]+)"')
REASON: Final = re.compile(r'\bno-run="([^"]+)"')
REMARKS: Final = re.compile(r'(?: (?:title="[^"]+"|no-run="[^"]{8,}"|continued))*')


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code.

    Attributes:
        language: Its first word.
        text: What stands in it.
        title: The file that it is; empty = none.
        reason: Why it is not run; empty = it is.
        is_continued: Whether it goes on from the block of Python before it.
        line: Its line in the page.
    """

    language: str
    text: str
    title: str
    reason: str
    is_continued: bool
    line: int


def block_of(match: re.Match[str]) -> Block:
    """Return what was found by `BLOCK`.

    Raises:
        ValueError: Its first line has a remark that nobody knows.
    """
    indent, head, text = match.groups()
    line = match.string.count("\n", 0, match.start()) + 1
    language, remarks = re.fullmatch(r"(\w*)(.*)", head).groups()  # type: ignore[union-attr]
    if not REMARKS.fullmatch(remarks):
        raise ValueError(f"line {line}: unknown remark in {head!r}")
    title, reason = TITLE.search(remarks), REASON.search(remarks)
    return Block(
        language,
        "".join(row.removeprefix(indent) for row in text.splitlines(keepends=True)),
        title[1] if title else "",
        reason[1] if reason else "",
        "continued" in REASON.sub("", remarks).split(),
        line,
    )


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    return [block_of(match) for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]
