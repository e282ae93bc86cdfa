"""Hypothesis strategies made from the node table: any node that the table allows."""

from __future__ import annotations

from hypothesis import strategies as st

from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.nodes.table import Field

MAX_DEPTH = 4

_numbers = st.one_of(
    st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]),
    st.floats(-1e6, 1e6, allow_nan=False),
)
_strings = st.text(st.characters(exclude_characters='"\\', exclude_categories=["Cs"]), max_size=6)


def _allowed(field: Field, number: float) -> bool:
    return field.check is None or field.check.holds(number)


def _item(field: Field) -> st.SearchStrategy[str]:
    """Return texts of one item of a field without nodes."""
    kind = field.type
    match kind.item:
        case "bool":
            return st.sampled_from(["TRUE", "FALSE"])
        case "string":
            if field.check is not None:
                words = field.check.allowed.removeprefix("one of ").split(", ")
                return st.sampled_from(words)
            return _strings.map(lambda text: f'"{text}"')
        case "int":
            return (
                st.integers(-1, 1000).filter(lambda x: _allowed(field, x)).map(lambda x: f"{x:d}")
            )
        case "rotation":
            angle = st.floats(-7, 7).map(repr)
            axis = st.sampled_from(["1 0 0", "0 1 0", "0 0 2", "1 1 1"])
            return st.tuples(axis, angle).map(" ".join)
        case _:
            numbers = _numbers.filter(lambda x: _allowed(field, x)).map(repr)
            return st.lists(numbers, min_size=kind.width, max_size=kind.width).map(" ".join)


@st.composite
def field_text(draw: st.DrawFn, field: Field, depth: int) -> str:
    """Draw a field with a legal value."""
    kind = field.type
    if kind.item == "node":
        names = [
            row.name
            for row in NODES
            if not row.is_abstract and any(NODES.derives(row.name, base) for base in field.nodes)
        ]
        if not names or depth <= 0:
            return f"{field.name} {'[ ]' if kind.is_list else 'NULL'}"
        node = st.sampled_from(names).flatmap(lambda name: node_text(name, depth - 1))
        if not kind.is_list:
            return f"{field.name} {draw(node)}"
        return f"{field.name} [ {' '.join(draw(st.lists(node, max_size=3)))} ]"
    item = _item(field)
    if not kind.is_list:
        return f"{field.name} {draw(item)}"
    return f"{field.name} [ {', '.join(draw(st.lists(item, max_size=3)))} ]"


@st.composite
def node_text(draw: st.DrawFn, name: str, depth: int = MAX_DEPTH) -> str:
    """Draw a node of type `name` with some of its fields."""
    rows = [row for row in NODES.fields(name).values() if not row.until]
    chosen = draw(st.lists(st.sampled_from(rows), max_size=6, unique=True)) if rows else []
    label = draw(st.sampled_from(["", "DEF A ", "DEF B "]))
    return f"{label}{name} {{ {' '.join(draw(field_text(row, depth)) for row in chosen)} }}"
