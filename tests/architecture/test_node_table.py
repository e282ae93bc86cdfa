"""The table of Webots' nodes does the work: rows are bound to the model, and the rest says why it is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest

import solidbody.formats.webots
from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.webots.export.plain import plain_fields
from solidbody.formats.webots.lower.plain import RULES, lower_plain
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.attributes import CONVERSIONS, MODEL_CLASSES, Holds, bindings
from solidbody.formats.webots.nodes.check import check_file
from solidbody.formats.webots.nodes.table import BY_HAND, Field, Node
from solidbody.formats.webots.releases.release import NEWEST
from solidbody.model.devices import Lens

ROWS = [(node, item) for node in NODES for item in node.fields if item.to]
BOUND = sorted({(node.name, target.split(".")[0]) for node, item in ROWS for target in item.bound})
"""Node types, and the classes that rows of their own become a part of."""

HANDED: Final = [(node, item) for node, item in ROWS if item.by_hand]


def _shares_a_target(node: Node, item: Field) -> bool:
    targets = set(item.to.split(", "))
    return any(targets & set(other.to.split(", ")) for _, other in ROWS if other is not item)


HOLDS: Final[Mapping[str, Callable[[Node, Field], bool]]] = {
    "tree": lambda node, item: item.type.item == "node" or NODES.derives(node.name, "Solid"),
    "place": lambda node, item: item.type.item in ("vector", "rotation"),
    "name": lambda node, item: item.type.item == "string" or item.nodes == ("SolidReference",),
    "file": lambda node, item: "url" in NODES.fields(node.name),
    "form": lambda node, item: (
        node.is_list
        or NODES.derives(node.name, "Geometry")
        or (item.type.item == "node" and item.nodes in ((), ("Geometry",)))
    ),
    "sum": _shares_a_target,
    "release": lambda node, item: bool(item.deprecated or item.until or node.is_gone),
}
"""What must be true of a row for which code of its own has this reason."""


@pytest.mark.parametrize(("node", "item"), HANDED, ids=[f"{n.name}.{f.name}" for n, f in HANDED])
def test_the_reason_of_a_row_that_is_read_by_hand_holds(node: Node, item: Field) -> None:
    assert HOLDS[item.by_hand](node, item), f"{node.name}.{item.name} is not by {item.by_hand}"


def test_every_row_is_bound_or_says_why_not() -> None:
    """Reasons are those of the list, and each of the list is somebody's."""
    silent = [f"{node.name}.{item.name}" for node, item in ROWS if not (item.bound or item.by_hand)]
    assert not silent
    assert {item.by_hand for _, item in HANDED} == set(BY_HAND) == set(HOLDS)


def test_what_is_read_by_hand_is_read_somewhere() -> None:
    """Its name stands in the code, if need be without the number of an axis or before the side of a cube."""
    root = Path(solidbody.formats.webots.__file__).parent
    code = "".join(
        path.read_text("utf-8")
        for part in ("lower", "releases")
        for path in (root / part).glob("*.py")
    )
    words = set(re.findall(r"[A-Za-z]+", code))
    unread = {item.name for _, item in HANDED if item.name.rstrip("23") not in words}
    assert not unread


def test_most_rows_are_bound() -> None:
    """The count may only grow: a row that gets plain is bound."""
    bound = sum(bool(item.bound) for _, item in ROWS)
    assert bound >= LEAST_BOUND, f"{bound} of {len(ROWS)} rows"


LEAST_BOUND = 471
"""Rows that the generic pass reads and writes."""


@pytest.mark.parametrize(("name", "model"), BOUND)
def test_bound_attributes_are_those_of_the_class(name: str, model: str) -> None:
    """Each row has an attribute, or a part of one, of a class of the model."""
    bound = bindings(name, MODEL_CLASSES[model])
    known = {item.name: item for item in fields(MODEL_CLASSES[model])}
    assert bound.rows
    for row, attribute, part, *_ in bound.rows:
        assert attribute in known, f"{name}.{row.name}"
        assert attribute not in bound.groups or part, f"{name}.{row.name}"
    for (row, *_), today in bound.old:
        assert today in NODES.fields(name), f"{name}.{row.name}"


def test_every_conversion_and_every_rule_is_used() -> None:
    used = {item.conversion for _, item in ROWS}
    assert used == set(CONVERSIONS)
    assert {model.__name__ for model in RULES} <= {model for _, model in BOUND}


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
            whole = [x for x in (1, 2, 8, 9) if item.check is None or item.check.holds(x)]
            return [(1, 2, -1, 4, 5, -1)] if item.type.is_list else whole
        case "float":
            return [tuple(numbers[:3])] if item.type.is_list else numbers
        case "rotation":
            return [(0.0, 0.0, 1.0, 0.25), (0.0, 1.0, 0.0, 2.0)]
        case _:
            row = tuple((numbers * 3)[: item.type.width])
            return [(row,)] if item.type.is_list else [row]


_KEEPS_LESS: Final = ("first", "direction", "at most 1e6")
"""Conversions that keep only what the model has: the first colour, the direction, the reach."""


def _values() -> Iterator[tuple[str, Any, Any]]:
    for name, model in BOUND:
        for row, _, _, conversion, holds, _ in bindings(name, MODEL_CLASSES[model]).rows:
            if holds is Holds.VALUE and row.conversion not in _KEEPS_LESS:
                for value in _samples(row):
                    back = conversion.write(conversion.read(value))
                    yield f"{name}.{row.name}: {value}", back, value


def test_what_is_read_is_written_back() -> None:
    """Conversions are inverse: of a value that the row allows, the same comes back."""
    for what, back, value in _values():
        assert _flat(back) == pytest.approx(_flat(value)), what


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
