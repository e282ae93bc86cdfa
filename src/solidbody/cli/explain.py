"""`solidbody explain`: what the code of a diagnostic means."""

from __future__ import annotations

import json
import textwrap

from solidbody.cli.console import say_error
from solidbody.cli.status import BAD_INPUT, OK
from solidbody.explanations.codes import (
    TOPICS,
    Explanation,
    UnknownCodeError,
    explain,
    explanations,
)


def explain_code(code: str, *, as_json: bool) -> int:
    """Print what a code means; return the exit status."""
    try:
        row = explain(code)
    except UnknownCodeError as error:
        say_error(str(error))
        return BAD_INPUT
    if as_json:
        print(json.dumps(_plain(row), indent=2))
        return OK
    print(f"{row.code} ({TOPICS[row.topic]})\n")
    print(textwrap.fill(f"{row.means} {row.why}", 96))
    print("\n" + textwrap.fill(f"What to do: {row.do}", 96))
    if row.example is not None:
        for label, part in (("Before", row.example.before), ("After", row.example.after)):
            print(f"\n{label}:\n\n{textwrap.indent(part.rstrip(), '    ')}")
    return OK


def list_codes(*, as_json: bool) -> int:
    """Print all codes with what they mean; return the exit status."""
    rows = explanations()
    if as_json:
        print(json.dumps([_plain(row) for row in rows.values()], indent=2))
        return OK
    width = max(map(len, rows))
    for topic, heading in TOPICS.items():
        print(f"{heading}:")
        for code in sorted(code for code, row in rows.items() if row.topic == topic):
            print(f"  {code:{width}}  {rows[code].means}")
        print()
    print("More about one: solidbody explain CODE")
    return OK


def _plain(row: Explanation) -> dict[str, object]:
    example = row.example
    return {
        "code": row.code,
        "topic": row.topic,
        "means": row.means,
        "why": row.why,
        "do": row.do,
        "example": None
        if example is None
        else {
            "format": example.language.suffix,
            "before": example.file_of(example.before),
            "after": example.file_of(example.after),
        },
    }
