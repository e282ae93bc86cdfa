"""Makes docs/diagnostics.md from the tables: `python -m solidbody.explanations.page`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from solidbody.explanations.codes import TOPICS, Explanation, explanations

PAGE: Final = Path(__file__).parents[3] / "docs" / "diagnostics.md"

HEAD: Final = """\
<!-- GENERATED FILE, DO NOT EDIT: python -m solidbody.explanations.page -->
# Diagnostics

Every message about a file has a code. `solidbody check FILE --json` shows it; `solidbody explain CODE`
tells what this page tells: what it means, why it happens, what to do. Errors stop a part of a file from
being simulated; warnings and infos do not. Codes are stable: programs may look for them.

"""


def render_page() -> str:
    """Return the text of docs/diagnostics.md."""
    rows = explanations()
    parts = [HEAD, f"{len(rows)} codes:\n"]
    for topic, heading in TOPICS.items():
        codes = sorted(code for code, row in rows.items() if row.topic == topic)
        links = ", ".join(f"[`{code}`](#{code})" for code in codes)
        parts.append(f"\n- **{heading}**: {links}\n")
    for topic, heading in TOPICS.items():
        parts.append(f"\n## {heading}\n")
        parts += [_section(row) for _, row in sorted(rows.items()) if row.topic == topic]
    return "".join(parts)


def _section(row: Explanation) -> str:
    text = f"\n### {row.code}\n\n{row.means} {row.why}\n\n**What to do:** {row.do}\n"
    if row.example is None:
        return text
    name = row.example.language.name
    for label, part in (("Before", row.example.before), ("After", row.example.after)):
        text += f"\n{label}:\n\n```{name}\n{part}```\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
