"""The table of Choreonoid's keys does the work: the generic pass reads its rows, or they say why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

# loads all tables
from solidbody.formats.choreonoid.keys import parity  # noqa: F401
from solidbody.formats.choreonoid.keys.parity import title_of
from solidbody.formats.choreonoid.keys.table import BY_HAND, TABLES, Key, Table

ROWS: Final = {id(row): (table, row) for table in reversed(TABLES) for row in table.rows.values()}
"""Each row once, with the first table that has it."""
READ: Final = [(table, row) for table, row in ROWS.values() if row.to]
HANDED: Final = [(table, row) for table, row in READ if row.by]

LEAST_PLAIN: Final = 230
"""Rows that the generic pass reads. The count may only grow: a row that gets plain is bound."""


def _wholes(table: type[Table], row: Key[Any]) -> list[str]:
    """Return `Class.field` of the targets, without what is inside of the field."""
    return [".".join(target.split(".")[:2]) for target in row.targets(table)]


TARGETS: Final = Counter(target for table, row in READ for target in _wholes(table, row))

_PLACES: Final = ("pose", "scale", "links")
"""Fields that hold places."""

_BODIES: Final = ("Body", "CollisionRules")


def _fields(row: Key[Any]) -> set[str]:
    return {target.strip().partition(".")[2] for target in row.to.split(",")}


def _is_text(row: Key[Any]) -> bool:
    return row.kind.words in ("text", "texts")


HOLDS: Final[Mapping[str, Callable[[type[Table], Key[Any]], bool]]] = {
    # a word (or the version that says which words there are) of what the mapping is
    "type": lambda table, row: (
        row.name.endswith(("type", "class", "format", "format_version"))
        and row.kind.words in ("text", "word", "number")
    ),
    "tree": lambda table, row: row.kind.words in ("mapping", "list", "any"),
    "sum": lambda table, row: all(TARGETS[target] > 1 for target in _wholes(table, row)),
    "place": lambda table, row: "numbers" in row.kind.words and _fields(row) <= {*_PLACES},
    "file": lambda table, row: (
        (_is_text(row) and row.name.rpartition("_")[2] in ("file", "uri"))
        or "uri" in table.spellings
    ),
    "name": lambda table, row: (
        _is_text(row)
        and (row.name.lower().endswith("name") or "name" in row.doc or "body" in row.doc.split())
    ),
    "body": lambda table, row: row.to.partition(".")[0] in _BODIES,
}
"""What must be true of a row for which code of its own has this reason."""


@pytest.mark.parametrize(
    ("table", "row"), HANDED, ids=[f"{title_of(table)}.{row.name}" for table, row in HANDED]
)
def test_the_reason_of_a_key_that_is_read_by_hand_holds(table: type[Table], row: Key[Any]) -> None:
    assert HOLDS[row.by](table, row), f"{title_of(table)}.{row.name} is not by {row.by}"


def test_every_key_is_plain_or_says_why_not() -> None:
    """Reasons are those of the list, and each of the list is somebody's."""
    wrong = [f"{title_of(t)}.{row.name}" for t, row in READ if row.is_plain is bool(row.by)]
    assert not wrong
    assert not [row.name for _, row in ROWS.values() if row.by and not row.to]
    assert {row.by for _, row in HANDED} == set(BY_HAND) == set(HOLDS)


def test_most_keys_are_plain() -> None:
    plain = sum(row.is_plain for _, row in READ)
    assert plain >= LEAST_PLAIN, f"{plain} of {len(READ)} keys"


def test_a_table_that_has_a_pass_of_its_own_keeps_its_rows_to_itself() -> None:
    """No mapping is read twice by the passes of a table and of one that it is based on."""
    for table in TABLES:
        for base in table.__bases__:
            if issubclass(base, Table) and base.is_apart:
                assert not {*base.plain()} & {*table.plain()}, title_of(table)
