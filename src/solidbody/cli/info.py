"""`solidbody info`: prints what a world file describes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from solidbody.cli.console import output_console, print_diagnostics
from solidbody.cli.file_arguments import shown_parts
from solidbody.cli.status import BAD_INPUT, OK
from solidbody.model.summary import summarize_scene

if TYPE_CHECKING:
    from rich.table import Table

    from solidbody.formats.options import LoadOptions
    from solidbody.formats.scene_merging import SceneFile


MAX_ROWS: Final = 2_000
"""Of a table for people: laying out a row takes as long as reading ten nodes."""


def show_info(parts: Sequence[SceneFile], reading: LoadOptions, *, as_json: bool) -> int:
    """Print the scene on standard output, as JSON or as tables; return the exit status."""
    from solidbody.formats.scene_merging import read_scene_files

    path = shown_parts(parts)
    scene, log = read_scene_files(parts, options=reading)
    if scene is None:
        print_diagnostics(log)
        return BAD_INPUT
    data = summarize_scene(scene, log.items)
    if as_json:
        print(json.dumps(data, indent=2, allow_nan=False))
        return OK
    print_diagnostics(log)
    console = output_console()
    gravity = _numbers(data["gravity"])
    console.print(f"{path}: step {data['time_step']:g} s, gravity {gravity} m/s²", markup=False)
    for table in _tables(data):
        if table.row_count:
            console.print(table)
    return OK


def _tables(data: dict[str, Any]) -> Iterable[Table]:
    yield _table(
        "Bodies",
        ("name", "parent", "moves", "mass [kg]", "position [m]"),
        (
            (
                row["name"],
                row["parent"] or "",
                "yes" if row["dynamic"] else "no",
                _numbers([row["mass"]]) if row["dynamic"] else "",
                _numbers(row["position"]),
            )
            for row in data["bodies"]
        ),
    )
    yield _table(
        "Joints",
        ("name", "type", "parent", "child", "axis", "position", "range"),
        (
            (
                row["name"],
                row["type"],
                row["parent"] or "world",
                row["child"],
                _numbers(row["axis"]),
                _numbers(row["position"]),
                _numbers(row["range"]),
            )
            for row in data["joints"]
        ),
    )
    yield _table(
        "Shapes",
        ("body", "geometry", "role", "size [m]", "material"),
        (
            (row["body"], row["geometry"], row["role"], _numbers(row["size"]), row["material"])
            for row in data["shapes"]
        ),
    )
    yield _table(
        "Devices",
        ("name", "kind", "body"),
        ((row["name"], row["kind"], row["body"]) for row in data["devices"]),
    )
    yield _table(
        "Contact properties",
        ("materials", "friction", "bounce", "rolling", "slip"),
        (
            (
                " / ".join(row["materials"]),
                _numbers(row["friction"]),
                _numbers([row["bounce"]]),
                _numbers(row["rolling_friction"]),
                _numbers(row["slip"]),
            )
            for row in data["contact_properties"]
        ),
    )


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(Text(column))
    for number, row in enumerate(rows):
        if number == MAX_ROWS:
            table.add_row(Text(f"... only the first {MAX_ROWS}; --json has all"))
            break
        table.add_row(*(Text(cell) for cell in row))
    return table


def _numbers(value: Any) -> str:
    """Return numbers (nested lists of them, None, "inf") for a person."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return " ".join(_numbers(item) or "-" for item in value)
    return value if isinstance(value, str) else f"{value:.4g}"
