"""Converts elevation grids of old releases: heights along y over the xz plane.

Turned by -90 degrees about x, the y axis of a grid of today runs along the old -z. So that each
height stays at its place, the rows come in reverse order and the grid starts at the old last row.
"""

from __future__ import annotations

from dataclasses import replace

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.transforms import ZERO, Vec3
from solidbody.formats.vrml.syntax import BoolSyntax, NodeSyntax, UseSyntax
from solidbody.formats.webots.releases.release import FIRST_Z_UP
from solidbody.formats.webots.releases.turns import (
    field_of,
    numbers_in,
    with_numbers,
    with_value,
)

_NEW_NAMES = {"zDimension": "yDimension", "zSpacing": "ySpacing"}


def grid_shift(node: NodeSyntax) -> Vec3:
    """Return where the corner of the converted grid lies: at the last row of the old one."""
    rows, spacing = numbers_in(node, "zDimension", (0.0,)), numbers_in(node, "zSpacing", (1.0,))
    if not rows or not spacing or rows[0] < 1.0:
        return ZERO
    return (0.0, 0.0, (rows[0] - 1.0) * spacing[0])


def modern_grid(node: NodeSyntax, log: DiagnosticLog) -> NodeSyntax:
    """Return an ElevationGrid with the field names of today and its rows in reverse order."""
    columns = _count(node, "xDimension")
    rows = _count(node, "zDimension")
    heights = numbers_in(node, "height", ())
    if heights is None:
        log.warning(
            "manual-conversion",
            node.type_span,
            f"the rows of an ElevationGrid ran along z before {FIRST_Z_UP}; its heights are no "
            "plain numbers, so it has to be converted by hand.",
            node=node.label,
        )
    elif columns and rows and heights:
        padded = (heights + (0.0,) * (columns * rows - len(heights)))[: columns * rows]
        node = with_numbers(node, "height", _reversed_rows(padded, columns))
        node = _with_reversed_colors(node, columns, rows, log)
    fields = tuple(replace(item, name=_NEW_NAMES.get(item.name, item.name)) for item in node.fields)
    return replace(node, fields=fields)


def _count(node: NodeSyntax, name: str) -> int:
    numbers = numbers_in(node, name, (0.0,))
    return max(0, int(numbers[0])) if numbers and abs(numbers[0]) < 1e6 else 0


def _reversed_rows(values: tuple[float, ...], length: int) -> tuple[float, ...]:
    starts = range(len(values) - length, -1, -length)
    return tuple(x for start in starts for x in values[start : start + length])


def _with_reversed_colors(
    node: NodeSyntax, columns: int, rows: int, log: DiagnosticLog
) -> NodeSyntax:
    part = field_of(node, "color")
    if part is None:
        return node
    per_vertex = field_of(node, "colorPerVertex")
    is_per_vertex = not (
        per_vertex and isinstance(per_vertex.value, BoolSyntax) and not per_vertex.value.value
    )
    length, count = (columns, rows) if is_per_vertex else (columns - 1, rows - 1)
    if isinstance(part.value, NodeSyntax):
        colors = numbers_in(part.value, "color", ())
        if colors is not None and len(colors) == 3 * length * count:
            new = with_numbers(part.value, "color", _reversed_rows(colors, 3 * length))
            return with_value(node, "color", new)
        if colors is not None and len(colors) < 3 * length * count:
            return node  # taken in turn, from whichever corner
    if isinstance(part.value, NodeSyntax | UseSyntax):
        log.warning(
            "manual-conversion",
            part.span,
            f"the rows of an ElevationGrid ran along z before {FIRST_Z_UP}; its colours could not "
            "be put in the new order.",
            node=node.label,
            field="color",
        )
    return node
