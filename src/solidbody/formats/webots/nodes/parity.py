"""Renders the node table as a page for people: `python -m solidbody.formats.webots.nodes.parity [FILE]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import BY_HAND, Field, Node
from solidbody.formats.webots.nodes.values import shown_default

DEFAULT_PAGE = Path("docs") / "webots-nodes.md"
_HEAD = """\
<!-- GENERATED FILE, DO NOT EDIT: python -m solidbody.formats.webots.nodes.parity -->
# Webots nodes

What becomes of every node and field of a Webots world. A field is **read** into the model field that
is named, **ignored** with the reason, or **not yet** supported: then a value other than the default
gives a warning when the file is loaded. Fields of a base node are listed there.

Where code of its own reads a field, or a part of what it becomes, one word says why:

"""


def render_page() -> str:
    """Return the page as Markdown."""
    words = [f"- **by {word}**: {reason}." for word, reason in BY_HAND.items()]
    return "\n".join([_HEAD + "\n".join(words) + "\n", *_summary(), *_sections()]).rstrip() + "\n"


def _summary() -> Iterator[str]:
    rows = [row for row in NODES if not row.is_abstract]
    supported = [row for row in rows if not row.unsupported]
    yield f"{len(supported)} of {len(rows)} node types are supported.\n"
    yield "| node | base | state |"
    yield "|---|---|---|"
    for row in sorted(rows, key=lambda row: row.name):
        state = f"not yet: {row.unsupported}" if row.unsupported else "supported"
        name = f"[{row.name}](#{row.name.lower()})" if row.fields else row.name
        yield f"| {name} | {row.base or '–'} | {state} |"
    yield ""


def _sections() -> Iterator[str]:
    for row in sorted(NODES, key=lambda row: row.name):
        if not row.fields:
            continue
        yield f"## {row.name}\n"
        notes = _notes(row)
        if notes:
            yield f"{notes}\n"
        yield "| field | type | default | allowed | unit | fate | what for |"
        yield "|---|---|---|---|---|---|---|"
        for item in row.fields:
            yield _field_line(NODES.fields(row.name)[item.name])
        yield ""


def _notes(row: Node) -> str:
    parts: list[str] = []
    if row.is_abstract:
        parts.append("Base of other nodes, not written in files.")
    if row.base:
        parts.append(f"Has the fields of {row.base}.")
    if row.unsupported:
        parts.append(f"Not yet: {row.unsupported}.")
    return " ".join(parts)


def _field_line(item: Field) -> str:
    kind = item.type.name + (f" or {item.also.name}" if item.also else "")
    allowed = item.check.allowed if item.check else ", ".join(item.nodes)
    cells = (
        item.name,
        kind,
        f"`{shown_default(item)}`",
        allowed,
        item.unit,
        _fate(item),
        item.doc,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _fate(item: Field) -> str:
    if item.to:
        targets = ", ".join(f"`{target.strip()}`" for target in item.to.split(","))
        fate = f"read: {targets}" + (f" (by {item.by_hand})" if item.by_hand else "")
    elif item.ignored:
        fate = f"ignored: {item.ignored}"
    else:
        fate = f"not yet: {item.unsupported}"
    if item.deprecated:
        fate += f" (deprecated: use {item.deprecated})"
    if item.until:
        fate += f" (up to {item.until})"
    return fate


def main(arguments: Sequence[str]) -> None:
    """Write the page to the file named first, or to docs/ of the current directory."""
    page = Path(arguments[0]) if arguments else DEFAULT_PAGE
    page.write_text(render_page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
