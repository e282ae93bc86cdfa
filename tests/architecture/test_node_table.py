"""The table of Webots' nodes does the work: rows are bound to the model, and the rest says why it is not."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.webots.export.plain import plain_fields
from solidbody.formats.webots.lower.plain import RULES, lower_plain
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.attributes import CONVERSIONS, MODEL_CLASSES, bindings
from solidbody.formats.webots.nodes.check import check_file
from solidbody.formats.webots.nodes.table import Field, Node
from solidbody.formats.webots.releases.release import NEWEST
from solidbody.model.devices import Lens

ROWS = [(node, item) for node in NODES for item in node.fields if item.to]
PLAIN = [node.name for node in NODES if node.model and not node.is_abstract]


def _reason(node: Node) -> str:
    """Return why a node, or one that it is derived from, is lowered by hand."""
    return node.by_hand or (_reason(NODES[node.base]) if node.base else "")


def test_every_row_is_bound_or_its_node_says_why_not() -> None:
    """A row that is read by hand stands in a node with a reason, and a reason has such a row."""
    by_hand = {node.name for node, item in ROWS if not item.attribute}
    unexplained = {name for name in by_hand if not _reason(NODES[name])}
    assert not unexplained
    assert {node.name for node in NODES if node.by_hand} <= by_hand


def test_most_rows_are_bound() -> None:
    """The count may only grow: a node that gets plain is moved to the table."""
    bound = sum(bool(item.attribute) for _, item in ROWS)
    assert bound >= BOUND, f"{bound} of {len(ROWS)} rows"


BOUND = 340
"""Rows that the generic pass reads and writes."""


@pytest.mark.parametrize("name", PLAIN)
def test_bound_attributes_are_those_of_the_class(name: str) -> None:
    """Each row has an attribute, or a part of one, of the class that the node names."""
    bound = bindings(name)
    known = {item.name: item for item in fields(bound.model)}
    assert bound.rows and bound.model is MODEL_CLASSES[bound.model.__name__]
    for row, path, _ in bound.rows:
        assert path[0] in known, f"{name}.{row.name}"
        assert path[0] not in bound.groups or len(path) == 2, f"{name}.{row.name}"


def test_every_conversion_and_every_rule_is_used() -> None:
    used = {item.conversion for _, item in ROWS}
    assert used == set(CONVERSIONS)
    assert set(RULES) <= set(NODES.names())


def _samples(item: Field) -> list[Any]:
    """Return values that the row allows, beside its default."""
    if item.check and item.check.words:
        return list(item.check.words)
    numbers = [x for x in (0.25, 0.5, 1.0, 2.0) if item.check is None or item.check.holds(x)]
    match item.type.item:
        case "bool":
            return [True, False]
        case "string":
            return ["sonar" if item.conversion == "distance kind" else "some words"]
        case "int":
            return [x for x in (1, 2, 8, 9) if item.check is None or item.check.holds(x)]
        case "float":
            return [tuple(numbers[:3])] if item.type.is_list else numbers
        case _:
            row = tuple((numbers * 3)[: item.type.width])
            return [(row,)] if item.type.is_list else [row]


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_read_is_written_back(name: str) -> None:
    """Conversions are inverse: of a value that the row allows, the same comes back."""
    for row, _, conversion in bindings(name).rows:
        if row.type.item == "node" or row.conversion in ("first", "direction", "at most 1e6"):
            continue  # these keep only what the model has: the first colour, the direction, the reach
        for value in _samples(row):
            back = conversion.write(conversion.read(value))
            assert _flat(back) == pytest.approx(_flat(value)), f"{name}.{row.name}: {value}"


def _flat(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [x for item in value for x in (item if isinstance(item, tuple) else (item,))]
    return value


def test_a_plain_node_is_made_and_written_by_its_rows_alone() -> None:
    """Nothing but the lines of the table knows a Lens."""
    log = DiagnosticLog()
    text = "#VRML_SIM R2025a utf8\nLens { center 0.25 0.75 radialCoefficients 1 2 }"
    tree = parse_text(text, "x.wbt", log)
    assert tree is not None
    (node,) = check_file(tree, NEWEST, log)
    lens = lower_plain(Lens, node)
    assert lens == Lens((0.25, 0.75), (1.0, 2.0))
    assert plain_fields("Lens", lens) == {
        "center": (0.25, 0.75),
        "radialCoefficients": (1.0, 2.0),
        "tangentialCoefficients": (0.0, 0.0),
    }
