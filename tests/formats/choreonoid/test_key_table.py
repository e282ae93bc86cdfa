"""The key table: every row has one fate and is used, spellings are read alike, slips are guessed."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import solidbody.model
from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.formats.choreonoid.keys import parity, settings
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.bodies import LinkKeys
from solidbody.formats.choreonoid.keys.devices import PLAIN_DEVICES
from solidbody.formats.choreonoid.keys.info_text import flow_text
from solidbody.formats.choreonoid.keys.parity import main, render_page, title_of
from solidbody.formats.choreonoid.keys.shapes import PRIMITIVES
from solidbody.formats.choreonoid.keys.table import TABLES, Key, Table
from solidbody.formats.choreonoid.keys.yaml_text import value_text
from solidbody.formats.choreonoid.keys.yaml_tree import YamlMap, YamlScalar, parse_yaml
from solidbody.formats.choreonoid.motion import key_poses, sequences, values
from solidbody.formats.link_trees import drafts

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "src" / "solidbody" / "formats" / "choreonoid"
READERS = [
    path for part in ("body", "project", "motion", "write") for path in (FOLDER / part).glob("*.py")
]

SAMPLES = {
    "number": "0.5",
    "integer": "2",
    "flag": "false",
    "text": "left",
    "texts": "[left, right]",
    "numbers": "[1, 2, 3]",
    "pairs": "[0.5, 2, 1, 1]",
    "triples": "[0.5, 2, 1]",
    "axes and angles": "[0, 1, 0, 90]",
    "indices": "[0, 1, 2, -1]",
    "pairs of indices": "[0, 1, 1, 2]",
    "2 numbers": "[0.5, 2]",
    "3 numbers": "[0.5, 0.25, 0.125]",
    "4 numbers": "[0, 0, 1, 90]",
    "9 numbers": "[1, 0, 0, 0, 1, 0, 0, 0, 1]",
    "9 or 6 numbers": "[1, 0.5, 0, 2, 0, 3]",
    "3 numbers or word": "-Y",
    "2 numbers or number": "[-0.5, unlimited]",
    "texts by line": "{ 3: left, 4: right }",
    "lines and names": "[[3, left], [4, right]]",
}
"""A value of each kind that every row of the kind takes."""


def rows() -> Iterator[tuple[type[Table], Key[Any]]]:
    """Yield each row once, with the first table that has it."""
    seen: set[int] = set()
    for table in TABLES:
        for row in table.rows.values():
            if id(row) not in seen:
                seen.add(id(row))
                yield table, row


ROWS = [pytest.param(row, id=f"{title_of(table)}.{row.name}") for table, row in rows()]
TYPED = [item for item in ROWS if item.values[0].kind.words in (*SAMPLES, "word")]  # type: ignore[union-attr]


def keys_of(text: str) -> tuple[Keys, DiagnosticLog]:
    log = DiagnosticLog()
    document = parse_yaml(text, "x.body", log)
    assert document is not None and isinstance(document.root, YamlMap)
    return Keys(document.root, BodyFileReading(log)), log


def sample_of(row: Key[Any]) -> str:
    if row.kind.words == "word":
        return row.kind.allowed.split(", ")[-1]
    return SAMPLES.get(row.kind.words, "{ a: 1 }")


def value_of(row: Key[Any], name: str, text: str) -> Any:
    """Return what a row reads, without places in the file; nothing is to be said of it."""
    keys, log = keys_of(f"{name}: {text}")
    value = keys.read(row)
    assert [str(item) for item in log] == []
    return flow_text(value) if isinstance(value, YamlMap | YamlScalar) else value


@pytest.mark.parametrize("row", ROWS)
def test_every_row_has_one_fate_and_says_what_it_is(row: Key[Any]) -> None:
    assert [bool(row.to), bool(row.ignored), bool(row.unsupported)].count(True) == 1
    assert bool(row.doc) is bool(row.to)


def test_no_table_has_a_spelling_twice() -> None:
    for table in TABLES:
        names = [name for row in table.rows.values() for name in row.names]
        assert sorted(names) == sorted(set(names)), title_of(table)


@pytest.mark.parametrize("row", [item for item in ROWS if len(item.values[0].names) > 1])  # type: ignore[union-attr]
def test_older_spellings_are_read_alike(row: Key[Any]) -> None:
    first, *others = (value_of(row, name, sample_of(row)) for name in row.names)
    assert all(other == first for other in others)
    assert first != row.default or sample_of(row) in ("false", "0.5")


@pytest.mark.parametrize("row", TYPED)
def test_writing_is_the_inverse_of_reading(row: Key[Any]) -> None:
    value = value_of(row, row.name, sample_of(row))
    if not isinstance(value, str) or row.kind.words == "text":
        assert value_of(row, row.name, value_text(row.kind.write(value))) == value


@pytest.mark.parametrize("table", TABLES, ids=title_of)
def test_slips_are_reported_with_what_was_meant(table: type[Table]) -> None:
    """A letter too much in a key of six or more letters is noticed in every kind of mapping."""
    for row in table.rows.values():
        slip = f"{row.name[:2]}q{row.name[2:]}"
        if len(row.name) < 6 or slip in table.spellings:
            continue
        keys, log = keys_of(f"{slip}: 1")
        keys.warn_of_slips(table)
        (item,) = log
        assert (item.code, item.field) == ("unknown-key", slip)
        assert any(f'Did you mean "{name}"?' in item.text for name in row.names)


def test_two_letters_in_the_wrong_order_are_one_slip() -> None:
    """The most common slip of all."""
    keys, log = keys_of("joint_tpye: free")
    keys.warn_of_slips(LinkKeys)
    (item,) = log
    assert 'Did you mean "joint_type"?' in item.text


# ---------------------------------------------------------------------------------- where rows go


def _classes() -> dict[str, type[Any]]:
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(solidbody.model.__path__, "solidbody.model.")
    ]
    found = {
        name: value
        for module in (*modules, settings, drafts, sequences, key_poses, values)
        for name, value in vars(module).items()
        if isinstance(value, type) and dataclasses.is_dataclass(value)
    }
    return {**found, "Diagnostic": Diagnostic}


def _fields(kind: type[Any]) -> set[str]:
    return {item.name for item in dataclasses.fields(kind)}


def test_every_target_is_a_field_that_exists() -> None:
    classes = _classes()
    for table, row in rows():
        for target in filter(None, (part.strip() for part in row.to.split(","))):
            if not row.is_plain:
                name, _, rest = target.partition(".")
                assert rest in _fields(classes[name]), f"{title_of(table)}.{row.name}: {target}"
                continue
            kind = table.makes
            *outer, last = target.split(".")
            for depth, name in enumerate(outer, 1):
                assert name.isdecimal() or (kind and name in _fields(kind)), target
                kind = table.parts.get(".".join(outer[:depth]))
            assert last.isdecimal() if kind is None else last in _fields(kind), target


def _mentions() -> tuple[set[tuple[str, str]], set[str]]:
    """Return (table, attribute) that code names, and tables that it names as a whole."""
    named: set[tuple[str, str]] = set()
    whole = {table.__name__ for table in (*PLAIN_DEVICES.values(), *PRIMITIVES.values())}
    for path in READERS:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bases = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                named.add((node.value.id, node.attr))
                if node.attr in ("rows", "ignored_rows"):
                    whole.add(node.value.id)
            elif isinstance(node, ast.Name) and id(node) not in bases:
                whole.add(node.id)
    return named, whole


def test_every_row_is_used() -> None:
    """Rows that are read by hand are named in the code; of the others, their tables are."""
    named, whole = _mentions()
    used: set[int] = set()
    for table in TABLES:
        for attribute, row in table.rows.items():
            by_pass = table.__name__ in whole and (row.is_plain or not row.to)
            if by_pass or (table.__name__, attribute) in named:
                used.add(id(row))
    assert [f"{title_of(t)}.{row.name}" for t, row in rows() if id(row) not in used] == []


def test_older_spellings_stand_in_the_table_alone() -> None:
    old = {name for _, row in rows() for name in row.names[1:] if name != name.lower()}
    allowed = {"standin_bodies.py"}  # a small body file as text
    found = [
        f"{path.name}: {node.value}"
        for path in READERS
        if path.name not in allowed
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in old
    ]
    assert found == []


# ------------------------------------------------------------------------------------------- page


def test_page_has_every_spelling() -> None:
    page = render_page()
    assert "GENERATED FILE" in page.splitlines()[0]
    assert all(name in page for _, row in rows() for name in row.names)
    assert {table.__module__ for table in TABLES} == {m.__name__ for m in parity.CHAPTERS.values()}


def test_generator_writes_the_file(tmp_path: Path) -> None:
    main([str(tmp_path / "page.md")])
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == render_page()
