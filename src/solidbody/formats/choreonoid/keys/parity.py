"""Renders the key table as a page for people: `python -m solidbody.formats.choreonoid.keys.parity [FILE]`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from solidbody.formats.choreonoid.keys import bodies, devices, motions, projects, shapes
from solidbody.formats.choreonoid.keys.table import BY_HAND, TABLES, Key, Table
from solidbody.formats.choreonoid.keys.yaml_text import value_text

DEFAULT_PAGE = Path("docs") / "choreonoid-keys.md"
CHAPTERS = {
    "Body files": bodies,
    "Nodes that are drawn, collide or have mass": shapes,
    "Devices": devices,
    "Projects and materials": projects,
    "Motions": motions,
}
_HEAD = """\
<!-- GENERATED FILE, DO NOT EDIT: python -m solidbody.formats.choreonoid.keys.parity -->
# Choreonoid keys

What becomes of every key of body files (`.body`), projects (`.cnoid`), tables of materials and motions. A key
is **read** into the field that is named, **ignored** with the reason, or **not yet** supported. The older
spellings are read alike; the first one written counts. Angles are in degrees unless `angle_unit` says
otherwise. A key that is not listed is kept as information; one that looks like a listed one is reported.
Keys of what a mapping is based on are listed there.
"""


def render_page() -> str:
    """Return the page as Markdown."""
    lines = [_HEAD, *_summary()]
    for title, module in CHAPTERS.items():
        lines.append(f"## {title}\n")
        for table in TABLES:
            if table.__module__ == module.__name__:
                lines += _section(table)
    return "\n".join(lines).rstrip() + "\n"


def title_of(table: type[Table]) -> str:
    """Return what a table is called."""
    return table.title or ", ".join(table.types)


def _summary() -> Iterator[str]:
    rows = {row for table in TABLES for row in table.rows.values()}
    plain = sum(row.is_plain for row in rows)
    read = sum(bool(row.to) for row in rows)
    ignored = sum(bool(row.ignored) for row in rows)
    yield (
        f"{len(rows)} keys of {len(TABLES)} kinds of mappings: {read} are read ({plain} of them by the "
        f"generic pass), {ignored} ignored, {len(rows) - read - ignored} not yet supported.\n"
    )
    yield "Those that code of its own reads say why in one word behind what they become:\n"
    counts = Counter(row.by for row in rows)
    for word, meaning in BY_HAND.items():
        yield f"- {word} ({counts[word]}): {meaning};"
    yield ""


def _section(table: type[Table]) -> Iterator[str]:
    yield f"### {title_of(table)}\n"
    bases = [title_of(base) for base in table.__bases__ if issubclass(base, Table) and base.rows]
    notes = [(table.__doc__ or "").strip()]
    if bases:
        notes.append(f"Has the keys of {' and '.join(bases)}.")
    yield " ".join(notes) + "\n"
    inherited = {id(row) for base in table.__bases__ for row in getattr(base, "rows", {}).values()}
    own = [row for row in table.rows.values() if id(row) not in inherited]
    if not own:
        return
    yield "| key | older spellings | type | default | allowed | unit | fate | |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in own:
        yield _line(row, table)
    yield ""


def _line(row: Key[Any], table: type[Table]) -> str:
    default = None if row.default is None else row.kind.write(row.default)
    cells = (
        row.name,
        ", ".join(row.names[1:]),
        row.kind.words,
        "–" if default is None or default == "" else f"`{value_text(default)}`",
        row.kind.allowed,
        row.unit,
        _fate(row, table),
        row.doc,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _fate(row: Key[Any], table: type[Table]) -> str:
    if not row.to:
        return f"ignored: {row.ignored}" if row.ignored else f"not yet: {row.unsupported}"
    read = "read: " + ", ".join(f"`{target}`" for target in row.targets(table))
    return f"{read} ({row.by})" if row.by else read


def main(arguments: Sequence[str]) -> None:
    """Write the page to the file named first, or to docs/ of the current directory."""
    page = Path(arguments[0]) if arguments else DEFAULT_PAGE
    page.write_text(render_page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
